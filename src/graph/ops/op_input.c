/* input -- what an example brings: tokens or numbers.
 *
 * It always has a name, so it is printed by its name. The plan fills it for each batch.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_OP_RECORD(input) = {
    .name = "input",
    .summary = "An input of the examples.",
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .shape = lh_shape_preset,
    .explain = lh_explain_number,
};
