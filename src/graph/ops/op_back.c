/* back -- what a call as a whole sends back to one of its parameters.
 *
 *     operands: the call, the gradient of its value, then every parameter of the function
 *     value:    that of its definition: what the rule of the call or the lines of its body send back, added up
 *
 * No formula of a program holds such a node. A plan that has a kernel for the call makes gradients of it (lh_node.whole); no
 * numbers move where it goes by the definition.
 */
#include "eval/work.h"
#include "explain/term.h"

static lh_term *back_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->definition, at);
}

LH_OP_RECORD(back) = {
    .name = "back",
    .summary = "The gradient that a whole call passes back to one of its parameters.",
    .n_max = -1,
    .is_internal = true,
    .rows = LH_ROWS_ALL,
    .print_kind = LH_PRINT_CALL,
    .shape = lh_shape_preset,
    .view = lh_view_whole,
    .explain = back_explain,
};
