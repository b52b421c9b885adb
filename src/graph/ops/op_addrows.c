/* addrows -- addrows(d, t, n): n rows; row k is the sum of the rows of d whose number in t is k.
 * The gradient of E[t].
 *
 *     y_kc = sum over r with t_r = k of d_rc
 *
 * Gradient: every row of d went to one row of y, so dd = dy[t]; t and n get none. Rows are
 * added in their order: the same bits on every run. A number in t that is none of the n rows has no
 * place to go to, and every cell becomes nan.
 */
#include "eval/work.h"
#include "explain/cost.h"
#include "explain/term.h"

static void addrows_shape(lh_graph *g, lh_node *n) {
    const lh_node *d = n->in[0], *t = n->in[1];
    if (!lh_axis_is_one(g, t->shape.cols))
        lh_shape_fail(g, n, "the row numbers must form one column, not %s",
                      lh_axis_text(g, t->shape.cols));
    else if (!lh_axis_meet(g, n, d->shape.rows, t->shape.rows))
        lh_shape_fail(g, n, "one number is needed for each row, but rows differ (%s and %s)",
                      lh_axis_text(g, d->shape.rows), lh_axis_text(g, t->shape.rows));
    n->shape.rows = lh_axis_of_node(g, n->in[2]);
    n->shape.cols = d->shape.cols;
    n->shape.is_batched |= g->axis[n->shape.rows].n == 0;
}

static void addrows_fill(const lh_block *y, int head, lh_real value) {
    for (int r = 0; r < y->rows; r++)
        for (int c = 0; c < y->cols; c++) *lh_block_at(y, head, r, c) = value;
}

static void addrows_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *d = lh_block_of(&w->in[0], e),
                       *t = lh_block_of(&w->in[1], e);
        for (int h = 0; h < y->heads; h++) {
            addrows_fill(y, h, 0);
            for (int r = 0; r < d->rows; r++) {
                int k = lh_place_of(*lh_block_at(t, h, r, 0), y->rows);
                if (k < 0) addrows_fill(y, h, R(nan)(""));
                for (int c = 0; k >= 0 && c < y->cols; c++)
                    *lh_block_at(y, h, k, c) += *lh_block_at(d, h, r, c);
            }
        }
        if (w->count)
            w->count[1] += (unsigned long long)y->heads * (unsigned)d->rows * (unsigned)d->cols;
    }
}

static lh_node *addrows_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    return i == 0 ? lh_op2(g, LH_OP_lookup, dy, n->in[1]) : NULL;
}

/* Row r of d goes to the row of the result that t says. */
static bool addrows_meets(lh_explainer *x, const lh_node *n, lh_cell at, int r) {
    return lh_explain_at(x, n->in[1], (lh_cell){at.example, at.head, r, 0})->value == at.row;
}

static lh_term *addrows_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    double y = lh_explain_value(x, n, at);
    int rows = lh_explain_rows(x, n->in[0], at.example), parts = 0;
    for (int r = 0; r < rows; r++) parts += addrows_meets(x, n, at, r);
    if (parts == 0 || y != y) return lh_term_number(x, y, NULL);
    lh_term *sum = lh_term_sum(x, parts);
    for (int r = 0, k = 0; r < rows && k < sum->n_parts; r++)
        if (addrows_meets(x, n, at, r))
            sum->part[k++] = lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, r, at.col});
    return sum;
}

static void addrows_cost(const lh_graph *g, const lh_node *n, lh_cost *c) {
    const lh_shape *d = &n->in[0]->shape;
    lh_cost_add(g, &c->operations, 1, 3, (int[]){n->shape.heads, d->rows, d->cols});
}

LH_OP_RECORD(addrows) = {
    .name = "addrows",
    .summary = "Each row added to the row that the second value says; the third says how many rows "
               "there are.",
    .example = {"addrows([1 2; 3 4; 5 6], [2; 0; 2], 4)", "[3 4; 0 0; 6 8; 0 0]"},
    .n_min = 3,
    .n_max = 3,
    .rows = LH_ROWS_ALL,
    .sizes_only = LH_ALL_OPERANDS & ~3u,
    .shape = addrows_shape,
    .exact = addrows_exact,
    .gradient = addrows_gradient,
    .explain = addrows_explain,
    .cost = addrows_cost,
};
