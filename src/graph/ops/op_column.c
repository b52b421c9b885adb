/* column -- a[][j], one column of a value.
 *
 *     y_r = a_rj            j: a number known from the program
 *
 * Gradient: the other columns do not matter: zeros, with dy placed at column j.
 */
#include "eval/work.h"
#include "explain/term.h"

static void column_shape(lh_graph *g, lh_node *n) {
    const lh_node *a = n->in[0];
    size_t cols = g->axis[a->shape.cols].n;
    if (!lh_node_whole(g, n->in[1], &n->index[0]) || (cols && (size_t)n->index[0] >= cols)) {
        lh_text text = lh_text_new(g->arena);
        lh_node_print(&text, n->in[1], n->scope);
        lh_shape_fail(g, n, "there is no column %s: columns count from 0, and there are %s", text.s,
                      lh_axis_text(g, a->shape.cols));
    }
    n->shape.rows = a->shape.rows;
    n->shape.cols = lh_axis_number(g, 1);
    n->vocab = a->vocab;
}

static void column_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    if (n->index[0] < in->cols)
        out->at = lh_layout_at(in, 0, 0, n->index[0]);
    else
        lh_layout_nowhere(out);
}

static lh_node *column_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return i == 0 ? lh_place_node(g, dy, n->in[0], 0, n->index[0]) : NULL;
}

static lh_term *column_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.row, n->index[0]});
}

static void column_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    lh_node_print_as(out, n->in[0], from, LH_BIND_POSTFIX);
    lh_text_add(out, "[][");
    lh_node_print(out, n->in[1], from);
    lh_text_add(out, "]");
}

LH_OP_RECORD(column) = {
    .name = "[][j]",
    .summary = "One column; columns count from 0.",
    .example = {"[1 2 3; 4 5 6][][1]", "[2; 5]"},
    .n_min = 2,
    .n_max = 2,
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .moves_columns = true,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_POSTFIX,
    .print = column_print,
    .shape = column_shape,
    .view = column_view,
    .gradient = column_gradient,
    .explain = column_explain,
};
