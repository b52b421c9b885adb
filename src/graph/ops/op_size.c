/* size -- a whole number that shapes things: size dim = 8.
 *
 * Its axis is index[0], so that what it shapes carries its name.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_OP_RECORD(size) = {
    .name = "size",
    .summary = "A size.",
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .is_leaf = true,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_ATOM,
    .print = lh_print_number,
    .shape = lh_shape_preset,
    .explain = lh_explain_written,
};
