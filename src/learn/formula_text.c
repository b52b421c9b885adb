/* formula_text -- a formula as one line of Unicode: softmax(QKᵀ/√dₖ)V.
 *
 * A fraction becomes a/b with brackets where they are needed to say the same, a script becomes raised letters where Unicode has
 * all of them and ^(...) otherwise, a matrix is written as in the notation: [1 2; 3 4]. Everything is written once, from left
 * to right; whether letters can be raised is asked of the tree beforehand (lh_formula_can_shift), so that scripts inside
 * scripts cost no more than their length.
 */
#include <string.h>

#include "learn/formula_internal.h"

static void write_node(lh_text *out, const lh_formula *f, bool in_script);

/* ---- what needs brackets ---- */

/* MANY: more than a product, such as a sum or a list. NEGATIVE: a product with a sign, clear above a line and not below. */
enum { NEGATIVE = 10000, MANY = 20000 };

static int factors(const lh_formula *f);

/* Behind the bracket that closes the one at i; n_args when none does. */
static int behind_bracket(const lh_formula *row, int i) {
    int depth = 0;
    for (; i < row->n_args; i++) {
        if (row->arg[i]->class == LH_SIGN_OPEN) depth++;
        if (row->arg[i]->class == LH_SIGN_CLOSE && --depth <= 0) return i + 1;
    }
    return i;
}

/* The item at i begins a call, f(x): behind its bracket, or i + 1 where there is none. */
static int behind_call(const lh_formula *row, int i) {
    if (i + 1 >= row->n_args) return i + 1;
    const lh_formula *next = row->arg[i + 1];
    if (next->class == LH_SIGN_OPEN) return behind_bracket(row, i + 1);
    return lh_formula_base(next)->kind == LH_F_FENCE ? i + 2 : i + 1;
}

static bool is_differential(const lh_formula *row) {
    return row->n_args == 2 && lh_formula_has_text(row->arg[0], "d") &&
           row->arg[1]->class == LH_SIGN_LETTER;
}

static int row_factors(const lh_formula *row) {
    int n = 0;
    if (is_differential(row)) return 1;
    for (int i = 0; i < row->n_args && n < MANY;) {
        const lh_formula *f = row->arg[i];
        switch (lh_formula_class(row, i)) {
        case LH_SIGN_FUNCTION:
            n += behind_call(row, i) > i + 1 ? 1 : MANY;
            i = behind_call(row, i);
            break;
        case LH_SIGN_PREFIX:
            if (f->class == LH_SIGN_BINARY) n += i ? MANY : NEGATIVE;
            i++;
            break;
        case LH_SIGN_OPEN:
            n++;
            i = behind_bracket(row, i);
            break;
        case LH_SIGN_LETTER:
        case LH_SIGN_INNER:
            n += factors(f);
            i = f->kind == LH_F_NAME ? behind_call(row, i) : i + 1;
            break;
        default: return MANY;
        }
    }
    return n;
}

/* How many factors a product has; MANY for what is none. */
static int factors(const lh_formula *f) {
    f = lh_formula_bare(f);
    switch (f->kind) {
    case LH_F_ROW: return row_factors(f);
    case LH_F_FRACTION:
    case LH_F_BRACE: return MANY;
    case LH_F_SCRIPT: return lh_formula_base(f)->class == LH_SIGN_LARGE ? MANY : 1;
    case LH_F_SIGN: return f->class != LH_SIGN_LETTER || strcmp(f->text, "/") == 0 ? MANY : 1;
    case LH_F_TEXT: return strchr(f->text, ' ') ? MANY : 1;
    default: return 1;
    }
}

static bool is_leaf(const lh_formula *f) {
    return f->kind == LH_F_SIGN || f->kind == LH_F_NUMBER || f->kind == LH_F_NAME ||
           (f->kind == LH_F_TEXT && !strchr(f->text, ' '));
}

/* Something that no bracket is needed for: one letter, one number, one word. */
static bool is_atom(const lh_formula *f) {
    f = lh_formula_bare(f);
    return is_leaf(f) && f->text[0];
}

/* ---- words and raised letters ---- */

/* A word of small letters is hard to read: E_tokens, but xₘₐₓ. */
static bool can_shift_leaf(const lh_formula *f, bool above) {
    bool is_long = f->kind != LH_F_NUMBER && lh_formula_columns(f->text) > 3;
    return is_leaf(f) && !is_long && f->alphabet <= LH_ALPHABET_ROMAN &&
           lh_formula_shift(NULL, f->text, above);
}

bool lh_formula_can_shift(const lh_formula *f, bool above) {
    if (f->kind != LH_F_ROW) return can_shift_leaf(f, above);
    for (int i = 0; i < f->n_args; i++) {
        if (!lh_formula_can_shift(f->arg[i], above)) return false;
        if (i + 1 < f->n_args && lh_formula_gap(f, i, true)) return false;
    }
    return f->n_args > 0;
}

char *lh_formula_shifted(lh_arena *a, const lh_formula *f, bool above) {
    lh_text plain = lh_text_new(a), out = lh_text_new(a);
    write_node(&plain, f, true);
    lh_formula_shift(&out, plain.s, above);
    return out.s;
}

static bool is_plain_script(const lh_formula *f) {
    return (!f->arg[1] || lh_formula_can_shift(f->arg[1], false)) &&
           (!f->arg[2] || lh_formula_can_shift(f->arg[2], true));
}

/* More than one letter wide: a word would run into its neighbour. */
static bool is_wide(const lh_formula *f) {
    switch (f->kind) {
    case LH_F_NAME:
    case LH_F_TEXT: return lh_formula_columns(f->text) != 1;
    case LH_F_FRACTION:
    case LH_F_ROOT:
    case LH_F_BRACE:
    case LH_F_TABLE: return true;
    case LH_F_ACCENT: return is_wide(f->arg[0]);
    default: return false;
    }
}

bool lh_formula_ends_word(const lh_formula *f) {
    if (f->kind == LH_F_ROW) return f->n_args > 0 && lh_formula_ends_word(f->arg[f->n_args - 1]);
    if (f->kind != LH_F_SCRIPT) return is_wide(f);
    return !is_plain_script(f) || lh_formula_ends_word(f->arg[0]);
}

bool lh_formula_begins_word(const lh_formula *f) {
    if (f->kind == LH_F_ROW) return f->n_args > 0 && lh_formula_begins_word(f->arg[0]);
    return f->kind == LH_F_SCRIPT ? lh_formula_begins_word(f->arg[0]) : is_wide(f);
}

/* ---- writing ---- */

static void write_bracketed(lh_text *out, const lh_formula *f, bool in_script, bool brackets) {
    if (brackets) lh_text_add(out, "(");
    write_node(out, f, in_script);
    if (brackets) lh_text_add(out, ")");
}

/* In a/b c it cannot be seen whether c is below the line, nor in log a/b what the log is of. */
static bool is_unclear(const lh_formula *row, int i) {
    if (row->arg[i]->kind != LH_F_FRACTION) return false;
    const lh_formula *left = i > 0 ? row->arg[i - 1] : NULL;
    if (left && left->class == LH_SIGN_FUNCTION && !lh_formula_base(left)->has_limits) return true;
    if (left && lh_formula_has_text(left, "/")) return true;
    while (++i < row->n_args && row->arg[i]->class == LH_SIGN_SPACE) {}
    if (i >= row->n_args) return false;
    switch (lh_formula_class(row, i)) {
    case LH_SIGN_BINARY:
    case LH_SIGN_RELATION:
    case LH_SIGN_CLOSE:
    case LH_SIGN_COMMA: return false;
    default: return row->arg[i]->kind != LH_F_TEXT;
    }
}

static void write_row(lh_text *out, const lh_formula *row, bool in_script) {
    for (int i = 0; i < row->n_args; i++) {
        write_bracketed(out, row->arg[i], in_script, is_unclear(row, i));
        if (i + 1 < row->n_args && lh_formula_gap(row, i, in_script)) lh_text_add(out, " ");
    }
}

static void write_fraction(lh_text *out, const lh_formula *f, bool in_script) {
    write_bracketed(out, f->arg[0], in_script, factors(f->arg[0]) >= MANY);
    lh_text_add(out, "/");
    write_bracketed(out, f->arg[1], in_script, factors(f->arg[1]) != 1);
}

static void write_root(lh_text *out, const lh_formula *f, bool in_script) {
    const lh_formula *body = lh_formula_bare(f->arg[0]), *base = body;
    if (body->kind == LH_F_SCRIPT && is_plain_script(body)) base = lh_formula_bare(body->arg[0]);
    if (base->kind == LH_F_ACCENT) base = lh_formula_bare(base->arg[0]);
    bool is_clear =
        is_leaf(base) &&
        (base->kind == LH_F_NUMBER ? base == body : lh_formula_columns(base->text) == 1);
    if (f->arg[1] && lh_formula_can_shift(f->arg[1], true))
        lh_text_add(out, "%s√", lh_formula_shifted(out->arena, f->arg[1], true));
    else
        lh_text_add(out, "√");
    if (f->arg[1] && !lh_formula_can_shift(f->arg[1], true)) {
        lh_text_add(out, "[");
        write_node(out, f->arg[1], true);
        lh_text_add(out, "]");
    }
    write_bracketed(out, f->arg[0], in_script, !is_clear);
}

/* _(a, b) has its brackets already. */
static bool is_in_brackets(const lh_formula *f) {
    f = lh_formula_bare(f);
    return f->kind == LH_F_ROW && f->n_args > 1 && lh_formula_has_text(f->arg[0], "(") &&
           lh_formula_has_text(f->arg[f->n_args - 1], ")") && behind_bracket(f, 0) == f->n_args;
}

static void write_one_script(lh_text *out, const lh_formula *f, bool above) {
    if (lh_formula_can_shift(f, above)) {
        lh_text_add(out, "%s", lh_formula_shifted(out->arena, f, above));
        return;
    }
    lh_text_add(out, above ? "^" : "_");
    write_bracketed(out, f, true, !is_atom(f) && !is_in_brackets(f));
}

/* The raised letters come first where the lower script needs its sign: W⁽¹⁾_Q, since W_Q⁽¹⁾ would raise the Q. */
static void write_script(lh_text *out, const lh_formula *f, bool in_script) {
    const lh_formula *base = lh_formula_bare(f->arg[0]), *sub = f->arg[1], *sup = f->arg[2];
    bool brackets = (base->kind == LH_F_ROW && base->n_args > 1) || base->kind == LH_F_FRACTION ||
                    base->kind == LH_F_ROOT || base->kind == LH_F_SCRIPT ||
                    (base->kind == LH_F_TABLE && !*base->close);
    write_bracketed(out, f->arg[0], in_script, brackets);
    bool sup_first = sup && lh_formula_can_shift(sup, true);
    if (sup_first && sub && !lh_formula_can_shift(sub, false)) {
        write_one_script(out, sup, true);
        write_one_script(out, sub, false);
        return;
    }
    if (sub) write_one_script(out, sub, false);
    if (sup) write_one_script(out, sup, true);
}

static void write_accent(lh_text *out, const lh_formula *f, bool in_script) {
    lh_text base = lh_text_new(out->arena);
    write_node(&base, f->arg[0], in_script);
    if (lh_formula_columns(base.s) == 1)
        lh_text_add(out, "%s%s", base.s, f->text);
    else
        lh_text_add(out, "%s(%s)", f->command ? f->command->spoken : "", base.s);
}

static void write_brace(lh_text *out, const lh_formula *f, bool in_script) {
    write_node(out, f->arg[0], in_script);
    if (!f->arg[1]) return;
    lh_text_add(out, "%s(", f->text);
    write_node(out, f->arg[1], true);
    lh_text_add(out, ")");
}

static void write_table(lh_text *out, const lh_formula *f, bool in_script) {
    const char *between = f->align == LH_ALIGN_LEFT ? ", " : " ";
    lh_text_add(out, "%s", f->open);
    for (int i = 0; i < f->n_args; i++) {
        if (i && i % f->cols == 0)
            lh_text_add(out, "; ");
        else if (i && f->arg[i]->n_args && f->arg[i - 1]->n_args)
            lh_text_add(out, "%s", between);
        write_node(out, f->arg[i], in_script);
    }
    lh_text_add(out, "%s", f->close);
}

static void write_node(lh_text *out, const lh_formula *f, bool in_script) {
    switch (f->kind) {
    case LH_F_ROW: write_row(out, f, in_script); break;
    case LH_F_SIGN:
    case LH_F_NUMBER:
    case LH_F_NAME: lh_text_add(out, "%s", lh_formula_letters(out->arena, f)); break;
    case LH_F_TEXT: lh_text_add(out, "%s", f->text); break;
    case LH_F_SPACE: lh_text_add(out, "%*s", f->number, ""); break;
    case LH_F_FRACTION: write_fraction(out, f, in_script); break;
    case LH_F_ROOT: write_root(out, f, in_script); break;
    case LH_F_SCRIPT: write_script(out, f, in_script); break;
    case LH_F_FENCE:
        lh_text_add(out, "%s", f->open);
        write_node(out, f->arg[0], in_script);
        lh_text_add(out, "%s", f->close);
        break;
    case LH_F_ACCENT: write_accent(out, f, in_script); break;
    case LH_F_BRACE: write_brace(out, f, in_script); break;
    case LH_F_TABLE: write_table(out, f, in_script); break;
    case LH_F_KINDS: break;
    }
}

char *lh_formula_inline(lh_arena *a, const lh_formula *f) {
    lh_text out = lh_text_new(a);
    write_node(&out, f, false);
    size_t n = out.n;
    while (n && out.s[n - 1] == ' ') n--;
    return lh_copy(a, out.s + strspn(out.s, " "), n - (n ? strspn(out.s, " ") : 0));
}
