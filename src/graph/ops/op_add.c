/* add -- a + b, cell by cell.
 *
 *     y = a + b
 *
 * Gradient: a change of either operand changes y by the same amount, so da = dy and db = dy. Where an operand was
 * stretched, the engine sums dy down to its shape.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH2(add_exact, a, b, a + b)

static double add_number(double a, double b) {
    return a + b;
}

LH_OP_RECORD(add) = {
    .name = "+",
    .summary = "The sum of two values, cell by cell.",
    .example = {"[1 2; 3 4] + [10 20]", "[11 22; 13 24]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .print_kind = LH_PRINT_INFIX,
    .binding = LH_BIND_SUM,
    .shape = lh_shape_stretch,
    .exact = add_exact,
    .gradient = lh_gradient_same,
    .explain = lh_explain_infix,
    .trouble = {"too large", "infinity less infinity"},
    .number = add_number,
};
