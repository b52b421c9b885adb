/* sum -- the sum of all rows and columns; each head has its own.
 *
 *     y = sum over r and c of x_rc
 *
 * Gradient: every cell counts once, dx_rc = dy: dy stretched over rows and columns (the engine
 * stretches it).
 */
#include "eval/work.h"
#include "explain/cost.h"
#include "explain/term.h"

#include <limits.h>

static void sum_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int h = 0; h < y->heads; h++) {
            lh_real sum = 0;
            for (int r = 0; r < x->rows; r++)
                for (int c = 0; c < x->cols; c++) sum += *lh_block_at(x, h, r, c);
            *lh_block_at(y, h, 0, 0) = sum;
        }
        if (w->count) w->count[1] += lh_block_cells(x);
    }
}

static lh_term *sum_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int rows = lh_explain_rows(x, n->in[0], at.example);
    int cols = lh_explain_cols(x, n->in[0], at.example);
    bool fits = rows == 0 || cols <= INT_MAX / rows;
    lh_term *sum = lh_term_sum(x, fits ? rows * cols : 0);
    for (int r = 0, k = 0; r < rows; r++)
        for (int c = 0; c < cols && k < sum->n_parts; c++)
            sum->part[k++] = lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, r, c});
    return sum;
}

LH_OP_RECORD(sum) = {
    .name = "sum",
    .summary = "The sum of all cells; each head has its own.",
    .example = {"sum([1 5 2; 7 0 3])", "18"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_ALL,
    .shape = lh_shape_one,
    .exact = sum_exact,
    .gradient = lh_gradient_same,
    .explain = sum_explain,
    .cost = lh_cost_operand,
};
