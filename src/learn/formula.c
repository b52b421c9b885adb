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
#include <stdio.h>
#include <string.h>

#include "learn/formula_read.h"

static lh_formula *read_item(lh_reader *r);

/* Line and column of a byte: columns of the first line are counted from where the formula begins. */
lh_place lh_reader_place(const lh_reader *r, const char *p, size_t length) {
    lh_place at = r->at;
    for (const char *s = r->text; s < p; s++) {
        at.col++;
        if (*s == '\n') at.line++, at.col = 1;
    }
    at.len = length > 0 && length < 10000 ? (int)length : 1;
    return at;
}

void lh_reader_fail(lh_reader *r, const char *p, size_t n, const char *what, const char *cure) {
    lh_fail(r->ctx, LH_ERROR_TEXT, lh_reader_place(r, p, n), "%s", what);
    if (cure) lh_cure(r->ctx, "%s", cure);
    r->p = r->end;
}

void lh_reader_skip_space(lh_reader *r) {
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
        r->p++;
}

/* The name of the command at p, which stands on its backslash: letters, or one other character. */
size_t lh_reader_name_length(const lh_reader *r) {
    const char *s = r->p + 1;
    while (s < r->end && lh_is_letter(*s)) s++;
    return s > r->p + 1 ? (size_t)(s - r->p - 1) : r->p + 1 < r->end ? 1 : 0;
}

bool lh_reader_at(const lh_reader *r, const char *name) {
    return r->p < r->end && *r->p == '\\' && lh_reader_name_length(r) == strlen(name) &&
           memcmp(r->p + 1, name, strlen(name)) == 0;
}

/* Does something stand here that a row cannot take? Some caller's business. */
bool lh_reader_stops(const lh_reader *r) {
    if (r->p >= r->end || *r->p == '}' || *r->p == '&') return true;
    if (r->in_root && *r->p == ']') return true;
    return lh_reader_at(r, "\\") || lh_reader_at(r, "right") || lh_reader_at(r, "end");
}

lh_formula *lh_read_nothing(lh_reader *r) {
    return lh_formula_new(r->arena, LH_F_ROW, LH_SIGN_LETTER, 0);
}

/* Going one group deeper; false and an error where it is too deep. */
bool lh_reader_deeper(lh_reader *r) {
    if (++r->depth <= LH_FORMULA_DEPTH) return true;
    lh_fail(r->ctx, LH_ERROR_LIMIT, lh_reader_place(r, r->p, 1),
            "more than %d groups inside each other", LH_FORMULA_DEPTH);
    lh_cure(r->ctx, "give a part of the formula a name of its own");
    r->p = r->end;
    return false;
}

/* ---- leaves ---- */

static lh_formula *read_number(lh_reader *r) {
    const char *from = r->p;
    while (r->p < r->end && lh_is_digit(*r->p)) r->p++;
    if (r->p + 1 < r->end && *r->p == '.' && lh_is_digit(r->p[1]))
        for (r->p++; r->p < r->end && lh_is_digit(*r->p);) r->p++;
    lh_formula *f = lh_formula_new(r->arena, LH_F_NUMBER, LH_SIGN_LETTER, 0);
    f->text = lh_copy(r->arena, from, (size_t)(r->p - from));
    return f;
}

static void fail_character(lh_reader *r, size_t n) {
    char what[80];
    unsigned char c = (unsigned char)*r->p;
    const char *cure = c == '$'   ? "the formula is already between its $ signs; \\$ is the sign"
                       : c == '%' ? "in TeX % begins a comment; \\% is the sign"
                       : c == '#' ? "\\# is the sign"
                       : c == '`' ? "a formula ends before a ` of the text"
                                  : NULL;
    if (!n)
        snprintf(what, sizeof what, "the byte %u is not UTF-8", c);
    else if (c < ' ' || c == 127)
        snprintf(what, sizeof what, "the control character %u has no place in a formula", c);
    else
        snprintf(what, sizeof what, "%c has no meaning in a formula", c);
    lh_reader_fail(r, r->p, n, what, cure);
}

/* A letter, or a sign that stands for itself, in any alphabet; | is a bar on either side. */
static lh_formula *read_sign(lh_reader *r) {
    size_t n = lh_utf8_length(r->p, r->end);
    char c = *r->p, sign[5] = "";
    bool is_plain = n > 1 || lh_is_letter(c) || (n == 1 && strchr("+-*/=<>:()[],;!.?|", c) && c);
    if (!is_plain || (n == 2 && lh_utf8_code(r->p, n) < 0xA0)) {
        fail_character(r, n);
        return lh_read_nothing(r);
    }
    memcpy(sign, r->p, n);
    if (n > 1 && lh_formula_columns(sign) == 0) {
        lh_reader_fail(r, r->p, n, "a mark without a letter", "\\hat{x} sets a mark over x");
        return lh_read_nothing(r);
    }
    r->p += n;
    lh_formula *f = lh_formula_sign(r->arena, sign);
    if (c == '|') f->class = LH_SIGN_LETTER;
    return f;
}

/* ---- groups and arguments ---- */

static lh_formula *read_group(lh_reader *r) {
    const char *open = r->p++;
    bool in_root = r->in_root;
    if (!lh_reader_deeper(r)) return lh_read_nothing(r);
    r->in_root = false;
    lh_formula *row = lh_read_row(r);
    r->in_root = in_root;
    r->depth--;
    if (r->p < r->end && *r->p == '}')
        r->p++;
    else if (!lh_failed(r->ctx))
        lh_reader_fail(r, open, 1, "this { is never closed", "add the } that belongs to it");
    return row;
}

/* One letter, one digit, one command or a group: what stands behind ^, \frac and the like. */
lh_formula *lh_read_argument(lh_reader *r, const char *from, size_t n, const char *whose) {
    char what[160];
    lh_reader_skip_space(r);
    if (lh_reader_stops(r) || *r->p == '^' || *r->p == '_' || *r->p == '\'') {
        snprintf(what, sizeof what, "%.100s has nothing to work on", whose);
        if (!lh_failed(r->ctx)) lh_reader_fail(r, from, n, what, "it needs a letter or a {group}");
        return lh_read_nothing(r);
    }
    if (*r->p == '{') return read_group(r);
    if (*r->p == '\\') {
        if (!lh_reader_deeper(r)) return lh_read_nothing(r);
        lh_formula *f = lh_read_command(r);
        r->depth--;
        return f;
    }
    if (!lh_is_digit(*r->p)) return read_sign(r);
    lh_formula *f = lh_formula_new(r->arena, LH_F_NUMBER, LH_SIGN_LETTER, 0);
    f->text = lh_copy(r->arena, r->p++, 1);
    return f;
}

/* The text of {words}, as it stands; \ before a sign keeps it from meaning something. */
char *lh_read_words(lh_reader *r, const char *from, size_t n, const char *whose) {
    lh_text words = lh_text_new(r->arena);
    char what[160];
    lh_reader_skip_space(r);
    if (r->p >= r->end || *r->p != '{') {
        snprintf(what, sizeof what, "%.100s needs its words in braces", whose);
        if (!lh_failed(r->ctx)) lh_reader_fail(r, from, n, what, "\\text{if } x > 0");
        return words.s;
    }
    const char *open = r->p++;
    while (r->p < r->end && *r->p != '}') {
        bool is_meant =
            *r->p == '\\' && r->p + 1 < r->end && r->p[1] && strchr("{}%$#&_ ", r->p[1]);
        if (is_meant) r->p++;
        size_t length = lh_utf8_length(r->p, r->end);
        bool is_blank = *r->p == '\n' || *r->p == '\t' || *r->p == '\r' || *r->p == '~';
        unsigned code = length ? lh_utf8_code(r->p, length) : 0;
        if ((code < 32 || (code >= 127 && code < 160) || strchr("\\{$", *r->p)) && !is_blank &&
            !is_meant) {
            if (length == 1 && code > 32)
                lh_reader_fail(r, r->p, 1, "only words can be used in here",
                               "close the } before the formula");
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
        lh_reader_fail(r, open, 1, "this { is never closed", "add the } that belongs to it");
    return words.s;
}

/* ---- items and rows ---- */

static lh_formula *read_atom(lh_reader *r) {
    if (*r->p == '{') return read_group(r);
    if (*r->p == '\\') return lh_read_command(r);
    if (*r->p == '~') {
        lh_formula_call blank = {lh_formula_find(" ", 1, false), r->p++, 1, "~"};
        return lh_read_space(r, &blank);
    }
    return lh_is_digit(*r->p) ? read_number(r) : read_sign(r);
}

/* A script is set once; primes go before it. */
static void read_script(lh_reader *r, lh_formula **sub, lh_formula **sup) {
    const char *from = r->p;
    char mark = *r->p++;
    lh_formula **place = mark == '_' ? sub : sup;
    bool is_again = *place && !(mark == '\'' ? lh_formula_is_prime(*place)
                                             : mark == '^' && lh_formula_is_prime(*place));
    if (is_again) {
        lh_reader_fail(r, from, 1,
                       mark == '_' ? "a second _ on the same letter"
                                   : "a second ^ on the same letter",
                       "braces say which is meant: {x^a}^b or x^{a^b}");
        return;
    }
    lh_formula *f = mark == '\'' ? lh_formula_sign(r->arena, "′")
                                 : lh_read_argument(r, from, 1, mark == '_' ? "_" : "^");
    if (!*place) {
        *place = f;
        return;
    }
    lh_formula *row = lh_read_nothing(r);
    if ((*place)->kind == LH_F_ROW)
        row = *place;
    else
        lh_formula_append(r->arena, row, *place);
    lh_formula_append(r->arena, row, f);
    *place = row;
}

static lh_formula *read_item(lh_reader *r) {
    bool has_base = *r->p != '^' && *r->p != '_' && *r->p != '\'';
    lh_formula *base = has_base ? read_atom(r) : lh_read_nothing(r), *sub = NULL, *sup = NULL;
    for (lh_reader_skip_space(r); r->p < r->end && strchr("^_'", *r->p) && *r->p;
         lh_reader_skip_space(r))
        read_script(r, &sub, &sup);
    return sub || sup ? lh_formula_script(r->arena, base, sub, sup) : base;
}

lh_formula *lh_read_row(lh_reader *r) {
    lh_formula *row = lh_read_nothing(r);
    for (lh_reader_skip_space(r); !lh_reader_stops(r); lh_reader_skip_space(r))
        lh_formula_append(r->arena, row, read_item(r));
    return row;
}

/* What a row could not take, and nobody was waiting for. */
static void fail_stop(lh_reader *r) {
    if (*r->p == '}')
        lh_reader_fail(r, r->p, 1, "this } closes nothing", "\\} is the sign");
    else if (*r->p == '&')
        lh_reader_fail(r, r->p, 1,
                       "& separates the columns of a matrix, but this is not inside one",
                       "\\begin{aligned} ... \\end{aligned}");
    else if (lh_reader_at(r, "\\"))
        lh_reader_fail(r, r->p, 2, "\\\\ ends a row of a matrix, but this is not inside one",
                       "\\begin{aligned} ... \\end{aligned}");
    else if (lh_reader_at(r, "right"))
        lh_reader_fail(r, r->p, 6, "this \\right has no \\left", NULL);
    else
        lh_reader_fail(r, r->p, 4, "this \\end has no \\begin", NULL);
}

lh_formula *lh_formula_parse(lh_context *ctx, lh_arena *a, const char *tex, size_t length,
                             lh_place at) {
    if (lh_failed(ctx)) return NULL;
    if (!at.line) at = (lh_place){1, 1, 0};
    lh_reader r = {a, ctx, tex, tex, tex + length, at, 0, false};
    if (length > LH_FORMULA_LENGTH) {
        lh_fail(ctx, LH_ERROR_LIMIT, at, "a formula of %zu bytes: at most %d are read", length,
                LH_FORMULA_LENGTH);
        return NULL;
    }
    lh_formula *f = lh_read_row(&r);
    if (!lh_failed(ctx) && r.p < r.end) fail_stop(&r);
    if (!lh_failed(ctx) && !f->n_args) lh_reader_fail(&r, tex, 1, "the formula is empty", NULL);
    if (lh_failed(ctx)) {
        if (at.line == 1 && at.col == 1) lh_fail_in(ctx, "formula", tex, length);
        return NULL;
    }
    return f;
}
