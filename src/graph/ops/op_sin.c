/* sin -- the sine, cell by cell.
 *
 *     y = sin x             x in radians
 *
 * Gradient: dx = dy cos x.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH1(sin_exact, x, R(sin)(x))

static lh_node *sin_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    return lh_op2(g, LH_OP_mul, dy, lh_op1(g, LH_OP_cos, n->in[0]));
}

LH_OP_RECORD(sin) = {
    .name = "sin",
    .summary = "The sine of each cell.",
    .example = {"sin([0 1 -2])", "[0 0.8414709848078965 -0.9092974268256817]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = lh_shape_as_first,
    .exact = sin_exact,
    .gradient = sin_gradient,
    .explain = lh_explain_call,
    .rounding = lh_rounding_bounded,
};
