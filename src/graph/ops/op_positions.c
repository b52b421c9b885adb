/* positions -- positions(t): for each row of t its number, 0, 1, 2 ..., as a column.
 *
 *     y_r = r
 *
 * No gradient: t gives its length alone.
 */
#include "eval/work.h"
#include "explain/term.h"

static void positions_shape(lh_graph *g, lh_node *n) {
    n->shape.rows = n->in[0]->shape.rows;
    n->shape.cols = n->shape.heads = lh_axis_number(g, 1);
    n->shape.is_batched = g->axis[n->shape.rows].n == 0;
}

static void positions_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e);
        for (int r = 0; r < y->rows; r++) *lh_block_at(y, 0, r, 0) = (lh_real)(w->moment->past + r);
    }
}

LH_OP_RECORD(positions) = {
    .name = "positions",
    .summary = "For each row its number, from 0, as a column.",
    .example = {"positions([7 7; 7 7; 7 7])", "[0; 1; 2]"},
    .n_min = 1,
    .n_max = 1,
    .is_discrete = true,
    .rows = LH_ROWS_EACH,
    .sizes_only = LH_ALL_OPERANDS,
    .shape = positions_shape,
    .exact = positions_exact,
    .explain = lh_explain_number,
};
