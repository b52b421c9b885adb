/* One piece of text by a model of a pipeline: byte pairs, words, unigrams, pieces of words. */
#include <string.h>

#include "base/utf8.h"
#include "text/merge.h"
#include "text/pipeline.h"

static const lh_place nowhere = {0, 0, 0};

static void fail_unknown(const lh_tokenizer *t, const char *s, size_t n) {
    lh_fail(t->ctx, LH_ERROR_VALUE, nowhere,
            "\"%.*s\" is not in the vocabulary, which has no token for the unknown",
            n > 40 ? 40 : (int)n, s);
    lh_cure(t->ctx, "its unk_token is missing from the vocabulary");
}

static size_t char_bytes(const char *s, size_t n) {
    uint32_t c;
    size_t k = lh_utf8_read(s, n, &c);
    return k ? k : 1;
}

/* The tokens <0xHH> of all bytes, or none. */
static bool put_fallback(const lh_pipeline *p, const char *s, size_t n, lh_ids *out) {
    if (!p->has_fallback) return false;
    for (size_t i = 0; i < n; i++)
        if (p->byte_name[(unsigned char)s[i]] < 0) return false;
    for (size_t i = 0; i < n; i++) lh_ids_put(out, p->byte_name[(unsigned char)s[i]]);
    return true;
}

/* ---- byte pairs ---- */

/* Where merging begins, characters: an unknown one waits until the next that is known, so that a row of them can be one. A
 * character that falls back on bytes does not end the waiting: Hugging Face's do it so. */
static void begin_chars(const lh_tokenizer *t, const char *s, size_t n, lh_ids *out) {
    const lh_pipeline *p = t->pipeline;
    bool waits = false;
    for (size_t i = 0, k; i < n; i += k) {
        k = char_bytes(s + i, n - i);
        int id = lh_byte_find(&t->pieces, s + i, k);
        if (id >= 0) {
            if (waits) lh_ids_put(out, t->unknown);
            waits = false;
            lh_ids_put(out, id);
        } else if (!put_fallback(p, s + i, k, out)) {
            if (waits && !p->fuses_unknown) lh_ids_put(out, t->unknown);
            waits = t->unknown >= 0;
            if (p->lacks_unknown) fail_unknown(t, s + i, k);
        }
    }
    if (waits) lh_ids_put(out, t->unknown);
}

static void begin_bytes(const lh_tokenizer *t, const char *s, size_t n, lh_ids *out) {
    bool waits = false;
    for (size_t i = 0; i < n; i++) {
        int id = t->byte_id[(unsigned char)s[i]];
        if (waits && (id >= 0 || !t->pipeline->fuses_unknown)) lh_ids_put(out, t->unknown);
        waits = id < 0 && t->unknown >= 0;
        if (id >= 0) lh_ids_put(out, id);
        if (id < 0 && t->pipeline->lacks_unknown) fail_unknown(t, s + i, 1);
    }
    if (waits) lh_ids_put(out, t->unknown);
}

static void encode_pairs(const lh_tokenizer *t, lh_arena *scratch, const char *s, size_t n,
                         lh_ids *out) {
    enum { FEW = 256 };
    const lh_pipeline *p = t->pipeline;
    int few[FEW], id = n <= t->longest ? lh_byte_find(&t->pieces, s, n) : -1;
    if (id >= 0 && (p->ignores_merges || t->token[id].is_whole)) {
        lh_ids_put(out, id);
        return;
    }
    int *list = n <= FEW ? few : lh_alloc_array(scratch, n, sizeof *list);
    if (!list) return;
    lh_ids begun = {list, n, 0};
    (p->is_bytes ? begin_bytes : begin_chars)(t, s, n, &begun);
    size_t m = lh_merge_ids(t, list, begun.n);
    for (size_t i = 0; i < m; i++) lh_ids_put(out, list[i]);
}

/* ---- words ---- */

static void encode_word(const lh_tokenizer *t, const char *s, size_t n, lh_ids *out) {
    int id = lh_byte_find(&t->pieces, s, n);
    if (id < 0) id = t->unknown;
    if (id < 0)
        fail_unknown(t, s, n);
    else
        lh_ids_put(out, id);
}

/* The longest token, then the longest of what is left, which has a prefix; if that fails anywhere, the word is unknown. */
static void encode_wordpiece(const lh_tokenizer *t, lh_arena *scratch, const char *s, size_t n,
                             lh_ids *out) {
    const lh_pipeline *p = t->pipeline;
    size_t begin = out->n, chars = 0;
    for (size_t i = 0; i < n; i += char_bytes(s + i, n - i)) chars++;
    bool is_known = chars <= (size_t)p->longest_word;
    char *word = lh_alloc_array(scratch, p->n_prefix + n + 1, 1);
    if (!word) return;
    memcpy(word + p->n_prefix, s, n);
    for (size_t i = 0, end; i < n && is_known; i = end) {
        size_t before = i ? p->n_prefix : 0;
        int id = -1;
        if (i) memcpy(word + i, p->prefix, before); /* over what was taken already */
        for (end = n; end > i; end--) {
            if ((end < n && !lh_utf8_starts(s[end])) || end - i + before > t->longest) continue;
            id = lh_byte_find(&t->pieces, i ? word + i : s, before + end - i);
            if (id >= 0) break;
        }
        is_known = id >= 0;
        if (is_known) lh_ids_put(out, id);
    }
    if (is_known) return;
    out->n = begin;
    if (t->unknown < 0)
        fail_unknown(t, s, n);
    else
        lh_ids_put(out, t->unknown);
}

/* ---- unigrams: the cut whose scores add up to most ---- */

typedef struct best {
    double score;
    size_t from; /* SIZE_MAX: nothing ends here */
    int id;
} best;

static void offer(best *b, double score, size_t from, int id) {
    if (b->from == SIZE_MAX || score > b->score) *b = (best){score, from, id};
}

static bool find_best(const lh_tokenizer *t, const char *s, size_t n, best *at) {
    enum { PENALTY = 10 };
    const lh_pipeline *p = t->pipeline;
    for (size_t i = 0; i <= n; i++) at[i] = (best){0, SIZE_MAX, -1};
    for (size_t i = 0, k; i < n; i += k) {
        bool has_one = false;
        k = char_bytes(s + i, n - i);
        for (int node = 0, j = 0; i + (size_t)j < n; j++) {
            node = lh_trie_step(&p->unigrams, node, s[i + (size_t)j]);
            if (node <= 0) break;
            int id = p->unigrams.value[node];
            if (id < 0) continue;
            offer(&at[i + (size_t)j + 1], at[i].score + p->score[id], i, id);
            has_one |= (size_t)j + 1 == k;
        }
        if (has_one) continue;
        if (t->unknown < 0) {
            fail_unknown(t, s + i, k);
            return false;
        }
        offer(&at[i + k], (p->lowest - PENALTY) + at[i].score, i, t->unknown);
    }
    return true;
}

static void put_unigram(const lh_tokenizer *t, const char *s, size_t n, lh_ids *out) {
    int id = lh_byte_find(&t->pieces, s, n);
    if (id >= 0)
        lh_ids_put(out, id);
    else if (!put_fallback(t->pipeline, s, n, out))
        lh_ids_put(out, t->unknown);
}

/* Back from the end; unknown characters in a row are one. `next` turns the way around. */
static void encode_unigram(const lh_tokenizer *t, lh_arena *scratch, const char *s, size_t n,
                           lh_ids *out) {
    best *at = lh_alloc_array(scratch, n + 1, sizeof *at);
    size_t *next = lh_alloc_array(scratch, n + 1, sizeof *next);
    if (!at || !next || !find_best(t, s, n, at)) return;
    for (size_t end = n, from; end > 0; end = from) {
        from = at[end].from;
        bool is_unknown = t->unknown >= 0 && at[end].id == t->unknown;
        size_t until = end;
        while (is_unknown && from > 0 && at[from].id == t->unknown) from = at[from].from;
        next[from] = until;
    }
    for (size_t i = 0; i < n; i = next[i]) put_unigram(t, s + i, next[i] - i, out);
}

void lh_model_encode(const lh_tokenizer *t, lh_arena *scratch, const char *s, size_t n,
                     lh_ids *out) {
    switch (t->pipeline->model) {
    case LH_MODEL_BPE: encode_pairs(t, scratch, s, n, out); break;
    case LH_MODEL_WORDS: encode_word(t, s, n, out); break;
    case LH_MODEL_UNIGRAM: encode_unigram(t, scratch, s, n, out); break;
    case LH_MODEL_WORDPIECE: encode_wordpiece(t, scratch, s, n, out); break;
    }
}
