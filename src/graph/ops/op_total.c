/* total -- the sum over all examples, cell by cell.
 *
 *     y_rc = sum over e of x_erc             examples in their order: the same bits on every run
 *
 * A value that does not depend on an example is the same for each: its total is N times the value.
 *
 * Gradient: every example counts once, dx_erc = dy_rc: dy stretched over the examples (the engine
 * stretches it). A value that is there once counts N times: dx_rc = N dy_rc.
 */
#include "explain/cost.h"
#include "explain/term.h"
#include "graph/ops/over_examples.h"

/* In a part of a batch, too, the value counts for all examples of the batch. */
static void total_of_one(const lh_work *w) {
    const lh_block *y = &w->out.block[0], *x = &w->in[0].block[0];
    LH_FOR_CELLS(y) LH_CELL(y) = LH_CELL(x) * (lh_real)w->moment->of;
    if (w->count) w->count[1] += lh_block_cells(y);
}

static void total_exact(const lh_work *w) {
    if (w->in[0].step)
        add_over_examples(w, w->moment->examples, 1);
    else
        total_of_one(w);
}

static lh_node *total_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    (void)i;
    if (n->in[0]->shape.is_batched) return dy;
    return lh_op2(g, LH_OP_mul, dy, lh_runtime(g, "examples"));
}

static lh_term *total_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    const int examples = lh_explain_examples(x);
    if (!n->in[0]->shape.is_batched) {
        lh_term *one = lh_explain_at(x, n->in[0], at);
        if (examples == 1) return one;
        return lh_term_infix(x, "*", LH_BIND_TERM, lh_term_number(x, examples, NULL), one,
                             lh_explain_value(x, n, at));
    }
    lh_term *sum = lh_term_sum(x, examples);
    for (int e = 0; e < sum->n_parts; e++)
        sum->part[e] = lh_explain_at(x, n->in[0], (lh_cell){e, at.head, at.row, at.col});
    return sum;
}

LH_OP_RECORD(total) = {
    .name = "total",
    .summary = "The sum over all examples, cell by cell; what all examples share counts once for "
               "each.",
    .example = {"total([1 2; 3 4; 5 6])", "[1 2; 3 4; 5 6]"},
    .n_min = 1,
    .n_max = 1,
    .rows = LH_ROWS_ALL,
    .shape = lh_shape_across,
    .exact = total_exact,
    .gradient = total_gradient,
    .explain = total_explain,
    .cost = lh_cost_operand,
};
