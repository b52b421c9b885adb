/* size -- a whole number that shapes things: size dim = 8.
 *
 * Its axis is index[0], so that what it shapes carries its name.
 */
#include "eval/work.h"
#include "explain/term.h"

#include "base/number.h"

/* The builder knows its shape. */
static void size_shape(lh_graph *g, lh_node *n) {
    (void)g, (void)n;
}

static lh_term *size_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_number(x, lh_explain_value(x, n, at), n->text);
}

static void size_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    (void)from;
    char buffer[LH_NUMBER_MAX];
    lh_text_add(out, "%s",
                n->text ? n->text : lh_number_text(buffer, sizeof buffer, n->number, 17));
}

LH_OP_RECORD(size) = {
    .name = "size",
    .summary = "A size.",
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_ATOM,
    .print = size_print,
    .shape = size_shape,
    .explain = size_explain,
};
