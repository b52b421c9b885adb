#include "text/trie.h"

static int new_node(lh_trie *t) {
    int at = t->n;
    *lh_push(t->arena, t->value, t->n) = -1;
    return at;
}

void lh_trie_put(lh_trie *t, const char *s, size_t n, int value) {
    int node = 0;
    t->next.arena = t->arena;
    if (t->n == 0) new_node(t);
    for (size_t i = 0; i < n && node < t->n; i++) {
        int next = lh_trie_step(t, node, s[i]);
        if (next < 0) {
            next = new_node(t);
            lh_pair_put(&t->next, node, (unsigned char)s[i], next);
        }
        node = next;
    }
    if (node < t->n) t->value[node] = value;
}
