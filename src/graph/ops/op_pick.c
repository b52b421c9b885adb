/* pick -- pick(p, t): of each row of p the cell in the column that t says.
 *
 *     y_r = p_rk            k = t_r
 *
 * Gradient: only the picked cell moves the result, dp_rc = dy_r where c = t_r, else 0:
 *
 *     dp = dy * onehot(t, cols(p))
 *
 * t gets none. A number in t that is no column of p is an error where it is known before running, else it gives nan.
 */
#include "eval/work.h"
#include "explain/term.h"

static void pick_shape(lh_graph *g, lh_node *n) {
    const lh_node *p = n->in[0], *t = n->in[1];
    if (!lh_axis_is_one(g, t->shape.cols))
        lh_shape_fail(g, n, "the column numbers must form one column, not %s",
                      lh_axis_text(g, t->shape.cols));
    else if (!lh_axis_meet(g, n, p->shape.rows, t->shape.rows))
        lh_shape_fail(g, n, "one number is needed for each row, but rows differ (%s and %s)",
                      lh_axis_text(g, p->shape.rows), lh_axis_text(g, t->shape.rows));
    else
        lh_check_places(g, n, t, p->shape.cols, "column");
    n->shape.rows = p->shape.rows;
    n->shape.cols = lh_axis_number(g, 1);
}

static void pick_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *p = lh_block_of(&w->in[0], e),
                       *t = lh_block_of(&w->in[1], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++) {
                int k = lh_place_of(*lh_block_at(t, h, r, 0), p->cols);
                *lh_block_at(y, h, r, 0) = k < 0 ? R(nan)("") : *lh_block_at(p, h, r, k);
            }
    }
}

static lh_node *pick_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    if (i != 0) return NULL;
    lh_node *width = lh_op1(g, LH_OP_cols, n->in[0]);
    return lh_op2(g, LH_OP_mul, dy, lh_op2(g, LH_OP_onehot, n->in[1], width));
}

static lh_term *pick_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    double t = lh_explain_in(x, n, 1, at)->value;
    if (!(t >= 0 && t < lh_explain_cols(x, n->in[0], at.example)) || t != (int)t)
        return lh_term_number(x, lh_explain_value(x, n, at), NULL);
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.row, (int)t});
}

LH_OP_RECORD(pick) = {
    .name = "pick",
    .summary = "The cell of each row in the column that the second value gives, from 0.",
    .example = {"pick([1 2 3; 4 5 6], [2; 0])", "[3; 4]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .shape = pick_shape,
    .exact = pick_exact,
    .gradient = pick_gradient,
    .explain = pick_explain,
};
