#include "train/text_data.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/embedded.h"
#include "base/number.h"
#include "base/random.h"
#include "files/tokenizer_file.h"

static const lh_place nowhere = {0, 0, 0};

/* ---- the vocabulary ---- */

/* bpe:1000; -1: it is no such word. */
static int bpe_size(const char *spec) {
    int n;
    if (strncmp(spec, "bpe:", 4) != 0 || !lh_is_digit(spec[4])) return -1;
    return lh_number_whole(spec + 4, 0, LH_MAX_WORDS, &n) ? n : -1;
}

static void refuse_spec(lh_context *ctx, const char *spec) {
    lh_fail(ctx, LH_ERROR_VALUE, nowhere,
            "%s is not a vocabulary: neither char, word or bpe:N nor a folder with tokenizer.json",
            spec);
    if (strncmp(spec, "bpe", 3) == 0) lh_cure(ctx, "bpe:1000 learns a thousand tokens");
}

lh_tokenizer *lh_data_tokenizer(lh_context *ctx, const char *spec, const char *name,
                                const char *text, size_t length) {
    static const char *const end[] = {"<|endoftext|>"};
    lh_tokenizer_how how = {.kind = LH_TOKENS_CHARS, .is_closed = true};
    struct stat st;
    if (lh_failed(ctx)) return NULL;
    if (!spec) spec = "char";
    if (strcmp(spec, "word") == 0) {
        how = (lh_tokenizer_how){.kind = LH_TOKENS_WORDS};
    } else if (bpe_size(spec) >= 0) {
        how = (lh_tokenizer_how){
            .kind = LH_TOKENS_BPE, .size = bpe_size(spec), .special = end, .n_specials = 1};
    } else if (strcmp(spec, "char") != 0) {
        if (stat(spec, &st) == 0) return lh_tokenizer_load(ctx, spec);
        refuse_spec(ctx, spec);
        return NULL;
    }
    lh_tokenizer *t = lh_tokenizer_train(ctx, text, length, &how);
    lh_fail_in(ctx, name, NULL, 0);
    return t;
}

/* ---- is it a text? ---- */

static void check_text(lh_context *ctx, const char *text, size_t length) {
    size_t odd = 0;
    const char *zero = memchr(text, 0, length);
    for (size_t i = 0; i < length && !zero; i++) {
        unsigned char c = (unsigned char)text[i];
        odd += (c < ' ' && !strchr("\t\n\r\f", c)) || c == 127;
    }
    if (length == 0) {
        lh_fail(ctx, LH_ERROR_FILE, nowhere, "the text is empty: there is nothing to learn from");
    } else if (zero || odd > length / 20) {
        lh_fail(ctx, LH_ERROR_FILE, nowhere, "this is not text: %s",
                zero ? "it has bytes that are 0" : "a twentieth of it is control characters");
        lh_cure(ctx, "--data needs plain text, preferably in UTF-8");
    }
}

/* ---- text to tokens, piece by piece ---- */

enum { PIECE = 1 << 20 };

/* Where a text may be cut so that its parts have the same tokens as the whole: between the only sign for the end of a line
 * and a letter. No tokeniser looks across such a place. */
bool lh_data_is_cut(const char *text, size_t i) {
    return i >= 2 && text[i - 1] == '\n' && (unsigned char)text[i - 2] > ' ' &&
           (unsigned char)text[i - 2] < 127 && (unsigned char)text[i] > ' ' &&
           (unsigned char)text[i] < 127;
}

static size_t piece_end(const char *text, size_t from, size_t length) {
    size_t i = from + PIECE;
    while (i < length && !lh_data_is_cut(text, i)) i++;
    return i < length ? i : length;
}

static void put_tokens(lh_data *d, const int *id, size_t n) {
    for (size_t i = 0; i < n; i++, d->n_here++) {
        if (d->narrow)
            d->narrow[d->n_here] = (uint16_t)id[i];
        else
            d->wide[d->n_here] = (uint32_t)id[i];
    }
}

int lh_data_token(const lh_data *d, size_t i) {
    if (i < d->first || i - d->first >= d->n_here) return 0;
    return d->narrow ? d->narrow[i - d->first] : (int)d->wide[i - d->first];
}

static bool reserve(lh_data *d, const lh_tokenizer *t, size_t n) {
    if (lh_tokenizer_count(t) <= UINT16_MAX + 1)
        d->narrow = lh_alloc_array(d->arena, n + 1, sizeof *d->narrow);
    else
        d->wide = lh_alloc_array(d->arena, n + 1, sizeof *d->wide);
    return d->narrow || d->wide;
}

/* Twice through the text: to count, so that no more memory is taken than is needed, and to keep. */
static void encode_running(lh_data *d, const lh_tokenizer *t, const char *text, size_t length) {
    size_t n = 0, most = 0;
    for (size_t at = 0, end; at < length && !lh_failed(d->ctx); at = end) {
        end = piece_end(text, at, length);
        size_t k = lh_tokenizer_encode(t, text + at, end - at, false, NULL, 0);
        n += k;
        if (k > most) most = k;
    }
    int *id = lh_failed(d->ctx) ? NULL : d->ctx->alloc((most + 1) * sizeof *id);
    if (!id && !lh_failed(d->ctx))
        lh_fail(d->ctx, LH_ERROR_MEMORY, nowhere, "out of memory for %zu tokens", most);
    if (id && reserve(d, t, n))
        for (size_t at = 0, end; at < length && !lh_failed(d->ctx); at = end) {
            end = piece_end(text, at, length);
            put_tokens(d, id, lh_tokenizer_encode(t, text + at, end - at, false, id, most));
        }
    d->ctx->release(id);
}

static size_t line_end(const char *text, size_t from, size_t length) {
    const char *end = memchr(text + from, '\n', length - from);
    return end ? (size_t)(end - text) : length;
}

/* How many lines there are, tokens in all, and tokens of the longest. */
static size_t count_lines(const lh_tokenizer *t, const char *text, size_t length, size_t *all,
                          size_t *longest) {
    size_t n = 0;
    *longest = *all = 0;
    for (size_t at = 0, end; at < length && !lh_failed(t->ctx); at = end + 1) {
        end = line_end(text, at, length);
        n += end > at;
        size_t k = t->pipeline ? lh_tokenizer_encode(t, text + at, end - at, false, NULL, 0)
                               : end - at; /* never more than bytes */
        *all += k;
        if (k > *longest) *longest = k;
    }
    return n;
}

/* A line is kept with its end: e m m a \n, so that the token before the first of all but the first line is a \n as well. */
static void encode_lines(lh_data *d, const lh_tokenizer *t, const char *text, size_t length) {
    size_t longest, all, lines = count_lines(t, text, length, &all, &longest);
    int *id = d->ctx->alloc((longest + 1) * sizeof *id);
    d->line = lh_alloc_array(d->arena, lines + 2, sizeof *d->line);
    if (!id) lh_fail(d->ctx, LH_ERROR_MEMORY, nowhere, "out of memory for a line");
    if (id && d->line && reserve(d, t, all + lines)) {
        for (size_t at = 0, end; at < length && !lh_failed(d->ctx); at = end + 1) {
            end = line_end(text, at, length);
            if (end == at) continue;
            size_t n = lh_tokenizer_encode(t, text + at, end - at, false, id, longest);
            d->line[d->lines_here++] = d->n_here;
            put_tokens(d, id, n);
            put_tokens(d, &d->newline, 1);
            d->n_cut += n + 1 > (size_t)d->how.context;
        }
        d->line[d->lines_here] = d->n_here;
    }
    d->ctx->release(id);
}

/* ---- the parts of all ranks ---- */

/* How many every rank has: what is before it, and all of them. Whole numbers in doubles are exact. */
static void count_all(const lh_ranks *r, double *each, size_t here, size_t *before, size_t *all) {
    memset(each, 0, (size_t)r->n * sizeof *each);
    each[r->rank] = (double)here;
    r->add_doubles(each, (size_t)r->n);
    *before = *all = 0;
    for (int i = 0; i < r->n; i++) {
        if (i < r->rank) *before += (size_t)each[i];
        *all += (size_t)each[i];
    }
}

static void find_place(lh_data *d) {
    const lh_ranks *r = d->how.ranks;
    d->n = d->n_here, d->n_lines = d->lines_here;
    double *each = r ? lh_alloc_array(d->arena, (size_t)r->n, sizeof *each) : NULL;
    size_t before;
    if (!each) return;
    count_all(r, each, d->n_here, &d->first, &d->n);
    count_all(r, each, d->lines_here, &d->first_line, &d->n_lines);
    count_all(r, each, d->n_cut, &before, &d->n_cut);
}

/* ---- what is learned from, what is held out ---- */

enum { HELD = 10 }; /* one of so many */

/* Lines 0 to 8 are learned from, line 9 is held out, and so on: lists are often in some order. */
static size_t line_learned(size_t k) {
    return k + k / (HELD - 1);
}

static size_t line_held(size_t k) {
    return k * HELD + HELD - 1;
}

static void split_running(lh_data *d) {
    const size_t window = (size_t)d->how.context + 1;
    if (d->n < window) {
        lh_fail(d->ctx, LH_ERROR_FILE, nowhere,
                "the text has %zu token%s, but an example takes %zu: %d and the one that follows",
                d->n, LH_PLURAL(d->n), window, d->how.context);
        lh_cure(d->ctx, "a longer text, or --set context=%zu", d->n > 2 ? d->n / 2 : 1);
        return;
    }
    d->n_train = d->n - d->n / HELD;
    if (d->n - d->n_train < window || d->n_train < window) d->n_train = d->n;
}

static void split_lines(lh_data *d) {
    if (d->n_lines == 0) {
        lh_fail(d->ctx, LH_ERROR_FILE, nowhere, "every line of the text is empty");
        return;
    }
    d->train_lines = d->n_lines - d->n_lines / HELD;
}

static int newline_of(const lh_tokenizer *t) {
    int id = -1;
    lh_context *ctx = t->ctx;
    if (lh_failed(ctx)) return -1;
    size_t n = lh_tokenizer_encode(t, "\n", 1, false, &id, 1);
    if (lh_failed(ctx)) lh_context_clear(ctx);
    return n == 1 ? id : -1;
}

lh_data *lh_data_new(lh_context *ctx, const lh_tokenizer *t, const lh_data_how *how,
                     const char *text, size_t length) {
    lh_arena *arena = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!arena) return NULL;
    lh_data *d = lh_alloc(arena, sizeof *d);
    *d = (lh_data){.ctx = ctx, .arena = arena, .how = *how, .newline = newline_of(t)};
    if (length || !how->ranks)
        check_text(ctx, text, length); /* a short text is not for all ranks */
    if (how->is_lines && d->newline < 0)
        lh_fail(ctx, LH_ERROR_VALUE, nowhere,
                "lines should be learned, but the vocabulary has no token for the end of a line");
    if (!lh_failed(ctx) && how->is_lines)
        encode_lines(d, t, text, length);
    else if (!lh_failed(ctx))
        encode_running(d, t, text, length);
    if (how->ranks) lh_ranks_well(how->ranks, ctx, arena);
    if (!lh_failed(ctx)) find_place(d);
    if (!lh_failed(ctx)) (how->is_lines ? split_lines : split_running)(d);
    lh_fail_in(ctx, how->name, NULL, 0);
    if (!lh_failed(ctx)) return d;
    lh_data_free(d);
    return NULL;
}

void lh_data_free(lh_data *d) {
    if (d) lh_arena_free(d->arena);
}

/* ---- batches ---- */

lh_drawn_batch *lh_drawn_new(const lh_data *d, int examples) {
    return lh_drawn_make(d->ctx, examples, d->how.context, false);
}

/* Which windows or lines a batch is made of. */
typedef struct picking {
    const lh_data *d;
    bool is_held_out;
    uint64_t seed, many; /* to learn from: drawn from so many */
    uint32_t step;
    size_t first, asked, count; /* held out: the first, of so many that are spread over all */
} picking;

enum { DRAWN = 0xDA7A }; /* the place of these random numbers: no given and no coin has it */

/* The number of a line, or where a window begins. */
static size_t pick(const picking *p, int e) {
    const lh_data *d = p->d;
    if (p->is_held_out) {
        const size_t k = (p->first + (size_t)e) * p->count / p->asked;
        return d->line ? line_held(k) : d->n_train + k * (size_t)d->how.context;
    }
    lh_random_place at = {.seed = p->seed, .step = p->step, .place = DRAWN, .example = (uint32_t)e};
    const size_t k = (size_t)(lh_random_bits(at) % p->many);
    return d->line ? line_learned(k) : k;
}

/* Tokens of an example: 0 of a line that another rank has. */
static int length_of(const lh_data *d, size_t which) {
    const size_t context = (size_t)d->how.context;
    if (!d->line) return (int)context;
    const size_t k = which - d->first_line;
    if (which < d->first_line || k >= d->lines_here) return 0;
    const size_t n = d->line[k + 1] - d->line[k];
    return (int)(n < context ? n : context);
}

static void put_example(const lh_data *d, size_t which, int *token, int *target, int n) {
    size_t from = which;
    if (d->line) {
        const bool is_here = length_of(d, which) > 0;
        from = is_here ? d->first + d->line[which - d->first_line] : d->n;
        if (n) token[0] = is_here ? d->newline : 0;
    } else {
        token[0] = lh_data_token(d, from++);
    }
    for (int i = 0; i < n; i++) {
        target[i] = lh_data_token(d, from + (size_t)i);
        if (i + 1 < n) token[i + 1] = target[i];
    }
}

static void share(const lh_data *d, int *x, size_t n) {
    if (d->how.ranks) d->how.ranks->add_ints(x, n);
}

static void put_examples(const picking *p, int n, lh_drawn_batch *b) {
    lh_drawn_begin(b);
    for (int e = 0; e < n; e++) b->rows[e] = length_of(p->d, pick(p, e));
    if (p->d->line) share(p->d, b->rows, (size_t)n);
    for (int e = 0; e < n; b->n_tokens += (size_t)b->rows[e++])
        put_example(p->d, pick(p, e), b->token + b->n_tokens, b->target + b->n_tokens, b->rows[e]);
    b->batch.examples = n;
    share(p->d, b->token, b->n_tokens);
    share(p->d, b->target, b->n_tokens);
}

void lh_data_draw(const lh_data *d, uint64_t seed, uint32_t step, lh_drawn_batch *b) {
    const uint64_t many = d->line ? d->train_lines : d->n_train - (size_t)d->how.context;
    put_examples(&(picking){.d = d, .seed = seed, .step = step, .many = many}, b->most, b);
    b->batch.first = step * (unsigned)b->most;
}

size_t lh_data_held_out_count(const lh_data *d) {
    if (d->line) return d->n_lines - d->train_lines;
    size_t left = d->n - d->n_train;
    return left ? (left - 1) / (size_t)d->how.context : 0;
}

int lh_data_held_out(const lh_data *d, int i, int of, lh_drawn_batch *b) {
    const size_t count = lh_data_held_out_count(d), most = (size_t)b->most;
    picking p = {.d = d, .is_held_out = true, .count = count};
    p.asked = (size_t)of * most < count ? (size_t)of * most : count;
    p.first = (size_t)i * most;
    const size_t left = p.first < p.asked ? p.asked - p.first : 0;
    put_examples(&p, (int)(left < most ? left : most), b);
    b->batch.first = 0;
    return b->batch.examples;
}

static lh_drawn_batch *feed_make(const void *d, int examples) {
    return lh_drawn_new(d, examples);
}

static void feed_draw(const void *d, uint64_t seed, uint32_t step, lh_drawn_batch *b) {
    lh_data_draw(d, seed, step, b);
}

static int feed_held_out(const void *d, int i, int of, lh_drawn_batch *b) {
    return lh_data_held_out(d, i, of, b);
}

lh_feed lh_data_feed(const lh_data *d) {
    return (lh_feed){d, feed_make, feed_draw, feed_held_out};
}

/* ---- the course ---- */

static bool is_lesson(const lh_embedded *f) {
    return strncmp(f->name, "lessons/", 8) == 0;
}

char *lh_data_course(lh_arena *a, size_t *length) {
    *length = 0;
    for (int i = 0; i < lh_n_embedded_files; i++)
        if (is_lesson(&lh_embedded_files[i])) *length += lh_embedded_files[i].length;
    char *text = lh_alloc(a, *length + 1), *at = text;
    for (int i = 0; text && i < lh_n_embedded_files; i++) {
        const lh_embedded *f = &lh_embedded_files[i];
        if (!is_lesson(f)) continue;
        memcpy(at, f->text, f->length);
        at += f->length;
    }
    return text;
}
