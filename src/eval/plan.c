/* plan -- a plan is made: nodes are chosen, works are listed and ordered, memory is placed, the backend gets ready. */
#include "eval/plan.h"

#include <math.h>

/* ---- the lists of works ---- */

static void list_one(lh_plan *p, lh_stage stage, lh_node *n) {
    const lh_match *m = p->value[n->id].match;
    p->list[stage].work[p->list[stage].n++] =
        (lh_plan_work){.node = n,
                       .match = m,
                       .n_in = m ? m->n_leaves : n->n_in,
                       .sum = -1,
                       .is_once = p->value[n->id].is_once,
                       .is_last = p->grows && !p->prevents && n == p->g->generate->from};
}

/* A kernel that makes several values is one work, in the place of the first of them. */
static bool is_listed(lh_plan *p, const lh_node *n) {
    lh_match *m = p->value[n->id].match;
    if (!m) return false;
    bool was = m->is_listed;
    m->is_listed = true;
    return was;
}

static bool is_changing(const lh_plan_value *v) {
    return v->match && v->match->kernel->in_place;
}

static bool reserve_lists(lh_plan *p) {
    size_t most[LH_N_STAGES] = {0};
    for (int i = 0; i < p->n_nodes; i++) {
        const lh_plan_value *v = &p->value[i];
        most[LH_STAGE_COMMIT] += v->match && v->match->kernel->renews;
        if (v->role != MADE || (v->same && !is_changing(v))) continue;
        most[LH_STAGE_START] += v->is_static || v->at_start;
        most[LH_STAGE_RUN] += !v->is_static;
    }
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        p->list[stage].work =
            lh_alloc_array(p->arena, most[stage] + 1, sizeof *p->list[stage].work);
    return !lh_failed(p->g->ctx);
}

static bool list_work(lh_plan *p) {
    if (!reserve_lists(p)) return false;
    for (int i = 0; i < p->n_nodes; i++) {
        const lh_plan_value *v = &p->value[i];
        lh_node *n = p->g->node[i];
        bool renews = v->match && v->match->kernel->renews;
        if (v->role != MADE || (v->same && !renews && !is_changing(v)) || is_listed(p, n)) continue;
        if (renews) list_one(p, LH_STAGE_COMMIT, n);
        if (!renews && (v->is_static || v->at_start)) list_one(p, LH_STAGE_START, n);
        if (!renews && !v->is_static) list_one(p, LH_STAGE_RUN, n);
    }
    return !(p->kernels || p->shares_memory || p->n_sums || p->recomputes) || lh_plan_order(p);
}

/* ---- numbers that are there from the beginning ---- */

static void fill_leaf(lh_plan *p, const lh_node *n) {
    const lh_layout *to = lh_layout_of(p, n, 0);
    if (n->kind != LH_OP_runtime)
        p->by->write(p, to, n->kind == LH_OP_matrix ? n->cells : &n->number);
}

static bool fill_leaves(lh_plan *p) {
    for (int i = 0; i < p->n_nodes && !p->is_sketch; i++) {
        lh_node *n = p->g->node[i];
        if (p->value[i].role != LEAF || p->value[i].same) continue;
        fill_leaf(p, n);
        if (n->kind == LH_OP_runtime) *lh_push(p->arena, p->runtime, p->n_runtime) = n;
    }
    p->runtime_is = lh_alloc_array(p->arena, (size_t)p->n_runtime + 1, sizeof *p->runtime_is);
    for (int i = 0; p->runtime_is && i < p->n_runtime; i++) p->runtime_is[i] = NAN;
    return !lh_failed(p->g->ctx);
}

/* ---- a plan ---- */

static bool read_sums(lh_plan *p, const lh_wish *wish) {
    p->sum = lh_alloc_array(p->arena, (size_t)wish->n_sums + 1, sizeof *p->sum);
    p->sum_layout = lh_alloc_array(p->arena, (size_t)wish->n_sums + 1, sizeof *p->sum_layout);
    if (!p->sum || !p->sum_layout) return false;
    p->n_sums = wish->n_sums;
    for (int i = 0; i < wish->n_sums; i++) ((lh_node **)p->sum)[i] = wish->sum[i];
    if (wish->n_sums == 0 || p->by->adds_up) return true;
    lh_fail(p->g->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
            "the evaluator %s cannot run a batch in parts", p->by->name);
    lh_cure(p->g->ctx, "run the batch as a whole");
    return false;
}

static bool make(lh_plan *p, const lh_wish *wish) {
    p->value = lh_alloc_array(p->arena, (size_t)p->n_nodes + 1, sizeof *p->value);
    if (!p->value || !read_sums(p, wish) || !lh_plan_choose(p, wish)) return false;
    if ((p->grows && !lh_plan_grow(p)) || !lh_plan_place_fixed(p) || !list_work(p)) return false;
    if (p->by->shorten && p->kernels) p->by->shorten(p);
    lh_plan_layouts_fixed(p, false);
    return fill_leaves(p) && p->by->open(p, wish) && (p->is_sketch || p->by->ready(p, false));
}

lh_plan *lh_plan_new(lh_graph *g, const lh_wish *wish, const lh_backend *by) {
    if (lh_failed(g->ctx)) return NULL;
    lh_arena *arena = lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_plan *p = lh_alloc(arena, sizeof *p);
    *p = (lh_plan){.g = g, .arena = arena, .by = by, .n_nodes = g->n_nodes};
    p->kernels = wish->by_definition ? NULL : by->kernels;
    p->shares_memory = by->shares_memory && !wish->all;
    p->updates = wish->updates || wish->all;
    p->grows = wish->grows;
    p->borrows = wish->borrows;
    p->recomputes = wish->recomputes;
    p->is_sketch = wish->is_sketch;
    p->moment.training = 1;
    if (make(p, wish) && !lh_failed(g->ctx)) return p;
    lh_plan_free(p);
    return NULL;
}

void lh_plan_free(lh_plan *p) {
    if (!p) return;
    lh_context *ctx = p->g->ctx;
    p->by->close(p);
    for (int i = 0; i < LH_N_BUFFERS; i++) p->by->give_back(ctx, p->memory[i]);
    ctx->release(p->size);
    ctx->release(p->layouts);
    ctx->release(p->example);
    ctx->release(p->placed);
    lh_arena_free(p->arena);
}
