/* number -- one number, as it stands in the program.
 *
 * It is there before the program runs: the plan writes it once. It is printed as it was written:
 * 0.10 stays 0.10.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_OP_RECORD(number) = {
    .name = "number",
    .summary = "One number.",
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .is_leaf = true,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_ATOM,
    .print = lh_print_number,
    .shape = lh_shape_preset,
    .explain = lh_explain_written,
};
