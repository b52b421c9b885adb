#include "train/batch_parts.h"

#include <math.h>
#include <string.h>

#include "eval/plan.h"
#include "train/floats.h"
#include "train/shares.h"
#include "train/sums_wire.h"

/* ---- where the graph is cut ---- */

/* Marks of each node. */
enum {
    BEHIND = 1,  /* the loss or := needs it, and no seam lies between */
    IN_PART = 2, /* a seam needs it */
    FIRST = 4    /* a seam that a part needs */
};

typedef struct cutting {
    lh_parts *p;
    unsigned char *mark; /* one for each node */
} cutting;

/* It brings examples together. */
static bool is_seam(const lh_node *n) {
    if (n->shape.is_batched || n->kind == LH_OP_call) return false;
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i) && n->in[i]->shape.is_batched) return true;
    return false;
}

/* A seam, or several that are only added: then their sum is what parts add up. */
static bool is_sum(const cutting *c, const lh_node *n) {
    if (is_seam(n)) return !(c->mark[n->id] & FIRST);
    return n->kind == LH_OP_add && !n->shape.is_batched && is_sum(c, n->in[0]) &&
           is_sum(c, n->in[1]);
}

static void mark_operands(cutting *c, const lh_node *n, unsigned char with) {
    if (n->kind == LH_OP_call) {
        c->mark[n->call->result->id] |= with;
        return;
    }
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i)) c->mark[n->in[i]->id] |= with;
}

/* Operands come before users: one pass from the end. */
static void mark_behind(cutting *c, bool joins) {
    lh_graph *g = c->p->g;
    for (int i = 0; i < g->n_nodes; i++) c->mark[i] &= (unsigned char)~BEHIND;
    for (int i = 0; i < g->n_givens; i++)
        if (g->given[i]->renewed) c->mark[g->given[i]->renewed->id] |= BEHIND;
    if (!g->loss->shape.is_batched) c->mark[g->loss->id] |= BEHIND;
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        const lh_node *n = g->node[i];
        if ((c->mark[i] & BEHIND) && n->kind != LH_OP_given && !is_seam(n) &&
            !(joins && is_sum(c, n)))
            mark_operands(c, n, BEHIND);
    }
}

static void mark_parts(cutting *c) {
    lh_graph *g = c->p->g;
    if (g->loss->shape.is_batched) c->mark[g->loss->id] |= IN_PART;
    for (int i = 0; i < g->n_nodes; i++)
        if ((c->mark[i] & BEHIND) && is_seam(g->node[i])) mark_operands(c, g->node[i], IN_PART);
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        const lh_node *n = g->node[i];
        if (!(c->mark[i] & IN_PART) || n->kind == LH_OP_given) continue;
        if (is_seam(n)) c->mark[i] |= FIRST;
        mark_operands(c, n, IN_PART); /* of a seam, too: the givens that it reads */
    }
}

static void collect(cutting *c) {
    lh_parts *p = c->p;
    lh_graph *g = p->g;
    for (int i = 0; i < g->n_nodes; i++) {
        lh_node *n = g->node[i];
        if (c->mark[i] & FIRST)
            p->first[p->n_first++] = n;
        else if ((c->mark[i] & BEHIND) && is_sum(c, n))
            p->sum[p->n_sums++] = n;
        if ((c->mark[i] & IN_PART) && n->kind == LH_OP_given) p->given[p->n_givens++] = n;
    }
}

static bool cut(lh_parts *p) {
    const size_t n = (size_t)p->g->n_nodes + 1;
    cutting c = {p, lh_alloc_array(p->arena, n, 1)};
    p->first = lh_alloc_array(p->arena, n, sizeof(lh_node *));
    p->sum = lh_alloc_array(p->arena, n, sizeof(lh_node *));
    p->given = lh_alloc_array(p->arena, n, sizeof(lh_node *));
    if (!c.mark || !p->first || !p->sum || !p->given) return false;
    memset(c.mark, 0, n);
    mark_behind(&c, false);
    mark_parts(&c);
    mark_behind(&c, true); /* which sums can be joined is known now */
    collect(&c);
    return true;
}

/* ---- plans ---- */

static lh_node **joined(lh_parts *p, lh_node *const *a, int n, lh_node *const *b, int m) {
    lh_node **list = lh_alloc_array(p->arena, (size_t)(n + m) + 1, sizeof *list);
    if (!list) return NULL;
    memcpy(list, a, (size_t)n * sizeof *list);
    memcpy(list + n, b, (size_t)m * sizeof *list);
    return list;
}

static void plan_all(lh_parts *p) {
    lh_graph *g = p->g;
    const bool is_own = g->loss->shape.is_batched; /* each example has a loss of its own */
    lh_node **known = joined(p, p->given, p->n_givens, p->first, p->n_first),
            **seams = joined(p, p->first, p->n_first, p->sum, p->n_sums),
            **held = joined(p, &g->loss, !is_own, p->given, p->n_givens);
    if (!known || !seams || !held) return;
    const lh_fast_wish part = {p->how.threads, p->how.precision},
                       whole = {p->how.threads, LH_IN_FLOAT};
    lh_wish wish = {.own = &part, .borrows = true, .is_sketch = p->how.is_sketch};
    wish.known = p->given, wish.n_known = p->n_givens;
    wish.node = p->first, wish.n_nodes = p->n_first;
    if (p->n_first) p->before = p->how.with->plan(g, &wish);
    wish.known = known, wish.n_known = p->n_givens + p->n_first;
    wish.node = &g->loss, wish.n_nodes = is_own;
    wish.sum = p->sum, wish.n_sums = p->n_sums;
    wish.recomputes = p->how.recomputes;
    p->part = p->how.with->plan(g, &wish);
    const bool *renews = lh_shares_mine(p);
    p->whole = p->how.with->plan(g, &(lh_wish){.updates = true,
                                               .renews = renews,
                                               .known = seams,
                                               .n_known = p->n_first + p->n_sums,
                                               .node = held,
                                               .n_nodes = p->n_givens + !is_own,
                                               .is_sketch = p->how.is_sketch,
                                               .own = &whole});
}

lh_parts *lh_parts_new(lh_graph *g, const lh_parts_how *how) {
    lh_arena *arena = lh_failed(g->ctx) ? NULL : lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_parts *p = lh_alloc(arena, sizeof *p);
    *p = (lh_parts){.g = g, .how = *how, .arena = arena};
    if (!how->with) p->how.with = &lh_fast;
    if (how->pieces) p->pieces = lh_shared_sums_new(g->ctx, arena, how->pieces, how->ranks);
    if (p->pieces) p->pieces->how = how->sums;
    if (lh_inputs_make(arena, g, &p->next) && cut(p)) plan_all(p);
    if (!lh_failed(g->ctx)) return p;
    lh_parts_free(p);
    return NULL;
}

void lh_parts_free(lh_parts *p) {
    if (!p) return;
    lh_shared_sums_free(p->pieces);
    if (p->pieces) lh_sums_wire_free(p->pieces, p->pieces->wire);
    lh_shares_free(p);
    lh_post_close(&p->post);
    lh_plan_free(p->before);
    lh_plan_free(p->part);
    lh_plan_free(p->whole);
    lh_arena_free(p->arena);
}

/* On the threads of the plan that has the sums. */
static void on_threads(void *with, int n, void (*work)(void *what, int piece, int thread),
                       void *what) {
    lh_plan *plan = with;
    if (plan->by->each)
        plan->by->each(plan, n, work, what);
    else
        for (int i = 0; i < n; i++) work(what, i, 0);
}

/* Sums in the order in which a run of `part` comes to them: they are sent in this order. What rank 0 says counts, should another
 * processor have other kernels. */
static bool order_sums(lh_parts *p) {
    const lh_plan_list *run = &p->part->list[LH_STAGE_RUN];
    int *order = lh_alloc_array(p->arena, (size_t)p->n_sums + 1, sizeof *order), n = 0;
    p->place = lh_alloc_array(p->arena, (size_t)p->n_sums + 1, sizeof *p->place);
    if (!order || !p->place) return false;
    for (int i = 0; i < p->n_sums; i++) p->place[i] = -1;
    for (int k = 0; k < run->n; k++)
        if (run->work[k].sum >= 0) order[n++] = run->work[k].sum, p->place[order[n - 1]] = 0;
    for (int i = 0; i < p->n_sums; i++)
        if (p->place[i] < 0) order[n++] = i;
    lh_ranks_tell(p->how.ranks, order, (size_t)n * sizeof *order);
    for (int i = 0; i < n; i++) p->place[order[i]] = i;
    return true;
}

static void borrow_for_pieces(lh_parts *p) {
    float **sum = lh_alloc_array(p->arena, (size_t)p->n_sums + 1, sizeof *sum);
    size_t *cells = lh_alloc_array(p->arena, (size_t)p->n_sums + 1, sizeof *cells);
    if (!sum || !cells || !order_sums(p)) return;
    if (!lh_post_open(&p->post, p->g->ctx, p->arena, p->whole->by, p->how.ranks)) return;
    p->pieces->post = p->post;
    for (int i = 0; i < p->n_sums; i++) {
        sum[p->place[i]] = lh_plan_address(p->whole, p->sum[i]);
        cells[p->place[i]] = lh_plan_fixed_cells(p->g, p->sum[i]);
    }
    lh_shared_sums_of(p->pieces, p->arena, sum, cells, p->n_sums, on_threads, p->whole);
}

/* In the memory of whatever backend they have. */
void lh_parts_borrow(lh_parts *p) {
    if (lh_failed(p->g->ctx)) return;
    for (int i = 0; i < p->n_givens; i++) {
        const float *numbers = lh_plan_address(p->whole, p->given[i]);
        if (p->before) lh_floats_borrow(p->before, p->given[i], numbers);
        lh_floats_borrow(p->part, p->given[i], numbers);
    }
    for (int i = 0; i < p->n_first; i++)
        lh_floats_borrow(p->part, p->first[i], lh_plan_address(p->before, p->first[i]));
    for (int i = 0; i < p->n_sums; i++)
        lh_floats_sum(p->part, p->sum[i], lh_plan_address(p->whole, p->sum[i]));
    if (p->pieces) borrow_for_pieces(p);
}

/* ---- running ---- */

static void run_before(lh_parts *p, const lh_batch *batch) {
    lh_plan_feed(p->before, batch);
    lh_plan_run(p->before);
    for (int i = 0; i < p->n_first; i++)
        lh_floats_take(p->whole, p->first[i], p->before, p->first[i]);
}

static void begin(const lh_parts *p, const lh_batch *batch) {
    const lh_inputs *next = &p->next;
    for (int k = 0; k < next->n; k++) {
        next->rows[k] = batch->rows[k];
        next->tokens[k] = batch->tokens ? batch->tokens[k] : NULL;
        next->numbers[k] = batch->numbers ? batch->numbers[k] : NULL;
    }
}

static void move_on(const lh_parts *p, int examples) {
    const lh_inputs *next = &p->next;
    for (int k = 0; k < next->n; k++) {
        const size_t cols = p->g->axis[p->g->input[k]->node->shape.cols].n;
        size_t rows = 0;
        for (int e = 0; e < examples; e++) rows += (size_t)*next->rows[k]++;
        if (next->tokens[k]) next->tokens[k] += rows;
        if (next->numbers[k]) next->numbers[k] += rows * cols;
    }
}

static void add_own_losses(lh_parts *p, int first, int examples) {
    if (!p->g->loss->shape.is_batched) return;
    for (int e = 0; e < examples; e++) {
        const double loss = lh_plan_get(p->part, p->g->loss, (lh_cell){e, 0, 0, 0});
        p->loss += loss;
        if (p->losses) p->losses[first + e] = loss;
    }
}

static void sum_is_ready(void *with, int sum) {
    const lh_parts *p = with;
    lh_shared_sums_ready(p->pieces, p->place[sum]);
}

/* Which examples; whether their sums can be sent as soon as they are known. */
typedef struct stretch {
    int from, to;
    bool is_last;
} stretch;

/* A few at a time: their sums begin anew. */
static void run_examples(lh_parts *p, const lh_batch *batch, stretch s) {
    for (int at = s.from; at < s.to && !lh_failed(p->g->ctx); at += p->how.most) {
        const int left = s.to - at, n = left < p->how.most ? left : p->how.most;
        lh_plan_feed(p->part, &(lh_batch){.examples = n,
                                          .first = batch->first + (unsigned)at,
                                          .of = batch->examples,
                                          .adds = at > s.from,
                                          .rows = p->next.rows,
                                          .tokens = batch->tokens ? p->next.tokens : NULL,
                                          .numbers = batch->numbers ? p->next.numbers : NULL});
        if (s.is_last && n == left)
            lh_plan_run_sums(p->part, sum_is_ready, p);
        else
            lh_plan_run(p->part);
        if (!lh_failed(p->g->ctx)) add_own_losses(p, at, n);
        move_on(p, n);
    }
}

/* Losses are known on one rank each, and 0 on the others: the sum is exact, and it is made in the order of the examples. */
static void share_losses(lh_parts *p) {
    if (!p->g->loss->shape.is_batched) return;
    if (p->how.ranks) p->how.ranks->add_doubles(p->losses, (size_t)p->examples);
    p->loss = 0;
    for (int e = 0; e < p->examples; e++) p->loss += p->losses[e];
}

static void run_pieces(lh_parts *p, const lh_batch *batch) {
    lh_shared_sums *x = p->pieces;
    if (!p->losses)
        p->losses = lh_alloc_array(p->arena, (size_t)batch->examples + 1, sizeof *p->losses);
    if (!p->losses) return;
    memset(p->losses, 0, (size_t)batch->examples * sizeof *p->losses);
    lh_shared_sums_begin(x);
    move_on(p, lh_shared_sums_first(x, x->from, batch->examples));
    for (int i = x->from; i < x->to && !lh_failed(p->g->ctx); i++) {
        lh_shared_sums_next(x);
        run_examples(p, batch,
                     (stretch){.from = lh_shared_sums_first(x, i, batch->examples),
                               .to = lh_shared_sums_first(x, i + 1, batch->examples),
                               .is_last = x->ranks && lh_shared_sums_is_last(x)});
        lh_shared_sums_done(x);
    }
    lh_shared_sums_end(x);
    if (!lh_failed(p->g->ctx)) share_losses(p);
}

void lh_parts_run(lh_parts *p, const lh_batch *batch, int step) {
    if (lh_failed(p->g->ctx)) return;
    p->loss = 0, p->examples = batch->examples;
    if (p->before) lh_plan_at_step(p->before, step), run_before(p, batch);
    lh_plan_at_step(p->part, step);
    lh_plan_at_step(p->whole, step);
    begin(p, batch);
    if (p->pieces)
        run_pieces(p, batch);
    else
        run_examples(p, batch, (stretch){.to = batch->examples});
    lh_plan_feed(p->whole, batch);
    lh_plan_run(p->whole);
}

void lh_parts_commit(lh_parts *p) {
    lh_plan_commit(p->whole);
    if (p->how.ranks && !lh_failed(p->g->ctx)) lh_shares_tell(p);
}

/* ---- another order ---- */

/* The largest difference of a sum and its copy, by the largest number of the sum. Not a number in either: infinite. */
static double difference(const float *sum, const float *copy, size_t n) {
    double most = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = fabs((double)sum[i] - (double)copy[i]), x = fabs((double)copy[i]);
        if (!isfinite(d)) return INFINITY;
        if (d > most) most = d;
        if (x > largest) largest = x;
    }
    return largest > 0 ? most / largest : most > 0 ? INFINITY : 0;
}

/* The sums of a batch in the fixed order, one behind the other. NULL: no memory. */
static float *fixed_sums(lh_parts *p, const lh_batch *batch, int step, lh_arena *a) {
    lh_shared_sums *x = p->pieces;
    const lh_shared_sums_how how = x->how;
    struct lh_sums_wire *wire = x->wire;
    float *copy = p->g->ctx->alloc(x->total * sizeof *copy + 1), *to = copy;
    if (!lh_shared_sums_go_by(x, a, (lh_shared_sums_how){0})) return copy;
    lh_parts_run(p, batch, step);
    for (int i = 0; copy && i < x->n_sums; to += x->cells[i++])
        lh_far_transfer(p->post.cells, NULL, x->sum[i], to, x->cells[i], false);
    lh_shared_sums_free(x);
    lh_sums_wire_free(x, x->wire);
    lh_shared_sums_take_back(x, how, wire);
    return copy;
}

/* As it lies, or a copy here. NULL: no memory. */
static const float *read_sum(const lh_parts *p, int i) {
    const lh_shared_sums *x = p->pieces;
    float *copy = p->post.cells ? p->g->ctx->alloc(x->cells[i] * sizeof *copy + 1) : NULL;
    if (copy) p->post.cells->get(copy, x->sum[i], x->cells[i] * sizeof *copy);
    return p->post.cells ? copy : x->sum[i];
}

double lh_parts_apart(lh_parts *p, const lh_batch *batch, int step) {
    lh_context *ctx = p->g->ctx;
    lh_arena *a = p->pieces && p->how.ranks && !lh_failed(ctx) ? lh_arena_new(ctx) : NULL;
    double most = NAN;
    if (!a) return most;
    float *copy = fixed_sums(p, batch, step, a);
    lh_parts_run(p, batch, step);
    if (copy && !lh_failed(ctx)) most = 0;
    const float *from = copy;
    for (int i = 0; from && most >= 0 && i < p->pieces->n_sums; from += p->pieces->cells[i++]) {
        const float *sum = read_sum(p, i);
        const double d = sum ? difference(sum, from, p->pieces->cells[i]) : NAN;
        if (!(d <= most)) most = d;
        if (p->post.cells) ctx->release((float *)(uintptr_t)sum);
    }
    if (copy) ctx->release(copy);
    lh_arena_free(a);
    return most;
}

double lh_parts_loss(const lh_parts *p) {
    if (p->g->loss->shape.is_batched) return p->loss / p->examples;
    return lh_plan_get(p->whole, p->g->loss, (lh_cell){0, 0, 0, 0});
}

double lh_parts_wire_memory(const lh_parts *p) {
    return p->pieces && p->pieces->wire ? lh_sums_wire_memory(p->pieces) + lh_shares_memory(p) : 0;
}

double lh_parts_memory(const lh_parts *p) {
    return (p->before ? lh_floats_memory(p->before) : 0) + lh_floats_memory(p->part) +
           lh_floats_memory(p->whole) + (p->pieces ? lh_shared_sums_memory(p->pieces) : 0) +
           lh_shares_memory(p);
}

double lh_parts_needs(lh_graph *g, const lh_parts_how *how, const lh_batch *batch) {
    lh_parts_how sizes = *how;
    sizes.is_sketch = true;
    lh_parts *p = lh_parts_new(g, &sizes);
    if (!p) return 0;
    lh_batch part = *batch;
    if (how->most < part.examples) part.examples = how->most;
    if (p->before) lh_plan_feed(p->before, batch);
    lh_plan_feed(p->part, &part);
    lh_plan_feed(p->whole, batch);
    const double bytes = lh_failed(g->ctx) ? 0 : lh_parts_memory(p);
    lh_parts_free(p);
    return bytes;
}
