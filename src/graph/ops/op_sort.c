/* sort -- the numbers of each row, smallest first. sort(x, by): the columns of x as sorting has those of `by`.
 *
 *     y_rp = x_rc          p: how many numbers of row r of `by` come before by_rc
 *
 * Gradient: every number takes what came back to its new place, dx = unsort(dy, by). A small change of `by` changes no place.
 */
#include "eval/work.h"
#include "explain/term.h"
#include "graph/ops/sort_order.h"

static void sort_shape(lh_graph *g, lh_node *n) {
    lh_shape_as_first(g, n);
    n->vocab = n->in[0]->vocab;
    if (n->n_in == 2 && (!lh_axis_meet(g, n, n->in[0]->shape.cols, n->in[1]->shape.cols) ||
                         !lh_axis_meet(g, n, n->in[0]->shape.rows, n->in[1]->shape.rows)))
        lh_shape_fail(g, n, "both values need the same rows and columns");
}

static void sort_exact(const lh_work *w) {
    const int by = w->n_in - 1;
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e),
                       *b = lh_block_of(&w->in[by], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++)
                    *lh_block_at(y, h, r, lh_sort_place(b, h, r, c)) = *lh_block_at(x, h, r, c);
    }
}

static lh_node *sort_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return i == 0 ? lh_op2(g, LH_OP_unsort, dy, n->in[n->n_in - 1]) : NULL;
}

/* The cell that came to this place. */
static lh_term *sort_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    const lh_node *by = n->in[n->n_in - 1];
    const int cols = lh_explain_cols(x, by, at.example);
    for (int c = 0; c < cols; c++) {
        const double own = lh_explain_at(x, by, (lh_cell){at.example, at.head, at.row, c})->value;
        int place = 0;
        for (int k = 0; k < cols; k++) {
            const double other =
                lh_explain_at(x, by, (lh_cell){at.example, at.head, at.row, k})->value;
            place += other < own || (k < c && other == own);
        }
        if (place == at.col)
            return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.row, c});
    }
    return lh_term_number(x, lh_explain_value(x, n, at), NULL);
}

LH_OP_RECORD(sort) = {
    .name = "sort",
    .summary = "The numbers of each row, smallest first; with a second value in the order that "
               "sorts the rows of that one.",
    .example = {"sort([3 1 2; 5 5 0])", "[1 2 3; 0 5 5]"},
    .n_min = 1,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .shape = sort_shape,
    .exact = sort_exact,
    .gradient = sort_gradient,
    .explain = sort_explain,
};
