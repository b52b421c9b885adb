/* rowsum -- the sum of each row.
 *
 *     y_r = sum over c of x_rc
 *
 * Gradient: every cell of a row counts once, dx_rc = dy_r: dy stretched over the columns (the engine stretches it).
 */
#include "eval/work.h"
#include "explain/cost.h"
#include "explain/term.h"

static void rowsum_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++) {
                const lh_real *p = x->p + h * x->hs + r * x->rs;
                lh_real sum = 0;
                for (int c = 0; c < x->cols; c++) sum += p[c * x->cs];
                y->p[h * y->hs + r * y->rs] = sum;
            }
        if (w->count)
            w->count[1] += (unsigned long long)x->heads * (unsigned)x->rows * (unsigned)x->cols;
    }
}

static lh_term *rowsum_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    lh_term *sum = lh_term_sum(x, lh_explain_cols(x, n->in[0], at.example));
    for (int c = 0; c < sum->n_parts; c++)
        sum->part[c] = lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.row, c});
    return sum;
}

LH_OP_RECORD(rowsum) = {
    .name = "rowsum",
    .summary = "The sum of each row.",
    .example = {"rowsum([1 5 2; 7 0 3])", "[8; 10]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .shape = lh_shape_column,
    .exact = rowsum_exact,
    .gradient = lh_gradient_same,
    .explain = rowsum_explain,
    .cost = lh_cost_operand,
};
