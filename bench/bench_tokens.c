/* Learning and applying a vocabulary, against the plain way to do it. The text is the lessons', one after another, or a file:
 *
 *     build/bench/bench_tokens notes.txt
 *
 * The plain way to learn counts all pairs anew for each merge; the plain way to encode merges every piece from its bytes. Both
 * use the same tables, so that the ratio is the idea's. Time is that of the processor.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/embedded.h"
#include "base/file.h"
#include "text/alphabet.h"
#include "text/merge.h"
#include "text/split.h"
#include "text/piece_count.h"

enum { SIZE = 1000, LEAST = 4 << 20, TIMES = 5 };

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static lh_text lessons(lh_arena *arena) {
    lh_text text = lh_text_new(arena);
    for (int i = 0; i < lh_n_embedded_files; i++)
        lh_text_add_n(&text, lh_embedded_files[i].text, lh_embedded_files[i].length);
    return text;
}

/* ---- the plain ways ---- */

typedef struct plain {
    int *id; /* of all pieces one after another; -1 ends each */
    uint64_t *weight;
    size_t n;
} plain;

static plain plain_pieces(lh_arena *arena, const lh_tokenizer *t, const char *text, size_t n) {
    lh_counts c = lh_count_pieces(arena, text, n, lh_split);
    plain p = {.n = 0};
    size_t room = 0;
    for (int i = 0; i < c.n; i++) room += c.piece[i].length + 1;
    p.id = lh_alloc_array(arena, room, sizeof *p.id);
    p.weight = lh_alloc_array(arena, room, sizeof *p.weight);
    for (int i = 0; p.id && p.weight && i < c.n; i++)
        for (size_t k = 0; k <= c.piece[i].length; k++, p.n++) {
            p.weight[p.n] = c.piece[i].count;
            p.id[p.n] = k < c.piece[i].length ? t->byte_id[(unsigned char)c.piece[i].bytes[k]] : -1;
        }
    return p;
}

/* The most frequent pair, counted from scratch. */
static uint64_t plain_best(lh_context *ctx, const plain *p, int *left, int *right) {
    lh_arena *arena = lh_arena_new(ctx);
    lh_pair_table table = {.arena = arena};
    uint64_t *count = lh_alloc_array(arena, p->n, sizeof *count), most = 0;
    int n_pairs = 0;
    for (size_t i = 0; count && i + 1 < p->n; i++) {
        if (p->id[i] < 0 || p->id[i + 1] < 0) continue;
        int k = lh_pair_find(&table, p->id[i], p->id[i + 1]);
        if (k < 0) lh_pair_put(&table, p->id[i], p->id[i + 1], k = n_pairs++);
        count[k] += p->weight[i];
    }
    for (size_t i = 0; count && i + 1 < p->n; i++) {
        if (p->id[i] < 0 || p->id[i + 1] < 0) continue;
        uint64_t c = count[lh_pair_find(&table, p->id[i], p->id[i + 1])];
        bool is_less = p->id[i] < *left || (p->id[i] == *left && p->id[i + 1] < *right);
        if (c > most || (c == most && is_less)) most = c, *left = p->id[i], *right = p->id[i + 1];
    }
    lh_arena_free(arena);
    return most;
}

static void plain_join(plain *p, int left, int right, int made) {
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++, n++) {
        bool here = i + 1 < p->n && p->id[i] == left && p->id[i + 1] == right;
        p->id[n] = here ? made : p->id[i];
        p->weight[n] = p->weight[i];
        i += here;
    }
    p->n = n;
}

static void plain_learn(lh_context *ctx, const char *text, size_t n, const lh_tokenizer *t) {
    lh_arena *arena = lh_arena_new(ctx);
    plain p = plain_pieces(arena, t, text, n);
    for (int i = 0; i < t->n_merges; i++) {
        int left = INT_MAX, right = INT_MAX;
        plain_best(ctx, &p, &left, &right);
        if (left != t->merge[i].left || right != t->merge[i].right)
            printf("merge %d differs: %d %d\n", i, left, right);
        plain_join(&p, left, right, t->merge[i].made);
    }
    lh_arena_free(arena);
}

static size_t plain_encode(const lh_tokenizer *t, const char *text, size_t n, int *ids) {
    size_t count = 0;
    for (size_t i = 0, k; i < n; i += k) {
        k = lh_split(text + i, n - i);
        count += lh_merge_piece(t, text + i, k, ids + count, n - count);
    }
    return count;
}

/* ---- */

static double megabytes(size_t n, double took) {
    return (double)n / took / 1e6;
}

/* The best of some. */
static double time_encode(const lh_tokenizer *t, const lh_text *text, int *ids, size_t *n) {
    double best = INFINITY;
    for (int i = 0; i < TIMES; i++) {
        double start = seconds();
        *n = lh_tokenizer_encode(t, text->s, text->n, false, ids, text->n);
        best = fmin(best, seconds() - start);
    }
    return best;
}

static void compare_plain(lh_context *ctx, const lh_tokenizer *t, const lh_text *text,
                          const lh_text *more, int *ids, double learn, double encode) {
    double start = seconds();
    plain_learn(ctx, text->s, text->n, t);
    double plain_learned = seconds() - start;
    start = seconds();
    plain_encode(t, more->s, more->n, ids);
    double plain_encoded = seconds() - start;
    printf("       the plain way: learn %.2f s, ratio %.0f; encode %.1f MB/s, ratio %.2f\n",
           plain_learned, plain_learned / learn, megabytes(more->n, plain_encoded),
           plain_encoded / encode);
}

static bool measure(lh_context *ctx, lh_tokenizer_kind kind, const lh_text *text,
                    const lh_text *more, int *ids) {
    lh_tokenizer_how how = {.kind = kind, .size = kind == LH_TOKENS_BPE ? SIZE : 0};
    double start = seconds();
    lh_tokenizer *t = lh_tokenizer_train(ctx, text->s, text->n, &how);
    double learn = seconds() - start;
    if (!t) return false;
    size_t n;
    double encode = time_encode(t, more, ids, &n);
    printf("%-5s  %5d tokens from %.2f MB in %.3f s; encode %.1f MB/s; %.2f bytes a token\n",
           lh_tokenizer_kind_name(kind), t->n_tokens, (double)text->n / 1e6, learn,
           megabytes(more->n, encode), (double)more->n / (double)n);
    if (kind == LH_TOKENS_BPE) compare_plain(ctx, t, text, more, ids, learn, encode);
    lh_tokenizer_free(t);
    return true;
}

int main(int argc, char **argv) {
    lh_context *ctx = lh_context_new();
    lh_arena *arena = lh_arena_new(ctx);
    lh_text text = lessons(arena), more = lh_text_new(arena);
    if (argc > 1) text.s = lh_file_read(ctx, arena, argv[1], &text.n);
    while (text.n && more.n < LEAST && !lh_failed(ctx)) lh_text_add_n(&more, text.s, text.n);
    int *ids = malloc((more.n + 1) * sizeof *ids);
    bool ok = ids && !lh_failed(ctx);
    for (int kind = 2; ok && kind >= 0; kind--)
        ok = measure(ctx, (lh_tokenizer_kind)kind, &text, &more, ids);
    if (!ok) puts(lh_context_error(ctx)->what);
    free(ids);
    lh_arena_free(arena);
    lh_context_free(ctx);
    return !ok;
}
