/* input -- what an example brings: tokens or numbers.
 *
 * It always has a name, so it is printed by its name. The plan fills it for each batch.
 */
#include "eval/work.h"
#include "explain/term.h"

/* The builder knows its shape. */
static void input_shape(lh_graph *g, lh_node *n) {
    (void)g, (void)n;
}

static lh_term *input_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_number(x, lh_explain_value(x, n, at), NULL);
}

LH_OP_RECORD(input) = {
    .name = "input",
    .summary = "An input of the examples.",
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .shape = input_shape,
    .explain = input_explain,
};
