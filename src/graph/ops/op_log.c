/* log -- the natural logarithm, cell by cell.
 *
 *     y = log x             -inf at 0, nan below
 *
 * Gradient: dx = dy / x.
 */
#include "eval/work.h"
#include "explain/term.h"

LH_EACH1(log_exact, x, R(log)(x))

static lh_node *log_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    return lh_op2(g, LH_OP_div, dy, n->in[0]);
}

/* Lost digits of x move log(x) by a share of them. */
static double log_rounding(const lh_sized *y, const lh_sized *x, const lh_sized *other) {
    (void)y, (void)x, (void)other;
    return 1;
}

LH_OP_RECORD(log) = {
    .name = "log",
    .summary = "The natural logarithm of each cell.",
    .example =
        {"log([1 2; 10 0.5; 1 3])",
         "[0 0.6931471805599453; 2.302585092994046 -0.6931471805599453; 0 1.0986122886681098]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = lh_shape_as_first,
    .exact = log_exact,
    .gradient = log_gradient,
    .explain = lh_explain_call,
    .trouble = {"the logarithm of 0", "the logarithm of a negative number"},
    .cure = {"the logarithm needs positive numbers", "the logarithm needs positive numbers"},
    .rounding = log_rounding,
};
