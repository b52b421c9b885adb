/* formula_spoken -- a formula as a person would read it aloud, in short: "Q times K transposed over the square root of d sub k".
 *
 * Letters side by side are a product ("times"), but for three or more plain ones, which are a word, and for f(x), which is
 * "f of x" when the brackets hold no sum. What a listener cannot see is said only where it matters: "all over" ends a
 * numerator that is a sum.
 */
#include <string.h>

#include "learn/formula_internal.h"

static void say(lh_text *out, const lh_formula *f);

static void add(lh_text *out, const char *words) {
    bool is_close = !out->n || out->s[out->n - 1] == ' ' || *words == ',' || *words == ';';
    if (*words) lh_text_add(out, "%s%s", is_close ? "" : " ", words);
}

/* ---- what stands side by side ---- */

static bool is_plain_letter(const lh_formula *f) {
    char c = f->text[0];
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return f->kind == LH_F_SIGN && is_letter && f->alphabet == LH_ALPHABET_NONE;
}

/* Three plain letters or more in a row are a word: how many, or 0. */
static int word_length(const lh_formula *row, int i) {
    int n = 0;
    while (i + n < row->n_args && is_plain_letter(row->arg[i + n])) n++;
    return n >= 3 ? n : 0;
}

/* A bracket that is only seen; a reading has other ways. */
static bool is_round(const lh_formula *f) {
    return f->kind == LH_F_SIGN && f->text[0] && strchr("()[]", f->text[0]);
}

static bool is_open(const lh_formula *f) {
    const lh_formula *fence = lh_formula_base(f);
    if (fence->kind == LH_F_FENCE) return fence->open[0] == '(' || fence->open[0] == '[';
    return f->class == LH_SIGN_OPEN && is_round(f);
}

/* Do the brackets behind item i hold arguments, and not a sum that it is multiplied with? */
static bool holds_arguments(const lh_formula *row, int i) {
    const lh_formula *in = row;
    int from = i + 1, depth = 0;
    const lh_formula *fence = lh_formula_base(row->arg[i]);
    if (fence->kind == LH_F_FENCE) in = lh_formula_bare(fence->arg[0]), from = 0;
    if (in->kind != LH_F_ROW) return true;
    for (int k = from; k < in->n_args; k++) {
        if (in->arg[k]->class == LH_SIGN_OPEN) depth++;
        if (in->arg[k]->class == LH_SIGN_CLOSE && depth-- == 0) break;
        if (depth == 0 && lh_formula_class(in, k) == LH_SIGN_BINARY) return false;
    }
    return true;
}

static bool is_bar(const lh_formula *f) {
    return f->kind == LH_F_SIGN && f->class == LH_SIGN_LETTER &&
           (strcmp(f->text, "|") == 0 || strcmp(f->text, "‖") == 0);
}

/* What no "times" stands beside. */
static bool is_quiet(const lh_formula *f) {
    const lh_formula *base = lh_formula_base(f);
    static const char *const signs[] = {"/", ".", "…", "⋯", "⋮", "⋱", "!", "∀", "∃", "d"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (base->kind == LH_F_SIGN && strcmp(base->text, signs[i]) == 0) return true;
    return f->kind == LH_F_TEXT || f->kind == LH_F_SPACE || is_bar(base) ||
           (f->kind == LH_F_ROW && !f->n_args);
}

/* A letter or a name before a bracket is called with it. */
static bool is_called(const lh_formula *row, int i) {
    if (i + 1 >= row->n_args || !is_open(row->arg[i + 1])) return false;
    const lh_formula *f = row->arg[i], *base = lh_formula_base(f);
    if (f->class == LH_SIGN_FUNCTION || base->kind == LH_F_NAME || base->kind == LH_F_TEXT)
        return true;
    if (base->kind != LH_F_SIGN || base->class != LH_SIGN_LETTER || is_quiet(base)) return false;
    return strchr("fgpPL", base->text[0]) || holds_arguments(row, i + 1);
}

static bool is_factor(lh_sign_class c) {
    return c == LH_SIGN_LETTER || c == LH_SIGN_INNER || c == LH_SIGN_OPEN || c == LH_SIGN_CLOSE ||
           c == LH_SIGN_FUNCTION || c == LH_SIGN_PREFIX || c == LH_SIGN_LARGE ||
           c == LH_SIGN_INTEGRAL;
}

/* "times" between items i and i + 1? */
static bool is_product(const lh_formula *row, int i) {
    lh_sign_class left = lh_formula_class(row, i), right = lh_formula_class(row, i + 1);
    if (is_quiet(row->arg[i]) || is_quiet(row->arg[i + 1])) return false;
    if (!is_factor(left) || !is_factor(right)) return false;
    if (left == LH_SIGN_OPEN || left == LH_SIGN_FUNCTION || left == LH_SIGN_PREFIX ||
        left == LH_SIGN_LARGE || left == LH_SIGN_INTEGRAL || right == LH_SIGN_CLOSE)
        return false;
    return !is_called(row, i);
}

/* ---- rows ---- */

/* Does a bracket that is no call hold a sum? Then it is said: the quantity. */
static bool is_quantity(const lh_formula *row, int i) {
    const lh_formula *f = row->arg[i];
    if (lh_formula_base(f)->kind != LH_F_FENCE && !(is_round(f) && f->class == LH_SIGN_OPEN))
        return false;
    return !(i > 0 && is_called(row, i - 1)) && !holds_arguments(row, i);
}

static void say_item(lh_text *out, const lh_formula *row, int i) {
    const lh_formula *f = row->arg[i];
    bool after_call = i > 0 && is_called(row, i - 1);
    if (lh_formula_base(f)->kind == LH_F_FENCE && after_call) add(out, "of");
    if (is_quantity(row, i)) add(out, "the quantity");
    if (f->class == LH_SIGN_OPEN && f->kind == LH_F_SIGN && (after_call || is_round(f)))
        add(out, after_call ? "of" : "");
    else
        say(out, f);
}

/* What ends here goes on for longer than a letter: a comma lets the listener breathe. */
static bool is_long(const lh_formula *f) {
    return f->kind == LH_F_FRACTION || f->kind == LH_F_ROOT || f->class == LH_SIGN_CLOSE ||
           lh_formula_base(f)->kind == LH_F_FENCE;
}

static void say_items(lh_text *out, const lh_formula *row, bool is_times) {
    for (int i = 0; i < row->n_args; i++) {
        int letters = word_length(row, i);
        if (letters) {
            add(out, row->arg[i]->text);
            for (int k = 1; k < letters; k++) lh_text_add(out, "%s", row->arg[i + k]->text);
            i += letters - 1;
        } else {
            say_item(out, row, i);
        }
        if (i + 1 >= row->n_args) return;
        if (row->arg[i]->class == LH_SIGN_FUNCTION && !is_called(row, i) &&
            is_factor(lh_formula_class(row, i + 1)))
            add(out, "of");
        else if (is_times && is_product(row, i))
            add(out, is_long(row->arg[i]) ? ", times" : "times");
    }
}

/* ---- the rest ---- */

static bool is_sum(const lh_formula *f) {
    f = lh_formula_bare(f);
    if (f->kind != LH_F_ROW) return f->kind == LH_F_FRACTION;
    for (int i = 0; i < f->n_args; i++) {
        lh_sign_class c = lh_formula_class(f, i);
        if (c == LH_SIGN_BINARY || c == LH_SIGN_RELATION || f->arg[i]->kind == LH_F_FRACTION)
            return true;
    }
    return false;
}

static void say_fraction(lh_text *out, const lh_formula *f) {
    if (lh_formula_has_text(f->arg[0], "1") && lh_formula_has_text(f->arg[1], "2")) {
        add(out, "one half");
        return;
    }
    say(out, f->arg[0]);
    add(out, is_sum(f->arg[0]) ? "all over" : "over");
    say(out, f->arg[1]);
}

static void say_root(lh_text *out, const lh_formula *f) {
    if (!f->arg[1]) {
        add(out, "the square root of");
    } else if (lh_formula_has_text(f->arg[1], "3")) {
        add(out, "the cube root of");
    } else {
        add(out, "the root of order");
        say(out, f->arg[1]);
        add(out, "of");
    }
    say(out, f->arg[0]);
}

/* The sum from i equals 1 to n of ...; the maximum over i of ... */
static void say_limits(lh_text *out, const lh_formula *f) {
    const lh_formula *sub = f->arg[1], *sup = f->arg[2];
    say(out, f->arg[0]);
    if (sub) {
        bool is_limit = lh_formula_has_text(lh_formula_base(f), "lim");
        add(out, sup ? "from" : is_limit ? "as" : "over");
        say(out, sub);
    }
    if (sup) {
        add(out, "to");
        say(out, sup);
    }
    lh_sign_class class = lh_formula_base(f)->class;
    if (class == LH_SIGN_LARGE || class == LH_SIGN_INTEGRAL) add(out, "of");
}

static void say_power(lh_text *out, const lh_formula *sup) {
    const lh_formula *f = lh_formula_bare(sup);
    if (lh_formula_has_text(f, "2")) {
        add(out, "squared");
    } else if (lh_formula_has_text(f, "3")) {
        add(out, "cubed");
    } else if (lh_formula_has_text(f, "⊤") || lh_formula_has_text(f, "T")) {
        add(out, "transposed");
    } else if (lh_formula_is_prime(f)) {
        add(out, f->n_args > 1 ? "double prime" : "prime");
    } else if (f->kind == LH_F_ROW && f->n_args == 2 && lh_formula_has_text(f->arg[0], "−") &&
               lh_formula_has_text(f->arg[1], "1")) {
        add(out, "inverse");
    } else if (f->kind == LH_F_ROW && f->n_args > 1 && lh_formula_has_text(f->arg[0], "(")) {
        add(out, "superscript");
        say(out, f);
    } else if (f->kind == LH_F_SIGN && f->class == LH_SIGN_BINARY) {
        add(out, strcmp(f->text, "∗") == 0 ? "star" : f->command ? f->command->spoken : f->text);
    } else {
        add(out, "to the power");
        say(out, f);
    }
}

/* Places are letters one after another, no product: a sub 1 n. */
static void say_letters(lh_text *out, const lh_formula *f) {
    if (f->kind == LH_F_ROW)
        say_items(out, f, false);
    else
        say(out, f);
}

static void say_script(lh_text *out, const lh_formula *f) {
    const lh_formula *base = lh_formula_base(f);
    if (base->has_limits || base->class == LH_SIGN_INTEGRAL) {
        say_limits(out, f);
        return;
    }
    say(out, f->arg[0]);
    if (base->class == LH_SIGN_CLOSE || base->kind == LH_F_FENCE) add(out, ",");
    if (f->arg[1]) {
        add(out, "sub");
        say_letters(out, f->arg[1]);
    }
    if (f->arg[2]) say_power(out, f->arg[2]);
}

static void say_table(lh_text *out, const lh_formula *f) {
    const char *name = f->command ? f->command->spoken : "a matrix";
    bool is_matrix = f->align == LH_ALIGN_CENTRE;
    if (is_matrix)
        add(out, lh_printf(out->arena, "%s of %d by %d:", name, f->rows, f->cols));
    else if (f->align == LH_ALIGN_LEFT)
        add(out, "by cases:");
    for (int i = 0; i < f->n_args; i++) {
        if (i && i % f->cols == 0)
            lh_text_add(out, ";");
        else if (i && f->align != LH_ALIGN_PAIRS)
            lh_text_add(out, ",");
        say(out, f->arg[i]);
    }
    if (is_matrix) lh_text_add(out, "; end matrix");
}

static void say_leaf(lh_text *out, const lh_formula *f) {
    if (is_round(f)) return;
    static const char *const alphabet[] = {
        [LH_ALPHABET_BOLD] = "bold", [LH_ALPHABET_SCRIPT] = "script"};
    if (f->alphabet == LH_ALPHABET_BOLD || f->alphabet == LH_ALPHABET_SCRIPT)
        add(out, alphabet[f->alphabet]);
    add(out, f->command && *f->command->spoken ? f->command->spoken : f->text);
}

static void say(lh_text *out, const lh_formula *f) {
    switch (f->kind) {
    case LH_F_ROW: say_items(out, f, true); break;
    case LH_F_SIGN:
    case LH_F_NUMBER:
    case LH_F_NAME: say_leaf(out, f); break;
    case LH_F_TEXT: add(out, f->text + strspn(f->text, " ")); break;
    case LH_F_SPACE: break;
    case LH_F_FRACTION: say_fraction(out, f); break;
    case LH_F_ROOT: say_root(out, f); break;
    case LH_F_SCRIPT: say_script(out, f); break;
    case LH_F_FENCE:
        if (strcmp(f->open, "|") == 0 || strcmp(f->open, "‖") == 0)
            add(out, f->open[0] == '|' ? "the size of" : "the norm of");
        say(out, f->arg[0]);
        break;
    case LH_F_ACCENT:
        say(out, f->arg[0]);
        add(out, f->command ? f->command->spoken : "");
        break;
    case LH_F_BRACE:
        say(out, f->arg[0]);
        if (!f->arg[1]) break;
        lh_text_add(out, ",");
        add(out, "called");
        say(out, f->arg[1]);
        lh_text_add(out, ",");
        break;
    case LH_F_TABLE: say_table(out, f); break;
    case LH_F_KINDS: break;
    }
}

char *lh_formula_spoken(lh_arena *a, const lh_formula *f) {
    lh_text out = lh_text_new(a);
    say(&out, f);
    return out.s;
}
