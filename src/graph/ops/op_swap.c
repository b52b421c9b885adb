/* swap -- swap(x, n): the columns in groups of n; each two groups change places.
 *
 *     y_rc = x_r(c + n) in the first group of two, x_r(c - n) in the second
 *
 * Gradient: changed back, dx = swap(dy, n).
 */
#include "eval/work.h"
#include "explain/term.h"

static void swap_shape(lh_graph *g, lh_node *n) {
    const size_t cols = g->axis[n->in[0]->shape.cols].n;
    lh_shape_as_first(g, n);
    n->vocab = n->in[0]->vocab;
    if (!lh_node_whole(g, n->in[1], &n->index[0]) || n->index[0] == 0) {
        lh_shape_fail(g, n,
                      "the size of a group is a whole number from 1 on, known before the "
                      "program runs");
        n->index[0] = 1;
    } else if (cols == 0 || cols % (2 * (size_t)n->index[0]) != 0) {
        lh_shape_fail(g, n, "%s columns do not go into pairs of groups of %d",
                      lh_axis_text(g, n->in[0]->shape.cols), n->index[0]);
    }
}

/* The other column of a pair. */
static int swap_partner(const lh_node *n, int c) {
    const int apart = n->index[0];
    return c / apart % 2 == 0 ? c + apart : c - apart;
}

static void swap_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++)
                    *lh_block_at(y, h, r, c) = *lh_block_at(x, h, r, swap_partner(w->node, c));
    }
}

static lh_node *swap_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return i == 0 ? lh_op2(g, LH_OP_swap, dy, n->in[1]) : NULL;
}

static lh_term *swap_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->in[0],
                         (lh_cell){at.example, at.head, at.row, swap_partner(n, at.col)});
}

LH_OP_RECORD(swap) = {
    .name = "swap",
    .summary = "Swaps neighbouring groups of columns, pair by pair; the second value says how "
               "many columns a group has.",
    .example = {"swap([1 2 3 4; 5 6 7 8], 2)", "[3 4 1 2; 7 8 5 6]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .shape = swap_shape,
    .exact = swap_exact,
    .gradient = swap_gradient,
    .explain = swap_explain,
};
