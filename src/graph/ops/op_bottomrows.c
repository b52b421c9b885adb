/* bottomrows -- bottomrows(a, like): the last rows of a, as many as `like` has; above(b, a) undone.
 *
 *     y_rc = a_(m + r)c            m = rows(a) - rows(like)
 *
 * Gradient: the other rows do not matter: zeros, with dy placed at the end; `like` gives its size
 * alone and gets none.
 */
#include "eval/work.h"
#include "explain/term.h"

static void bottomrows_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    (void)n;
    if (out->rows > in->rows)
        lh_layout_nowhere(out);
    else
        out->at = in->at + (in->rows - out->rows) * in->rs;
}

static lh_node *bottomrows_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return i == 0 ? lh_place_node(g, dy, n->in[0], LH_AT_END, 0) : NULL;
}

static lh_term *bottomrows_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int before = lh_explain_rows(x, n->in[0], at.example) - lh_explain_rows(x, n, at.example);
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, before + at.row, at.col});
}

LH_OP_RECORD(bottomrows) = {
    .name = "bottomrows",
    .summary = "The last rows of a value, as many as another has.",
    .n_min = 2,
    .n_max = 2,
    .is_internal = true,
    .rows = LH_ROWS_ALL,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .shape = lh_shape_rows_like,
    .view = bottomrows_view,
    .gradient = bottomrows_gradient,
    .explain = bottomrows_explain,
};
