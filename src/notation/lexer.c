#include "base/ascii.h"
#include "notation/lexer.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/number.h"

/* Longer signs stand before their own beginnings. */
static const struct sign {
    const char *s;
    lh_token_kind kind;
} signs[] = {
    {":=", LH_T_RENEW},    {"==", LH_T_EQ},     {"=>", LH_T_RULE},     {"!=", LH_T_NE},
    {"<=", LH_T_LE},       {">=", LH_T_GE},     {"->", LH_T_ARROW},    {"(", LH_T_OPEN},
    {")", LH_T_CLOSE},     {"[", LH_T_BRACKET}, {"]", LH_T_UNBRACKET}, {",", LH_T_COMMA},
    {";", LH_T_SEMICOLON}, {":", LH_T_COLON},   {"=", LH_T_ASSIGN},    {"+", LH_T_PLUS},
    {"-", LH_T_MINUS},     {"*", LH_T_STAR},    {"/", LH_T_SLASH},     {"@", LH_T_AT},
    {"^", LH_T_POWER},     {"<", LH_T_LT},      {">", LH_T_GT},        {"→", LH_T_ARROW},
    {"−", LH_T_MINUS},     {"×", LH_T_TIMES},   {"·", LH_T_DOT},       {"⋅", LH_T_DOT},
    {"ᵀ", LH_T_TRANSPOSE}, {"√", LH_T_ROOT},    {"≠", LH_T_NE},        {"≤", LH_T_LE},
    {"≥", LH_T_GE},
};

/* Signs that other languages know, and what to write here. */
static const struct foreign {
    const char *s, *cure;
} foreign[] = {
    {".", "a transpose is written K^T, a number 0.5"},
    {"'", "a transpose is written K^T, and text goes between \" \""},
    {"!", "not equal is written !="},
    {"\u00f7", "a quotient is written a / b"},
    {"\u2010", "a minus is written -"}, /* the hyphens and dashes of printed text */
    {"\u2011", "a minus is written -"},
    {"\u2013", "a minus is written -"},
    {"\u2014", "a minus is written -"},
    {"{", "a block begins with repeat, each, fn or grad and ends with end"},
    {"}", "a block begins with repeat, each, fn or grad and ends with end"},
    {"&", "for numbers that are 1 or 0, a * b means \"both\""},
    {"|", "for numbers that are 1 or 0, max(a, b) means \"one of them\""},
    {"“", "write the plain sign \""},
    {"”", "write the plain sign \""},
    {"„", "write the plain sign \""},
};

void lh_lexer_fail(lh_lexer *lx, lh_error_kind kind, lh_place at, const char *cure,
                   const char *what, ...) {
    if (!lh_failed(lx->ctx)) {
        char text[512];
        va_list args;
        va_start(args, what);
        lh_vformat(text, sizeof text, what, args);
        va_end(args);
        lh_fail(lx->ctx, kind, at, "%s", text);
        lh_cure(lx->ctx, "%s", cure);
    }
    lx->tok.kind = LH_T_END;
    lx->pos = lx->end;
}

static bool is_control(const char *s, const char *end, uint32_t c) {
    if (c == '\r') return s + 1 == end || s[1] != '\n';
    return (c < ' ' && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0);
}

size_t lh_space(const char *s, const char *end) {
    if (s == end) return 0;
    if (*s == ' ' || *s == '\t' || *s == '\r') return 1;
    if ((unsigned char)*s < 0x80) return 0;
    uint32_t c = 0;
    size_t n = lh_utf8_read(s, (size_t)(end - s), &c);
    bool is = c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F ||
              c == 0x205F || c == 0x3000;
    return is ? n : 0;
}

/* Signs without a shape of their own, or that turn the direction of writing: not fit for names. */
static bool is_hidden(uint32_t c) {
    return (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || c == 0xAD;
}

static bool starts_with(const char *s, const char *end, const char *with) {
    size_t n = strlen(with);
    return (size_t)(end - s) >= n && memcmp(s, with, n) == 0;
}

/* How many bytes the letter of a name at s has; 0: it is none. */
static size_t name_letter(const char *s, const char *end) {
    if (s == end) return 0;
    if ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_' || lh_is_digit(*s))
        return 1;
    if ((unsigned char)*s < 0x80 || lh_space(s, end)) return 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (starts_with(s, end, signs[i].s)) return 0;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (starts_with(s, end, foreign[i].s)) return 0;
    uint32_t c = 0;
    size_t n = lh_utf8_read(s, (size_t)(end - s), &c);
    return is_hidden(c) ? 0 : n;
}

static const char *name_end(const char *s, const char *end) {
    if (s < end && lh_is_digit(*s)) return s;
    for (size_t n; (n = name_letter(s, end)) > 0;) s += n;
    return s;
}

static const char *skip_space(const char *s, const char *end) {
    for (size_t n; (n = lh_space(s, end)) > 0;) s += n;
    return s;
}

static lh_place place(const lh_lexer *lx, const char *s, const char *stop) {
    return (lh_place){lx->line, (int)(s - lx->line_start) + 1, (int)(stop - s)};
}

/* One pass before anything else, so that the rest of the lexer may trust the text. */
static void check_text(lh_lexer *lx) {
    for (const char *s = lx->pos; s < lx->end;) {
        uint32_t c = 0;
        size_t n = lh_utf8_read(s, (size_t)(lx->end - s), &c);
        if (n == 0 || is_control(s, lx->end, c)) {
            lh_lexer_fail(lx, LH_ERROR_TEXT, place(lx, s, s + 1), "save the file as text in UTF-8",
                          "this does not look like text: byte 0x%02x", (unsigned)(unsigned char)*s);
            break;
        }
        s += n;
        if (c == '\n') {
            lx->line++;
            lx->line_start = s;
        }
    }
}

void lh_lexer_start(lh_lexer *lx, lh_context *ctx, lh_arena *arena, const char *text,
                    size_t length) {
    *lx = (lh_lexer){.ctx = ctx, .arena = arena, .pos = text, .end = text + length};
    lx->line_start = text;
    lx->line = 1;
    if (length > (1u << 30)) {
        lh_lexer_fail(lx, LH_ERROR_LIMIT, (lh_place){0, 0, 0}, "",
                      "a text of %zu bytes is too long: at most 1 GiB is allowed", length);
        return;
    }
    check_text(lx);
    if (lh_failed(ctx)) return;
    lx->line = 1;
    lx->line_start = text;
    if (starts_with(lx->pos, lx->end, "\xEF\xBB\xBF")) lx->pos += 3;
    lh_lexer_next(lx);
}

lh_place lh_lexer_span(const lh_lexer *lx, lh_place from) {
    int stop = lx->last.col + lx->last.len;
    if (lx->last.line > from.line && from.line <= lx->n_lines) stop = lx->line_end[from.line - 1];
    from.len = stop > from.col ? stop - from.col : 0;
    return from;
}

/* With s behind #: keeps the line without one space before it and all behind it; a second comment
 * follows "; ". */
static void gather_comment(lh_lexer *lx, const char *s, const char *stop) {
    while (stop > s && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) stop--;
    if (lx->comment.s) {
        s = skip_space(s, stop);
        if (s == stop) return;
        if (lx->comment.n) lh_text_add_n(&lx->comment, "; ", 2);
    } else {
        if (s < stop && *s == ' ') s++;
        lx->comment = lh_text_new(lx->arena);
    }
    lh_text_add_n(&lx->comment, s, (size_t)(stop - s));
}

char *lh_lexer_comment(lh_lexer *lx) {
    char *s = lx->comment.s;
    lx->comment = (lh_text){0};
    return s;
}

/* From the place of reading to the next token, word or end of line. */
static void skip(lh_lexer *lx) {
    lx->pos = skip_space(lx->pos, lx->end);
    if (lx->pos == lx->end || *lx->pos != '#') return;
    const char *stop = memchr(lx->pos, '\n', (size_t)(lx->end - lx->pos));
    if (!stop) stop = lx->end;
    gather_comment(lx, lx->pos + 1, stop);
    lx->pos = stop;
}

/* The place of reading is at an end of line, or at the end of a last line that has none. */
static void pass_line(lh_lexer *lx) {
    int stop = lx->last.line == lx->line ? lx->last.col + lx->last.len : 1;
    *lh_push(lx->arena, lx->line_end, lx->n_lines) = stop;
    if (lx->pos < lx->end) lx->pos++;
    lx->line_start = lx->pos;
    lx->line++;
}

static void read_newline(lh_lexer *lx) {
    int col = lx->last.line == lx->line ? lx->last.col + lx->last.len
                                        : (int)(lx->pos - lx->line_start) + 1;
    lx->tok.kind = LH_T_NEWLINE;
    lx->tok.at = (lh_place){lx->line, col, 1};
    lx->tok.s = lx->pos;
    pass_line(lx);
}

static void take(lh_lexer *lx, lh_token_kind kind, const char *stop) {
    lx->tok.kind = kind;
    lx->tok.s = lx->pos;
    lx->tok.at = place(lx, lx->pos, stop);
    lx->pos = stop;
}

static double decimal(lh_lexer *lx, const char *s, const char *stop) {
    char small[64];
    size_t n = (size_t)(stop - s);
    if (n >= sizeof small) return lh_number_read(lh_copy(lx->arena, s, n), NULL);
    memcpy(small, s, n);
    small[n] = 0;
    return lh_number_read(small, NULL);
}

static const char *digits_end(const char *s, const char *end) {
    while (s < end && lh_is_digit(*s)) s++;
    return s;
}

static const char *number_end(const char *s, const char *end) {
    s = digits_end(s, end);
    if (s < end && *s == '.') s = digits_end(s + 1, end);
    if (s == end || (*s != 'e' && *s != 'E')) return s;
    const char *e = s + 1;
    if (e < end && (*e == '-' || *e == '+')) e++;
    return e < end && lh_is_digit(*e) ? digits_end(e, end) : s;
}

static void read_number(lh_lexer *lx) {
    const char *s = lx->pos, *stop = number_end(s, lx->end);
    size_t letter = name_letter(stop, lx->end);
    if (letter) {
        const char *cure = *stop == 'x'
                               ? "a shape has spaces around its x: 2 x 3"
                               : "a product is written 3 * dim; a name begins with a letter";
        const char *rest = stop;
        while ((letter = name_letter(rest, lx->end)) > 0 && rest - s < 40) rest += letter;
        lh_lexer_fail(lx, LH_ERROR_TEXT, place(lx, s, rest), cure,
                      "`%.*s`: a number is followed directly by a name", (int)(rest - s), s);
        return;
    }
    take(lx, LH_T_NUMBER, stop);
    lx->tok.number = decimal(lx, s, stop);
    if (isinf(lx->tok.number))
        lh_lexer_fail(lx, LH_ERROR_TEXT, lx->tok.at, "infinity is written inf",
                      "this number is too large: the largest has 308 zeros");
}

/* With the place of reading at ": the text up to the closing quote, which is passed. NULL after an
 * error. */
static char *read_quoted(lh_lexer *lx) {
    const char *open = lx->pos, *s = open + 1, *stop = s;
    while (stop < lx->end && *stop != '"' && *stop != '\n')
        stop += *stop == '\\' && stop + 1 < lx->end && stop[1] != '\n' ? 2 : 1;
    if (stop == lx->end || *stop == '\n') {
        lh_lexer_fail(lx, LH_ERROR_TEXT, place(lx, open, open + 1),
                      "a text begins and ends with \" on one line",
                      "this `\"` is not closed on its line");
        return NULL;
    }
    char *text = lh_alloc(lx->arena, (size_t)(stop - s) + 1), *t = text;
    if (!text) return NULL;
    for (; s < stop; s++) {
        if (*s != '\\') {
            *t++ = *s;
            continue;
        }
        s++;
        if (!strchr("\"\\nt", *s)) {
            lh_lexer_fail(lx, LH_ERROR_TEXT, place(lx, s - 1, s), "a \\ itself is written \\\\",
                          "in a text, \\ can only be followed by \" \\ n or t");
            return NULL;
        }
        *t++ = *s == 'n' ? '\n' : *s == 't' ? '\t' : *s;
    }
    lx->pos = stop + 1;
    return text;
}

static void read_string(lh_lexer *lx) {
    const char *open = lx->pos;
    char *text = read_quoted(lx);
    if (!text) return;
    const char *stop = lx->pos;
    lx->pos = open;
    take(lx, LH_T_STRING, stop);
    lx->tok.text = text;
}

static void unknown_sign(lh_lexer *lx) {
    uint32_t c = 0;
    size_t n = lh_utf8_read(lx->pos, (size_t)(lx->end - lx->pos), &c);
    lh_place at = place(lx, lx->pos, lx->pos + n);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (starts_with(lx->pos, lx->end, foreign[i].s)) {
            lh_lexer_fail(lx, LH_ERROR_TEXT, at, foreign[i].cure,
                          "`%s` is not part of the notation", foreign[i].s);
            return;
        }
    if (is_hidden(c))
        lh_lexer_fail(lx, LH_ERROR_TEXT, at, "delete it",
                      "there is an invisible character here: U+%04X", (unsigned)c);
    else
        lh_lexer_fail(lx, LH_ERROR_TEXT, at, "", "`%.*s` is not part of the notation", (int)n,
                      lx->pos);
}

static void read_sign(lh_lexer *lx) {
    const struct sign *sign = signs, *stop = signs + sizeof signs / sizeof *signs;
    while (sign < stop && !starts_with(lx->pos, lx->end, sign->s)) sign++;
    if (sign == stop) {
        unknown_sign(lx);
        return;
    }
    take(lx, sign->kind, lx->pos + strlen(sign->s));
    if (sign->kind == LH_T_OPEN || sign->kind == LH_T_BRACKET) lx->depth++;
    if ((sign->kind == LH_T_CLOSE || sign->kind == LH_T_UNBRACKET) && lx->depth > 0) lx->depth--;
    if (sign->kind != LH_T_POWER) return;
    const char *t = skip_space(lx->pos, lx->end);
    if (t < lx->end && *t == 'T' && !name_letter(t + 1, lx->end)) {
        lx->pos = lx->tok.s;
        take(lx, LH_T_TRANSPOSE, t + 1);
    }
}

void lh_lexer_next(lh_lexer *lx) {
    if (lx->tok.kind != LH_T_NEWLINE && lx->tok.at.line) lx->last = lx->tok.at;
    skip(lx);
    while (lx->depth > 0 && lx->pos < lx->end && *lx->pos == '\n' && !lh_failed(lx->ctx)) {
        pass_line(lx);
        skip(lx);
    }
    if (lh_failed(lx->ctx)) lx->pos = lx->end;
    if (lx->pos == lx->end) {
        if (lx->depth == 0 && lx->pos > lx->line_start && !lh_failed(lx->ctx))
            read_newline(lx);
        else
            take(lx, LH_T_END, lx->pos);
    } else if (*lx->pos == '\n') {
        read_newline(lx);
    } else if (lh_is_digit(*lx->pos) ||
               (*lx->pos == '.' && lx->pos + 1 < lx->end && lh_is_digit(lx->pos[1]))) {
        read_number(lx);
    } else if (*lx->pos == '"') {
        read_string(lx);
    } else if (name_letter(lx->pos, lx->end)) {
        take(lx, LH_T_NAME, name_end(lx->pos, lx->end));
    } else {
        read_sign(lx);
    }
}

static size_t arrow(const char *s, const char *end) {
    return starts_with(s, end, "->") ? 2 : starts_with(s, end, "→") ? 3 : 0;
}

/* A plain word goes on to white space, an arrow or, where asked for, a comma. */
static const char *word_end(const char *s, const char *end, bool comma_ends) {
    while (s < end && *s != '\n' && !lh_space(s, end) && !arrow(s, end) &&
           !(comma_ends && *s == ','))
        s++;
    return s;
}

static void check_behind_quote(lh_lexer *lx, bool comma_ends) {
    const char *s = lx->pos;
    if (word_end(s, lx->end, comma_ends) > s)
        lh_lexer_fail(lx, LH_ERROR_TEXT, place(lx, s, s + 1),
                      "the quotes must enclose the whole word",
                      "a space is missing after the quoted word");
}

lh_word lh_lexer_word(lh_lexer *lx, bool comma_ends) {
    /* what is in hand was the keyword or the `=` before the words: it is done with */
    if (lx->tok.at.line) lx->last = lx->tok.at;
    skip(lx);
    lh_word w = {.kind = LH_W_END, .at = place(lx, lx->pos, lx->pos)};
    if (lh_failed(lx->ctx) || lx->pos == lx->end || *lx->pos == '\n') return w;
    const char *s = lx->pos;
    if (*s == '"') {
        w.kind = LH_W_QUOTED;
        w.text = read_quoted(lx);
        if (!w.text) return (lh_word){.kind = LH_W_END};
        check_behind_quote(lx, comma_ends);
    } else if (arrow(s, lx->end)) {
        w.kind = LH_W_ARROW;
        lx->pos = s + arrow(s, lx->end);
    } else if (comma_ends && *s == ',') {
        w.kind = LH_W_COMMA;
        lx->pos = s + 1;
    } else {
        w.kind = LH_W_PLAIN;
        lx->pos = word_end(s, lx->end, comma_ends);
        w.text = lh_copy(lx->arena, s, (size_t)(lx->pos - s));
    }
    w.at = place(lx, s, lx->pos);
    lx->last = lx->tok.at = w.at;
    return w;
}

void lh_lexer_pass_break(lh_lexer *lx) {
    skip(lx);
    while (lx->pos < lx->end && *lx->pos == '\n' && !lh_failed(lx->ctx)) {
        pass_line(lx);
        skip(lx);
    }
}

static bool is_assign(const char *s, const char *end) {
    if (starts_with(s, end, ":=")) return true;
    return starts_with(s, end, "=") && !starts_with(s, end, "==") && !starts_with(s, end, "=>");
}

bool lh_lexer_sees_assign(const lh_lexer *lx) {
    return is_assign(skip_space(lx->pos, lx->end), lx->end);
}

bool lh_lexer_sees_binding(const lh_lexer *lx) {
    const char *s = skip_space(lx->pos, lx->end), *stop = name_end(s, lx->end);
    if (stop == s) return false;
    stop = skip_space(stop, lx->end);
    return stop < lx->end && *stop == '=' && is_assign(stop, lx->end);
}

bool lh_lexer_sees_file(const lh_lexer *lx) {
    const char *s = skip_space(lx->pos, lx->end);
    if (!starts_with(s, lx->end, "file")) return false;
    return starts_with(skip_space(s + 4, lx->end), lx->end, "(");
}

/* Lines that may hold => without being a rule: another mistake, and words as they stand. */
static bool begins_other(const char *s, const char *end) {
    static const char *const words[] = {"mistake", "vocab", "example", "text"};
    size_t n = (size_t)(name_end(s, end) - s);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (n == strlen(words[i]) && memcmp(s, words[i], n) == 0) return true;
    return false;
}

bool lh_lexer_sees_rule(const lh_lexer *lx) {
    const char *s = skip_space(lx->pos, lx->end);
    if (begins_other(s, lx->end)) return false;
    for (bool quoted = false; s < lx->end && *s != '\n'; s++) {
        if (*s == '"') quoted = !quoted;
        if (quoted) {
            if (*s == '\\' && s + 1 < lx->end && s[1] != '\n') s++;
            continue;
        }
        if (*s == '#') return false;
        if (starts_with(s, lx->end, "=>")) return true;
    }
    return false;
}

void lh_lexer_join(lh_lexer *lx) {
    const char *s = lx->pos;
    while (s < lx->end && *s == '-' && name_letter(s + 1, lx->end))
        for (size_t n = 1; n > 0; n = name_letter(s, lx->end)) s += n;
    lx->tok.at.len += (int)(s - lx->pos);
    lx->pos = s;
}

char *lh_token_copy(const lh_lexer *lx) {
    return lh_copy(lx->arena, lx->tok.s, (size_t)lx->tok.at.len);
}
