/* reverse -- the heads in the opposite order.
 *
 *     y_(head k) = x_(head H - 1 - k)           H heads
 *
 * Gradient: turned round again, dx = reverse(dy). No numbers move: from the last head on the stride
 * goes back.
 */
#include "eval/work.h"
#include "explain/term.h"

static void reverse_shape(lh_graph *g, lh_node *n) {
    lh_shape_as_first(g, n);
    n->index[0] = (int)g->axis[n->in[0]->shape.heads].n; /* explain has no graph to ask */
    n->vocab = n->in[0]->vocab;
}

static void reverse_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    (void)n;
    out->at = lh_layout_at(in, in->heads - 1, 0, 0);
    out->hs = -in->hs;
}

static lh_node *reverse_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)n, (void)i;
    return lh_op1(g, LH_OP_reverse, dy);
}

static lh_term *reverse_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->in[0],
                         (lh_cell){at.example, n->index[0] - 1 - at.head, at.row, at.col});
}

LH_OP_RECORD(reverse) = {
    .name = "reverse",
    .summary = "The heads in the opposite order.",
    .example = {"join(reverse(split([1 2 3 4], 2)))", "[3 4 1 2]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .moves_columns = true,
    .shape = reverse_shape,
    .view = reverse_view,
    .gradient = reverse_gradient,
    .explain = reverse_explain,
};
