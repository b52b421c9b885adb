/* text_part -- a file that several ranks read in parts: none holds all of it.
 *
 *     lh_text_part part;
 *     if (lh_text_part_read(ctx, arena, "notes.txt", ranks, &part)) ...       part.text, part.length: this rank's
 *
 * Rank 0 goes through the file once, a block at a time: it finds where parts begin (lh_data_is_cut: so that the tokens are those of the whole),
 * and sums by which every rank checks that it has read the same text.
 *
 * All ranks call it together. Errors: in the contexts of all of them, with the words of the one that has them.
 */
#ifndef LH_TRAIN_TEXT_PART_H
#define LH_TRAIN_TEXT_PART_H

#include "train/ranks.h"

typedef struct lh_text_part {
    char *text; /* in the arena; a final 0 follows */
    size_t length;
    uint64_t whole; /* bytes of the file */
    uint64_t sum;   /* of the file: as lh_text_sum makes it */
} lh_text_part;

uint64_t lh_text_sum(const char *s, size_t n); /* tells a text from another; keeps no secret */
bool lh_text_part_read(lh_context *ctx, lh_arena *a, const char *path, const lh_ranks *ranks,
                       lh_text_part *part);

#endif
