/* trie -- many strings, of which one looks for those that a text begins with.
 *
 *     lh_trie t = {.arena = a};
 *     lh_trie_put(&t, "cat", 3, 7);
 *     for (int node = 0, i = 0; i < n && (node = lh_trie_step(&t, node, text[i])) > 0; i++) if (t.value[node] >= 0) ...
 *
 * Values are not negative; a string that is put twice has the later one. Without memory the context fails.
 */
#ifndef LH_TEXT_TRIE_H
#define LH_TEXT_TRIE_H

#include "text/table.h"

typedef struct lh_trie {
    lh_arena *arena;
    int *value; /* [n], by node: -1 where no string ends; node 0 is the beginning */
    int n;
    lh_pair_table next; /* node and byte to node */
} lh_trie;

void lh_trie_put(lh_trie *t, const char *s, size_t n, int value);

static inline int lh_trie_step(const lh_trie *t, int node, char byte) { /* -1: none goes on so */
    return lh_pair_find(&t->next, node, (unsigned char)byte);
}

#endif
