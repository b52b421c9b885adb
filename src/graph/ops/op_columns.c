/* columns -- columns(a, from, to), some columns of a value: from, from + 1 ... to - 1.
 *
 *     y_rc = a_r(from + c)          from, to: numbers known from the program
 *
 * Gradient: the other columns do not matter: zeros, with dy placed at column from.
 */
#include "eval/work.h"
#include "explain/term.h"

/* The width keeps its name: from 2*dim to 3*dim it is dim. */
static int columns_width(lh_graph *g, const lh_node *n) {
    if (n->index[0] == 0) return lh_axis_of_node(g, n->in[2]);
    size_t width = (size_t)(n->index[1] - n->index[0]);
    int from = lh_axis_of_node(g, n->in[1]), to = lh_axis_of_node(g, n->in[2]);
    const lh_axis *a = &g->axis[from], *b = &g->axis[to];
    int base = a->n_factors == 1 ? a->factor[0].axis : 0;
    bool is_multiple = a->n_factors == 1 && b->n_factors == 1 && b->factor[0].axis == base &&
                       a->factor[0].power == 1 && b->factor[0].power == 1 && g->axis[base].n &&
                       width % g->axis[base].n == 0;
    if (!is_multiple) return lh_axis_number(g, width);
    return lh_axis_times(g, lh_axis_number(g, width / g->axis[base].n), base);
}

static void columns_shape(lh_graph *g, lh_node *n) {
    const lh_node *a = n->in[0];
    size_t cols = g->axis[a->shape.cols].n;
    int from, to;
    if (!lh_node_whole(g, n->in[1], &from) || !lh_node_whole(g, n->in[2], &to)) {
        lh_shape_fail(g, n,
                      "from and to are whole numbers from 0 on, known before the program runs");
        return;
    }
    if (from >= to || (cols && (size_t)to > cols)) {
        lh_shape_fail(g, n, "there are no columns %d to %d: columns count from 0, and there are %s",
                      from, to - 1, lh_axis_text(g, a->shape.cols));
        if (from == to) lh_cure(g->ctx, "the last number is the first column that is left out");
        return;
    }
    n->index[0] = from;
    n->index[1] = to;
    n->shape.rows = a->shape.rows;
    n->shape.cols = columns_width(g, n);
    n->vocab = a->vocab;
}

static void columns_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    if (n->index[1] <= in->cols)
        out->at = lh_layout_at(in, 0, 0, n->index[0]);
    else
        lh_layout_nowhere(out);
}

static lh_node *columns_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return i == 0 ? lh_place_node(g, dy, n->in[0], 0, n->index[0]) : NULL;
}

static lh_term *columns_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.row, n->index[0] + at.col});
}

LH_OP_RECORD(columns) = {
    .name = "columns",
    .summary = "The columns from the second number up to, but not including, the third.",
    .example = {"columns([1 2 3 4; 5 6 7 8], 1, 3)", "[2 3; 6 7]"},
    .n_min = 3,
    .n_max = 3,
    .rows = LH_ROWS_EACH,
    .moves_columns = true,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .shape = columns_shape,
    .view = columns_view,
    .gradient = columns_gradient,
    .explain = columns_explain,
};
