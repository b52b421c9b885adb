/* average -- the mean over all examples, cell by cell.
 *
 *     y_rc = (sum over e of x_erc) / number of examples
 *
 * Gradient: every example counts with its share, dx_erc = dy_rc / number of examples. A value that
 * does not depend on an example is its own average. Examples are added in their order: the same
 * bits on every run.
 */
#include "explain/cost.h"
#include "explain/term.h"
#include "graph/ops/over_examples.h"

/* In a part of a batch, what is added up is a share of more examples than there are. */
static void average_exact(const lh_work *w) {
    const bool is_batched = w->in[0].step != 0;
    add_over_examples(w, is_batched ? w->moment->examples : 1,
                      is_batched ? (lh_real)w->moment->of : 1);
}

static lh_node *average_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    if (!n->in[0]->shape.is_batched) return dy;
    return lh_op2(g, LH_OP_div, dy, lh_runtime(g, "examples"));
}

static lh_term *average_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    if (!n->in[0]->shape.is_batched) return lh_explain_at(x, n->in[0], at);
    int examples = lh_explain_examples(x);
    if (examples == 1) return lh_explain_at(x, n->in[0], at);
    lh_term *sum = lh_term_sum(x, examples);
    for (int e = 0; e < sum->n_parts; e++) {
        sum->part[e] = lh_explain_at(x, n->in[0], (lh_cell){e, at.head, at.row, at.col});
        sum->value += sum->part[e]->value;
    }
    return lh_term_infix(x, "/", LH_BIND_TERM, sum, lh_term_number(x, examples, NULL),
                         lh_explain_value(x, n, at));
}

LH_OP_RECORD(average) = {
    .name = "average",
    .summary = "The mean over all examples, cell by cell; what all examples share stays as it is.",
    .example = {"average([1 2])", "[1 2]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_ALL,
    .shape = lh_shape_across,
    .exact = average_exact,
    .gradient = average_gradient,
    .explain = average_explain,
    .cost = lh_cost_operand,
};
