/* number -- one number, as it stands in the program.
 *
 * It is there before the program runs: the plan writes it once. It is printed as it was written:
 * 0.10 stays 0.10.
 */
#include "eval/work.h"
#include "explain/term.h"

#include "base/number.h"

/* The builder knows its shape. */
static void number_shape(lh_graph *g, lh_node *n) {
    (void)g, (void)n;
}

static lh_term *number_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_number(x, lh_explain_value(x, n, at), n->text);
}

static void number_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    (void)from;
    char buffer[LH_NUMBER_MAX];
    lh_text_add(out, "%s",
                n->text ? n->text : lh_number_text(buffer, sizeof buffer, n->number, 17));
}

LH_OP_RECORD(number) = {
    .name = "number",
    .summary = "One number.",
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_ATOM,
    .print = number_print,
    .shape = number_shape,
    .explain = number_explain,
};
