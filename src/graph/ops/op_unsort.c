/* unsort -- unsort(x, by): the inverse of sort: what is at a sorted position goes back to where its number came from.
 *
 *     y_rc = x_rp          p: how many numbers of row r of `by` come before by_rc
 *
 * Gradient: sorted again, dx = sort(dy, by).
 */
#include "eval/work.h"
#include "explain/term.h"
#include "graph/ops/sort_order.h"

static void unsort_shape(lh_graph *g, lh_node *n) {
    lh_shape_as_first(g, n);
    if (!lh_axis_meet(g, n, n->in[0]->shape.cols, n->in[1]->shape.cols) ||
        !lh_axis_meet(g, n, n->in[0]->shape.rows, n->in[1]->shape.rows))
        lh_shape_fail(g, n, "both values need the same rows and columns");
}

static void unsort_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e),
                       *by = lh_block_of(&w->in[1], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++)
                    *lh_block_at(y, h, r, c) = *lh_block_at(x, h, r, lh_sort_place(by, h, r, c));
    }
}

static lh_node *unsort_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return i == 0 ? lh_op2(g, LH_OP_sort, dy, n->in[1]) : NULL;
}

static lh_term *unsort_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    const int cols = lh_explain_cols(x, n->in[1], at.example);
    const double own = lh_explain_at(x, n->in[1], at)->value;
    int place = 0;
    for (int k = 0; k < cols; k++) {
        const double other =
            lh_explain_at(x, n->in[1], (lh_cell){at.example, at.head, at.row, k})->value;
        place += other < own || (k < at.col && other == own);
    }
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.row, place});
}

LH_OP_RECORD(unsort) = {
    .name = "unsort",
    .summary =
        "The inverse of sort: the numbers of each row, moved to where those of the second value "
        "were before they were sorted.",
    .example = {"unsort([10 20 30], [3 1 2])", "[30 10 20]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .shape = unsort_shape,
    .exact = unsort_exact,
    .gradient = unsort_gradient,
    .explain = unsort_explain,
};
