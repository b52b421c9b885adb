/* effect -- a program with one mistake made in it, beside the right one.
 *
 *     lh_effect *e = lh_effect_new(g, right, &candidate);      NULL: the program cannot be built or run that way
 *     if (e->step) ... e->at, e->is, e->should_be               the first number that differs, in the order of the trace
 *     lh_effect_free(e);
 */
#ifndef LH_LEARN_EFFECT_H
#define LH_LEARN_EFFECT_H

#include "eval/exact.h"
#include "learn/mistakes.h"

typedef struct lh_effect {
    lh_context *ctx; /* of its own: a program that cannot be built is no error */
    lh_graph *g;     /* with the mistake made */
    lh_plan *plan;
    const lh_step *step; /* in the right program: where the numbers first differ, or NULL */
    lh_cell at;
    double should_be, is;
    bool is_other_shape; /* the step has other rows or columns: there is no cell to compare */
} lh_effect;

lh_effect *lh_effect_new(lh_graph *g, const lh_plan *right, const lh_candidate *c);
void lh_effect_free(lh_effect *e);
/* Of n candidates those that make mistake m, in this step (or line) alone where it is not "": the first that changes a number, else the first
 * that can be worked out. NULL: there is none. *how: which one it was. */
lh_effect *lh_effect_choose(lh_graph *g, const lh_plan *right, const lh_mistake *m,
                            const char *step, const lh_candidate *c, int n,
                            const lh_candidate **how);
/* does this step? at: its first cell that does */
bool lh_effect_differs(const lh_effect *e, const lh_plan *right, const lh_step *s, lh_cell *at);

/* What a mistake makes of a formula: the line it changes, as it should be and as it was made. */
typedef struct lh_changed {
    const char *line;          /* Z; P.y */
    const char *right, *wrong; /* S / sqrt(cols(K)); S */
} lh_changed;
/* false: it cannot be built */
bool lh_effect_formula(lh_graph *g, const lh_candidate *c, lh_arena *a, lh_changed *out);

#endif
