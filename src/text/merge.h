/* merge -- one piece of text as byte pairs: joined in the order in which the merges were learned.
 *
 *     size_t n = lh_merge_piece(t, " lower", 6, ids, 6);
 *
 * Needs time in proportion to n log n, so that one piece of a million letters is no trouble.
 */
#ifndef LH_TEXT_MERGE_H
#define LH_TEXT_MERGE_H

#include "text/tokenizer.h"

/* How many ids the piece has, of which the first `capacity` are written; 0: the context failed. */
size_t lh_merge_piece(const lh_tokenizer *t, const char *piece, size_t n, int *ids,
                      size_t capacity);
size_t lh_merge_ids(const lh_tokenizer *t, int *id, size_t n); /* in place; how many are left */

#endif
