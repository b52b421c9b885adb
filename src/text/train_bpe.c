/* Byte pairs are learned by joining the pair that occurs most often, over and over. A text is first counted by pieces: a piece
 * that occurs a thousand times is looked at once and weighs a thousand. All pieces lie one after another as symbols:
 *
 *     symbol   l  o  w |  l  o  w  e  r |  n  e  w          before and after stay inside a piece
 *     weight   5  5  5    2  2  2  2  2    6  6  6
 *
 * Each pair knows how often it occurs and where. Joining it goes only to those places, and a place is left behind for good: all
 * work together is in proportion to the symbols, but for the heap in which the most frequent pair is found. Counts in the heap
 * may be too high, since they sink while others are joined; such an entry is put back with its true count when it comes up.
 */
#include <string.h>

#include "text/piece_count.h"

enum { LEAST = 2, TELL_EVERY = 64 };
static const uint32_t END = UINT32_MAX;

typedef struct symbol {
    int id;                 /* -1: joined to the one before */
    uint32_t before, after; /* END: none in this piece */
    int piece;
} symbol;

typedef struct place {
    uint32_t at; /* the left symbol; out of date when the pair is no longer there */
    uint32_t next;
} place;

typedef struct pair {
    int left, right;
    uint64_t count;
    uint32_t first, last; /* its places, ascending: that decides aaa */
} pair;

typedef struct entry { /* of the heap */
    uint64_t count;
    int left, right; /* of the pair, to decide between equals */
    int pair;
} entry;

typedef struct learner {
    lh_tokenizer *t;
    lh_arena *arena;
    const lh_counts *counts;
    symbol *symbol; /* [n_symbols] */
    uint32_t n_symbols;
    /* [n_places], at most 3 n_symbols: each merge takes a symbol and makes two pairs */
    place *place;
    uint32_t n_places;
    pair *pair; /* [n_pairs] */
    int n_pairs;
    lh_pair_table index; /* left and right to pair */
    entry *heap;         /* [n_heap] of room */
    size_t n_heap, room;
} learner;

/* ---- the heap: most frequent first, of equals the smaller left, then the smaller right ---- */

static bool comes_first(entry a, entry b) {
    if (a.count != b.count) return a.count > b.count;
    return a.left != b.left ? a.left < b.left : a.right < b.right;
}

static void heap_push(learner *l, int index) {
    const pair *p = &l->pair[index];
    entry new = {p->count, p->left, p->right, index};
    if (p->count < LEAST) return;
    if (l->n_heap == l->room) {
        size_t room = l->room ? l->room * 2 : 1024;
        entry *more = lh_alloc_array(l->arena, room, sizeof *more);
        if (!more) return;
        if (l->n_heap) memcpy(more, l->heap, l->n_heap * sizeof *more);
        l->heap = more;
        l->room = room;
    }
    size_t i = l->n_heap++;
    for (; i > 0 && comes_first(new, l->heap[(i - 1) / 2]); i = (i - 1) / 2)
        l->heap[i] = l->heap[(i - 1) / 2];
    l->heap[i] = new;
}

static entry heap_pop(learner *l) {
    entry first = l->heap[0], last = l->heap[--l->n_heap];
    size_t i = 0;
    for (size_t child = 1; child < l->n_heap; child = 2 * i + 1) {
        if (child + 1 < l->n_heap && comes_first(l->heap[child + 1], l->heap[child])) child++;
        if (!comes_first(l->heap[child], last)) break;
        l->heap[i] = l->heap[child];
        i = child;
    }
    l->heap[i] = last;
    return first;
}

/* The pair that occurs most often, or -1. */
static int most_frequent(learner *l) {
    while (l->n_heap && !lh_failed(l->t->ctx)) {
        entry e = heap_pop(l);
        if (e.count == l->pair[e.pair].count) return e.pair;
        heap_push(l, e.pair);
    }
    return -1;
}

/* ---- pairs and their places ---- */

static uint64_t weight_at(const learner *l, uint32_t at) {
    return l->counts->piece[l->symbol[at].piece].count;
}

/* One more occurrence of the pair that begins at a symbol. */
static void pair_add(learner *l, uint32_t at) {
    int left = l->symbol[at].id, right = l->symbol[l->symbol[at].after].id;
    int i = lh_pair_find(&l->index, left, right);
    if (i < 0) {
        i = l->n_pairs;
        pair *new = lh_push(l->arena, l->pair, l->n_pairs);
        *new = (pair){left, right, 0, END, END};
        lh_pair_put(&l->index, left, right, i);
        if (lh_failed(l->t->ctx)) return;
    }
    pair *p = &l->pair[i];
    uint32_t new = l->n_places++;
    l->place[new] = (place){at, END};
    if (p->first == END)
        p->first = new;
    else
        l->place[p->last].next = new;
    p->last = new;
    p->count += weight_at(l, at);
}

static void pair_take(learner *l, uint32_t at) {
    int i = lh_pair_find(&l->index, l->symbol[at].id, l->symbol[l->symbol[at].after].id);
    if (i >= 0) l->pair[i].count -= weight_at(l, at);
}

/* a [b c] d becomes a [bc] d: three pairs go, two come. */
static void join(learner *l, uint32_t at, int made) {
    symbol *s = &l->symbol[at], *right = &l->symbol[s->after];
    if (s->before != END) pair_take(l, s->before);
    pair_take(l, at);
    if (right->after != END) pair_take(l, s->after);
    s->id = made;
    s->after = right->after;
    right->id = -1;
    if (s->after != END) l->symbol[s->after].before = at;
    if (s->before != END) pair_add(l, s->before);
    if (s->after != END) pair_add(l, at);
}

static void join_all(learner *l, int index, int made) {
    const int left = l->pair[index].left, right = l->pair[index].right, first_new = l->n_pairs;
    uint32_t i = l->pair[index].first;
    for (; i != END && !lh_failed(l->t->ctx); i = l->place[i].next) {
        const symbol *s = &l->symbol[l->place[i].at];
        if (s->id == left && s->after != END && l->symbol[s->after].id == right)
            join(l, l->place[i].at, made);
    }
    for (int k = first_new; k < l->n_pairs && !lh_failed(l->t->ctx); k++) heap_push(l, k);
}

/* ---- learning ---- */

static void lay_out(learner *l) {
    size_t n = 0;
    for (int i = 0; i < l->counts->n; i++) n += l->counts->piece[i].length;
    if (n > UINT32_MAX / 4) {
        lh_fail(l->t->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
                "the text has %zu bytes of different pieces, which is too many", n);
        return;
    }
    l->symbol = lh_alloc_array(l->arena, n, sizeof *l->symbol);
    l->place = lh_alloc_array(l->arena, 3 * n, sizeof *l->place);
    if (!l->symbol || !l->place) return;
    for (int i = 0; i < l->counts->n; i++) {
        const lh_counted *p = &l->counts->piece[i];
        for (size_t k = 0; k < p->length; k++, l->n_symbols++)
            l->symbol[l->n_symbols] =
                (symbol){l->t->byte_id[(unsigned char)p->bytes[k]], k ? l->n_symbols - 1 : END,
                         k + 1 < p->length ? l->n_symbols + 1 : END, i};
    }
    for (uint32_t i = 0; i < l->n_symbols && !lh_failed(l->t->ctx); i++)
        if (l->symbol[i].after != END) pair_add(l, i);
    for (int i = 0; i < l->n_pairs && !lh_failed(l->t->ctx); i++) heap_push(l, i);
}

/* The token that a pair makes. No bytes are made twice: between two ends that no merge has crossed, the same bytes are always
 * joined in the same way at the same time, so that where one merge made them, no other pair of these bytes is left. */
static int make_token(learner *l, const pair *p) {
    const lh_token *left = &l->t->token[p->left], *right = &l->t->token[p->right];
    size_t n = left->length + right->length;
    char small[256], *bytes = n <= sizeof small ? small : lh_alloc(l->arena, n);
    if (!bytes) return -1;
    memcpy(bytes, left->bytes, left->length);
    memcpy(bytes + left->length, right->bytes, right->length);
    int made = lh_tokenizer_add(l->t, bytes, n, LH_TOKEN_PLAIN);
    lh_tokenizer_add_merge(l->t, p->left, p->right, made);
    return made;
}

void lh_learn_merges(lh_tokenizer *t, const lh_counts *counts, int size,
                     const lh_tokenizer_how *how) {
    learner l = {.t = t, .arena = lh_arena_new(t->ctx), .counts = counts};
    l.index.arena = l.arena;
    if (!l.arena) return;
    if (size > t->n_tokens) lay_out(&l);
    while (t->n_tokens < size) {
        int best = most_frequent(&l);
        if (best < 0) break;
        int made = make_token(&l, &l.pair[best]);
        if (made >= 0) join_all(&l, best, made);
        if (how->tell && t->n_tokens % TELL_EVERY == 0) how->tell(how->who, t->n_tokens, size);
    }
    lh_arena_free(l.arena);
}
