/* outline -- the steps that a reader is shown, the nodes that stand in their formulas, and the repeats they stand in.
 *
 *     lh_outline *o = lh_outline_new(g, arena);
 *     lh_step **from;
 *     int n = lh_outline_reads(o, step, &from);         Z = S / sqrt(cols(K)) reads S
 *     lh_home h = lh_outline_home(o, step);             h[3].X is `next X` in turn 2 of h
 *
 * Shown are the lines of the program, the gradients of its names and its updates; lines inside calls and rules belong to the
 * step that calls, but for gradients that several shown steps read. Everything lies in the arena given.
 */
#ifndef LH_EXPLAIN_OUTLINE_H
#define LH_EXPLAIN_OUTLINE_H

#include "graph/graph.h"

typedef enum lh_phase { LH_FORWARD, LH_BACKWARD, LH_UPDATE, LH_WHOLE, LH_N_PHASES } lh_phase;

/* A repeat of the program. */
typedef struct lh_turns {
    const char *name; /* h */
    int outer;        /* the repeat around it, or -1 */
    int n;            /* turns */
    int axis;         /* the size that says how many, or -1: a number */
    const lh_statement *from;
} lh_turns;

/* Where a name stands in the program's text. */
typedef struct lh_home {
    int repeat;               /* or -1 */
    int turn;                 /* of that repeat, from 0 */
    const lh_scope *turns_in; /* the scope around that repeat, or NULL */
    const char *name;         /* there: Q, next X, dX.A, WO := */
    const char *key;          /* the same for the same line of other turns */
} lh_home;

typedef struct lh_outline {
    lh_graph *g;
    lh_arena *arena;
    bool *is_needed;       /* for each node: some step reads it */
    bool *leads_to_update; /* some := reads it */
    bool *is_behind;       /* it reads a gradient that `backward` made */
    bool *is_shared;       /* several shown steps read it */
    bool *is_shown;        /* for each step */
    bool *is_plain;        /* it is made of numbers and sizes alone */
    lh_step **owner;       /* the shown step in whose formula it stands, or NULL */
    int backward_at;       /* the first node of the gradients, or -1 */
    lh_turns *repeat;
    int n_repeats;
    int *seen_node, *seen_step, mark; /* scratch of lh_outline_reads */
    const lh_node **stack;
    int n_stack;
} lh_outline;

lh_outline *lh_outline_new(lh_graph *g, lh_arena *a); /* NULL and the context failed on error */
bool lh_outline_shows(const lh_outline *o, const lh_step *s);
/* forward, backward, or what comes after it */
lh_phase lh_outline_phase(const lh_outline *o, const lh_step *s);
lh_home lh_outline_home(lh_outline *o, const lh_step *s);
const lh_scope *lh_repeat_around(const lh_scope *s); /* the innermost, or NULL */
/* the shown steps, givens and inputs whose numbers its formula needs */
int lh_outline_reads(lh_outline *o, const lh_step *s, lh_step ***from);

#endif
