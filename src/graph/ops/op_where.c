/* where -- where(c, a, b): a where c holds, else b, cell by cell.
 *
 *     y = a where c is not 0, else b
 *
 * Gradient: dy goes to the one that was taken, da = where(c, dy, 0) and db = where(c, 0, dy); c
 * gets none. A choice and no product: what was not taken may be inf or nan and still does no harm.
 */
#include "eval/work.h"
#include "explain/term.h"

#include "base/number.h"

static void where_shape(lh_graph *g, lh_node *n) {
    lh_shape_stretch(g, n);
    n->vocab = n->in[1]->vocab ? n->in[1]->vocab : n->in[2]->vocab;
}

LH_EACH3(where_exact, c, a, b, c != 0 ? a : b)

static lh_node *where_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    lh_node *c = n->in[0], *zero = lh_number(g, 0, "0");
    if (i == 1) return lh_op3(g, LH_OP_where, c, dy, zero);
    if (i == 2) return lh_op3(g, LH_OP_where, c, zero, dy);
    return NULL;
}

static lh_term *where_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    const lh_node *c = n->in[0];
    double holds = lh_explain_in(x, n, 0, at)->value;
    lh_term *taken = lh_explain_in(x, n, holds != 0 ? 1 : 2, at);
    if (c->kind == LH_OP_number) return taken; /* where(0, a, b) needs no reason */
    lh_text because = lh_text_new(lh_explain_arena(x));
    char buffer[LH_NUMBER_MAX];
    lh_node_print(&because, c, n->scope);
    lh_text_add(&because, " is %s here", lh_number_text(buffer, sizeof buffer, holds, 6));
    return lh_term_choice(x, because.s, taken, taken->value);
}

LH_OP_RECORD(where) = {
    .name = "where",
    .summary = "The second value where the first is not 0, else the third, cell by cell.",
    .example = {"where([1 0 2; 0 1 0], [10 20 30; 40 50 60], [-1; -2])", "[10 -1 30; -2 50 -2]"},
    .n_min = 3,
    .n_max = 3,
    .rows = LH_ROWS_EACH,
    .is_each = true,
    .shape = where_shape,
    .exact = where_exact,
    .gradient = where_gradient,
    .explain = where_explain,
};
