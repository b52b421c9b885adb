/* errata -- the two lists read, each entry worked out by the engine, and what to type to see that.
 *
 * A list has lines `word: text`, an entry from its first word to the next one's. The verdict on a printed number p with the last digit
 * worth u, and the exact x:
 *
 *     exact    p = x, but for the last bits of a double
 *     rounds   |p - x| <= u / 2
 *     loose    |p - x| <= 2 u; or p is within one hundredth of x and within u of what the numbers printed before it come to
 *     wrong    all else, and every cell where the printed matrix has other rows or columns
 *
 * A whole number among others (0.0 beside 0.00493) is written short: it counts as precise as the least precise of those.
 * A large one with zeros at its end (150000000) is as precise as its last other digit.
 */
#include "learn/errata.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/embedded.h"
#include "learn/fence.h"
#include "learn/live_internal.h"

const char *const lh_erratum_words[LH_N_ERRATUM_VERDICTS] = {"exact", "rounds", "loose",
                                                             "wrong", "beyond", "open"};

typedef struct reader {
    lh_errata *e;
    lh_context *ctx;
    const char *file;
    lh_text_row row;   /* the line */
    const char *value; /* behind the colon */
} reader;

static bool fail(reader *r, const char *what, const char *about) {
    lh_fail(r->ctx, LH_ERROR_TEXT, (lh_place){r->row.number, 1, (int)r->row.n}, what, about);
    return false;
}

/* ---- parts of a line ---- */

/* book:999,1001 sheet2:52 */
static bool read_places(reader *r, void *to) {
    lh_erratum_places *list = to;
    lh_text_row rest = {r->value, strlen(r->value), r->row.number}, word;
    while (lh_row_word(&rest, &word)) {
        const char *colon = memchr(word.s, ':', word.n);
        size_t k = colon ? (size_t)(colon - word.s) : word.n;
        if (!colon || k == 0 || k + 1 == word.n)
            return fail(r, "\"%.60s\" is not a place: DOCUMENT:LINES",
                        lh_copy(r->e->arena, word.s, word.n));
        *lh_push(r->e->arena, list->place, list->n) = (lh_erratum_place){
            lh_copy(r->e->arena, word.s, k), lh_copy(r->e->arena, colon + 1, word.n - k - 1)};
    }
    return true;
}

static bool add_cell(reader *r, lh_erratum *x, int *n, lh_text_row word) {
    lh_erratum_cell c = {.text = lh_copy(r->e->arena, word.s, word.n),
                         .written = lh_written_read(word.s, word.n)};
    if (c.written.kind != LH_WRITTEN_NUMBER) return fail(r, "\"%.60s\" is not a number", c.text);
    *lh_push(r->e->arena, x->cell, *n) = c;
    return true;
}

/* 0.1 0; 0 0.1, and `not 1` */
static bool read_printed(reader *r, void *to) {
    lh_erratum *x = to;
    lh_text_row rest = {r->value, strlen(r->value), r->row.number}, word;
    int n = 0;
    x->printed = r->value;
    x->is_denied = strncmp(r->value, "not ", 4) == 0;
    if (x->is_denied) rest.s += 4, rest.n -= 4;
    for (x->rows = 1; lh_row_word(&rest, &word);) {
        bool ends = word.s[word.n - 1] == ';';
        word.n -= ends;
        if (!add_cell(r, x, &n, word)) return false;
        if (ends) x->rows++;
    }
    x->cols = n / x->rows;
    if (n == 0 || x->cols * x->rows != n)
        return fail(r, "rows of \"%.60s\" differ in length", x->name);
    return true;
}

enum { N_KINDS = 4 };
static const char *const kind_words[N_KINDS] = {"false", "misleading", "contradiction", "unknown"};

static bool read_kinds(reader *r, void *to) {
    int *kinds = to;
    lh_text_row rest = {r->value, strlen(r->value), r->row.number}, word;
    while (lh_row_word(&rest, &word)) {
        int k = 0;
        while (k < N_KINDS &&
               (strlen(kind_words[k]) != word.n || strncmp(kind_words[k], word.s, word.n) != 0))
            k++;
        if (k == N_KINDS)
            return fail(r, "\"%.60s\" is not a kind of claim",
                        lh_copy(r->e->arena, word.s, word.n));
        *kinds |= 1 << k;
    }
    return true;
}

static bool read_shows(reader *r, void *to) {
    lh_false_claim *c = to;
    *lh_push(r->e->arena, c->shows, c->n_shows) = r->value;
    return true;
}

static bool read_text(reader *r, void *to) {
    *(const char **)to = r->value;
    return true;
}

/* ---- which words an entry has, and where each goes ---- */

typedef struct field {
    const char *word;
    bool (*read)(reader *r, void *to);
    size_t at;    /* in the entry */
    bool is_once; /* a second one is an error */
} field;

#define TEXT(word, of, member)                                                                     \
    { word, read_text, offsetof(of, member), true }

static const field quantity_fields[] = {
    {"at", read_places, offsetof(lh_erratum, at), false},
    {"printed", read_printed, 0, false},
    TEXT("what", lh_erratum, what),
    TEXT("exact", lh_erratum, expr),
    TEXT("given", lh_erratum, given_expr),
    TEXT("judged", lh_erratum, judged),
    TEXT("beyond", lh_erratum, beyond),
    TEXT("cause", lh_erratum, cause),
    {NULL, NULL, 0, false},
};

static const field claim_fields[] = {
    {"at", read_places, offsetof(lh_false_claim, at), false},
    {"kind", read_kinds, offsetof(lh_false_claim, kinds), false},
    {"said", read_text, offsetof(lh_false_claim, said), false},
    {"true", read_text, offsetof(lh_false_claim, truth), false},
    {"shows", read_shows, 0, false},
    {NULL, NULL, 0, false},
};

static bool read_field(reader *r, const field *f, const char *word, void *entry) {
    while (f->word && strcmp(word, f->word) != 0) f++;
    if (!f->word) return fail(r, "there is no field \"%.60s\"", word);
    void *to = (char *)entry + f->at;
    if (f->is_once && *(const char **)to) return fail(r, "a second \"%.60s\"", word);
    return f->read(r, to);
}

static bool quantity_field(reader *r, const char *word) {
    lh_errata *e = r->e;
    bool begins = strcmp(word, "quantity") == 0;
    if (begins)
        *lh_push(e->arena, e->erratum, e->n) =
            (lh_erratum){.name = r->value, .line = r->row.number};
    if (e->n == 0) return fail(r, "\"%.60s\" belongs to no quantity", word);
    return begins || read_field(r, quantity_fields, word, &e->erratum[e->n - 1]);
}

static bool claim_field(reader *r, const char *word) {
    lh_errata *e = r->e;
    bool begins = strcmp(word, "claim") == 0;
    int number = begins ? atoi(r->value) : 1;
    if (number <= 0) return fail(r, "\"%.60s\" is not the number of a claim", r->value);
    if (begins)
        *lh_push(e->arena, e->claim, e->n_claims) =
            (lh_false_claim){.number = number, .line = r->row.number};
    if (e->n_claims == 0) return fail(r, "\"%.60s\" belongs to no claim", word);
    return begins || read_field(r, claim_fields, word, &e->claim[e->n_claims - 1]);
}

/* ---- is everything there? ---- */

static void check_quantities(reader *r) {
    for (int i = 0; i < r->e->n && !lh_failed(r->ctx); i++) {
        const lh_erratum *x = &r->e->erratum[i];
        r->row = (lh_text_row){"", 0, x->line};
        if (!x->at.n || !x->what || !x->cell)
            fail(r, "%.60s: at, what or printed is missing", x->name);
        if (x->judged && (strcmp(x->judged, "wrong") != 0 || !x->cause))
            fail(r, "%.60s can only be judged wrong, and for a cause", x->name);
        for (int k = 0; k < i; k++)
            if (strcmp(r->e->erratum[k].name, x->name) == 0)
                fail(r, "%.60s is there twice", x->name);
    }
}

static void check_claims(reader *r) {
    for (int i = 0; i < r->e->n_claims && !lh_failed(r->ctx); i++) {
        const lh_false_claim *c = &r->e->claim[i];
        r->row = (lh_text_row){"", 0, c->line};
        if (!c->at.n || !c->said || !c->truth || !c->kinds)
            fail(r, "at, kind, said or true is missing%s", "");
        if (i && c->number <= c[-1].number)
            fail(r, "claims are in the order of their numbers%s", "");
    }
}

/* ---- the whole ---- */

static void read_list(lh_errata *e, const char *file, const char *text,
                      bool (*take)(reader *, const char *), void (*check)(reader *)) {
    reader r = {.e = e, .ctx = e->ctx, .file = file};
    size_t length = strlen(text);
    while (!lh_failed(e->ctx) && lh_text_row_next(text, length, 1, &r.row)) {
        lh_text_row row = lh_row_trim(r.row);
        if (row.n == 0 || row.s[0] == '#') continue;
        const char *colon = memchr(row.s, ':', row.n);
        if (!colon) {
            fail(&r, "a line is a word, a colon and a text%s", "");
            break;
        }
        size_t k = (size_t)(colon - row.s);
        lh_text_row value = lh_row_trim((lh_text_row){colon + 1, row.n - k - 1, row.number});
        r.value = lh_copy(e->arena, value.s, value.n);
        if (!value.n) fail(&r, "nothing follows \"%.60s:\"", lh_copy(e->arena, row.s, k));
        if (!lh_failed(e->ctx)) take(&r, lh_copy(e->arena, row.s, k));
    }
    if (!lh_failed(e->ctx)) check(&r);
    lh_fail_in(e->ctx, file, text, length);
}

/* Training goes through once for all that will be asked. */
static void announce(lh_errata *e) {
    for (int i = 0; i < e->n; i++)
        if (e->erratum[i].expr) lh_live_announce_all(e->live, e->erratum[i].expr, (lh_where){0});
    for (int i = 0; i < e->n_claims; i++)
        for (int k = 0; k < e->claim[i].n_shows; k++)
            lh_live_announce_all(e->live, e->claim[i].shows[k], (lh_where){0});
}

lh_errata *lh_errata_read(lh_context *ctx, const char *quantities, const char *claims,
                          const char *programs) {
    lh_arena *a = lh_arena_new(ctx);
    if (!a) return NULL;
    lh_errata *e = lh_alloc(a, sizeof *e);
    *e = (lh_errata){.ctx = ctx, .arena = a};
    read_list(e, "errata.txt", quantities, quantity_field, check_quantities);
    read_list(e, "claims.txt", claims, claim_field, check_claims);
    if (!lh_failed(ctx))
        e->lesson = lh_lesson_open(ctx, "errata.md", programs, strlen(programs), NULL);
    if (e->lesson) e->live = lh_live_new(e->lesson);
    if (e->live) announce(e);
    if (!lh_failed(ctx)) return e;
    lh_errata_free(e);
    return NULL;
}

lh_errata *lh_errata_open(lh_context *ctx) {
    const char *const name[] = {"errata.txt", "claims.txt", "errata.md"};
    const char *text[3];
    for (int i = 0; i < 3; i++) {
        const lh_embedded *f = lh_embedded_find(name[i]);
        text[i] = f ? f->text : "";
    }
    return lh_errata_read(ctx, text[0], text[1], text[2]);
}

void lh_errata_free(lh_errata *e) {
    if (!e) return;
    lh_live_free(e->live);
    lh_lesson_free(e->lesson);
    lh_arena_free(e->arena);
}

/* A name that begins with a document is that of one place. */
static bool is_called(const lh_erratum *x, const char *name) {
    if (strcmp(x->name, name) == 0) return true;
    for (int i = 0; i < x->at.n; i++) {
        size_t n = strlen(x->at.place[i].document);
        if (strncmp(name, x->at.place[i].document, n) == 0 && name[n] == '-' &&
            strcmp(name + n + 1, x->name) == 0)
            return true;
    }
    return false;
}

const lh_erratum *lh_errata_find(const lh_errata *e, const char *name) {
    for (int i = 0; i < e->n; i++)
        if (is_called(&e->erratum[i], name)) return &e->erratum[i];
    return NULL;
}

int lh_errata_count(const lh_errata *e, int verdict) {
    int n = 0;
    for (int i = 0; i < e->n; i++)
        if (verdict < 0 || (e->erratum[i].is_worked && (int)e->erratum[i].verdict == verdict))
            n += e->erratum[i].at.n;
    return n;
}

int lh_errata_cells(const lh_errata *e) {
    int n = 0;
    for (int i = 0; i < e->n; i++)
        n += e->erratum[i].at.n * e->erratum[i].rows * e->erratum[i].cols;
    return n;
}

int lh_errata_count_named(const lh_errata *e, const char *what) {
    if (strcmp(what, "quantities") == 0) return lh_errata_count(e, -1);
    if (strcmp(what, "cells") == 0) return lh_errata_cells(e);
    if (strcmp(what, "claims") == 0) return e->n_claims;
    for (int i = 0; i < LH_N_ERRATUM_VERDICTS; i++)
        if (strcmp(what, lh_erratum_words[i]) == 0) return lh_errata_count(e, i);
    for (int k = 0; k < N_KINDS; k++) {
        int n = 0;
        for (int i = 0; i < e->n_claims; i++) n += e->claim[i].kinds >> k & 1;
        if (strcmp(what, kind_words[k]) == 0) return n;
    }
    int checked = 0;
    for (int i = 0; i < e->n_claims; i++) checked += e->claim[i].n_shows > 0;
    return strcmp(what, "checked") == 0 ? checked : -1;
}

/* ---- worked out ---- */

static bool is_near(double a, double b, double most) {
    return fabs(a - b) <= most * (1 + 1e-9);
}

lh_erratum_verdict lh_erratum_judge(lh_written printed, double unit, double exact,
                                    const double *given) {
    double p = printed.value, larger = fmax(fabs(p), fabs(exact));
    if (is_near(p, exact, 1e-14 * larger)) return LH_ERRATUM_EXACT;
    if (is_near(p, exact, unit / 2 + 1e-14 * larger)) return LH_ERRATUM_ROUNDS;
    if (is_near(p, exact, 2 * unit)) return LH_ERRATUM_LOOSE;
    if (given && is_near(p, *given, unit) && is_near(p, exact, fabs(exact) / 100))
        return LH_ERRATUM_LOOSE;
    return LH_ERRATUM_WRONG;
}

static bool is_whole(const lh_erratum_cell *c) {
    return c->written.value == floor(c->written.value);
}

static double unit_of(const lh_erratum *x, const lh_erratum_cell *c) {
    int least = -1;
    if (!is_whole(c)) return c->written.unit;
    if (fabs(c->written.value) >= 1000 && !strchr(c->text, '.')) {
        double unit = 1;
        while (fmod(c->written.value, unit * 10) == 0) unit *= 10;
        return unit;
    }
    for (int i = 0; i < x->rows * x->cols; i++)
        if (!is_whole(&x->cell[i]) && (least < 0 || x->cell[i].written.decimals < least))
            least = x->cell[i].written.decimals;
    if (least < c->written.decimals) least = c->written.decimals;
    return pow(10, -least);
}

static lh_erratum_verdict worst(lh_erratum_verdict a, lh_erratum_verdict b) {
    return a > b ? a : b;
}

static void compare(lh_erratum *x) {
    bool has_given = x->given.cell && x->given.rows == x->rows && x->given.cols == x->cols;
    x->fits = x->exact.rows == x->rows && x->exact.cols == x->cols;
    for (int i = 0; i < x->rows * x->cols; i++) {
        lh_erratum_cell *c = &x->cell[i];
        const double *given = has_given ? &x->given.cell[i] : NULL;
        c->verdict = x->fits ? lh_erratum_judge(c->written, unit_of(x, c), x->exact.cell[i], given)
                             : LH_ERRATUM_WRONG;
        if (x->is_denied)
            c->verdict = c->verdict == LH_ERRATUM_EXACT ? LH_ERRATUM_WRONG : LH_ERRATUM_EXACT;
        x->verdict = worst(x->verdict, c->verdict);
    }
    if (x->judged) x->verdict = LH_ERRATUM_WRONG;
}

/* An error in an expression is in the list, whatever line of a program it was found at. */
static void fail_here(lh_errata *e, const char *file, int line) {
    lh_error *f = &e->ctx->error;
    if (!lh_failed(e->ctx) || f->kind == LH_ERROR_MEMORY) return;
    snprintf(f->file, sizeof f->file, "%s", file);
    f->source[0] = 0;
    f->at = (lh_place){line, 1, 0};
}

static bool value_of(lh_errata *e, const char *expr, const char *file, int line, lh_value *out) {
    if (lh_live_value(e->live, expr, (lh_where){0}, out)) return true;
    fail_here(e, file, line);
    return false;
}

bool lh_erratum_work(lh_errata *e, lh_erratum *x) {
    if (lh_failed(e->ctx)) return false;
    if (x->is_worked) return true;
    x->verdict = LH_ERRATUM_EXACT;
    if (!x->expr) {
        x->verdict = x->beyond ? LH_ERRATUM_BEYOND : LH_ERRATUM_OPEN;
        for (int i = 0; i < x->rows * x->cols; i++) x->cell[i].verdict = x->verdict;
    } else {
        if (!value_of(e, x->expr, "errata.txt", x->line, &x->exact)) return false;
        if (x->given_expr && !value_of(e, x->given_expr, "errata.txt", x->line, &x->given))
            return false;
        compare(x);
    }
    x->is_worked = true;
    return true;
}

bool lh_errata_work_all(lh_errata *e) {
    for (int i = 0; i < e->n; i++)
        if (!lh_erratum_work(e, &e->erratum[i])) return false;
    return true;
}

/* ---- what claims show ---- */

bool lh_false_claim_work(lh_errata *e, const lh_false_claim *c) {
    for (int i = 0; i < c->n_shows; i++) {
        lh_claim held;
        bool works = lh_live_claim(e->live, c->shows[i], (lh_where){0}, 4, &held);
        if (works && !held.holds)
            lh_fail(e->ctx, LH_ERROR_VALUE, (lh_place){c->line, 1, 0},
                    "what claim %d shows does not hold: %s, that is %s", c->number, c->shows[i],
                    held.shown);
        fail_here(e, "claims.txt", c->line);
        if (lh_failed(e->ctx)) return false;
    }
    return true;
}

/* The }} of an insert; one that ends in {example 1} has a brace of its own before it. */
static const char *insert_end(const char *open) {
    const char *close = strstr(open, "}}");
    while (close && close[2] == '}') close++;
    return close;
}

/* {{ex2:L | 6}}: that number, with six digits; with four where none are said. */
const char *lh_errata_text(lh_errata *e, const char *text, int line) {
    lh_text out = lh_text_new(e->arena);
    for (const char *open, *close; (open = strstr(text, "{{")) && (close = insert_end(open));
         text = close + 2) {
        const char *bar = memchr(open, '|', (size_t)(close - open)), *end = bar ? bar : close;
        int digits = bar ? atoi(bar + 1) : 4;
        lh_value x;
        if (!value_of(e, lh_copy(e->arena, open + 2, (size_t)(end - open) - 2), "claims.txt", line,
                      &x))
            return NULL;
        lh_text_add_n(&out, text, (size_t)(open - text));
        lh_text_add(&out, "%s", lh_value_text(e->arena, &x, digits < 1 ? 4 : digits));
    }
    lh_text_add(&out, "%s", text);
    return out.s;
}

/* ---- the command to type for one quantity: longhand explain ex2 'logits@1[0]' ---- */

/* The first PROGRAM:ADDRESS of an expression. */
typedef struct spot {
    int program;       /* -1: there is none */
    const char *begin; /* of the program's name */
    const char *address, *end;
} spot;

static const char *address_end(const char *s) {
    for (;; s++) {
        if (*s == '{') s = strchr(s, '}') ? strchr(s, '}') : s + strlen(s) - 1;
        bool is_part = lh_is_letter(*s) || lh_is_digit(*s) || strchr("_.@}]", *s) != NULL ||
                       (*s == '[' && lh_is_digit(s[1]));
        if (!*s || !is_part) return s;
    }
}

static spot find_address(const lh_errata *e, const char *expr) {
    for (const char *s = expr; *s; s++) {
        if (!lh_is_letter(*s)) continue;
        const char *end = s;
        while (lh_is_letter(*end) || lh_is_digit(*end)) end++;
        if (*end == ':' && lh_is_letter(end[1]))
            return (spot){
                lh_lesson_program_named(e->lesson, lh_copy(e->arena, s, (size_t)(end - s)), 0), s,
                end + 1, address_end(end + 1)};
        s = end - 1;
    }
    return (spot){-1, NULL, NULL, NULL};
}

/* Which of its cells to look at: the first of the worst. */
static int worst_cell(const lh_erratum *x) {
    int worst = 0;
    for (int i = 1; x->fits && i < x->rows * x->cols; i++)
        if (x->cell[i].verdict > x->cell[worst].verdict) worst = i;
    return worst;
}

static const char *cell_text(lh_errata *e, const lh_erratum *x) {
    int i = worst_cell(x), cols = x->exact.cols;
    if (x->exact.rows * cols == 1) return "";
    if (x->exact.rows == 1) return lh_printf(e->arena, "[%d]", i);
    return lh_printf(e->arena, "[%d][%d]", i / cols, i % cols);
}

/* The lesson or model a program is made from, and the options on the way there. NULL: it is a block of errata.md. */
static const char *base_of(lh_errata *e, int program, lh_text *options) {
    const lh_lesson_program *p = &e->lesson->program[program];
    for (;; p = &e->lesson->program[p->of]) {
        for (int i = 0; i < p->n_freeze; i++)
            lh_text_add(options, "%s%s", i ? "," : " --freeze ", p->freeze[i]);
        for (int i = 0; i < p->n_set; i++)
            lh_text_add(options, " --set %s=%s", p->set[i].name, p->set[i].value);
        if (p->of < 0) return p->of_name.text;
    }
}

static int step_of(const spot *s) {
    const char *at = memchr(s->address, '@', (size_t)(s->end - s->address));
    return at ? atoi(at + 1) : 0;
}

const char *lh_erratum_command(lh_errata *e, const lh_erratum *x) {
    if (!x->expr || !x->is_worked) return NULL;
    spot s = find_address(e, x->expr);
    if (!s.begin)
        return lh_printf(e->arena, "longhand calc %s'%s'", x->expr[0] == '-' ? "-- " : "", x->expr);
    if (s.program < 0) return NULL;
    lh_text options = lh_text_new(e->arena);
    const char *base = base_of(e, s.program, &options);
    if (!base) return NULL;
    if (options.n)
        return lh_printf(e->arena, "longhand run %s%s --steps %d", base, options.s, step_of(&s));
    bool is_whole = s.begin == x->expr && !*s.end;
    return lh_printf(e->arena, "longhand explain %s '%.*s%s'", base, (int)(s.end - s.address),
                     s.address, is_whole ? cell_text(e, x) : "");
}
