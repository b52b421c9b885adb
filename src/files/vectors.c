#include "base/number.h"
#include "files/vectors.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces of a line ---- */

typedef struct token {
    const char *s;
    size_t n;
} token;

typedef struct reader {
    lh_context *ctx;
    lh_arena *arena;
    const char *text, *at, *end; /* at: the rest of the text */
    int line;
    lh_vectors *v;
    const char **word;
    int *lines;
    double *cell;
    int n_rows; /* room */
} reader;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of a line; false at its end. */
static bool next_token(const char **s, const char *end, token *t) {
    while (*s < end && is_space(**s)) ++*s;
    t->s = *s;
    while (*s < end && !is_space(**s)) ++*s;
    t->n = (size_t)(*s - t->s);
    return t->n > 0;
}

/* The next line that is not empty. */
static bool next_line(reader *r, const char **line, const char **line_end) {
    while (r->at < r->end) {
        const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
        *line = r->at;
        *line_end = newline ? newline : r->end;
        r->at = newline ? newline + 1 : r->end;
        r->line++;
        const char *s = *line;
        token t;
        if (next_token(&s, *line_end, &t)) return true;
    }
    return false;
}

static void fail(reader *r, const token *t, const char *what) {
    lh_place at = {r->line, 1, 0};
    if (t) {
        const char *start = t->s;
        while (start > r->text && start[-1] != '\n') start--;
        at = (lh_place){r->line, (int)(t->s - start) + 1, (int)(t->n < 1000 ? t->n : 1000)};
    }
    lh_fail(r->ctx, LH_ERROR_FILE, at, "%s", what);
}

/* ---- numbers ---- */

/* Up to fifteen digits and a power of ten that a double holds exactly: one division, rounded once, is the nearest double. */
static bool read_plain(const token *t, double *out) {
    static const double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    size_t i = t->s[0] == '-' || t->s[0] == '+';
    uint64_t n = 0;
    int digits = 0, behind = -1;
    for (; i < t->n && digits <= 15; i++) {
        char c = t->s[i];
        if (c == '.' && behind < 0) {
            behind = 0;
        } else if (c >= '0' && c <= '9') {
            n = n * 10 + (uint64_t)(c - '0');
            digits++;
            if (behind >= 0) behind++;
        } else {
            return false;
        }
    }
    if (i < t->n || digits == 0 || digits > 15) return false;
    *out = (double)n / power[behind > 0 ? behind : 0];
    if (t->s[0] == '-') *out = -*out;
    return true;
}

/* strtod knows more than a file of vectors should hold: 0x1p3, nan, inf. */
static bool is_decimal(const token *t) {
    for (size_t i = 0; i < t->n; i++)
        if (!t->s[i] || !strchr("0123456789+-.eE", t->s[i])) return false;
    return true;
}

static bool read_number(const token *t, double *out) {
    char copy[64], *end;
    if (read_plain(t, out)) return true;
    if (t->n >= sizeof copy || !is_decimal(t)) return false;
    memcpy(copy, t->s, t->n);
    copy[t->n] = 0;
    *out = lh_number_read(copy, &end);
    return end == copy + t->n && end > copy &&
           fabs(*out) < 1e100; /* squares of more may overflow */
}

/* ---- rows ---- */

static int count_numbers(const char *s, const char *end) {
    token t;
    int n = -1; /* the word */
    while (n <= LH_MAX_VECTOR_WIDTH && next_token(&s, end, &t)) n++;
    return n;
}

static bool is_whole(const token *t, long *out) {
    *out = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (t->s[i] < '0' || t->s[i] > '9' || i > 8) return false;
        *out = *out * 10 + (t->s[i] - '0');
    }
    return t->n > 0;
}

/* 10000 300 above lines of 300 numbers: the head of word2vec's text format. */
static bool is_head(const reader *r, const char *s, const char *end) {
    token words, width;
    long n, w;
    if (!next_token(&s, end, &words) || !next_token(&s, end, &width)) return false;
    if (!is_whole(&words, &n) || !is_whole(&width, &w) || next_token(&s, end, &words)) return false;
    reader next = *r;
    const char *line, *line_end;
    return next_line(&next, &line, &line_end) && count_numbers(line, line_end) == w && w > 0;
}

/* A number takes two bytes at least, with the space before it: more rows than that cannot follow. */
static bool make_room(reader *r, const char *line, const char *line_end) {
    r->v->width = count_numbers(line, line_end);
    if (r->v->width < 1) fail(r, NULL, "a word without numbers: a line is a word and its numbers");
    if (r->v->width > LH_MAX_VECTOR_WIDTH) fail(r, NULL, "more than 100000 numbers");
    if (lh_failed(r->ctx) || r->v->width < 1) return false;
    size_t lines = 1, width = (size_t)r->v->width;
    for (const char *s = line; (s = memchr(s, '\n', (size_t)(r->end - s))); s++) lines++;
    size_t most = (size_t)(r->end - line) / (2 * width) + 1, rows = lines < most ? lines : most;
    if (rows > INT32_MAX / 4) {
        lh_fail(r->ctx, LH_ERROR_LIMIT, (lh_place){0}, "%zu words are too many", rows);
        return false;
    }
    r->n_rows = (int)rows;
    r->word = lh_alloc_array(r->arena, rows, sizeof *r->word);
    r->lines = lh_alloc_array(r->arena, rows, sizeof *r->lines);
    r->cell = lh_alloc_array(r->arena, rows * width, sizeof *r->cell);
    return r->word && r->lines && r->cell;
}

static uint64_t hash(const char *s) {
    uint64_t h = 1469598103934665603u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h ^ (h >> 32);
}

/* Where the word is, or would be. */
static int *slot_of(const lh_vectors *v, const char *word) {
    size_t mask = (size_t)v->n_slots - 1, i = hash(word) & mask;
    while (v->slot[i] && strcmp(v->word[v->slot[i] - 1], word) != 0) i = (i + 1) & mask;
    return &v->slot[i];
}

static bool add_word(reader *r, const token *t) {
    lh_vectors *v = r->v;
    r->word[v->n] = lh_copy(r->arena, t->s, t->n);
    r->lines[v->n] = r->line;
    int *slot = slot_of(v, r->word[v->n]);
    if (*slot)
        fail(r, t,
             lh_printf(r->arena, "\"%.40s\" occurs twice: here and in line %d", r->word[v->n],
                       r->lines[*slot - 1]));
    *slot = ++v->n;
    return !lh_failed(r->ctx);
}

static bool read_row(reader *r, const char *s, const char *end) {
    lh_vectors *v = r->v;
    token word, t;
    next_token(&s, end, &word);
    double *cell = r->cell + (size_t)v->n * (size_t)v->width;
    int n = 0;
    for (; next_token(&s, end, &t); n++) {
        if (n >= v->width || v->n >= r->n_rows) continue;
        if (read_number(&t, &cell[n])) continue;
        fail(r, &t,
             lh_printf(r->arena, "\"%.*s\" is not a number", (int)(t.n < 40 ? t.n : 40), t.s));
        return false;
    }
    if (n != v->width) {
        fail(r, NULL,
             lh_printf(r->arena, "%d number%s, the first word has %d", n, LH_PLURAL(n), v->width));
        lh_cure(r->ctx, "a line is a word without spaces and its numbers");
        return false;
    }
    return add_word(r, &word);
}

static bool make_slots(reader *r) {
    lh_vectors *v = r->v;
    for (v->n_slots = 16; v->n_slots < 2 * r->n_rows;) v->n_slots *= 2;
    v->slot = lh_alloc_array(r->arena, (size_t)v->n_slots, sizeof *v->slot);
    return v->slot != NULL;
}

double lh_vectors_size(const double *row, int width) {
    double sum = 0;
    for (int i = 0; i < width; i++) sum += row[i] * row[i];
    return sqrt(sum);
}

static bool measure(reader *r) {
    lh_vectors *v = r->v;
    double *size = lh_alloc_array(r->arena, (size_t)v->n + 1, sizeof *size);
    for (int i = 0; size && i < v->n; i++)
        size[i] = lh_vectors_size(v->cell + (size_t)i * (size_t)v->width, v->width);
    v->size = size;
    return size != NULL;
}

lh_vectors *lh_vectors_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                            size_t length) {
    lh_vectors *v = lh_alloc(a, sizeof *v);
    reader r = {.ctx = ctx, .arena = a, .text = text, .at = text, .end = text + length, .v = v};
    const char *line, *end;
    bool any = next_line(&r, &line, &end);
    if (any && is_head(&r, line, end)) any = next_line(&r, &line, &end);
    if (!any) fail(&r, NULL, "there is no word in it");
    if (any && make_room(&r, line, end) && make_slots(&r)) {
        v->word = r.word;
        v->line = r.lines;
        v->cell = r.cell;
        while (read_row(&r, line, end) && next_line(&r, &line, &end)) {}
        if (!lh_failed(ctx)) measure(&r);
    }
    lh_fail_in(ctx, file, text, length);
    return lh_failed(ctx) ? NULL : v;
}

int lh_vectors_find(const lh_vectors *v, const char *word) {
    return *slot_of(v, word) - 1;
}

double *lh_vectors_row(const lh_vectors *v, lh_arena *a, int word) {
    double *row = lh_alloc_array(a, (size_t)v->width, sizeof *row);
    if (row) memcpy(row, v->cell + (size_t)word * (size_t)v->width, (size_t)v->width * sizeof *row);
    return row;
}

/* ---- neighbours ---- */

double lh_vectors_cosine(const lh_vectors *v, int word, const double *to, double size) {
    const double *row = v->cell + (size_t)word * (size_t)v->width;
    double sum = 0;
    for (int i = 0; i < v->width; i++) sum += row[i] * to[i];
    double cosine = sum / v->size[word] / size;
    return cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
}

/* Two sums of the same products in another order differ in their last bits. */
static bool is_tie(double a, double b) {
    return fabs(a - b) <= 1e-12;
}

static bool is_before(lh_neighbour a, lh_neighbour b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.word < b.word;
}

/* The heap has the worst of the best at its top; it sinks to its place. */
static void sink(lh_neighbour *heap, int n, int i) {
    for (int child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_before(heap[child], heap[child + 1])) child++;
        if (!is_before(heap[i], heap[child])) return;
        lh_neighbour x = heap[i];
        heap[i] = heap[child];
        heap[child] = x;
    }
}

static void keep(lh_neighbour *heap, int *n, int k, lh_neighbour x) {
    if (*n == k) {
        if (!is_before(x, heap[0])) return;
        heap[0] = x;
        sink(heap, k, 0);
        return;
    }
    heap[(*n)++] = x;
    if (*n == k)
        for (int i = k / 2; i-- > 0;) sink(heap, k, i);
}

static int by_cosine(const void *a, const void *b) {
    const lh_neighbour *x = a, *y = b;
    return is_before(*x, *y) ? -1 : is_before(*y, *x);
}

static bool is_in(int word, const int *list, int n) {
    for (int i = 0; i < n; i++)
        if (list[i] == word) return true;
    return false;
}

lh_nearby lh_vectors_near(const lh_vectors *v, lh_arena *a, const double *to, const int *without,
                          int n_without, int k) {
    lh_nearby out = {0};
    double size = lh_vectors_size(to, v->width);
    double *cosine = lh_alloc_array(a, (size_t)v->n + 1, sizeof *cosine);
    if (k > v->n) k = v->n;
    out.near = lh_alloc_array(a, (size_t)k + 1, sizeof *out.near);
    if (!cosine || !out.near || size == 0 || k < 1) return out;
    for (int i = 0; i < v->n; i++) {
        cosine[i] = -2;
        if (v->size[i] == 0) out.n_nowhere++;
        if (v->size[i] == 0 || is_in(i, without, n_without)) continue;
        cosine[i] = lh_vectors_cosine(v, i, to, size);
        keep(out.near, &out.n, k, (lh_neighbour){i, cosine[i]});
    }
    qsort(out.near, (size_t)out.n, sizeof *out.near, by_cosine);
    for (int i = 0; out.n && i < v->n; i++)
        out.n_more += is_tie(cosine[i], out.near[out.n - 1].cosine);
    for (int i = 0; i < out.n; i++)
        out.n_more -= is_tie(out.near[i].cosine, out.near[out.n - 1].cosine);
    return out;
}
