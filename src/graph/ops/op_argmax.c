/* argmax -- the column of the largest number of each row; of several the first.
 *
 *     y_r = the first c with x_rc = max x_r
 *
 * No gradient: a place in a row does not change by a small change of its numbers.
 */
#include "eval/work.h"
#include "explain/cost.h"
#include "explain/term.h"

/* Where the columns are words, the result is a word. */
static void argmax_shape(lh_graph *g, lh_node *n) {
    n->shape.rows = n->in[0]->shape.rows;
    n->shape.cols = lh_axis_number(g, 1);
    n->vocab = g->axis[n->in[0]->shape.cols].vocab;
}

static void argmax_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++) {
                const lh_real *p = lh_block_at(x, h, r, 0);
                int best = 0;
                for (int c = 1; c < x->cols; c++)
                    if (p[c * x->cs] > p[best * x->cs]) best = c;
                *lh_block_at(y, h, r, 0) = (lh_real)best;
            }
        if (w->count) w->count[1] += lh_block_cells(x);
    }
}

static lh_term *argmax_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    int cols = lh_explain_cols(x, n->in[0], at.example);
    lh_term **part = lh_alloc_array(lh_explain_arena(x), (size_t)cols, sizeof *part);
    if (!part || lh_explain_value(x, n, at) < 0) cols = 0;
    for (int c = 0; c < cols; c++)
        part[c] = lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.row, c});
    int winner = (int)lh_explain_value(x, n, at);
    bool is_tie = false;
    for (int c = winner + 1; part && c < cols; c++) is_tie |= part[c]->value == part[winner]->value;
    lh_term *t = lh_term_call(x, "argmax", cols, part, winner);
    return is_tie ? lh_term_choice(x, "a tie: the first of equal ones", t, winner) : t;
}

LH_OP_RECORD(argmax) = {
    .name = "argmax",
    .summary = "The column of the largest number of each row, from 0; of several the first.",
    .example = {"argmax([1 5 2; 7 0 7; 0 1 3])", "[1; 0; 2]"},
    .n_min = 1,
    .n_max = 1,
    .is_discrete = true,
    .rows = LH_ROWS_EACH,
    .shape = argmax_shape,
    .exact = argmax_exact,
    .explain = argmax_explain,
    .cost = lh_cost_operand,
};
