/* check_internal -- what check.c and difference.c share; nobody else includes this. */
#ifndef LH_CHECK_INTERNAL_H
#define LH_CHECK_INTERNAL_H

#include "explain/check.h"

/* A program that has been run in both evaluators. */
typedef struct lh_bench {
    lh_check *check;
    lh_graph *g;
    lh_plan *exact, *wide; /* every step */
    int moment;
    const double *size; /* of each node, at the moment before: rounding.c */
    long evaluations;   /* left to be spent */
} lh_bench;

/* a new finding, ok so far */
lh_finding *lh_check_found(lh_check *c, lh_check_kind kind, const lh_step *s, int moment);
/* P{example 1}[0][2] */
const char *lh_check_cell(lh_check *c, const lh_plan *wide, const lh_node *n, const char *path,
                          lh_cell at);
/* keeps the largest error; true when this is it */
bool lh_check_worst(lh_finding *f, double got, double want, double error);

/* Every cell of a value: see(who, at); how many there are. The largest of its finite cells, sign aside. */
typedef void (*lh_see_cell)(void *who, lh_cell at);
long lh_check_each(const lh_plan *wide, const lh_node *n, lh_see_cell see, void *who);
double lh_check_largest(const lh_plan *wide, const lh_node *n);

/* Rounding (rounding.c). */
void lh_check_rounding(lh_bench *b); /* every step */

/* Differences (difference.c). */
void lh_check_differences(lh_bench *b); /* every step that has a gradient */
/* no gradient of the loss by this cell of x? */
bool lh_check_is_kink(lh_bench *b, lh_node *x, lh_cell at);

#endif
