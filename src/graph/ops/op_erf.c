/* erf -- the error function, cell by cell: how much of a bell curve lies within x.
 *
 *     y = 2 / sqrt(pi) times the integral of e^(-t t) from 0 to x
 *
 * Gradient: the integrand at the upper end, dx = dy 2 / sqrt(pi) e^(-x x).
 */
#include "eval/work.h"
#include "explain/term.h"

#include <math.h>

LH_EACH1(erf_exact, x, R(erf)(x))

static lh_node *erf_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    lh_node *x = n->in[0], *pi = lh_number(g, 3.14159265358979323846, "pi");
    lh_node *bell = lh_op1(g, LH_OP_exp, lh_op2(g, LH_OP_mul, lh_op1(g, LH_OP_neg, x), x));
    lh_node *scaled = lh_op2(g, LH_OP_mul, dy, lh_number(g, 2, "2"));
    return lh_op2(g, LH_OP_mul, lh_op2(g, LH_OP_div, scaled, lh_op1(g, LH_OP_sqrt, pi)), bell);
}

LH_OP_RECORD(erf) = {
    .name = "erf",
    .summary = "The error function of each cell.",
    .example = {"erf([0 1 -0.5])", "[0 0.8427007929497149 -0.5204998778130465]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = lh_shape_as_first,
    .exact = erf_exact,
    .gradient = erf_gradient,
    .explain = lh_explain_call,
    .rounding = lh_rounding_bounded,
};
