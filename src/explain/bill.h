/* bill -- what a program costs: numbers to keep and operations to do, step by step, as formulas and as counts.
 *
 *     lh_bill *b = lh_bill_new(g, NULL, 0);             no value is computed, no memory is taken for one
 *     double n = lh_polynomial_value(&b->parameters);   124439808
 *     for (int i = 0; i < b->n_rows; i++) ... b->row[i].name, .cost[LH_EACH].multiply_adds
 *     lh_bill_free(b);
 *
 * What is counted: every line of the program as its formula stands: a function with all of its body, a gradient rule with all of
 * its lines. An evaluator that computes what is written twice only once, or a kernel that stands in for a call, does less. Views
 * (transpose, split, join, columns, rows taken out, stretching) move no numbers and are free. What is made of numbers, sizes and
 * consts alone is computed once at the start and not counted.
 *
 * Most costs arise for each example (LH_EACH). What is done once however many examples there are, an update for instance, is
 * LH_ONCE.
 */
#ifndef LH_EXPLAIN_BILL_H
#define LH_EXPLAIN_BILL_H

#include "explain/cost.h"
#include "explain/outline.h"

typedef enum lh_cost_when { LH_EACH, LH_ONCE, LH_N_WHEN } lh_cost_when;

/* A step, or the same step of every turn of a repeat. */
typedef struct lh_cost_row {
    const lh_step *step;             /* the first that it stands for */
    const char *name;                /* in its repeat: Q, next X, dX.A, WO := */
    lh_phase phase;                  /* forward, backward or update */
    int repeat;                      /* the repeat it stands in, or -1 */
    int times;                       /* how many steps it stands for */
    lh_cost cost[LH_N_WHEN];         /* of one of them */
    lh_polynomial values[LH_N_WHEN]; /* numbers that one of them makes and has to keep */
    const char *key;                 /* the same for the same step of other turns */
} lh_cost_row;

/* A param or state, or the same one of every turn. */
typedef struct lh_given_row {
    const lh_given *given; /* the first that it stands for */
    const char *name;
    int repeat, times;
    lh_polynomial cells; /* of one of them */
    const char *key;
} lh_given_row;

typedef struct lh_bill {
    lh_graph *g;
    lh_arena *arena;
    lh_outline *outline; /* and the repeats */
    lh_cost_names *names;
    lh_given_row *param, *state;
    int n_params, n_states;
    lh_cost_row *row; /* forward, backward, update: each in the order of the program */
    int n_rows;
    lh_cost sum[LH_N_PHASES][LH_N_WHEN];         /* every turn counted */
    lh_polynomial parameters, gradients, states; /* numbers, every turn counted */
    lh_polynomial values[LH_N_WHEN];             /* numbers made, each kept in its own place */
} lh_bill;

/* The length of an input, in place of the longest example's. */
typedef struct lh_length {
    const char *input;
    size_t n;
} lh_length;

/* NULL and the context failed on error; g must outlive it */
lh_bill *lh_bill_new(lh_graph *g, const lh_length *length, int n_lengths);
void lh_bill_free(lh_bill *b); /* NULL is allowed */

#endif
