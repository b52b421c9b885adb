/* expert -- one expert of a mixture, for the rows that asked for it alone.
 *
 *     rows with p > 0:   A = x G^T   B = x U^T   h = silu(A) B   o = h D^T   y = p o          all others: y = 0
 *     back:              do = p dy   dp = rowsum(dy o)   dD = do^T h   dh = do D
 *                        dA = dh B silu'(A)   dB = dh silu(A)   dG = dA^T x   dU = dB^T x   dx = dA G + dB U
 *
 * The rows are put below each other, of all examples, and go through the products together; then each goes to its place.
 */
#include "eval/fast/fast.h"

#include <string.h>

#include "eval/fast/quant.h"
#include "eval/fast/vector.h"

enum { X, P, GATE, UP, DOWN, DY };

static bool is_matrix(const lh_graph *g, const lh_node *n) {
    return !n->shape.is_batched && lh_axis_is_one(g, n->shape.heads);
}

/* Rows of examples, and three matrices. */
static bool expert_suits(const lh_graph *g, const lh_node *call) {
    const lh_node *x = lh_param_of(call, "x"), *p = lh_param_of(call, "p");
    return x->shape.is_batched && p->shape.is_batched && lh_axis_is_one(g, x->shape.heads) &&
           lh_axis_is_one(g, p->shape.heads) && lh_axis_is_one(g, p->shape.cols) &&
           lh_axis_same(g, x->shape.rows, p->shape.rows) && is_matrix(g, lh_param_of(call, "G")) &&
           is_matrix(g, lh_param_of(call, "U")) && is_matrix(g, lh_param_of(call, "D"));
}

static void add_operands(lh_match *m, const lh_node *call) {
    static const char *const name[] = {"x", "p", "G", "U", "D"};
    for (int i = 0; i <= DOWN; i++) m->leaf[i] = (lh_node *)lh_param_of(call, name[i]);
    m->n_leaves = DOWN + 1;
}

static bool expert_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!lh_call_is(p->g, n, "expert") || !expert_suits(p->g, n)) return false;
    add_operands(m, n);
    return true;
}

static bool back_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_back || !lh_call_is(p->g, n->in[0], "expert")) return false;
    add_operands(m, n->in[0]);
    m->leaf[DY] = n->in[1];
    m->n_leaves = DY + 1;
    lh_match_backs(n, m);
    return true;
}

/* What is worked with; all matrices have a row for each row that asked. */
typedef struct asking {
    const lh_work *w;
    int examples;
    ptrdiff_t n; /* rows that asked */
    lh_matrix x, a, b, h, o;
    float *next; /* memory that is still free */
} asking;

static lh_matrix take(asking *s, ptrdiff_t cols) {
    const lh_matrix m = {s->next, s->n, cols, cols, 1};
    s->next += s->n * cols;
    return m;
}

static bool is_asked(const lh_work *w, int e, int r) {
    return *lh_block_at(lh_block_of(&w->in[P], e), 0, r, 0) > 0;
}

/* The rows of a value that asked, below each other. */
static lh_matrix gather(asking *s, int which) {
    const int cols = s->w->in[which].block->cols;
    const lh_matrix m = take(s, cols);
    float *to = m.p;
    for (int e = 0; e < s->examples; e++) {
        const lh_block *b = lh_block_of(&s->w->in[which], e);
        for (int r = 0; r < b->rows; r++) {
            if (!is_asked(s->w, e, r)) continue;
            for (int c = 0; c < cols; c++) *to++ = *lh_block_at(b, 0, r, c);
        }
    }
    return m;
}

/* Each row to its place, zeros elsewhere; times p where by_share. */
static void scatter(const asking *s, const lh_matrix *m, const lh_view *to, bool by_share) {
    const float *from = m->p;
    for (int e = 0; e < s->examples; e++) {
        const lh_block *b = lh_block_of(to, e), *p = lh_block_of(&s->w->in[P], e);
        for (int r = 0; r < b->rows; r++) {
            const float share = *lh_block_at(p, 0, r, 0);
            const bool asked = share > 0;
            for (int c = 0; c < b->cols; c++)
                *lh_block_at(b, 0, r, c) = asked ? (by_share ? share * from[c] : from[c]) : 0;
            if (asked) from += b->cols;
        }
    }
}

static void product(const asking *s, const lh_matrix *a, const lh_matrix *b, const lh_matrix *c,
                    bool adds) {
    if (!lh_product_threads(s->w->moment->pool, a, b, c, NULL, adds))
        lh_matrix_product(a, b, c, adds);
}

static lh_matrix weights(const asking *s, int which) {
    return lh_block_matrix(s->w->in[which].block, 0);
}

/* c = a @ W^T; W may lie in few bits. */
static void product_turned(const asking *s, const lh_matrix *a, int which, const lh_matrix *c) {
    const lh_matrix turned = lh_matrix_turned(weights(s, which));
    if (s->w->quants >> which & 1)
        lh_quant_product(s->w->moment->pool, a, (const lh_quant *)(const void *)turned.p, c, NULL);
    else
        product(s, a, &turned, c, false);
}

/* As far as h: its gate and its values. */
static asking begin(const lh_work *w) {
    asking s = {.w = w, .examples = w->in[X].step ? w->moment->examples : 1};
    s.next = w->moment->scratch;
    for (int e = 0; e < s.examples; e++)
        for (int r = 0; r < lh_block_of(&w->in[P], e)->rows; r++) s.n += is_asked(w, e, r);
    if (!s.n) return s;
    const ptrdiff_t width = weights(&s, UP).rows;
    s.x = gather(&s, X);
    s.a = take(&s, width), s.b = take(&s, width), s.h = take(&s, width);
    product_turned(&s, &s.x, GATE, &s.a);
    product_turned(&s, &s.x, UP, &s.b);
    lh_vector()->gate(s.h.p, s.a.p, s.b.p, s.n * s.h.cols);
    return s;
}

static void answer(asking *s) {
    s->o = take(s, weights(s, DOWN).rows);
    product_turned(s, &s->h, DOWN, &s->o);
}

static void expert_run(const lh_work *w) {
    asking s = begin(w);
    if (s.n) answer(&s);
    scatter(&s, &s.o, &w->out, true);
}

static size_t rows_of(const lh_work *w) {
    size_t n = 0;
    for (int e = 0; e < (w->in[X].step ? w->moment->examples : 1); e++)
        n += (size_t)w->in[X].block[e].rows;
    return n;
}

static size_t expert_scratch(const lh_work *w) {
    return rows_of(w) * (2 * (size_t)w->in[X].block->cols + 3 * (size_t)w->in[GATE].block->rows);
}

const lh_kernel lh_kernel_expert = {
    .name = "expert",
    .stands_for = "expert(x, p, G, U, D)",
    .quant_rows = 1u << GATE | 1u << UP | 1u << DOWN,
    .fits = expert_fits,
    .scratch = expert_scratch,
    .run = expert_run,
    .trial = "param G : 5 x 6 = normal(1)\nparam D : 6 x 5 = normal(1)\n"
             "Y = expert(X, max(X[][0], 0), G, G * 2, D)\n",
};

/* ---- backward ---- */

static void clear(const lh_block *b) {
    for (int r = 0; r < b->rows; r++)
        for (int c = 0; c < b->cols; c++) *lh_block_at(b, 0, r, c) = 0;
}

/* to = a^T @ b */
static void to_weights(const asking *s, int which, const lh_matrix *a, const lh_matrix *b) {
    const lh_block *to = s->w->outs[which].block;
    if (!to) return;
    lh_matrix m = lh_block_matrix(to, 0);
    const lh_matrix aT = lh_matrix_turned(*a);
    if (m.rows == 1) m.rs = m.cols;
    product(s, &aT, b, &m, false);
}

/* dp = rowsum(dy * o); then dy becomes p * dy. */
static void back_to_shares(asking *s, const lh_matrix *dy) {
    ptrdiff_t i = 0;
    const lh_view *to = s->w->outs[P].block ? &s->w->outs[P] : NULL;
    if (to) answer(s);
    for (int e = 0; e < s->examples; e++) {
        const lh_block *p = lh_block_of(&s->w->in[P], e);
        for (int r = 0; r < p->rows; r++) {
            const float share = *lh_block_at(p, 0, r, 0);
            float dot = 0;
            if (share > 0) {
                float *row = dy->p + i * dy->cols;
                for (ptrdiff_t c = 0; to && c < dy->cols; c++)
                    dot += row[c] * s->o.p[i * dy->cols + c];
                for (ptrdiff_t c = 0; c < dy->cols; c++) row[c] *= share;
                i++;
            }
            if (to) *lh_block_at(lh_block_of(to, e), 0, r, 0) = dot;
        }
    }
}

static void back_run(const lh_work *w) {
    asking s = begin(w);
    const lh_matrix none = {0};
    if (!s.n) {
        for (int i = GATE; i <= DOWN; i++)
            if (w->outs[i].block) clear(w->outs[i].block);
        if (w->outs[X].block) scatter(&s, &none, &w->outs[X], false);
        if (w->outs[P].block) scatter(&s, &none, &w->outs[P], false);
        return;
    }
    const lh_matrix dy = gather(&s, DY), D = weights(&s, DOWN), G = weights(&s, GATE),
                    U = weights(&s, UP);
    back_to_shares(&s, &dy);
    to_weights(&s, DOWN, &dy, &s.h);
    const lh_matrix dh = take(&s, D.cols);
    product(&s, &dy, &D, &dh, false);
    lh_vector()->gate_back(s.h.p, dh.p, s.a.p, s.b.p, dh.p, s.n * dh.cols); /* h: dA, dh: dB */
    to_weights(&s, GATE, &s.h, &s.x);
    to_weights(&s, UP, &dh, &s.x);
    if (!w->outs[X].block) return;
    product(&s, &s.h, &G, &dy, false); /* dy is not needed any more */
    product(&s, &dh, &U, &dy, true);
    scatter(&s, &dy, &w->outs[X], false);
}

static size_t back_scratch(const lh_work *w) {
    return rows_of(w) * (3 * (size_t)w->in[X].block->cols + 4 * (size_t)w->in[GATE].block->rows);
}

const lh_kernel lh_kernel_expert_back = {
    .name = "expert, back",
    .stands_for = "the gradient of expert(x, p, G, U, D)",
    .fn = "expert",
    .suits = expert_suits,
    .fits = back_fits,
    .scratch = back_scratch,
    .run = back_run,
    .trial = "param G : 5 x 6 = normal(1)\nparam U : 5 x 6 = normal(1)\n"
             "param D : 6 x 5 = normal(1)\nY = expert(X, max(X[][0], 0), G, U, D)\n",
};
