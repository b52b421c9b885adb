/* back -- what a call that is differentiated as a whole sends back to one of its parameters.
 *
 *     operands: the call, the gradient of its value, then every parameter of the function
 *
 * It has the shape of the parameter: sums over stretched rows and over examples are its own affair. Only graphs built
 * for a reader that has a kernel for the call (lh_build.is_whole) hold such nodes; its definition is the rule of the call
 * or its body, which the other graphs hold in its place.
 */
#include "eval/work.h"
#include "explain/term.h"

/* The differentiation sets it. */
static void back_shape(lh_graph *g, lh_node *n) {
    (void)g, (void)n;
}

static lh_term *back_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_number(x, lh_explain_value(x, n, at), NULL);
}

LH_OP_RECORD(back) = {
    .name = "back",
    .summary = "What a whole call sends back to one of its parameters.",
    .n_max = -1,
    .is_internal = true,
    .rows = LH_ROWS_ALL,
    .print_kind = LH_PRINT_CALL,
    .shape = back_shape,
    .explain = back_explain,
};
