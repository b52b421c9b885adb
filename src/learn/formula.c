/* formula -- the reader of TeX.
 *
 *     formula  = item*
 *     item     = atom script*                    script = ("_" | "^") argument | "'"
 *     atom     = letter | number | sign | "{" formula "}" | "\" command
 *     argument = one letter, one digit, one command with its arguments, or a group: x^12 raises the 1 alone
 *
 * A reader stops at what it cannot take: }, &, \\, \right, \end, ]. Whoever called it knows whether that ends
 * something; if it does not, the message says what is not open.
 */
#include "learn/formula.h"

#include <stdio.h>
#include <string.h>

#include "learn/formula_inside.h"

typedef struct reader {
    lh_arena *arena;
    lh_context *ctx;
    const char *text, *p, *end;
    lh_place at; /* of text */
    int depth;
    bool in_root; /* a ] ends the index of a root */
} reader;

static lh_formula *read_row(reader *r);
static lh_formula *read_item(reader *r);
static lh_formula *read_command(reader *r);

/* Line and column of a byte: columns of the first line are counted from where the formula begins. */
static lh_place place_of(const reader *r, const char *p, size_t length) {
    lh_place at = r->at;
    for (const char *s = r->text; s < p; s++) {
        at.col++;
        if (*s == '\n') at.line++, at.col = 1;
    }
    at.len = length > 0 && length < 10000 ? (int)length : 1;
    return at;
}

static void fail_at(reader *r, const char *p, size_t n, const char *what, const char *cure) {
    lh_fail(r->ctx, LH_ERROR_TEXT, place_of(r, p, n), "%s", what);
    if (cure) lh_cure(r->ctx, "%s", cure);
    r->p = r->end;
}

static void skip_space(reader *r) {
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
        r->p++;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The name of the command at p, which stands on its backslash: letters, or one other character. */
static size_t name_length(const reader *r) {
    const char *s = r->p + 1;
    while (s < r->end && is_letter(*s)) s++;
    return s > r->p + 1 ? (size_t)(s - r->p - 1) : r->p + 1 < r->end ? 1 : 0;
}

static bool at_command(const reader *r, const char *name) {
    return r->p < r->end && *r->p == '\\' && name_length(r) == strlen(name) &&
           memcmp(r->p + 1, name, strlen(name)) == 0;
}

/* Does something stand here that a row cannot take? Some caller's business. */
static bool at_stop(const reader *r) {
    if (r->p >= r->end || *r->p == '}' || *r->p == '&') return true;
    if (r->in_root && *r->p == ']') return true;
    return at_command(r, "\\") || at_command(r, "right") || at_command(r, "end");
}

static lh_formula *nothing(reader *r) {
    return lh_formula_new(r->arena, LH_F_ROW, LH_SIGN_LETTER, 0);
}

/* Going one group deeper; false and an error where it is too deep. */
static bool go_deeper(reader *r) {
    if (++r->depth <= LH_FORMULA_DEPTH) return true;
    lh_fail(r->ctx, LH_ERROR_LIMIT, place_of(r, r->p, 1),
            "more than %d groups inside each other", LH_FORMULA_DEPTH);
    lh_cure(r->ctx, "give a part of the formula a name of its own");
    r->p = r->end;
    return false;
}

/* ---- leaves ---- */

static lh_formula *read_number(reader *r) {
    const char *from = r->p;
    while (r->p < r->end && is_digit(*r->p)) r->p++;
    if (r->p + 1 < r->end && *r->p == '.' && is_digit(r->p[1]))
        for (r->p++; r->p < r->end && is_digit(*r->p);) r->p++;
    lh_formula *f = lh_formula_new(r->arena, LH_F_NUMBER, LH_SIGN_LETTER, 0);
    f->text = lh_copy(r->arena, from, (size_t)(r->p - from));
    return f;
}

static void fail_character(reader *r, size_t n) {
    char what[80];
    unsigned char c = (unsigned char)*r->p;
    const char *cure = c == '$'   ? "the formula is already between its $ signs; \\$ is the sign"
                       : c == '%' ? "in TeX % begins a comment; \\% is the sign"
                       : c == '#' ? "\\# is the sign"
                       : c == '`' ? "a formula ends before a ` of the text"
                                  : NULL;
    if (!n)
        snprintf(what, sizeof what, "the byte %u is no UTF-8", c);
    else if (c < ' ' || c == 127)
        snprintf(what, sizeof what, "the control character %u has no place in a formula", c);
    else
        snprintf(what, sizeof what, "%c has no meaning in a formula", c);
    fail_at(r, r->p, n, what, cure);
}

/* A letter, or a sign that stands for itself, in any alphabet; | is a bar on either side. */
static lh_formula *read_sign(reader *r) {
    size_t n = lh_utf8_length(r->p, r->end);
    char c = *r->p, sign[5] = "";
    bool is_plain = n > 1 || is_letter(c) || (n == 1 && strchr("+-*/=<>:()[],;!.?|", c) && c);
    if (!is_plain || (n == 2 && lh_utf8_code(r->p, n) < 0xA0)) {
        fail_character(r, n);
        return nothing(r);
    }
    memcpy(sign, r->p, n);
    if (n > 1 && lh_formula_columns(sign) == 0) {
        fail_at(r, r->p, n, "a mark without a letter", "\\hat{x} sets a mark over x");
        return nothing(r);
    }
    r->p += n;
    lh_formula *f = lh_formula_sign(r->arena, sign);
    if (c == '|') f->class = LH_SIGN_LETTER;
    return f;
}

/* ---- groups and arguments ---- */

static lh_formula *read_group(reader *r) {
    const char *open = r->p++;
    bool in_root = r->in_root;
    if (!go_deeper(r)) return nothing(r);
    r->in_root = false;
    lh_formula *row = read_row(r);
    r->in_root = in_root;
    r->depth--;
    if (r->p < r->end && *r->p == '}')
        r->p++;
    else if (!lh_failed(r->ctx))
        fail_at(r, open, 1, "this { is never closed", "add the } that belongs to it");
    return row;
}

/* One letter, one digit, one command or a group: what stands behind ^, \frac and the like. */
static lh_formula *read_argument(reader *r, const char *from, size_t n, const char *whose) {
    char what[160];
    skip_space(r);
    if (at_stop(r) || *r->p == '^' || *r->p == '_' || *r->p == '\'') {
        snprintf(what, sizeof what, "%.100s has nothing to work on", whose);
        if (!lh_failed(r->ctx)) fail_at(r, from, n, what, "it wants a letter or a {group}");
        return nothing(r);
    }
    if (*r->p == '{') return read_group(r);
    if (*r->p == '\\') {
        if (!go_deeper(r)) return nothing(r);
        lh_formula *f = read_command(r);
        r->depth--;
        return f;
    }
    if (!is_digit(*r->p)) return read_sign(r);
    lh_formula *f = lh_formula_new(r->arena, LH_F_NUMBER, LH_SIGN_LETTER, 0);
    f->text = lh_copy(r->arena, r->p++, 1);
    return f;
}

/* The text of {words}, as it stands; \ before a sign keeps it from meaning something. */
static char *read_words(reader *r, const char *from, size_t n, const char *whose) {
    lh_text words = lh_text_new(r->arena);
    char what[160];
    skip_space(r);
    if (r->p >= r->end || *r->p != '{') {
        snprintf(what, sizeof what, "%.100s wants its words in braces", whose);
        if (!lh_failed(r->ctx)) fail_at(r, from, n, what, "\\text{if } x > 0");
        return words.s;
    }
    const char *open = r->p++;
    while (r->p < r->end && *r->p != '}') {
        bool is_meant = *r->p == '\\' && r->p + 1 < r->end && r->p[1] && strchr("{}%$#&_ ", r->p[1]);
        if (is_meant) r->p++;
        size_t length = lh_utf8_length(r->p, r->end);
        bool is_blank = *r->p == '\n' || *r->p == '\t' || *r->p == '\r' || *r->p == '~';
        unsigned code = length ? lh_utf8_code(r->p, length) : 0;
        if ((code < 32 || (code >= 127 && code < 160) || strchr("\\{$", *r->p)) && !is_blank &&
            !is_meant) {
            if (length == 1 && code > 32)
                fail_at(r, r->p, 1, "only words stand in here", "close the } before the formula");
            else
                fail_character(r, length);
            return words.s;
        }
        lh_text_add_n(&words, is_blank ? " " : r->p, is_blank ? 1 : length);
        r->p += length ? length : 1;
    }
    if (r->p < r->end)
        r->p++;
    else
        fail_at(r, open, 1, "this { is never closed", "add the } that belongs to it");
    return words.s;
}

/* ---- commands ---- */

typedef struct call {
    const lh_formula_command *command;
    const char *from; /* the backslash */
    size_t n;
    char name[48]; /* with the backslash, for messages */
} call;

static lh_formula *read_fraction(reader *r, const call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_FRACTION, LH_SIGN_INNER, 2);
    for (int i = 0; i < f->n_args; i++) f->arg[i] = read_argument(r, c->from, c->n, c->name);
    return f;
}

static lh_formula *read_root(reader *r, const call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_ROOT, LH_SIGN_LETTER, 2), *index = NULL;
    bool in_root = r->in_root;
    skip_space(r);
    if (r->p < r->end && *r->p == '[' && go_deeper(r)) {
        const char *open = r->p++;
        r->in_root = true;
        index = read_row(r);
        r->in_root = in_root;
        r->depth--;
        if (r->p < r->end && *r->p == ']')
            r->p++;
        else if (!lh_failed(r->ctx))
            fail_at(r, open, 1, "this [ is never closed", "\\sqrt[3]{x} is the cube root");
    }
    lh_formula *body = read_argument(r, c->from, c->n, c->name);
    if (f->n_args) f->arg[0] = body, f->arg[1] = index;
    return f;
}

static lh_formula *read_accent(reader *r, const call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_ACCENT, LH_SIGN_LETTER, 1);
    f->text = c->command->sign, f->command = c->command;
    for (int i = 0; i < f->n_args; i++) f->arg[i] = read_argument(r, c->from, c->n, c->name);
    return f;
}

/* \underbrace{a}_{b}: the script is the label, not a script of a. */
static lh_formula *read_brace(reader *r, const call *c) {
    char mark = c->command->does == LH_DOES_UNDER ? '_' : '^';
    lh_formula *f = lh_formula_new(r->arena, LH_F_BRACE, LH_SIGN_INNER, 2);
    lh_formula *body = read_argument(r, c->from, c->n, c->name), *label = NULL;
    f->text = c->command->sign, f->command = c->command;
    skip_space(r);
    if (r->p < r->end && *r->p == mark) {
        r->p++;
        label = read_argument(r, r->p - 1, 1, mark == '_' ? "_" : "^");
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
static lh_formula *joined(reader *r, lh_formula *row) {
    lh_text name = lh_text_new(r->arena);
    if (row->kind != LH_F_ROW || row->n_args < 2) return row;
    for (int i = 0; i < row->n_args; i++) {
        const lh_formula *f = row->arg[i];
        bool is_part = f->kind == LH_F_NUMBER || (f->kind == LH_F_SIGN && !f->text[1]);
        if (!is_part || !(is_letter(f->text[0]) || is_digit(f->text[0]))) return row;
        lh_text_add(&name, "%s", f->text);
    }
    return lh_formula_word(r->arena, name.s, LH_SIGN_LETTER);
}

static lh_formula *read_alphabet(reader *r, const call *c) {
    static const struct {
        const char *spoken;
        lh_alphabet alphabet;
    } known[] = {{"bold", LH_ALPHABET_BOLD},
                 {"double", LH_ALPHABET_DOUBLE},
                 {"script", LH_ALPHABET_SCRIPT}};
    lh_alphabet alphabet = LH_ALPHABET_ROMAN;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].spoken, c->command->spoken) == 0) alphabet = known[i].alphabet;
    lh_formula *f = read_argument(r, c->from, c->n, c->name);
    if (alphabet == LH_ALPHABET_ROMAN) f = joined(r, f);
    set_alphabet(f, alphabet);
    return f;
}

static lh_formula *read_text(reader *r, const call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_TEXT, LH_SIGN_LETTER, 0);
    f->text = read_words(r, c->from, c->n, c->name);
    return f;
}

static lh_formula *read_name(reader *r, const call *c) {
    bool has_limits = r->p < r->end && *r->p == '*';
    if (has_limits) r->p++;
    const char *from = r->p;
    lh_formula *f =
        lh_formula_word(r->arena, read_words(r, c->from, c->n, c->name), LH_SIGN_FUNCTION);
    f->has_limits = has_limits;
    if (!f->text[strspn(f->text, " ")] && !lh_failed(r->ctx))
        fail_at(r, from, 1, "a name without letters", "\\operatorname{softmax}");
    return f;
}

/* What stands behind \left, \right and \big: one bracket, or . for none. NULL and an error otherwise. */
static const char *read_bracket(reader *r, const call *c) {
    char what[160];
    skip_space(r);
    const char *from = r->p;
    size_t n = r->p < r->end && *r->p == '\\' ? name_length(r) + 1 : r->p < r->end ? 1 : 0;
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
    snprintf(what, sizeof what, "%.40s wants a bracket behind it", c->name);
    fail_at(r, c->from, c->n, what, "( ) [ ] | \\{ \\} \\| \\langle \\rangle, or . for none");
    return NULL;
}

static lh_formula *read_fence(reader *r, const call *c) {
    const char *open = read_bracket(r, c), *close = "";
    bool in_root = r->in_root;
    if (!open || !go_deeper(r)) return nothing(r);
    r->in_root = false;
    lh_formula *body = read_row(r);
    r->in_root = in_root;
    r->depth--;
    if (at_command(r, "right")) {
        call right = {c->command, r->p, 6, "\\right"};
        r->p += 6;
        close = read_bracket(r, &right);
    } else if (!lh_failed(r->ctx)) {
        fail_at(r, c->from, c->n, "this \\left has no \\right",
                "\\right. ends it without a bracket");
    }
    return lh_formula_fence(r->arena, open, body, close ? close : "");
}

/* \big( is taller by one step, \Bigg( by four; \middle| is as tall as its fence. */
static lh_formula *read_size(reader *r, const call *c) {
    const char *sign = read_bracket(r, c), *name = c->command->name;
    if (!sign) return nothing(r);
    lh_formula *f = lh_formula_sign(r->arena, sign);
    size_t n = strlen(name);
    f->is_stretched = strcmp(name, "middle") == 0;
    if (!f->is_stretched) f->number = (n >= 4 && name[3] == 'g' ? 3 : 1) + (name[0] == 'B');
    f->class = f->is_stretched     ? LH_SIGN_RELATION
               : name[n - 1] == 'l' ? LH_SIGN_OPEN
               : name[n - 1] == 'r' ? LH_SIGN_CLOSE
                                    : f->class;
    if (!*sign) return nothing(r);
    return f;
}

static lh_formula *read_space(reader *r, const call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_SPACE, LH_SIGN_SPACE, 0);
    f->text = c->command->sign, f->command = c->command;
    f->number = strcmp(f->text, "2em") == 0 ? 4 : strcmp(f->text, "1em") == 0 ? 2 : *f->text != '0' || f->text[1] == '.';
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
static void fill_table(reader *r, lh_formula *f, const table *t, const int *counts) {
    f->rows = t->rows, f->cols = t->cols;
    f->arg = lh_alloc_array(r->arena, (size_t)(f->rows * f->cols), sizeof *f->arg);
    if (!f->arg) return;
    f->n_args = f->rows * f->cols;
    for (int row = 0, k = 0; row < f->rows; row++)
        for (int col = 0; col < f->cols; col++)
            f->arg[row * f->cols + col] = col < counts[row] ? t->cell[k++] : nothing(r);
}

/* \\[2pt] asks for more room between two rows: read, and left to the page. */
static void skip_row_skip(reader *r) {
    const char *s = r->p;
    if (s < r->end && *s == '[' && s + 1 < r->end && (is_digit(s[1]) || s[1] == '-' || s[1] == '.'))
        while (s < r->end && *s != ']' && *s != '\n' && *s != '\\') s++;
    if (s < r->end && *s == ']' && s > r->p) r->p = s + 1;
}

static void read_cells(reader *r, lh_formula *f) {
    table t = {0};
    int *counts = NULL, n_counts = 0;
    for (bool more = true; more && !lh_failed(r->ctx);) {
        lh_formula **cell = lh_push(r->arena, (void **)&t.cell, &t.n_cells, sizeof *t.cell);
        *cell = read_row(r);
        t.in_row++;
        if (r->p < r->end && *r->p == '&') {
            r->p++;
            continue;
        }
        more = at_command(r, "\\");
        if (more) r->p += 2, skip_row_skip(r), skip_space(r);
        const lh_formula *last = t.n_cells ? t.cell[t.n_cells - 1] : NULL;
        bool is_end = !more && t.in_row == 1 && t.rows > 0 && last && !last->n_args;
        if (is_end) break; /* a \\ behind the last row begins no other */
        *(int *)lh_push(r->arena, (void **)&counts, &n_counts, sizeof *counts) = t.in_row;
        end_row(&t);
    }
    if (!lh_failed(r->ctx)) fill_table(r, f, &t, counts);
}

/* The name in \begin{name}: 0 where there is none. */
static size_t environment_name(reader *r, const char **name) {
    skip_space(r);
    if (r->p >= r->end || *r->p != '{') return 0;
    *name = ++r->p;
    while (r->p < r->end && (is_letter(*r->p) || *r->p == '*')) r->p++;
    size_t n = (size_t)(r->p - *name);
    if (r->p >= r->end || *r->p != '}') return 0;
    r->p++;
    return n;
}

static void fail_environment(reader *r, const call *c, const char *name, size_t n) {
    if (!n) {
        fail_at(r, c->from, c->n, "\\begin wants a name in braces", "\\begin{bmatrix}");
        return;
    }
    const char *near = lh_formula_nearest(r->arena, name, n, true);
    lh_fail(r->ctx, LH_ERROR_NAME, place_of(r, name, n), "there is no environment %.*s",
            n > 60 ? 60 : (int)n, name);
    if (near)
        lh_cure(r->ctx, "did you mean %s?", near);
    else
        lh_cure(r->ctx, "there are matrix, pmatrix, bmatrix, vmatrix, cases and aligned");
    r->p = r->end;
}

static void read_end(reader *r, const call *c, const char *name, size_t n) {
    char what[160];
    const char *from = r->p, *other = "";
    if (!at_command(r, "end")) {
        snprintf(what, sizeof what, "this \\begin{%.60s} has no \\end", lh_copy(r->arena, name, n));
        fail_at(r, c->from, c->n, what, NULL);
        return;
    }
    r->p += 4;
    size_t k = environment_name(r, &other);
    if (k == n && memcmp(name, other, n) == 0) return;
    snprintf(what, sizeof what, "\\begin{%.60s} is ended by \\end{%.60s}",
             lh_copy(r->arena, name, n), lh_copy(r->arena, other, k));
    fail_at(r, from, (size_t)(r->p - from), what, "the two names must be the same");
}

static lh_formula *read_environment(reader *r, const call *c) {
    lh_formula *f = lh_formula_new(r->arena, LH_F_TABLE, LH_SIGN_INNER, 0);
    const char *name = "";
    size_t n = environment_name(r, &name);
    const lh_formula_command *kind = n ? lh_formula_find(name, n, true) : NULL;
    bool in_root = r->in_root;
    if (!kind) {
        fail_environment(r, c, name, n);
        return nothing(r);
    }
    if (!go_deeper(r)) return nothing(r);
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

static void fail_command(reader *r, const call *c) {
    const char *name = c->from + 1;
    size_t n = c->n - 1;
    const char *near = lh_formula_nearest(r->arena, name, n, false);
    if (!n) {
        fail_at(r, c->from, 1, "a \\ with nothing behind it", NULL);
        return;
    }
    n = (unsigned char)*name < 0x80 ? n : lh_utf8_length(name, r->end);
    lh_fail(r->ctx, LH_ERROR_NAME, place_of(r, c->from, n + 1), "there is no command \\%.*s",
            n > 60 ? 60 : (int)n, name);
    if (near)
        lh_cure(r->ctx, "did you mean \\%s?", near);
    else if (n > 1 && is_letter(*name))
        lh_cure(r->ctx, "a name of your own is \\operatorname{%.*s}", n > 60 ? 60 : (int)n, name);
    r->p = r->end;
}

static lh_formula *read_own_sign(reader *r, const call *c) {
    const lh_formula_command *k = c->command;
    lh_formula *f = k->class == LH_SIGN_FUNCTION
                        ? lh_formula_word(r->arena, k->sign, LH_SIGN_FUNCTION)
                        : lh_formula_new(r->arena, LH_F_SIGN, k->class, 0);
    f->text = k->sign, f->command = k;
    f->has_limits = k->does == LH_DOES_LIMITS || k->class == LH_SIGN_LARGE;
    return f;
}

static lh_formula *read_command(reader *r) {
    call c = {NULL, r->p, name_length(r) + 1, ""};
    c.command = lh_formula_find(r->p + 1, c.n - 1, false);
    if (!c.command) {
        fail_command(r, &c);
        return nothing(r);
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
    case LH_DOES_SPACE: return read_space(r, &c);
    default: return read_own_sign(r, &c);
    }
}

/* ---- items and rows ---- */

static lh_formula *read_atom(reader *r) {
    if (*r->p == '{') return read_group(r);
    if (*r->p == '\\') return read_command(r);
    if (*r->p == '~') {
        call blank = {lh_formula_find(" ", 1, false), r->p++, 1, "~"};
        return read_space(r, &blank);
    }
    return is_digit(*r->p) ? read_number(r) : read_sign(r);
}

/* A script is set once; primes go before it. */
static void read_script(reader *r, lh_formula **sub, lh_formula **sup) {
    const char *from = r->p;
    char mark = *r->p++;
    lh_formula **place = mark == '_' ? sub : sup;
    bool is_again = *place && !(mark == '\'' ? lh_formula_is_prime(*place)
                                             : mark == '^' && lh_formula_is_prime(*place));
    if (is_again) {
        fail_at(r, from, 1, mark == '_' ? "a second _ on the same letter" : "a second ^ on the same letter",
                "braces say which is meant: {x^a}^b or x^{a^b}");
        return;
    }
    lh_formula *f = mark == '\'' ? lh_formula_sign(r->arena, "′")
                                 : read_argument(r, from, 1, mark == '_' ? "_" : "^");
    if (!*place) {
        *place = f;
        return;
    }
    lh_formula *row = nothing(r);
    if ((*place)->kind == LH_F_ROW)
        row = *place;
    else
        lh_formula_append(r->arena, row, *place);
    lh_formula_append(r->arena, row, f);
    *place = row;
}

static lh_formula *read_item(reader *r) {
    bool has_base = *r->p != '^' && *r->p != '_' && *r->p != '\'';
    lh_formula *base = has_base ? read_atom(r) : nothing(r), *sub = NULL, *sup = NULL;
    for (skip_space(r); r->p < r->end && strchr("^_'", *r->p) && *r->p; skip_space(r))
        read_script(r, &sub, &sup);
    return sub || sup ? lh_formula_script(r->arena, base, sub, sup) : base;
}

static lh_formula *read_row(reader *r) {
    lh_formula *row = nothing(r);
    for (skip_space(r); !at_stop(r); skip_space(r)) lh_formula_append(r->arena, row, read_item(r));
    return row;
}

/* What a row could not take, and nobody was waiting for. */
static void fail_stop(reader *r) {
    if (*r->p == '}')
        fail_at(r, r->p, 1, "this } closes nothing", "\\} is the sign");
    else if (*r->p == '&')
        fail_at(r, r->p, 1, "& parts the columns of a matrix, and this is none",
                "\\begin{aligned} ... \\end{aligned}");
    else if (at_command(r, "\\"))
        fail_at(r, r->p, 2, "\\\\ ends a row of a matrix, and this is none",
                "\\begin{aligned} ... \\end{aligned}");
    else if (at_command(r, "right"))
        fail_at(r, r->p, 6, "this \\right has no \\left", NULL);
    else
        fail_at(r, r->p, 4, "this \\end has no \\begin", NULL);
}

lh_formula *lh_formula_parse(lh_context *ctx, lh_arena *a, const char *tex, size_t length,
                             lh_place at) {
    if (lh_failed(ctx)) return NULL;
    if (!at.line) at = (lh_place){1, 1, 0};
    reader r = {a, ctx, tex, tex, tex + length, at, 0, false};
    if (length > LH_FORMULA_LENGTH) {
        lh_fail(ctx, LH_ERROR_LIMIT, at, "a formula of %zu bytes: at most %d are read", length,
                LH_FORMULA_LENGTH);
        return NULL;
    }
    lh_formula *f = read_row(&r);
    if (!lh_failed(ctx) && r.p < r.end) fail_stop(&r);
    if (!lh_failed(ctx) && !f->n_args) fail_at(&r, tex, 1, "the formula is empty", NULL);
    if (lh_failed(ctx)) {
        if (at.line == 1 && at.col == 1) lh_fail_in(ctx, "formula", tex, length);
        return NULL;
    }
    return f;
}
