/* place -- place(d, like, row, col): zeros in the shape of `like`, with d put in: what comes
 * back to a from a[i], a[last], columns(a, ...).
 *
 *     y_(row + r)(col + c) = d_rc, and 0 elsewhere           row `last`: the last rows meet
 *
 * Gradient: what lies under d, the part of dy again; `like` gives its size alone and gets none.
 */
#include "eval/work.h"
#include "explain/term.h"

static void place_shape(lh_graph *g, lh_node *n) {
    (void)g;
    n->shape.rows = n->in[1]->shape.rows;
    n->shape.cols = n->in[1]->shape.cols;
}

static void place_exact(const lh_work *w) {
    const int *index = w->node->index;
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *d = lh_block_of(&w->in[0], e);
        const int row = index[0] == LH_AT_END ? y->rows - d->rows : index[0], col = index[1];
        const bool fits = row >= 0 && row + d->rows <= y->rows && col + d->cols <= y->cols;
        for (int h = 0; h < y->heads; h++) {
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++) *lh_block_at(y, h, r, c) = fits ? 0 : R(nan)("");
            for (int r = 0; fits && r < d->rows; r++)
                for (int c = 0; c < d->cols; c++)
                    *lh_block_at(y, h, row + r, col + c) = *lh_block_at(d, h, r, c);
        }
    }
}

/* The rows of dy that lie under d. */
static lh_node *place_rows(lh_graph *g, const lh_node *n, lh_node *dy) {
    lh_node *d = n->in[0];
    if (lh_axis_same(g, d->shape.rows, n->shape.rows)) return dy;
    bool is_one = lh_axis_is_one(g, d->shape.rows), at_end = n->index[0] == LH_AT_END;
    if (is_one && at_end) return lh_op1(g, LH_OP_last, dy);
    if (is_one) return lh_op2(g, LH_OP_row, dy, lh_number(g, n->index[0], NULL));
    if (at_end) return lh_op2(g, LH_OP_bottomrows, dy, d);
    if (n->index[0] == 0) return lh_op2(g, LH_OP_toprows, dy, d);
    lh_shape_fail(g, n, "the gradient of several rows that lie in the middle is not known");
    return dy;
}

static lh_node *place_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    if (i != 0) return NULL;
    lh_node *d = n->in[0], *part = place_rows(g, n, dy);
    if (lh_axis_same(g, d->shape.cols, n->shape.cols)) return part;
    size_t width = g->axis[d->shape.cols].n;
    int from = n->index[1];
    if (!width) {
        lh_shape_fail(g, n,
                      "the gradient of columns that differ from example to example is not known");
        return NULL;
    }
    lh_node *to = from ? lh_number(g, from + (double)width, NULL) : lh_axis_node(g, d->shape.cols);
    return lh_op3(g, LH_OP_columns, part, lh_number(g, from, NULL), to);
}

static lh_term *place_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int rows = lh_explain_rows(x, n->in[0], at.example);
    int cols = lh_explain_cols(x, n->in[0], at.example);
    int top = n->index[0] == LH_AT_END ? lh_explain_rows(x, n, at.example) - rows : n->index[0];
    int row = at.row - top, col = at.col - n->index[1];
    if (row < 0 || row >= rows || col < 0 || col >= cols)
        return lh_term_number(x, lh_explain_value(x, n, at), NULL);
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, row, col});
}

static void place_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    lh_text_add(out, "place(");
    lh_node_print(out, n->in[0], from);
    lh_text_add(out, ", ");
    lh_node_print(out, n->in[1], from);
    if (n->index[0] == LH_AT_END)
        lh_text_add(out, ", last, %d)", n->index[1]);
    else
        lh_text_add(out, ", %d, %d)", n->index[0], n->index[1]);
}

LH_OP_RECORD(place) = {
    .name = "place",
    .summary =
        "Zeros in the shape of the second value, with the first put in at a row and a column.",
    .n_min = 2,
    .n_max = 2,
    .is_internal = true,
    .rows = LH_ROWS_ALL,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_ATOM,
    .print = place_print,
    .shape = place_shape,
    .exact = place_exact,
    .gradient = place_gradient,
    .explain = place_explain,
};
