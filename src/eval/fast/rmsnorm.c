/* rmsnorm -- each row to a mean square of 1, then stretched by g.
 *
 *     n = x / d     d = sqrt(mean(x x) + eps)     y = n * g
 *     dn = dy * g     dx = (dn - n * mean(dn * n)) / d     dg = sum of dy * n over rows
 *
 * Each head of a row is a row of its own, with the same g. The deviation is computed again in the backward pass. Sums over rows are made in a
 * fixed number of parts, then added in order.
 */
#include "eval/fast/fast.h"

#include <string.h>

#include "eval/fast/vector.h"

enum { PARTS = 16 };

/* g is a row as wide as x that exists once; eps is one number. */
static bool rmsnorm_suits(const lh_graph *g, const lh_node *call) {
    const lh_node *x = lh_param_of(call, "x"), *r = lh_param_of(call, "g"),
                  *eps = lh_param_of(call, "eps");
    return !r->shape.is_batched && lh_axis_is_one(g, r->shape.rows) &&
           lh_axis_is_one(g, r->shape.heads) && lh_axis_same(g, r->shape.cols, x->shape.cols) &&
           !lh_axis_is_one(g, x->shape.cols) && !eps->shape.is_batched &&
           eps->kind != LH_OP_given && lh_axis_is_one(g, eps->shape.rows) &&
           lh_axis_is_one(g, eps->shape.cols);
}

static void add_operands(lh_match *m, const lh_node *call) {
    m->leaf[0] = (lh_node *)lh_param_of(call, "x");
    m->leaf[1] = (lh_node *)lh_param_of(call, "g");
    m->leaf[2] = (lh_node *)lh_param_of(call, "eps");
    m->n_leaves = 3;
}

static bool rmsnorm_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!lh_call_is(p->g, n, "rmsnorm") || !rmsnorm_suits(p->g, n)) return false;
    add_operands(m, n);
    return true;
}

static bool back_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_back || !lh_call_is(p->g, n->in[0], "rmsnorm")) return false;
    add_operands(m, n->in[0]);
    m->leaf[3] = n->in[1];
    m->n_leaves = 4;
    lh_match_backs(n, m);
    return true;
}

typedef struct norms {
    const lh_work *w;
    int pieces;
    ptrdiff_t rows;
    const lh_view *to; /* or NULL */
} norms;

/* Row r of all examples, one head of it. */
typedef struct cells {
    float *p;
    ptrdiff_t cs;
} cells;

static cells cells_of(const lh_view *v, ptrdiff_t r, int head) {
    const lh_block *b = v->block;
    while (r >= b->rows) r -= b->rows, b += v->step;
    return (cells){b->p + r * b->rs + head * b->hs, b->cs};
}

/* Its cells side by side: as they lie, or put so in `room`. */
static float *side_by_side(cells x, ptrdiff_t n, float *room) {
    if (x.cs == 1) return x.p;
    for (ptrdiff_t c = 0; c < n; c++) room[c] = x.p[c * x.cs];
    return room;
}

static void put_back(cells to, const float *from, ptrdiff_t n) {
    for (ptrdiff_t c = 0; from != to.p && c < n; c++) to.p[c * to.cs] = from[c];
}

/* Room for four rows in each piece: x, dy, the result, the sum of what goes back to g. */
static float *room_of(const lh_work *w, int piece) {
    return w->moment->scratch + (size_t)piece * 5 * (size_t)w->in[0].block->cols;
}

static size_t rmsnorm_scratch(const lh_work *w) {
    return PARTS * 5 * (size_t)w->in[0].block->cols;
}

static norms norms_of(const lh_work *w, const lh_view *to) {
    const lh_view *x = &w->in[0];
    norms s = {.w = w, .to = to};
    for (int e = 0; e < (x->step ? w->moment->examples : 1); e++) s.rows += x->block[e].rows;
    s.pieces =
        lh_pieces((size_t)s.rows * (size_t)x->block->heads * (size_t)x->block->cols, 1 << 12);
    if (s.pieces > PARTS) s.pieces = PARTS;
    return s;
}

/* g as it lies, or put side by side behind the other rooms of the piece. */
static const float *row_of(const lh_work *w, float *room) {
    const lh_block *g = w->in[1].block;
    return side_by_side((cells){g->p, g->cols > 1 ? g->cs : 1}, g->cols, room);
}

static void norm_rows(void *what, int piece, int thread) {
    (void)thread;
    const norms *s = what;
    const lh_work *w = s->w;
    const ptrdiff_t n = w->out.block->cols, end = lh_piece_from(s->rows, piece + 1, s->pieces);
    float *room = room_of(w, piece);
    const float *g = row_of(w, room + 4 * n), eps = w->in[2].block->p[0];
    for (ptrdiff_t r = lh_piece_from(s->rows, piece, s->pieces); r < end; r++)
        for (int h = 0; h < w->out.block->heads; h++) {
            const cells to = cells_of(s->to, r, h);
            float *y = to.cs == 1 ? to.p : room + n;
            lh_vector()->rms(y, side_by_side(cells_of(&w->in[0], r, h), n, room), g, n, eps);
            put_back(to, y, n);
        }
}

static void rmsnorm_run(const lh_work *w) {
    norms s = norms_of(w, &w->out);
    lh_pool_run(w->moment->pool, s.pieces, norm_rows, &s);
}

const lh_kernel lh_kernel_rmsnorm = {
    .name = "rmsnorm",
    .stands_for = "rmsnorm(x, g)",
    .fits = rmsnorm_fits,
    .scratch = rmsnorm_scratch,
    .run = rmsnorm_run,
    .trial = "param g : 1 x 6 = normal(1)\nY = rmsnorm(X, g)\n",
};

/* ---- backward ---- */

static void back_rows(void *what, int piece, int thread) {
    (void)thread;
    const norms *s = what;
    const lh_work *w = s->w;
    const ptrdiff_t n = w->in[0].block->cols, end = lh_piece_from(s->rows, piece + 1, s->pieces);
    float *room = room_of(w, piece), *sum = room + 3 * n;
    const float *g = row_of(w, room + 4 * n), eps = w->in[2].block->p[0];
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (ptrdiff_t r = lh_piece_from(s->rows, piece, s->pieces); r < end; r++)
        for (int h = 0; h < w->in[0].block->heads; h++) {
            const cells to = s->to ? cells_of(s->to, r, h) : (cells){NULL, 1};
            float *dx = to.cs == 1 ? to.p : room + 2 * n;
            lh_vector()->rms_back(dx, sum, side_by_side(cells_of(&w->in[0], r, h), n, room),
                                  side_by_side(cells_of(&w->in[3], r, h), n, room + n), g, n, eps);
            if (s->to) put_back(to, dx, n);
        }
}

static void back_run(const lh_work *w) {
    norms s = norms_of(w, w->outs[0].block ? &w->outs[0] : NULL);
    lh_pool_run(w->moment->pool, s.pieces, back_rows, &s);
    const lh_block *dg = w->outs[1].block;
    for (int c = 0; dg && c < dg->cols; c++) {
        float sum = 0;
        for (int k = 0; k < s.pieces; k++) sum += room_of(w, k)[3 * dg->cols + c];
        *lh_block_at(dg, 0, 0, c) = sum;
    }
}

const lh_kernel lh_kernel_rmsnorm_back = {
    .name = "rmsnorm, back",
    .stands_for = "the gradient of rmsnorm(x, g)",
    .fn = "rmsnorm",
    .suits = rmsnorm_suits,
    .fits = back_fits,
    .scratch = rmsnorm_scratch,
    .run = back_run,
    .trial = "param g : 1 x 6 = normal(1)\nY = rmsnorm(X * 3, g, eps = 0.1)\n",
};
