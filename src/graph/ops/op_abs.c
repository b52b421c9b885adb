/* abs -- the absolute value, cell by cell.
 *
 *     y = x where x > 0, else -x
 *
 * Gradient: the sign of x, dx = dy ((x > 0) - (x < 0)); 0 at 0, where there is none.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH1(abs_exact, x, R(fabs)(x))

static lh_node *abs_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    lh_node *x = n->in[0], *zero = lh_number(g, 0, "0");
    lh_node *up = lh_op2(g, LH_OP_gt, x, zero), *down = lh_op2(g, LH_OP_lt, x, zero);
    return lh_op2(g, LH_OP_mul, dy, lh_op2(g, LH_OP_sub, up, down));
}

LH_OP_RECORD(abs) = {
    .name = "abs",
    .summary = "The absolute value of each cell.",
    .example = {"abs([1 -2; 0 -0.5; 3 4])", "[1 2; 0 0.5; 3 4]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = lh_shape_as_first,
    .exact = abs_exact,
    .gradient = abs_gradient,
    .explain = lh_explain_call,
};
