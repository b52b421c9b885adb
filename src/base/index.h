/* index -- texts to numbers, found without comparing each with every other.
 *
 *     lh_index x = {.arena = a};
 *     int before = lh_index_add(&x, "scores", 6, 12);      -1: it is new, and its number is 12; else the number it has
 *     lh_index_set(&x, "scores", 6, 13);                   another number
 *
 * The texts are not copied. Without memory nothing is remembered, and the context has failed.
 */
#ifndef LH_BASE_INDEX_H
#define LH_BASE_INDEX_H

#include "base/context.h"

typedef struct lh_index_entry {
    const char *text; /* NULL: free */
    size_t length;
    int number;
} lh_index_entry;

typedef struct lh_index {
    lh_arena *arena;
    lh_index_entry *slot;
    size_t n, n_slots; /* n_slots is a power of two, at least twice n */
} lh_index;

int lh_index_add(lh_index *x, const char *text, size_t length, int number); /* numbers from 0 */
void lh_index_set(lh_index *x, const char *text, size_t length, int number);

#endif
