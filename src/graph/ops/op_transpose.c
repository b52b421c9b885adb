/* transpose -- rows become columns.
 *
 *     y_rc = x_cr
 *
 * Gradient: the cell that went to (r, c) came from (c, r): dx = dy^T. No numbers move: the strides change places.
 */
#include "eval/work.h"
#include "explain/term.h"

static void transpose_shape(lh_graph *g, lh_node *n) {
    (void)g;
    n->shape.rows = n->in[0]->shape.cols;
    n->shape.cols = n->in[0]->shape.rows;
}

static void transpose_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    (void)n;
    out->rs = in->cs;
    out->cs = in->rs;
}

static lh_node *transpose_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)n, (void)i;
    return lh_op1(g, LH_OP_transpose, dy);
}

static lh_term *transpose_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.col, at.row});
}

static void transpose_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    lh_node_print_as(out, n->in[0], from, LH_BIND_POSTFIX);
    lh_text_add(out, "^T");
}

LH_OP_RECORD(transpose) = {
    .name = "^T",
    .summary = "Rows become columns, columns become rows.",
    .example = {"[1 2 3; 4 5 6]^T", "[1 4; 2 5; 3 6]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_ALL,
    .moves_columns = true,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_POSTFIX,
    .print = transpose_print,
    .shape = transpose_shape,
    .view = transpose_view,
    .gradient = transpose_gradient,
    .explain = transpose_explain,
};
