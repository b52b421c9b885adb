/* max -- the larger of two values, cell by cell.
 *
 *     y = a where a >= b, else b
 *
 * Gradient: only the one that was taken moves the result, da = dy (a >= b) and db = dy (b > a);
 * where both are equal the first was taken.
 */
#include "eval/work.h"
#include "explain/term.h"

/* a != a: a nan on either side is kept, never hidden by the other side. */
LH_EACH2(max_exact, a, b, a >= b || a != a ? a : b)

static lh_node *max_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    lh_node *a = n->in[0], *b = n->in[1];
    lh_node *taken = i == 0 ? lh_op2(g, LH_OP_ge, a, b) : lh_op2(g, LH_OP_gt, b, a);
    return lh_op2(g, LH_OP_mul, dy, taken);
}

static double max_number(double a, double b) {
    return a > b ? a : b;
}

LH_OP_RECORD(max) = {
    .name = "max",
    .summary = "The larger of two values, cell by cell.",
    .example = {"max([1 5 -2; 7 0 3], [2; 3])", "[2 5 2; 7 3 3]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = lh_shape_stretch,
    .exact = max_exact,
    .gradient = max_gradient,
    .explain = lh_explain_call,
    .number = max_number,
};
