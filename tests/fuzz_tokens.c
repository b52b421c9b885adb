/* Any bytes as text: learned from its first half, of each kind, encoded whole and decoded again. What comes back is the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/tokenizer.h"

static void check(lh_tokenizer *t, const char *text, size_t n, bool marks) {
    int *ids = malloc((n + 1) * sizeof *ids);
    if (!ids) abort();
    size_t count = lh_tokenizer_encode(t, text, n, marks, ids, n), at = 0, k;
    if (lh_failed(t->ctx) || count > n) abort();
    for (size_t i = 0; i < count; i++, at += k) {
        const char *piece = lh_tokenizer_piece(t, ids[i], &k);
        if (!piece || k > n - at || memcmp(piece, text + at, k) != 0) abort();
    }
    if (at != n) abort();
    free(ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const special[] = {"<|endoftext|>", "<pad>"};
    const char *text = (const char *)data;
    size_t half = (size + 1) / 2;
    lh_context *ctx = lh_context_new();
    for (int kind = 0; size && kind < 3; kind++)
        for (int closed = 0; closed < 2; closed++) {
            lh_tokenizer_how how = {.kind = (lh_tokenizer_kind)kind,
                                    .size = kind == LH_TOKENS_BPE ? 258 + data[0] % 64 : 0,
                                    .is_closed = closed,
                                    .special = special,
                                    .n_specials = 2};
            lh_tokenizer *t = lh_tokenizer_train(ctx, text, half, &how);
            if (!t) abort();
            bool knows_all = kind == LH_TOKENS_BPE || (kind == LH_TOKENS_CHARS && !closed);
            /* where a mark is seen, other words begin and end */
            check(t, text, knows_all ? size : half, knows_all && size % 2);
            lh_tokenizer_free(t);
        }
    lh_context_free(ctx);
    return 0;
}
