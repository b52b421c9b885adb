/* same -- a value under another name.
 *
 *     y = x
 *
 * Gradient: dx = dy. No numbers move.
 */
#include "eval/work.h"
#include "explain/term.h"

static double same_number(double a, double b) {
    (void)b;
    return a;
}

LH_OP_RECORD(same) = {
    .name = "same",
    .summary = "A value under another name.",
    .n_min = 1,
    .n_max = 1,
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_COMPARE,
    .print = lh_print_operand,
    .shape = lh_shape_same,
    .view = lh_view_whole,
    .gradient = lh_gradient_same,
    .explain = lh_explain_same,
    .number = same_number,
};
