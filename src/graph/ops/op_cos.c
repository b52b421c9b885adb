/* cos -- the cosine, cell by cell.
 *
 *     y = cos x             x in radians
 *
 * Gradient: dx = -dy sin x.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH1(cos_exact, x, R(cos)(x))

static lh_node *cos_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    lh_node *back = lh_op1(g, LH_OP_neg, dy);
    return lh_op2(g, LH_OP_mul, back, lh_op1(g, LH_OP_sin, n->in[0]));
}

LH_OP_RECORD(cos) = {
    .name = "cos",
    .summary = "The cosine of each cell.",
    .example = {"cos([0 1 -2])", "[1 0.5403023058681398 -0.4161468365471424]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = lh_shape_as_first,
    .exact = cos_exact,
    .gradient = cos_gradient,
    .explain = lh_explain_call,
    .rounding = lh_rounding_exponential,
};
