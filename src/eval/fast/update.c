/* update -- what := makes of a weight, in place, in one pass over weight, gradient and states.
 *
 *     W := adamw(W, s * dW, rate, decay, b1, b2, eps)
 *
 *     m = b1 m + (1 - b1) g     v = b2 v + (1 - b2) g^2
 *     W = W - rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps) - rate * decay * W
 */
#include "eval/fast/fast.h"

#include <math.h>
#include <string.h>

#include "eval/fast/vector.h"

/* The order of the leaves; what is renewed comes first. */
enum { W, M, V, G, SCALE, RATE, DECAY, B1, B2, EPS, T, N_LEAVES };

static lh_node *state_of(const lh_node *call, const char *name) {
    const lh_scope *s = call->call->scope;
    for (int i = 0; i < s->n_names; i++)
        if (s->name[i].node->kind == LH_OP_given && strcmp(s->name[i].name, name) == 0)
            return s->name[i].node;
    return NULL;
}

static bool is_one(const lh_graph *g, const lh_node *n) {
    return !n->shape.is_batched && lh_axis_is_one(g, n->shape.rows) &&
           lh_axis_is_one(g, n->shape.cols) && lh_axis_is_one(g, n->shape.heads);
}

/* A number or a row that is stretched to the weight is left to the definition. */
static bool has_shape_of(const lh_graph *g, const lh_node *n, const lh_node *w) {
    return !n->shape.is_batched && lh_axis_is_one(g, n->shape.heads) &&
           lh_axis_same(g, n->shape.rows, w->shape.rows) &&
           lh_axis_same(g, n->shape.cols, w->shape.cols);
}

/* The gradient may be scaled by one number: clip * dW. */
static void split_scale(const lh_graph *g, lh_node *x, lh_match *m) {
    m->leaf[G] = x;
    if (x->kind != LH_OP_mul) return;
    for (int i = 0; i < 2; i++)
        if (is_one(g, x->in[i]) && !is_one(g, x->in[1 - i])) {
            m->leaf[SCALE] = x->in[i];
            m->leaf[G] = x->in[1 - i];
        }
}

static bool adam_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    const lh_graph *g = p->g;
    if (n->kind != LH_OP_renew || !p->updates || !lh_read_once(p, n))
        return false; /* the update itself is its one reader: nothing below := may see the old value */
    lh_node *call = n->in[0];
    const bool decays = lh_call_is(g, call, "adamw");
    if (!decays && !lh_call_is(g, call, "adam")) return false;
    const lh_node *adam = decays ? NULL : call;
    for (int i = 0; decays && i < call->call->scope->n_names; i++)
        if (lh_call_is(g, call->call->scope->name[i].node, "adam"))
            adam = call->call->scope->name[i].node;
    m->leaf[W] = (lh_node *)lh_param_of(call, "w");
    if (!adam || m->leaf[W]->kind != LH_OP_given || m->leaf[W]->given->renewed != n) return false;
    m->leaf[M] = state_of(adam, "m"), m->leaf[V] = state_of(adam, "v");
    const lh_node *t = state_of(adam, "t");
    if (!m->leaf[M] || !m->leaf[V] || !t || !t->given->renewed) return false;
    split_scale(g, (lh_node *)lh_param_of(call, "g"), m);
    const char *number[] = {"rate", "decay", "b1", "b2", "eps"};
    for (int i = 0; i < 5; i++) m->leaf[RATE + i] = (lh_node *)lh_param_of(call, number[i]);
    for (int i = RATE; i <= EPS; i++)
        if (m->leaf[i] && !is_one(g, m->leaf[i])) return false;
    m->leaf[T] = t->given->renewed;
    m->n_leaves = N_LEAVES;
    m->out[W] = n, m->out[M] = m->leaf[M]->given->renewed, m->out[V] = m->leaf[V]->given->renewed;
    m->n_outs = 3;
    return m->out[M] && m->out[V] && has_shape_of(g, m->leaf[G], m->leaf[W]);
}

typedef struct adam {
    float *w, *m, *v;
    const float *g;
    ptrdiff_t n;
    lh_adam how;
    int pieces;
} adam;

static void adam_cells(void *what, int piece, int thread) {
    (void)thread;
    const adam *a = what;
    const ptrdiff_t from = lh_piece_from(a->n, piece, a->pieces),
                    to = lh_piece_from(a->n, piece + 1, a->pieces);
    lh_vector()->adam(a->w + from, a->m + from, a->v + from, a->g + from, to - from, &a->how);
}

/* A gradient that lies otherwise than its weight, turned as that of W in x @ W^T, is read in tiles: so many rows at once that a line of the
 * cache, which has a part of a column, is used up. */
enum { TILE_ROWS = 16, TILE_COLS = 256 };

typedef struct tiles {
    const adam *a;
    const lh_block *g;
} tiles;

static void adam_tiles(void *what, int piece, int thread) {
    (void)thread;
    const adam *a = ((const tiles *)what)->a;
    const lh_block *g = ((const tiles *)what)->g;
    float row[TILE_ROWS][TILE_COLS];
    const int r0 = piece * TILE_ROWS, rows = g->rows - r0 < TILE_ROWS ? g->rows - r0 : TILE_ROWS;
    for (int c0 = 0; c0 < g->cols; c0 += TILE_COLS) {
        const int cols = g->cols - c0 < TILE_COLS ? g->cols - c0 : TILE_COLS;
        for (int c = 0; c < cols; c++)
            for (int r = 0; r < rows; r++) row[r][c] = g->p[(r0 + r) * g->rs + (c0 + c) * g->cs];
        for (int r = 0; r < rows; r++) {
            const ptrdiff_t at = (ptrdiff_t)(r0 + r) * g->cols + c0;
            lh_vector()->adam(a->w + at, a->m + at, a->v + at, row[r], cols, &a->how);
        }
    }
}

static float number_at(const lh_work *w, int i, float standard) {
    return w->in[i].block ? w->in[i].block->p[0] : standard;
}

static void adam_run(const lh_work *w) {
    const double t = number_at(w, T, 1), b1 = number_at(w, B1, 0), b2 = number_at(w, B2, 0);
    const float rate = number_at(w, RATE, 0);
    adam a = {.w = w->in[W].block->p, .m = w->in[M].block->p, .v = w->in[V].block->p};
    a.g = w->in[G].block->p;
    a.n = (ptrdiff_t)w->in[W].block->rows * w->in[W].block->cols;
    a.how.scale = number_at(w, SCALE, 1);
    a.how.b1 = (float)b1, a.how.b2 = (float)b2, a.how.eps = number_at(w, EPS, 0);
    a.how.step = (float)(rate / (1 - pow(b1, t)));
    a.how.root = (float)(1 / sqrt(1 - pow(b2, t)));
    a.how.keep = 1 - rate * number_at(w, DECAY, 0);
    a.pieces = lh_pieces((size_t)a.n, 1 << 12);
    float *flat;
    size_t cells;
    if (lh_flat(&w->in[G], 1, &flat, &cells))
        lh_pool_run(w->moment->pool, a.pieces, adam_cells, &a);
    else
        lh_pool_run(w->moment->pool, (w->in[G].block->rows + TILE_ROWS - 1) / TILE_ROWS, adam_tiles,
                    &(tiles){&a, w->in[G].block});
}

const lh_kernel lh_kernel_adam = {
    .name = "adam",
    .stands_for = "W := adamw(W, clip * dW, rate, decay)",
    .joins = true,
    .renews = true,
    .fits = adam_fits,
    .run = adam_run,
    .trial = "Y = X * X\n",
};

/* ---- norm(gradients): the length of all gradients together, without laying them beside each other ---- */

static bool length_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!lh_call_is(p->g, n, "norm")) return false;
    const lh_node *x = lh_param_of(n, "x");
    if (x->kind != LH_OP_gradients || p->value[x->id].uses > 2 || x->shape.is_batched)
        return false; /* x * x reads it twice */
    m->n_leaves = x->n_in;
    m->many = x->in;
    return true;
}

enum { SQUARES = 256 }; /* sums of squares, a fixed number of them for each gradient */

typedef struct squares {
    const float *x;
    ptrdiff_t n;
    double *sum;
    int pieces;
} squares;

static void add_squares(void *what, int piece, int thread) {
    (void)thread;
    const squares *s = what;
    const ptrdiff_t to = lh_piece_from(s->n, piece + 1, s->pieces);
    const ptrdiff_t from = lh_piece_from(s->n, piece, s->pieces);
    s->sum[piece] = lh_vector()->squares(s->x + from, to - from);
}

/* Turned, and without a gap between columns: then its squares are those of its cells as they lie. */
static bool is_turned(const lh_block *b, float **from, size_t *cells) {
    *from = b->p, *cells = (size_t)b->rows * (size_t)b->cols;
    return b->heads == 1 && b->rs == 1 && b->cs == b->rows;
}

static void length_run(const lh_work *w) {
    double sum[SQUARES] = {0}, total = 0;
    for (int i = 0; i < w->n_in; i++) {
        const lh_block *b = w->in[i].block;
        float *from;
        size_t cells;
        const bool is_flat = lh_flat(&w->in[i], 1, &from, &cells) || is_turned(b, &from, &cells);
        squares s = {from, (ptrdiff_t)cells, sum, lh_pieces(cells, 1 << 15)};
        if (!is_flat) { /* a view: a row at a time */
            for (int r = 0; r < b->rows; r++)
                for (int c = 0; c < b->cols; c++) {
                    const double x = b->p[r * b->rs + c * b->cs];
                    total += x * x;
                }
            continue;
        }
        lh_pool_run(w->moment->pool, s.pieces, add_squares, &s);
        for (int k = 0; k < s.pieces; k++) total += sum[k];
    }
    w->out.block->p[0] = (float)sqrt(total);
}

const lh_kernel lh_kernel_length = {
    .name = "length of the gradients",
    .stands_for = "norm(gradients)",
    .joins = true,
    .fits = length_fits,
    .run = length_run,
    .trial = "Y = X * X * X\n",
};

/* ---- total(addrows(d, t, n)): what comes back to rows that were looked up ---- */

static bool scatter_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_total || n->in[0]->kind != LH_OP_addrows || !n->in[0]->shape.is_batched ||
        !lh_read_once(p, n->in[0]) || !lh_axis_is_one(p->g, n->shape.heads))
        return false;
    m->leaf[0] = n->in[0]->in[0], m->leaf[1] = n->in[0]->in[1];
    m->n_leaves = 2;
    return true;
}

enum { LINES = 32 }; /* columns of a piece at least: lines of the cache */

typedef struct scatter {
    const lh_work *w;
    int pieces;
    bool adds; /* to what is there */
} scatter;

/* A piece has columns of its own: rows are added in their order, whoever does it. */
static void scatter_columns(void *what, int piece, int thread) {
    (void)thread;
    const scatter *s = what;
    const lh_block *y = s->w->out.block;
    const ptrdiff_t c0 = lh_piece_from(y->cols, piece, s->pieces),
                    c1 = lh_piece_from(y->cols, piece + 1, s->pieces);
    for (int r = 0; !s->adds && r < y->rows; r++)
        for (ptrdiff_t c = c0; c < c1; c++) y->p[r * y->rs + c * y->cs] = 0;
    const lh_view *in = s->w->in + s->adds;
    for (int e = 0; e < s->w->moment->examples; e++) {
        const lh_block *d = lh_block_of(&in[0], e), *t = lh_block_of(&in[1], e);
        for (int r = 0; r < d->rows; r++) {
            const int k = lh_place_of(t->p[r * t->rs], y->rows);
            float *to = y->p + (k < 0 ? 0 : k) * y->rs;
            const float *from = d->p + r * d->rs;
            if (k >= 0 && d->cs == 1 && y->cs == 1)
                lh_vector()->add(to + c0, from + c0, c1 - c0);
            else
                for (ptrdiff_t c = c0; c < c1; c++) to[c * y->cs] += k < 0 ? NAN : from[c * d->cs];
        }
    }
}

static void scatter_run(const lh_work *w) {
    const lh_block *y = w->out.block;
    const size_t rows =
        (size_t)lh_rows_of(&w->in[w->match->kernel->in_place], w->moment->examples).n;
    const int most = (y->cols + LINES - 1) / LINES, n = lh_pieces(rows * (size_t)y->cols, 1 << 14);
    scatter s = {w, n < most ? n : most, w->match->kernel->in_place};
    lh_pool_run(w->moment->pool, s.pieces, scatter_columns, &s);
}

const lh_kernel lh_kernel_scatter = {
    .name = "scatter",
    .stands_for = "total(addrows(d, t, n))",
    .joins = true,
    .fits = scatter_fits,
    .run = scatter_run,
    .trial = "param U : 8 x 6 = normal(1)\nY = X + U[positions(tokens)]\n",
};

/* ---- total(A @ B) + total(addrows(d, t, n)): a matrix that is looked up and multiplied with, as a tied head ---- */

extern const lh_kernel lh_kernel_head;

/* It gets memory of its own, in rows: the turned one of a projection does, any other is only looked at in another way. */
static bool is_summed_product(const lh_plan *p, lh_node *n) {
    if (!lh_read_once(p, n) || p->value[n->id].role == KNOWN) return false;
    lh_match by = {0};
    if (n->kind == LH_OP_transpose && lh_kernel_head.fits(p, n, &by))
        for (int i = 0; i < by.n_outs; i++)
            if (by.out[i] == n) return true;
    return n->kind == LH_OP_total && n->in[0]->kind == LH_OP_matmul;
}

static bool onto_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_add) return false;
    for (int i = 0; i < 2; i++) {
        lh_node *to = n->in[i];
        const lh_node *rows = n->in[1 - i];
        if (!is_summed_product(p, to) || p->value[rows->id].role == KNOWN ||
            !lh_read_once(p, rows) || !scatter_fits(p, (lh_node *)rows, m))
            continue;
        m->leaf[2] = m->leaf[1], m->leaf[1] = m->leaf[0], m->leaf[0] = to;
        m->n_leaves = 3;
        return true;
    }
    return false;
}

const lh_kernel lh_kernel_onto = {
    .name = "scatter onto",
    .stands_for = "total(A @ B) + total(addrows(d, t, n))",
    .joins = true,
    .in_place = true,
    .fits = onto_fits,
    .run = scatter_run,
    .trial = "N = X * 2\nlogits = N @ E^T\nY = crossentropy(logits, target)\n",
};
