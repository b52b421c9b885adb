/* activation -- functions of one number, for every number of a value.
 *
 *     silu(x) = x * s          s = sigmoid(x)       back      dx = dy * (s + x * s * (1 - s))
 *
 *     gelu(x) = x * s          s = sigmoid(2 u)     u = sqrt(2 / pi) * (x + 0.044715 x^3)
 *     back      dx = dy * (s + x * s * (1 - s) * 2 u')     u' = sqrt(2 / pi) * (1 + 3 * 0.044715 x^2)
 *
 * which is 0.5 x (1 + tanh(u)), since tanh(u) = 2 sigmoid(2 u) - 1.
 */
#include "eval/fast/fast.h"

#include "base/random.h"
#include "eval/fast/vector.h"

typedef struct cells {
    const float *x, *dy;
    float *y;
    size_t n;
    int pieces;
} cells;

enum { IN_A_PIECE = 1 << 13 };

static void gelu_cells(void *what, int piece, int thread) {
    (void)thread;
    const cells *s = what;
    const ptrdiff_t from = lh_piece_from((ptrdiff_t)s->n, piece, s->pieces),
                    to = lh_piece_from((ptrdiff_t)s->n, piece + 1, s->pieces);
    lh_vector()->gelu(s->y + from, s->x + from, to - from);
}

static void gelu_back_cells(void *what, int piece, int thread) {
    (void)thread;
    const cells *s = what;
    const ptrdiff_t from = lh_piece_from((ptrdiff_t)s->n, piece, s->pieces),
                    to = lh_piece_from((ptrdiff_t)s->n, piece + 1, s->pieces);
    lh_vector()->gelu_back(s->y + from, s->x + from, s->dy + from, to - from);
}

/* Cell by cell through any strides, where the memory does not run straight. */
static void by_strides(const lh_work *w, const lh_view *out, const lh_view *x, const lh_view *dy,
                       lh_pool_piece piece) {
    for (int e = 0; e < (out->step ? w->moment->examples : 1); e++) {
        const lh_block *o = lh_block_of(out, e), *a = lh_block_of(x, e),
                       *d = dy ? lh_block_of(dy, e) : NULL;
        for (int h = 0; h < o->heads; h++)
            for (int r = 0; r < o->rows; r++)
                for (int c = 0; c < o->cols; c++) {
                    cells one = {lh_block_at(a, h, r, c), d ? lh_block_at(d, h, r, c) : NULL,
                                 lh_block_at(o, h, r, c), 1, 1};
                    piece(&one, 0, 0);
                }
    }
}

static void over_cells(const lh_work *w, const lh_view *out, const lh_view *x, const lh_view *dy,
                       lh_pool_piece piece) {
    const int examples = w->moment->examples;
    cells s = {0};
    float *from, *back = NULL;
    size_t n, m = 0;
    if (!lh_flat(out, examples, &s.y, &s.n) || !lh_flat(x, examples, &from, &n) || n != s.n ||
        (dy && (!lh_flat(dy, examples, &back, &m) || m != n))) {
        by_strides(w, out, x, dy, piece);
        return;
    }
    s.x = from, s.dy = back;
    s.pieces = lh_pieces(n, IN_A_PIECE);
    lh_pool_run(w->moment->pool, s.pieces, piece, &s);
}

static bool gelu_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!lh_call_is(p->g, n, "gelu")) return false;
    m->leaf[0] = (lh_node *)lh_param_of(n, "x");
    m->n_leaves = 1;
    return true;
}

static void gelu_run(const lh_work *w) {
    over_cells(w, &w->out, &w->in[0], NULL, gelu_cells);
}

const lh_kernel lh_kernel_gelu = {
    .name = "gelu",
    .stands_for = "gelu(x)",
    .fits = gelu_fits,
    .run = gelu_run,
    .trial = "Y = gelu(X)\n",
};

static bool gelu_back_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_back || !lh_call_is(p->g, n->in[0], "gelu")) return false;
    m->leaf[0] = (lh_node *)lh_param_of(n->in[0], "x");
    m->leaf[1] = n->in[1];
    m->n_leaves = 2;
    return true;
}

static void gelu_back_run(const lh_work *w) {
    over_cells(w, &w->out, &w->in[0], &w->in[1], gelu_back_cells);
}

const lh_kernel lh_kernel_gelu_back = {
    .name = "gelu, back",
    .stands_for = "the gradient of gelu(x)",
    .fn = "gelu",
    .fits = gelu_back_fits,
    .run = gelu_back_run,
    .trial = "Y = gelu(X * 4)\n",
};

/* ---- silu ---- */

static void silu_cells(void *what, int piece, int thread) {
    (void)thread;
    const cells *s = what;
    const ptrdiff_t from = lh_piece_from((ptrdiff_t)s->n, piece, s->pieces),
                    to = lh_piece_from((ptrdiff_t)s->n, piece + 1, s->pieces);
    if (s->dy)
        lh_vector()->silu_back(s->y + from, s->x + from, s->dy + from, to - from);
    else
        lh_vector()->silu(s->y + from, s->x + from, to - from);
}

static bool silu_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!lh_call_is(p->g, n, "silu")) return false;
    m->leaf[0] = (lh_node *)lh_param_of(n, "x");
    m->n_leaves = 1;
    return true;
}

static void silu_run(const lh_work *w) {
    over_cells(w, &w->out, &w->in[0], NULL, silu_cells);
}

const lh_kernel lh_kernel_silu = {
    .name = "silu",
    .stands_for = "silu(x)",
    .fits = silu_fits,
    .run = silu_run,
    .trial = "Y = silu(X)\n",
};

static bool silu_back_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_back || !lh_call_is(p->g, n->in[0], "silu")) return false;
    m->leaf[0] = (lh_node *)lh_param_of(n->in[0], "x");
    m->leaf[1] = n->in[1];
    m->n_leaves = 2;
    return true;
}

static void silu_back_run(const lh_work *w) {
    over_cells(w, &w->out, &w->in[0], &w->in[1], silu_cells);
}

const lh_kernel lh_kernel_silu_back = {
    .name = "silu, back",
    .stands_for = "the gradient of silu(x)",
    .fn = "silu",
    .fits = silu_back_fits,
    .run = silu_back_run,
    .trial = "Y = silu(X * 4)\n",
};

/* dropout(x, 0) is x, and what comes back is what came: no numbers move. */
static bool nothing_suits(const lh_graph *g, const lh_node *call) {
    return lh_is_zero(g, lh_param_of(call, "rate"));
}

static bool nothing_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    const lh_node *call = n->kind == LH_OP_back ? n->in[0] : n;
    if (!lh_call_is(p->g, call, "dropout") || !nothing_suits(p->g, call)) return false;
    m->leaf[0] = n->kind == LH_OP_back ? n->in[1] : (lh_node *)lh_param_of(call, "x");
    m->n_leaves = 1;
    return true;
}

const lh_kernel lh_kernel_nothing = {
    .name = "nothing",
    .stands_for = "dropout(x, 0)",
    .fn = "dropout",
    .suits = nothing_suits,
    .fits = nothing_fits,
    .trial = "Y = dropout(X * 2, 0)\n",
};

/* ---- coin(x, p): what dropout leaves out; a number of its own for each cell, whoever draws it ---- */

static bool coin_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_coin || !n->shape.is_batched) return false;
    const lh_shape *chance = &n->in[1]->shape;
    if (chance->is_batched || !lh_axis_is_one(p->g, chance->rows) ||
        !lh_axis_is_one(p->g, chance->cols) || !lh_axis_is_one(p->g, chance->heads))
        return false;
    m->leaf[0] = n->in[1];
    m->n_leaves = 1;
    return true;
}

enum { STRIPS = 8 }; /* pieces of each example */

static void coin_strip(void *what, int piece, int thread) {
    (void)thread;
    const lh_work *w = what;
    const int e = piece / STRIPS;
    const lh_block *y = lh_block_of(&w->out, e);
    const double chance = (double)w->in[0].block->p[0];
    lh_random_place at = {.seed = w->moment->seed,
                          .step = (uint32_t)w->moment->step,
                          .place = w->node->stream,
                          .example = (uint32_t)w->moment->example[e]};
    const ptrdiff_t end = lh_piece_from(y->rows, piece % STRIPS + 1, STRIPS);
    for (ptrdiff_t r = lh_piece_from(y->rows, piece % STRIPS, STRIPS); r < end; r++)
        for (int h = 0; h < y->heads; h++)
            for (int c = 0; c < y->cols; c++) {
                at.row = (uint32_t)r, at.col = (uint32_t)(h * y->cols + c);
                *lh_block_at(y, h, (int)r, c) = lh_random_uniform(at) < chance ? 1 : 0;
            }
}

static void coin_run(const lh_work *w) {
    lh_pool_run(w->moment->pool, w->examples * STRIPS, coin_strip, (void *)w);
}

const lh_kernel lh_kernel_coin = {
    .name = "coin",
    .stands_for = "coin(x, p)",
    .fits = coin_fits,
    .run = coin_run,
    .trial = "Y = join(dropout(split(X, 2), 0.4)) + dropout(X * 2, 0.1)\n",
};
