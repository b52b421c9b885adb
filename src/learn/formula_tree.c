/* formula_tree -- making nodes of a formula, and what the writers ask of them: classes and gaps.
 *
 * Spaces follow from classes, as in TeX: around relations and binary operators, behind commas, around functions and large
 * operators. An operator without a left side is a sign (−x, a = −b) and stands close to what follows it.
 */
#include <string.h>

#include "learn/formula_internal.h"

lh_formula *lh_formula_new(lh_arena *a, lh_formula_kind kind, lh_sign_class class, int n_args) {
    lh_formula *f = lh_alloc(a, sizeof *f);
    *f = (lh_formula){.kind = kind, .class = class, .text = "", .open = "", .close = ""};
    if (n_args > 0) f->arg = lh_alloc_array(a, (size_t)n_args, sizeof(lh_formula *));
    f->n_args = f->arg ? n_args : 0;
    return f;
}

lh_formula *lh_formula_sign(lh_arena *a, const char *sign) {
    const lh_formula_command *c = lh_formula_find_sign(sign);
    lh_formula *f = lh_formula_new(a, LH_F_SIGN, c ? c->class : LH_SIGN_LETTER, 0);
    f->text = c ? c->sign : lh_copy(a, sign, strlen(sign));
    f->command = c;
    f->has_limits = f->class == LH_SIGN_LARGE;
    return f;
}

lh_formula *lh_formula_word(lh_arena *a, const char *name, lh_sign_class class) {
    lh_formula *f = lh_formula_new(a, LH_F_NAME, class, 0);
    f->text = lh_copy(a, name, strlen(name));
    f->alphabet = LH_ALPHABET_ROMAN;
    return f;
}

void lh_formula_append(lh_arena *a, lh_formula *row, lh_formula *item) {
    lh_formula **place = lh_push(a, row->arg, row->n_args);
    *place = item;
}

lh_formula *lh_formula_script(lh_arena *a, lh_formula *base, lh_formula *sub, lh_formula *sup) {
    lh_formula *f = lh_formula_new(a, LH_F_SCRIPT, base->class, 3);
    if (!f->n_args) return base;
    f->arg[0] = base, f->arg[1] = sub, f->arg[2] = sup;
    return f;
}

lh_formula *lh_formula_fence(lh_arena *a, const char *open, lh_formula *body, const char *close) {
    lh_formula *f = lh_formula_new(a, LH_F_FENCE, LH_SIGN_INNER, 1);
    if (!f->n_args) return body;
    f->open = open, f->close = close, f->arg[0] = body;
    return f;
}

const lh_formula *lh_formula_bare(const lh_formula *f) {
    while (f->kind == LH_F_ROW && f->n_args == 1) f = f->arg[0];
    return f;
}

const lh_formula *lh_formula_base(const lh_formula *f) {
    for (f = lh_formula_bare(f); f->kind == LH_F_SCRIPT;) f = lh_formula_bare(f->arg[0]);
    return f;
}

bool lh_formula_has_text(const lh_formula *f, const char *text) {
    f = lh_formula_bare(f);
    return f->kind <= LH_F_TEXT && f->kind != LH_F_ROW && strcmp(f->text, text) == 0;
}

bool lh_formula_is_prime(const lh_formula *f) {
    if (f->kind == LH_F_SIGN) return strcmp(f->text, "′") == 0;
    if (f->kind != LH_F_ROW || !f->n_args) return false;
    for (int i = 0; i < f->n_args; i++)
        if (!lh_formula_is_prime(f->arg[i])) return false;
    return true;
}

/* The neighbour of an item that is no space: -1 to the left, 1 to the right; LH_SIGN_SPACE where there is none. */
static lh_sign_class neighbour(const lh_formula *row, int i, int step) {
    for (i += step; i >= 0 && i < row->n_args; i += step)
        if (row->arg[i]->class != LH_SIGN_SPACE) return row->arg[i]->class;
    return LH_SIGN_SPACE;
}

lh_sign_class lh_formula_class(const lh_formula *row, int i) {
    if (row->arg[i]->class != LH_SIGN_BINARY) return row->arg[i]->class;
    switch (neighbour(row, i, -1)) {
    case LH_SIGN_LETTER:
    case LH_SIGN_CLOSE:
    case LH_SIGN_INNER: break;
    default: return neighbour(row, i, 1) == LH_SIGN_SPACE ? LH_SIGN_LETTER : LH_SIGN_PREFIX;
    }
    switch (neighbour(row, i, 1)) {
    case LH_SIGN_SPACE:
    case LH_SIGN_CLOSE:
    case LH_SIGN_COMMA:
    case LH_SIGN_RELATION: return LH_SIGN_LETTER;
    default: return LH_SIGN_BINARY;
    }
}

static bool is_operator(lh_sign_class c) {
    return c == LH_SIGN_FUNCTION || c == LH_SIGN_LARGE || c == LH_SIGN_INTEGRAL;
}

/* A letter behind a letter stands close; a number behind a letter does not, or x 2 would read as a name. */
static bool stands_apart(const lh_formula *left, const lh_formula *right) {
    return lh_formula_base(right)->kind == LH_F_NUMBER &&
           lh_formula_base(left)->kind != LH_F_NUMBER &&
           lh_formula_base(left)->class == LH_SIGN_LETTER && !lh_formula_has_text(left, "/") &&
           right->alphabet == LH_ALPHABET_NONE;
}

/* Words bring their own spaces: \text{ if }. */
static bool has_own_space(const lh_formula *left, const lh_formula *right) {
    size_t n = strlen(left->text);
    return (left->kind == LH_F_TEXT && (!n || left->text[n - 1] == ' ')) ||
           (right->kind == LH_F_TEXT && (!right->text[0] || right->text[0] == ' '));
}

int lh_formula_gap(const lh_formula *row, int i, bool in_script) {
    bool is_word = lh_formula_ends_word(row->arg[i]);
    bool next_is_word = lh_formula_begins_word(row->arg[i + 1]);
    lh_sign_class left = lh_formula_class(row, i), right = lh_formula_class(row, i + 1);
    if (left == LH_SIGN_SPACE || right == LH_SIGN_SPACE) return 0;
    if (has_own_space(row->arg[i], row->arg[i + 1])) return 0;
    if (left == LH_SIGN_OPEN || right == LH_SIGN_CLOSE || right == LH_SIGN_COMMA) return 0;
    if (left == LH_SIGN_PREFIX && !is_word) return 0;
    bool is_fenced = right == LH_SIGN_OPEN || lh_formula_base(row->arg[i + 1])->kind == LH_F_FENCE;
    if (left == LH_SIGN_FUNCTION) return !is_fenced;
    if (right == LH_SIGN_FUNCTION && left != LH_SIGN_RELATION && left != LH_SIGN_BINARY)
        return lh_formula_has_text(row->arg[i], "/") ? 0 : 1;
    if (in_script) return is_word && next_is_word && left == LH_SIGN_LETTER && !is_fenced;
    if (left == LH_SIGN_RELATION || right == LH_SIGN_RELATION) return 1;
    if (left == LH_SIGN_BINARY || right == LH_SIGN_BINARY || left == LH_SIGN_COMMA) return 1;
    if (is_operator(left) || is_operator(right)) return 1;
    if (lh_formula_has_text(row->arg[i], "/") || lh_formula_has_text(row->arg[i + 1], "/"))
        return 0;
    lh_formula_kind kind = row->arg[i]->kind;
    if (is_fenced) return kind == LH_F_FRACTION || kind == LH_F_ROOT;
    return is_word || next_is_word || stands_apart(row->arg[i], row->arg[i + 1]);
}
