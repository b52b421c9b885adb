#include <string.h>

#include "text/merge.h"
#include "text/split.h"
#include "text/tokenizer.h"
#include "text/unicode.h"

/* Where ids go: those beyond the capacity are only counted. */
typedef struct output {
    int *ids;
    size_t capacity, n;
} output;

static void put(output *o, int id) {
    if (o->n < o->capacity) o->ids[o->n] = id;
    o->n++;
}

/* ---- byte pairs ---- */

/* A piece that was merged before in this text is copied from where its ids went. So there is a cache without memory of its
 * own, and threads have nothing to share. */
enum { SEEN = 1024, SEEN_LENGTH = 64 };

typedef struct seen {
    uint32_t at, out;       /* in the text, in the ids */
    uint16_t length, count; /* 0: free */
} seen;

static bool put_seen(const seen *was, const char *text, const char *piece, size_t n, output *o) {
    if (was->length != n || memcmp(text + was->at, piece, n) != 0) return false;
    for (uint32_t i = 0; i < was->count; i++) put(o, o->ids[was->out + i]);
    return true;
}

static void encode_bpe(const lh_tokenizer *t, const char *s, size_t n, output *o) {
    seen table[SEEN];
    bool is_kept = n > SEEN && n < UINT32_MAX && o->capacity < UINT32_MAX; /* else not worth it */
    if (is_kept) memset(table, 0, sizeof table);
    for (size_t i = 0, k; i < n; i += k) {
        k = lh_split(s + i, n - i);
        uint32_t hash = lh_byte_hash(s + i, k);
        int id = k <= t->longest ? lh_byte_find_hashed(&t->pieces, s + i, k, hash) : -1;
        if (id >= 0 && t->token[id].is_whole) {
            put(o, id);
            continue;
        }
        seen *was = &table[hash % SEEN];
        if (is_kept && put_seen(was, s, s + i, k, o)) continue;
        size_t room = o->n < o->capacity ? o->capacity - o->n : 0, from = o->n;
        o->n += lh_merge_piece(t, s + i, k, room ? o->ids + o->n : NULL, room);
        if (lh_failed(t->ctx)) return;
        if (is_kept && k <= SEEN_LENGTH && o->n <= o->capacity)
            *was = (seen){(uint32_t)i, (uint32_t)from, (uint16_t)k, (uint16_t)(o->n - from)};
    }
}

/* ---- words and characters ---- */

static void fail_unknown(const lh_tokenizer *t, const char *what, const char *s, size_t n) {
    char shown[64];
    size_t k = 0;
    for (size_t i = 0; i < n && k + 5 < sizeof shown; i++) {
        if ((unsigned char)s[i] < ' ' || (unsigned char)s[i] > 126) {
            static const char digit[] = "0123456789ABCDEF";
            unsigned char c = (unsigned char)s[i];
            shown[k++] = '\\', shown[k++] = 'x', shown[k++] = digit[c >> 4],
            shown[k++] = digit[c & 15];
        } else {
            shown[k++] = s[i];
        }
    }
    shown[k] = 0;
    lh_fail(t->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
            "the %s \"%s\" is not in the vocabulary, which is closed", what, shown);
    lh_cure(t->ctx, "learn it from a text that has it, or with a place for the unknown");
}

static void encode_words(const lh_tokenizer *t, const char *s, size_t n, output *o) {
    for (size_t i = 0, k; i < n; i += k) {
        k = lh_split(s + i, n - i);
        int id = k <= t->longest ? lh_byte_find(&t->pieces, s + i, k) : -1;
        if (id < 0) id = t->unknown;
        if (id < 0) {
            fail_unknown(t, "word", s + i, k);
            return;
        }
        put(o, id);
    }
}

/* All bytes of a character, if each has its token. */
static bool put_bytes(const lh_tokenizer *t, const char *s, size_t n, output *o) {
    for (size_t i = 0; i < n; i++)
        if (t->byte_id[(unsigned char)s[i]] < 0) return false;
    for (size_t i = 0; i < n; i++) put(o, t->byte_id[(unsigned char)s[i]]);
    return true;
}

static void encode_chars(const lh_tokenizer *t, const char *s, size_t n, output *o) {
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
        put(o, id);
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
                                  output *) = {encode_chars, encode_words, encode_bpe};
    output o = {ids, capacity, 0};
    for (size_t i = 0; i < length && !lh_failed(t->ctx);) {
        int id = -1;
        size_t n = specials ? before_special(t, text + i, length - i, &id) : length;
        encode[t->kind](t, text + i, n, &o);
        if (id >= 0) put(&o, id);
        i += n + (id >= 0 ? t->token[id].length : 0);
    }
    return lh_failed(t->ctx) ? 0 : o.n;
}
