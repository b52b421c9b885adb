/* rule -- gradient rules of a program, looked at before they are used: one that can never serve would leave its function to be
 * differentiated through its body, and nobody would see it. */
#include <string.h>

#include "graph/build.h"

static void fail_rule(lh_builder *b, const lh_statement *rule, const char *what, const char *cure) {
    lh_fail(b->g->ctx, LH_ERROR_TEXT, rule->at, "grad %s: %s", rule->name, what);
    lh_cure(b->g->ctx, "%s", cure);
}

/* fn f(x, y = 2), as it was written. */
static const char *head_of(lh_builder *b, const lh_statement *fn) {
    lh_text t = lh_text_new(b->g->arena);
    lh_text_add(&t, "%s(", fn->name);
    for (int i = 0; i < fn->n_params; i++)
        lh_text_add(&t, "%s%s%s", i ? ", " : "", fn->param[i], fn->standard[i] ? " = ..." : "");
    lh_text_add(&t, ")");
    return t.s;
}

/* No more patterns than the function has parameters. What it leaves out at the end gets no gradient by this rule. */
static void check_arity(lh_builder *b, const lh_statement *rule, const char *name, int n) {
    const lh_statement *fn = lh_find_fn(b, name);
    if (!fn) {
        const char *what = lh_printf(b->g->arena, "there is no fn %s", name);
        fail_rule(b, rule, what, "fn f(x) defines a function, grad f(x) its gradient");
        return;
    }
    if (n <= fn->n_params) return;
    const char *what =
        lh_printf(b->g->arena, "the rule has %d argument%s for %s", n, n == 1 ? "" : "s", name);
    fail_rule(b, rule, what, lh_printf(b->g->arena, "the function is %s", head_of(b, fn)));
}

typedef struct names {
    const char *name[32];
    int n;
} names;

/* The names that the patterns bind; a call inside a call has arguments of its own. */
static void check_pattern(lh_builder *b, const lh_statement *rule, const lh_expr *e, names *bound) {
    if (lh_failed(b->g->ctx)) return;
    if (e->kind == LH_E_CALL) {
        check_arity(b, rule, e->text, e->n_args);
        for (int i = 0; i < e->n_args; i++) check_pattern(b, rule, e->arg[i], bound);
        return;
    }
    for (int i = 0; i < bound->n; i++)
        if (strcmp(bound->name[i], e->text) == 0)
            fail_rule(b, rule, lh_printf(b->g->arena, "%s names two arguments", e->text),
                      "a name for each");
    if (bound->n == 32)
        fail_rule(b, rule, "it has more than 32 names", "fewer arguments");
    else
        bound->name[bound->n++] = e->text;
}

/* dx for one of its arguments at least, and no line twice. */
static void check_lines(lh_builder *b, const lh_statement *rule, const names *bound) {
    bool goes_back = false;
    for (int i = 0; i < rule->n_body; i++) {
        const lh_statement *s = rule->body[i];
        if (s->kind != LH_S_STEP) continue;
        for (int k = 0; k < i; k++)
            if (rule->body[k]->kind == LH_S_STEP && strcmp(rule->body[k]->name, s->name) == 0)
                lh_fail(b->g->ctx, LH_ERROR_NAME, s->at, "grad %s defines %s twice", rule->name,
                        s->name);
        for (int k = 0; k < bound->n; k++)
            goes_back |= s->name[0] == 'd' && strcmp(s->name + 1, bound->name[k]) == 0;
    }
    if (goes_back || lh_failed(b->g->ctx) || bound->n == 0) return;
    fail_rule(b, rule,
              lh_printf(b->g->arena, "no line defines the gradient of %s%s", bound->name[0],
                        bound->n > 1 ? " or another argument" : ""),
              lh_printf(b->g->arena, "d%s = ...", bound->name[0]));
}

/* Do they fit the same calls? What their names are does not matter. */
static bool same_pattern(const lh_expr *a, const lh_expr *b) {
    if (a->kind != LH_E_CALL || b->kind != LH_E_CALL) return a->kind == b->kind;
    if (strcmp(a->text, b->text) != 0 || a->n_args != b->n_args) return false;
    for (int i = 0; i < a->n_args; i++)
        if (!same_pattern(a->arg[i], b->arg[i])) return false;
    return true;
}

static bool same_rule(const lh_statement *a, const lh_statement *b) {
    if (strcmp(a->name, b->name) != 0 || a->n_patterns != b->n_patterns) return false;
    for (int i = 0; i < a->n_patterns; i++)
        if (!same_pattern(a->pattern[i], b->pattern[i])) return false;
    return true;
}

void lh_check_rules(lh_builder *b) {
    for (int i = 0; i < b->n_own_rules && !lh_failed(b->g->ctx); i++) {
        const lh_statement *rule = b->rule[i];
        names bound = {.n = 0};
        check_arity(b, rule, rule->name, rule->n_patterns);
        for (int k = 0; k < rule->n_patterns; k++) check_pattern(b, rule, rule->pattern[k], &bound);
        if (!lh_failed(b->g->ctx)) check_lines(b, rule, &bound);
        for (int k = 0; k < i && !lh_failed(b->g->ctx); k++)
            if (same_rule(rule, b->rule[k]))
                fail_rule(b, rule,
                          lh_printf(b->g->arena, "there is already such a rule, in line %d",
                                    b->rule[k]->at.line),
                          "one rule for a function; another for a call inside its call");
    }
}
