/* renew -- W := x, what a param or state becomes at the end of a step.
 *
 *     y = x
 *
 * Gradient: dx = dy. No numbers move here; the plan carries them over to the next step.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_OP_RECORD(renew) = {
    .name = "renew",
    .summary = "The new value of a param or state.",
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
};
