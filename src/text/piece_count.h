/* piece_count -- the pieces of a text and how often each occurs: what every kind of vocabulary is learned from.
 *
 *     lh_counts c = lh_count_pieces(arena, text, length, lh_split);
 *     for (int i = 0; i < c.n; i++) ... c.piece[i].bytes, .length, .count
 */
#ifndef LH_PIECE_COUNT_H
#define LH_PIECE_COUNT_H

#include "text/tokenizer.h"

typedef struct lh_counted {
    const char *bytes; /* in the text */
    size_t length;
    uint64_t count;
} lh_counted;

typedef struct lh_counts {
    lh_counted *piece; /* [n], each once, in the order of the text */
    int n;
} lh_counts;

typedef size_t (*lh_cutter)(const char *text, size_t length); /* bytes of the first piece */

lh_counts lh_count_pieces(lh_arena *arena, const char *text, size_t length, lh_cutter cut);

/* Learns merges until t has `size` tokens, or no pair occurs twice (train_bpe.c). t has its 256 bytes. */
void lh_learn_merges(lh_tokenizer *t, const lh_counts *counts, int size,
                     const lh_tokenizer_how *how);

#endif
