/* given -- a const, param or state: a value that is there before the first step.
 *
 * It always has a name, so it is printed by its name. The plan owns its numbers.
 */
#include "eval/work.h"
#include "explain/term.h"

/* The builder knows its shape. */
static void given_shape(lh_graph *g, lh_node *n) {
    (void)g, (void)n;
}

static lh_term *given_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_number(x, lh_explain_value(x, n, at), NULL);
}

LH_OP_RECORD(given) = {
    .name = "given",
    .summary = "A const, param or state.",
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .shape = given_shape,
    .explain = given_explain,
};
