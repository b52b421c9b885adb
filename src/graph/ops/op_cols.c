/* cols -- cols(x): how many columns x has, as one number.
 *
 * It differs from example to example only where the size does. No gradient.
 */
#include "eval/work.h"
#include "explain/term.h"

static void cols_shape(lh_graph *g, lh_node *n) {
    lh_shape_one(g, n);
    n->shape.heads = lh_axis_number(g, 1);
    n->shape.is_batched = g->axis[n->in[0]->shape.cols].n == 0;
}

static void cols_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++)
        *lh_block_at(lh_block_of(&w->out, e), 0, 0, 0) = (lh_real)lh_block_of(&w->in[0], e)->cols;
}

static lh_term *cols_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_number(x, lh_explain_value(x, n, at), NULL);
}

LH_OP_RECORD(cols) = {
    .name = "cols",
    .summary = "The number of columns.",
    .example = {"cols([1 2 3; 4 5 6])", "3"},
    .n_min = 1,
    .n_max = 1,
    .is_discrete = true,
    .rows = LH_ROWS_EACH,
    .shape = cols_shape,
    .exact = cols_exact,
    .explain = cols_explain,
};
