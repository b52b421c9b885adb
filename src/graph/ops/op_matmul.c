/* matmul -- a @ b, the matrix product.
 *
 *     y_rc = sum over k of a_rk b_kc
 *
 * Gradient: a_rk meets b_kc in every y_rc, so da_rk = sum over c of dy_rc b_kc, and likewise for b:
 *
 *     da = dy @ b^T          db = a^T @ dy
 *
 * Each head is a product of its own; an operand without heads serves all of them.
 */
#include <string.h>

#include "eval/work.h"
#include "explain/cost.h"
#include "explain/term.h"

static const char *printed(lh_graph *g, const lh_node *n, const lh_scope *from) {
    lh_text t = lh_text_new(g->arena);
    lh_node_print_as(&t, n, from, LH_BIND_POSTFIX);
    return t.s;
}

enum { LONG = 40 }; /* bytes: a cure has both operands twice */

/* Of two rows or two columns the dot product was meant. False: they are something else. */
static bool cure_dot(lh_graph *g, const lh_node *n) {
    const lh_node *a = n->in[0], *b = n->in[1];
    const bool rows = lh_axis_is_one(g, a->shape.rows) && lh_axis_is_one(g, b->shape.rows),
               cols = lh_axis_is_one(g, a->shape.cols) && lh_axis_is_one(g, b->shape.cols),
               dot = lh_axis_is_one(g, a->shape.rows) && lh_axis_is_one(g, b->shape.cols);
    if (!rows && !cols && !dot) return false;
    const char *left = printed(g, a, n->scope), *right = printed(g, b, n->scope);
    if (strlen(left) + strlen(right) > LONG) left = "a", right = "b";
    if (rows && lh_axis_same(g, a->shape.cols, b->shape.cols))
        lh_cure(g->ctx, "the dot product of two rows is %s \u00b7 %s, or %s @ %s^T", left, right,
                left, right);
    else if (cols && lh_axis_same(g, a->shape.rows, b->shape.rows))
        lh_cure(g->ctx, "the dot product of two columns is %s \u00b7 %s, or %s^T @ %s", left, right,
                left, right);
    else
        lh_cure(g->ctx, "a dot product needs as many numbers on the left as on the right");
    return true;
}

static void cure_sizes(lh_graph *g, const lh_node *n) {
    const lh_node *a = n->in[0], *b = n->in[1];
    const lh_node *turn = lh_axis_same(g, a->shape.cols, b->shape.cols)   ? b
                          : lh_axis_same(g, a->shape.rows, b->shape.rows) ? a
                                                                          : NULL;
    if (turn && turn->kind == LH_OP_transpose && !turn->step) {
        lh_text name = lh_text_new(g->arena);
        lh_node_print(&name, turn->in[0], n->scope);
        lh_cure(g->ctx, "did you mean %s without ^T?", name.s);
    } else if (turn) {
        lh_cure(g->ctx, "did you mean %s^T?", printed(g, turn, n->scope));
    } else if (lh_axis_same(g, a->shape.rows, b->shape.cols)) {
        lh_cure(g->ctx, "the other way round, the sizes would match");
    } else if (lh_axis_is_one(g, a->shape.cols) || lh_axis_is_one(g, b->shape.rows)) {
        lh_cure(g->ctx, "* multiplies cell by cell and by a number");
    }
}

static bool is_number(const lh_graph *g, const lh_node *n) {
    return lh_axis_is_one(g, n->shape.rows) && lh_axis_is_one(g, n->shape.cols);
}

static void matmul_shape(lh_graph *g, lh_node *n) {
    const lh_node *a = n->in[0], *b = n->in[1];
    if (!lh_axis_meet(g, n, a->shape.cols, b->shape.rows)) {
        lh_shape_fail(g, n, "inner sizes differ (%s and %s)", lh_axis_text(g, a->shape.cols),
                      lh_axis_text(g, b->shape.rows));
        if (is_number(g, a) || is_number(g, b))
            lh_cure(g->ctx, "* multiplies cell by cell and by a number");
        else if (!cure_dot(g, n))
            cure_sizes(g, n);
    }
    n->shape.rows = a->shape.rows;
    n->shape.cols = b->shape.cols;
}

static void matmul_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *a = lh_block_of(&w->in[0], e),
                       *b = lh_block_of(&w->in[1], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++) {
                    const lh_real *pa = a->p + h * a->hs + r * a->rs;
                    const lh_real *pb = b->p + h * b->hs + c * b->cs;
                    lh_real sum = 0;
                    for (int k = 0; k < a->cols; k++, pa += a->cs, pb += b->rs) sum += *pa * *pb;
                    y->p[h * y->hs + r * y->rs + c * y->cs] = sum;
                }
        if (w->count)
            w->count[0] += (unsigned long long)y->heads * (unsigned)y->rows * (unsigned)y->cols *
                           (unsigned)a->cols;
    }
}

static lh_node *matmul_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    lh_node *other = lh_op1(g, LH_OP_transpose, n->in[1 - i]);
    return i == 0 ? lh_op2(g, LH_OP_matmul, dy, other) : lh_op2(g, LH_OP_matmul, other, dy);
}

static lh_term *matmul_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int inner = lh_explain_cols(x, n->in[0], at.example);
    lh_term *sum = lh_term_sum(x, inner);
    for (int k = 0; k < sum->n_parts; k++) {
        lh_term *a = lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.row, k});
        lh_term *b = lh_explain_at(x, n->in[1], (lh_cell){at.example, at.head, k, at.col});
        sum->part[k] = lh_term_infix(x, "*", LH_BIND_TERM, a, b, a->value * b->value);
    }
    return sum;
}

static void matmul_cost(const lh_graph *g, const lh_node *n, lh_cost *c) {
    lh_cost_add(g, &c->multiply_adds, 1, 4,
                (int[]){n->shape.heads, n->shape.rows, n->in[0]->shape.cols, n->shape.cols});
}

LH_OP_RECORD(matmul) = {
    .name = "@",
    .summary = "The matrix product: each cell is a row of the left times a column of the right.",
    .example = {"[1 2; 3 4] @ [1 0 2; 0 1 1]", "[1 2 4; 3 4 10]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .print_kind = LH_PRINT_INFIX,
    .binding = LH_BIND_TERM,
    .shape = matmul_shape,
    .exact = matmul_exact,
    .gradient = matmul_gradient,
    .explain = matmul_explain,
    .trouble = {"too large", "0 times infinity"},
    .rounding = lh_rounding_product,
    .cost = matmul_cost,
};
