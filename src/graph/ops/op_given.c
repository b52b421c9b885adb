/* given -- a const, param or state: a value that is there before the first step.
 *
 * It always has a name, so it is printed by its name. The plan owns its numbers.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_OP_RECORD(given) = {
    .name = "given",
    .summary = "A const, param or state.",
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .shape = lh_shape_preset,
    .explain = lh_explain_number,
};
