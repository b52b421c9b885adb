#include "train/shared_sums.h"

#include <string.h>

static const lh_place nowhere = {0, 0, 0};

enum {
    WORK = 1 << 16, /* cells that one thread adds at a time */
    LEAST = 1 << 12 /* cells of a rank that are sent at a time, at least */
};

/* What is needed to speak to other ranks. A root is the highest node that a rank can make by itself. */
typedef struct root {
    int from, to;
} root;

typedef struct addition {
    int to, from; /* roots by number */
} addition;

struct lh_shared_sums_wire {
    root *root; /* of all ranks, from left to right */
    int n_roots;
    int *roots_of;      /* [ranks] how many each has */
    addition *addition; /* [n_roots - 1] in this order; the sum is in root 0 */
    int n_additions;
    size_t share, part; /* cells that each rank adds up; ... at a time */
    int *sends, *gets;  /* [ranks] */
    float *out, *in, *all;
};

/* ---- the tree ---- */

static int half(int from, int to) {
    return from + (to - from) / 2;
}

/* Is from .. to a node of the tree? */
static bool is_node(const lh_shared_sums *p, int from, int to) {
    int a = 0, b = p->n;
    while (b - a > to - from) {
        const int m = half(a, b);
        if (to <= m)
            b = m;
        else if (from >= m)
            a = m;
        else
            return false;
    }
    return a == from && b == to;
}

static int first_piece(const lh_shared_sums *p, int rank) {
    const int n = p->ranks ? p->ranks->n : 1;
    return (int)((long long)p->n * rank / n);
}

int lh_shared_sums_first(const lh_shared_sums *p, int piece, int examples) {
    return (int)((long long)examples * piece / p->n);
}

static void add_roots(struct lh_shared_sums_wire *w, root node, root rank) {
    if (node.to <= rank.from || node.from >= rank.to) return;
    if (node.from >= rank.from && node.to <= rank.to) {
        w->root[w->n_roots++] = node;
        return;
    }
    const int m = half(node.from, node.to);
    add_roots(w, (root){node.from, m}, rank);
    add_roots(w, (root){m, node.to}, rank);
}

/* Everything up to this node, as additions of roots. Returns the root that has its sum then. */
static int add_up(struct lh_shared_sums_wire *w, root node) {
    for (int i = 0; i < w->n_roots; i++)
        if (w->root[i].from == node.from && w->root[i].to == node.to) return i;
    const int m = half(node.from, node.to);
    const int left = add_up(w, (root){node.from, m}), right = add_up(w, (root){m, node.to});
    w->addition[w->n_additions++] = (addition){left, right};
    return left;
}

/* ---- begin and end ---- */

lh_shared_sums *lh_shared_sums_new(lh_context *ctx, lh_arena *a, int n, const lh_ranks *ranks) {
    lh_shared_sums *p = lh_alloc(a, sizeof *p);
    if (!p) return NULL;
    *p = (lh_shared_sums){.ctx = ctx, .ranks = ranks, .n = n};
    const int rank = ranks ? ranks->rank : 0;
    p->from = first_piece(p, rank), p->to = first_piece(p, rank + 1);
    p->stack = lh_alloc_array(a, (size_t)n + 1, sizeof *p->stack);
    p->spare = lh_alloc_array(a, (size_t)n + 1, sizeof *p->spare);
    return p->stack && p->spare ? p : NULL;
}

static bool make_wire(lh_shared_sums *p, lh_arena *a) {
    const size_t n = (size_t)p->ranks->n, most = (size_t)p->n;
    struct lh_shared_sums_wire *w = lh_alloc(a, sizeof *w);
    if (!w) return false;
    *w = (struct lh_shared_sums_wire){0};
    w->root = lh_alloc_array(a, most, sizeof *w->root);
    w->addition = lh_alloc_array(a, most, sizeof *w->addition);
    w->roots_of = lh_alloc_array(a, n, sizeof *w->roots_of);
    w->sends = lh_alloc_array(a, n, sizeof *w->sends);
    w->gets = lh_alloc_array(a, n, sizeof *w->gets);
    if (lh_failed(p->ctx)) return false;
    for (int i = 0; i < p->ranks->n; i++) {
        const int before = w->n_roots;
        add_roots(w, (root){0, p->n}, (root){first_piece(p, i), first_piece(p, i + 1)});
        w->roots_of[i] = w->n_roots - before;
    }
    add_up(w, (root){0, p->n});
    w->share = (p->total + n - 1) / n;
    w->part = (size_t)(1 << 20) / n;
    if (w->part < LEAST) w->part = LEAST;
    if (w->part > w->share) w->part = w->share;
    const size_t mine = (size_t)w->roots_of[p->ranks->rank];
    w->out = lh_alloc_array(a, mine * n * w->part + 1, sizeof *w->out);
    w->in = lh_alloc_array(a, (size_t)w->n_roots * w->part + 1, sizeof *w->in);
    w->all = lh_alloc_array(a, n * w->part + 1, sizeof *w->all);
    p->wire = w;
    return !lh_failed(p->ctx);
}

bool lh_shared_sums_of(lh_shared_sums *p, lh_arena *a, float *const *sum, const size_t *cells,
                       int n_sums, lh_shared_sums_each each, void *with) {
    p->sum = sum, p->cells = cells, p->n_sums = n_sums, p->each = each, p->with = with;
    p->total = 0;
    for (int i = 0; i < n_sums; i++) p->total += cells[i];
    return !p->ranks || make_wire(p, a);
}

void lh_shared_sums_free(lh_shared_sums *p) {
    if (!p) return;
    lh_shared_sums_begin(p); /* what is on the stack is spare again */
    for (int i = 0; i < p->n_spare; i++) p->ctx->release(p->spare[i]);
    p->n_spare = p->copies = 0;
}

double lh_shared_sums_memory(const lh_shared_sums *p) {
    const struct lh_shared_sums_wire *w = p->wire;
    double cells = (double)p->copies * (double)p->total;
    if (w)
        cells += (double)w->part * (w->n_roots + p->ranks->n * (1 + w->roots_of[p->ranks->rank]));
    return cells * sizeof(float);
}

/* ---- copies ---- */

static float *take_copy(lh_shared_sums *p) {
    if (p->n_spare) return p->spare[--p->n_spare];
    float *copy = p->ctx->alloc(p->total * sizeof *copy + 1);
    if (copy)
        p->copies++;
    else
        lh_fail(p->ctx, LH_ERROR_MEMORY, nowhere,
                "out of memory for the gradients of one more piece of a batch");
    return copy;
}

static void give_back(lh_shared_sums *p, float *copy) {
    if (copy) p->spare[p->n_spare++] = copy;
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

/* All sums and a copy of them. */
static void with_sums(lh_shared_sums *p, float *copy, bool is_copy) {
    for (int i = 0; i < p->n_sums; copy += p->cells[i++]) {
        adding x = {p->sum[i], copy, p->cells[i], is_copy};
        p->each(p->with, (int)((x.cells + WORK - 1) / WORK), add_cells, &x);
    }
}

static void with_copy(lh_shared_sums *p, float *copy, float *to) {
    adding x = {to, copy, p->total, false};
    p->each(p->with, (int)((x.cells + WORK - 1) / WORK), add_cells, &x);
}

/* ---- this rank's pieces ---- */

void lh_shared_sums_begin(lh_shared_sums *p) {
    while (p->depth) give_back(p, p->stack[--p->depth].numbers);
}

void lh_shared_sums_next(lh_shared_sums *p) {
    lh_subtree *top = p->depth ? &p->stack[p->depth - 1] : NULL;
    if (!top || top->numbers || lh_failed(p->ctx)) return;
    top->numbers = take_copy(p);
    if (top->numbers) with_sums(p, top->numbers, true);
}

/* Two neighbours become one while they are the halves of a node: left + right, in the place of the right one. */
void lh_shared_sums_done(lh_shared_sums *p) {
    if (lh_failed(p->ctx)) return;
    const int i = p->depth ? p->stack[p->depth - 1].to : p->from;
    p->stack[p->depth++] = (lh_subtree){i, i + 1, NULL};
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

/* ---- all ranks ---- */

/* Cells at .. at + n - 1 of all sums, one behind the other. */
static void each_stretch(const lh_shared_sums *p, size_t at, size_t n, float *numbers,
                         bool is_written) {
    size_t begin = 0;
    for (int i = 0; i < p->n_sums && n; begin += p->cells[i++]) {
        if (at >= begin + p->cells[i]) continue;
        const size_t here = at - begin, left = p->cells[i] - here, k = left < n ? left : n;
        if (is_written)
            memcpy(p->sum[i] + here, numbers, k * sizeof *numbers);
        else
            memcpy(numbers, p->sum[i] + here, k * sizeof *numbers);
        at += k, n -= k, numbers += k;
    }
}

static size_t part_length(const lh_shared_sums *p, int rank, size_t done) {
    const struct lh_shared_sums_wire *w = p->wire;
    const size_t from = (size_t)rank * w->share + done, end = (size_t)(rank + 1) * w->share;
    const size_t most = end < p->total ? end : p->total;
    if (from >= most) return 0;
    return most - from < w->part ? most - from : w->part;
}

static void send_part(lh_shared_sums *p, size_t done) {
    struct lh_shared_sums_wire *w = p->wire;
    float *out = w->out;
    for (int s = 0; s < p->ranks->n; s++) {
        const size_t n = part_length(p, s, done), at = (size_t)s * w->share + done;
        for (int k = 0; k < p->depth; k++, out += n) {
            const lh_subtree *t = &p->stack[k];
            if (t->numbers)
                memcpy(out, t->numbers + at, n * sizeof *out);
            else
                each_stretch(p, at, n, out, false);
        }
        w->sends[s] = (int)n * p->depth;
    }
    const int mine = (int)part_length(p, p->ranks->rank, done);
    for (int s = 0; s < p->ranks->n; s++) w->gets[s] = mine * w->roots_of[s];
    p->ranks->exchange(w->out, w->sends, w->in, w->gets);
}

static void add_part(const lh_shared_sums *p, size_t n) {
    struct lh_shared_sums_wire *w = p->wire;
    for (int i = 0; i < w->n_additions; i++) {
        float *restrict to = w->in + (size_t)w->addition[i].to * n;
        const float *restrict from = w->in + (size_t)w->addition[i].from * n;
        for (size_t c = 0; c < n; c++) to[c] = to[c] + from[c];
    }
}

/* A part of each rank's share at a time: sent to it, added up there, sent to all. */
static void speak(lh_shared_sums *p) {
    struct lh_shared_sums_wire *w = p->wire;
    for (size_t done = 0; done < w->share; done += w->part) {
        send_part(p, done);
        const size_t mine = part_length(p, p->ranks->rank, done);
        add_part(p, mine);
        for (int s = 0; s < p->ranks->n; s++) w->gets[s] = (int)part_length(p, s, done);
        p->ranks->gather(w->in, (int)mine, w->all, w->gets);
        float *all = w->all;
        for (int s = 0; s < p->ranks->n; all += w->gets[s++])
            each_stretch(p, (size_t)s * w->share + done, (size_t)w->gets[s], all, true);
    }
}

/* A part is written only when every rank has sent what it had there: its numbers are not needed again. */
void lh_shared_sums_end(lh_shared_sums *p) {
    if (lh_failed(p->ctx)) return;
    if (p->ranks) speak(p);
    lh_shared_sums_begin(p);
}
