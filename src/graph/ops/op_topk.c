/* topk -- topk(x, k): 1 at the k largest numbers of each row, 0 elsewhere; of equal ones the first count as larger.
 *
 *     y_rc = 1 where fewer than k numbers of the row come before x_rc, else 0
 *
 * No gradient: who is among the largest does not change by a small change of the numbers.
 */
#include "eval/work.h"
#include "explain/cost.h"
#include "explain/term.h"

static void topk_shape(lh_graph *g, lh_node *n) {
    const size_t cols = g->axis[n->in[0]->shape.cols].n;
    lh_shape_as_first(g, n);
    if (!lh_node_whole(g, n->in[1], &n->index[0]) || n->index[0] == 0 ||
        (cols && (size_t)n->index[0] > cols)) {
        lh_shape_fail(g, n,
                      "how many is a whole number from 1 to the number of columns, known "
                      "before the program runs");
        n->index[0] = 1;
    }
}

/* How many cells of the row come before cell c: larger ones, and equal ones to its left. */
static int topk_before(const lh_block *x, int h, int r, int c) {
    const lh_real own = *lh_block_at(x, h, r, c);
    int n = 0;
    for (int k = 0; k < x->cols; k++) {
        const lh_real other = *lh_block_at(x, h, r, k);
        n += other > own || (k < c && other == own);
    }
    return n;
}

static void topk_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++)
                    *lh_block_at(y, h, r, c) = topk_before(x, h, r, c) < w->node->index[0];
        if (w->count) w->count[1] += lh_block_cells(x) * (unsigned)x->cols;
    }
}

static lh_term *topk_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    const int cols = lh_explain_cols(x, n->in[0], at.example);
    const double y = lh_explain_value(x, n, at);
    const lh_term *own = lh_explain_at(x, n->in[0], at);
    int larger = 0;
    for (int c = 0; c < cols; c++) {
        const lh_term *other =
            lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, at.row, c});
        larger += other->value > own->value || (c < at.col && other->value == own->value);
    }
    lh_text because = lh_text_new(lh_explain_arena(x));
    lh_text_add(&because, "%d of the row %s larger, and %d %s taken", larger,
                larger == 1 ? "is" : "are", n->index[0], n->index[0] == 1 ? "is" : "are");
    return lh_term_choice(x, because.s, lh_term_number(x, y, NULL), y);
}

static void topk_cost(const lh_graph *g, const lh_node *n, lh_cost *c) {
    const int cols = n->in[0]->shape.cols;
    lh_cost_add(g, &c->operations, 1, 4, (int[]){n->shape.heads, n->shape.rows, cols, cols});
}

LH_OP_RECORD(topk) = {
    .name = "topk",
    .summary = "1 at the largest numbers of each row and 0 elsewhere; the second value says how "
               "many. Of equal ones the first are taken.",
    .example = {"topk([1 5 2; 7 0 7; 3 3 3], 2)", "[0 1 1; 1 0 1; 1 1 0]"},
    .n_min = 2,
    .n_max = 2,
    .is_discrete = true,
    .rows = LH_ROWS_EACH,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .shape = topk_shape,
    .exact = topk_exact,
    .explain = topk_explain,
    .cost = topk_cost,
};
