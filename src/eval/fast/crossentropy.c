/* crossentropy -- minus the log probability of the right token, from logits, for each row.
 *
 *     y_r = log(sum_c exp(x_rc)) - x_rt          back: dx_r = dy_r * (softmax(x_r) - onehot(t))
 *
 * Joined with the product that makes the logits, crossentropy(X @ W, t), the logits exist for some rows at a time: they are
 * made, turned into their gradient in place, and sent on to X and W before the next rows come. That needs dy before the
 * loss is known, which is so where the loss is a mean: then dy comes from sizes alone.
 *
 * Where products cost little beside the memory that they read, in bf16, the logits are made some words at a time, for all
 * rows, and twice: once for log(sum(exp(x))), once for their gradient. Then what comes back to W is written once.
 */
#include "eval/fast/fast.h"

#include <math.h>
#include <string.h>

#include "eval/fast/vector.h"

static int token_at(const lh_all_rows *tokens, ptrdiff_t row) {
    const float t = *lh_row(tokens, row);
    return t >= 0 && t < 1e9f ? (int)t : -1;
}

/* ---- crossentropy(x, t), and back ---- */

/* Rows of one width in all examples. */
static bool crossentropy_suits(const lh_graph *g, const lh_node *call) {
    const lh_node *x = lh_param_of(call, "x"), *t = lh_param_of(call, "t");
    return g->axis[x->shape.cols].n && lh_axis_is_one(g, x->shape.heads) && x->shape.is_batched &&
           t->shape.is_batched && lh_axis_is_one(g, t->shape.cols) &&
           lh_axis_is_one(g, t->shape.heads);
}

static bool crossentropy_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    const bool is_back = n->kind == LH_OP_back;
    const lh_node *call = is_back ? n->in[0] : n;
    if (!lh_call_is(p->g, call, "crossentropy") || !crossentropy_suits(p->g, call)) return false;
    m->leaf[0] = (lh_node *)lh_param_of(call, "x");
    m->leaf[1] = (lh_node *)lh_param_of(call, "t");
    m->leaf[2] = is_back ? n->in[1] : NULL;
    m->n_leaves = 3;
    m->form = is_back;
    return true;
}

typedef struct losses {
    const lh_work *w;
    int pieces;
    lh_all_rows x, tokens, dy, to; /* dy: in the backward pass only */
} losses;

static void crossentropy_rows(void *what, int piece, int thread) {
    const losses *s = what;
    const lh_work *w = s->w;
    const bool is_back = w->match->form;
    const ptrdiff_t cols = w->in[0].block->cols;
    ptrdiff_t cs;
    const ptrdiff_t to = lh_piece_from(s->x.n, piece + 1, s->pieces);
    for (ptrdiff_t r = lh_piece_from(s->x.n, piece, s->pieces); r < to; r++) {
        const float *x = lh_row_cells(&s->x, r, &cs);
        float *y = lh_row(&s->to, r), *row = is_back ? y : lh_scratch(w, thread);
        for (ptrdiff_t c = 0; c < cols; c++) row[c] = x[c * cs];
        const float loss = lh_vector()->surprise(row, cols, token_at(&s->tokens, r), is_back,
                                                 is_back ? *lh_row(&s->dy, r) : 0);
        if (!is_back) *y = loss;
    }
}

static void crossentropy_run(const lh_work *w) {
    const int examples = w->moment->examples;
    losses s = {.w = w, .x = lh_rows_of(&w->in[0], examples)};
    s.tokens = lh_rows_of(&w->in[1], examples);
    s.to = lh_rows_of(&w->out, examples);
    if (w->match->form) s.dy = lh_rows_of(&w->in[2], examples);
    s.pieces = lh_pieces((size_t)s.x.n * (size_t)w->in[0].block->cols, 1 << 13);
    lh_pool_run(w->moment->pool, s.pieces, crossentropy_rows, &s);
}

static size_t crossentropy_scratch(const lh_work *w) {
    return w->match->form ? 0 : (size_t)w->in[0].block->cols;
}

const lh_kernel lh_kernel_crossentropy = {
    .name = "crossentropy",
    .stands_for = "crossentropy(x, t)",
    .fn = "crossentropy",
    .suits = crossentropy_suits,
    .fits = crossentropy_fits,
    .scratch = crossentropy_scratch,
    .run = crossentropy_run,
    .trial = "logits = X @ E^T * 2\nY = crossentropy(logits, target)\n",
};

/* ---- crossentropy(X @ W, t) and its gradient, some rows at a time ---- */

enum { X, PROJECTION, TOKENS, DY }; /* leaves */
enum { LOSS, TO_X, TO_W };          /* results */
enum { PLAIN, TURNED };             /* W is wanted as dW, or as the gradient of W^T */
#define CHUNK ((size_t)1 << 24)     /* logits at a time, at most */

static bool depends_on(const lh_node *n, const lh_node *on, int depth) {
    if (n == on) return true;
    if (n->id < on->id) return false;
    if (depth > 64) return true; /* not worth finding out */
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i) && depends_on(n->in[i], on, depth + 1)) return true;
    return n->kind == LH_OP_call && depends_on(n->call->result, on, depth + 1);
}

/* Where the gradient of a loss is computed with the loss itself, what comes back to it cannot wait for a loss: not for this one, nor for
 * another, which may wait for this one in turn (a product of two losses). */
static bool waits_for_loss(const lh_graph *g, const lh_node *dy) {
    for (int i = 0; i < g->n_nodes; i++)
        if (lh_call_is(g, g->node[i], "crossentropy") && depends_on(dy, g->node[i], 0)) return true;
    return false;
}

/* The call that a node belongs to: the loss itself, or a product with what it sends back. */
static const lh_node *call_of(const lh_graph *g, const lh_node *n) {
    if (n->kind == LH_OP_transpose && n->in[0]->kind == LH_OP_total) n = n->in[0];
    if (n->kind == LH_OP_total && n->in[0]->kind == LH_OP_matmul) n = n->in[0];
    const lh_node *of[4] = {n, NULL, NULL, NULL};
    int k = 1;
    for (int i = 0; n->kind == LH_OP_matmul && i < 2; i++)
        of[k++] = n->in[i]->kind == LH_OP_transpose ? n->in[i]->in[0] : n->in[i];
    for (int i = 0; i < k; i++) {
        const lh_node *d = of[i]->whole ? of[i]->whole->node : of[i];
        if (d->kind == LH_OP_back && lh_call_is(g, d->in[0], "crossentropy")) return d->in[0];
        if (lh_call_is(g, of[i], "crossentropy")) return of[i];
    }
    return NULL;
}

static bool is_turned(const lh_node *n, const lh_node *of) {
    return n->kind == LH_OP_transpose && n->in[0] == of;
}

/* The gradient that is what the call sends back, and no more. */
static const lh_node *gradient_of(const lh_graph *g, const lh_node *back) {
    for (int i = back->definition->id; i < g->n_nodes; i++)
        if (g->node[i]->whole && g->node[i]->whole->node == back) return g->node[i];
    return back;
}

/* What is made of the logits' gradient d: products for X and for W, and nothing else. */
static bool find_products(const lh_plan *p, const lh_node *d, const lh_node *logits, lh_match *m) {
    const lh_node *x = logits->in[0], *w = logits->in[1];
    int uses = 0;
    for (int i = d->id + 1; i < p->g->n_nodes; i++) {
        lh_node *n = p->g->node[i];
        if (!p->value[i].uses) continue; /* the graph has it, and nobody asks for it */
        if (n->kind == LH_OP_matmul && n->in[0] == d &&
            (is_turned(n->in[1], w) || is_turned(w, n->in[1])))
            m->out[TO_X] = n, uses++;
        if (n->kind != LH_OP_total || n->in[0]->kind != LH_OP_matmul) continue;
        const lh_node *a = n->in[0]->in[0], *b = n->in[0]->in[1];
        if (!lh_read_once(p, n->in[0])) continue;
        if (is_turned(a, d) && b == x) m->out[TO_W] = n, m->form = TURNED, uses++;
        if (is_turned(a, x) && b == d) m->out[TO_W] = n, m->form = PLAIN, uses++;
    }
    if (m->out[TO_W] && m->form == PLAIN && lh_read_once(p, m->out[TO_W]))
        for (int i = m->out[TO_W]->id + 1; i < p->g->n_nodes; i++)
            if (is_turned(p->g->node[i], m->out[TO_W]) && p->value[i].uses) {
                m->out[TO_W] = p->g->node[i], m->form = TURNED; /* made as it is wanted */
                break;
            }
    return p->value[d->id].uses == uses;
}

/* A param or const, as it lies or turned: what a product reads. */
static bool is_matrix(const lh_node *n) {
    return n->kind == LH_OP_given || (n->kind == LH_OP_transpose && n->in[0]->kind == LH_OP_given);
}

static bool head_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    const lh_node *call = call_of(p->g, n), *back = NULL;
    if (!call || !crossentropy_suits(p->g, call)) return false;
    lh_node *logits = (lh_node *)lh_param_of(call, "x");
    if (logits->kind != LH_OP_matmul || logits->in[1]->shape.is_batched ||
        !lh_axis_is_one(p->g, logits->in[1]->shape.heads) || !is_matrix(logits->in[1]))
        return false;
    lh_node *const to_logits = call->call->back ? call->call->back[0] : NULL;
    if (to_logits && p->value[to_logits->id].uses) back = to_logits;
    if (p->value[logits->id].uses != (back ? 2 : 1)) return false;
    m->leaf[X] = logits->in[0], m->leaf[PROJECTION] = logits->in[1];
    m->leaf[TOKENS] = (lh_node *)lh_param_of(call, "t");
    m->leaf[DY] = back ? back->in[1] : NULL;
    m->n_leaves = 4;
    m->out[LOSS] = (lh_node *)call;
    m->n_outs = 3;
    return !back || (find_products(p, gradient_of(p->g, back), logits, m) &&
                     !waits_for_loss(p->g, back->in[1]));
}

typedef struct chunk {
    const lh_work *w;
    float *logits;
    ptrdiff_t cols;
    int from, n, pieces;        /* rows */
    lh_all_rows tokens, dy, to; /* of all chunks; dy and to where they are asked for */
} chunk;

static void chunk_rows(void *what, int piece, int thread) {
    (void)thread;
    const chunk *s = what;
    const lh_work *w = s->w;
    const bool goes_back = w->in[DY].block != NULL;
    const int to = (int)lh_piece_from(s->n, piece + 1, s->pieces);
    for (int i = (int)lh_piece_from(s->n, piece, s->pieces); i < to; i++) {
        const float dy = goes_back ? *lh_row(&s->dy, s->from + i) : 0;
        const float loss = lh_vector()->surprise(s->logits + i * s->cols, s->cols,
                                                 token_at(&s->tokens, s->from + i), goes_back, dy);
        if (w->outs[LOSS].block) *lh_row(&s->to, s->from + i) = loss;
    }
}

/* Rows of X for this chunk: as they lie, or one below the other in memory of our own. */
static lh_matrix chunk_of_x(const chunk *s, float *room) {
    lh_matrix x;
    const lh_view *v = &s->w->in[X];
    if (lh_stack_rows(v, s->w->moment->examples, &x) && lh_matrix_is_plain(&x))
        return lh_matrix_rows(x, s->from, s->from + s->n);
    const lh_all_rows rows = lh_rows_of(v, s->w->moment->examples);
    const int cols = v->block->cols;
    for (int i = 0; i < s->n; i++) {
        ptrdiff_t cs;
        const float *from = lh_row_cells(&rows, s->from + i, &cs);
        for (int c = 0; c < cols; c++) room[i * cols + c] = from[c * cs];
    }
    return (lh_matrix){room, s->n, cols, cols, 1};
}

static void chunk_back(const chunk *s, const lh_matrix *x_rows, const lh_matrix *projection) {
    const lh_work *w = s->w;
    const lh_matrix d = {s->logits, s->n, s->cols, s->cols, 1};
    if (w->outs[TO_X].block) {
        lh_matrix all, W = lh_matrix_turned(*projection);
        lh_stack_rows(&w->outs[TO_X], w->moment->examples, &all);
        const lh_matrix to = lh_matrix_rows(all, s->from, s->from + s->n);
        lh_product_threads(w->moment->pool, &d, &W, &to, NULL, false);
    }
    if (w->outs[TO_W].block) {
        const lh_matrix to = lh_block_matrix(w->outs[TO_W].block, 0),
                        left = lh_matrix_turned(w->match->form == TURNED ? d : *x_rows);
        lh_product_threads(w->moment->pool, &left, w->match->form == TURNED ? x_rows : &d, &to,
                           NULL, s->from > 0);
    }
}

static int chunk_size(const lh_work *w) {
    const size_t most = CHUNK / (size_t)w->in[PROJECTION].block->cols;
    const size_t all = (size_t)lh_rows_of(&w->in[X], w->moment->examples).n;
    const size_t chunks = most < 64 ? all / 64 + 1 : (all + most - 1) / most;
    return (int)((all + chunks - 1) / chunks);
}

static void run_by_rows(const lh_work *w) {
    const lh_matrix projection = lh_block_matrix(w->in[PROJECTION].block, 0);
    const int examples = w->moment->examples, size = chunk_size(w),
              n = (int)lh_rows_of(&w->in[X], examples).n;
    chunk s = {.w = w, .logits = w->moment->scratch, .cols = projection.cols};
    s.tokens = lh_rows_of(&w->in[TOKENS], examples);
    if (w->in[DY].block) s.dy = lh_rows_of(&w->in[DY], examples);
    if (w->outs[LOSS].block) s.to = lh_rows_of(&w->outs[LOSS], examples);
    for (int from = 0; from < n; from += size) {
        s.from = from;
        s.n = from + size < n ? size : n - from;
        const lh_matrix x = chunk_of_x(&s, s.logits + size * s.cols),
                        logits = {s.logits, s.n, s.cols, s.cols, 1};
        lh_product_threads(w->moment->pool, &x, &projection, &logits, NULL, false);
        s.pieces = lh_pieces((size_t)(s.n * s.cols), 1 << 14);
        lh_pool_run(w->moment->pool, s.pieces, chunk_rows, &s);
        if (w->in[DY].block) chunk_back(&s, &x, &projection);
    }
}

/* ---- some words at a time ---- */

enum { FEWEST = 512, MOST = 4096, CELLS = 1 << 21 }; /* words; logits */

typedef struct words {
    const lh_work *w;
    float *logits;      /* [n][cols]: words from .. from + cols of all rows */
    float *sum, *right; /* [n] log(sum(exp(x))) of the words so far; the logit of the right one */
    ptrdiff_t n, cols;
    int from, pieces;
    lh_all_rows tokens, dy, to;
} words;

static ptrdiff_t words_at_a_time(const lh_work *w) {
    const ptrdiff_t all = w->in[PROJECTION].block->cols,
                    rows = lh_rows_of(&w->in[X], w->moment->examples).n,
                    fit = CELLS / (rows < 1 ? 1 : rows) / 64 * 64,
                    n = fit < FEWEST ? FEWEST
                        : fit > MOST ? MOST
                                     : fit;
    return lh_pool_uses_bf16(w->moment->pool) && all >= 4 * n ? n : 0; /* 0: by rows */
}

/* log(exp(a) + exp(b)) */
static float log_of_both(float a, float b) {
    const float m = a > b ? a : b;
    return m == -INFINITY ? m : m + logf(expf(a - m) + expf(b - m));
}

static void add_words(void *what, int piece, int thread) {
    (void)thread;
    const words *s = what;
    const ptrdiff_t to = lh_piece_from(s->n, piece + 1, s->pieces);
    for (ptrdiff_t r = lh_piece_from(s->n, piece, s->pieces); r < to; r++) {
        const float *x = s->logits + r * s->cols, part = lh_vector()->log_sum(x, s->cols);
        const int t = token_at(&s->tokens, r) - s->from;
        s->sum[r] = s->from ? log_of_both(s->sum[r], part) : part;
        if (!s->from) s->right[r] = NAN; /* a token that is none */
        if (t >= 0 && t < s->cols) s->right[r] = x[t];
    }
}

static void words_back(void *what, int piece, int thread) {
    (void)thread;
    const words *s = what;
    const ptrdiff_t to = lh_piece_from(s->n, piece + 1, s->pieces);
    for (ptrdiff_t r = lh_piece_from(s->n, piece, s->pieces); r < to; r++) {
        float *x = s->logits + r * s->cols;
        const float dy = *lh_row(&s->dy, r);
        const int t = token_at(&s->tokens, r) - s->from;
        lh_vector()->shares(x, s->cols, s->sum[r], dy);
        if (t >= 0 && t < s->cols) x[t] -= dy;
    }
}

static void send_words_back(const words *s, const lh_matrix *x, const lh_matrix *projection) {
    const lh_work *w = s->w;
    lh_pool *pool = w->moment->pool;
    const lh_matrix d = {s->logits, s->n, s->cols, s->cols, 1}, dT = lh_matrix_turned(d),
                    xT = lh_matrix_turned(*x), back = lh_matrix_turned(*projection);
    lh_matrix to;
    if (w->outs[TO_X].block && lh_stack_rows(&w->outs[TO_X], w->moment->examples, &to))
        lh_product_threads(pool, &d, &back, &to, NULL, s->from > 0);
    if (!w->outs[TO_W].block) return;
    to = lh_block_matrix(w->outs[TO_W].block, 0);
    if (w->match->form == TURNED) {
        to = lh_matrix_rows(to, s->from, s->from + s->cols);
        lh_product_threads(pool, &dT, x, &to, NULL, false);
    } else {
        to.p += s->from, to.cols = s->cols;
        lh_product_threads(pool, &xT, &d, &to, NULL, false);
    }
}

/* The columns of the projection for these words. */
static lh_matrix make_words(words *s, const lh_matrix *x, ptrdiff_t from, ptrdiff_t at_a_time) {
    lh_matrix some = lh_block_matrix(s->w->in[PROJECTION].block, 0);
    some.p += from * some.cs;
    some.cols = from + at_a_time < some.cols ? at_a_time : some.cols - from;
    s->from = (int)from, s->cols = some.cols;
    s->pieces = lh_pieces((size_t)(s->n * s->cols), 1 << 14);
    const lh_matrix logits = {s->logits, s->n, s->cols, s->cols, 1};
    lh_product_threads(s->w->moment->pool, x, &some, &logits, NULL, false);
    return some;
}

static void run_by_words(const lh_work *w, ptrdiff_t at_a_time) {
    const int examples = w->moment->examples;
    const ptrdiff_t all = w->in[PROJECTION].block->cols;
    words s = {.w = w, .n = lh_rows_of(&w->in[X], examples).n, .logits = w->moment->scratch};
    s.sum = s.logits + s.n * at_a_time, s.right = s.sum + s.n;
    s.tokens = lh_rows_of(&w->in[TOKENS], examples);
    const chunk whole = {.w = w, .n = (int)s.n};
    const lh_matrix x = chunk_of_x(&whole, s.right + s.n);
    for (ptrdiff_t from = 0; from < all; from += at_a_time) {
        make_words(&s, &x, from, at_a_time);
        lh_pool_run(w->moment->pool, s.pieces, add_words, &s);
    }
    if (w->outs[LOSS].block) s.to = lh_rows_of(&w->outs[LOSS], examples);
    for (ptrdiff_t r = 0; w->outs[LOSS].block && r < s.n; r++)
        *lh_row(&s.to, r) = s.sum[r] - s.right[r];
    if (!w->in[DY].block) return;
    s.dy = lh_rows_of(&w->in[DY], examples);
    for (ptrdiff_t from = 0; from < all; from += at_a_time) {
        const lh_matrix some = make_words(&s, &x, from, at_a_time);
        lh_pool_run(w->moment->pool, s.pieces, words_back, &s);
        send_words_back(&s, &x, &some);
    }
}

static void head_run(const lh_work *w) {
    const ptrdiff_t at_a_time = words_at_a_time(w);
    if (at_a_time)
        run_by_words(w, at_a_time);
    else
        run_by_rows(w);
}

static size_t head_scratch(const lh_work *w) {
    const lh_block *b = w->in[PROJECTION].block;
    const size_t at_a_time = (size_t)words_at_a_time(w),
                 rows = (size_t)lh_rows_of(&w->in[X], w->moment->examples).n;
    if (at_a_time) return rows * (at_a_time + (size_t)b->rows + 2);
    return (size_t)chunk_size(w) * ((size_t)b->cols + (size_t)b->rows);
}

const lh_kernel lh_kernel_head = {
    .name = "projection and crossentropy",
    .stands_for = "crossentropy(X @ W, t)",
    .joins = true,
    .fits = head_fits,
    .scratch = head_scratch,
    .run = head_run,
    .trial = "N = X * 2\nlogits = N @ E^T\nY = crossentropy(logits, target)\n",
};
