/* cuda_head -- crossentropy(X @ W, t) and its gradient, some examples (or some rows of a long one) at a time, so that the whole matrix of logits never exists:
 *
 *     logits = X_i @ W     loss and their gradient, in place (device/head.cu)     dX_i = d @ W^T     dW += X_i^T @ d
 */
#include "eval/cuda/cuda.h"

enum { X, PROJECTION, TOKENS, DY };
enum { LOSS, TO_X, TO_W };
enum { PLAIN, TURNED };
#define CHUNK ((size_t)1 << 28) /* logits at a time, at most; a row at least */

typedef struct piece {
    int e, examples, row, rows; /* of each example so many rows from `row` on */
    long long all;              /* rows of all of them */
} piece;

static size_t rows_at_a_time(const lh_cuda_work *w) {
    const size_t n = CHUNK / (size_t)w->gpu.pitch;
    return n ? n : 1;
}

/* The piece that begins at row `row` of example e; is_batched: the rows of several examples are contiguous. */
static piece piece_at(const lh_cuda_work *w, const lh_gpu_block *x, int n, int e, int row) {
    const long long most = (long long)rows_at_a_time(w), left = x[e].rows - row;
    piece p = {.e = e, .examples = 1, .row = row, .rows = (int)(left < most ? left : most)};
    p.all = p.rows;
    while (w->gpu.is_batched && !row && p.rows == left && e + p.examples < n &&
           p.all + x[e + p.examples].rows <= most) {
        const int rows = x[e + p.examples++].rows;
        p.all += rows;
        if (rows > p.rows) p.rows = rows; /* how many one of them has at most */
    }
    return p;
}

static bool is_next(const lh_gpu_block *x, int n, piece *at, const lh_cuda_work *w) {
    const bool is_through = at->examples > 1 || at->row + at->rows >= x[at->e].rows;
    const int e = is_through ? at->e + at->examples : at->e,
              row = is_through ? 0 : at->row + at->rows;
    if (e >= n) return false;
    *at = piece_at(w, x, n, e, row);
    return true;
}

/* X exists once, or once for each example; of the latter all have some rows. */
static int examples_of(const lh_cuda_blocks *x) {
    return x->here ? x->n : 0;
}

void lh_cuda_measure_head(const lh_plan *p, lh_cuda_work *w, lh_cuda_table *t) {
    const lh_cuda_blocks x = lh_cuda_blocks_of(p, t, lh_plan_operand(w->plan, X));
    const int n = examples_of(&x), cols = w->gpu.most_in[PROJECTION].cols;
    void *there = NULL;
    int *before = lh_cuda_reserve(t, ((size_t)p->examples + 1) * sizeof *before, &there);
    w->n_steps = 0;
    if (!before || !n || !cols) return;
    long long sum = 0;
    for (int e = 0; e < n; e++) before[e] = (int)sum, sum += x.here[e].rows;
    w->gpu.before = there;
    w->gpu.pitch = (cols + 7) / 8 * 8;
    long long most = (long long)rows_at_a_time(w);
    if (sum < most) most = sum;
    w->gpu.scratch_cells = (size_t)most * (size_t)w->gpu.pitch / (x.here->is_short ? 2 : 1) + 16;
}

/* Rows of a piece of a value that has a block for each example, as one block. */
static bool rows_of_piece(const lh_cuda_blocks *v, const piece *at, lh_gpu_block *to) {
    if (!lh_cuda_join_rows(v->here + at->e, at->examples, to)) return false;
    *to = lh_cuda_rows(*to, at->row, at->all);
    return true;
}

typedef struct head {
    const lh_plan *p;
    lh_cuda_work *w;
    lh_cuda_blocks x, to_x;
    lh_gpu_block projection, to_w; /* to_w.p NULL: not asked for */
    int cols;                      /* words; whole eights of them, where W can be read so far */
    int n, parts;                  /* steps so far, and launches among them */
    bool is_well;
    /* without a library, and more slowly: it cannot read these rows, or the types differ */
    bool is_plain;
} head;

static void add_product(head *h, const lh_gpu_block *c, lh_gpu_block a, lh_gpu_block b, bool adds) {
    lh_cuda_step *s = &h->w->step[h->n++];
    s->work = NULL;
    h->is_well &= lh_cuda_product_of(c, &a, &b, &s->product);
    s->product.adds = adds;
}

static void add_launch(head *h, const piece *at) {
    lh_gpu_work *work = &h->w->part[h->parts++];
    *work = h->w->gpu;
    work->index[0] = at->e, work->index[1] = at->row;
    work->number[0] = (float)at->rows, work->number[1] = (float)at->examples;
    work->number[2] = h->x.here->is_short;
    work->number[3] = h->is_plain, work->number[4] = h->n > 0;
    h->w->step[h->n++].work = work;
}

/* dW += d^T @ X, a row for each word. A library is faster with a multiple of eight: the last few are a product of their own. */
static void add_to_words(head *h, lh_gpu_block d, lh_gpu_block x, bool adds) {
    const int words = h->to_w.rows, most = d.is_short ? words / 8 * 8 : words;
    const lh_gpu_block all = lh_cuda_turned(d);
    lh_gpu_block to = lh_cuda_rows(h->to_w, 0, most);
    if (most) add_product(h, &to, lh_cuda_rows(all, 0, most), x, adds);
    if (most == words) return;
    to = lh_cuda_rows(h->to_w, most, words - most);
    add_product(h, &to, lh_cuda_rows(all, most, words - most), x, adds);
}

static void add_piece(head *h, const piece *at) {
    if (h->is_plain) {
        add_launch(h, at);
        return;
    }
    lh_gpu_block x, dx, w = h->projection;
    lh_gpu_block logits = {.p = h->w->gpu.scratch,
                           .rs = h->w->gpu.pitch,
                           .cs = 1,
                           .heads = 1,
                           .rows = (int)at->all,
                           .cols = h->cols,
                           .is_short = h->x.here->is_short};
    const bool is_first = h->n == 0;
    h->is_well &= rows_of_piece(&h->x, at, &x);
    if (!h->is_well) return;
    w.cols = h->cols;
    add_product(h, &logits, x, w, false);
    add_launch(h, at);
    if (h->to_x.here) {
        h->is_well &= rows_of_piece(&h->to_x, at, &dx);
        if (h->is_well) add_product(h, &dx, logits, lh_cuda_turned(w), false);
    }
    if (!h->to_w.p || !h->is_well) return;
    logits.cols = h->projection.cols;
    if (h->w->gpu.form == TURNED)
        add_to_words(h, logits, x, !is_first);
    else
        add_product(h, &h->to_w, lh_cuda_turned(x), logits, !is_first);
}

static bool reserve_parts(const lh_plan *p, lh_cuda_work *w, int n) {
    if (n <= w->room_of_parts) return true;
    w->part = lh_alloc_array(p->arena, (size_t)n, sizeof *w->part);
    w->room_of_parts = w->part ? n : 0;
    return w->part != NULL;
}

static void add_pieces(head *h, int n) {
    piece at = piece_at(h->w, h->x.here, n, 0, 0);
    h->n = h->parts = 0;
    do add_piece(h, &at);
    while (h->is_well && is_next(h->x.here, n, &at, h->w));
}

/* The weights, in the type of X. */
static bool read_projection(head *h, const lh_cuda_table *t) {
    const lh_node *projection = lh_plan_operand(h->w->plan, PROJECTION);
    h->projection = *lh_cuda_blocks_of(h->p, t, projection).here;
    const bool is_copy =
        h->x.here->is_short && lh_cuda_shadow_of(h->p, projection, &h->projection, &h->projection);
    h->cols = h->projection.cols;
    if (is_copy && h->projection.rs == 1 && h->projection.cs == h->projection.rows)
        h->cols = h->w->gpu.pitch; /* zeros follow a copy */
    return h->x.here->is_short == h->projection.is_short;
}

bool lh_cuda_plan_head(const lh_plan *p, lh_cuda_work *w, const lh_cuda_table *t) {
    const lh_match *m = w->plan->match;
    head h = {.p = p, .w = w};
    const bool has_back = w->gpu.in[DY].block != NULL;
    h.x = lh_cuda_blocks_of(p, t, lh_plan_operand(w->plan, X));
    h.is_well = read_projection(&h, t);
    if (has_back && w->gpu.outs[TO_X].block) h.to_x = lh_cuda_blocks_of(p, t, m->out[TO_X]);
    if (has_back && w->gpu.outs[TO_W].block) h.to_w = *lh_cuda_blocks_of(p, t, m->out[TO_W]).here;
    const int n = examples_of(&h.x);
    lh_gpu_block all;
    int pieces = 1;
    w->gpu.is_batched = lh_cuda_join_rows(h.x.here, n, &all) &&
                        (!h.to_x.here || lh_cuda_join_rows(h.to_x.here, n, &all));
    piece at = piece_at(w, h.x.here, n, 0, 0);
    while (is_next(h.x.here, n, &at, w)) pieces++;
    if (!lh_cuda_steps(p, w, 5 * pieces) || !reserve_parts(p, w, pieces)) return false;
    if (h.is_well) add_pieces(&h, n);
    if (!h.is_well) {
        h.is_plain = h.is_well = true;
        add_pieces(&h, n);
    }
    w->n_steps = h.n;
    return true;
}
