/* Are two trees the same? Places do not count, blank lines do not, and 0.1 is 0.10. */
#include "notation/notation.h"

#include <string.h>

static bool same_text(const char *a, const char *b) {
    if (!a || !b) return a == b;
    return strcmp(a, b) == 0;
}

static bool same_words(const char **a, int na, const char **b, int nb) {
    if (na != nb) return false;
    for (int i = 0; i < na; i++)
        if (strcmp(a[i], b[i]) != 0) return false;
    return true;
}

static bool same_exprs(lh_expr *const *a, int na, lh_expr *const *b, int nb) {
    if (na != nb) return false;
    for (int i = 0; i < na; i++)
        if (!lh_expr_same(a[i], b[i])) return false;
    return true;
}

static bool same_matrix(const lh_expr *a, const lh_expr *b) {
    if (a->rows != b->rows || a->cols != b->cols) return false;
    for (int i = 0; i < a->rows * a->cols; i++)
        if (a->cell[i] < b->cell[i] || a->cell[i] > b->cell[i]) return false;
    return true;
}

bool lh_expr_same(const lh_expr *a, const lh_expr *b) {
    if (!a || !b) return a == b;
    if (a->kind != b->kind) return false;
    if (a->kind == LH_E_NUMBER) return !(a->number < b->number || a->number > b->number);
    if (a->kind == LH_E_MATRIX) return same_matrix(a, b);
    if (!same_text(a->text, b->text) || !same_exprs(a->arg, a->n_args, b->arg, b->n_args))
        return false;
    for (int i = 0; i < a->n_args; i++)
        if (!same_text(a->argname ? a->argname[i] : NULL, b->argname ? b->argname[i] : NULL))
            return false;
    return true;
}

static bool same_bindings(const lh_statement *a, const lh_statement *b) {
    if (a->n_bindings != b->n_bindings) return false;
    for (int i = 0; i < a->n_bindings; i++) {
        const lh_binding *x = &a->binding[i], *y = &b->binding[i];
        if (!same_text(x->name, y->name) || !lh_expr_same(x->expr, y->expr) ||
            !same_words(x->word, x->n_words, y->word, y->n_words))
            return false;
    }
    return true;
}

static bool same_list(lh_statement *const *a, int na, lh_statement *const *b, int nb);

static bool same_header(const lh_statement *a, const lh_statement *b) {
    return a->kind == b->kind && same_text(a->name, b->name) && same_text(a->comment, b->comment) &&
           same_text(a->end_comment, b->end_comment) && same_text(a->as, b->as) &&
           same_text(a->of, b->of) && same_text(a->starting, b->starting) &&
           same_text(a->until, b->until) && same_text(a->where, b->where) &&
           same_text(a->says, b->says) && same_text(a->choice, b->choice) &&
           a->is_joined == b->is_joined && a->is_many == b->is_many && a->is_short == b->is_short &&
           a->has_target == b->has_target && a->count == b->count && a->seed == b->seed;
}

static bool same_statement(const lh_statement *a, const lh_statement *b) {
    return same_header(a, b) && lh_expr_same(a->expr, b->expr) && lh_expr_same(a->rows, b->rows) &&
           lh_expr_same(a->cols, b->cols) && lh_expr_same(a->file, b->file) &&
           same_words(a->word, a->n_words, b->word, b->n_words) && same_bindings(a, b) &&
           same_words(a->param, a->n_params, b->param, b->n_params) &&
           same_exprs(a->standard, a->n_params, b->standard, b->n_params) &&
           same_exprs(a->pattern, a->n_patterns, b->pattern, b->n_patterns) &&
           same_exprs(a->from, a->n_rules, b->from, b->n_rules) &&
           same_exprs(a->to, a->n_rules, b->to, b->n_rules) &&
           same_list(a->body, a->n_body, b->body, b->n_body);
}

static int skip_blank(lh_statement *const *list, int n, int i) {
    while (i < n && list[i]->kind == LH_S_BLANK) i++;
    return i;
}

static bool same_list(lh_statement *const *a, int na, lh_statement *const *b, int nb) {
    int i = skip_blank(a, na, 0), j = skip_blank(b, nb, 0);
    while (i < na && j < nb) {
        if (!same_statement(a[i], b[j])) return false;
        i = skip_blank(a, na, i + 1);
        j = skip_blank(b, nb, j + 1);
    }
    return i == na && j == nb;
}

bool lh_program_same(const lh_program *a, const lh_program *b) {
    return same_list(a->statement, a->n_statements, b->statement, b->n_statements);
}
