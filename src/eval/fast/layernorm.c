/* layernorm -- each row to mean 0 and deviation 1, then stretched by g and moved by b.
 *
 *     n = (x - mean) / d     d = sqrt(variance + eps)     y = n * g + b
 *     dn = dy * g     dx = (dn - mean(dn) - n * mean(dn * n)) / d     dg = sum of dy * n over rows     db = sum of dy
 *
 * Mean and deviation are computed again in the backward pass: that is cheaper than keeping n. Sums over rows are made in a
 * fixed number of parts, then added in order.
 */
#include "eval/fast/fast.h"

#include <math.h>
#include <string.h>

#include "eval/fast/vector.h"

enum { PARTS = 16 };

/* g and b are given rows as wide as x; eps is one number. */
static bool layernorm_suits(const lh_graph *g, const lh_node *call) {
    const lh_node *x = lh_param_of(call, "x");
    const char *row[] = {"g", "b"};
    for (int i = 0; i < 2; i++) {
        const lh_node *r = lh_param_of(call, row[i]);
        if (r->kind != LH_OP_given || r->shape.is_batched || !lh_axis_is_one(g, r->shape.rows) ||
            !lh_axis_is_one(g, r->shape.heads) || !lh_axis_same(g, r->shape.cols, x->shape.cols))
            return false;
    }
    const lh_node *eps = lh_param_of(call, "eps");
    return lh_axis_is_one(g, x->shape.heads) && !eps->shape.is_batched &&
           eps->kind != LH_OP_given && lh_axis_is_one(g, eps->shape.rows) &&
           lh_axis_is_one(g, eps->shape.cols);
}

static void add_operands(lh_match *m, const lh_node *call) {
    m->leaf[0] = (lh_node *)lh_param_of(call, "x");
    m->leaf[1] = (lh_node *)lh_param_of(call, "g");
    m->leaf[2] = (lh_node *)lh_param_of(call, "b");
    m->leaf[3] = (lh_node *)lh_param_of(call, "eps");
    m->n_leaves = 4;
}

static bool layernorm_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!lh_call_is(p->g, n, "layernorm") || !layernorm_suits(p->g, n)) return false;
    add_operands(m, n);
    return true;
}

static bool back_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_back || !lh_call_is(p->g, n->in[0], "layernorm")) return false;
    add_operands(m, n->in[0]);
    m->leaf[4] = n->in[1];
    m->n_leaves = 5;
    lh_match_backs(n, m);
    return true;
}

typedef struct norms {
    const lh_work *w;
    int pieces;
    lh_all_rows x, dy, to; /* dy, to: where there are such */
} norms;

/* A row with its columns side by side: as it lies, or put so in `room`. */
static const float *side_by_side(const lh_all_rows *rows, ptrdiff_t r, float *room) {
    const int cols = rows->view->block->cols;
    ptrdiff_t cs;
    const float *at = lh_row_cells(rows, r, &cs);
    if (cs == 1 || cols == 1) return at;
    for (int c = 0; c < cols; c++) room[c] = at[c * cs];
    return room;
}

/* In the backward pass: room for two rows and two sums, for each part; forward for one row of each of up to 4 PARTS pieces. */
static float *room_of(const lh_work *w, int piece) {
    return w->moment->scratch + (size_t)piece * 4 * (size_t)w->in[0].block->cols;
}

static size_t layernorm_scratch(const lh_work *w) {
    return PARTS * 4 * (size_t)w->in[0].block->cols;
}

static int parts_of(const lh_all_rows *x) {
    const int n = lh_pieces((size_t)x->n * (size_t)x->view->block->cols, 1 << 12);
    return n < PARTS ? n : PARTS;
}

static void layernorm_rows(void *what, int piece, int thread) {
    (void)thread;
    const norms *s = what;
    const lh_work *w = s->w;
    const ptrdiff_t cols = w->out.block->cols, end = lh_piece_from(s->x.n, piece + 1, s->pieces);
    float *room = w->moment->scratch + (ptrdiff_t)piece * cols;
    const float *restrict g = w->in[1].block->p, *restrict b = w->in[2].block->p;
    const float eps = w->in[3].block->p[0];
    for (ptrdiff_t r = lh_piece_from(s->x.n, piece, s->pieces); r < end; r++)
        lh_vector()->norm(lh_row(&s->to, r), side_by_side(&s->x, r, room), g, b, cols, eps);
}

static void layernorm_run(const lh_work *w) {
    norms s = {.w = w, .x = lh_rows_of(&w->in[0], w->examples)};
    s.to = lh_rows_of(&w->out, w->examples);
    s.pieces = lh_pieces((size_t)s.x.n * (size_t)w->out.block->cols, 1 << 12);
    lh_pool_run(w->moment->pool, s.pieces, layernorm_rows, &s);
}

const lh_kernel lh_kernel_layernorm = {
    .name = "layernorm",
    .stands_for = "layernorm(x, g, b)",
    .fits = layernorm_fits,
    .scratch = layernorm_scratch,
    .run = layernorm_run,
    .trial = "param g : 1 x 6 = normal(1)\nparam b : 1 x 6 = normal(1)\nY = layernorm(X, g, b)\n",
};

/* ---- backward ---- */

static void back_rows(void *what, int piece, int thread) {
    (void)thread;
    const norms *s = what;
    const lh_work *w = s->w;
    const ptrdiff_t cols = w->in[0].block->cols, end = lh_piece_from(s->x.n, piece + 1, s->pieces);
    float *room = room_of(w, piece), *sum = room + 2 * cols;
    memset(sum, 0, 2 * (size_t)cols * sizeof *sum);
    for (ptrdiff_t r = lh_piece_from(s->x.n, piece, s->pieces); r < end; r++)
        lh_vector()->norm_back(w->outs[0].block ? lh_row(&s->to, r) : NULL, sum, sum + cols,
                               side_by_side(&s->x, r, room), side_by_side(&s->dy, r, room + cols),
                               w->in[1].block->p, cols, w->in[3].block->p[0]);
}

static void add_parts(const lh_work *w, int pieces) {
    const ptrdiff_t cols = w->in[0].block->cols;
    for (int i = 1; i <= 2; i++) {
        if (!w->outs[i].block) continue;
        float *restrict to = w->outs[i].block->p;
        memset(to, 0, (size_t)cols * sizeof *to);
        for (int k = 0; k < pieces; k++) {
            const float *restrict sum = room_of(w, k) + (1 + i) * cols;
            for (ptrdiff_t c = 0; c < cols; c++) to[c] += sum[c];
        }
    }
}

static void back_run(const lh_work *w) {
    const int examples = w->in[0].step ? w->moment->examples : 1;
    norms s = {.w = w, .x = lh_rows_of(&w->in[0], examples)};
    s.dy = lh_rows_of(&w->in[4], examples);
    if (w->outs[0].block) s.to = lh_rows_of(&w->outs[0], examples);
    s.pieces = parts_of(&s.x);
    lh_pool_run(w->moment->pool, s.pieces, back_rows, &s);
    add_parts(w, s.pieces);
}

const lh_kernel lh_kernel_layernorm_back = {
    .name = "layernorm, back",
    .stands_for = "the gradient of layernorm(x, g, b)",
    .fn = "layernorm",
    .suits = layernorm_suits,
    .fits = back_fits,
    .scratch = layernorm_scratch,
    .run = back_run,
    .trial = "param g : 1 x 6 = normal(1)\nparam b : 1 x 6 = normal(1)\nY = layernorm(X "
             "* 3, g, b, eps = 0.1)\n",
};
