/* exp -- e to the power of x, cell by cell.
 *
 *     y = e^x
 *
 * Gradient: the exponential is its own derivative, dx = dy exp(x).
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH1(exp_exact, x, R(exp)(x))

static lh_node *exp_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    return lh_op2(g, LH_OP_mul, dy, n);
}

LH_OP_RECORD(exp) = {
    .name = "exp",
    .summary = "e to the power of each cell.",
    .example = {"exp([0 1])", "[1 2.718281828459045]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = lh_shape_as_first,
    .exact = exp_exact,
    .gradient = exp_gradient,
    .explain = lh_explain_call,
    .trouble = {"the exponential of a number over 709 is too large",
                "the exponential of a number over 709 is too large"},
    .cure =
        {"the exponential of a number over 709 is too large: softmax subtracts the largest first",
         "the exponential of a number over 709 is too large: softmax subtracts the largest first"},
    .rounding = lh_rounding_exponential,
};
