/* Names of tokens back to text: a list of names goes through the decoders, one after another. */
#include <string.h>

#include "base/utf8.h"
#include "text/alphabet.h"
#include "text/pipeline.h"

typedef struct name {
    const char *s;
    size_t n;
} name;

typedef struct names {
    lh_context *ctx;
    lh_arena *arena;
    name *list;
    size_t n;
} names;

static const char replacement[] = "\xEF\xBF\xBD";

/* A name in the alphabet of bytes to those bytes; one with another character stays as it is. */
static void add_bytes(lh_text *out, name x) {
    size_t before = out->n;
    for (size_t i = 0, k; i < x.n; i += k) {
        uint32_t c;
        k = lh_utf8_read(x.s + i, x.n - i, &c);
        int byte = k ? lh_alphabet_byte(c) : -1;
        if (byte < 0) {
            out->n = before;
            lh_text_add_n(out, x.s, x.n);
            return;
        }
        lh_text_add_n(out, (char[]){(char)byte}, 1);
    }
}

static bool is_byte_name(name x, char *byte) {
    static const char digits[] = "0123456789ABCDEFabcdef";
    int value = 0;
    if (x.n != 6 || memcmp(x.s, "<0x", 3) != 0 || x.s[5] != '>') return false;
    for (int i = 3; i < 5; i++) {
        const char *at = x.s[i] ? strchr(digits, x.s[i]) : NULL;
        if (!at) return false;
        int digit = (int)(at - digits);
        value = value * 16 + (digit > 15 ? digit - 6 : digit);
    }
    *byte = (char)value;
    return true;
}

/* How many bytes at the beginning are the beginning of a character and no more: 1 to 3. */
static size_t broken_bytes(const char *s, size_t n) {
    unsigned char a = (unsigned char)s[0], b = n > 1 ? (unsigned char)s[1] : 0;
    size_t wants = a >= 0xF0 && a <= 0xF4  ? 4
                   : a >= 0xE0 && a < 0xF0 ? 3
                   : a >= 0xC2 && a < 0xE0 ? 2
                                           : 1;
    unsigned char low = a == 0xE0 ? 0xA0 : a == 0xF0 ? 0x90 : 0x80;
    unsigned char high = a == 0xED ? 0x9F : a == 0xF4 ? 0x8F : 0xBF;
    if (wants == 1 || b < low || b > high) return 1;
    size_t k = 2;
    while (k < wants && k < n && !lh_utf8_starts(s[k])) k++;
    return k;
}

void lh_text_add_utf8(lh_text *out, const char *s, size_t n) {
    for (size_t i = 0, k; i < n; i += k) {
        uint32_t c;
        k = lh_utf8_read(s + i, n - i, &c);
        if (k) {
            lh_text_add_n(out, s + i, k);
        } else {
            k = broken_bytes(s + i, n - i);
            lh_text_add_n(out, replacement, 3);
        }
    }
}

static bool is_utf8(const char *s, size_t n) {
    uint32_t c;
    for (size_t i = 0, k; i < n; i += k)
        if ((k = lh_utf8_read(s + i, n - i, &c)) == 0) return false;
    return true;
}

static name name_of(lh_text t) {
    return (name){t.s, t.n};
}

/* ---- one name each ---- */

static name replace_all(lh_arena *a, name x, const char *what, size_t k, const char *with) {
    lh_text t = lh_text_new(a);
    for (size_t i = 0; i < x.n;) {
        if (k && x.n - i >= k && memcmp(x.s + i, what, k) == 0) {
            lh_text_add_n(&t, with, strlen(with));
            i += k;
        } else {
            lh_text_add_n(&t, x.s + i++, 1);
        }
    }
    return name_of(t);
}

/* What WordPiece's decoder does to spaces before signs, in its order. */
static name tidy(lh_arena *a, name x) {
    static const char *const pair[][2] = {{" .", "."},     {" ?", "?"},           {" !", "!"},
                                          {" ,", ","},     {" ' ", "'"},          {" n't", "n't"},
                                          {" 'm", "'m"},   {" do not", " don't"}, {" 's", "'s"},
                                          {" 've", "'ve"}, {" 're", "'re"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        x = replace_all(a, x, pair[i][0], strlen(pair[i][0]), pair[i][1]);
    return x;
}

static name undo_wordpiece(lh_arena *a, const lh_undo *u, name x, bool is_first) {
    lh_text t = lh_text_new(a);
    bool goes_on = x.n >= u->n && memcmp(x.s, u->text, u->n) == 0;
    if (!is_first && goes_on) x = (name){x.s + u->n, x.n - u->n};
    if (!is_first && !goes_on) lh_text_add_n(&t, " ", 1);
    lh_text_add_n(&t, x.s, x.n);
    return u->drops_first ? tidy(a, name_of(t)) : name_of(t);
}

static name undo_strip(const lh_undo *u, name x) {
    size_t start = 0, stop = x.n;
    for (size_t i = 0; i < u->start && x.n - start >= u->n && u->n; i++) {
        if (memcmp(x.s + start, u->text, u->n) != 0) break;
        start += u->n;
    }
    for (size_t i = 0; i < u->stop && stop >= start + u->n && u->n; i++) {
        if (memcmp(x.s + stop - u->n, u->text, u->n) != 0) break;
        stop -= u->n;
    }
    return (name){x.s + start, stop - start};
}

static name undo_replace(lh_context *ctx, lh_arena *a, const lh_undo *u, name x) {
    lh_text t = lh_text_new(a);
    lh_scan scan = lh_scan_new(ctx, a, u->pattern, x.s, x.n);
    size_t start, end, at = 0;
    while (lh_scan_next(&scan, &start, &end)) {
        lh_text_add_n(&t, x.s + at, start - at);
        lh_text_add_n(&t, u->text, u->n);
        at = end;
    }
    lh_text_add_n(&t, x.s + at, x.n - at);
    return name_of(t);
}

static name undo_one(lh_context *ctx, lh_arena *a, const lh_undo *u, name x, bool is_first,
                     bool is_last) {
    switch (u->kind) {
    case LH_UNDO_META:
        return replace_all(a, x, u->text, u->n, is_first && u->drops_first ? "" : " ");
    case LH_UNDO_WORDPIECE: return undo_wordpiece(a, u, x, is_first);
    case LH_UNDO_SUFFIX: return replace_all(a, x, u->text, u->n, is_last ? "" : " ");
    case LH_UNDO_STRIP: return undo_strip(u, x);
    case LH_UNDO_REPLACE: return undo_replace(ctx, a, u, x);
    default: return x;
    }
}

/* ---- all names ---- */

static void fuse(names *all, bool is_bytes) {
    lh_text t = lh_text_new(all->arena), clean = lh_text_new(all->arena);
    for (size_t i = 0; i < all->n; i++)
        if (is_bytes)
            add_bytes(&t, all->list[i]);
        else
            lh_text_add_n(&t, all->list[i].s, all->list[i].n);
    lh_text_add_utf8(&clean, t.s, t.n);
    if (all->list) all->list[0] = name_of(clean);
    all->n = all->list ? 1 : 0;
}

/* Bytes in a row that are UTF-8 are that text; otherwise each is a sign for what cannot be read. */
static void fall_back(names *all) {
    size_t n = 0;
    for (size_t i = 0, k; i < all->n; i = k) {
        lh_text t = lh_text_new(all->arena);
        char byte;
        for (k = i; k < all->n && is_byte_name(all->list[k], &byte); k++)
            lh_text_add_n(&t, &byte, 1);
        if (k == i) {
            all->list[n++] = all->list[k++];
        } else if (is_utf8(t.s, t.n)) {
            all->list[n++] = name_of(t);
        } else {
            for (size_t j = i; j < k; j++) all->list[n++] = (name){replacement, 3};
        }
    }
    all->n = n;
}

static void undo_all(const lh_pipeline *p, names *all) {
    for (int k = 0; k < p->n_undos && !lh_failed(all->ctx); k++) {
        const lh_undo *u = &p->undo[k];
        if (u->kind == LH_UNDO_BYTES || u->kind == LH_UNDO_FUSE)
            fuse(all, u->kind == LH_UNDO_BYTES);
        else if (u->kind == LH_UNDO_FALLBACK)
            fall_back(all);
        else
            for (size_t i = 0; i < all->n; i++)
                all->list[i] =
                    undo_one(all->ctx, all->arena, u, all->list[i], i == 0, i + 1 == all->n);
    }
}

void lh_pipeline_decode(const lh_tokenizer *t, const int *id, size_t n, bool skips_special,
                        lh_text *out) {
    lh_arena *arena = lh_arena_new(t->ctx);
    if (!arena) return;
    names all = {t->ctx, arena, lh_alloc_array(arena, n + 1, sizeof *all.list), 0};
    for (size_t i = 0; i < n && all.list; i++) {
        if (id[i] < 0 || id[i] >= t->n_tokens) continue;
        const lh_token *x = &t->token[id[i]];
        if (!x->name || (skips_special && x->is_special)) continue;
        all.list[all.n++] = (name){x->name, strlen(x->name)};
    }
    if (t->pipeline->has_undo) undo_all(t->pipeline, &all);
    for (size_t i = 0; i < all.n && all.list; i++) {
        if (i && !t->pipeline->has_undo) lh_text_add_n(out, " ", 1);
        lh_text_add_n(out, all.list[i].s, all.list[i].n);
    }
    lh_arena_free(arena);
}

/* As if other tokens stood around it: nothing of its space is taken off, and a byte is a byte. */
void lh_pipeline_piece(const lh_tokenizer *t, const char *s, size_t n, lh_text *out) {
    const lh_pipeline *p = t->pipeline;
    name x = {s, n};
    bool is_fused = false;
    if (!p->has_undo) lh_text_add_n(out, " ", 1);
    for (int k = 0; p->has_undo && k < p->n_undos; k++) {
        const lh_undo *u = &p->undo[k];
        char byte;
        is_fused |= u->kind == LH_UNDO_FUSE || u->kind == LH_UNDO_BYTES;
        if (u->kind == LH_UNDO_BYTES) {
            lh_text bytes = lh_text_new(out->arena);
            add_bytes(&bytes, x);
            x = name_of(bytes);
        } else if (u->kind == LH_UNDO_FALLBACK && is_byte_name(x, &byte)) {
            x = (name){lh_copy(out->arena, &byte, 1), 1};
        } else if (u->kind != LH_UNDO_STRIP || !is_fused) {
            x = undo_one(t->ctx, out->arena, u, x, false, false);
        }
    }
    lh_text_add_n(out, x.s, x.n);
}
