/* rows -- rows(x): how many rows x has, as one number.
 *
 * It differs from example to example only where the size does. No gradient.
 */
#include "eval/work.h"
#include "explain/term.h"

static void rows_shape(lh_graph *g, lh_node *n) {
    lh_shape_one(g, n);
    n->shape.heads = lh_axis_number(g, 1);
    n->shape.is_batched = g->axis[n->in[0]->shape.rows].n == 0;
}

static void rows_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++)
        *lh_block_at(lh_block_of(&w->out, e), 0, 0, 0) = (lh_real)lh_block_of(&w->in[0], e)->rows;
}

static lh_term *rows_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_number(x, lh_explain_value(x, n, at), NULL);
}

LH_OP_RECORD(rows) = {
    .name = "rows",
    .summary = "The number of rows.",
    .example = {"rows([1 2 3; 4 5 6])", "2"},
    .n_min = 1,
    .n_max = 1,
    .is_discrete = true,
    .rows = LH_ROWS_ALL,
    .shape = rows_shape,
    .exact = rows_exact,
    .explain = rows_explain,
};
