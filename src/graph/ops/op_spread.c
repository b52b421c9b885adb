/* spread -- spread(a, like): a row, a column or a number stretched to the shape of `like`.
 *
 *     y_rc = a_rc, with row 0 where a has one row and column 0 where it has one column
 *
 * Gradient: dx = dy, which the engine sums down to a's shape; `like` gives its size alone and gets
 * none. No numbers move: a size of 1 has stride 0 already.
 */
#include "eval/work.h"
#include "explain/term.h"

static void spread_shape(lh_graph *g, lh_node *n) {
    const lh_shape *a = &n->in[0]->shape, *like = &n->in[1]->shape;
    const int from[3] = {a->rows, a->cols, a->heads}, to[3] = {like->rows, like->cols, like->heads};
    const char *what[3] = {"rows", "columns", "heads"};
    for (int i = 0; i < 3; i++)
        if (!lh_axis_is_one(g, from[i]) && !lh_axis_meet(g, n, from[i], to[i]))
            lh_shape_fail(g, n, "%s %s cannot be stretched to %s", lh_axis_text(g, from[i]),
                          what[i], lh_axis_text(g, to[i]));
    n->shape.rows = like->rows;
    n->shape.cols = like->cols;
    n->shape.heads = like->heads;
    n->vocab = n->in[0]->vocab;
}

static lh_node *spread_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)g, (void)n;
    return i == 0 ? dy : NULL;
}

static lh_term *spread_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_in(x, n, 0, at);
}

LH_OP_RECORD(spread) = {
    .name = "spread",
    .summary = "A row, a column or a number stretched to the shape of the second value.",
    .example = {"spread([1; 2], [0 0 0; 0 0 0])", "[1 1 1; 2 2 2]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .moves_columns = true,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .shape = spread_shape,
    .view = lh_view_whole,
    .gradient = spread_gradient,
    .explain = spread_explain,
};
