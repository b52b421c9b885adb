/* Any bytes as a tokenizer.json: read or refused with a message, never a crash. What was read encodes any text, gives it back
 * where it has no <unk>, and is written so that it is read again as the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/tokenizer_file.h"

static const char text[] =
    "It's the low, lower, lowest;  newest\n\xff é 漢 0 <pad>\0<|endoftext|> aaaaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
enum { LENGTH = sizeof text - 1 };

/* With a pipeline a text may change on its way: nothing but that every id is a token, and that ids become a text. */
static void check_pipeline(const lh_tokenizer *t) {
    lh_arena *arena = lh_arena_new(t->ctx);
    for (int marks = 0; marks < 2; marks++) {
        size_t n = 0;
        const int *id = lh_tokenizer_prompt(t, arena, text, LENGTH, marks, &n);
        lh_text out = lh_text_new(arena);
        for (size_t i = 0; id && i < n; i++)
            if (id[i] < 0 || id[i] >= t->n_tokens) abort();
        if (id) lh_tokenizer_decode(t, id, n, marks, &out);
        lh_context_clear(t->ctx);
    }
    lh_arena_free(arena);
}

static void check_text(const lh_tokenizer *t) {
    int ids[LENGTH];
    if (t->pipeline) {
        check_pipeline(t);
        return;
    }
    for (int marks = 0; marks < 2; marks++) {
        size_t n = lh_tokenizer_encode(t, text, LENGTH, marks, ids, LENGTH), at = 0, k;
        bool is_whole = !lh_failed(t->ctx);
        lh_context_clear(t->ctx);
        if (!is_whole && n) abort();
        if (n > LENGTH) abort();
        for (size_t i = 0; i < n; i++) {
            const char *piece = lh_tokenizer_piece(t, ids[i], &k);
            if (!piece) abort();
            if (ids[i] == t->unknown) is_whole = false;
            if (is_whole && (at + k > LENGTH || memcmp(text + at, piece, k) != 0)) abort();
            at += k;
        }
        if (is_whole && at != LENGTH) abort();
    }
}

static void check_again(lh_context *ctx, const lh_tokenizer *t) {
    lh_arena *arena = lh_arena_new(ctx);
    lh_text once = lh_text_new(arena), twice = lh_text_new(arena);
    lh_tokenizer_write_json(&once, t);
    lh_tokenizer *again = lh_tokenizer_read_json(ctx, "again", once.s, once.n);
    if (!again) abort();
    lh_tokenizer_write_json(&twice, again);
    if (strcmp(once.s, twice.s) != 0) abort();
    lh_tokenizer_free(again);
    lh_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lh_context *ctx = lh_context_new();
    lh_tokenizer *t = lh_tokenizer_read_json(ctx, "fuzz", (const char *)data, size);
    if ((t == NULL) != lh_failed(ctx)) abort();
    if (!t && !lh_context_error(ctx)->what[0]) abort();
    if (t) check_text(t);
    if (t) check_again(ctx, t);
    lh_tokenizer_free(t);
    lh_context_clear(ctx);
    /* The same bytes as merges of a vocabulary without any; and as the vocabulary. */
    lh_tokenizer_free(lh_tokenizer_read_pair(ctx, (const char *)data, size, "h e\n", 4));
    lh_context_clear(ctx);
    lh_tokenizer_free(
        lh_tokenizer_read_pair(ctx, "{\"h\":0,\"e\":1,\"he\":2}", 21, (const char *)data, size));
    lh_context_free(ctx);
    return 0;
}
