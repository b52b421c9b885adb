/* layernorm -- each row to mean 0 and deviation 1, then stretched by g and moved by b.
 *
 *     n = (x - mean) / d     d = sqrt(variance + eps)     y = n * g + b
 *     dn = dy * g     dx = (dn - mean(dn) - n * mean(dn * n)) / d     dg = sum of dy * n over rows     db = sum of dy
 *
 * Mean and deviation are found again on the way back: that is cheaper than keeping n. Sums over rows are made in a
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
    lh_match_backs(p, n, m);
    return true;
}

typedef struct rows {
    const lh_work *w;
    int pieces;
} rows;

static int row_count(const lh_view *v, int examples) {
    int n = 0;
    for (int e = 0; e < (v->step ? examples : 1); e++) n += v->block[e].rows;
    return n;
}

/* Row number `row` of all examples, its columns side by side: as it lies, or put so in `room`. */
static float *row_at(const lh_view *v, int row, float *room) {
    const lh_block *b = v->block;
    while (v->step && row >= b->rows) row -= b->rows, b++;
    float *at = b->p + row * b->rs;
    if (b->cs == 1 || b->cols == 1 || !room) return at;
    for (int c = 0; c < b->cols; c++) room[c] = at[c * b->cs];
    return room;
}

/* Room for two rows and two sums, for each piece. */
static float *room_of(const lh_work *w, int piece) {
    return w->moment->scratch + (size_t)piece * 4 * (size_t)w->in[0].block->cols;
}

static size_t layernorm_scratch(const lh_work *w) {
    return PARTS * 4 * (size_t)w->in[0].block->cols;
}

static void layernorm_rows(void *what, int piece, int thread) {
    (void)thread;
    const rows *s = what;
    const lh_work *w = s->w;
    const int n = row_count(&w->out, w->examples);
    const ptrdiff_t cols = w->out.block->cols;
    float *room = room_of(w, piece);
    const float *restrict g = w->in[1].block->p, *restrict b = w->in[2].block->p;
    const float eps = w->in[3].block->p[0];
    for (int r = (int)lh_piece_from(n, piece, s->pieces);
         r < lh_piece_from(n, piece + 1, s->pieces); r++) {
        const float *restrict x = row_at(&w->in[0], r, room);
        float *restrict y = row_at(&w->out, r, NULL);
        lh_vector()->norm(y, x, g, b, cols, eps);
    }
}

static void layernorm_run(const lh_work *w) {
    rows s = {w, 0};
    s.pieces =
        lh_pieces((size_t)row_count(&w->out, w->examples) * (size_t)w->out.block->cols, 1 << 14);
    if (s.pieces > PARTS) s.pieces = PARTS;
    lh_pool_run(w->moment->pool, s.pieces, layernorm_rows, &s);
}

const lh_kernel lh_kernel_layernorm = {.name = "layernorm",
                                       .stands_for = "layernorm(x, g, b)",
                                       .fits = layernorm_fits,
                                       .scratch = layernorm_scratch,
                                       .run = layernorm_run};

/* ---- the way back ---- */

static void back_rows(void *what, int piece, int thread) {
    (void)thread;
    const rows *s = what;
    const lh_work *w = s->w;
    const int n = row_count(&w->in[0], w->moment->examples);
    const ptrdiff_t cols = w->in[0].block->cols;
    float *room = room_of(w, piece), *sum = room + 2 * cols;
    memset(sum, 0, 2 * (size_t)cols * sizeof *sum);
    for (int r = (int)lh_piece_from(n, piece, s->pieces);
         r < lh_piece_from(n, piece + 1, s->pieces); r++)
        lh_vector()->norm_back(w->outs[0].block ? row_at(&w->outs[0], r, NULL) : NULL, sum,
                               sum + cols, row_at(&w->in[0], r, room),
                               row_at(&w->in[4], r, room + cols), w->in[1].block->p, cols,
                               w->in[3].block->p[0]);
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
    rows s = {w, 0};
    s.pieces = lh_pieces(
        (size_t)row_count(&w->in[0], w->moment->examples) * (size_t)w->in[0].block->cols, 1 << 14);
    if (s.pieces > PARTS) s.pieces = PARTS;
    lh_pool_run(w->moment->pool, s.pieces, back_rows, &s);
    add_parts(w, s.pieces);
}

const lh_kernel lh_kernel_layernorm_back = {.name = "layernorm, back",
                                            .stands_for = "the gradient of layernorm(x, g, b)",
                                            .fn = "layernorm",
                                            .suits = layernorm_suits,
                                            .fits = back_fits,
                                            .scratch = layernorm_scratch,
                                            .run = back_run};
