/* onehot -- onehot(t, n): for each number of the column t a row of n cells with one 1 in it.
 *
 *     y_rc = 1 where c = t_r, else 0
 *
 * No gradient. A number in t that is none of the n columns gives a row of nan.
 */
#include "eval/work.h"
#include "explain/term.h"

#include "base/number.h"

static void onehot_shape(lh_graph *g, lh_node *n) {
    const lh_node *t = n->in[0];
    if (!lh_axis_is_one(g, t->shape.cols))
        lh_shape_fail(g, n, "the numbers must form one column, not %s",
                      lh_axis_text(g, t->shape.cols));
    n->shape.rows = t->shape.rows;
    n->shape.cols = lh_axis_of_node(g, n->in[1]);
    lh_check_places(g, n, t, n->shape.cols, "column");
    n->shape.is_batched |= g->axis[n->shape.cols].n == 0;
}

static void onehot_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *t = lh_block_of(&w->in[0], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++) {
                int k = lh_place_of(*lh_block_at(t, h, r, 0), y->cols);
                for (int c = 0; c < y->cols; c++)
                    *lh_block_at(y, h, r, c) = k < 0 ? R(nan)("") : c == k;
            }
    }
}

/* 1 because target is C: by its word where the number is a token. */
static lh_term *onehot_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    const lh_node *operand = n->in[0];
    double t = lh_explain_in(x, n, 0, at)->value, y = lh_explain_value(x, n, at);
    lh_term *result = lh_term_number(x, y, NULL);
    if (operand->kind == LH_OP_number) return result;
    lh_text because = lh_text_new(lh_explain_arena(x));
    char buffer[LH_NUMBER_MAX];
    const char *word = lh_explain_word(x, operand->vocab, t);
    lh_node_print(&because, operand, n->scope);
    lh_text_add(&because, " is %s here", word ? word : lh_number_text(buffer, sizeof buffer, t, 6));
    return lh_term_choice(x, because.s, result, y);
}

LH_OP_RECORD(onehot) = {
    .name = "onehot",
    .summary = "For each number a row with 1 in that column and 0 elsewhere; the second value says "
               "how many columns.",
    .example = {"onehot([2; 0], 4)", "[0 0 1 0; 1 0 0 0]"},
    .n_min = 2,
    .n_max = 2,
    .is_discrete = true,
    .rows = LH_ROWS_EACH,
    .sizes_only = LH_ALL_OPERANDS & ~1u,
    .shape = onehot_shape,
    .exact = onehot_exact,
    .explain = onehot_explain,
};
