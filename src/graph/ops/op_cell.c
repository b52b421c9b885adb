/* cell -- a[i][j], one number of a value.
 *
 *     y = a_ij              i, j: numbers known from the program
 *
 * Gradient: the other cells do not matter: zeros, with dy placed at (i, j).
 */
#include "eval/work.h"
#include "explain/term.h"

/* Operand k as a row or column of a: index[k - 1]. */
static void cell_index(lh_graph *g, lh_node *n, int k, const char *what, int axis) {
    size_t size = g->axis[axis].n;
    lh_text text = lh_text_new(g->arena);
    if (lh_node_whole(g, n->in[k], &n->index[k - 1]) && (!size || (size_t)n->index[k - 1] < size))
        return;
    lh_node_print(&text, n->in[k], n->scope);
    double known;
    if (!lh_node_constant(g, n->in[k], &known)) {
        lh_shape_fail(g, n,
                      "the %s must be one number known before the program runs, and %s is not",
                      what, text.s);
        if (k == 1) lh_cure(g->ctx, "(a[t])[i] is row i of the rows that t names");
        return;
    }
    lh_shape_fail(g, n, "there is no %s %s: %ss count from 0, and there are %s", what, text.s, what,
                  lh_axis_text(g, axis));
}

static void cell_shape(lh_graph *g, lh_node *n) {
    const lh_node *a = n->in[0];
    cell_index(g, n, 1, "row", a->shape.rows);
    cell_index(g, n, 2, "column", a->shape.cols);
    lh_shape_one(g, n);
    n->vocab = a->vocab;
}

static void cell_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    if (n->index[0] < in->rows && n->index[1] < in->cols)
        out->at = lh_layout_at(in, 0, n->index[0], n->index[1]);
    else
        lh_layout_nowhere(out);
}

static lh_node *cell_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return i == 0 ? lh_place_node(g, dy, n->in[0], n->index[0], n->index[1]) : NULL;
}

static lh_term *cell_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, n->index[0], n->index[1]});
}

static void cell_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    lh_node_print_as(out, n->in[0], from, LH_BIND_POSTFIX);
    for (int k = 1; k <= 2; k++) {
        lh_text_add(out, "[");
        lh_node_print(out, n->in[k], from);
        lh_text_add(out, "]");
    }
}

LH_OP_RECORD(cell) = {
    .name = "[i][j]",
    .summary = "One cell, by its row and its column; both count from 0.",
    .example = {"[1 2 3; 4 5 6][1][2]", "6"},
    .n_min = 3,
    .n_max = 3,
    .is_internal = true,
    .rows = LH_ROWS_ALL,
    .moves_columns = true,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_POSTFIX,
    .print = cell_print,
    .shape = cell_shape,
    .view = cell_view,
    .gradient = cell_gradient,
    .explain = cell_explain,
};
