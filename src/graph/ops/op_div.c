/* div -- a / b, cell by cell.
 *
 *     y = a / b
 *
 * Gradient: da = dy / b. For b, the derivative of 1 / b is -1 / b^2, so db = -dy a / (b b).
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH2(div_exact, a, b, a / b)

static lh_node *div_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    lh_node *a = n->in[0], *b = n->in[1];
    if (i == 0) return lh_op2(g, LH_OP_div, dy, b);
    lh_node *top = lh_op2(g, LH_OP_mul, lh_op1(g, LH_OP_neg, dy), a);
    return lh_op2(g, LH_OP_div, top, lh_op2(g, LH_OP_mul, b, b));
}

static double div_number(double a, double b) {
    return a / b;
}

LH_OP_RECORD(div) = {
    .name = "/",
    .summary = "The quotient of two values, cell by cell.",
    .example = {"[1 2 3; 4 5 6] / [2; 4]", "[0.5 1 1.5; 1 1.25 1.5]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .print_kind = LH_PRINT_INFIX,
    .binding = LH_BIND_TERM,
    .shape = lh_shape_stretch,
    .exact = div_exact,
    .gradient = div_gradient,
    .explain = lh_explain_infix,
    .trouble = {"a division by 0", "0 / 0"},
    .cure = {"a division by 0?", "a division by 0?"},
    .number = div_number,
    .rounding = lh_rounding_quotient,
};
