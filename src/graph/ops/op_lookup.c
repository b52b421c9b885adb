/* lookup -- E[t], for each number of the column t that row of E.
 *
 *     y_rc = E_kc           k = t_r
 *
 * Gradient: a row of E is moved by every place that read it: dE_k is the sum of those rows of
 * dy, dE = addrows(dy, t, rows(E)); t gets none. A number in t that is no row of E gives a row of
 * nan.
 */
#include "eval/work.h"
#include "explain/term.h"

static void lookup_shape(lh_graph *g, lh_node *n) {
    const lh_node *from = n->in[0], *t = n->in[1];
    size_t rows = g->axis[from->shape.rows].n;
    if (!lh_axis_is_one(g, t->shape.cols)) {
        lh_shape_fail(g, n, "the row numbers must form one column, not %s",
                      lh_axis_text(g, t->shape.cols));
        if (lh_axis_is_one(g, t->shape.rows)) lh_cure(g->ctx, "^T turns a row into a column");
    } else if (t->vocab && rows && (size_t)t->vocab->n_words > rows) {
        lh_shape_fail(g, n, "%zu row%s for the %d words of %s: too few", rows, rows == 1 ? "" : "s",
                      t->vocab->n_words, t->vocab->name);
        lh_cure(g->ctx, "a table for tokens has one row for each word");
    } else {
        lh_check_places(g, n, t, from->shape.rows, "row");
    }
    n->shape.rows = t->shape.rows;
    n->shape.cols = from->shape.cols;
    n->vocab = from->vocab;
}

static void lookup_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *from = lh_block_of(&w->in[0], e),
                       *t = lh_block_of(&w->in[1], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++) {
                int k = lh_place_of(*lh_block_at(t, h, r, 0), from->rows);
                for (int c = 0; c < y->cols; c++)
                    *lh_block_at(y, h, r, c) = k < 0 ? R(nan)("") : *lh_block_at(from, h, k, c);
            }
    }
}

static lh_node *lookup_gradient(lh_graph *g, lh_node *n, lh_node *dy, int i) {
    if (i != 0) return NULL;
    return lh_op3(g, LH_OP_addrows, dy, n->in[1], lh_op1(g, LH_OP_rows, n->in[0]));
}

static lh_term *lookup_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    double t = lh_explain_in(x, n, 1, (lh_cell){at.example, at.head, at.row, 0})->value;
    if (!(t >= 0 && t < lh_explain_rows(x, n->in[0], at.example)) || t != (int)t)
        return lh_term_number(x, lh_explain_value(x, n, at), NULL);
    return lh_explain_at(x, n->in[0], (lh_cell){at.example, at.head, (int)t, at.col});
}

LH_OP_RECORD(lookup) = {
    .name = "[t]",
    .summary = "The rows that a column of row numbers names, in that order; rows count from 0.",
    .example = {"[1 2; 3 4; 5 6][[2; 0; 2; 1]]", "[5 6; 1 2; 5 6; 3 4]"},
    .n_min = 2,
    .n_max = 2,
    .is_internal = true,
    .rows = LH_ROWS_EACH,
    .print_kind = LH_PRINT_OWN,
    .binding = LH_BIND_POSTFIX,
    .print = lh_print_index,
    .shape = lookup_shape,
    .exact = lookup_exact,
    .gradient = lookup_gradient,
    .explain = lookup_explain,
};
