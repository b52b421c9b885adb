/* tokens -- what the tests of tokenisers share: chance, texts to learn from, a tokenizer of each kind.
 *
 *     tokens_seed(7);
 *     size_t n = tokens_bytes(text, tokens_chance(100));
 *     lh_tokenizer *t = tokens_train(ctx, LH_TOKENS_BPE, 300);
 */
#ifndef LH_TESTS_TOKENS_H
#define LH_TESTS_TOKENS_H

#include <stdint.h>
#include <string.h>

#include "text/tokenizer.h"
#include "base/unicode.h"

static uint64_t tokens_state = 1;

static inline void tokens_seed(uint64_t seed) {
    tokens_state = seed * 0x9E3779B97F4A7C15u + 1;
}

static inline size_t tokens_chance(size_t n) {
    tokens_state ^= tokens_state << 13, tokens_state ^= tokens_state >> 7;
    tokens_state ^= tokens_state << 17;
    return (size_t)(tokens_state >> 11) % (n ? n : 1);
}

/* A text with words, numbers, contractions, other scripts, bytes that are no UTF-8 and the byte 0. */
static const char tokens_text[] =
    "It's low, they're lower; we'll take the newest and the widest: 1234 of them.\n"
    "  The cat sat on the mat.  The cat's hat isn't the mat's hat!\r\n\r\n\tnaïve café, Ελλάδα, "
    "привет, 漢字かな, ½ ² ٣ 👋🌍 e\u0301\u00a0x\n"
    "lower lower lowest newest newest widest widest aaaaaaa aaaa aaaaaaaaaaaaaaa\n"
    "bad \xff\xfe\xc3( \xed\xa0\x80 \xf4\x90\x80\x80 zero \0 end <|endoftext|> <unk> <pad>\n";
enum { TOKENS_TEXT = sizeof tokens_text - 1 };

/* Any bytes, or pieces of the text above, or signs that meet the rules of the splitter. */
static inline size_t tokens_bytes(char *out, size_t n) {
    static const char *const near[] = {"'s",    "'", "'re",  " ",  "  ",       "\n",
                                       "a",     "1", "!",    "é",  "\xc2\xa0", "\xe2\x80\x83",
                                       "漢",    "٣", "\xff", " '", "'l",       "<|endoftext|>",
                                       "<pad>", "👋"};
    size_t how = tokens_chance(3), k = 0;
    while (k < n) {
        if (how == 0) {
            out[k++] = (char)tokens_chance(256);
        } else if (how == 1) {
            size_t from = tokens_chance(TOKENS_TEXT), m = tokens_chance(20);
            for (; m && k < n && from < TOKENS_TEXT; m--) out[k++] = tokens_text[from++];
            if (from >= TOKENS_TEXT) out[k < n ? k++ : k - 1] = 'x';
        } else {
            const char *s = near[tokens_chance(sizeof near / sizeof *near)];
            for (; *s && k < n; s++) out[k++] = *s;
        }
    }
    return n;
}

static inline lh_tokenizer *tokens_train(lh_context *ctx, lh_tokenizer_kind kind, int size) {
    static const char *const special[] = {"<|endoftext|>", "<pad>", "<|end|>"};
    return lh_tokenizer_train(
        ctx, tokens_text, TOKENS_TEXT,
        &(lh_tokenizer_how){.kind = kind, .size = size, .special = special, .n_specials = 3});
}

#endif
