/* repeatheads -- repeatheads(x, n): each head several times, one after the other, until there are n.
 *
 *     y_(head k) = x_(head k / (n / H))           H heads; n is a multiple of H
 *
 * Gradient: what came back to all copies of a head is added up, dx = headsum(dy, H). The engine puts one where a value with fewer
 * heads meets one with more, as a row is stretched over many; index[1] is 1 then, and formulas do not show it.
 */
#include "eval/work.h"
#include "explain/term.h"

static void repeatheads_shape(lh_graph *g, lh_node *n) {
    const int heads = (int)g->axis[n->in[0]->shape.heads].n;
    lh_shape_as_first(g, n);
    n->vocab = n->in[0]->vocab;
    if (!lh_node_whole(g, n->in[1], &n->index[0]) || n->index[0] % heads != 0 || !n->index[0]) {
        lh_shape_fail(g, n,
                      "the number of heads is a multiple of %d, known before the program "
                      "runs",
                      heads);
        return;
    }
    n->index[0] /= heads; /* how often each is used */
    n->shape.heads = lh_axis_of_node(g, n->in[1]);
}

static void repeatheads_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++)
                    *lh_block_at(y, h, r, c) = *lh_block_at(x, h / w->node->index[0], r, c);
    }
}

static lh_node *repeatheads_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    if (i != 0) return NULL;
    return lh_op2(g, LH_OP_headsum, dy, lh_axis_node(g, n->in[0]->shape.heads));
}

static lh_term *repeatheads_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head / n->index[0], at.row, at.col});
}

LH_OP_RECORD(repeatheads) = {
    .name = "repeatheads",
    .summary = "Each head several times, one after the other, until there are as many as the "
               "second value says.",
    .example = {"join(repeatheads(split([1 2 3 4], 2), 4))", "[1 2 1 2 3 4 3 4]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .shape = repeatheads_shape,
    .exact = repeatheads_exact,
    .gradient = repeatheads_gradient,
    .explain = repeatheads_explain,
};
