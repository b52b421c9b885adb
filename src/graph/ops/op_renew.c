/* renew -- W := x, what a param or state becomes at the end of a step.
 *
 *     y = x
 *
 * Gradient: dx = dy. No numbers move here; the plan carries them over to the next step.
 */
#include "eval/work.h"
#include "explain/term.h"

static void renew_shape(lh_graph *g, lh_node *n) {
    lh_shape_as_first(g, n);
    n->vocab = n->in[0]->vocab;
}

static void renew_view(const lh_node *n, const lh_layout *in, lh_layout *out) {
    (void)n, (void)in, (void)out;
}

static lh_node *renew_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)g, (void)n, (void)i;
    return dy;
}

static lh_term *renew_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->in[0], at);
}

/* The operand as it is; inside another formula in brackets, for it may be any formula. */
static void renew_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    lh_node_print(out, n->in[0], from);
}

LH_OP_RECORD(renew) = {
    .name = "renew",
    .summary = "The new value of a param or state.",
    .n_min = 1,
    .n_max = 1,
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_COMPARE,
    .print = renew_print,
    .shape = renew_shape,
    .view = renew_view,
    .gradient = renew_gradient,
    .explain = renew_explain,
};
