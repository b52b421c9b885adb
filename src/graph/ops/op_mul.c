/* mul -- a * b, cell by cell.
 *
 *     y = a b
 *
 * Gradient: da = dy b and db = dy a.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH2(mul_exact, a, b, a *b)

static lh_node *mul_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return lh_op2(g, LH_OP_mul, dy, n->in[1 - i]);
}

static double mul_number(double a, double b) {
    return a * b;
}

LH_OP_RECORD(mul) = {
    .name = "*",
    .summary = "The product of two values, cell by cell.",
    .example = {"[1 2; 3 4] * [10; 100]", "[10 20; 300 400]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .print_kind = LH_PRINT_INFIX,
    .binding = LH_BIND_TERM,
    .shape = lh_shape_stretch,
    .exact = mul_exact,
    .gradient = mul_gradient,
    .explain = lh_explain_infix,
    .trouble = {"too large", "0 times infinity"},
    .number = mul_number,
    .rounding = lh_rounding_product,
};
