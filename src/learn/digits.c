#include "base/ascii.h"
#include "base/utf8.h"
#include "base/number.h"
#include "learn/digits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/fence.h"

/* ---- the numbers that are given ---- */

typedef struct given {
    lh_arena *a;
    double *number;
    int n;
} given;

static void add_number(given *g, double x) {
    *lh_push(g->a, g->number, g->n) = x;
}

/* Every number of a program's text, comments aside; the 4 of ex4 is none. */
static void add_numbers(given *g, const char *s, size_t n) {
    for (const char *end = s + n; s < end; s++) {
        if (*s == '#')
            while (s < end && *s != '\n') s++;
        if (s >= end) return;
        if (lh_is_letter(*s) || *s == '_') {
            while (s + 1 < end && (lh_is_letter(s[1]) || lh_is_digit(s[1]) || s[1] == '_')) s++;
        } else if (lh_is_digit(*s) || (*s == '.' && s + 1 < end && lh_is_digit(s[1]))) {
            char *stop, buffer[64];
            size_t k = 0;
            while (s + k < end && k + 1 < sizeof buffer &&
                   (lh_is_digit(s[k]) || strchr(".eE+-", s[k])))
                buffer[k] = s[k], k++;
            buffer[k] = 0;
            add_number(g, lh_number_read(buffer, &stop));
            s += stop > buffer ? stop - buffer - 1 : 0;
        }
    }
}

static void add_program(given *g, const lh_lesson_program *p) {
    size_t n = p->file ? strlen(p->file) : 0;
    bool is_lesson = p->is_elsewhere && n > 3 && strcmp(p->file + n - 3, ".md") == 0;
    if (p->text && !is_lesson) add_numbers(g, p->text, p->length);
    for (lh_segment s = {0}; is_lesson && lh_segment_next(p->text, p->length, &s);)
        if (lh_segment_is(&s, "longhand")) add_numbers(g, s.s, s.n);
    for (int i = 0; i < p->n_set; i++) add_numbers(g, p->set[i].value, strlen(p->set[i].value));
    if (p->batch) add_number(g, p->batch);
}

/* loss@100 */
static void add_steps(given *g, const char *expr) {
    for (const char *s = strchr(expr, '@'); s; s = strchr(s + 1, '@'))
        if (lh_is_digit(s[1])) add_number(g, lh_number_read(s + 1, NULL));
}

static given given_of(const lh_lesson *l, lh_arena *a) {
    given g = {.a = a};
    for (int i = 0; i < l->n_programs; i++) add_program(&g, &l->program[i]);
    for (int i = 0; i < l->n_inserts; i++) add_steps(&g, l->insert[i].text);
    for (int i = 0; i < l->n_shows; i++) {
        add_number(&g, l->show[i].updates);
        for (int k = 0; k < l->show[i].n_operands; k++) add_steps(&g, l->show[i].operand[k].text);
    }
    for (int i = 0; i < l->n_exercises; i++)
        for (int k = 0; k < l->exercise[i].n_fields; k++) {
            const lh_field *f = &l->exercise[i].field[k];
            const char *typed = f->right ? f->right : f->value;
            bool is_text = strcmp(f->name, "title") == 0 || strcmp(f->name, "hint") == 0 ||
                           strcmp(f->name, "because") == 0;
            if (!is_text && (f->right || strcmp(f->name, "choice") != 0))
                add_numbers(&g, typed, strlen(typed));
        }
    return g;
}

/* ---- one word ---- */

static bool is_given(const given *g, double x) {
    for (int i = 0; i < g->n; i++)
        if (fabs(fabs(g->number[i]) - fabs(x)) <= 1e-12 * fabs(x)) return true;
    return false;
}

static bool is_allowed(const given *g, double x) {
    return (x == floor(x) && fabs(x) <= 12) || is_given(g, x);
}

/* 1,000.5% or 3rd: the number that a part of a word begins with. */
static bool part_is_allowed(const given *g, const char *s, size_t n, bool after_name) {
    char plain[64];
    size_t k = 0, i = 0;
    for (; i < n && k + 1 < sizeof plain && (lh_is_digit(s[i]) || s[i] == '.' || s[i] == ','); i++)
        if (s[i] != ',') plain[k++] = s[i];
    plain[k] = 0;
    if (k == 0) {
        for (; i < n; i++)
            if (lh_is_digit(s[i])) return lh_is_letter(s[0]); /* GPT2 */
        return true;
    }
    if (i + 1 < n && (s[i] == 'e' || s[i] == 'E') && (lh_is_digit(s[i + 1]) || s[i + 1] == '-'))
        return is_allowed(g, lh_number_read(s, NULL));
    double x = lh_number_read(plain, NULL);
    bool is_whole = !memchr(plain, '.', k), is_year = is_whole && k == 4 && x >= 1900 && x < 2100;
    bool is_percent = i < n && s[i] == '%';
    if (is_percent) return is_given(g, x) || is_given(g, x / 100) || x == 0 || x == 100;
    return is_allowed(g, x) || is_year || (after_name && is_whole);
}

/* 2x2, 2xn, 4x6x4: an x between sizes. 4-6-4: three whole numbers or more. */
static bool is_shape(const char *s, size_t n) {
    int times = 0, dashes = 0, others = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_inside = i > 0 && i + 1 < n;
        if (s[i] == 'x' && is_inside && (lh_is_digit(s[i - 1]) || lh_is_digit(s[i + 1])))
            times++;
        else if (s[i] == '-' && is_inside && lh_is_digit(s[i - 1]) && lh_is_digit(s[i + 1]))
            dashes++;
        else if (!lh_is_digit(s[i]))
            others++;
    }
    return (times > 0 && dashes == 0 && others <= times) || (dashes > 1 && !times && !others);
}

static bool word_is_allowed(const given *g, const char *s, size_t n, bool after_name) {
    if (n == 0 || lh_is_letter(s[0]) || is_shape(s, n)) return true;
    for (size_t from = 0, i = 0; i <= n; i++) {
        bool is_exponent = i > 0 && i + 1 < n && s[i] == '-' && (s[i - 1] | 32) == 'e' && i > 1 &&
                           lh_is_digit(s[i - 2]) && lh_is_digit(s[i + 1]);
        if (i < n && (is_exponent || !strchr("-/:+^", s[i]))) continue;
        if (i > from && !part_is_allowed(g, s + from, i - from, after_name)) return false;
        from = i + 1;
    }
    return true;
}

/* ---- prose ---- */

static bool ends_paragraph(const char *s, const char *end) {
    return s + 1 < end && s[0] == '\n' && s[1] == '\n';
}

static const struct {
    const char *open, *close;
} quiet[] = {{"{{", "}}"}, {"$$", "$$"}, {"$", "$"}, {"<!--", "-->"}, {"](", ")"}, {"<http", ">"}};
enum { N_QUIET = sizeof quiet / sizeof *quiet };

/* Before these places no end follows: what has none is looked for once. */
typedef struct endless {
    const char *quiet[N_QUIET];
    const char *ticks[8]; /* of code that begins with so many backticks */
} endless;

/* Behind the code that n backticks at s begin; NULL: nothing ends it. */
static const char *skip_code(const char *s, const char *end, size_t n, const char **none) {
    const char *t = s + n;
    if (s < *none) return NULL;
    for (size_t k = 0; t < end && !ends_paragraph(t, end); t++) {
        k = *t == '`' ? k + 1 : 0;
        if (k == n && (t + 1 == end || t[1] != '`')) return t + 1;
    }
    *none = t;
    return NULL;
}

/* Where what begins here is over, if it is nothing to read numbers in; else s. */
static const char *skip(const char *s, const char *end, endless *no) {
    if (*s == '\\' && s + 1 < end) return s + 2;
    if (*s == '`') {
        size_t n = 0;
        while (s + n < end && s[n] == '`') n++;
        const char *past = n < 8 ? skip_code(s, end, n, &no->ticks[n]) : NULL;
        return past ? past : s + n;
    }
    for (size_t i = 0; i < N_QUIET; i++) {
        size_t n = strlen(quiet[i].open), m = strlen(quiet[i].close);
        if ((size_t)(end - s) < n || strncmp(s, quiet[i].open, n) != 0 || s < no->quiet[i])
            continue;
        const char *t = s + n;
        for (; t + m <= end && !ends_paragraph(t, end); t++)
            if (strncmp(t, quiet[i].close, m) == 0) return t + m;
        no->quiet[i] = t;
    }
    return s;
}

/* A letter, a digit, or what stands between them in one word; how many bytes. */
static size_t word_sign(const char *s, const char *end, char *as) {
    static const struct {
        const char *text;
        char as;
    } same[] = {{"\u2212", '-'}, {"\u00d7", 'x'}};
    unsigned char c = (unsigned char)*s;
    *as = *s;
    if (lh_is_letter(*s) || lh_is_digit(*s) || (c && strchr(".,-%/:+^_'", c))) return 1;
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(same[i].text);
        *as = same[i].as;
        if ((size_t)(end - s) >= n && strncmp(s, same[i].text, n) == 0) return n;
    }
    *as = 'a';
    return c >= 0x80 && c != 0xE2
               ? 1
               : 0; /* letters of other alphabets; E2 begins dashes, quotes and signs */
}

/* Example 13, Table 14: a number that is a name. */
static bool is_name_before(const char *word) {
    static const char *const names[] = {"example", "chapter", "section",  "part",     "table",
                                        "figure",  "lesson",  "appendix", "exercise", "step",
                                        "line",    "version", "equation", "volume",   "page"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t k = 0;
        while (names[i][k] && (word[k] | 32) == names[i][k]) k++;
        if (!names[i][k] && (!word[k] || (word[k] == 's' && !word[k + 1]))) return true;
    }
    return false;
}

typedef struct finder {
    lh_arena *a;
    const given *g;
    lh_mention *found;
    int n;
    char before[32]; /* the word before */
} finder;

static const char *read_word(finder *f, const char *s, const char *end, lh_place at) {
    char word[128], sign;
    const char *start = s;
    size_t n = 0, k;
    while (s < end && n + 1 < sizeof word && (k = word_sign(s, end, &sign)) > 0) {
        word[n++] = sign;
        s += k;
    }
    word[n] = 0;
    size_t from = 0, length = n;
    while (length && strchr(".,:-'/+^_", word[length - 1])) length--;
    while (from < length && strchr(",:-'/+^_", word[from])) from++;
    word[length] = 0;
    if (length > from &&
        !word_is_allowed(f->g, word + from, length - from, is_name_before(f->before)))
        *lh_push(f->a, f->found, f->n) =
            (lh_mention){lh_copy(f->a, word + from, length - from),
                         {at.line, at.col + (int)from, (int)(length - from)}};
    length = length - from < sizeof f->before ? length - from : sizeof f->before - 1;
    memcpy(f->before, word + from, length);
    f->before[length] = 0;
    return s > start ? s : s + 1;
}

/* `12. ` and `3) ` at the start of a line or heading number a list. */
static const char *skip_numbering(const char *s, const char *end) {
    const char *t = s;
    while (t < end && strchr(" #>*-", *t)) t++;
    const char *digits = t;
    while (t < end && lh_is_digit(*t)) t++;
    bool is_one = t > digits && end - t > 1 && (*t == '.' || *t == ')') && t[1] == ' ';
    return is_one ? t + 1 : s;
}

static const char *next_sign(const char *s, const char *end) {
    for (s++; s < end && !lh_utf8_starts(*s);) s++;
    return s;
}

static void find_in(finder *f, const lh_prose *p) {
    const char *s = p->s, *end = p->s + p->n, *line_start = s - (p->at.col - 1);
    int line = p->at.line;
    endless no;
    for (int i = 0; i < N_QUIET; i++) no.quiet[i] = s;
    for (int i = 0; i < 8; i++) no.ticks[i] = s;
    f->before[0] = 0;
    s = skip_numbering(s, end);
    while (s < end) {
        if (*s == '\n') {
            line++;
            line_start = s + 1;
            s = skip_numbering(s + 1, end);
            continue;
        }
        const char *past = skip(s, end, &no);
        for (const char *t = s; t < past; t++)
            if (*t == '\n') line++, line_start = t + 1;
        char sign;
        if (past > s)
            s = past, f->before[0] = 0;
        else if (word_sign(s, end, &sign) > 0)
            s = read_word(f, s, end, (lh_place){line, (int)(s - line_start) + 1, 0});
        else
            s = next_sign(s, end);
    }
}

lh_mention *lh_digits_find(const lh_lesson *l, lh_arena *a, int *n) {
    given g = given_of(l, a);
    finder f = {.a = a, .g = &g};
    for (int i = 0; i < l->n_proses; i++) find_in(&f, &l->prose[i]);
    *n = f.n;
    return f.found;
}
