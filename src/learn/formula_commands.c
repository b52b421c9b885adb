/* formula_commands -- what stands behind a backslash in TeX: each kind of command reads what it works on.
 *
 * Which command is of which kind says the table (formula_signs.c); lh_read_command at the end leads to one function a kind.
 */
#include <stdio.h>
#include <string.h>

#include "learn/formula_read.h"

static lh_formula *read_fraction(lh_reader *r, const lh_formula_call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_FRACTION, LH_SIGN_INNER, 2);
    for (int i = 0; i < f->n_args; i++) f->arg[i] = lh_read_argument(r, c->from, c->n, c->name);
    return f;
}

static lh_formula *read_root(lh_reader *r, const lh_formula_call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_ROOT, LH_SIGN_LETTER, 2), *index = NULL;
    bool in_root = r->in_root;
    lh_reader_skip_space(r);
    if (r->p < r->end && *r->p == '[' && lh_reader_deeper(r)) {
        const char *open = r->p++;
        r->in_root = true;
        index = lh_read_row(r);
        r->in_root = in_root;
        r->depth--;
        if (r->p < r->end && *r->p == ']')
            r->p++;
        else if (!lh_failed(r->ctx))
            lh_reader_fail(r, open, 1, "this [ is never closed", "\\sqrt[3]{x} is the cube root");
    }
    lh_formula *body = lh_read_argument(r, c->from, c->n, c->name);
    if (f->n_args) f->arg[0] = body, f->arg[1] = index;
    return f;
}

static lh_formula *read_accent(lh_reader *r, const lh_formula_call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_ACCENT, LH_SIGN_LETTER, 1);
    f->text = c->command->sign, f->command = c->command;
    for (int i = 0; i < f->n_args; i++) f->arg[i] = lh_read_argument(r, c->from, c->n, c->name);
    return f;
}

/* \underbrace{a}_{b}: the script is the label, not a script of a. */
static lh_formula *read_brace(lh_reader *r, const lh_formula_call *c) {
    char mark = c->command->does == LH_DOES_UNDER ? '_' : '^';
    lh_formula *f = lh_formula_new(r->arena, LH_F_BRACE, LH_SIGN_INNER, 2);
    lh_formula *body = lh_read_argument(r, c->from, c->n, c->name), *label = NULL;
    f->text = c->command->sign, f->command = c->command;
    lh_reader_skip_space(r);
    if (r->p < r->end && *r->p == mark) {
        r->p++;
        label = lh_read_argument(r, r->p - 1, 1, mark == '_' ? "_" : "^");
    }
    if (f->n_args) f->arg[0] = body, f->arg[1] = label;
    return f;
}

static void set_alphabet(lh_formula *f, lh_alphabet alphabet) {
    if (f->alphabet == LH_ALPHABET_NONE) f->alphabet = alphabet;
    for (int i = 0; i < f->n_args; i++)
        if (f->arg[i]) set_alphabet(f->arg[i], alphabet);
}

/* \mathrm{softmax} is one name; elsewhere each letter stays a letter. */
static lh_formula *joined(lh_reader *r, lh_formula *row) {
    lh_text name = lh_text_new(r->arena);
    if (row->kind != LH_F_ROW || row->n_args < 2) return row;
    for (int i = 0; i < row->n_args; i++) {
        const lh_formula *f = row->arg[i];
        bool is_part = f->kind == LH_F_NUMBER || (f->kind == LH_F_SIGN && !f->text[1]);
        if (!is_part || !(lh_is_letter(f->text[0]) || lh_is_digit(f->text[0]))) return row;
        lh_text_add(&name, "%s", f->text);
    }
    return lh_formula_word(r->arena, name.s, LH_SIGN_LETTER);
}

static lh_formula *read_alphabet(lh_reader *r, const lh_formula_call *c) {
    static const struct {
        const char *spoken;
        lh_alphabet alphabet;
    } known[] = {
        {"bold", LH_ALPHABET_BOLD}, {"double", LH_ALPHABET_DOUBLE}, {"script", LH_ALPHABET_SCRIPT}};
    lh_alphabet alphabet = LH_ALPHABET_ROMAN;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].spoken, c->command->spoken) == 0) alphabet = known[i].alphabet;
    lh_formula *f = lh_read_argument(r, c->from, c->n, c->name);
    if (alphabet == LH_ALPHABET_ROMAN) f = joined(r, f);
    set_alphabet(f, alphabet);
    return f;
}

static lh_formula *read_text(lh_reader *r, const lh_formula_call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_TEXT, LH_SIGN_LETTER, 0);
    f->text = lh_read_words(r, c->from, c->n, c->name);
    return f;
}

static lh_formula *read_name(lh_reader *r, const lh_formula_call *c) {
    bool has_limits = r->p < r->end && *r->p == '*';
    if (has_limits) r->p++;
    const char *from = r->p;
    lh_formula *f =
        lh_formula_word(r->arena, lh_read_words(r, c->from, c->n, c->name), LH_SIGN_FUNCTION);
    f->has_limits = has_limits;
    if (!f->text[strspn(f->text, " ")] && !lh_failed(r->ctx))
        lh_reader_fail(r, from, 1, "a name without letters", "\\operatorname{softmax}");
    return f;
}

/* What stands behind \left, \right and \big: one bracket, or . for none. NULL and an error otherwise. */
static const char *read_bracket(lh_reader *r, const lh_formula_call *c) {
    char what[160];
    lh_reader_skip_space(r);
    const char *from = r->p;
    size_t n = r->p < r->end && *r->p == '\\' ? lh_reader_name_length(r) + 1
               : r->p < r->end                ? 1
                                              : 0;
    if (n == 1 && (unsigned char)*r->p >= 0x80) n = lh_utf8_length(r->p, r->end);
    char sign[5] = "";
    if (n >= 1 && n <= 4) memcpy(sign, from, n);
    const lh_formula_command *found =
        n > 1 && *from == '\\' ? lh_formula_find(from + 1, n - 1, false) : NULL;
    if (!found && n) found = lh_formula_find_sign(sign);
    r->p += n;
    if (strcmp(sign, ".") == 0) return "";
    if (strcmp(sign, "|") == 0) return "|";
    if (strcmp(sign, "<") == 0) return "⟨";
    if (strcmp(sign, ">") == 0) return "⟩";
    static const char brackets[] = "( ) [ ] { } | / ‖ ⟨ ⟩ ⌊ ⌋ ⌈ ⌉ ↑ ↓";
    if (found && found->does == LH_DOES_SIGN && strstr(brackets, found->sign)) return found->sign;
    snprintf(what, sizeof what, "%.40s needs a bracket after it", c->name);
    lh_reader_fail(r, c->from, c->n, what,
                   "( ) [ ] | \\{ \\} \\| \\langle \\rangle, or . for none");
    return NULL;
}

static lh_formula *read_fence(lh_reader *r, const lh_formula_call *c) {
    const char *open = read_bracket(r, c), *close = "";
    bool in_root = r->in_root;
    if (!open || !lh_reader_deeper(r)) return lh_read_nothing(r);
    r->in_root = false;
    lh_formula *body = lh_read_row(r);
    r->in_root = in_root;
    r->depth--;
    if (lh_reader_at(r, "right")) {
        lh_formula_call right = {c->command, r->p, 6, "\\right"};
        r->p += 6;
        close = read_bracket(r, &right);
    } else if (!lh_failed(r->ctx)) {
        lh_reader_fail(r, c->from, c->n, "this \\left has no \\right",
                       "\\right. ends it without a bracket");
    }
    return lh_formula_fence(r->arena, open, body, close ? close : "");
}

/* \big( is taller by one step, \Bigg( by four; \middle| is as tall as its fence. */
static lh_formula *read_size(lh_reader *r, const lh_formula_call *c) {
    const char *sign = read_bracket(r, c), *name = c->command->name;
    if (!sign) return lh_read_nothing(r);
    lh_formula *f = lh_formula_sign(r->arena, sign);
    size_t n = strlen(name);
    f->is_stretched = strcmp(name, "middle") == 0;
    if (!f->is_stretched) f->number = (n >= 4 && name[3] == 'g' ? 3 : 1) + (name[0] == 'B');
    f->class = f->is_stretched      ? LH_SIGN_RELATION
               : name[n - 1] == 'l' ? LH_SIGN_OPEN
               : name[n - 1] == 'r' ? LH_SIGN_CLOSE
                                    : f->class;
    if (!*sign) return lh_read_nothing(r);
    return f;
}

lh_formula *lh_read_space(lh_reader *r, const lh_formula_call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_SPACE, LH_SIGN_SPACE, 0);
    f->text = c->command->sign, f->command = c->command;
    f->number = strcmp(f->text, "2em") == 0   ? 4
                : strcmp(f->text, "1em") == 0 ? 2
                                              : *f->text != '0' || f->text[1] == '.';
    return f;
}

/* ---- environments ---- */

/* Rows of a table while it is read: cells of row after row, and how many each row has. */
typedef struct table {
    lh_formula **cell;
    int n_cells, cols, in_row, rows;
} table;

static void end_row(table *t) {
    if (t->in_row > t->cols) t->cols = t->in_row;
    t->in_row = 0;
    t->rows++;
}

/* Rows that end early are filled up with nothing. */
static void fill_table(lh_reader *r, lh_formula *f, const table *t, const int *counts) {
    size_t n = (size_t)t->rows * (size_t)t->cols;
    if (n > LH_FORMULA_CELLS) {
        lh_fail(r->ctx, LH_ERROR_LIMIT, lh_reader_place(r, r->p, 1),
                "a matrix of %d rows and %d columns: at most %d cells are read", t->rows, t->cols,
                LH_FORMULA_CELLS);
        return;
    }
    f->arg = lh_alloc_array(r->arena, n, sizeof *f->arg);
    if (!f->arg || !counts) return;
    f->rows = t->rows, f->cols = t->cols, f->n_args = (int)n;
    lh_formula *blank = lh_read_nothing(r);
    for (int row = 0, k = 0; row < f->rows; row++)
        for (int col = 0; col < f->cols; col++)
            f->arg[row * f->cols + col] = col < counts[row] ? t->cell[k++] : blank;
}

/* \\[2pt] asks for more room between two rows: read, and left to the page. */
static void skip_row_skip(lh_reader *r) {
    const char *s = r->p;
    if (s < r->end && *s == '[' && s + 1 < r->end &&
        (lh_is_digit(s[1]) || s[1] == '-' || s[1] == '.'))
        while (s < r->end && *s != ']' && *s != '\n' && *s != '\\') s++;
    if (s < r->end && *s == ']' && s > r->p) r->p = s + 1;
}

static void read_cells(lh_reader *r, lh_formula *f) {
    table t = {0};
    int *counts = NULL, n_counts = 0;
    for (bool more = true; more && !lh_failed(r->ctx);) {
        lh_formula **cell = lh_push(r->arena, t.cell, t.n_cells);
        *cell = lh_read_row(r);
        t.in_row++;
        if (r->p < r->end && *r->p == '&') {
            r->p++;
            continue;
        }
        more = lh_reader_at(r, "\\");
        if (more) r->p += 2, skip_row_skip(r), lh_reader_skip_space(r);
        const lh_formula *last = t.n_cells ? t.cell[t.n_cells - 1] : NULL;
        bool is_end = !more && t.in_row == 1 && t.rows > 0 && last && !last->n_args;
        if (is_end) break; /* a \\ behind the last row begins no other */
        *lh_push(r->arena, counts, n_counts) = t.in_row;
        end_row(&t);
    }
    if (!lh_failed(r->ctx)) fill_table(r, f, &t, counts);
}

/* The name in \begin{name}: 0 where there is none. */
static size_t environment_name(lh_reader *r, const char **name) {
    lh_reader_skip_space(r);
    if (r->p >= r->end || *r->p != '{') return 0;
    *name = ++r->p;
    while (r->p < r->end && (lh_is_letter(*r->p) || *r->p == '*')) r->p++;
    size_t n = (size_t)(r->p - *name);
    if (r->p >= r->end || *r->p != '}') return 0;
    r->p++;
    return n;
}

static void fail_environment(lh_reader *r, const lh_formula_call *c, const char *name, size_t n) {
    if (!n) {
        lh_reader_fail(r, c->from, c->n, "\\begin needs a name in braces", "\\begin{bmatrix}");
        return;
    }
    const char *near = lh_formula_nearest(r->arena, name, n, true);
    lh_fail(r->ctx, LH_ERROR_NAME, lh_reader_place(r, name, n), "there is no environment %.*s",
            n > 60 ? 60 : (int)n, name);
    if (near)
        lh_cure(r->ctx, "did you mean %s?", near);
    else
        lh_cure(r->ctx, "matrix, pmatrix, bmatrix, vmatrix, cases and aligned are known");
    r->p = r->end;
}

static void read_end(lh_reader *r, const lh_formula_call *c, const char *name, size_t n) {
    char what[160];
    const char *from = r->p, *other = "";
    if (!lh_reader_at(r, "end")) {
        snprintf(what, sizeof what, "this \\begin{%.60s} has no \\end", lh_copy(r->arena, name, n));
        lh_reader_fail(r, c->from, c->n, what, NULL);
        return;
    }
    r->p += 4;
    size_t k = environment_name(r, &other);
    if (k == n && memcmp(name, other, n) == 0) return;
    snprintf(what, sizeof what, "\\begin{%.60s} is ended by \\end{%.60s}",
             lh_copy(r->arena, name, n), lh_copy(r->arena, other, k));
    lh_reader_fail(r, from, (size_t)(r->p - from), what, "the two names must be the same");
}

static lh_formula *read_environment(lh_reader *r, const lh_formula_call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_TABLE, LH_SIGN_INNER, 0);
    const char *name = "";
    size_t n = environment_name(r, &name);
    const lh_formula_command *kind = n ? lh_formula_find(name, n, true) : NULL;
    bool in_root = r->in_root;
    if (!kind) {
        fail_environment(r, c, name, n);
        return lh_read_nothing(r);
    }
    if (!lh_reader_deeper(r)) return lh_read_nothing(r);
    r->in_root = false;
    f->command = kind;
    size_t half = kind->sign[0] == '{' ? 1 : strlen(kind->sign) / 2;
    f->open = lh_copy(r->arena, kind->sign, half), f->close = kind->sign + half;
    f->align = strcmp(kind->name, "aligned") == 0 ? LH_ALIGN_PAIRS
               : strcmp(kind->name, "cases") == 0 ? LH_ALIGN_LEFT
                                                  : LH_ALIGN_CENTRE;
    read_cells(r, f);
    r->in_root = in_root;
    r->depth--;
    if (!lh_failed(r->ctx)) read_end(r, c, name, n);
    return f;
}

static void fail_command(lh_reader *r, const lh_formula_call *c) {
    const char *name = c->from + 1;
    size_t n = c->n - 1;
    const char *near = lh_formula_nearest(r->arena, name, n, false);
    if (!n) {
        lh_reader_fail(r, c->from, 1, "a \\ with nothing after it", NULL);
        return;
    }
    n = (unsigned char)*name < 0x80 ? n : lh_utf8_length(name, r->end);
    lh_fail(r->ctx, LH_ERROR_NAME, lh_reader_place(r, c->from, n + 1), "there is no command \\%.*s",
            n > 60 ? 60 : (int)n, name);
    if (near)
        lh_cure(r->ctx, "did you mean \\%s?", near);
    else if (n > 1 && lh_is_letter(*name))
        lh_cure(r->ctx, "a name of your own is \\operatorname{%.*s}", n > 60 ? 60 : (int)n, name);
    r->p = r->end;
}

static lh_formula *read_own_sign(lh_reader *r, const lh_formula_call *c) {
    const lh_formula_command *k = c->command;
    lh_formula *f = k->class == LH_SIGN_FUNCTION
                        ? lh_formula_word(r->arena, k->sign, LH_SIGN_FUNCTION)
                        : lh_formula_new(r->arena, LH_F_SIGN, k->class, 0);
    f->text = k->sign, f->command = k;
    f->has_limits = k->does == LH_DOES_LIMITS || k->class == LH_SIGN_LARGE;
    return f;
}

lh_formula *lh_read_command(lh_reader *r) {
    lh_formula_call c = {NULL, r->p, lh_reader_name_length(r) + 1, ""};
    c.command = lh_formula_find(r->p + 1, c.n - 1, false);
    if (!c.command) {
        fail_command(r, &c);
        return lh_read_nothing(r);
    }
    snprintf(c.name, sizeof c.name, "\\%s", c.command->name);
    r->p += c.n;
    switch (c.command->does) {
    case LH_DOES_FRACTION: return read_fraction(r, &c);
    case LH_DOES_ROOT: return read_root(r, &c);
    case LH_DOES_ACCENT: return read_accent(r, &c);
    case LH_DOES_UNDER:
    case LH_DOES_OVER: return read_brace(r, &c);
    case LH_DOES_ALPHABET: return read_alphabet(r, &c);
    case LH_DOES_TEXT: return read_text(r, &c);
    case LH_DOES_NAME: return read_name(r, &c);
    case LH_DOES_LEFT: return read_fence(r, &c);
    case LH_DOES_SIZE: return read_size(r, &c);
    case LH_DOES_BEGIN: return read_environment(r, &c);
    case LH_DOES_SPACE: return lh_read_space(r, &c);
    default: return read_own_sign(r, &c);
    }
}
