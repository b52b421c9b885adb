/* sub -- a - b, cell by cell.
 *
 *     y = a - b
 *
 * Gradient: da = dy and db = -dy. Where an operand was stretched, the engine sums down to its
 * shape.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH2(sub_exact, a, b, a - b)

static lh_node *sub_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)n;
    return i == 0 ? dy : lh_op1(g, LH_OP_neg, dy);
}

static double sub_number(double a, double b) {
    return a - b;
}

LH_OP_RECORD(sub) = {
    .name = "-",
    .summary = "The difference of two values, cell by cell.",
    .example = {"[1 2; 3 4] - [10; 20]", "[-9 -8; -17 -16]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .print_kind = LH_PRINT_INFIX,
    .binding = LH_BIND_SUM,
    .shape = lh_shape_stretch,
    .exact = sub_exact,
    .gradient = sub_gradient,
    .explain = lh_explain_infix,
    .trouble = {"too large", "infinity less infinity"},
    .cure = {NULL, "inf - inf: is a row masked completely, so that nothing is left to attend to?"},
    .number = sub_number,
};
