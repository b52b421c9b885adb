#include "train/text_data.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/embedded.h"
#include "base/random.h"
#include "files/tokenizer_file.h"

static const lh_place nowhere = {0, 0, 0};

/* ---- the vocabulary ---- */

/* bpe:1000; -1: it is no such word. */
static int bpe_size(const char *spec) {
    char *end;
    if (strncmp(spec, "bpe:", 4) != 0 || spec[4] < '0' || spec[4] > '9') return -1;
    long n = strtol(spec + 4, &end, 10);
    return *end || n > LH_MAX_WORDS ? -1 : (int)n;
}

static void refuse_spec(lh_context *ctx, const char *spec) {
    lh_fail(ctx, LH_ERROR_VALUE, nowhere,
            "%s is no vocabulary: neither char, word or bpe:N nor a folder with tokenizer.json",
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
        lh_fail(ctx, LH_ERROR_FILE, nowhere, "this is no text: %s",
                zero ? "it has bytes that are 0" : "a twentieth of it are control characters");
        lh_cure(ctx, "--data wants plain text, best in UTF-8");
    }
}

/* ---- text to tokens, piece by piece ---- */

enum { PIECE = 1 << 20 };

/* Where a text may be cut so that its parts have the same tokens as the whole: between the only sign for the end of a line
 * and a letter. No tokeniser looks across such a place. */
static bool is_cut(const char *text, size_t i) {
    return i >= 2 && text[i - 1] == '\n' && (unsigned char)text[i - 2] > ' ' &&
           (unsigned char)text[i - 2] < 127 && (unsigned char)text[i] > ' ' &&
           (unsigned char)text[i] < 127;
}

static size_t piece_end(const char *text, size_t from, size_t length) {
    size_t i = from + PIECE;
    while (i < length && !is_cut(text, i)) i++;
    return i < length ? i : length;
}

static void put_tokens(lh_data *d, const int *id, size_t n) {
    for (size_t i = 0; i < n; i++, d->n++) {
        if (d->narrow)
            d->narrow[d->n] = (uint16_t)id[i];
        else
            d->wide[d->n] = (uint32_t)id[i];
    }
}

int lh_data_token(const lh_data *d, size_t i) {
    return d->narrow ? d->narrow[i] : (int)d->wide[i];
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

static size_t count_lines(const char *text, size_t length, size_t *longest) {
    size_t n = 0;
    *longest = 0;
    for (size_t at = 0, end; at < length; at = end + 1) {
        end = line_end(text, at, length);
        n += end > at;
        if (end - at > *longest) *longest = end - at;
    }
    return n;
}

/* A line is kept with its end: e m m a \n, so that the token before the first of all but the first line is a \n as well. */
static void encode_lines(lh_data *d, const lh_tokenizer *t, const char *text, size_t length) {
    size_t longest, lines = count_lines(text, length, &longest);
    int *id = d->ctx->alloc((longest + 1) * sizeof *id);
    d->line = lh_alloc_array(d->arena, lines + 2, sizeof *d->line);
    if (!id) lh_fail(d->ctx, LH_ERROR_MEMORY, nowhere, "out of memory for a line");
    if (id && d->line && reserve(d, t, length + lines)) {
        for (size_t at = 0, end; at < length && !lh_failed(d->ctx); at = end + 1) {
            end = line_end(text, at, length);
            if (end == at) continue;
            size_t n = lh_tokenizer_encode(t, text + at, end - at, false, id, longest);
            d->line[d->n_lines++] = d->n;
            put_tokens(d, id, n);
            put_tokens(d, &d->newline, 1);
            d->n_cut += n + 1 > (size_t)d->how.context;
        }
        d->line[d->n_lines] = d->n;
    }
    d->ctx->release(id);
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
                "the text has %zu tokens, and an example takes %zu: %d, and the one that follows",
                d->n, window, d->how.context);
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
    int id;
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
    check_text(ctx, text, length);
    if (how->is_lines && d->newline < 0)
        lh_fail(ctx, LH_ERROR_VALUE, nowhere,
                "lines are to be learned, and the vocabulary has no token for their ends");
    if (!lh_failed(ctx) && how->is_lines)
        encode_lines(d, t, text, length);
    else if (!lh_failed(ctx))
        encode_running(d, t, text, length);
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

static void add_window(const lh_data *d, lh_drawn_batch *b, size_t from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        b->token[b->n_tokens + i] = lh_data_token(d, from + i);
        b->target[b->n_tokens + i] = lh_data_token(d, from + i + 1);
    }
    b->rows[b->batch.examples++] = (int)n;
    b->n_tokens += n;
}

static void add_line(const lh_data *d, lh_drawn_batch *b, size_t k) {
    size_t n = d->line[k + 1] - d->line[k];
    if (n > (size_t)d->how.context) n = (size_t)d->how.context;
    for (size_t i = 0; i < n; i++) {
        b->token[b->n_tokens + i] = i ? lh_data_token(d, d->line[k] + i - 1) : d->newline;
        b->target[b->n_tokens + i] = lh_data_token(d, d->line[k] + i);
    }
    b->rows[b->batch.examples++] = (int)n;
    b->n_tokens += n;
}

enum { DRAWN = 0xDA7A }; /* the place of these random numbers: no given and no coin has it */

void lh_data_draw(const lh_data *d, uint64_t seed, uint32_t step, lh_drawn_batch *b) {
    const size_t context = (size_t)d->how.context;
    const uint64_t many = d->line ? d->train_lines : d->n_train - context;
    lh_drawn_begin(b);
    for (int e = 0; e < b->most; e++) {
        lh_random_place at = {.seed = seed, .step = step, .place = DRAWN, .example = (uint32_t)e};
        size_t k = (size_t)(lh_random_bits(at) % many);
        if (d->line)
            add_line(d, b, line_learned(k));
        else
            add_window(d, b, k, context);
    }
    b->batch.first = step * (unsigned)b->most;
}

size_t lh_data_held_out_count(const lh_data *d) {
    if (d->line) return d->n_lines - d->train_lines;
    size_t left = d->n - d->n_train;
    return left ? (left - 1) / (size_t)d->how.context : 0;
}

int lh_data_held_out(const lh_data *d, int i, int of, lh_drawn_batch *b) {
    const size_t context = (size_t)d->how.context, count = lh_data_held_out_count(d);
    size_t asked = (size_t)of * (size_t)b->most, k = (size_t)i * (size_t)b->most;
    if (asked > count) asked = count;
    lh_drawn_begin(b);
    for (; b->batch.examples < b->most && k < asked; k++) {
        const size_t which = k * count / asked;
        if (d->line)
            add_line(d, b, line_held(which));
        else
            add_window(d, b, d->n_train + which * context, context);
    }
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
