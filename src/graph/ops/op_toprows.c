/* toprows -- toprows(a, like): the first rows of a, as many as `like` has; above(a, b) undone.
 *
 *     y_rc = a_rc            r = 0 ... rows(like) - 1
 *
 * Gradient: the other rows do not matter: zeros, with dy placed at the top; `like` gives its size
 * alone and gets none.
 */
#include "eval/work.h"
#include "explain/term.h"

static void toprows_shape(lh_graph *g, lh_node *n) {
    const lh_node *a = n->in[0], *like = n->in[1];
    size_t have = g->axis[a->shape.rows].n, want = g->axis[like->shape.rows].n;
    if (have && want > have)
        lh_shape_fail(g, n, "%zu rows are asked for, and there are %zu", want, have);
    n->shape.rows = like->shape.rows;
    n->shape.cols = a->shape.cols;
    n->shape.heads = a->shape.heads;
    n->vocab = a->vocab;
}

static void toprows_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    (void)n;
    if (out->rows > in->rows) lh_layout_nowhere(out);
}

static lh_node *toprows_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return i == 0 ? lh_place_node(g, dy, n->in[0], 0, 0) : NULL;
}

static lh_term *toprows_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->in[0], at);
}

LH_OP_RECORD(toprows) = {
    .name = "toprows",
    .summary = "The first rows of a value, as many as another has.",
    .n_min = 2,
    .n_max = 2,
    .is_internal = true,
    .rows = LH_ROWS_ALL,
    .shape = toprows_shape,
    .view = toprows_view,
    .gradient = toprows_gradient,
    .explain = toprows_explain,
};
