#include "pages/run_text.h"

#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "pages/run_json.h"

/* One cell worked out beside the matrix: in the last row, the cell that is largest. */
lh_run_worked lh_run_work(lh_arena *a, lh_graph *g, const lh_plan *plan, const lh_step *s,
                          int head) {
    const lh_node *n = s->node;
    lh_sizes z = lh_exact.sizes(plan, n, 0);
    lh_cell at = {0, head, z.rows - 1, 0};
    for (int c = 1; c < z.cols; c++) {
        lh_cell other = {0, head, z.rows - 1, c};
        if (fabs(lh_exact.get(plan, n, other)) > fabs(lh_exact.get(plan, n, at))) at = other;
    }
    while (n->kind == LH_OP_call) n = n->call->result;
    lh_explainer x = {.g = g, .plan = plan, .arena = a, .from = n->scope};
    lh_term *t = lh_explain_node(&x, n, at);
    if (t->kind == LH_TERM_CELL || t->kind == LH_TERM_NUMBER) return (lh_run_worked){0};
    return (lh_run_worked){t, lh_cell_text(&x, s->node, at),
                           lh_term_text(&x, t, true, LH_RUN_DIGITS, false)};
}

char *lh_run_cell(lh_arena *a, lh_graph *g, const lh_plan *plan, const lh_step *s, int head) {
    lh_run_worked c = lh_run_work(a, g, plan, s, head);
    return c.term ? lh_printf(a, "%s = %s", c.label, c.numbers) : NULL;
}

/* ---- predictions ---- */

/* The scores of words: the last forward step before the loss whose columns are the words of an input that says what is
 * right. */
lh_node *lh_run_prediction(const lh_graph *g, int *target) {
    for (int k = g->n_inputs - 1; k >= 0; k--) {
        const char *name = g->input[k]->name;
        if (!g->input[k]->vocab || (strcmp(name, "target") != 0 && strcmp(name, "wanted") != 0))
            continue;
        for (int i = g->n_steps - 1; i >= 0; i--) {
            const lh_step *s = g->step[i];
            if (s->kind != LH_STEP_FORWARD || s->is_dead || s->node->is_discrete) continue;
            if (g->loss && s->node->id > g->loss->id) continue;
            if (g->axis[s->node->shape.cols].vocab != g->input[k]->vocab ||
                g->axis[s->node->shape.cols].n < 2)
                continue;
            *target = k;
            return s->node;
        }
    }
    return NULL;
}

/* The winner of a row; *tied: another column is as large. */
int lh_winner(const lh_plan *p, const lh_node *n, int example, int row, int *tied) {
    lh_sizes s = lh_exact.sizes(p, n, example);
    int best = 0;
    *tied = -1;
    for (int c = 1; c < s.cols; c++) {
        double x = lh_exact.get(p, n, (lh_cell){example, 0, row, c}),
               y = lh_exact.get(p, n, (lh_cell){example, 0, row, best});
        if (x > y)
            best = c, *tied = -1;
        else if (x == y && *tied < 0)
            *tied = c;
    }
    return best;
}

/* Padding fills a row up to the length of the others: there is nothing to get right. */
bool lh_is_padding(const lh_vocab *v, double token) {
    return token >= 0 && token < v->n_words && strcmp(v->word[(int)token], "<pad>") == 0;
}

int lh_run_predictions(lh_arena *a, const lh_graph *g, const lh_plan *p, lh_prediction **list) {
    int target, n_rows = 0;
    const lh_node *n = lh_run_prediction(g, &target);
    if (!n) return -1;
    const lh_vocab *v = g->input[target]->vocab;
    for (int e = 0; e < g->n_examples && e < 1000; e++) {
        int at = n->shape.is_batched ? e : 0, rows = lh_exact.sizes(p, n, at).rows;
        const lh_example_value *t = &g->example[e]->value[target];
        bool is_first = true;
        for (int row = 0; row < t->rows && row < rows; row++) {
            if (lh_is_padding(v, t->cells[row])) continue;
            int tied, best = lh_winner(p, n, at, row, &tied), right = (int)t->cells[row];
            *lh_push(a, *list, n_rows) = (lh_prediction){
                .pattern = is_first ? lh_example_text(a, g, e) : "",
                .said = tied < 0 ? v->word[best]
                                 : lh_printf(a, "%s = %s", v->word[best], v->word[tied]),
                .target = v->word[right],
                .is_right = tied < 0 && best == right,
                .is_tied = tied >= 0};
            is_first = false;
        }
    }
    return n_rows;
}
