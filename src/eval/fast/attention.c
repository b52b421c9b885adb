/* attention -- softmax(Q @ K^T / sqrt(d)) @ V, for every example and head, a block of queries at a time.
 *
 *     forward, for rows r0 to r1 of Q     S = Q_r @ K^T / sqrt(d)     P = softmax(S)     y_r = P @ V
 *     back                                P again, then  dV += P^T @ dy_r         dP = dy_r @ V^T
 *                                         dS = P * (dP - rowsum(dP * P)) / sqrt(d)
 *                                         dQ_r = dS @ K                           dK += dS^T @ Q_r
 *
 * Only a block of rows of P exists at any time, so memory grows with the length and not with its square. Nothing is kept
 * for the way back: P is made again, which costs one product of seven. With hide = later(Q, K) no key behind the last row
 * of a block is looked at.
 */
#include "eval/fast/fast.h"

#include <math.h>
#include <string.h>

#include "eval/fast/vector.h"

enum { BLOCK = 64 };

enum {
    OPEN,   /* nothing hidden */
    CAUSAL, /* what comes later */
    ROW,    /* what comes later, and where a row of 1 and 0 says: max(later(Q, K), row) */
    MASKED  /* as a matrix of 1 and 0 says */
};

static bool is_later(const lh_graph *g, const lh_node *n, const lh_node *call) {
    return lh_call_is(g, n, "later") &&
           lh_axis_same(g, lh_param_of(n, "a")->shape.rows, lh_param_of(call, "Q")->shape.rows) &&
           lh_axis_same(g, lh_param_of(n, "b")->shape.rows, lh_param_of(call, "K")->shape.rows);
}

static int hiding(const lh_graph *g, const lh_node *call, lh_node **mask) {
    lh_node *hide = (lh_node *)lh_param_of(call, "hide");
    *mask = NULL;
    if (lh_is_zero(g, hide)) return OPEN;
    if (is_later(g, hide, call)) return CAUSAL;
    for (int i = 0; hide->kind == LH_OP_max && i < 2; i++) {
        *mask = hide->in[1 - i];
        if (is_later(g, hide->in[i], call) && lh_axis_is_one(g, (*mask)->shape.rows) &&
            lh_axis_is_one(g, (*mask)->shape.heads))
            return ROW;
    }
    *mask = hide;
    return MASKED;
}

/* What is hidden has no more rows, columns, heads or examples than the scores have without it. */
static bool hide_suits(const lh_graph *g, const lh_shape *hide, const lh_shape *q,
                       const lh_shape *k) {
    return (q->is_batched || !hide->is_batched) &&
           (lh_axis_is_one(g, hide->heads) || lh_axis_same(g, hide->heads, q->heads)) &&
           (lh_axis_is_one(g, hide->rows) || !lh_axis_is_one(g, q->rows)) &&
           (lh_axis_is_one(g, hide->cols) || !lh_axis_is_one(g, k->rows));
}

/* Three values with the same heads, all of them once for each example or none. */
static bool attention_suits(const lh_graph *g, const lh_node *call) {
    const lh_shape *q = &lh_param_of(call, "Q")->shape, *k = &lh_param_of(call, "K")->shape,
                   *v = &lh_param_of(call, "V")->shape;
    return lh_axis_same(g, q->heads, k->heads) && lh_axis_same(g, q->heads, v->heads) &&
           q->is_batched == k->is_batched && q->is_batched == v->is_batched &&
           hide_suits(g, &lh_param_of(call, "hide")->shape, q, k);
}

static void add_operands(lh_match *m, const lh_graph *g, const lh_node *call) {
    m->leaf[0] = (lh_node *)lh_param_of(call, "Q");
    m->leaf[1] = (lh_node *)lh_param_of(call, "K");
    m->leaf[2] = (lh_node *)lh_param_of(call, "V");
    m->form = hiding(g, call, &m->leaf[3]);
    m->n_leaves = 4;
}

static bool attention_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!lh_call_is(p->g, n, "attention") || !attention_suits(p->g, n)) return false;
    add_operands(m, p->g, n);
    return true;
}

static bool back_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_back || !lh_call_is(p->g, n->in[0], "attention")) return false;
    add_operands(m, p->g, n->in[0]);
    m->leaf[4] = n->in[1];
    m->n_leaves = 5;
    lh_match_backs(n, m);
    return true;
}

typedef struct head {
    lh_matrix q, k, v;
    const lh_block *hide; /* or NULL */
    const float *hidden;  /* of kept rows: 1 where one is hidden; or NULL */
    ptrdiff_t hidden_step;
    int h;
    bool causal;
    int past; /* rows of K before the first row of Q */
    float scale;
} head;

/* ---- rows that are kept while an input grows: for each row its keys, its values, and whether it is hidden ---- */

static size_t kept_width(const lh_work *w) {
    const lh_block *k = w->in[1].block, *v = w->in[2].block;
    return (size_t)k->heads * (size_t)k->cols + (size_t)v->heads * (size_t)v->cols + 1;
}

static bool attention_may_grow(const lh_match *m) {
    return m->form == CAUSAL || m->form == ROW;
}

static float *kept_of(const lh_work *w, int e) {
    return w->kept + (size_t)e * (size_t)w->kept_rows * kept_width(w);
}

static void keep_block(const lh_block *b, float *to, size_t width) {
    for (int r = 0; r < b->rows; r++)
        for (int h = 0; h < b->heads; h++)
            for (int c = 0; c < b->cols; c++)
                to[(size_t)r * width + (size_t)(h * b->cols + c)] =
                    b->p[h * b->hs + r * b->rs + c * b->cs];
}

static void keep_rows(const lh_work *w, int e) {
    const size_t width = kept_width(w);
    const lh_block *k = lh_block_of(&w->in[1], e), *v = lh_block_of(&w->in[2], e);
    float *to = kept_of(w, e) + (size_t)w->moment->past * width;
    keep_block(k, to, width);
    keep_block(v, to + k->heads * k->cols, width);
    for (int r = 0; r < k->rows; r++) {
        const lh_block *hide = w->in[3].block ? lh_block_of(&w->in[3], e) : NULL;
        to[(size_t)(r + 1) * width - 1] = hide ? hide->p[r * hide->cs] : 0;
    }
}

/* Keys, values and hidden rows from the first on. */
static void look_back(const lh_work *w, int e, head *x) {
    const ptrdiff_t width = (ptrdiff_t)kept_width(w), rows = w->moment->past + x->k.rows;
    const int heads = w->in[1].block->heads;
    float *p = kept_of(w, e);
    x->past = w->moment->past;
    x->k = (lh_matrix){p + x->h * x->k.cols, rows, x->k.cols, width, 1};
    x->v = (lh_matrix){p + heads * x->k.cols + x->h * x->v.cols, rows, x->v.cols, width, 1};
    x->hidden = x->hide ? p + width - 1 : NULL;
    x->hidden_step = width;
    x->hide = NULL;
}

static head head_of(const lh_work *w, int e, int h) {
    head x = {.h = h, .causal = w->match->form == CAUSAL || w->match->form == ROW};
    x.q = lh_block_matrix(lh_block_of(&w->in[0], e), h);
    x.k = lh_block_matrix(lh_block_of(&w->in[1], e), h);
    x.v = lh_block_matrix(lh_block_of(&w->in[2], e), h);
    if (w->in[3].block) x.hide = lh_block_of(&w->in[3], e);
    if (w->kept) look_back(w, e, &x);
    x.scale = 1.0f / sqrtf((float)x.k.cols);
    return x;
}

static void hide_cells(const head *x, ptrdiff_t row, float *s, ptrdiff_t keys) {
    const lh_block *b = x->hide;
    for (ptrdiff_t c = 0; x->hidden && c < keys; c++)
        if (x->hidden[c * x->hidden_step] != 0) s[c] = -INFINITY;
    if (!b) return;
    const float *at = b->p + (b->heads > 1 ? x->h * b->hs : 0) + row * b->rs;
    for (ptrdiff_t c = 0; c < keys; c++)
        if (at[c * b->cs] != 0) s[c] = -INFINITY;
}

/* Rows r0 to r1 of P into `weights`, and how many keys they look at. */
static ptrdiff_t block_of_weights(const head *x, ptrdiff_t r0, ptrdiff_t r1, float *weights) {
    const ptrdiff_t end = r1 + x->past, keys = x->causal && end < x->k.rows ? end : x->k.rows;
    const lh_matrix q = lh_matrix_rows(x->q, r0, r1),
                    k = lh_matrix_turned(lh_matrix_rows(x->k, 0, keys)),
                    s = {weights, r1 - r0, keys, keys, 1};
    lh_matrix_product(&q, &k, &s, false);
    for (ptrdiff_t r = r0; r < r1; r++) {
        float *row = weights + (r - r0) * keys;
        const ptrdiff_t seen = r + x->past + 1;
        hide_cells(x, r, row, keys);
        lh_vector()->weigh(row, x->causal && seen < keys ? seen : keys, keys, x->scale);
    }
    return keys;
}

static size_t longest(const lh_view *v, int examples) {
    int most = 0;
    for (int e = 0; e < (v->step ? examples : 1); e++)
        if (v->block[e].rows > most) most = v->block[e].rows;
    return (size_t)most;
}

/* A block of queries of one head: each has rows of its own. */
typedef struct queries {
    const lh_work *w;
    int blocks; /* of the longest example */
} queries;

static void attention_block(void *what, int piece, int thread) {
    const queries *s = what;
    const lh_work *w = s->w;
    const int heads = w->out.block->heads, e = piece / s->blocks / heads,
              h = piece / s->blocks % heads;
    const ptrdiff_t r0 = (ptrdiff_t)(piece % s->blocks) * BLOCK;
    const head x = head_of(w, e, h);
    if (r0 >= x.q.rows) return;
    const lh_matrix y = lh_block_matrix(lh_block_of(&w->out, e), h);
    float *weights = lh_scratch(w, thread);
    const ptrdiff_t r1 = r0 + BLOCK < x.q.rows ? r0 + BLOCK : x.q.rows,
                    keys = block_of_weights(&x, r0, r1, weights);
    const lh_matrix P = {weights, r1 - r0, keys, keys, 1}, v = lh_matrix_rows(x.v, 0, keys),
                    to = lh_matrix_rows(y, r0, r1);
    lh_matrix_product(&P, &v, &to, false);
}

static void attention_run(const lh_work *w) {
    const int rows = (int)longest(&w->in[0], w->moment->examples);
    const queries s = {w, (rows + BLOCK - 1) / BLOCK};
    for (int e = 0; w->kept && e < w->examples; e++) keep_rows(w, e);
    lh_pool_run(w->moment->pool, w->examples * w->out.block->heads * s.blocks, attention_block,
                (void *)&s);
}

static size_t attention_scratch(const lh_work *w) {
    const size_t rows = longest(&w->in[1], w->moment->examples);
    return BLOCK * (w->kept_rows > (int)rows ? (size_t)w->kept_rows : rows);
}

const lh_kernel lh_kernel_attention = {
    .name = "attention",
    .stands_for = "attention(Q, K, V, hide)",
    .fits = attention_fits,
    .scratch = attention_scratch,
    .keeps = kept_width,
    .may_grow = attention_may_grow,
    .run = attention_run,
    .trial = "Y = attention(X, X * 0.5, X + 1)\n",
};

/* ---- the way back ---- */

static void clear(const lh_matrix *m) {
    for (ptrdiff_t r = 0; r < m->rows; r++)
        for (ptrdiff_t c = 0; c < m->cols; c++) m->p[r * m->rs + c * m->cs] = 0;
}

typedef struct returns {
    lh_matrix q, k, v; /* p NULL: not asked for */
} returns;

static void back_block(const head *x, const lh_matrix *dy, const returns *to, ptrdiff_t r0,
                       ptrdiff_t r1, float *weights, float *d) {
    const ptrdiff_t keys = block_of_weights(x, r0, r1, weights);
    const lh_matrix P = {weights, r1 - r0, keys, keys, 1}, dP = {d, r1 - r0, keys, keys, 1};
    const lh_matrix dy_r = lh_matrix_rows(*dy, r0, r1), q = lh_matrix_rows(x->q, r0, r1),
                    k = lh_matrix_rows(x->k, 0, keys),
                    vT = lh_matrix_turned(lh_matrix_rows(x->v, 0, keys));
    if (to->v.p) {
        const lh_matrix PT = lh_matrix_turned(P), dv = lh_matrix_rows(to->v, 0, keys);
        lh_matrix_product(&PT, &dy_r, &dv, true);
    }
    if (!to->q.p && !to->k.p) return;
    lh_matrix_product(&dy_r, &vT, &dP, false);
    for (ptrdiff_t r = 0; r < r1 - r0; r++)
        lh_vector()->weigh_back(weights + r * keys, d + r * keys, keys, x->scale);
    if (to->q.p) {
        const lh_matrix dq = lh_matrix_rows(to->q, r0, r1);
        lh_matrix_product(&dP, &k, &dq, false);
    }
    if (to->k.p) {
        const lh_matrix dST = lh_matrix_turned(dP), dk = lh_matrix_rows(to->k, 0, keys);
        lh_matrix_product(&dST, &q, &dk, true);
    }
}

static lh_matrix return_to(const lh_work *w, int i, int e, int h) {
    if (!w->outs[i].block) return (lh_matrix){0};
    return lh_block_matrix(lh_block_of(&w->outs[i], e), h);
}

static void back_head(void *what, int piece, int thread) {
    const lh_work *w = what;
    const int heads = w->in[0].block->heads, e = piece / heads, h = piece % heads;
    const head x = head_of(w, e, h);
    const lh_matrix dy = lh_block_matrix(lh_block_of(&w->in[4], e), h);
    const returns to = {return_to(w, 0, e, h), return_to(w, 1, e, h), return_to(w, 2, e, h)};
    float *weights = lh_scratch(w, thread), *d = weights + BLOCK * x.k.rows;
    if (to.k.p) clear(&to.k);
    if (to.v.p) clear(&to.v);
    for (ptrdiff_t r0 = 0; r0 < x.q.rows; r0 += BLOCK)
        back_block(&x, &dy, &to, r0, r0 + BLOCK < x.q.rows ? r0 + BLOCK : x.q.rows, weights, d);
}

static void back_run(const lh_work *w) {
    const int examples = w->in[0].step ? w->moment->examples : 1;
    lh_pool_run(w->moment->pool, examples * w->in[0].block->heads, back_head, (void *)w);
}

static size_t back_scratch(const lh_work *w) {
    return 2 * attention_scratch(w);
}

const lh_kernel lh_kernel_attention_back = {
    .name = "attention, back",
    .stands_for = "the gradient of attention(Q, K, V, hide)",
    .fn = "attention",
    .suits = attention_suits,
    .fits = back_fits,
    .scratch = back_scratch,
    .run = back_run,
    .trial =
        "param W : 6 x 6 = normal(1)\nQ = split(X @ W, 3)\nK = split(X, 3)\nV = split(X * 2, 3)\n"
        "Y = join(attention(Q, K, V, hide = later(Q, K)))\n",
};
