/* floor -- the next whole number below, cell by cell.
 *
 *     y = the largest whole number that is not above x
 *
 * No gradient: a small change of x changes nothing, but at the step itself.
 */
#include "eval/work.h"
#include "explain/term.h"

#include <math.h>

LH_EACH1(floor_exact, x, R(floor)(x))

static double floor_number(double a, double b) {
    (void)b;
    return floor(a);
}

LH_OP_RECORD(floor) = {
    .name = "floor",
    .summary = "Each cell rounded down to a whole number.",
    .example = {"floor([1.5 -1.5; 2 0.99])", "[1 -2; 2 0]"},
    .n_min = 1,
    .n_max = 1,
    .is_discrete = true,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = lh_shape_as_first,
    .exact = floor_exact,
    .explain = lh_explain_call,
    .number = floor_number,
};
