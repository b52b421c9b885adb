/* coin -- coin(x, p): in the shape of x 1 with probability p, else 0.
 *
 *     y_rc = 1 where u < p, else 0           u: this cell's random number, from 0 to 1
 *
 * No gradient. The random number is computed from seed, step, place in the program, example, row
 * and column (heads lie beside each other), so it is the same in any order, on any thread and in
 * the wide type.
 */
#include "eval/work.h"
#include "explain/term.h"

#include <string.h>

#include "base/number.h"
#include "base/random.h"

/* A number that is known before running, in training: 1 - 0.1 * training is 0.9. */
static bool known_in_training(const lh_graph *g, const lh_node *n, int depth, double *x) {
    double a, b;
    if (lh_node_constant(g, n, x)) return true;
    if (n->kind == LH_OP_runtime && strcmp(n->text, "training") == 0) return *x = 1, true;
    if ((n->kind != LH_OP_sub && n->kind != LH_OP_mul) || depth == 4) return false;
    if (!known_in_training(g, n->in[0], depth + 1, &a) ||
        !known_in_training(g, n->in[1], depth + 1, &b))
        return false;
    *x = n->kind == LH_OP_sub ? a - b : a * b;
    return true;
}

static void check_chance(lh_graph *g, lh_node *n) {
    double p;
    if (!known_in_training(g, n->in[1], 0, &p) || (p >= 0 && p <= 1)) return;
    lh_shape_fail(g, n, "a probability must be between 0 and 1, but this one is %g", p);
    lh_cure(g->ctx, "in dropout(x, rate) the rate must be at least 0 and less than 1");
}

static void coin_shape(lh_graph *g, lh_node *n) {
    const lh_shape *x = &n->in[0]->shape, *p = &n->in[1]->shape;
    if ((!lh_axis_is_one(g, p->rows) && !lh_axis_meet(g, n, p->rows, x->rows)) ||
        (!lh_axis_is_one(g, p->cols) && !lh_axis_meet(g, n, p->cols, x->cols)))
        lh_shape_fail(g, n, "the probability is one number, or one for each cell");
    else
        check_chance(g, n);
    lh_shape_as_first(g, n);
}

static void coin_exact(const lh_work *w) {
    const lh_node *n = w->node;
    lh_random_place at = {
        .seed = w->moment->seed, .step = (uint32_t)w->moment->step, .place = n->stream};
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *p = lh_block_of(&w->in[1], e);
        at.example = n->shape.is_batched ? (uint32_t)w->moment->example[e] : 0;
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++) {
                    at.row = (uint32_t)r;
                    at.col = (uint32_t)(h * y->cols + c);
                    const double chance = (double)*lh_block_at(p, h, r, c);
                    *lh_block_at(y, h, r, c) = lh_random_uniform(at) < chance ? 1 : 0;
                }
    }
}

static lh_term *coin_explain(lh_explainer *x, const lh_node *n, lh_cell at) {
    double y = lh_explain_value(x, n, at);
    char buffer[LH_NUMBER_MAX];
    const char *p = lh_number_text(buffer, sizeof buffer, lh_explain_in(x, n, 1, at)->value, 6);
    const char *because = lh_printf(lh_explain_arena(x), "a random number from 0 to 1 was %s %s",
                                    y != 0 ? "smaller than" : "not smaller than", p);
    return lh_term_choice(x, because, lh_term_number(x, y, NULL), y);
}

LH_OP_RECORD(coin) = {
    .name = "coin",
    .summary = "A random 1 or 0 for each cell of the first value; the second is the chance of 1.",
    .example = {"coin([5 6 7; 8 9 10], [0 1 0])", "[0 1 0; 0 1 0]"},
    .n_min = 2,
    .n_max = 2,
    .is_discrete = true,
    .rows = LH_ROWS_EACH,
    .is_random = true,
    .sizes_only = 1u << 0,
    .shape = coin_shape,
    .exact = coin_exact,
    .explain = coin_explain,
};
