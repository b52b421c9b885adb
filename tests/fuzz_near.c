/* Any text as a file of word vectors. What is refused has a message; what is read has neighbours in order, each found by its name. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/vectors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_near(const lh_vectors *v, lh_arena *a, int word) {
    double *to = lh_vectors_row(v, a, word);
    if (!to || v->size[word] == 0) return;
    lh_nearby near = lh_vectors_near(v, a, to, &word, 1, 5);
    if (!near.near || near.n > 5 || near.n_more < 0 || near.n_nowhere >= v->n) abort();
    for (int i = 0; i < near.n; i++) {
        double cosine = near.near[i].cosine;
        if (near.near[i].word == word || !(cosine >= -1 && cosine <= 1)) abort();
        if (i && cosine > near.near[i - 1].cosine) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    char *text = malloc(size ? size : 1); /* nothing behind it: reading further is seen */
    memcpy(text, data, size);
    lh_vectors *v = lh_vectors_read(ctx, a, "vectors.txt", text, size);
    free(text);
    if (!v && (!lh_failed(ctx) || !*lh_context_error(ctx)->what)) abort();
    for (int i = 0; v && i < v->n && i < 20; i++) {
        if (lh_vectors_find(v, v->word[i]) != i) abort();
        for (int c = 0; c < v->width; c++)
            if (!isfinite(v->cell[(size_t)i * (size_t)v->width + (size_t)c])) abort();
        check_near(v, a, i);
    }
    lh_arena_free(a);
    lh_context_free(ctx);
    return 0;
}
