/* row -- a[i], one row of a value.
 *
 *     y_c = a_ic            i: a number known from the program
 *
 * Gradient: the other rows do not matter: zeros, with dy placed at row i.
 */
#include "eval/work.h"
#include "explain/term.h"

static void row_shape(lh_graph *g, lh_node *n) {
    const lh_node *a = n->in[0];
    size_t rows = g->axis[a->shape.rows].n;
    double at = -1;
    lh_node_constant(g, n->in[1], &at);
    if (!lh_node_whole(g, n->in[1], &n->index[0]) || (rows && at >= (double)rows))
        lh_shape_fail(g, n, "there is no row %g: rows count from 0, and there are %s", at,
                      lh_axis_text(g, a->shape.rows));
    n->shape.rows = lh_axis_number(g, 1);
    n->shape.cols = a->shape.cols;
    n->vocab = a->vocab;
}

static void row_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    out->at = in->at + n->index[0] * in->rs;
}

static lh_node *row_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return i == 0 ? lh_place_node(g, dy, n->in[0], n->index[0], 0) : NULL;
}

static lh_term *row_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, n->index[0], at.col});
}

LH_OP_RECORD(row) = {
    .name = "[i]",
    .summary = "One row; rows count from 0.",
    .example = {"[1 2; 3 4; 5 6][1]", "[3 4]"},
    .n_min = 2,
    .n_max = 2,
    .is_internal = true,
    .rows = LH_ROWS_ALL,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_POSTFIX,
    .print = lh_print_index,
    .shape = row_shape,
    .view = row_view,
    .gradient = row_gradient,
    .explain = row_explain,
};
