#include "text/merge.h"

#include <limits.h>
#include <string.h>

enum { SHORT = 64, NONE = INT_MAX };

static int rank_of(const lh_tokenizer *t, int left, int right) {
    int rank = lh_pair_find(&t->pairs, left, right);
    return rank < 0 ? NONE : rank;
}

/* A short piece: the ranks of all pairs side by side, the smallest looked for again after each merge.
 *
 *     id     l   o   w   e   r           id     l   o   w   er
 *     rank     9   4   -   2       ->    rank     9   4   -
 */
static size_t merge_short(const lh_tokenizer *t, int *id, size_t n) {
    int rank[SHORT];
    for (size_t i = 0; i + 1 < n; i++) rank[i] = rank_of(t, id[i], id[i + 1]);
    while (n > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < n; i++)
            if (rank[i] < rank[best]) best = i;
        if (rank[best] == NONE) break;
        id[best] = t->merge[rank[best]].made;
        n--;
        memmove(id + best + 1, id + best + 2, (n - best - 1) * sizeof *id);
        if (best + 1 < n) {
            memmove(rank + best, rank + best + 1, (n - best - 1) * sizeof *rank);
            rank[best] = rank_of(t, id[best], id[best + 1]);
        }
        if (best > 0) rank[best - 1] = rank_of(t, id[best - 1], id[best]);
    }
    return n;
}

/* A long piece: its symbols in a linked list, its pairs in a heap. What a merge makes out of date stays in the heap and is
 * passed over when it comes up. Each merge adds two pairs at most, so 3 n places are enough. */
typedef struct symbol {
    int id; /* -1: joined to the one before */
    uint32_t before, after;
} symbol;

typedef struct candidate {
    int rank;
    uint32_t at; /* the left symbol */
} candidate;

typedef struct long_piece {
    const lh_tokenizer *t;
    symbol *symbol;  /* [n] */
    candidate *heap; /* [n_heap]: the parent of i is (i - 1) / 2 */
    size_t n, n_heap;
} long_piece;

static bool comes_first(candidate a, candidate b) {
    return a.rank < b.rank || (a.rank == b.rank && a.at < b.at);
}

static void heap_push(long_piece *p, size_t left) {
    size_t right = p->symbol[left].after;
    if (right >= p->n) return;
    candidate new = {rank_of(p->t, p->symbol[left].id, p->symbol[right].id), (uint32_t)left};
    if (new.rank == NONE) return;
    size_t i = p->n_heap++;
    for (; i > 0 && comes_first(new, p->heap[(i - 1) / 2]); i = (i - 1) / 2)
        p->heap[i] = p->heap[(i - 1) / 2];
    p->heap[i] = new;
}

static candidate heap_pop(long_piece *p) {
    candidate first = p->heap[0], last = p->heap[--p->n_heap];
    size_t i = 0;
    for (size_t child = 1; child < p->n_heap; child = 2 * i + 1) {
        if (child + 1 < p->n_heap && comes_first(p->heap[child + 1], p->heap[child])) child++;
        if (!comes_first(p->heap[child], last)) break;
        p->heap[i] = p->heap[child];
        i = child;
    }
    p->heap[i] = last;
    return first;
}

static void merge_at(long_piece *p, candidate c) {
    symbol *left = &p->symbol[c.at];
    if (left->id < 0 || left->after >= p->n) return;
    symbol *right = &p->symbol[left->after];
    if (rank_of(p->t, left->id, right->id) != c.rank) return; /* out of date */
    left->id = p->t->merge[c.rank].made;
    left->after = right->after;
    if (right->after < p->n) p->symbol[right->after].before = c.at;
    right->id = -1;
    heap_push(p, c.at);
    if (left->before < p->n) heap_push(p, left->before);
}

static size_t merge_long(const lh_tokenizer *t, int *id, size_t n) {
    lh_arena *arena = n < UINT32_MAX ? lh_arena_new(t->ctx) : NULL;
    size_t count = 0;
    if (!arena) {
        lh_fail(t->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0}, "a piece of %zu bytes is too long", n);
        return 0;
    }
    long_piece p = {.t = t, .n = n};
    p.symbol = lh_alloc_array(arena, n, sizeof *p.symbol);
    p.heap = lh_alloc_array(arena, 3 * n, sizeof *p.heap);
    if (p.symbol && p.heap) {
        for (size_t i = 0; i < n; i++)
            p.symbol[i] = (symbol){id[i], i ? (uint32_t)(i - 1) : UINT32_MAX, (uint32_t)(i + 1)};
        for (size_t i = 0; i < n; i++) heap_push(&p, i);
        while (p.n_heap) merge_at(&p, heap_pop(&p));
        for (size_t i = 0; i < n; i = p.symbol[i].after) id[count++] = p.symbol[i].id;
    }
    lh_arena_free(arena);
    return count;
}

size_t lh_merge_ids(const lh_tokenizer *t, int *id, size_t n) {
    return n > SHORT ? merge_long(t, id, n) : merge_short(t, id, n);
}

/* A byte that has no token is left out. */
static size_t begin(const lh_tokenizer *t, const char *piece, size_t n, int *id) {
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if ((id[k] = t->byte_id[(unsigned char)piece[i]]) >= 0) k++;
    return k;
}

static size_t copy_out(const int *id, size_t n, int *ids, size_t capacity) {
    const size_t fitting = n < capacity ? n : capacity;
    if (fitting) memcpy(ids, id, fitting * sizeof *ids);
    return n;
}

size_t lh_merge_piece(const lh_tokenizer *t, const char *piece, size_t n, int *ids,
                      size_t capacity) {
    int few[SHORT];
    if (n <= SHORT)
        return copy_out(few, lh_merge_ids(t, few, begin(t, piece, n, few)), ids, capacity);
    lh_arena *arena = lh_arena_new(t->ctx);
    int *id = arena ? lh_alloc_array(arena, n, sizeof *id) : NULL;
    size_t k = id ? lh_merge_ids(t, id, begin(t, piece, n, id)) : 0;
    copy_out(id, k, ids, capacity);
    lh_arena_free(arena);
    return k;
}
