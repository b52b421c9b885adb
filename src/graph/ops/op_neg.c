/* neg -- -x, cell by cell.
 *
 *     y = -x
 *
 * Gradient: dx = -dy.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH1(neg_exact, x, -x)

static lh_node *neg_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)n, (void)i;
    return lh_op1(g, LH_OP_neg, dy);
}

static lh_term *neg_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_prefix(x, "-", lh_explain_in(x, n, 0, at), lh_explain_value(x, n, at));
}

static double neg_number(double a, double b) {
    (void)b;
    return -a;
}

LH_OP_RECORD(neg) = {
    .name = "-",
    .summary = "Each cell with the other sign.",
    .example = {"-[1 -2; 0 4; 5 6]", "[-1 2; 0 -4; -5 -6]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .print_kind = LH_PRINT_PREFIX,
    .binding = LH_BIND_UNARY,
    .shape = lh_shape_as_first,
    .exact = neg_exact,
    .gradient = neg_gradient,
    .explain = neg_explain,
    .number = neg_number,
};
