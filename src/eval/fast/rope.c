/* rope -- pairs of columns turned by an angle that grows with the position.
 *
 *     y_j = x_j cos(r w_j) + s_j x_p sin(r w_j)        p: the other column of the pair; s: -1 in the first, 1 in the second; row r
 *     back: dx_j = dy_j cos(r w_j) + s_p dy_p sin(r w_p)
 *
 * The cosines and the signed sines of all positions are found once for all heads and examples.
 */
#include "eval/fast/fast.h"

#include <math.h>

/* w is a row as wide as x that exists once, and the distance of a pair is known. */
static bool rope_suits(const lh_graph *g, const lh_node *call) {
    const lh_node *x = lh_param_of(call, "x"), *w = lh_param_of(call, "w");
    int apart;
    const size_t cols = g->axis[x->shape.cols].n;
    return w->is_discrete && !w->shape.is_batched && lh_axis_is_one(g, w->shape.rows) &&
           lh_axis_is_one(g, w->shape.heads) && lh_axis_same(g, w->shape.cols, x->shape.cols) &&
           lh_node_whole(g, lh_param_of(call, "apart"), &apart) && apart > 0 && cols > 1 &&
           cols % (2 * (size_t)apart) == 0;
}

static bool rope_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!lh_call_is(p->g, n, "rope") || !rope_suits(p->g, n)) return false;
    m->leaf[0] = (lh_node *)lh_param_of(n, "x");
    m->leaf[1] = (lh_node *)lh_param_of(n, "w");
    m->n_leaves = 2;
    lh_node_whole(p->g, lh_param_of(n, "apart"), &m->form);
    return true;
}

/* What comes back is turned back: x itself is not needed, only its sizes, which are those of dy. */
static bool back_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_back || !lh_call_is(p->g, n->in[0], "rope")) return false;
    m->leaf[0] = n->in[1];
    m->leaf[1] = (lh_node *)lh_param_of(n->in[0], "w");
    m->n_leaves = 2;
    lh_node_whole(p->g, lh_param_of(n->in[0], "apart"), &m->form);
    lh_match_backs(n, m);
    return true;
}

typedef struct turning {
    const lh_work *w;
    const lh_view *to;
    int apart, cols, rows; /* rows: of the longest example */
    bool is_back;
    float *table; /* rows x cols cosines, then as many signed sines */
    int pieces;
} turning;

/* Two columns of a pair have their own w, which are usually equal. */
static void table_rows(void *what, int piece, int thread) {
    (void)thread;
    const turning *s = what;
    const lh_block *w = s->w->in[1].block;
    const int end = (int)lh_piece_from(s->rows, piece + 1, s->pieces);
    for (int r = (int)lh_piece_from(s->rows, piece, s->pieces); r < end; r++) {
        float *c = s->table + (ptrdiff_t)r * s->cols, *sine = c + (ptrdiff_t)s->rows * s->cols;
        for (int j = 0; j < s->cols; j++) {
            const bool is_second = j / s->apart % 2;
            const int first = is_second ? j - s->apart : j;
            if (is_second && *lh_block_at(w, 0, 0, j) == *lh_block_at(w, 0, 0, first)) {
                c[j] = c[first], sine[j] = -sine[first];
                continue;
            }
            const double a = (double)(s->w->moment->past + r) * (double)*lh_block_at(w, 0, 0, j);
            c[j] = (float)cos(a), sine[j] = (float)(is_second ? sin(a) : -sin(a));
        }
    }
}

static void turn_row(const turning *s, const float *x, ptrdiff_t xs, float *y, ptrdiff_t ys,
                     const float *c, const float *sine) {
    const int n = s->apart;
    for (int j0 = 0; j0 < s->cols; j0 += 2 * n)
        for (int j = j0; j < j0 + n; j++) {
            const float a = x[j * xs], b = x[(j + n) * xs];
            y[j * ys] = a * c[j] + b * sine[s->is_back ? j + n : j];
            y[(j + n) * ys] = b * c[j + n] + a * sine[s->is_back ? j : j + n];
        }
}

static void turn_rows(void *what, int piece, int thread) {
    (void)thread;
    const turning *s = what;
    const int e = piece / s->pieces, part = piece % s->pieces;
    const lh_block *x = lh_block_of(&s->w->in[0], e), *y = lh_block_of(s->to, e);
    const ptrdiff_t end = lh_piece_from(y->rows, part + 1, s->pieces);
    for (ptrdiff_t r = lh_piece_from(y->rows, part, s->pieces); r < end; r++) {
        const float *c = s->table + r * s->cols, *sine = c + (ptrdiff_t)s->rows * s->cols;
        for (int h = 0; h < y->heads; h++)
            turn_row(s, x->p + h * x->hs + r * x->rs, x->cs, y->p + h * y->hs + r * y->rs, y->cs, c,
                     sine);
    }
}

static int longest(const lh_work *w) {
    int most = 0;
    for (int e = 0; e < (w->in[0].step ? w->moment->examples : 1); e++)
        if (w->in[0].block[e].rows > most) most = w->in[0].block[e].rows;
    return most;
}

static void turn(const lh_work *w, const lh_view *to, bool is_back) {
    turning s = {.w = w,
                 .to = to,
                 .apart = w->match->form,
                 .cols = w->in[0].block->cols,
                 .rows = longest(w),
                 .is_back = is_back,
                 .table = w->moment->scratch};
    s.pieces = lh_pieces((size_t)s.rows * (size_t)s.cols, 1 << 9);
    lh_pool_run(w->moment->pool, s.pieces, table_rows, &s);
    s.pieces = lh_pieces((size_t)s.rows * (size_t)s.cols * (size_t)to->block->heads, 1 << 13);
    lh_pool_run(w->moment->pool, s.pieces * (to->step ? w->moment->examples : 1), turn_rows, &s);
}

static size_t rope_scratch(const lh_work *w) {
    return 2 * (size_t)longest(w) * (size_t)w->in[0].block->cols;
}

static void rope_run(const lh_work *w) {
    turn(w, &w->out, false);
}

static void back_run(const lh_work *w) {
    if (w->outs[0].block) turn(w, &w->outs[0], true);
}

const lh_kernel lh_kernel_rope = {
    .name = "rope",
    .stands_for = "rope(x, w, apart)",
    .fits = rope_fits,
    .scratch = rope_scratch,
    .run = rope_run,
    .trial = "Y = rope(X)\n",
};

const lh_kernel lh_kernel_rope_back = {
    .name = "rope, back",
    .stands_for = "the gradient of rope(x, w, apart)",
    .fn = "rope",
    .suits = rope_suits,
    .fits = back_fits,
    .scratch = rope_scratch,
    .run = back_run,
    .trial = "Y = rope(X * X) * X\n",
};
