/* cumsum -- the running sum of each row.
 *
 *     y_rc = x_r0 + x_r1 + ... + x_rc
 *
 * Gradient: x_rc counts in every sum from column c on, dx_rc = dy_rc + dy_r(c + 1) + ...: the sum of the row, without what comes
 * before c:  dx = rowsum(dy) - cumsum(dy) + dy.
 */
#include "eval/work.h"
#include "explain/cost.h"
#include "explain/term.h"

static void cumsum_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++) {
                lh_real sum = 0;
                for (int c = 0; c < y->cols; c++)
                    *lh_block_at(y, h, r, c) = sum += *lh_block_at(x, h, r, c);
            }
        if (w->count) w->count[1] += lh_block_cells(x);
    }
}

static lh_node *cumsum_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    if (lh_axis_is_one(g, n->shape.cols)) return dy;
    lh_node *before =
        lh_op2(g, LH_OP_sub, lh_op1(g, LH_OP_rowsum, dy), lh_op1(g, LH_OP_cumsum, dy));
    return lh_op2(g, LH_OP_add, before, dy);
}

static lh_term *cumsum_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    lh_term *sum = lh_term_sum(x, at.col + 1);
    for (int c = 0; c < sum->n_parts; c++)
        sum->part[c] = lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.row, c});
    return sum;
}

static void cumsum_cost(const lh_graph *g, const lh_node *n, lh_cost *c) {
    lh_cost_cells(g, n->in[0], &c->operations, 1);
}

LH_OP_RECORD(cumsum) = {
    .name = "cumsum",
    .summary = "The running sum of each row: each cell with all cells before it.",
    .example = {"cumsum([1 5 2; 7 0 3])", "[1 6 8; 7 7 10]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .shape = lh_shape_as_first,
    .exact = cumsum_exact,
    .gradient = cumsum_gradient,
    .explain = cumsum_explain,
    .cost = cumsum_cost,
};
