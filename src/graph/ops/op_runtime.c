/* runtime -- a number that is known when the program runs: training, step, examples. */
#include "eval/work.h"
#include "explain/term.h"

static void runtime_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    (void)from;
    lh_text_add(out, "%s", n->text);
}

LH_OP_RECORD(runtime) = {
    .name = "runtime",
    .summary = "A number that is known when the program runs.",
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .is_leaf = true,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_ATOM,
    .print = runtime_print,
    .shape = lh_shape_preset,
    .explain = lh_explain_written,
};
