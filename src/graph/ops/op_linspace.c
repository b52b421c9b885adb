/* linspace -- linspace(a, b, n): a column of n numbers from a to b, evenly apart.
 *
 *     y_r = a + r (b - a) / (n - 1)           the last is b itself; n = 1 gives a
 *
 * Gradient: y_r = (1 - s) a + s b with s = r / (n - 1), so with the engine's sum over rows
 *
 *     da = dy * linspace(1, 0, n)          db = dy * linspace(0, 1, n)
 */
#include "eval/work.h"
#include "explain/term.h"

static void linspace_shape(lh_graph *g, lh_node *n) {
    for (int i = 0; i < 2; i++)
        if (!lh_axis_is_one(g, n->in[i]->shape.rows) || !lh_axis_is_one(g, n->in[i]->shape.cols))
            lh_shape_fail(g, n, "the %s is one number", i == 0 ? "beginning" : "end");
    n->shape.rows = lh_axis_of_node(g, n->in[2]);
    n->shape.cols = lh_axis_number(g, 1);
    n->shape.is_batched |= g->axis[n->shape.rows].n == 0;
}

static void linspace_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *a = lh_block_of(&w->in[0], e),
                       *b = lh_block_of(&w->in[1], e);
        for (int h = 0; h < y->heads; h++) {
            const lh_real first = *lh_block_at(a, h, 0, 0), end = *lh_block_at(b, h, 0, 0);
            const lh_real apart = y->rows > 1 ? (end - first) / (lh_real)(y->rows - 1) : 0;
            for (int r = 0; r < y->rows; r++)
                *lh_block_at(y, h, r, 0) = r && r == y->rows - 1 ? end : first + (lh_real)r * apart;
        }
    }
}

static lh_node *linspace_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    if (i == 2) return NULL;
    lh_node *zero = lh_number(g, 0, "0"), *one = lh_number(g, 1, "1");
    lh_node *share = lh_op3(g, LH_OP_linspace, i == 0 ? one : zero, i == 0 ? zero : one, n->in[2]);
    return lh_op2(g, LH_OP_mul, dy, share);
}

/* a + r * (b - a) / (n - 1). */
static lh_term *linspace_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int last = lh_explain_rows(x, n, at.example) - 1;
    lh_term *a = lh_explain_in(x, n, 0, at), *b = lh_explain_in(x, n, 1, at);
    if (at.row == 0) return a;
    if (at.row == last) return b;
    double far = b->value - a->value, some = at.row * far;
    lh_term *way = lh_term_infix(x, "-", LH_BIND_SUM, b, a, far);
    lh_term *part = lh_term_infix(x, "*", LH_BIND_TERM, lh_term_number(x, at.row, NULL), way, some);
    part = lh_term_infix(x, "/", LH_BIND_TERM, part, lh_term_number(x, last, NULL), some / last);
    return lh_term_infix(x, "+", LH_BIND_SUM, a, part, lh_explain_value(x, n, at));
}

LH_OP_RECORD(linspace) = {
    .name = "linspace",
    .summary =
        "A column of numbers from the first to the second, evenly apart; the third says how many.",
    .example = {"linspace(-1, 2, 4)", "[-1; 0; 1; 2]"},
    .n_min = 3,
    .n_max = 3,
    .rows = LH_ROWS_EACH,
    .sizes_only = LH_ALL_OPERANDS & ~3u,
    .shape = linspace_shape,
    .exact = linspace_exact,
    .gradient = linspace_gradient,
    .explain = linspace_explain,
};
