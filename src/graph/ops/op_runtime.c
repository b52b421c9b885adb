/* runtime -- a number that is known when the program runs: training, step, examples. */
#include "eval/work.h"
#include "explain/term.h"

/* The builder knows its shape. */
static void runtime_shape(lh_graph *g, lh_node *n) {
    (void)g, (void)n;
}

static lh_term *runtime_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_number(x, lh_explain_value(x, n, at), n->text);
}

static void runtime_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    (void)from;
    lh_text_add(out, "%s", n->text);
}

LH_OP_RECORD(runtime) = {
    .name = "runtime",
    .summary = "A number that is known when the program runs.",
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_ATOM,
    .print = runtime_print,
    .shape = runtime_shape,
    .explain = runtime_explain,
};
