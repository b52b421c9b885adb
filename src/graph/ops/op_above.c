/* above -- above(a, b): the rows of a, then those of b.
 *
 *     y_rc = a_rc for r < A, else b_(r - A)c           A rows of a
 *
 * In every head by itself; a value without heads stands in each. Gradient: each gets its own rows of dy back, da = toprows(dy, a) and db = bottomrows(dy, b).
 */
#include "eval/work.h"
#include "explain/term.h"

static void above_shape(lh_graph *g, lh_node *n) {
    const lh_node *a = n->in[0], *b = n->in[1];
    if (!lh_axis_meet(g, n, a->shape.cols, b->shape.cols)) {
        lh_shape_fail(g, n, "columns differ (%s and %s)", lh_axis_text(g, a->shape.cols),
                      lh_axis_text(g, b->shape.cols));
        if (lh_axis_same(g, a->shape.rows, b->shape.rows))
            lh_cure(g->ctx, "beside(a, b) puts the columns of one next to those of the other");
    }
    n->shape.rows = lh_axis_sum(g, a->shape.rows, b->shape.rows);
    n->shape.cols = a->shape.cols;
    n->vocab = a->vocab == b->vocab ? a->vocab : NULL;
}

static void above_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *a = lh_block_of(&w->in[0], e),
                       *b = lh_block_of(&w->in[1], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++)
                    *lh_block_at(y, h, r, c) =
                        r < a->rows ? *lh_block_at(a, h, r, c) : *lh_block_at(b, h, r - a->rows, c);
    }
}

static lh_node *above_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return lh_op2(g, i == 0 ? LH_OP_toprows : LH_OP_bottomrows, dy, n->in[i]);
}

static lh_term *above_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int top = lh_explain_rows(x, n->in[0], at.example), i = at.row < top ? 0 : 1;
    return lh_explain_at(x, n->in[i],
                         (lh_cell){at.example, at.head, i ? at.row - top : at.row, at.col});
}

LH_OP_RECORD(above) = {
    .name = "above",
    .summary = "The rows of the first value, then those of the second.",
    .example = {"above([1 2 3; 4 5 6], [7 8 9])", "[1 2 3; 4 5 6; 7 8 9]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_ALL,
    .shape = above_shape,
    .exact = above_exact,
    .gradient = above_gradient,
    .explain = above_explain,
};
