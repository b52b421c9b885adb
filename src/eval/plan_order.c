/* plan_order -- the order of works, when each value is needed, and which values can lie in the same place because they are not needed together.
 *
 *     work      0    1    2    3    4
 *     A         ■────■                      A is made by work 0 and last read by work 1
 *     B              ■─────────■            B may not lie where A lies: work 1 reads A and makes B
 *     C                   ■────■            C may
 *
 * A value that is made twice (plan_again.c) needs its place twice, and between that others have it.
 */
#include "eval/plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- order: operands before their users, otherwise as the program has it ---- */

typedef struct ordering {
    lh_plan *p;
    lh_plan_work *from, *to;
    int *maker;  /* of each node: its work in `from`, or -1 */
    char *state; /* of each work: 0 not yet, 1 on its way, 2 done */
    int n;
    bool is_circle;
} ordering;

static void put(ordering *o, int k);

/* The last that changes it, where a value was made of another in place; -1: none makes it. */
int lh_plan_maker(const lh_plan *p, const int *maker, const lh_node *n) {
    while (maker[n->id] < 0) {
        const lh_plan_value *v = &p->value[n->id];
        if (!v->same && v->role != VIEW) return -1;
        n = v->same ? v->same : n->in[0];
    }
    return maker[n->id];
}

static void put_maker(ordering *o, const lh_node *n) {
    int k = lh_plan_maker(o->p, o->maker, n);
    if (k >= 0) put(o, k);
}

static void put(ordering *o, int k) {
    if (o->state[k] == 2) return;
    if (o->state[k] == 1) {
        o->is_circle = true;
        return;
    }
    o->state[k] = 1;
    const lh_plan_work *w = &o->from[k];
    for (int i = 0; i < w->n_in; i++)
        if (lh_plan_reads(w, i)) put_maker(o, lh_plan_operand(w, i));
    o->state[k] = 2;
    o->to[o->n++] = o->from[k];
}

void lh_plan_find_makers(const lh_plan *p, int *maker) {
    const lh_plan_list *run = &p->list[LH_STAGE_RUN];
    for (int i = 0; i < p->n_nodes; i++) maker[i] = -1;
    for (int k = 0; k < run->n; k++) {
        const lh_plan_work *w = &run->work[k];
        if (w->sum >= 0) continue; /* it adds up what another made */
        maker[w->node->id] = k;
        for (int i = 0; w->match && i < w->match->n_outs; i++)
            if (w->match->out[i]) maker[w->match->out[i]->id] = k;
    }
}

static bool add_up(lh_plan *p, int i, lh_plan_list *to) {
    lh_match *m = lh_alloc(p->arena, sizeof *m);
    *m = (lh_match){.kernel = p->by->adds_up, .leaf = {p->sum[i]}, .n_leaves = 1};
    to->work[to->n++] = (lh_plan_work){.node = p->sum[i], .match = m, .n_in = 1, .sum = i};
    return !lh_failed(p->g->ctx);
}

/* Behind the work that makes a value its adding up: then its memory is free for others. */
static bool add_sums(lh_plan *p, const int *maker) {
    const lh_plan_list *run = &p->list[LH_STAGE_RUN];
    if (!p->n_sums) return true;
    const size_t most = (size_t)run->n + (size_t)p->n_sums + 1;
    lh_plan_list all = {lh_alloc_array(p->arena, most, sizeof *all.work), 0};
    for (int k = 0; all.work && k < run->n; k++) {
        all.work[all.n++] = run->work[k];
        for (int i = 0; i < p->n_sums; i++)
            if (lh_plan_maker(p, maker, p->sum[i]) == maker[run->work[k].node->id] &&
                !add_up(p, i, &all))
                return false;
    }
    p->list[LH_STAGE_RUN] = all;
    return all.work != NULL;
}

static void is_made(lh_plan_value *v, int k, bool is_again) {
    if (is_again)
        v->again = v->until = k;
    else if (v->first < 0)
        v->first = v->last = k;
}

static void is_read(const lh_plan *p, const lh_node *n, int k) {
    lh_plan_value *v = (lh_plan_value *)lh_plan_owner(p, n);
    *(v->again < 0 ? &v->last : &v->until) = k;
}

/* From which work to which a value is needed. */
static void find_spans(lh_plan *p) {
    const lh_plan_list *run = &p->list[LH_STAGE_RUN], *commit = &p->list[LH_STAGE_COMMIT];
    for (int i = 0; i < p->n_nodes; i++) {
        lh_plan_value *v = &p->value[i];
        v->first = v->last = v->again = v->until = -1;
    }
    for (int k = 0; k < run->n + commit->n; k++) {
        const lh_plan_work *w = k < run->n ? &run->work[k] : &commit->work[k - run->n];
        for (int i = 0; i < w->n_in; i++)
            if (lh_plan_reads(w, i)) is_read(p, lh_plan_operand(w, i), k);
        is_made(&p->value[w->node->id], k, w->is_again);
        for (int i = 0; w->match && i < w->match->n_outs; i++)
            if (w->match->out[i]) is_made(&p->value[w->match->out[i]->id], k, w->is_again);
    }
    for (int i = 0; i < p->g->n_givens; i++) { /* copied when := is carried out */
        const lh_given *given = p->g->given[i];
        if (given->renewed) is_read(p, given->renewed, run->n + commit->n);
    }
}

bool lh_plan_order(lh_plan *p) {
    lh_plan_list *run = &p->list[LH_STAGE_RUN];
    const size_t n = (size_t)run->n;
    ordering o = {.p = p, .from = run->work};
    o.to = lh_alloc_array(p->arena, n + 1, sizeof *o.to);
    o.maker = lh_alloc_array(p->arena, (size_t)p->n_nodes + 1, sizeof *o.maker);
    o.state = lh_alloc_array(p->arena, n + 1, 1);
    if (!o.to || !o.maker || !o.state) return false;
    memset(o.state, 0, n + 1);
    lh_plan_find_makers(p, o.maker);
    for (int k = 0; k < run->n; k++) put(&o, k);
    if (o.is_circle) {
        lh_fail(p->g->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
                "the kernels depend on each other in a circle");
        return false;
    }
    run->work = o.to;
    if (!add_sums(p, o.maker) || (p->recomputes && !lh_plan_again(p))) return false;
    find_spans(p);
    return true;
}

/* ---- places ---- */

typedef struct piece {
    size_t from, to; /* cells of the pool */
    const lh_plan_value *of;
} piece;

static size_t cells_of(const lh_plan *p, const lh_node *n) {
    double cells = 0;
    for (int e = 0; e < (n->shape.is_batched ? p->examples : 1); e++) {
        lh_sizes s = lh_plan_sizes(p, n, e);
        cells += (double)s.heads * s.rows * s.cols;
    }
    if (cells > (double)LH_MAX_CELLS) return LH_MAX_CELLS;
    return (lh_plan_room(&p->value[n->id], (size_t)cells) + 15) / 16 * 16;
}

/* Works for which memory rests behind the last that reads it. */
static int rests(const lh_plan *p) {
    return p->grows ? p->by->rests : p->by->rests_of_batch;
}

/* Are both needed at some work, in one of their lives? */
static bool meet(const lh_plan *p, const lh_plan_value *a, const lh_plan_value *b) {
    const int from_a[] = {a->first, a->again}, to_a[] = {a->last + rests(p), a->until + rests(p)},
              from_b[] = {b->first, b->again}, to_b[] = {b->last + rests(p), b->until + rests(p)};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (from_a[i] >= 0 && from_b[k] >= 0 && from_a[i] <= to_b[k] && from_b[k] <= to_a[i])
                return true;
    return false;
}

/* The smallest gap between pieces that are needed with v that is large enough; behind the last one else. */
static size_t find_gap(const lh_plan *p, const piece *used, int n, const lh_plan_value *v,
                       size_t cells) {
    size_t best = 0, at = p->n_lasting, where = 0;
    bool is_found = false;
    for (int i = 0; i < n; i++) {
        if (!meet(p, used[i].of, v)) continue;
        const size_t gap = used[i].from > at ? used[i].from - at : 0;
        if (gap >= cells && (!is_found || gap < best)) best = gap, where = at, is_found = true;
        if (used[i].to > at) at = used[i].to;
    }
    return is_found ? where : at;
}

/* Those that are never needed again go; the others stay in the order of their places. */
static int free_pieces(const lh_plan *p, piece *used, int n, int now) {
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (used[i].of->last + rests(p) >= now || used[i].of->until + rests(p) >= now)
            used[kept++] = used[i];
    return kept;
}

static int put_piece(piece *used, int n, piece new) {
    int at = n;
    for (; at > 0 && used[at - 1].from > new.from; at--) used[at] = used[at - 1];
    used[at] = new;
    return n + 1;
}

static int by_first(const void *a, const void *b) {
    const lh_plan_value *x = *(lh_plan_value *const *)a, *y = *(lh_plan_value *const *)b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first) : (x > y) - (x < y);
}

size_t lh_plan_place_pool(lh_plan *p) {
    lh_context *ctx = p->g->ctx;
    lh_plan_value **list = ctx->alloc(((size_t)p->n_nodes + 1) * sizeof(lh_plan_value *));
    piece *used = ctx->alloc(((size_t)p->n_nodes + 1) * sizeof *used);
    size_t end = p->n_lasting;
    int n = 0, n_used = 0;
    for (int i = 0; list && i < p->n_nodes; i++)
        if (lh_plan_is_pooled(p, &p->value[i]) && p->value[i].first >= 0) list[n++] = &p->value[i];
    if (list) qsort(list, (size_t)n, sizeof(lh_plan_value *), by_first);
    for (int i = 0; list && used && i < n; i++) {
        lh_plan_value *v = list[i];
        size_t cells = cells_of(p, p->g->node[v - p->value]);
        n_used = free_pieces(p, used, n_used, v->first);
        v->pool = find_gap(p, used, n_used, v, cells);
        const size_t to = lh_cells_sum(v->pool, cells);
        n_used = put_piece(used, n_used, (piece){v->pool, to, v});
        if (to > end) end = to;
    }
    if (!list || !used)
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory for the plan");
    ctx->release(list);
    ctx->release(used);
    return end;
}
