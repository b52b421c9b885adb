/* sheet -- which steps are asked, to how many decimals, and the right numbers. */
#include <math.h>
#include <string.h>

#include "explain/trace.h"
#include "learn/mark.h"
#include "learn/reach.h"

int lh_decimals_for(const lh_plan *p, const lh_node *n, int digits) {
    double most = 0;
    int examples = n->shape.is_batched ? lh_exact.examples(p) : 1;
    for (int e = 0; e < examples; e++) {
        lh_sizes s = lh_exact.sizes(p, n, e);
        for (int h = 0; h < s.heads; h++)
            for (int r = 0; r < s.rows; r++)
                for (int c = 0; c < s.cols; c++) {
                    double x = fabs(lh_exact.get(p, n, (lh_cell){e, h, r, c}));
                    if (isfinite(x) && x > most) most = x;
                }
    }
    int decimals = most > 0 ? digits - 1 - (int)floor(log10(most)) : digits;
    return decimals < 0                     ? 0
           : decimals > 15                  ? 15
           : decimals < digits && most < 10 ? digits
                                            : decimals;
}

static void ask(lh_sheet *s, lh_step *step) {
    int n = lh_count_cells(s->plan, step->node);
    for (int i = 0; i < s->n_asks; i++)
        if (s->ask[i].step == step) return;
    *(lh_ask *)lh_push(s->arena, (void **)&s->ask, &s->n_asks, sizeof(lh_ask)) =
        (lh_ask){.step = step,
                 .decimals = lh_decimals_for(s->plan, step->node, s->digits),
                 .first = s->n_cells,
                 .n_cells = n};
    s->n_cells += n;
}

enum { MOST_DECIMALS = 9 };

/* Asked are steps with numbers that a person works out: not tokens, not the 1 that a gradient begins with, and not what is
 * too small for a pen (Example 6 at width 2 has gradients of 1e-25). */
static bool is_work(const lh_sheet *sheet, const lh_step *s) {
    return s->node->kind != LH_OP_number && !s->node->is_discrete &&
           lh_decimals_for(sheet->plan, s->node, sheet->digits) <= MOST_DECIMALS;
}

static bool is_named(const lh_sheet_how *how, const lh_step *s) {
    for (int i = 0; i < how->n_steps; i++)
        if (strcmp(how->steps[i], s->path) == 0 || strcmp(how->steps[i], s->name) == 0) return true;
    return how->n_steps == 0;
}

lh_sheet *lh_sheet_new(lh_graph *g, const lh_sheet_how *how) {
    lh_arena *arena = lh_failed(g->ctx) ? NULL : lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_sheet *s = lh_alloc(arena, sizeof *s);
    *s = (lh_sheet){.g = g, .arena = arena, .digits = how->digits ? how->digits : 4};
    s->plan = lh_exact.plan(g, &(lh_wish){.all = true});
    if (s->plan) lh_exact.start(s->plan), lh_exact.bind(s->plan, NULL, 0), lh_exact.run(s->plan);
    for (int i = 0; i < how->n_steps; i++)
        lh_graph_find(g, how->steps[i]); /* a step that is not there is an error */
    lh_trace *t =
        lh_failed(g->ctx) ? NULL : lh_trace_new(g, &(lh_trace_how){NULL, how->n_steps > 0});
    for (int i = 0; t && i < t->n_items; i++) {
        lh_step *step = t->item[i].step;
        if (t->item[i].section != LH_SECTION_GIVEN && is_named(how, step) &&
            (how->n_steps || is_work(s, step)))
            ask(s, step);
    }
    lh_trace_free(t);
    if (!lh_failed(g->ctx)) return s;
    lh_sheet_free(s);
    return NULL;
}

void lh_sheet_free(lh_sheet *s) {
    if (!s) return;
    lh_reach_free(s->reach);
    lh_exact.free(s->plan);
    lh_arena_free(s->arena);
}

lh_cell lh_sheet_cell(const lh_sheet *s, int i, int k) {
    const lh_node *n = s->ask[i].step->node;
    for (int e = 0;; e++) {
        lh_sizes z = lh_exact.sizes(s->plan, n, e);
        int cells = z.heads * z.rows * z.cols;
        if (k < cells) return (lh_cell){e, k / (z.rows * z.cols), k / z.cols % z.rows, k % z.cols};
        k -= cells;
    }
}

double lh_sheet_exact(const lh_sheet *s, int i, int k) {
    return lh_exact.get(s->plan, s->ask[i].step->node, lh_sheet_cell(s, i, k));
}

lh_answers *lh_answers_new(lh_arena *a, const lh_sheet *s) {
    lh_answers *x = lh_alloc(a, sizeof *x);
    x->cell = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *x->cell);
    x->other_shape = lh_alloc_array(a, (size_t)s->n_asks + 1, sizeof *x->other_shape);
    return x;
}
