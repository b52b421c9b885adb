/* rowmax -- the largest number of each row.
 *
 *     y_r = max_c x_rc
 *
 * Gradient: only the winner moves the result, so dx_rc = dy_r where x_rc is the first largest, else 0.
 */
#include "eval/work.h"
#include "explain/cost.h"
#include "explain/term.h"

static void rowmax_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++) {
                const lh_real *p = x->p + h * x->hs + r * x->rs;
                lh_real best = *p;
                for (int c = 1; c < x->cols; c++)
                    if (p[c * x->cs] > best) best = p[c * x->cs];
                y->p[h * y->hs + r * y->rs] = best;
            }
        if (w->count)
            w->count[1] += (unsigned long long)x->heads * (unsigned)x->rows * (unsigned)x->cols;
    }
}

/* dy where the column is the winner's. */
static lh_node *rowmax_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    lh_node *winner = lh_op1(g, LH_OP_argmax, n->in[0]);
    lh_node *width = lh_op1(g, LH_OP_cols, n->in[0]);
    return lh_op2(g, LH_OP_mul, dy, lh_op2(g, LH_OP_onehot, winner, width));
}

static lh_term *rowmax_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int cols = lh_explain_cols(x, n->in[0], at.example);
    lh_term **part = lh_alloc_array(lh_explain_arena(x), (size_t)cols, sizeof *part);
    if (!part) cols = 0;
    for (int c = 0; c < cols; c++)
        part[c] = lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.row, c});
    return lh_term_call(x, "max", cols, part, lh_explain_value(x, n, at));
}

LH_OP_RECORD(rowmax) = {
    .name = "rowmax",
    .summary = "The largest number of each row.",
    .example = {"rowmax([1 5 2; 7 0 3])", "[5; 7]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .shape = lh_shape_column,
    .exact = rowmax_exact,
    .gradient = rowmax_gradient,
    .explain = rowmax_explain,
    .cost = lh_cost_operand,
};
