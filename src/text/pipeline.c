/* From a text to the pieces that the model sees: added tokens, normalisers, cuts. A piece goes through all that is left before the
 * next one is begun, so that no list of pieces is needed. */
#include "text/pipeline.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "text/split.h"

typedef struct pass {
    const lh_tokenizer *t;
    const lh_pipeline *p;
    lh_arena *arena; /* ends with the text */
    bool specials;
    lh_ids *out;
} pass;

typedef struct piece {
    const char *s;
    size_t n;
    bool is_first; /* it stands where the text begins */
} piece;

static void cut_from(pass *w, int k, piece x);

/* ---- cuts ---- */

/* Where matches come from: each call gives the next stretch, a match or what lies between two. */
typedef struct stretch {
    size_t start, end;
    bool is_match;
} stretch;

typedef struct source {
    const lh_cut *cut;
    piece x;
    lh_scan scan;
    size_t at;
    stretch next; /* a match that was found and not given yet */
    bool has_next;
} source;

static bool find_pattern(source *s, stretch *m) {
    m->is_match = true;
    return lh_scan_next(&s->scan, &m->start, &m->end);
}

/* GPT-2's rule: every piece is a match. */
static bool find_bytes(const source *s, stretch *m) {
    *m = (stretch){s->at, s->at + lh_split(s->x.s + s->at, s->x.n - s->at), true};
    return s->at < s->x.n;
}

static bool find_set(const source *s, stretch *m) {
    uint32_t c;
    for (size_t i = s->at, k; i < s->x.n; i += k) {
        c = 0x7FFFFFFF;
        k = lh_utf8_read(s->x.s + i, s->x.n - i, &c);
        if (k == 0) k = 1;
        if (!lh_charset_has(s->cut->set, c)) continue;
        *m = (stretch){i, i + k, true};
        return true;
    }
    return false;
}

static bool find_meta(const source *s, stretch *m) {
    const char *meta = s->cut->meta;
    size_t k = s->cut->n_meta;
    for (size_t i = s->at; i + k <= s->x.n; i++) {
        if (memcmp(s->x.s + i, meta, k) != 0) continue;
        *m = (stretch){i, i + k, true};
        return true;
    }
    return false;
}

static bool find(source *s, stretch *m) {
    switch (s->cut->kind) {
    case LH_CUT_PATTERN: return find_pattern(s, m);
    case LH_CUT_SET: return find_set(s, m);
    case LH_CUT_BYTES: return find_bytes(s, m);
    default: return find_meta(s, m);
    }
}

static bool next_stretch(source *s, stretch *m) {
    if (!s->has_next) s->has_next = find(s, &s->next);
    size_t until = s->has_next ? s->next.start : s->x.n;
    if (s->at < until) {
        *m = (stretch){s->at, until, false};
        s->at = until;
    } else if (s->has_next) {
        *m = s->next;
        s->has_next = false;
        s->at = m->end;
    } else {
        return false;
    }
    if (s->cut->is_inverted) m->is_match = !m->is_match;
    return true;
}

static void emit(pass *w, int k, piece x, size_t start, size_t end) {
    if (end > start) cut_from(w, k, (piece){x.s + start, end - start, x.is_first && start == 0});
}

/* Each behaviour is a rule about which stretches are one piece; `held` waits for its end. */
static void cut_stretches(pass *w, int k, piece x, source *s) {
    lh_behaviour how = s->cut->behaviour;
    stretch m, held = {0, 0, false};
    bool has_held = false, was_match = false;
    while (!lh_failed(w->t->ctx) && next_stretch(s, &m)) {
        bool joins = (how == LH_CONTIGUOUS && m.is_match == was_match) ||
                     (how == LH_MERGED_WITH_PREVIOUS && m.is_match && !was_match) ||
                     (how == LH_MERGED_WITH_NEXT && !m.is_match && has_held && held.is_match);
        was_match = m.is_match;
        if (has_held && joins) {
            held.end = m.end;
            held.is_match = how != LH_MERGED_WITH_NEXT && held.is_match;
            continue;
        }
        if (has_held) emit(w, k, x, held.start, held.end);
        has_held = !(how == LH_REMOVED && m.is_match);
        held = m;
    }
    if (has_held) emit(w, k, x, held.start, held.end);
}

static piece with_before(pass *w, piece x, const char *before, size_t n) {
    lh_text t = lh_text_new(w->arena);
    lh_text_add_n(&t, before, n);
    lh_text_add_n(&t, x.s, x.n);
    return (piece){t.s, t.n, x.is_first};
}

static bool begins_with(piece x, const char *s, size_t n) {
    return x.n >= n && memcmp(x.s, s, n) == 0;
}

static piece with_meta(pass *w, const lh_cut *c, piece x) {
    lh_text t = lh_text_new(w->arena);
    for (size_t i = 0, k; i < x.n; i += k) {
        const char *space = memchr(x.s + i, ' ', x.n - i);
        k = space ? (size_t)(space - x.s) - i : x.n - i;
        lh_text_add_n(&t, x.s + i, k);
        if (space) lh_text_add_n(&t, c->meta, c->n_meta), k++;
    }
    x = (piece){t.s, t.n, x.is_first};
    bool wants = c->prepend == LH_PREPEND_ALWAYS || (c->prepend == LH_PREPEND_FIRST && x.is_first);
    return wants && !begins_with(x, c->meta, c->n_meta) ? with_before(w, x, c->meta, c->n_meta) : x;
}

static void cut_from(pass *w, int k, piece x) {
    if (k == w->p->n_cuts) {
        lh_model_encode(w->t, w->arena, x.s, x.n, w->out);
        return;
    }
    const lh_cut *c = &w->p->cut[k];
    if (c->kind == LH_CUT_META) x = with_meta(w, c, x);
    if (c->kind == LH_CUT_BYTES && c->adds_space && !begins_with(x, " ", 1))
        x = with_before(w, x, " ", 1);
    if ((c->kind == LH_CUT_META || c->kind == LH_CUT_BYTES) && !c->is_split) {
        cut_from(w, k + 1, x);
        return;
    }
    source s = {.cut = c, .x = x};
    if (c->kind == LH_CUT_PATTERN) s.scan = lh_scan_new(w->t->ctx, w->arena, c->pattern, x.s, x.n);
    cut_stretches(w, k + 1, x, &s);
}

/* ---- added tokens ---- */

static bool is_word_at(const char *s, size_t n) {
    uint32_t c;
    return lh_utf8_read(s, n, &c) && lh_unicode_is_word(c);
}

static size_t last_char(const char *s, size_t n) {
    size_t k = 1;
    while (k < n && k < 4 && !lh_utf8_starts(s[n - k])) k++;
    return n - k;
}

static bool is_alone(piece x, size_t start, size_t end) {
    size_t before = start ? last_char(x.s, start) : 0;
    if (start && is_word_at(x.s + before, start - before)) return false;
    return end == x.n || !is_word_at(x.s + end, x.n - end);
}

static size_t left_space(const char *s, size_t n) {
    while (n) {
        size_t k = last_char(s, n);
        uint32_t c;
        if (lh_utf8_read(s + k, n - k, &c) != n - k || !lh_unicode_is_space(c)) break;
        n = k;
    }
    return n;
}

static size_t right_space(const char *s, size_t n, size_t i) {
    uint32_t c;
    for (size_t k; i < n && (k = lh_utf8_read(s + i, n - i, &c)) && lh_unicode_is_space(c);) i += k;
    return i;
}

/* The longest added token that begins at i: its place in p->added, and *end; -1: none. */
static int added_at(const lh_trie *trie, piece x, size_t i, size_t *end) {
    int found = -1;
    for (int node = 0; i < x.n && (node = lh_trie_step(trie, node, x.s[i])) > 0; i++)
        if (trie->value[node] >= 0) found = trie->value[node], *end = i + 1;
    return found;
}

static void after_raw(pass *w, piece x);

static void between(pass *w, bool is_raw, piece x, size_t start, size_t end) {
    if (start >= end) return;
    piece part = {x.s + start, end - start, x.is_first && start == 0};
    if (is_raw)
        after_raw(w, part);
    else
        cut_from(w, 0, part);
}

/* Added tokens are taken out; what lies between goes on. A special one stays text unless specials are wanted. */
static void take_added(pass *w, const lh_trie *trie, bool is_raw, piece x) {
    size_t done = 0, end = 0;
    for (size_t i = 0; i < x.n && trie->n && !lh_failed(w->t->ctx);) {
        int k = added_at(trie, x, i, &end);
        if (k < 0) {
            i++;
            continue;
        }
        const lh_added *a = &w->p->added[k];
        size_t start = i, stop = end;
        i = end;
        if (a->is_special && !w->specials) continue;
        if (a->is_word && !is_alone(x, start, stop)) continue;
        if (a->takes_left) {
            size_t from = left_space(x.s, start);
            start = from > done ? from : done;
        }
        if (a->takes_right) stop = right_space(x.s, x.n, stop);
        if (done < start) between(w, is_raw, x, done, start);
        lh_ids_put(w->out, a->id);
        done = stop;
    }
    between(w, is_raw, x, done, x.n);
}

static void after_raw(pass *w, piece x) {
    lh_pipeline_normalize(w->p, w->t->ctx, w->arena, &x.s, &x.n);
    take_added(w, &w->p->normalised, false, x);
}

void lh_pipeline_encode(const lh_tokenizer *t, const char *text, size_t length, bool specials,
                        lh_ids *out) {
    lh_arena *arena = lh_arena_new(t->ctx);
    if (!arena) return;
    pass w = {.t = t, .p = t->pipeline, .arena = arena, .specials = specials, .out = out};
    take_added(&w, &w.p->raw, true, (piece){text, length, true});
    lh_arena_free(arena);
}

void lh_pipeline_add(lh_tokenizer *t, const lh_added *added, const char *text, size_t n,
                     bool is_normalised) {
    lh_pipeline *p = t->pipeline;
    int place = p->n_added;
    *lh_push(t->arena, p->added, p->n_added) = *added;
    if (is_normalised) lh_pipeline_normalize(p, t->ctx, t->arena, &text, &n);
    if (n && !lh_failed(t->ctx))
        lh_trie_put(is_normalised ? &p->normalised : &p->raw, text, n, place);
}

/* Which tokens come out when they are encoded themselves: then a piece that is one needs no merging. */
static void find_whole_tokens(lh_tokenizer *t) {
    lh_byte_table *keys = &t->pieces;
    bool lacked = t->pipeline->lacks_unknown; /* no failure for what nobody asked */
    t->pipeline->lacks_unknown = false;
    lh_arena *scratch = lh_arena_new(t->ctx);
    for (size_t i = 0; scratch && i < keys->size && !lh_failed(t->ctx); i++) {
        const lh_byte_slot *x = &keys->slot[i];
        if (!x->bytes) continue;
        int id = -1;
        lh_ids out = {&id, 1, 0};
        lh_model_encode(t, scratch, x->bytes, x->length, &out);
        t->token[x->value].is_whole = out.n == 1 && id == x->value;
    }
    lh_arena_free(scratch);
    t->pipeline->lacks_unknown = lacked;
}

static void find_scores(lh_tokenizer *t) {
    lh_pipeline *p = t->pipeline;
    p->unigrams.arena = t->arena;
    for (size_t i = 0; i < t->pieces.size; i++) {
        const lh_byte_slot *x = &t->pieces.slot[i];
        if (x->bytes) lh_trie_put(&p->unigrams, x->bytes, x->length, x->value);
    }
}

void lh_pipeline_finish(lh_tokenizer *t) {
    lh_pipeline *p = t->pipeline;
    for (int i = 0; i < 256; i++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", (unsigned)i);
        p->byte_name[i] = lh_byte_find(&t->pieces, name, 6);
    }
    if (p->model == LH_MODEL_UNIGRAM) find_scores(t);
    if (p->model == LH_MODEL_BPE && !p->ignores_merges) find_whole_tokens(t);
}
