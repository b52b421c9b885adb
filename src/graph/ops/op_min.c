/* min -- the smaller of two values, cell by cell.
 *
 *     y = a where a <= b, else b
 *
 * Gradient: only the one that was taken moves the result, da = dy (a <= b) and db = dy (b < a);
 * where both are equal the first was taken.
 */
#include "eval/work.h"
#include "explain/term.h"

/* a != a: a nan on either side is kept, never hidden by the other side. */
LH_EACH2(min_exact, a, b, a <= b || a != a ? a : b)

static lh_node *min_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    lh_node *a = n->in[0], *b = n->in[1];
    lh_node *taken = i == 0 ? lh_op2(g, LH_OP_le, a, b) : lh_op2(g, LH_OP_lt, b, a);
    return lh_op2(g, LH_OP_mul, dy, taken);
}

static double min_number(double a, double b) {
    return a < b ? a : b;
}

LH_OP_RECORD(min) = {
    .name = "min",
    .summary = "The smaller of two values, cell by cell.",
    .example = {"min([1 5 -2; 7 0 3], [2; 3])", "[1 2 -2; 3 0 3]"},
    .n_min = 2,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = lh_shape_stretch,
    .exact = min_exact,
    .gradient = min_gradient,
    .explain = lh_explain_call,
    .number = min_number,
};
