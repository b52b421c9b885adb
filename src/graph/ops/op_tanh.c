/* tanh -- the hyperbolic tangent, cell by cell: from -1 to 1.
 *
 *     y = (e^x - e^-x) / (e^x + e^-x)
 *
 * Gradient: dx = dy (1 - y y).
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH1(tanh_exact, x, R(tanh)(x))

static lh_node *tanh_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    lh_node *square = lh_op2(g, LH_OP_mul, n, n);
    return lh_op2(g, LH_OP_mul, dy, lh_op2(g, LH_OP_sub, lh_number(g, 1, "1"), square));
}

LH_OP_RECORD(tanh) = {
    .name = "tanh",
    .summary = "The hyperbolic tangent of each cell.",
    .example = {"tanh([0 1 -2])", "[0 0.7615941559557649 -0.9640275800758169]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = lh_shape_as_first,
    .exact = tanh_exact,
    .gradient = tanh_gradient,
    .explain = lh_explain_call,
    .rounding = lh_rounding_bounded,
};
