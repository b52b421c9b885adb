/* attention -- softmax(Q @ K^T / sqrt(d)) @ V, for every example and head, a block of queries at a time.
 *
 *     forward, for rows r0 to r1 of Q     S = Q_r @ K^T / sqrt(d)     P = softmax(S)     y_r = P @ V
 *     back                                P again, then  dV += P^T @ dy_r         dP = dy_r @ V^T
 *                                         dS = P * (dP - rowsum(dP * P)) / sqrt(d)
 *                                         dQ_r = dS @ K                           dK += dS^T @ Q_r
 *
 * Only a block of rows of P exists at any time, so memory grows with the length and not with its square. Nothing is kept
 * for the backward pass: P is recomputed, which costs one product out of seven. With hide = later(Q, K) no key behind the last row
 * of a block is looked at, with hide = beyond(Q, K, window, sinks) none before its window but the sinks. Where Q has more heads
 * than K and V, neighbours among them share a head of K and V, which is nowhere copied. attentionwith(...) is the same with another
 * scale, a soft cap, C = cap tanh(S / cap), whose slope in the backward pass is 1 - (C / cap)^2, and a bias.
 */
#include "eval/fast/fast.h"

#include <math.h>
#include <string.h>

#include "eval/fast/attention.h"
#include "eval/fast/vector.h"

enum { BLOCK = 64 };

enum {
    OPEN,   /* nothing hidden */
    CAUSAL, /* what comes later, or lies outside a window */
    ROW,    /* ... and where a row of 1 and 0 says: max(later(Q, K), row) */
    MASKED  /* as a matrix of 1 and 0 says */
};

enum { LEAF_MASK = 3, LEAF_BIAS = 4, LEAF_DY = 5 };

static bool is_attention(const lh_graph *g, const lh_node *n) {
    return lh_call_is(g, n, "attention") || lh_call_is(g, n, "attentionwith");
}

/* later(Q, K) or beyond(Q, K, ...) with numbers that are known. */
static bool is_sight(const lh_graph *g, const lh_node *n, const lh_node *call) {
    double x;
    const bool is_window = lh_call_is(g, n, "beyond") &&
                           lh_node_constant(g, lh_param_of(n, "window"), &x) && x >= 1 &&
                           lh_node_constant(g, lh_param_of(n, "sinks"), &x) && x >= 0;
    return (is_window || lh_call_is(g, n, "later")) &&
           lh_axis_same(g, lh_param_of(n, "a")->shape.rows, lh_param_of(call, "Q")->shape.rows) &&
           lh_axis_same(g, lh_param_of(n, "b")->shape.rows, lh_param_of(call, "K")->shape.rows);
}

/* How much is hidden: the form, the matrix or row that says it, and the call of later or beyond. */
typedef struct hiding {
    int form;
    lh_node *mask;
    const lh_node *sight;
} hiding;

static hiding hiding_of(const lh_graph *g, const lh_node *call) {
    lh_node *hide = (lh_node *)lh_param_of(call, "hide");
    if (lh_is_zero(g, hide)) return (hiding){OPEN, NULL, NULL};
    if (is_sight(g, hide, call)) return (hiding){CAUSAL, NULL, hide};
    for (int i = 0; hide->kind == LH_OP_max && i < 2; i++) {
        lh_node *row = hide->in[1 - i];
        if (is_sight(g, hide->in[i], call) && lh_axis_is_one(g, row->shape.rows) &&
            lh_axis_is_one(g, row->shape.heads))
            return (hiding){ROW, row, hide->in[i]};
    }
    return (hiding){MASKED, hide, NULL};
}

/* What is laid over the scores has no more rows, columns, heads or examples than they have without it. */
static bool over_suits(const lh_graph *g, const lh_shape *over, const lh_shape *q,
                       const lh_shape *k) {
    return (q->is_batched || !over->is_batched) &&
           (lh_axis_is_one(g, over->heads) || lh_axis_same(g, over->heads, q->heads)) &&
           (lh_axis_is_one(g, over->rows) || !lh_axis_is_one(g, q->rows)) &&
           (lh_axis_is_one(g, over->cols) || !lh_axis_is_one(g, k->rows));
}

/* Does its gradient lead to a param? Where that is a long way to find out, it is taken to. */
static bool learns(const lh_node *n, int *left) {
    if (n->is_discrete) return false;
    if (n->kind == LH_OP_given) return n->given->kind == LH_PARAM && n->given->gradient;
    if (--*left < 0) return true;
    bool any = n->kind == LH_OP_call && learns(n->call->result, left);
    for (int i = 0; i < n->n_in && !any; i++) any = learns(n->in[i], left);
    return any;
}

/* The numbers of attentionwith are known, and its bias does not learn: slopes of ALiBi that are written down, or any where nothing learns. */
static bool numbers_suit(const lh_graph *g, const lh_node *call) {
    double x;
    int left = 100;
    if (lh_call_is(g, call, "attention")) return true;
    const lh_node *bias = lh_param_of(call, "bias");
    return lh_node_constant(g, lh_param_of(call, "scale"), &x) &&
           lh_node_constant(g, lh_param_of(call, "cap"), &x) && x >= 0 && !learns(bias, &left) &&
           over_suits(g, &bias->shape, &lh_param_of(call, "Q")->shape,
                      &lh_param_of(call, "K")->shape);
}

/* K and V have the same heads, as many as Q or a whole part of them; all exist once for each example, or none. */
static bool attention_suits(const lh_graph *g, const lh_node *call) {
    const lh_shape *q = &lh_param_of(call, "Q")->shape, *k = &lh_param_of(call, "K")->shape,
                   *v = &lh_param_of(call, "V")->shape;
    return g->axis[q->heads].n % g->axis[k->heads].n == 0 && lh_axis_same(g, k->heads, v->heads) &&
           q->is_batched == k->is_batched && q->is_batched == v->is_batched &&
           over_suits(g, &lh_param_of(call, "hide")->shape, q, k) && numbers_suit(g, call);
}

static void add_operands(lh_match *m, const lh_graph *g, const lh_node *call) {
    const hiding h = hiding_of(g, call);
    const lh_node *bias = lh_param_of(call, "bias");
    m->leaf[0] = (lh_node *)lh_param_of(call, "Q");
    m->leaf[1] = (lh_node *)lh_param_of(call, "K");
    m->leaf[2] = (lh_node *)lh_param_of(call, "V");
    m->leaf[LEAF_MASK] = h.mask;
    m->leaf[LEAF_BIAS] = bias && !lh_is_zero(g, bias) ? (lh_node *)bias : NULL;
    m->form = h.form;
    m->n_leaves = LEAF_BIAS + 1;
}

static bool attention_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!is_attention(p->g, n) || !attention_suits(p->g, n)) return false;
    add_operands(m, p->g, n);
    return true;
}

static bool back_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    enum { TO_Q_K_V = 3 };
    if (n->kind != LH_OP_back || !is_attention(p->g, n->in[0]) || n->index[0] >= TO_Q_K_V)
        return false;
    add_operands(m, p->g, n->in[0]);
    m->leaf[LEAF_DY] = n->in[1];
    m->n_leaves = LEAF_DY + 1;
    lh_match_backs(n, m);
    m->n_outs = TO_Q_K_V; /* what goes back to a bias, if somebody asks, goes by the definition */
    return true;
}

/* ---- numbers of a call ---- */

typedef lh_attention_numbers numbers;

static double number_of(const lh_node *call, const char *name) {
    double x = 0;
    lh_node_constant(NULL, lh_param_of(call, name), &x);
    return x;
}

static const lh_node *sight_of(const lh_node *call) {
    const lh_node *hide = lh_param_of(call, "hide");
    for (int i = 0; hide->kind == LH_OP_max && i < 2; i++)
        if (hide->in[i]->kind == LH_OP_call) return hide->in[i];
    return hide;
}

lh_attention_numbers lh_attention_numbers_of(const lh_node *n, const lh_match *m, int cols) {
    const lh_node *call = n->kind == LH_OP_back ? n->in[0] : n;
    numbers x = {.causal = m->form == CAUSAL || m->form == ROW};
    const lh_node *sight = x.causal ? sight_of(call) : NULL;
    if (sight && lh_param_of(sight, "window")) {
        x.window = (ptrdiff_t)fmin(number_of(sight, "window"), LH_MAX_AXIS);
        x.sinks = (ptrdiff_t)fmin(number_of(sight, "sinks"), LH_MAX_AXIS);
    }
    const bool is_plain = lh_param_of(call, "scale") == NULL;
    x.scale = is_plain ? 1.0f / sqrtf((float)cols) : (float)number_of(call, "scale");
    if (!is_plain) x.cap = (float)number_of(call, "cap");
    return x;
}

static numbers numbers_of(const lh_work *w) {
    return lh_attention_numbers_of(w->node, w->match, w->in[1].block->cols);
}

typedef struct head {
    lh_matrix q, k, v;
    const lh_block *hide, *bias; /* or NULL */
    const float *hidden;         /* of kept rows: 1 where one is hidden; or NULL */
    ptrdiff_t hidden_step;
    int h, of;       /* which, of Q; which of K and V */
    int past;        /* rows of K before the first row of Q */
    ptrdiff_t shift; /* of kept rows: so many behind the sinks are no longer there */
    numbers how;
    float *slopes; /* where the slopes of the soft cap are kept for the backward pass; or NULL */
} head;

/* ---- rows that are kept while an input grows: for each row its keys, its values, and whether it is hidden ----
 *
 * With a window only the sinks and what the next rows can see: sinks, then rows from kept_from(rows fed) on. That row moves on in steps
 * of `room`, so that the rows are moved down now and then and not for each token; new rows come in pieces of as many. */

static size_t kept_width(const lh_work *w) {
    const lh_block *k = w->in[1].block, *v = w->in[2].block;
    return (size_t)k->heads * (size_t)k->cols + (size_t)v->heads * (size_t)v->cols + 1;
}

static int room_of(const numbers *how) {
    return how->window < 1024 ? BLOCK : 4 * BLOCK;
}

static int attention_keeps_rows(const lh_work *w, int most) {
    const numbers how = numbers_of(w);
    const ptrdiff_t some = how.sinks + how.window + 2 * room_of(&how);
    return how.window && some < most ? (int)some : most;
}

/* Is there less room than rows may come? */
static bool is_moving(const lh_work *w, const numbers *how) {
    return w->kept && how->window && w->kept_rows == how->sinks + how->window + 2 * room_of(how);
}

/* The first row behind the sinks that is there when `rows` were fed. */
static ptrdiff_t kept_from(const lh_work *w, const numbers *how, ptrdiff_t rows) {
    const ptrdiff_t past = rows + 1 - how->window - how->sinks, room = room_of(how);
    return how->sinks + (is_moving(w, how) && past > 0 ? past / room * room : 0);
}

static int attention_keeps_from(const lh_work *w, int rows) {
    const numbers how = numbers_of(w);
    return (int)kept_from(w, &how, rows);
}

static bool attention_may_grow(const lh_match *m) {
    return (m->form == CAUSAL || m->form == ROW) && !m->leaf[LEAF_BIAS];
}

static float *kept_of(const lh_work *w, int e) {
    return w->kept + (size_t)e * (size_t)w->kept_rows * kept_width(w);
}

static void keep_row(const lh_block *b, int r, float *to) {
    for (int h = 0; h < b->heads; h++)
        for (int c = 0; c < b->cols; c++)
            to[h * b->cols + c] = b->p[h * b->hs + r * b->rs + c * b->cs];
}

/* Rows r0 to r1 of what is new: those up to the sinks at their places, the others `shift` rows before. */
static void keep_rows(const lh_work *w, const numbers *how, int e, int r0, int r1,
                      ptrdiff_t shift) {
    const size_t width = kept_width(w);
    const lh_block *k = lh_block_of(&w->in[1], e), *v = lh_block_of(&w->in[2], e),
                   *hide = w->in[LEAF_MASK].block ? lh_block_of(&w->in[LEAF_MASK], e) : NULL;
    for (int r = r0; r < r1 && r < k->rows; r++) {
        const ptrdiff_t row = w->moment->past + r, at = row < how->sinks ? row : row - shift;
        float *to = kept_of(w, e) + (size_t)at * width;
        keep_row(k, r, to);
        keep_row(v, r, to + k->heads * k->cols);
        to[width - 1] = hide ? hide->p[r * hide->cs] : 0;
    }
}

/* Behind a piece of new rows: what is out of sight from now on gives way. */
static void move_on(const lh_work *w, const numbers *how, int e, ptrdiff_t before, ptrdiff_t now) {
    const size_t width = kept_width(w);
    const ptrdiff_t from = kept_from(w, how, before), to = kept_from(w, how, now);
    float *first = kept_of(w, e) + (size_t)how->sinks * width;
    if (to > from)
        memmove(first, first + (size_t)(to - from) * width,
                (size_t)(now > to ? now - to : 0) * width * sizeof *first);
}

/* Keys, values and hidden rows from the first on. */
static void look_back(const lh_work *w, int e, head *x) {
    const ptrdiff_t width = (ptrdiff_t)kept_width(w), rows = w->moment->past + x->k.rows;
    const int heads = w->in[1].block->heads;
    float *p = kept_of(w, e);
    x->past = w->moment->past;
    x->k = (lh_matrix){p + x->of * x->k.cols, rows, x->k.cols, width, 1};
    x->v = (lh_matrix){p + heads * x->k.cols + x->of * x->v.cols, rows, x->v.cols, width, 1};
    x->hidden = x->hide ? p + width - 1 : NULL;
    x->hidden_step = width;
    x->hide = NULL;
}

/* How many heads of Q share one of K. */
static int sharing(const lh_work *w) {
    return w->in[0].block->heads / w->in[1].block->heads;
}

static head head_of(const lh_work *w, const numbers *how, int e, int h, ptrdiff_t shift) {
    head x = {.h = h, .of = h / sharing(w), .how = *how, .shift = shift};
    x.q = lh_block_matrix(lh_block_of(&w->in[0], e), h);
    x.k = lh_block_matrix(lh_block_of(&w->in[1], e), x.of);
    x.v = lh_block_matrix(lh_block_of(&w->in[2], e), x.of);
    if (w->in[LEAF_MASK].block) x.hide = lh_block_of(&w->in[LEAF_MASK], e);
    if (w->in[LEAF_BIAS].block) x.bias = lh_block_of(&w->in[LEAF_BIAS], e);
    if (w->kept) look_back(w, e, &x);
    return x;
}

/* The keys that a block of queries looks at: the first `sinks`, then those from `from` on. */
typedef struct span {
    ptrdiff_t sinks, from, n; /* n: in all */
    ptrdiff_t first;          /* where row `from` lies */
} span;

static span span_of(const head *x, ptrdiff_t r0, ptrdiff_t r1) {
    const ptrdiff_t end = r1 + x->past, keys = x->how.causal && end < x->k.rows ? end : x->k.rows;
    const ptrdiff_t from = x->how.window ? r0 + x->past + 1 - x->how.window : 0;
    if (from <= x->how.sinks) return (span){0, 0, keys, 0};
    return (span){x->how.sinks, from, x->how.sinks + keys - from, from - x->shift};
}

static lh_matrix columns_from(lh_matrix m, ptrdiff_t from, ptrdiff_t n) {
    return (lh_matrix){m.p + from * m.cs, m.rows, n, m.rs, m.cs};
}

/* C = A @ B, where B has a row for each key of the span (turned: a column), and A or C a column for each. */
static void product_by_keys(const lh_matrix *a, lh_matrix all, const span *s, const lh_matrix *c,
                            bool is_turned) {
    const ptrdiff_t first[] = {0, s->first}, n[] = {s->sinks, s->n - s->sinks};
    bool adds = false;
    for (int i = 0; i < 2; i++) {
        if (!n[i]) continue;
        const ptrdiff_t at = i ? s->sinks : 0;
        lh_matrix b = lh_matrix_rows(all, first[i], first[i] + n[i]), part;
        if (is_turned) {
            b = lh_matrix_turned(b), part = columns_from(*c, at, n[i]);
            lh_matrix_product(a, &b, &part, false);
        } else {
            part = columns_from(*a, at, n[i]);
            lh_matrix_product(&part, &b, c, adds);
            adds = true;
        }
    }
}

/* to_key += A^T @ B for the keys of the span: A has a column for each. */
static void add_to_keys(const lh_matrix *a, const lh_matrix *b, const span *s, lh_matrix to) {
    const ptrdiff_t first[] = {0, s->first}, n[] = {s->sinks, s->n - s->sinks};
    for (int i = 0; i < 2; i++) {
        if (!n[i]) continue;
        const lh_matrix part = lh_matrix_turned(columns_from(*a, i ? s->sinks : 0, n[i])),
                        keys = lh_matrix_rows(to, first[i], first[i] + n[i]);
        lh_matrix_product(&part, b, &keys, true);
    }
}

static void hide_cells(const head *x, ptrdiff_t row, float *s, const span *k) {
    const lh_block *b = x->hide;
    const float *at = b ? b->p + (b->heads > 1 ? x->h * b->hs : 0) + row * b->rs : NULL;
    for (ptrdiff_t i = 0; (b || x->hidden) && i < k->n; i++) {
        const ptrdiff_t c = i < k->sinks ? i : k->first + i - k->sinks;
        if (b ? at[c * b->cs] != 0 : x->hidden[c * x->hidden_step] != 0) s[i] = -INFINITY;
    }
    if (!x->how.window) return;
    ptrdiff_t first = row + x->past + 1 - x->how.window, i = k->sinks ? k->sinks : x->how.sinks;
    for (first += k->sinks - k->from; i < first && i < k->n; i++) s[i] = -INFINITY;
}

static void add_bias(const head *x, ptrdiff_t row, float *s, const span *k) {
    const lh_block *b = x->bias;
    const float *at = b->p + (b->heads > 1 ? x->h * b->hs : 0) + row * b->rs;
    for (ptrdiff_t i = 0; i < k->n; i++)
        s[i] += at[(i < k->sinks ? i : k->from + i - k->sinks) * b->cs];
}

/* A row of scores becomes weights. */
static void weigh_row(const head *x, ptrdiff_t row, float *s, float *slope, const span *k) {
    const ptrdiff_t seen = row + x->past + 1 - k->from + k->sinks;
    float scale = x->how.scale;
    if (x->how.cap > 0 || x->bias) {
        if (x->how.cap > 0)
            lh_vector()->bend(s, slope, k->n, scale, x->how.cap);
        else
            for (ptrdiff_t i = 0; i < k->n; i++) s[i] *= scale;
        scale = 1;
    }
    if (x->bias) add_bias(x, row, s, k);
    hide_cells(x, row, s, k);
    lh_vector()->weigh(s, x->how.causal && seen < k->n ? seen : k->n, k->n, scale);
}

/* Rows r0 to r1 of P into `weights`, and which keys they look at. */
static span block_of_weights(const head *x, ptrdiff_t r0, ptrdiff_t r1, float *weights) {
    const span k = span_of(x, r0, r1);
    const lh_matrix q = lh_matrix_rows(x->q, r0, r1), s = {weights, r1 - r0, k.n, k.n, 1};
    product_by_keys(&q, x->k, &k, &s, true);
    for (ptrdiff_t r = r0; r < r1; r++) {
        float *slope = x->slopes ? x->slopes + (r - r0) * k.n : NULL;
        weigh_row(x, r, weights + (r - r0) * k.n, slope, &k);
    }
    return k;
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
    int first;  /* row of the first block */
    int blocks; /* of the longest example */
    ptrdiff_t shift;
    numbers how;
} queries;

static void attention_block(void *what, int piece, int thread) {
    const queries *s = what;
    const lh_work *w = s->w;
    const int heads = w->out.block->heads, e = piece / s->blocks / heads,
              h = piece / s->blocks % heads;
    const ptrdiff_t r0 = s->first + (ptrdiff_t)(piece % s->blocks) * BLOCK;
    const head x = head_of(w, &s->how, e, h, s->shift);
    if (r0 >= x.q.rows) return;
    const lh_matrix y = lh_block_matrix(lh_block_of(&w->out, e), h);
    float *weights = lh_scratch(w, thread);
    const ptrdiff_t r1 = r0 + BLOCK < x.q.rows ? r0 + BLOCK : x.q.rows;
    const span k = block_of_weights(&x, r0, r1, weights);
    const lh_matrix P = {weights, r1 - r0, k.n, k.n, 1}, to = lh_matrix_rows(y, r0, r1);
    product_by_keys(&P, x.v, &k, &to, false);
}

/* Rows r0 to r1 of every example. */
static void run_rows(const lh_work *w, const numbers *how, int r0, int r1) {
    const int past = w->moment->past;
    const ptrdiff_t shift = kept_from(w, how, past + r0) - how->sinks;
    const queries s = {w, r0, (r1 - r0 + BLOCK - 1) / BLOCK, shift, *how};
    for (int e = 0; w->kept && e < w->examples; e++) keep_rows(w, how, e, r0, r1, shift);
    lh_pool_run(w->moment->pool, w->examples * w->out.block->heads * s.blocks, attention_block,
                (void *)&s);
    for (int e = 0; w->kept && e < w->examples; e++) move_on(w, how, e, past + r0, past + r1);
}

static void attention_run(const lh_work *w) {
    const int rows = (int)longest(&w->in[0], w->moment->examples);
    const numbers how = numbers_of(w);
    const int some = is_moving(w, &how) ? room_of(&how) : rows;
    for (int r = 0; r < rows; r += some) run_rows(w, &how, r, r + some < rows ? r + some : rows);
}

static size_t attention_scratch(const lh_work *w) {
    const size_t rows = longest(&w->in[1], w->moment->examples);
    return BLOCK * (w->kept_rows > (int)rows ? (size_t)w->kept_rows : rows);
}

const lh_kernel lh_kernel_attention = {
    .name = "attention",
    .stands_for = "attention(Q, K, V, hide), attentionwith(...)",
    .fits = attention_fits,
    .scratch = attention_scratch,
    .keeps = kept_width,
    .keeps_rows = attention_keeps_rows,
    .keeps_from = attention_keeps_from,
    .may_grow = attention_may_grow,
    .run = attention_run,
    .trial = "Y = attention(X, X * 0.5, X + 1)\n",
};

/* ---- backward ---- */

static void clear(const lh_matrix *m) {
    for (ptrdiff_t r = 0; r < m->rows; r++)
        for (ptrdiff_t c = 0; c < m->cols; c++) m->p[r * m->rs + c * m->cs] = 0;
}

typedef struct returns {
    lh_matrix q, k, v; /* p NULL: not asked for */
} returns;

static void back_block(const head *x, const lh_matrix *dy, const returns *to, ptrdiff_t r0,
                       ptrdiff_t r1, float *weights, float *d) {
    const span k = block_of_weights(x, r0, r1, weights);
    const lh_matrix P = {weights, r1 - r0, k.n, k.n, 1}, dP = {d, r1 - r0, k.n, k.n, 1};
    const lh_matrix dy_r = lh_matrix_rows(*dy, r0, r1), q = lh_matrix_rows(x->q, r0, r1);
    if (to->v.p) add_to_keys(&P, &dy_r, &k, to->v);
    if (!to->q.p && !to->k.p) return;
    product_by_keys(&dy_r, x->v, &k, &dP, true);
    for (ptrdiff_t r = 0; r < r1 - r0; r++) {
        lh_vector()->weigh_back(weights + r * k.n, d + r * k.n, k.n, x->how.scale);
        for (ptrdiff_t c = 0; x->slopes && c < k.n; c++) d[r * k.n + c] *= x->slopes[r * k.n + c];
    }
    if (to->q.p) {
        const lh_matrix dq = lh_matrix_rows(to->q, r0, r1);
        product_by_keys(&dP, x->k, &k, &dq, false);
    }
    if (to->k.p) add_to_keys(&dP, &q, &k, to->k);
}

static lh_matrix return_to(const lh_work *w, int i, int e, int h) {
    if (!w->outs[i].block) return (lh_matrix){0};
    return lh_block_matrix(lh_block_of(&w->outs[i], e), h);
}

typedef struct going_back {
    const lh_work *w;
    numbers how;
} going_back;

static void back_rows_of_head(const head *x, const lh_work *w, int e, float *scratch) {
    const lh_matrix dy = lh_block_matrix(lh_block_of(&w->in[LEAF_DY], e), x->h);
    const returns to = {return_to(w, 0, e, x->h), return_to(w, 1, e, x->of),
                        return_to(w, 2, e, x->of)};
    for (ptrdiff_t r0 = 0; r0 < x->q.rows; r0 += BLOCK)
        back_block(x, &dy, &to, r0, r0 + BLOCK < x->q.rows ? r0 + BLOCK : x->q.rows, scratch,
                   scratch + BLOCK * x->k.rows);
}

/* All heads of Q that share one of K and V: what they send back to it is added up here. */
static void back_heads(void *what, int piece, int thread) {
    const going_back *s = what;
    const lh_work *w = s->w;
    const int heads = w->in[1].block->heads, e = piece / heads, of = piece % heads,
              some = sharing(w);
    float *scratch = lh_scratch(w, thread);
    for (int i = 1; i <= 2; i++) {
        const lh_matrix to = return_to(w, i, e, of);
        if (to.p) clear(&to);
    }
    for (int i = 0; i < some; i++) {
        head x = head_of(w, &s->how, e, of * some + i, 0);
        if (x.how.cap > 0) x.slopes = scratch + 2 * BLOCK * x.k.rows;
        back_rows_of_head(&x, w, e, scratch);
    }
}

static void back_run(const lh_work *w) {
    const int examples = w->in[0].step ? w->moment->examples : 1;
    const going_back s = {w, numbers_of(w)};
    lh_pool_run(w->moment->pool, examples * w->in[1].block->heads, back_heads, (void *)&s);
}

static size_t back_scratch(const lh_work *w) {
    return 3 * attention_scratch(w); /* weights, what comes back to them, slopes of a cap */
}

const lh_kernel lh_kernel_attention_back = {
    .name = "attention, back",
    .stands_for = "the gradient of attention(Q, K, V, hide), attentionwith(...)",
    .fn = "attention",
    .other_fn = "attentionwith",
    .suits = attention_suits,
    .fits = back_fits,
    .scratch = back_scratch,
    .run = back_run,
    .trial =
        "param W : 6 x 6 = normal(1)\nQ = split(X @ W, 3)\nK = split(X, 3)\nV = split(X * 2, 3)\n"
        "Y = join(attention(Q, K, V, hide = later(Q, K)))\n",
};
