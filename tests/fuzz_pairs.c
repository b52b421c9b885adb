/* Any text as a file of pairs, and as a sentence. What is refused has a message; what is kept fits its batch, and every answer comes
 * back as it was written; a sentence that is read is its own question. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "train/pairs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_batch(const lh_pairs *p, const lh_drawn_batch *b) {
    size_t rows = 0, source = 0;
    for (int e = 0; e < b->batch.examples; e++) {
        if (b->rows[e] < 2 || b->rows[e] > b->longest) abort();
        rows += (size_t)b->rows[e];
        if (b->target[rows - 1] != p->end) abort();
        if (b->source && (b->source_rows[e] < 1 || b->source_rows[e] > b->longest)) abort();
        source += b->source ? (size_t)b->source_rows[e] : 0;
    }
    if (rows != b->n_tokens || source != b->n_source) abort();
}

static void check_answers(lh_context *ctx, const lh_pairs *p) {
    lh_arena *a = lh_arena_new(ctx);
    int id[64];
    for (int i = 0; i < p->n_lines[0]; i++) {
        const lh_pair_line *l = &p->line[0][i];
        const int n = lh_pairs_encode(ctx, p->tokens, l->answer, l->n_answer, id, 64);
        lh_text out = lh_text_new(a);
        if (n < 1 || n > 64) abort();
        lh_pairs_decode(p->tokens, id, n, &out);
        if (out.n != l->n_answer || memcmp(out.s, l->answer, out.n) != 0) abort();
    }
    lh_arena_free(a);
}

static void try_pairs(lh_context *ctx, const char *text, size_t size, bool is_chars,
                      bool has_source) {
    const lh_pairs_how how = {.name = "pairs",
                              .text = text,
                              .length = size,
                              .is_chars = is_chars,
                              .has_source = has_source,
                              .context = 32};
    lh_tokenizer *t = lh_pairs_tokenizer(ctx, &how, NULL);
    lh_pairs *p = t ? lh_pairs_new(ctx, t, &how) : NULL;
    if (!p && !lh_failed(ctx)) abort();
    if (p) {
        const lh_feed f = lh_pairs_feed(p);
        lh_drawn_batch *b = f.make(f.from, 3);
        f.draw(f.from, 1, 2, b);
        if (lh_failed(ctx) || b->batch.examples != 3) abort();
        check_batch(p, b);
        for (int i = 0; f.held_out(f.from, i, 2, b); i++) check_batch(p, b);
        check_answers(ctx, p);
        if (lh_failed(ctx)) abort();
        lh_drawn_free(b);
    }
    lh_context_clear(ctx);
    lh_pairs_free(p);
    lh_tokenizer_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lh_context *ctx = lh_context_new();
    char *text = malloc(size + 1);
    lh_case c;
    memcpy(text, data, size);
    text[size] = 0;
    for (int i = 0; i < 4; i++) try_pairs(ctx, text, size, i & 1, i & 2);
    text[strcspn(text, "\t\n")] = 0;
    if (lh_grammar_read(text, &c)) {
        lh_case again;
        if (strcmp(c.question, text) != 0 || !c.n_from || c.n_from > LH_CASE_WORDS) abort();
        if (!lh_grammar_read(c.question, &again) || strcmp(again.answer, c.answer) != 0) abort();
    }
    free(text);
    lh_context_free(ctx);
    return 0;
}
