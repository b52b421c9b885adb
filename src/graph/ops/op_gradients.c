/* gradients -- the gradients of all params beside each other, as one row: what norm(gradients)
 * measures.
 *
 *     y = [dW1 by rows, dW2 by rows, ...]
 *
 * No gradient goes back through it. Params have no heads, so their gradients have none.
 */
#include "eval/work.h"
#include "explain/term.h"

static void gradients_shape(lh_graph *g, lh_node *n) {
    size_t cells = 0;
    for (int i = 0; i < n->n_in; i++) {
        size_t rows = g->axis[n->in[i]->shape.rows].n, cols = g->axis[n->in[i]->shape.cols].n;
        cells += rows * cols; /* at most 2^60 each: counted for `cost`, never held at such a size */
    }
    if (cells == 0) lh_fail(g->ctx, LH_ERROR_SHAPE, n->at, "no param has a gradient here");
    n->shape.rows = n->shape.heads = lh_axis_number(g, 1);
    n->shape.cols = lh_axis_number(g, cells ? cells : 1);
}

static void gradients_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e);
        int k = 0;
        for (int i = 0; i < w->node->n_in; i++) {
            const lh_block *d = lh_block_of(&w->in[i], e);
            for (int r = 0; r < d->rows; r++)
                for (int c = 0; c < d->cols; c++)
                    *lh_block_at(y, 0, 0, k++) = *lh_block_at(d, 0, r, c);
        }
    }
}

static lh_term *gradients_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int k = at.col;
    for (int i = 0; i < n->n_in; i++) {
        int cols = lh_explain_cols(x, n->in[i], at.example);
        int cells = lh_explain_rows(x, n->in[i], at.example) * cols;
        if (k < cells)
            return lh_explain_at(x, n->in[i], (lh_cell){at.example, 0, k / cols, k % cols});
        k -= cells;
    }
    return lh_term_number(x, lh_explain_value(x, n, at), NULL);
}

static void gradients_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    (void)n, (void)from;
    lh_text_add(out, "gradients");
}

LH_OP_RECORD(gradients) = {
    .name = "gradients",
    .summary = "The gradients of all params, beside each other in one row.",
    .n_max = -1,
    .is_internal = true,
    .rows = LH_ROWS_ALL,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_ATOM,
    .print = gradients_print,
    .shape = gradients_shape,
    .exact = gradients_exact,
    .explain = gradients_explain,
};
