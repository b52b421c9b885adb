/* headsum -- the sum over heads, cell by cell.
 *
 *     y_rc = sum over h of x_hrc
 *
 * Gradient: every head counts once, dx_hrc = dy_rc: dy stretched over the heads (the engine
 * stretches it).
 */
#include "eval/work.h"
#include "explain/cost.h"
#include "explain/term.h"

static void headsum_shape(lh_graph *g, lh_node *n) {
    n->index[0] = (int)g->axis[n->in[0]->shape.heads].n; /* explain has no graph to ask */
    n->shape.heads = lh_axis_number(g, 1);
}

static void headsum_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int r = 0; r < y->rows; r++)
            for (int c = 0; c < y->cols; c++) {
                const lh_real *p = lh_block_at(x, 0, r, c);
                lh_real sum = 0;
                for (int h = 0; h < x->heads; h++) sum += p[h * x->hs];
                *lh_block_at(y, 0, r, c) = sum;
            }
        if (w->count) w->count[1] += lh_block_cells(x);
    }
}

static lh_term *headsum_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    lh_term *sum = lh_term_sum(x, n->index[0]);
    for (int h = 0; h < sum->n_parts; h++)
        sum->part[h] = lh_explain_at(x, n->in[0], (lh_cell){at.example, h, at.row, at.col});
    return sum;
}

LH_OP_RECORD(headsum) = {
    .name = "headsum",
    .summary = "The sum over heads, cell by cell.",
    .example = {"headsum(split([1 2 3 4 5 6; 7 8 9 10 11 13], 3))", "[9 12; 27 31]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .shape = headsum_shape,
    .exact = headsum_exact,
    .gradient = lh_gradient_same,
    .explain = headsum_explain,
    .cost = lh_cost_operand,
};
