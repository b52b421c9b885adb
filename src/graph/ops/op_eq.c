/* eq -- a == b, cell by cell.
 *
 *     y = 1 where a == b, else 0
 *
 * No gradient: a small change of either side changes nothing, but at the step itself.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH2(eq_exact, a, b, a == b ? 1 : 0)

LH_OP_RECORD(eq) = {
    .name = "==",
    .summary = "1 where both are equal, else 0, cell by cell.",
    .example = {"[1 2 3; 4 6 5] == [2; 5]", "[0 1 0; 0 0 1]"},
    .n_min = 2,
    .n_max = 2,
    .is_discrete = true,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .print_kind = LH_PRINT_INFIX,
    .binding = LH_BIND_COMPARE,
    .shape = lh_shape_stretch,
    .exact = eq_exact,
    .explain = lh_explain_infix,
};
