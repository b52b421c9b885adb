/* problem -- everything that is wrong with a text, not the first thing alone.
 *
 *     lh_problems *all = lh_problems_new(arena);
 *     lh_problem_add(all, LH_ERROR_TEXT, at, "there is no show verb `heet`");
 *     lh_problem_cure(all, "did you mean heat?");
 *     lh_problems_take(all, ctx, at);                the context's error, if it has one, moves here
 *     lh_problems_fail(all, ctx);                    the first of them becomes the context's error
 *
 * The context keeps one error, and one is enough to refuse a lesson. A writer wants the whole list.
 */
#ifndef LH_LEARN_PROBLEM_H
#define LH_LEARN_PROBLEM_H

#include "base/context.h"

typedef struct lh_problem {
    lh_error error;  /* file "" where it is the lesson's own */
    bool is_warning; /* worth a look; the lesson works all the same */
} lh_problem;

typedef struct lh_problems {
    lh_arena *arena;
    lh_problem **problem; /* as they were found; lh_problems_sort puts them in the text's order */
    int n, n_errors;
} lh_problems;

lh_problems *lh_problems_new(lh_arena *a);
void lh_problem_add(lh_problems *all, lh_error_kind kind, lh_place at, const char *what, ...)
    __attribute__((format(printf, 4, 5)));
void lh_problem_warn(lh_problems *all, lh_place at, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
/* of the last one added */
void lh_problem_cure(lh_problems *all, const char *cure, ...) __attribute__((format(printf, 2, 3)));
/* the context is clear again; at: where it is when the error does not say. Memory that ran out stays */
bool lh_problems_take(lh_problems *all, lh_context *ctx, lh_place at);
void lh_problems_sort(lh_problems *all);
/* warnings are no reason */
void lh_problems_fail(const lh_problems *all, lh_context *ctx, const char *file, const char *text,
                      size_t length);

#endif
