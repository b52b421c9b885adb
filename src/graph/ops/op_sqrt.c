/* sqrt -- the square root, cell by cell.
 *
 *     y = sqrt x            nan below 0
 *
 * Gradient: y y = x, so 2 y dy/dx = 1 and dx = dy / (2 y).
 */
#include "eval/work.h"
#include "explain/term.h"

#include <math.h>

LH_EACH1(sqrt_exact, x, R(sqrt)(x))

static lh_node *sqrt_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    lh_node *twice = lh_op2(g, LH_OP_mul, lh_number(g, 2, "2"), n);
    return lh_op2(g, LH_OP_div, dy, twice);
}

static double sqrt_rounding(const lh_sized *y, const lh_sized *x, const lh_sized *other) {
    (void)y, (void)other;
    return sqrt(x->size);
}

static double sqrt_number(double a, double b) {
    (void)b;
    return sqrt(a);
}

LH_OP_RECORD(sqrt) = {
    .name = "sqrt",
    .summary = "The square root of each cell.",
    .example = {"sqrt([0 1 4; 9 2 0.25])", "[0 1 2; 3 1.4142135623730951 0.5]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = lh_shape_as_first,
    .exact = sqrt_exact,
    .gradient = sqrt_gradient,
    .explain = lh_explain_call,
    .trouble = {"the root of a negative number", "the root of a negative number"},
    .cure = {"the root of a negative number?", "the root of a negative number?"},
    .number = sqrt_number,
    .rounding = sqrt_rounding,
};
