#include "learn/effect.h"

#include <math.h>
#include <string.h>

#include "explain/trace.h"

static lh_graph *build(lh_context *own, lh_graph *g, const lh_candidate *c) {
    lh_build how = g->how;
    how.rewrite = c->rewrite;
    how.n_rewrites = c->n_rewrites;
    own->read_file = g->ctx->read_file;
    own->read_file_who = g->ctx->read_file_who;
    return lh_graph_build(own, g->program, &how);
}

void lh_effect_free(lh_effect *e) {
    if (!e) return;
    lh_context *ctx = e->ctx;
    lh_exact.free(e->plan);
    lh_graph_free(e->g);
    ctx->release(e);
    lh_context_free(ctx);
}

/* Different by more than the dust of another order of adding up. */
static bool is_other(double a, double b, double scale) {
    if (isnan(a) || isnan(b)) return isnan(a) != isnan(b);
    if (isinf(a) || isinf(b)) return a != b;
    return fabs(a - b) > 1e-11 * scale;
}

static double scale_of(const lh_plan *p, const lh_node *n, int example) {
    lh_sizes z = lh_exact.sizes(p, n, example);
    double most = 0;
    for (int h = 0; h < z.heads; h++)
        for (int r = 0; r < z.rows; r++)
            for (int c = 0; c < z.cols; c++) {
                double x = fabs(lh_exact.get(p, n, (lh_cell){example, h, r, c}));
                if (isfinite(x) && x > most) most = x;
            }
    return most;
}

bool lh_effect_differs(const lh_effect *e, const lh_plan *right, const lh_step *s, lh_cell *at) {
    const lh_step *other = lh_graph_step(e->g, s->path);
    const lh_node *n = s->node;
    *at = (lh_cell){0, 0, 0, 0};
    if (!other || !lh_exact.has(e->plan, other->node) || !lh_exact.has(right, n)) return false;
    if (n->shape.is_batched != other->node->shape.is_batched) return true;
    int examples = n->shape.is_batched ? lh_exact.examples(right) : 1;
    for (at->example = 0; at->example < examples; at->example++) {
        lh_sizes a = lh_exact.sizes(right, n, at->example),
                 b = lh_exact.sizes(e->plan, other->node, at->example);
        if (a.rows != b.rows || a.cols != b.cols || a.heads != b.heads) return true;
        double scale =
            scale_of(right, n, at->example) + scale_of(e->plan, other->node, at->example);
        for (at->head = 0; at->head < a.heads; at->head++)
            for (at->row = 0; at->row < a.rows; at->row++)
                for (at->col = 0; at->col < a.cols; at->col++)
                    if (is_other(lh_exact.get(right, n, *at),
                                 lh_exact.get(e->plan, other->node, *at), scale))
                        return true;
    }
    return false;
}

static bool has_cell(const lh_effect *e, const lh_plan *right, const lh_step *s, lh_cell at) {
    const lh_node *n = s->node, *other = lh_graph_step(e->g, s->path)->node;
    lh_sizes a = lh_exact.sizes(right, n, at.example),
             b = lh_exact.sizes(e->plan, other, at.example);
    return n->shape.is_batched == other->shape.is_batched && a.rows == b.rows && a.cols == b.cols &&
           a.heads == b.heads;
}

static void find_first(lh_effect *e, lh_graph *g, const lh_plan *right) {
    lh_trace *t = lh_trace_new(g, &(lh_trace_how){NULL, true});
    for (int i = 0; t && i < t->n_items && !e->step; i++) {
        const lh_step *s = t->item[i].step;
        if (t->item[i].section == LH_SECTION_GIVEN || !lh_effect_differs(e, right, s, &e->at))
            continue;
        e->step = s;
        e->is_other_shape = !has_cell(e, right, s, e->at);
        if (e->is_other_shape) break;
        e->should_be = lh_exact.get(right, s->node, e->at);
        e->is = lh_exact.get(e->plan, lh_graph_step(e->g, s->path)->node, e->at);
    }
    lh_trace_free(t);
}

lh_effect *lh_effect_new(lh_graph *g, const lh_plan *right, const lh_candidate *c) {
    lh_context *own = lh_failed(g->ctx) ? NULL : lh_context_new();
    lh_effect *e = own ? own->alloc(sizeof *e) : NULL;
    if (!e) {
        lh_context_free(own);
        return NULL;
    }
    *e = (lh_effect){.ctx = own};
    e->g = build(own, g, c);
    e->plan = e->g ? lh_exact.plan(e->g, &(lh_wish){.all = true}) : NULL;
    if (e->plan) lh_exact.start(e->plan), lh_exact.bind(e->plan, NULL, 0), lh_exact.run(e->plan);
    if (e->plan && !lh_failed(own)) find_first(e, g, right);
    if (e->plan && !lh_failed(own)) return e;
    lh_effect_free(e);
    return NULL;
}

bool lh_effect_formula(lh_graph *g, const lh_candidate *c, lh_arena *a, lh_changed *out) {
    lh_context *own = lh_context_new();
    lh_graph *wrong = own ? build(own, g, c) : NULL;
    const char *path = c->rewrite[0].path;
    const lh_step *should = lh_graph_step(g, path), *is = wrong ? lh_graph_step(wrong, path) : NULL;
    if (should && is)
        *out =
            (lh_changed){lh_printf(a, "%s", path), lh_printf(a, "%s", lh_step_formula(g, should)),
                         lh_printf(a, "%s", lh_step_formula(wrong, is))};
    lh_graph_free(wrong);
    lh_context_free(own);
    return should && is;
}

/* ---- which of several ---- */

static bool is_at(const lh_candidate *c, const char *step) {
    const char *path = c->rewrite[0].path;
    return !*step || strcmp(c->step->path, step) == 0 || strcmp(c->step->name, step) == 0 ||
           strcmp(c->line->path, step) == 0 || strcmp(path, step) == 0;
}

lh_effect *lh_effect_choose(lh_graph *g, const lh_plan *right, const lh_mistake *m,
                            const char *step, const lh_candidate *c, int n,
                            const lh_candidate **how) {
    lh_effect *hidden = NULL;
    for (int i = 0; i < n && !lh_failed(g->ctx); i++) {
        if (c[i].mistake != m || !is_at(&c[i], step)) continue;
        lh_effect *e = lh_effect_new(g, right, &c[i]);
        if (e && e->step) {
            lh_effect_free(hidden);
            *how = &c[i];
            return e;
        }
        if (e && !hidden)
            hidden = e, *how = &c[i];
        else
            lh_effect_free(e);
    }
    return hidden;
}
