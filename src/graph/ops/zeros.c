/* zeros -- zeros(rows, cols), or zeros(x) in the shape of x: every cell is 0.
 *
 *     y_rc = 0
 *
 * No gradient: x gives its size alone.
 */
#include "eval/work.h"
#include "explain/term.h"

static void zeros_shape(lh_graph *g, lh_node *n) {
    lh_shape_from_sizes(g, n);
    n->is_discrete = false; /* a start for something learned, not a token or a place */
}

static void zeros_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++) *lh_block_at(y, h, r, c) = 0;
    }
}

static lh_term *zeros_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_number(x, lh_explain_value(x, n, at), NULL);
}

LH_OP_RECORD(zeros) = {
    .name = "zeros",
    .summary = "Zeros: so many rows and columns, or in the shape of a value.",
    .example = {"zeros(2, 3)", "[0 0 0; 0 0 0]"},
    .n_min = 1,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .shape = zeros_shape,
    .exact = zeros_exact,
    .explain = zeros_explain,
};
