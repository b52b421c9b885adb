/* call -- f(a, b), a function of the notation with the nodes of its body before it.
 *
 *     y = the last line of the body
 *
 * Gradient: by the function's grad rule or through its body; the differentiation sees to both. No
 * numbers move: the plan lets the call lie where its last line lies.
 */
#include "eval/work.h"
#include "explain/term.h"

static lh_term *call_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->call->result, at);
}

/* Defaults are left out; what stands behind one that was left out needs its name: layernorm(X, eps
 * = 0.001). */
static void call_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    const lh_call *call = n->call;
    bool is_first = true, by_name = false;
    lh_text_add(out, "%s(", call->fn->name);
    for (int i = 0; i < call->fn->n_params; i++) {
        if (call->is_standard[i]) {
            by_name = true;
            continue;
        }
        if (!is_first) lh_text_add(out, ", ");
        if (by_name) lh_text_add(out, "%s = ", call->fn->param[i]);
        lh_node_print(out, call->param[i], from);
        is_first = false;
    }
    lh_text_add(out, ")");
}

LH_OP_RECORD(call) = {
    .name = "call",
    .summary = "A function of the notation: its value is its last line.",
    .n_max = -1,
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_ATOM,
    .print = call_print,
    .shape = lh_shape_preset,
    .view = lh_view_whole,
    .explain = call_explain,
};
