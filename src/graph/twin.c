/* twin -- the function of the prelude that computes the same as a function of the program, whatever its names are.
 *
 *     fn look(a, b, c, h = 0)          fn attention(Q, K, V, hide = 0)
 *       s = a @ b^T                      S = Q @ K^T
 *       ...                              ...
 *
 * Parameters correspond by their place, lines by theirs; every other name, of functions and sizes, must be equal. Kernels go by what
 * is computed, so a call of the one is made as a call of the other is.
 */
#include <string.h>

#include "graph/build.h"

enum { MOST_NAMES = 64 };

typedef struct names {
    const char *own[MOST_NAMES], *other[MOST_NAMES];
    int n;
} names;

static void pair(names *m, const char *own, const char *other) {
    m->own[m->n] = own, m->other[m->n++] = other;
}

static bool same_name(const names *m, const char *own, const char *other) {
    for (int i = m->n - 1; i >= 0; i--)
        if (strcmp(m->own[i], own) == 0 || strcmp(m->other[i], other) == 0)
            return strcmp(m->own[i], own) == 0 && strcmp(m->other[i], other) == 0;
    return strcmp(own, other) == 0;
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_expr(const names *m, const lh_expr *a, const lh_expr *b) {
    if (a->kind != b->kind || a->n_args != b->n_args) return false;
    if (a->kind == LH_E_NAME) return same_name(m, a->text, b->text);
    if (a->kind == LH_E_NUMBER || a->kind == LH_E_MATRIX) return lh_expr_same(a, b);
    if (!same_text(a->text, b->text)) return false;
    for (int i = 0; i < a->n_args; i++) {
        const char *x = a->argname ? a->argname[i] : NULL, *y = b->argname ? b->argname[i] : NULL;
        if (!same_text(x, y) || !same_expr(m, a->arg[i], b->arg[i])) return false;
    }
    return true;
}

static int next_step(const lh_statement *fn, int i) {
    while (i < fn->n_body && fn->body[i]->kind == LH_S_BLANK) i++;
    return i;
}

bool lh_fn_computes_same(const lh_statement *own, const lh_statement *other) {
    names m = {.n = 0};
    if (own->n_params != other->n_params || own->n_params + own->n_body > MOST_NAMES) return false;
    for (int i = 0; i < own->n_params; i++) pair(&m, own->param[i], other->param[i]);
    int i = next_step(own, 0), k = next_step(other, 0);
    for (; i < own->n_body && k < other->n_body;
         i = next_step(own, i + 1), k = next_step(other, k + 1)) {
        const lh_statement *a = own->body[i], *b = other->body[k];
        if (a->kind != LH_S_STEP || b->kind != LH_S_STEP || !same_expr(&m, a->expr, b->expr))
            return false;
        pair(&m, a->name, b->name);
    }
    return i == own->n_body && k == other->n_body;
}

/* A function with a rule of the program's own sends back what that says. */
static bool has_own_rule(const lh_builder *b, const lh_statement *fn) {
    for (int i = 0; i < b->n_own_rules; i++)
        if (strcmp(b->rule[i]->name, fn->name) == 0) return true;
    return false;
}

const lh_statement *lh_fn_known(const lh_builder *b, const lh_statement *fn) {
    bool is_own = false;
    for (int i = 0; i < b->n_own_fns; i++) is_own |= b->fn[i] == fn;
    if (has_own_rule(b, fn)) return NULL;
    if (!is_own) return fn;
    for (int i = b->n_own_fns; i < b->n_fns; i++)
        if (lh_fn_computes_same(fn, b->fn[i])) return b->fn[i];
    return NULL;
}
