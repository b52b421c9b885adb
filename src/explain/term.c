#include "explain/term.h"

#include <string.h>

#include "explain/explain.h"

enum { MAX_OPENED = 4096 };

const char *lh_explain_word(lh_explainer *x, const lh_vocab *v, double token) {
    if (!v || !(token >= 0 && token < v->n_words)) return NULL;
    if (x->numbers) return x->numbers->label(x->numbers->from, v->axis, (int)token);
    return v->word ? v->word[(int)token] : NULL;
}

lh_arena *lh_explain_arena(lh_explainer *x) {
    return x->arena;
}

lh_sizes lh_explain_sizes(const lh_explainer *x, const lh_node *n, int example) {
    return x->numbers ? x->numbers->sizes(x->numbers->from, n, example)
                      : lh_exact.sizes(x->plan, n, example);
}

int lh_explain_rows(lh_explainer *x, const lh_node *n, int example) {
    return lh_explain_sizes(x, n, example).rows;
}

int lh_explain_cols(lh_explainer *x, const lh_node *n, int example) {
    return lh_explain_sizes(x, n, example).cols;
}

int lh_explain_examples(const lh_explainer *x) {
    return x->numbers ? x->numbers->examples : lh_exact.examples(x->plan);
}

/* A cell of a value that has fewer rows, columns or heads than the result is the one that is stretched there. */
static lh_cell within(lh_explainer *x, const lh_node *n, lh_cell at) {
    lh_sizes s = lh_explain_sizes(x, n, at.example);
    if (at.row >= s.rows) at.row = 0;
    if (at.col >= s.cols) at.col = 0;
    if (at.head >= s.heads) at.head = 0;
    return at;
}

double lh_explain_value(lh_explainer *x, const lh_node *n, lh_cell at) {
    if (x->numbers) return x->numbers->get(x->numbers->from, n, within(x, n, at));
    if (!lh_exact.has(x->plan, n)) return 0;
    return lh_exact.get(x->plan, n, within(x, n, at));
}

static lh_term *term_new(lh_explainer *x, lh_term_kind kind, const char *sign, int n,
                         double value) {
    lh_term *t = lh_alloc(x->arena, sizeof *t);
    *t = (lh_term){.kind = kind, .sign = sign, .value = value, .binding = LH_BIND_ATOM};
    t->part = lh_alloc_array(x->arena, (size_t)n + 1, sizeof *t->part);
    t->n_parts = t->part ? n : 0;
    return t;
}

lh_term *lh_term_number(lh_explainer *x, double value, const char *text) {
    return term_new(x, LH_TERM_NUMBER, text, 0, value);
}

lh_term *lh_term_infix(lh_explainer *x, const char *sign, int binding, lh_term *a, lh_term *b,
                       double value) {
    lh_term *t = term_new(x, LH_TERM_INFIX, sign, 2, value);
    t->binding = binding;
    if (t->n_parts) t->part[0] = a, t->part[1] = b;
    return t;
}

lh_term *lh_term_prefix(lh_explainer *x, const char *sign, lh_term *a, double value) {
    lh_term *t = term_new(x, LH_TERM_PREFIX, sign, 1, value);
    t->binding = LH_BIND_UNARY;
    if (t->n_parts) t->part[0] = a;
    return t;
}

lh_term *lh_term_call(lh_explainer *x, const char *name, int n, lh_term *const *parts,
                      double value) {
    lh_term *t = term_new(x, LH_TERM_CALL, name, n, value);
    for (int i = 0; i < t->n_parts; i++) t->part[i] = parts[i];
    return t;
}

lh_term *lh_term_sum(lh_explainer *x, int n) {
    lh_term *t = term_new(x, LH_TERM_SUM, "+", n, 0);
    t->binding = LH_BIND_SUM;
    return t;
}

lh_term *lh_term_choice(lh_explainer *x, const char *because, lh_term *chosen, double value) {
    lh_term *t = term_new(x, LH_TERM_CHOICE, because, 1, value);
    if (t->n_parts) t->part[0] = chosen;
    return t;
}

/* In a function of one line the parameter stands for the formula that was given: v = rowmean(c * c) is told by c, and not by an x
 * that is another one outside. */
static bool is_shorthand(const lh_step *s) {
    const lh_scope *scope = s->scope;
    return s->kind == LH_STEP_AUX && s->node->kind != LH_OP_call && scope->kind == LH_SCOPE_CALL &&
           scope->call && scope->call->call->fn->n_body == 1;
}

/* A value with a name is a leaf; one inside the formula is opened. */
lh_term *lh_explain_at(lh_explainer *x, const lh_node *n, lh_cell at) {
    at = within(x, n, at);
    double value = lh_explain_value(x, n, at);
    if (n->kind == LH_OP_number) return lh_term_number(x, value, n->text);
    bool is_long = x->n_opened > MAX_OPENED && n->kind != LH_OP_number;
    const bool has_name = n->step && !is_shorthand(n->step);
    if (has_name || !n->op->explain || x->depth > LH_MAX_DEPTH || is_long) {
        lh_term *t = term_new(x, LH_TERM_CELL, NULL, 0, value);
        t->node = n;
        t->at = at;
        return t;
    }
    x->depth++;
    x->n_opened++;
    lh_term *t = n->op->explain(x, n, at);
    x->depth--;
    t->value = value;
    return t;
}

lh_term *lh_explain_in(lh_explainer *x, const lh_node *n, int i, lh_cell at) {
    return lh_explain_at(x, n->in[i], at);
}

lh_term *lh_explain_infix(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_infix(x, n->op->name, n->op->binding, lh_explain_in(x, n, 0, at),
                         lh_explain_in(x, n, 1, at), lh_explain_value(x, n, at));
}

lh_term *lh_explain_call(lh_explainer *x, const lh_node *n, lh_cell at) {
    lh_term *part[8] = {NULL};
    int k = n->n_in < 8 ? n->n_in : 8;
    for (int i = 0; i < k; i++) part[i] = lh_explain_in(x, n, i, at);
    return lh_term_call(x, n->op->name, k, part, lh_explain_value(x, n, at));
}

lh_term *lh_explain_same(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_explain_at(x, n->in[0], at);
}

lh_term *lh_explain_number(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_number(x, lh_explain_value(x, n, at), NULL);
}

lh_term *lh_explain_written(lh_explainer *x, const lh_node *n, lh_cell at) {
    return lh_term_number(x, lh_explain_value(x, n, at), n->text);
}
