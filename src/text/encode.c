#include <string.h>

#include "base/utf8.h"
#include "text/merge.h"
#include "text/pipeline.h"
#include "text/split.h"
#include "text/tokenizer.h"
#include "base/unicode.h"

/* ---- byte pairs ---- */

/* A piece that was merged before in this text is copied from where its ids went. So there is a cache without memory of its
 * own, and threads have nothing to share. */
enum { SEEN = 1024, SEEN_LENGTH = 64 };

typedef struct seen {
    uint32_t at, out;       /* in the text, in the ids */
    uint16_t length, count; /* 0: free */
} seen;

static bool put_seen(const seen *was, const char *text, const char *piece, size_t n, lh_ids *o) {
    if (was->length != n || memcmp(text + was->at, piece, n) != 0) return false;
    for (uint32_t i = 0; i < was->count; i++) lh_ids_put(o, o->id[was->out + i]);
    return true;
}

static void encode_bpe(const lh_tokenizer *t, const char *s, size_t n, lh_ids *o) {
    seen table[SEEN];
    bool is_kept = n > SEEN && n < UINT32_MAX && o->capacity < UINT32_MAX; /* else not worth it */
    if (is_kept) memset(table, 0, sizeof table);
    for (size_t i = 0, k; i < n; i += k) {
        k = lh_split(s + i, n - i);
        uint32_t hash = lh_byte_hash(s + i, k);
        int id = k <= t->longest ? lh_byte_find_hashed(&t->pieces, s + i, k, hash) : -1;
        if (id >= 0 && t->token[id].is_whole) {
            lh_ids_put(o, id);
            continue;
        }
        seen *was = &table[hash % SEEN];
        if (is_kept && put_seen(was, s, s + i, k, o)) continue;
        size_t room = o->n < o->capacity ? o->capacity - o->n : 0, from = o->n;
        o->n += lh_merge_piece(t, s + i, k, room ? o->id + o->n : NULL, room);
        if (lh_failed(t->ctx)) return;
        if (is_kept && k <= SEEN_LENGTH && o->n <= o->capacity)
            *was = (seen){(uint32_t)i, (uint32_t)from, (uint16_t)k, (uint16_t)(o->n - from)};
    }
}

/* ---- words and characters ---- */

/* Characters as they are; control characters, and bytes that are no character, as \xNN. How many bytes of s it took. */
static size_t show_one(const char *s, size_t n, char shown[5]) {
    static const char digit[] = "0123456789ABCDEF";
    uint32_t c;
    const size_t length = lh_utf8_read(s, n, &c);
    const bool is_control = length && (c < ' ' || (c >= 0x7F && c < 0xA0));
    if (length && !is_control) {
        memcpy(shown, s, length);
        shown[length] = 0;
        return length;
    }
    memcpy(shown, "\\x", 2);
    shown[2] = digit[(unsigned char)*s >> 4], shown[3] = digit[*s & 15], shown[4] = 0;
    return 1;
}

static void fail_unknown(const lh_tokenizer *t, const char *what, const char *s, size_t n) {
    char shown[64] = "", one[5];
    for (size_t i = 0, k = 0; i < n && k + sizeof one < sizeof shown; k += strlen(one)) {
        i += show_one(s + i, n - i, one);
        memcpy(shown + k, one, strlen(one) + 1);
    }
    lh_fail(t->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
            "the %s \"%s\" is not in the vocabulary, which is closed", what, shown);
    lh_cure(t->ctx, "train it on a text that contains it, or with a token for unknown words");
}

static void encode_words(const lh_tokenizer *t, const char *s, size_t n, lh_ids *o) {
    for (size_t i = 0, k; i < n; i += k) {
        k = lh_split(s + i, n - i);
        int id = k <= t->longest ? lh_byte_find(&t->pieces, s + i, k) : -1;
        if (id < 0) id = t->unknown;
        if (id < 0) {
            fail_unknown(t, "word", s + i, k);
            return;
        }
        lh_ids_put(o, id);
    }
}

/* All bytes of a character, if each has its token. */
static bool put_bytes(const lh_tokenizer *t, const char *s, size_t n, lh_ids *o) {
    for (size_t i = 0; i < n; i++)
        if (t->byte_id[(unsigned char)s[i]] < 0) return false;
    for (size_t i = 0; i < n; i++) lh_ids_put(o, t->byte_id[(unsigned char)s[i]]);
    return true;
}

static void encode_chars(const lh_tokenizer *t, const char *s, size_t n, lh_ids *o) {
    int ascii[128];
    for (int c = 0; c < 128; c++) ascii[c] = lh_byte_find(&t->pieces, (char[]){(char)c}, 1);
    for (size_t i = 0, k; i < n; i += k) {
        unsigned char first = (unsigned char)s[i];
        uint32_t c;
        k = lh_utf8_read(s + i, n - i, &c);
        int id = first < 128 ? ascii[first] : k ? lh_byte_find(&t->pieces, s + i, k) : -1;
        if (k == 0) k = 1;
        if (id < 0 && put_bytes(t, s + i, k, o)) continue;
        if (id < 0) id = t->unknown;
        if (id < 0) {
            fail_unknown(t, "character", s + i, k);
            return;
        }
        lh_ids_put(o, id);
    }
}

/* ---- special tokens ---- */

/* The longest special token that the text begins with, or -1. */
static int special_at(const lh_tokenizer *t, const char *s, size_t n) {
    int found = -1;
    for (int i = 0; i < t->n_specials; i++) {
        const lh_token *x = &t->token[t->special[i]];
        if (x->length <= n && x->bytes[0] == s[0] && memcmp(x->bytes, s, x->length) == 0 &&
            (found < 0 || x->length > t->token[found].length))
            found = t->special[i];
    }
    return found;
}

/* How much text there is before the next special token; *id is that token, or -1. */
static size_t before_special(const lh_tokenizer *t, const char *s, size_t n, int *id) {
    bool begins[256] = {false};
    for (int i = 0; i < t->n_specials; i++)
        begins[(unsigned char)t->token[t->special[i]].bytes[0]] = true;
    for (size_t i = 0; i < n; i++)
        if (begins[(unsigned char)s[i]] && (*id = special_at(t, s + i, n - i)) >= 0) return i;
    *id = -1;
    return n;
}

size_t lh_tokenizer_encode(const lh_tokenizer *t, const char *text, size_t length, bool specials,
                           int *ids, size_t capacity) {
    static void (*const encode[])(const lh_tokenizer *, const char *, size_t,
                                  lh_ids *) = {encode_chars, encode_words, encode_bpe};
    lh_ids o = {ids, capacity, 0};
    if (t->pipeline) lh_pipeline_encode(t, text, length, specials, &o);
    for (size_t i = 0; i < length && !t->pipeline && !lh_failed(t->ctx);) {
        int id = -1;
        size_t n = specials ? before_special(t, text + i, length - i, &id) : length;
        encode[t->kind](t, text + i, n, &o);
        if (id >= 0) lh_ids_put(&o, id);
        i += n + (id >= 0 ? t->token[id].length : 0);
    }
    return lh_failed(t->ctx) ? 0 : o.n;
}

int *lh_tokenizer_ids(const lh_tokenizer *t, lh_arena *a, const char *text, size_t length,
                      bool specials, size_t *n) {
    size_t room = length + 16; /* nearly always enough */
    int *id = lh_alloc_array(a, room, sizeof *id);
    *n = id ? lh_tokenizer_encode(t, text, length, specials, id, room) : 0;
    if (*n > room) {
        id = lh_alloc_array(a, *n, sizeof *id);
        if (id) lh_tokenizer_encode(t, text, length, specials, id, *n);
    }
    return lh_failed(t->ctx) ? NULL : id;
}

int *lh_tokenizer_prompt(const lh_tokenizer *t, lh_arena *a, const char *text, size_t length,
                         bool specials, size_t *n) {
    const lh_prompt_frame *f = &t->frame;
    size_t inside, frame = (size_t)f->n_before + (size_t)f->n_after;
    int *id = lh_tokenizer_ids(t, a, text, length, specials, &inside);
    *n = inside;
    if (!id || (frame == 0 && f->most < 0)) return id;
    size_t most = f->most < 0 ? inside : (size_t)f->most - frame;
    const int *from = f->cuts_left && inside > most ? id + (inside - most) : id;
    if (inside > most) inside = most;
    *n = inside + frame;
    int *all = lh_alloc_array(a, *n + 1, sizeof *all), *to = all;
    if (!all) return NULL;
    for (int i = 0; i < f->n_before; i++) *to++ = f->before[i];
    for (size_t i = 0; i < inside; i++) *to++ = from[i];
    for (int i = 0; i < f->n_after; i++) *to++ = f->after[i];
    return all;
}

void lh_tokenizer_decode(const lh_tokenizer *t, const int *ids, size_t n, bool skips_special,
                         lh_text *out) {
    if (t->pipeline) {
        lh_pipeline_decode(t, ids, n, skips_special, out);
        return;
    }
    lh_text bytes = lh_text_new(out->arena);
    for (size_t i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= t->n_tokens) continue;
        const lh_token *x = &t->token[ids[i]];
        if (!skips_special || !x->is_special) lh_text_add_n(&bytes, x->bytes, x->length);
    }
    lh_text_add_utf8(out, bytes.s, bytes.n);
}
