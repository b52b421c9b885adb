/* headsum -- the sum over heads, cell by cell. headsum(x, n): over as many neighbours as leave n heads.
 *
 *     y_(head k)rc = sum over h of x_(head k m + h)rc          m = H / n of H heads; n is 1 unless it is given
 *
 * Gradient: every head counts once, dx_hrc = dy_krc: dy stretched over the heads (the engine
 * stretches it).
 */
#include "eval/work.h"
#include "explain/cost.h"
#include "explain/term.h"

/* index[0]: how many make one. */
static void headsum_shape(lh_graph *g, lh_node *n) {
    const int heads = (int)g->axis[n->in[0]->shape.heads].n;
    int left = 1;
    if (n->n_in == 2 && (!lh_node_whole(g, n->in[1], &left) || !left || heads % left != 0)) {
        lh_shape_fail(g, n, "%d heads cannot be added up so that %s are left", heads,
                      left ? "so many" : "none");
        left = 1;
    }
    n->index[0] = heads / left; /* explain has no graph to ask */
    n->shape.heads = n->n_in == 2 ? lh_axis_of_node(g, n->in[1]) : lh_axis_number(g, 1);
}

static void headsum_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        const int some = x->heads / y->heads;
        for (int k = 0; k < y->heads; k++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++) {
                    const lh_real *p = lh_block_at(x, k * some, r, c);
                    lh_real sum = 0;
                    for (int h = 0; h < some; h++) sum += p[h * x->hs];
                    *lh_block_at(y, k, r, c) = sum;
                }
        if (w->count) w->count[1] += lh_block_cells(x);
    }
}

static lh_term *headsum_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    lh_term *sum = lh_term_sum(x, n->index[0]);
    for (int h = 0; h < sum->n_parts; h++)
        sum->part[h] = lh_explain_at(
            x, n->in[0], (lh_cell){at.example, at.head * n->index[0] + h, at.row, at.col});
    return sum;
}

LH_OP_RECORD(headsum) = {
    .name = "headsum",
    .summary = "The sum over heads, cell by cell; a second value says how many heads are left, "
               "each the sum of neighbours.",
    .example = {"headsum(split([1 2 3 4 5 6; 7 8 9 10 11 13], 3))", "[9 12; 27 31]"},
    .n_min = 1,
    .n_max = 2,
    .rows = LH_ROWS_EACH,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .shape = headsum_shape,
    .exact = headsum_exact,
    .gradient = lh_gradient_same,
    .explain = headsum_explain,
    .cost = lh_cost_operand,
};
