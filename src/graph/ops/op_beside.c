/* beside -- beside(a, b): the columns of a, then those of b.
 *
 *     y_rc = a_rc for c < A, else b_r(c - A)           A columns of a
 *
 * In every head by itself; a value without heads stands in each. Gradient: each gets its own columns of dy back, columns(dy, 0, A) and
 * columns(dy, A, A + B). Where their number differs from example to example, they are the
 * first and the last rows of dy turned: da = toprows(dy^T, a^T)^T.
 */
#include "eval/work.h"
#include "explain/term.h"

static void beside_shape(lh_graph *g, lh_node *n) {
    const lh_node *a = n->in[0], *b = n->in[1];
    if (!lh_axis_meet(g, n, a->shape.rows, b->shape.rows)) {
        lh_shape_fail(g, n, "rows differ (%s and %s)", lh_axis_text(g, a->shape.rows),
                      lh_axis_text(g, b->shape.rows));
        if (lh_axis_same(g, a->shape.cols, b->shape.cols))
            lh_cure(g->ctx, "above(a, b) puts the rows of one above those of the other");
    }
    n->shape.rows = a->shape.rows;
    n->shape.cols = lh_axis_sum(g, a->shape.cols, b->shape.cols);
    n->vocab = a->vocab == b->vocab ? a->vocab : NULL;
}

static void beside_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *a = lh_block_of(&w->in[0], e),
                       *b = lh_block_of(&w->in[1], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++)
                    *lh_block_at(y, h, r, c) =
                        c < a->cols ? *lh_block_at(a, h, r, c) : *lh_block_at(b, h, r, c - a->cols);
    }
}

static lh_node *beside_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    int left = n->in[0]->shape.cols, all = n->shape.cols;
    if (!g->axis[all].n) {
        lh_node *turned = lh_op1(g, LH_OP_transpose, dy),
                *like = lh_op1(g, LH_OP_transpose, n->in[i]);
        lh_op_id part = i == 0 ? LH_OP_toprows : LH_OP_bottomrows;
        return lh_op1(g, LH_OP_transpose, lh_op2(g, part, turned, like));
    }
    lh_node *from = i == 0 ? lh_number(g, 0, "0") : lh_axis_node(g, left);
    return lh_op3(g, LH_OP_columns, dy, from, lh_axis_node(g, i == 0 ? left : all));
}

static lh_term *beside_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int left = lh_explain_cols(x, n->in[0], at.example), i = at.col < left ? 0 : 1;
    return lh_explain_at(x, n->in[i],
                         (lh_cell){at.example, at.head, at.row, i ? at.col - left : at.col});
}

LH_OP_RECORD(beside) = {
    .name = "beside",
    .summary = "The columns of the first value, then those of the second.",
    .example = {"beside([1 2; 3 4], [5; 6])", "[1 2 5; 3 4 6]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .shape = beside_shape,
    .exact = beside_exact,
    .gradient = beside_gradient,
    .explain = beside_explain,
};
