/* variant -- the same lesson in other numbers, kind to a pen, in which every mistake shows.
 *
 *     lh_program *p = lh_variant_program(ctx, lesson_program, &(lh_variant_how){.seed = 7, .digits = 4, .mistakes = m});
 *
 * Given matrices are drawn anew, one or two digits each, the same for the same seed. Of many draws the one is kept that is
 * kind (no ties, no zero rows, nothing saturated, ReLU cuts something) and hides the fewest mistakes. Seed 0 is the lesson's
 * own numbers.
 */
#ifndef LH_LEARN_VARIANT_H
#define LH_LEARN_VARIANT_H

#include "learn/mistakes.h"

typedef struct lh_variant_how {
    unsigned long long seed;
    int digits; /* of the sheet: a mistake shows when it moves an asked number by more than rounding can */
    const lh_mistakes *mistakes;
    /* NULL, or set to how many ways to go wrong were not tried: a large program has a bound */
    int *n_untried;
} lh_variant_how;

/* A row of the table mistake by step: does it show? */
typedef struct lh_shown {
    const lh_mistake *mistake;
    const char *step, *line; /* where it is made; in the arena given */
    int chosen;
    bool shows;
} lh_shown;

/* the caller frees it; NULL and the context failed on error */
lh_program *lh_variant_program(lh_context *ctx, const lh_program *lesson,
                               const lh_variant_how *how);
/* the table for a program as it stands */
lh_shown *lh_variant_shown(lh_context *ctx, const lh_program *p, const lh_variant_how *how,
                           lh_arena *a, int *n);

#endif
