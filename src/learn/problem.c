#include "learn/problem.h"
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lh_problems *lh_problems_new(lh_arena *a) {
    lh_problems *all = lh_alloc(a, sizeof *all);
    all->arena = a;
    return all;
}

/* An error is larger than what an arena without memory still gives. */
static lh_problem *problem_new(lh_problems *all, bool is_warning) {
    lh_problem *p = lh_alloc(all->arena, sizeof *p);
    if (!p) return NULL;
    p->is_warning = is_warning;
    *lh_push(all->arena, all->problem, all->n) = p;
    all->n_errors += !is_warning;
    return p;
}

static void fill(lh_problem *p, lh_error_kind kind, lh_place at, const char *what, va_list args) {
    if (!p) return;
    p->error.kind = kind;
    p->error.at = at;
    lh_vformat(p->error.what, sizeof p->error.what, what, args);
}

void lh_problem_add(lh_problems *all, lh_error_kind kind, lh_place at, const char *what, ...) {
    va_list args;
    va_start(args, what);
    fill(problem_new(all, false), kind, at, what, args);
    va_end(args);
}

void lh_problem_warn(lh_problems *all, lh_place at, const char *what, ...) {
    va_list args;
    va_start(args, what);
    fill(problem_new(all, true), LH_ERROR_TEXT, at, what, args);
    va_end(args);
}

void lh_problem_cure(lh_problems *all, const char *cure, ...) {
    if (all->n == 0) return;
    lh_error *e = &all->problem[all->n - 1]->error;
    va_list args;
    va_start(args, cure);
    lh_vformat(e->cure, sizeof e->cure, cure, args);
    va_end(args);
}

bool lh_problems_take(lh_problems *all, lh_context *ctx, lh_place at) {
    if (!lh_failed(ctx) || lh_context_error(ctx)->kind == LH_ERROR_MEMORY) return false;
    lh_error e = *lh_context_error(ctx);
    lh_context_clear(ctx);
    lh_problem *p = problem_new(all, false);
    if (!p) return false;
    p->error = e;
    if (e.at.line == 0) p->error.at = at;
    return true;
}

static int by_place(const void *a, const void *b) {
    const lh_place *x = &(*(lh_problem *const *)a)->error.at,
                   *y = &(*(lh_problem *const *)b)->error.at;
    return x->line != y->line ? (x->line < y->line ? -1 : 1)
                              : (x->col > y->col) - (x->col < y->col);
}

void lh_problems_sort(lh_problems *all) {
    if (all->n) qsort(all->problem, (size_t)all->n, sizeof(lh_problem *), by_place);
}

void lh_problems_fail(const lh_problems *all, lh_context *ctx, const char *file, const char *text,
                      size_t length) {
    for (int i = 0; i < all->n && !lh_failed(ctx); i++) {
        const lh_error *e = &all->problem[i]->error;
        if (all->problem[i]->is_warning) continue;
        lh_fail(ctx, e->kind, e->at, "%s", e->what);
        if (e->cure[0]) lh_cure(ctx, "%s", e->cure);
        if (!e->file[0]) {
            lh_fail_in(ctx, file, text, length);
            return;
        }
        snprintf(ctx->error.file, sizeof ctx->error.file, "%s", e->file);
        snprintf(ctx->error.source, sizeof ctx->error.source, "%s", e->source);
        ctx->error.source_col = e->source_col;
    }
}
