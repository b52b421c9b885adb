/* linear -- matrix products: of every example with one matrix, with a row added, and summed over examples.
 *
 *     X @ W + b            the rows of all examples lie below each other: one large product
 *     total(X^T @ dY)      ... and what comes back to W is one, too: the sum over examples is the sum inside the product
 *     Q @ K^T              a product for each example and head
 */
#include "eval/fast/fast.h"

#include <string.h>

#include "eval/fast/few.h"
#include "eval/fast/quant.h"
#include "eval/fast/vector.h"

/* ---- A @ B (+ b) ---- */

enum { PLAIN, WITH_BIAS };
enum { MATRIX = 1u << 1 }; /* the second leaf, which may lie in bf16 or in few bits */

static bool product_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    (void)p;
    if (n->kind != LH_OP_matmul) return false;
    m->leaf[0] = n->in[0], m->leaf[1] = n->in[1];
    m->n_leaves = 2;
    return true;
}

typedef struct each_product {
    const lh_work *w;
    int heads;
} each_product;

static const lh_quant *matrix_in_few_bits(const lh_work *w) {
    return (const lh_quant *)(const void *)w->in[1].block->p;
}

static void product_of_head(void *what, int piece, int thread) {
    (void)thread;
    const each_product *x = what;
    const int e = piece / x->heads, h = piece % x->heads;
    const lh_matrix a = lh_block_matrix(lh_block_of(&x->w->in[0], e), h),
                    b = lh_block_matrix(lh_block_of(&x->w->in[1], e), h),
                    c = lh_block_matrix(lh_block_of(&x->w->out, e), h);
    if (x->w->quants & MATRIX)
        lh_quant_product(NULL, &a, matrix_in_few_bits(x->w), &c, NULL);
    else if (x->w->halves & MATRIX)
        lh_half_product(NULL, &a, &b, &c, NULL); /* on this thread */
    else
        lh_matrix_product(&a, &b, &c, false);
}

static bool product_stacked(const lh_work *w, const float *bias) {
    lh_matrix a, c;
    const lh_matrix b = lh_block_matrix(w->in[1].block, 0);
    if (w->in[1].step || w->in[1].block->heads != 1) return false;
    if (!lh_stack_rows(&w->in[0], w->examples, &a) || !lh_stack_rows(&w->out, w->examples, &c))
        return false;
    if (c.rows == 1) c.rs = c.cols;
    if (w->is_last && w->examples == 1)
        a = lh_matrix_rows(a, a.rows - 1, a.rows), c = lh_matrix_rows(c, c.rows - 1, c.rows);
    if (w->quants & MATRIX) {
        lh_quant_product(w->moment->pool, &a, matrix_in_few_bits(w), &c, bias);
        return true;
    }
    if (w->halves & MATRIX) {
        lh_half_product(w->moment->pool, &a, &b, &c, bias);
        return true;
    }
    return lh_product_threads(w->moment->pool, &a, &b, &c, bias, false);
}

static void product_run(const lh_work *w) {
    if (product_stacked(w, NULL)) return;
    each_product x = {w, w->out.block->heads};
    lh_pool_run(w->moment->pool, w->examples * x.heads, product_of_head, &x);
}

const lh_kernel lh_kernel_product = {
    .name = "product",
    .stands_for = "A @ B",
    .halves = MATRIX,
    .quant_cols = MATRIX,
    .fits = product_fits,
    .run = product_run,
    .trial = "param W : 6 x 9 = normal(1)\nA = X @ W\n" /* the columns overlap */
             "Y = columns(A, 2, 6) * columns(A, 0, 4) + columns(A, 5, 9)\n",
};

/* A row added to each row of a product of every example with one matrix. */
static bool linear_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_add) return false;
    for (int i = 0; i < 2; i++) {
        lh_node *x = n->in[i], *b = n->in[1 - i];
        if (x->kind != LH_OP_matmul || !lh_read_once(p, x) || x->in[1]->shape.is_batched) continue;
        if (!lh_axis_is_one(p->g, x->shape.heads) || b->shape.is_batched) continue;
        if (!lh_axis_is_one(p->g, b->shape.rows) || lh_axis_is_one(p->g, b->shape.cols) ||
            lh_axis_is_one(p->g, x->shape.rows))
            continue;
        m->leaf[0] = x->in[0], m->leaf[1] = x->in[1], m->leaf[2] = b;
        m->n_leaves = 3;
        return true;
    }
    return false;
}

static void linear_run(const lh_work *w) {
    const lh_block *b = w->in[2].block;
    if (b->cs == 1 && product_stacked(w, b->p)) return;
    product_run(w);
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e);
        for (int r = 0; r < y->rows; r++)
            for (int c = 0; c < y->cols; c++) y->p[r * y->rs + c * y->cs] += b->p[c * b->cs];
    }
}

const lh_kernel lh_kernel_linear = {
    .name = "linear",
    .stands_for = "X @ W + b",
    .joins = true,
    .halves = MATRIX,
    .quant_cols = MATRIX,
    .fits = linear_fits,
    .run = linear_run,
    .trial = "param W : 6 x 5 = normal(1)\nparam b : 1 x 5 = normal(1)\nY = X @ W + b\n",
};

/* ---- total(A @ B), average(A @ B) ---- */

static bool summed_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_total && n->kind != LH_OP_average) return false;
    const lh_node *x = n->in[0];
    if (x->kind != LH_OP_matmul || !x->shape.is_batched || !lh_read_once(p, x) ||
        !lh_axis_is_one(p->g, x->shape.heads))
        return false;
    m->leaf[0] = x->in[0], m->leaf[1] = x->in[1];
    m->n_leaves = 2;
    m->form = n->kind == LH_OP_average;
    return true;
}

static void summed_run(const lh_work *w) {
    const int examples = w->moment->examples, of = w->moment->of;
    lh_matrix a, b, c = lh_block_matrix(w->out.block, 0);
    if (c.rows == 1) c.rs = c.cols;
    bool is_done = w->in[0].step && w->in[1].step && lh_stack_cols(&w->in[0], examples, &a) &&
                   lh_stack_rows(&w->in[1], examples, &b) &&
                   lh_product_threads(w->moment->pool, &a, &b, &c, NULL, false);
    for (int e = 0; !is_done && e < examples; e++) {
        a = lh_block_matrix(lh_block_of(&w->in[0], e), 0);
        b = lh_block_matrix(lh_block_of(&w->in[1], e), 0);
        lh_matrix_product(&a, &b, &c, e > 0);
    }
    if (!w->match->form) return;
    for (ptrdiff_t r = 0; r < c.rows; r++)
        for (ptrdiff_t k = 0; k < c.cols; k++) c.p[r * c.rs + k * c.cs] /= (float)of;
}

const lh_kernel lh_kernel_summed = {
    .name = "summed product",
    .stands_for = "total(A @ B)",
    .joins = true,
    .fits = summed_fits,
    .run = summed_run,
    .trial = "param W : 6 x 19 = normal(1)\nY = X @ W\n",
};

/* ---- total(colsum(X)): what comes back to a row that was added to every row ---- */

static bool columns_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    const lh_node *x = n->in ? n->in[0] : NULL;
    if (n->kind != LH_OP_total || !x || x->kind != LH_OP_colsum || !x->shape.is_batched ||
        !lh_read_once(p, x) || !lh_axis_is_one(p->g, x->shape.heads))
        return false;
    m->leaf[0] = x->in[0];
    m->n_leaves = 1;
    return true;
}

/* columns of a piece at least: memory is read in runs, of whole lines */
enum { WIDE = 64, LINE = 16 };

typedef struct summing {
    const lh_matrix *x;
    float *y;
    int pieces;
} summing;

/* A piece has columns of its own, and adds the rows in their order. */
static void sum_columns(void *what, int piece, int thread) {
    (void)thread;
    const summing *s = what;
    const ptrdiff_t cols = s->x->cols, lines = (cols + LINE - 1) / LINE,
                    c0 = lh_piece_from(lines, piece, s->pieces) * LINE,
                    end = lh_piece_from(lines, piece + 1, s->pieces) * LINE,
                    c1 = end < cols ? end : cols;
    for (ptrdiff_t c = c0; c < c1; c++) s->y[c] = 0;
    for (ptrdiff_t r = 0; r < s->x->rows; r++)
        lh_vector()->add(s->y + c0, s->x->p + r * s->x->rs + c0, c1 - c0);
}

static void columns_run(const lh_work *w) {
    lh_matrix x;
    const lh_block *y = w->out.block;
    if (lh_stack_rows(&w->in[0], w->moment->examples, &x) && (x.cs == 1 || x.cols == 1)) {
        summing s = {&x, y->p, lh_pieces((size_t)(x.rows * x.cols), 1 << 16)};
        const int most = (int)((x.cols + WIDE - 1) / WIDE);
        if (s.pieces > most) s.pieces = most;
        lh_pool_run(w->moment->pool, s.pieces, sum_columns, &s);
        return;
    }
    for (int c = 0; c < y->cols; c++) {
        float sum = 0;
        for (int e = 0; e < w->moment->examples; e++) {
            const lh_block *b = lh_block_of(&w->in[0], e);
            for (int r = 0; r < b->rows; r++) sum += b->p[r * b->rs + c * b->cs];
        }
        y->p[c * y->cs] = sum;
    }
}

const lh_kernel lh_kernel_columns = {
    .name = "summed columns",
    .stands_for = "total(colsum(X))",
    .joins = true,
    .fits = columns_fits,
    .run = columns_run,
    .trial = "param b : 1 x 6 = normal(1)\nY = X * X + b\n",
};
