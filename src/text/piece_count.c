#include "text/piece_count.h"

#include <stdlib.h>
#include <string.h>

#include "text/alphabet.h"
#include "text/split.h"
#include "base/unicode.h"

static const lh_place nowhere = {0, 0, 0};

lh_counts lh_count_pieces(lh_arena *arena, const char *text, size_t length, lh_cutter cut) {
    lh_counts c = {NULL, 0};
    lh_byte_table known = {.arena = arena};
    for (size_t i = 0, k; i < length; i += k) {
        k = cut(text + i, length - i);
        int at = lh_byte_find(&known, text + i, k);
        if (at < 0) {
            at = c.n;
            lh_counted *new = lh_push(arena, c.piece, c.n);
            if (c.n == at) break; /* no memory */
            *new = (lh_counted){text + i, k, 0};
            lh_byte_put(&known, text + i, k, at);
        }
        if (c.piece) c.piece[at].count++;
    }
    return c;
}

static int by_bytes(const void *a, const void *b) {
    const lh_counted *x = a, *y = b;
    int order = memcmp(x->bytes, y->bytes, x->length < y->length ? x->length : y->length);
    return order ? order : x->length < y->length ? -1 : x->length > y->length;
}

/* Most frequent first; of equals the one whose bytes come first. */
static int by_count(const void *a, const void *b) {
    const lh_counted *x = a, *y = b;
    return x->count > y->count ? -1 : x->count < y->count ? 1 : by_bytes(a, b);
}

/* How many tokens of text there is room for beside `fixed` others; fails where there is none. */
static int room_for(lh_context *ctx, const lh_tokenizer_how *how, int most, int fixed, int least) {
    if (how->size == 0) return most;
    if (how->size < fixed + least) {
        lh_fail(ctx, LH_ERROR_LIMIT, nowhere, "%d token%s too few: at least %d are needed here",
                how->size, how->size == 1 ? " is" : "s are", fixed + least);
        if (how->kind == LH_TOKENS_BPE || !how->is_closed)
            lh_cure(ctx, how->kind == LH_TOKENS_WORDS
                             ? "one is for unknown words, the special ones count too"
                             : "256 are for single bytes, the special ones count too");
        return 0;
    }
    return how->size - fixed < most ? how->size - fixed : most;
}

/* ---- characters ---- */

static size_t cut_char(const char *text, size_t length) {
    uint32_t c;
    size_t n = lh_utf8_read(text, length, &c);
    return n ? n : length > 0;
}

/* Written as a byte token: what is no UTF-8, and the character 0, which files of C strings cannot carry. */
static bool is_lone_byte(const lh_counted *p) {
    return p->length == 1 && (p->bytes[0] == 0 || (unsigned char)p->bytes[0] >= 128);
}

static void learn_chars(lh_tokenizer *t, lh_arena *arena, const char *text, size_t length,
                        const lh_tokenizer_how *how) {
    lh_counts c = lh_count_pieces(arena, text, length, cut_char);
    bool has_byte[256] = {false};
    int n_bytes = 0, n_chars = 0;
    for (int i = 0; i < c.n; i++) {
        if (is_lone_byte(&c.piece[i]))
            has_byte[(unsigned char)c.piece[i].bytes[0]] = true;
        else
            c.piece[n_chars++] = c.piece[i];
    }
    for (int i = 0; i < 256; i++) n_bytes += has_byte[i] |= !how->is_closed;
    if (n_chars) qsort(c.piece, (size_t)n_chars, sizeof *c.piece, by_count);
    int room = room_for(t->ctx, how, n_chars, n_bytes + how->n_specials,
                        how->is_closed ? n_chars : n_chars > 0);
    if (room) qsort(c.piece, (size_t)room, sizeof *c.piece, by_bytes);
    for (int i = 0; i < room; i++)
        lh_tokenizer_add(t, c.piece[i].bytes, c.piece[i].length, LH_TOKEN_PLAIN);
    for (int i = 0; i < 256; i++)
        if (has_byte[i]) lh_tokenizer_add(t, (char[]){(char)i}, 1, LH_TOKEN_BYTE);
}

/* ---- words ---- */

static void learn_words(lh_tokenizer *t, lh_arena *arena, const char *text, size_t length,
                        const lh_tokenizer_how *how) {
    lh_counts c = lh_count_pieces(arena, text, length, lh_split);
    if (c.n) qsort(c.piece, (size_t)c.n, sizeof *c.piece, by_count);
    int room =
        room_for(t->ctx, how, c.n, !how->is_closed + how->n_specials, how->is_closed ? c.n : 1);
    for (int i = 0; i < room; i++)
        lh_tokenizer_add(t, c.piece[i].bytes, c.piece[i].length, LH_TOKEN_PLAIN);
    if (!how->is_closed) lh_tokenizer_add(t, "<unk>", 5, LH_TOKEN_UNKNOWN);
}

/* ---- byte pairs ---- */

static void learn_bpe(lh_tokenizer *t, lh_arena *arena, const char *text, size_t length,
                      const lh_tokenizer_how *how) {
    for (int i = 0; i < 256; i++)
        lh_tokenizer_add(t, (char[]){(char)lh_alphabet_nth(i)}, 1, LH_TOKEN_PLAIN);
    int most = how->size > 0 ? how->size : 1; /* 0 is too few: there is no natural end */
    lh_tokenizer_how sized = *how;
    sized.size = most;
    int room = room_for(t->ctx, &sized, most, how->n_specials, 256);
    if (lh_failed(t->ctx)) return;
    lh_counts c = lh_count_pieces(arena, text, length, lh_split);
    lh_learn_merges(t, &c, room, how);
}

/* <name>, with a letter in it: no text is ever cut so that it becomes such a token. */
static bool is_special_name(const char *s) {
    size_t n = strlen(s);
    bool has_letter = false;
    for (size_t i = 0; i < n; i++) {
        if (s[i] <= ' ' || s[i] > '~') return false;
        has_letter = has_letter || (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z');
    }
    return n >= 3 && s[0] == '<' && s[n - 1] == '>' && has_letter && strncmp(s, "<0x", 3) != 0;
}

static void add_specials(lh_tokenizer *t, const lh_tokenizer_how *how) {
    for (int i = 0; i < how->n_specials; i++) {
        const char *name = how->special[i];
        if (!is_special_name(name)) {
            lh_fail(t->ctx, LH_ERROR_VALUE, nowhere, "%s cannot be the name of a special token",
                    name);
            lh_cure(t->ctx,
                    "write it with < and > and a letter between them: <pad>, <|endoftext|>");
        }
        lh_tokenizer_add(t, name, strlen(name), LH_TOKEN_SPECIAL);
    }
}

lh_tokenizer *lh_tokenizer_train(lh_context *ctx, const char *text, size_t length,
                                 const lh_tokenizer_how *how) {
    static void (*const learn[])(lh_tokenizer *, lh_arena *, const char *, size_t,
                                 const lh_tokenizer_how *) = {learn_chars, learn_words, learn_bpe};
    lh_tokenizer *t = lh_tokenizer_new(ctx, how->kind);
    lh_arena *arena = t ? lh_arena_new(ctx) : NULL;
    if (arena && length == 0)
        lh_fail(ctx, LH_ERROR_VALUE, nowhere, "the text is empty: there is nothing to learn from");
    if (arena && !lh_failed(ctx)) learn[how->kind](t, arena, text, length, how);
    if (t) add_specials(t, how);
    lh_arena_free(arena);
    return lh_tokenizer_finish(t);
}
