/* join -- the heads beside each other as columns.
 *
 *     y_r(k C + c) = x_(head k)rc           C columns a head
 *
 * Gradient: cut into the same heads again, dx = split(dy, heads). Where the heads lie beside each
 * other already no numbers move (view); else they are copied (exact). The plan chooses.
 */
#include "eval/work.h"
#include "explain/term.h"

static void join_shape(lh_graph *g, lh_node *n) {
    const lh_node *x = n->in[0];
    n->shape.rows = x->shape.rows;
    n->shape.cols = lh_axis_times(g, x->shape.heads, x->shape.cols);
    n->shape.heads = lh_axis_number(g, 1);
}

/* Right where in->hs is in->cols * in->cs; of a head with one column the stride is hs alone. */
static void join_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    (void)n;
    out->hs = 0;
    out->cs = in->cols == 1 ? in->hs : in->cs;
}

static void join_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int h = 0; h < x->heads; h++)
            for (int r = 0; r < x->rows; r++)
                for (int c = 0; c < x->cols; c++)
                    *lh_block_at(y, 0, r, h * x->cols + c) = *lh_block_at(x, h, r, c);
    }
}

static lh_node *join_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    int heads = n->in[0]->shape.heads;
    if (lh_axis_is_one(g, heads)) return dy;
    return lh_op2(g, LH_OP_split, dy, lh_axis_node(g, heads));
}

static lh_term *join_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int cols = lh_explain_cols(x, n->in[0], at.example);
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.col / cols, at.row, at.col % cols});
}

LH_OP_RECORD(join) = {
    .name = "join",
    .summary = "The heads beside each other as columns.",
    .example = {"join(reverse(split([1 2 3 4 5 6; 7 8 9 10 11 12], 3)))",
                "[5 6 3 4 1 2; 11 12 9 10 7 8]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .shape = join_shape,
    .exact = join_exact,
    .view = join_view,
    .gradient = join_gradient,
    .explain = join_explain,
};
