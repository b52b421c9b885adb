/* errata -- the two lists read: lines `word: text`, an entry from its first word to the next one's. */
#include "learn/errata.h"

#include <stdlib.h>
#include <string.h>

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
static bool read_places(reader *r, lh_erratum_place **list, int *n) {
    lh_text_row rest = {r->value, strlen(r->value), r->row.number}, word;
    while (lh_row_word(&rest, &word)) {
        const char *colon = memchr(word.s, ':', word.n);
        size_t k = colon ? (size_t)(colon - word.s) : word.n;
        if (!colon || k == 0 || k + 1 == word.n)
            return fail(r, "\"%.60s\" is no place: DOCUMENT:LINES",
                        lh_copy(r->e->arena, word.s, word.n));
        *lh_push(r->e->arena, *list, *n) = (lh_erratum_place){
            lh_copy(r->e->arena, word.s, k), lh_copy(r->e->arena, colon + 1, word.n - k - 1)};
    }
    return true;
}

static bool add_cell(reader *r, lh_erratum *x, int *n, lh_text_row word) {
    lh_erratum_cell c = {.text = lh_copy(r->e->arena, word.s, word.n),
                         .written = lh_written_read(word.s, word.n)};
    if (c.written.kind != LH_WRITTEN_NUMBER) return fail(r, "\"%.60s\" is no number", c.text);
    *lh_push(r->e->arena, x->cell, *n) = c;
    return true;
}

/* 0.1 0; 0 0.1, and `not 1` */
static bool read_printed(reader *r, lh_erratum *x) {
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

/* ---- quantities ---- */

static bool quantity_field(reader *r, const char *word) {
    lh_errata *e = r->e;
    if (strcmp(word, "quantity") == 0) {
        *lh_push(e->arena, e->erratum, e->n) =
            (lh_erratum){.name = r->value, .line = r->row.number};
        return true;
    }
    if (e->n == 0) return fail(r, "\"%.60s\" belongs to no quantity", word);
    lh_erratum *x = &e->erratum[e->n - 1];
    const struct {
        const char *word, **to;
    } text[] = {{"what", &x->what},     {"exact", &x->expr},    {"given", &x->given_expr},
                {"judged", &x->judged}, {"beyond", &x->beyond}, {"cause", &x->cause}};
    if (strcmp(word, "at") == 0) return read_places(r, &x->place, &x->n_places);
    if (strcmp(word, "printed") == 0) return read_printed(r, x);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        if (strcmp(word, text[i].word) != 0) continue;
        if (*text[i].to) return fail(r, "a second \"%.60s\"", word);
        *text[i].to = r->value;
        return true;
    }
    return fail(r, "there is no field \"%.60s\"", word);
}

static void check_quantities(reader *r) {
    for (int i = 0; i < r->e->n && !lh_failed(r->ctx); i++) {
        const lh_erratum *x = &r->e->erratum[i];
        r->row = (lh_text_row){"", 0, x->line};
        if (!x->n_places || !x->what || !x->cell)
            fail(r, "%.60s: at, what or printed is missing", x->name);
        if (x->judged && (strcmp(x->judged, "wrong") != 0 || !x->cause))
            fail(r, "%.60s can only be judged wrong, and for a cause", x->name);
        for (int k = 0; k < i; k++)
            if (strcmp(r->e->erratum[k].name, x->name) == 0) fail(r, "%.60s stands twice", x->name);
    }
}

/* ---- claims ---- */

enum { N_KINDS = 4 };
static const char *const kind_words[N_KINDS] = {"false", "misleading", "contradiction", "unknown"};

static bool read_kinds(reader *r, lh_false_claim *c) {
    lh_text_row rest = {r->value, strlen(r->value), r->row.number}, word;
    while (lh_row_word(&rest, &word)) {
        int k = 0;
        while (k < N_KINDS &&
               (strlen(kind_words[k]) != word.n || strncmp(kind_words[k], word.s, word.n) != 0))
            k++;
        if (k == N_KINDS)
            return fail(r, "\"%.60s\" is no kind of claim", lh_copy(r->e->arena, word.s, word.n));
        c->kinds |= 1 << k;
    }
    return true;
}

static bool claim_field(reader *r, const char *word) {
    lh_errata *e = r->e;
    if (strcmp(word, "claim") == 0) {
        int number = atoi(r->value);
        if (number <= 0) return fail(r, "\"%.60s\" is no number of a claim", r->value);
        *lh_push(e->arena, e->claim, e->n_claims) =
            (lh_false_claim){.number = number, .line = r->row.number};
        return true;
    }
    if (e->n_claims == 0) return fail(r, "\"%.60s\" belongs to no claim", word);
    lh_false_claim *c = &e->claim[e->n_claims - 1];
    if (strcmp(word, "at") == 0) return read_places(r, &c->place, &c->n_places);
    if (strcmp(word, "kind") == 0) return read_kinds(r, c);
    if (strcmp(word, "said") == 0) return c->said = r->value, true;
    if (strcmp(word, "true") == 0) return c->truth = r->value, true;
    if (strcmp(word, "shows") == 0) {
        *lh_push(e->arena, c->shows, c->n_shows) = r->value;
        return true;
    }
    return fail(r, "there is no field \"%.60s\"", word);
}

static void check_claims(reader *r) {
    for (int i = 0; i < r->e->n_claims && !lh_failed(r->ctx); i++) {
        const lh_false_claim *c = &r->e->claim[i];
        r->row = (lh_text_row){"", 0, c->line};
        if (!c->n_places || !c->said || !c->truth || !c->kinds)
            fail(r, "at, kind, said or true is missing%s", "");
        if (i && c->number <= c[-1].number)
            fail(r, "claims are in the order of their numbers%s", "");
    }
}

/* ---- the whole ---- */

static void read_list(lh_errata *e, const char *file, const char *text,
                      bool (*field)(reader *, const char *), void (*check)(reader *)) {
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
        if (!value.n) fail(&r, "nothing stands behind \"%.60s:\"", lh_copy(e->arena, row.s, k));
        if (!lh_failed(e->ctx)) field(&r, lh_copy(e->arena, row.s, k));
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
    for (int i = 0; i < x->n_places; i++) {
        size_t n = strlen(x->place[i].document);
        if (strncmp(name, x->place[i].document, n) == 0 && name[n] == '-' &&
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
            n += e->erratum[i].n_places;
    return n;
}

int lh_errata_cells(const lh_errata *e) {
    int n = 0;
    for (int i = 0; i < e->n; i++)
        n += e->erratum[i].n_places * e->erratum[i].rows * e->erratum[i].cols;
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
