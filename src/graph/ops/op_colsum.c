/* colsum -- the sum of each column.
 *
 *     y_c = sum over r of x_rc
 *
 * Gradient: every cell of a column counts once, dx_rc = dy_c: dy stretched over the rows (the
 * engine stretches it).
 */
#include "eval/work.h"
#include "explain/cost.h"
#include "explain/term.h"

static void colsum_shape(lh_graph *g, lh_node *n) {
    n->shape.rows = lh_axis_number(g, 1);
    n->shape.cols = n->in[0]->shape.cols;
}

static void colsum_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int h = 0; h < y->heads; h++)
            for (int c = 0; c < y->cols; c++) {
                const lh_real *p = lh_block_at(x, h, 0, c);
                lh_real sum = 0;
                for (int r = 0; r < x->rows; r++) sum += p[r * x->rs];
                *lh_block_at(y, h, 0, c) = sum;
            }
        if (w->count) w->count[1] += lh_block_cells(x);
    }
}

static lh_term *colsum_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    lh_term *sum = lh_term_sum(x, lh_explain_rows(x, n->in[0], at.example));
    for (int r = 0; r < sum->n_parts; r++)
        sum->part[r] = lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, r, at.col});
    return sum;
}

LH_OP_RECORD(colsum) = {
    .name = "colsum",
    .summary = "The sum of each column.",
    .example = {"colsum([1 5 2; 7 0 3])", "[8 5 5]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_ALL,
    .shape = colsum_shape,
    .exact = colsum_exact,
    .gradient = lh_gradient_same,
    .explain = colsum_explain,
    .cost = lh_cost_operand,
};
