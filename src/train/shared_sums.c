#include "train/shared_sums.h"

#include <string.h>

#include "train/sums_wire.h"

static const lh_place nowhere = {0, 0, 0};

enum { WORK = 1 << 16 }; /* cells that one thread adds at a time */

/* ---- the tree ---- */

int lh_sums_half(int from, int to) {
    return from + (to - from) / 2;
}

/* Is from .. to a node of the tree? */
static bool is_node(const lh_shared_sums *p, int from, int to) {
    int a = 0, b = p->n;
    while (b - a > to - from) {
        const int m = lh_sums_half(a, b);
        if (to <= m)
            b = m;
        else if (from >= m)
            a = m;
        else
            return false;
    }
    return a == from && b == to;
}

int lh_sums_first_piece(const lh_shared_sums *p, int rank) {
    const int n = p->ranks ? p->ranks->n : 1;
    return (int)((long long)p->n * rank / n);
}

int lh_shared_sums_first(const lh_shared_sums *p, int piece, int examples) {
    return (int)((long long)examples * piece / p->n);
}

/* ---- begin and end ---- */

/* In any order a rank does its part of a batch in one piece. */
static void cut(lh_shared_sums *p) {
    const int rank = p->ranks ? p->ranks->rank : 0, ranks = p->ranks ? p->ranks->n : 1;
    p->n = p->how.any_order ? ranks : p->asked;
    p->from = lh_sums_first_piece(p, rank), p->to = lh_sums_first_piece(p, rank + 1);
}

lh_shared_sums *lh_shared_sums_new(lh_context *ctx, lh_arena *a, int n, const lh_ranks *ranks) {
    lh_shared_sums *p = lh_alloc(a, sizeof *p);
    if (!p) return NULL;
    *p = (lh_shared_sums){.ctx = ctx, .ranks = ranks, .asked = n};
    if (ranks) p->post.carrier = &ranks->carrier;
    cut(p);
    const size_t most = (size_t)(ranks && ranks->n > n ? ranks->n : n) + 1;
    p->stack = lh_alloc_array(a, most, sizeof *p->stack);
    p->spare = lh_alloc_array(a, most, sizeof *p->spare);
    return p->stack && p->spare ? p : NULL;
}

bool lh_shared_sums_of(lh_shared_sums *p, lh_arena *a, float *const *sum, const size_t *cells,
                       int n_sums, lh_shared_sums_each each, void *with) {
    p->sum = sum, p->cells = cells, p->n_sums = n_sums, p->each = each, p->with = with;
    p->total = 0;
    for (int i = 0; i < n_sums; i++) p->total += cells[i];
    p->is_ready = lh_alloc_array(a, (size_t)n_sums + 1, sizeof *p->is_ready);
    return p->is_ready && lh_shared_sums_go_by(p, a, p->how);
}

bool lh_shared_sums_go_by(lh_shared_sums *p, lh_arena *a, lh_shared_sums_how how) {
    p->how = how;
    cut(p);
    p->wire = p->ranks ? lh_sums_wire_new(p, a) : NULL;
    return !p->ranks || p->wire;
}

static void give_back(lh_shared_sums *p, float *copy) {
    if (copy) p->spare[p->n_spare++] = copy;
}

static void put_away(lh_shared_sums *p) {
    while (p->depth) give_back(p, p->stack[--p->depth].numbers);
}

void lh_shared_sums_free(lh_shared_sums *p) {
    if (!p) return;
    put_away(p); /* what is on the stack is spare again */
    for (int i = 0; i < p->n_spare; i++) {
        if (p->post.cells)
            p->post.by->give_back(p->ctx, p->spare[i]);
        else
            p->ctx->release(p->spare[i]);
    }
    p->n_spare = p->copies = 0;
}

void lh_shared_sums_take_back(lh_shared_sums *p, lh_shared_sums_how how,
                              struct lh_sums_wire *wire) {
    p->how = how, p->wire = wire;
    cut(p);
}

double lh_shared_sums_memory(const lh_shared_sums *p) {
    return (double)p->copies * (double)p->total * sizeof(float) +
           (p->wire ? lh_sums_wire_memory(p) : 0);
}

/* ---- copies ---- */

static float *take_copy(lh_shared_sums *p) {
    if (p->n_spare) return p->spare[--p->n_spare];
    float *copy = p->post.cells ? p->post.by->take(p->ctx, p->total, sizeof *copy)
                                : p->ctx->alloc(p->total * sizeof *copy + 1);
    if (copy)
        p->copies++;
    else if (!lh_failed(p->ctx))
        lh_fail(p->ctx, LH_ERROR_MEMORY, nowhere,
                "out of memory for the gradients of one more piece of a batch");
    return copy;
}

/* A stretch of cells of one sum, and of a copy of all. */
typedef struct adding {
    float *sum;
    float *copy;
    size_t cells;
    bool is_copy; /* the copy is made; otherwise it is added: copy + sum, into the sum */
} adding;

static void add_cells(void *what, int piece, int thread) {
    const adding *x = what;
    const size_t from = (size_t)piece * WORK, left = x->cells - from, n = left < WORK ? left : WORK;
    float *restrict sum = x->sum + from, *restrict copy = x->copy + from;
    (void)thread;
    if (x->is_copy)
        memcpy(copy, sum, n * sizeof *sum);
    else
        for (size_t i = 0; i < n; i++) sum[i] = copy[i] + sum[i];
}

/* A stretch, on threads or by the memory that it is in. */
static void add(lh_shared_sums *p, adding x) {
    const lh_far_cells *cells = p->post.cells;
    if (!cells)
        p->each(p->with, (int)((x.cells + WORK - 1) / WORK), add_cells, &x);
    else if (x.is_copy)
        cells->copy(x.copy, x.sum, x.cells * sizeof *x.sum);
    else
        cells->add(x.sum, x.copy, x.cells);
}

/* All sums and a copy of them. */
static void with_sums(lh_shared_sums *p, float *copy, bool is_copy) {
    for (int i = 0; i < p->n_sums; copy += p->cells[i++])
        add(p, (adding){p->sum[i], copy, p->cells[i], is_copy});
}

static void with_copy(lh_shared_sums *p, float *copy, float *to) {
    add(p, (adding){to, copy, p->total, false});
}

/* Runs that came before are done, and those that come will wait: where sums are in another memory. */
static void follow(const lh_shared_sums *p) {
    if (p->post.cells) p->post.cells->follow();
}

static void join(const lh_shared_sums *p) {
    if (p->post.cells) p->post.cells->join();
}

/* ---- this rank's pieces ---- */

/* How many of the stack will be one with the last piece? Neighbours become one while they are the halves of a node. */
static int merges_of_last(const lh_shared_sums *p) {
    int n = 0;
    while (n < p->depth && is_node(p, p->stack[p->depth - 1 - n].from, p->to)) n++;
    return n;
}

void lh_shared_sums_begin(lh_shared_sums *p) {
    put_away(p);
    p->done = p->merges = p->n_ready = 0, p->ready = 0;
    if (p->is_ready) memset(p->is_ready, 0, (size_t)p->n_sums * sizeof *p->is_ready);
    if (p->wire) lh_sums_wire_begin(p);
}

bool lh_shared_sums_is_last(const lh_shared_sums *p) {
    return p->from + p->done + 1 == p->to;
}

void lh_shared_sums_next(lh_shared_sums *p) {
    if (p->depth && !p->stack[p->depth - 1].numbers && !lh_failed(p->ctx)) {
        lh_subtree *top = &p->stack[p->depth - 1];
        top->numbers = take_copy(p);
        follow(p);
        if (top->numbers) with_sums(p, top->numbers, true);
        join(p);
    }
    if (p->ranks && lh_shared_sums_is_last(p)) p->merges = merges_of_last(p);
}

/* left + right, in the place of the right one */
static void merge(lh_shared_sums *p) {
    while (p->depth > 1) {
        lh_subtree *left = &p->stack[p->depth - 2], *right = &p->stack[p->depth - 1];
        if (!is_node(p, left->from, right->to)) return;
        if (right->numbers)
            with_copy(p, left->numbers, right->numbers);
        else
            with_sums(p, left->numbers, false);
        give_back(p, left->numbers);
        *left = (lh_subtree){left->from, right->to, right->numbers};
        p->depth--;
    }
}

/* Of several ranks the last piece is added up as it is sent: lh_sums_wire_go_on. */
void lh_shared_sums_done(lh_shared_sums *p) {
    const int i = p->from + p->done++;
    if (lh_failed(p->ctx) || (p->ranks && i + 1 == p->to)) return;
    p->stack[p->depth++] = (lh_subtree){i, i + 1, NULL};
    follow(p);
    merge(p);
    join(p);
}

void lh_shared_sums_ready(lh_shared_sums *p, int sum) {
    if (!p->wire) return;
    p->is_ready[sum] = true;
    while (p->n_ready < p->n_sums && p->is_ready[p->n_ready]) p->ready += p->cells[p->n_ready++];
    lh_sums_wire_go_on(p, false);
}

void lh_shared_sums_end(lh_shared_sums *p) {
    if (lh_failed(p->ctx)) return;
    p->n_ready = p->n_sums, p->ready = p->total;
    if (p->wire) lh_sums_wire_go_on(p, true);
    join(p);
    put_away(p);
}

/* ---- cells of all sums, one behind the other ---- */

void lh_sums_stretch(const lh_shared_sums *p, size_t at, size_t n, float *numbers,
                     bool is_written) {
    size_t begin = 0;
    for (int i = 0; i < p->n_sums && n; begin += p->cells[i++]) {
        if (at >= begin + p->cells[i]) continue;
        const size_t here = at - begin, left = p->cells[i] - here, k = left < n ? left : n;
        lh_far_transfer(p->post.cells, p->post.sent, p->sum[i] + here, numbers, k, is_written);
        at += k, n -= k, numbers += k;
    }
}

static void add_stretch(lh_shared_sums *p, size_t at, size_t n, float *copy) {
    size_t begin = 0;
    for (int i = 0; i < p->n_sums && n; begin += p->cells[i++]) {
        if (at >= begin + p->cells[i]) continue;
        const size_t here = at - begin, left = p->cells[i] - here, k = left < n ? left : n;
        add(p, (adding){p->sum[i] + here, copy, k, false});
        at += k, n -= k, copy += k;
    }
}

void lh_sums_merge(lh_shared_sums *p, size_t at, size_t n) {
    for (int k = 1; k <= p->merges; k++) add_stretch(p, at, n, p->stack[p->depth - k].numbers + at);
}
