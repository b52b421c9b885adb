/* last -- a[last], the last row of a value: of each example its own.
 *
 *     y_c = a_ic            i = rows(a) - 1
 *
 * Gradient: the other rows do not matter: zeros, with dy placed at the last row.
 */
#include "eval/work.h"
#include "explain/term.h"

static void last_shape(lh_graph *g, lh_node *n) {
    n->shape.rows = lh_axis_number(g, 1);
    n->shape.cols = n->in[0]->shape.cols;
    n->vocab = n->in[0]->vocab;
}

static void last_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    (void)n;
    out->at = in->at + (in->rows - 1) * in->rs;
}

static lh_node *last_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    return lh_place_node(g, dy, n->in[0], LH_AT_END, 0);
}

static lh_term *last_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int row = lh_explain_rows(x, n->in[0], at.example) - 1;
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, row, at.col});
}

static void last_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    lh_node_print_as(out, n->in[0], from, LH_BIND_POSTFIX);
    lh_text_add(out, "[last]");
}

LH_OP_RECORD(last) = {
    .name = "[last]",
    .summary = "The last row.",
    .example = {"[1 2; 3 4; 5 6][last]", "[5 6]"},
    .n_min = 1,
    .n_max = 1,
    .is_internal = true,
    .rows = LH_ROWS_ALL,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_POSTFIX,
    .print = last_print,
    .shape = last_shape,
    .view = last_view,
    .gradient = last_gradient,
    .explain = last_explain,
};
