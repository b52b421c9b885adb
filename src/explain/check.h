/* check -- does a program say what it means? Its gradients, its numbers and its rules, each against something else.
 *
 *     lh_check *c = lh_check_program(ctx, program, &(lh_build){.set = ...});
 *     for (int i = 0; i < c->n_findings; i++) ... c->finding[i].step, .error, .limit, .ok
 *     lh_check_free(c);
 *
 * Checked at the start values and, where the program learns, once more after one step of training. A finding is one step
 * looked at in one way; printing is the caller's. Every error is relative and stands beside the limit it is judged by.
 *
 * Differences are taken in the wide evaluator, where a gradient of 1e-25 can still be seen. Where a one-sided difference
 * disagrees with the other (relu at exactly 0, two largest in a row) there is no gradient to compare with: such cells
 * are counted as kinks, not as errors. Where there are too many cells for the time, a sample of them is checked (the same
 * one every time) and, with one more difference, all of them together along a random direction.
 */
#ifndef LH_EXPLAIN_CHECK_H
#define LH_EXPLAIN_CHECK_H

#include "eval/exact.h"

typedef enum lh_check_kind {
    LH_CHECK_NUMBERS,     /* no nan, no infinity that was not written down */
    LH_CHECK_SOFTMAX,     /* every row of a softmax sums to 1 */
    LH_CHECK_WIDE,        /* the value in double against the wide evaluator */
    LH_CHECK_DIFFERENCES, /* the gradient against differences of the loss */
    LH_CHECK_RULES,       /* the gradient by rules against the one by differentiated bodies */
    LH_CHECK_BY_HAND,     /* a gradient that the program makes itself against the true one */
    LH_N_CHECKS
} lh_check_kind;

typedef struct lh_finding {
    lh_check_kind kind;
    const char *step;  /* what was checked: dWQ, P */
    const char *where; /* the cell with the largest error, or NULL: dWQ{example 1}[0][2] */
    int moment;        /* 0: at the start, 1: after one step of training */
    long checked;      /* cells looked at ... */
    long cells;        /* ... of so many */
    long kinks;        /* of those looked at: no gradient there */
    double error;      /* the largest, relative */
    double limit;
    double got, want; /* the two numbers in that cell */
    bool ok;
    const char *why; /* in words, when it is not ok, or something to know; or NULL */
    lh_place at;     /* where the step stands in the program */
} lh_finding;

typedef struct lh_check {
    lh_arena *arena;
    const char *loss;  /* what the gradients are gradients of, or NULL */
    const char *rules; /* the rules in use: "softmax, nll(softmax)", or NULL */
    bool learns;       /* it was looked at after one step of training too */
    lh_finding *finding;
    int n_findings;
    long evaluations; /* runs for differences */
    bool ok;          /* all of them */
} lh_check;

/* NULL and the context failed when it cannot be run */
lh_check *lh_check_program(lh_context *ctx, const lh_program *p, const lh_build *how);
void lh_check_free(lh_check *c); /* NULL is allowed */

#endif
