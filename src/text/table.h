/* table -- two hash tables for tokenisers: bytes to a number, and a pair of numbers to a number.
 *
 *     lh_byte_table words = {.arena = a};
 *     if (lh_byte_find(&words, s, n) < 0) lh_byte_put(&words, s, n, 7);
 *
 * Values are not negative. The bytes are kept by address, not copied. Without memory the context fails and what is put is
 * lost. An empty table is all zero but for its arena.
 */
#ifndef LH_TEXT_TABLE_H
#define LH_TEXT_TABLE_H

#include <stdint.h>

#include "base/context.h"

typedef struct lh_byte_slot {
    const char *bytes; /* NULL: free */
    size_t length;
    uint32_t hash;
    int value;
} lh_byte_slot;

typedef struct lh_byte_table {
    lh_arena *arena;
    lh_byte_slot *slot; /* [size], a power of two; at most half are taken */
    size_t size, used;
} lh_byte_table;

typedef struct lh_pair_slot {
    int left, right;
    int value; /* plus one; 0: free */
} lh_pair_slot;

typedef struct lh_pair_table {
    lh_arena *arena;
    lh_pair_slot *slot;
    size_t size, used;
} lh_pair_table;

uint32_t lh_byte_hash(const char *bytes, size_t n);
/* -1: not there */
int lh_byte_find_hashed(const lh_byte_table *t, const char *bytes, size_t n, uint32_t hash);
int lh_byte_find(const lh_byte_table *t, const char *bytes, size_t n);      /* -1: not there */
void lh_byte_put(lh_byte_table *t, const char *bytes, size_t n, int value); /* not there yet */
void lh_pair_put(lh_pair_table *t, int left, int right, int value);         /* not there yet */

/* Where a pair lies, or the free place for it. Here, since merging does little else. */
static inline lh_pair_slot *lh_pair_place(const lh_pair_table *t, int left, int right) {
    uint64_t h = ((uint64_t)(uint32_t)left << 32 | (uint32_t)right) * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(h >> 32 ^ h >> 20) & (t->size - 1);
    while (t->slot[i].value && (t->slot[i].left != left || t->slot[i].right != right))
        i = (i + 1) & (t->size - 1);
    return &t->slot[i];
}

static inline int lh_pair_find(const lh_pair_table *t, int left, int right) { /* -1: not there */
    return t->size ? lh_pair_place(t, left, right)->value - 1 : -1;
}

#endif
