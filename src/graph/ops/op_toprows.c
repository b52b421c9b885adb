/* toprows -- toprows(a, like): the first rows of a, as many as `like` has; above(a, b) undone.
 *
 *     y_rc = a_rc            r = 0 ... rows(like) - 1
 *
 * Gradient: the other rows do not matter: zeros, with dy placed at the top; `like` gives its size
 * alone and gets none.
 */
#include "eval/work.h"
#include "explain/term.h"

static void toprows_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    (void)n;
    if (out->rows > in->rows) lh_layout_nowhere(out);
}

static lh_node *toprows_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return i == 0 ? lh_place_node(g, dy, n->in[0], 0, 0) : NULL;
}

LH_OP_RECORD(toprows) = {
    .name = "toprows",
    .summary = "The first rows of a value, as many as another has.",
    .n_min = 2,
    .n_max = 2,
    .is_internal = true,
    .rows = LH_ROWS_ALL,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .shape = lh_shape_rows_like,
    .view = toprows_view,
    .gradient = toprows_gradient,
    .explain = lh_explain_same,
};
