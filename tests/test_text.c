/* Text to ids and back: merges against the plain way to learn and to apply them, every byte string back as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "text/alphabet.h"
#include "text/merge.h"
#include "text/split.h"
#include "tokens.h"
#include "scarce.h"

enum { RANDOM = 3000, LONGEST = 600 };

static int rounds(int n) {
    return getenv("LH_QUICK") ? n / 10 : n;
}

static lh_tokenizer *succeed(lh_context *ctx, lh_tokenizer *t) {
    if (!t) fail_msg("%s (%s)", lh_context_error(ctx)->what, lh_context_error(ctx)->cure);
    return t;
}

/* ---- learning ---- */

/* The example of the paper on byte pairs, worked out by hand. Pieces and how often: low 1, ␣low 4, ␣lower 2, ␣newest 6,
 * ␣widest 3. es and st occur 9 times: e comes before s. Then est 9; lo and ow 7; low 7; then ␣low, ␣n, ne, ew, west 6 times
 * each: e is the smallest on the left, n next, and a space is 220, behind all letters. */
static void a_small_text_is_learned_as_by_hand(void **state) {
    (void)state;
    static const char text[] = "low low low low low lower lower newest newest newest newest newest "
                               "newest widest widest widest";
    static const char *const wanted[] = {"es",  "est",  "lo",   "low",     "ew",
                                         "new", " low", " new", " newest", "dest"};
    lh_context *ctx = lh_context_new();
    lh_tokenizer_how how = {.kind = LH_TOKENS_BPE, .size = 266};
    lh_tokenizer *t = succeed(ctx, lh_tokenizer_train(ctx, text, strlen(text), &how));
    assert_int_equal(lh_tokenizer_count(t), 266);
    assert_int_equal(t->n_merges, 10);
    for (int i = 0; i < 10; i++) {
        size_t n;
        const char *piece = lh_tokenizer_piece(t, 256 + i, &n);
        assert_string_equal(piece, wanted[i]);
        assert_int_equal(n, strlen(wanted[i]));
    }
    int ids[16];
    assert_int_equal(lh_tokenizer_encode(t, "lowest newer", 12, false, ids, 16), 5);
    const int lowest[] = {259, 257, 263, 68, 81}; /* low est ␣new e r */
    assert_memory_equal(ids, lowest, sizeof lowest);
    lh_tokenizer_free(t);
    lh_context_free(ctx);
}

/* The plain way: count every pair of every piece anew for each merge. */
typedef struct plain_piece {
    int id[80], n;
} plain_piece;

/* Joins a pair in a piece, from the left. */
static void plain_join(plain_piece *p, int left, int right, int made) {
    int n = 0;
    for (int i = 0; i < p->n; i++, n++) {
        bool here = i + 1 < p->n && p->id[i] == left && p->id[i + 1] == right;
        p->id[n] = here ? made : p->id[i];
        i += here;
    }
    p->n = n;
}

static int plain_count(const plain_piece *p, int n_pieces, int left, int right) {
    int count = 0;
    for (int k = 0; k < n_pieces; k++)
        for (int i = 0; i + 1 < p[k].n; i++) count += p[k].id[i] == left && p[k].id[i + 1] == right;
    return count;
}

/* Most frequent, then smallest left, then smallest right. false: none occurs twice. */
static bool plain_best(const lh_tokenizer *t, const plain_piece *p, int n_pieces, lh_merge *best) {
    int most = 1;
    for (int k = 0; k < n_pieces; k++)
        for (int i = 0; i + 1 < p[k].n; i++) {
            int a = p[k].id[i], b = p[k].id[i + 1], count = plain_count(p, n_pieces, a, b);
            bool first = count > most || (count == most && most > 1 &&
                                          (a < best->left || (a == best->left && b < best->right)));
            if (first) most = count, *best = (lh_merge){a, b, t->n_tokens};
        }
    return most > 1;
}

static void check_learning(int seed) {
    static plain_piece piece[200];
    char text[160];
    lh_context *ctx = lh_context_new();
    tokens_seed((uint64_t)seed);
    size_t n = 1 + tokens_chance(sizeof text - 1), letters = 1 + tokens_chance(4);
    for (size_t i = 0; i < n; i++) text[i] = "ab cd"[tokens_chance(letters + 1)];
    if (seed % 3 == 0) tokens_bytes(text, n);
    lh_tokenizer_how how = {.kind = LH_TOKENS_BPE, .size = 257 + (int)tokens_chance(40)};
    lh_tokenizer *t = succeed(ctx, lh_tokenizer_train(ctx, text, n, &how));
    lh_tokenizer *plain = lh_tokenizer_new(ctx, LH_TOKENS_BPE);
    for (int i = 0; i < 256; i++)
        lh_tokenizer_add(plain, (char[]){(char)lh_alphabet_nth(i)}, 1, LH_TOKEN_PLAIN);
    int n_pieces = 0;
    for (size_t i = 0, k; i < n; i += k, n_pieces++) {
        k = lh_split(text + i, n - i);
        if (k > 80) goto end; /* too long for the plain way */
        piece[n_pieces].n = (int)k;
        for (size_t c = 0; c < k; c++)
            piece[n_pieces].id[c] = plain->byte_id[(unsigned char)text[i + c]];
    }
    for (lh_merge m; plain->n_tokens < how.size && plain_best(plain, piece, n_pieces, &m);) {
        char both[2 * LONGEST];
        const lh_token *a = &plain->token[m.left], *b = &plain->token[m.right];
        memcpy(both, a->bytes, a->length);
        memcpy(both + a->length, b->bytes, b->length);
        lh_tokenizer_add(plain, both, a->length + b->length, LH_TOKEN_PLAIN);
        lh_tokenizer_add_merge(plain, m.left, m.right, m.made);
        for (int k = 0; k < n_pieces; k++) plain_join(&piece[k], m.left, m.right, m.made);
    }
    if (t->n_merges != plain->n_merges)
        fail_msg("seed %d: %d merges, not %d", seed, t->n_merges, plain->n_merges);
    for (int i = 0; i < t->n_merges; i++)
        if (memcmp(&t->merge[i], &plain->merge[i], sizeof *t->merge) != 0)
            fail_msg("seed %d: merge %d is %d %d, not %d %d", seed, i, t->merge[i].left,
                     t->merge[i].right, plain->merge[i].left, plain->merge[i].right);
end:
    lh_tokenizer_free(plain);
    lh_tokenizer_free(t);
    lh_context_free(ctx);
}

static void merges_are_learned_as_in_the_plain_way(void **state) {
    (void)state;
    for (int seed = 1; seed <= rounds(RANDOM); seed++) check_learning(seed);
}

static void learning_is_the_same_every_time(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        lh_context *ctx = lh_context_new();
        lh_tokenizer *a = succeed(ctx, tokens_train(ctx, (lh_tokenizer_kind)kind, 300));
        lh_tokenizer *b = succeed(ctx, tokens_train(ctx, (lh_tokenizer_kind)kind, 300));
        assert_int_equal(a->n_tokens, b->n_tokens);
        for (int i = 0; i < a->n_tokens; i++) {
            assert_int_equal(a->token[i].length, b->token[i].length);
            assert_memory_equal(a->token[i].bytes, b->token[i].bytes, a->token[i].length);
            assert_int_equal(a->token[i].role, b->token[i].role);
        }
        lh_tokenizer_free(a);
        lh_tokenizer_free(b);
        lh_context_free(ctx);
    }
}

static void words_and_characters_are_numbered_as_promised(void **state) {
    (void)state;
    static const char text[] = "b a a b c b\xff";
    lh_context *ctx = lh_context_new();
    lh_tokenizer_how how = {.kind = LH_TOKENS_WORDS, .size = 4};
    lh_tokenizer *t = succeed(ctx, lh_tokenizer_train(ctx, text, strlen(text), &how));
    /* ␣a 2, ␣b 2, and once each \xff (a sign behind "b"), ␣c, b: of equals ␣ comes first */
    static const char *const words[] = {" a", " b", " c", "<unk>"};
    for (int i = 0; i < 4; i++) assert_string_equal(t->token[i].bytes, words[i]);
    assert_int_equal(t->unknown, 3);
    lh_tokenizer_free(t);
    how = (lh_tokenizer_how){.kind = LH_TOKENS_CHARS, .is_closed = true};
    t = succeed(ctx, lh_tokenizer_train(ctx, text, strlen(text), &how));
    static const char *const chars[] = {" ", "a", "b", "c", "\xff"};
    assert_int_equal(t->n_tokens, 5);
    for (int i = 0; i < 5; i++) assert_string_equal(t->token[i].bytes, chars[i]);
    assert_int_equal(t->token[4].role, LH_TOKEN_BYTE);
    lh_tokenizer_free(t);
    how = (lh_tokenizer_how){.kind = LH_TOKENS_CHARS, .size = 258}; /* the two most frequent */
    t = succeed(ctx, lh_tokenizer_train(ctx, text, strlen(text), &how));
    assert_string_equal(t->token[0].bytes, " ");
    assert_string_equal(t->token[1].bytes, "b");
    assert_int_equal(t->byte_id['a'], 2 + 'a');
    lh_tokenizer_free(t);
    lh_context_free(ctx);
}

/* ---- encoding ---- */

/* The plain way: the pair whose merge was learned first, the leftmost of these, again and again. */
static int plain_encode(const lh_tokenizer *t, const char *s, size_t n, int *id) {
    int count = (int)n;
    for (size_t i = 0; i < n; i++) id[i] = t->byte_id[(unsigned char)s[i]];
    for (;;) {
        int best = -1, at = -1;
        for (int i = 0; i + 1 < count; i++) {
            int rank = lh_pair_find(&t->pairs, id[i], id[i + 1]);
            if (rank >= 0 && (best < 0 || rank < best)) best = rank, at = i;
        }
        if (best < 0) return count;
        id[at] = t->merge[best].made;
        count--;
        memmove(id + at + 1, id + at + 2, (size_t)(count - at - 1) * sizeof *id);
    }
}

static void pieces_are_merged_as_in_the_plain_way(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_tokenizer *t = succeed(ctx, tokens_train(ctx, LH_TOKENS_BPE, 400));
    assert_true(t->n_merges > 40);
    for (int seed = 1; seed <= rounds(RANDOM); seed++) {
        char s[LONGEST];
        int ids[LONGEST], wanted[LONGEST];
        tokens_seed((uint64_t)seed);
        size_t n = tokens_bytes(s, 1 + tokens_chance(seed % 2 ? 20 : LONGEST - 1));
        if (seed % 5 == 0) memset(s, 'a', n);
        int count = plain_encode(t, s, n, wanted);
        size_t found = lh_merge_piece(t, s, n, ids, LONGEST);
        if ((int)found != count || memcmp(ids, wanted, (size_t)count * sizeof *ids) != 0)
            fail_msg("seed %d: %zu bytes are %zu tokens, not %d", seed, n, found, count);
    }
    lh_tokenizer_free(t);
    lh_context_free(ctx);
}

/* In a long text, ids of a piece that came before are copied: also where there is no room for them any more. */
static void a_long_text_is_encoded_piece_by_piece(void **state) {
    (void)state;
    enum { LONG = 20000 };
    static char s[LONG];
    static int ids[LONG], wanted[LONG];
    lh_context *ctx = lh_context_new();
    lh_tokenizer *t = succeed(ctx, tokens_train(ctx, LH_TOKENS_BPE, 290));
    for (int seed = 1; seed <= rounds(60); seed++) {
        tokens_seed((uint64_t)seed);
        size_t n = tokens_bytes(s, LONG), count = 0;
        for (size_t i = 0, k; i < n; i += k) {
            k = lh_split(s + i, n - i);
            count += (size_t)plain_encode(t, s + i, k, wanted + count);
        }
        size_t room = seed % 2 ? LONG : tokens_chance(count);
        memset(ids, -1, sizeof ids);
        if (lh_tokenizer_encode(t, s, n, false, ids, room) != count)
            fail_msg("seed %d: not %zu tokens", seed, count);
        if (room > count) room = count;
        if (memcmp(ids, wanted, room * sizeof *ids) != 0) fail_msg("seed %d: other tokens", seed);
        assert_true(room == count || ids[room] == -1);
    }
    lh_tokenizer_free(t);
    lh_context_free(ctx);
}

/* A vocabulary may have a token that its merges do not reach: ab is joined first, so abc is never made of a and bc. */
static void a_token_that_merges_tear_apart_is_not_taken_whole(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_tokenizer *t = lh_tokenizer_new(ctx, LH_TOKENS_BPE);
    for (int i = 0; i < 256; i++) lh_tokenizer_add(t, (char[]){(char)i}, 1, LH_TOKEN_PLAIN);
    int ab = lh_tokenizer_add(t, "ab", 2, LH_TOKEN_PLAIN),
        bc = lh_tokenizer_add(t, "bc", 2, LH_TOKEN_PLAIN);
    int abc = lh_tokenizer_add(t, "abc", 3, LH_TOKEN_PLAIN), ids[3];
    lh_tokenizer_add_merge(t, 'a', 'b', ab);
    lh_tokenizer_add_merge(t, 'b', 'c', bc);
    lh_tokenizer_add_merge(t, 'a', bc, abc);
    t = succeed(ctx, lh_tokenizer_finish(t));
    assert_int_equal(lh_tokenizer_encode(t, "abc", 3, false, ids, 3), 2);
    assert_int_equal(ids[0], ab);
    assert_int_equal(ids[1], 'c');
    lh_tokenizer_free(t);
    lh_context_free(ctx);
}

/* Encodes and decodes; with less room the ids are a beginning of the same. */
static void check_identity(const lh_tokenizer *t, const char *s, size_t n, int seed) {
    static int ids[LONGEST + 1], few[LONGEST + 1];
    static char back[64 * LONGEST];
    size_t count = lh_tokenizer_encode(t, s, n, seed % 2, ids, LONGEST), length = 0, k;
    size_t room = tokens_chance(count + 1);
    if (lh_failed(t->ctx)) fail_msg("seed %d: %s", seed, lh_context_error(t->ctx)->what);
    few[room] = -7;
    assert_int_equal(lh_tokenizer_encode(t, s, n, seed % 2, few, room), count);
    assert_memory_equal(ids, few, room * sizeof *ids);
    assert_int_equal(few[room], -7);
    for (size_t i = 0; i < count; i++) {
        const char *piece = lh_tokenizer_piece(t, ids[i], &k);
        assert_non_null(piece);
        memcpy(back + length, piece, k);
        length += k;
    }
    if (length != n || memcmp(back, s, n) != 0)
        fail_msg("%s, seed %d: %zu bytes became %zu others", lh_tokenizer_kind_name(t->kind), seed,
                 n, length);
}

static void every_byte_string_comes_back(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        if (kind == LH_TOKENS_WORDS) continue; /* below: words it does not know do not */
        lh_context *ctx = lh_context_new();
        lh_tokenizer *t = succeed(ctx, tokens_train(ctx, (lh_tokenizer_kind)kind, 330));
        for (int seed = 1; seed <= rounds(RANDOM); seed++) {
            char s[LONGEST];
            tokens_seed((uint64_t)seed);
            size_t n = tokens_bytes(s, tokens_chance(LONGEST));
            check_identity(t, s, n, seed);
        }
        lh_tokenizer_free(t);
        lh_context_free(ctx);
    }
}

static void words_come_back_when_they_are_known(void **state) {
    (void)state;
    for (int seed = 1; seed <= rounds(RANDOM); seed++) {
        char s[LONGEST];
        lh_context *ctx = lh_context_new();
        tokens_seed((uint64_t)seed);
        size_t n = tokens_bytes(s, 1 + tokens_chance(LONGEST - 1));
        for (int kind = 0; kind < 2; kind++) {
            lh_tokenizer_how how = {.kind = (lh_tokenizer_kind)kind, .is_closed = seed % 2};
            lh_tokenizer *t = succeed(ctx, lh_tokenizer_train(ctx, s, n, &how));
            check_identity(t, s, n, seed);
            lh_tokenizer_free(t);
        }
        lh_context_free(ctx);
    }
}

static void unknown_words_are_marked_or_refused(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    int ids[4];
    lh_tokenizer_how how = {.kind = LH_TOKENS_WORDS};
    lh_tokenizer *t = succeed(ctx, lh_tokenizer_train(ctx, "a cat", 5, &how));
    assert_int_equal(lh_tokenizer_encode(t, "a dog cat", 9, false, ids, 4), 3);
    assert_int_equal(ids[1], t->unknown);
    lh_tokenizer_free(t);
    for (int kind = 0; kind < 2; kind++) {
        how = (lh_tokenizer_how){.kind = (lh_tokenizer_kind)kind, .is_closed = true};
        t = succeed(ctx, lh_tokenizer_train(ctx, "a cat", 5, &how));
        assert_int_equal(lh_tokenizer_encode(t, "a d\xff", 4, false, ids, 4), 0);
        assert_true(lh_failed(ctx));
        assert_non_null(
            strstr(lh_context_error(ctx)->what, kind ? "word \" d\"" : "character \"d\""));
        lh_context_clear(ctx);
        lh_tokenizer_free(t);
    }
    lh_context_free(ctx);
}

static void special_tokens_are_seen_only_when_asked_for(void **state) {
    (void)state;
    static const char text[] = "a<|endoftext|><|end|>b<pad";
    for (int kind = 0; kind < 3; kind++) {
        lh_context *ctx = lh_context_new();
        lh_tokenizer *t =
            succeed(ctx, tokens_train(ctx, (lh_tokenizer_kind)kind, 0 == kind ? 0 : 300));
        int ids[40], end = lh_tokenizer_special(t, "<|endoftext|>"),
                     other = lh_tokenizer_special(t, "<|end|>");
        assert_int_equal(end, t->n_tokens - 3);
        assert_int_equal(lh_tokenizer_special(t, "<start>"), -1);
        assert_int_equal(lh_tokenizer_special(t, "a"), -1);
        size_t n = lh_tokenizer_encode(t, text, strlen(text), true, ids, 40);
        assert_true(n >= 5 && ids[1] == end && ids[2] == other && ids[n - 1] != end);
        n = lh_tokenizer_encode(t, text, strlen(text), false, ids, 40);
        for (size_t i = 0; i < n; i++) assert_true(ids[i] < end);
        lh_tokenizer_free(t);
        lh_context_free(ctx);
    }
}

/* In time that grows with the square this would not end today. */
static void one_piece_may_be_very_long(void **state) {
    (void)state;
    enum { LONG = 1 << 20 };
    lh_context *ctx = lh_context_new();
    char *s = malloc(LONG);
    int *ids = malloc(LONG * sizeof *ids);
    assert_true(s && ids);
    tokens_seed(1);
    for (size_t i = 0; i < LONG; i++) s[i] = "acgt"[tokens_chance(4)];
    lh_tokenizer_how how = {.kind = LH_TOKENS_BPE, .size = 2000};
    lh_tokenizer *t = succeed(ctx, lh_tokenizer_train(ctx, s, LONG, &how));
    assert_int_equal(t->n_tokens, 2000);
    size_t n = lh_tokenizer_encode(t, s, LONG, false, ids, LONG), at = 0, k;
    assert_true(n > 0 && n < LONG / 4);
    for (size_t i = 0; i < n; i++, at += k) {
        const char *piece = lh_tokenizer_piece(t, ids[i], &k);
        assert_memory_equal(s + at, piece, k);
    }
    assert_int_equal(at, LONG);
    lh_tokenizer_free(t);
    free(s);
    free(ids);
    lh_context_free(ctx);
}

/* ---- what is wrong ---- */

static void refuse(const char *text, const lh_tokenizer_how *how, const char *part) {
    lh_context *ctx = lh_context_new();
    assert_null(lh_tokenizer_train(ctx, text, strlen(text), how));
    assert_true(lh_failed(ctx));
    if (!strstr(lh_context_error(ctx)->what, part))
        fail_msg("%s: not %s", lh_context_error(ctx)->what, part);
    lh_context_free(ctx);
}

static void what_cannot_be_learned_is_refused(void **state) {
    (void)state;
    static const char *const twice[] = {"<pad>", "<pad>"}, *const odd[] = {"pad"},
                             *const signs[] = {"<!>"};
    for (int kind = 0; kind < 3; kind++)
        refuse("", &(lh_tokenizer_how){.kind = (lh_tokenizer_kind)kind, .size = 300}, "empty");
    refuse("abc", &(lh_tokenizer_how){.kind = LH_TOKENS_BPE, .size = 255},
           "at least 256 are needed");
    refuse("abc", &(lh_tokenizer_how){.kind = LH_TOKENS_BPE}, "too few");
    refuse(
        "abc",
        &(lh_tokenizer_how){.kind = LH_TOKENS_BPE, .size = 257, .special = twice, .n_specials = 2},
        "at least 258 are needed");
    refuse("abc", &(lh_tokenizer_how){.kind = LH_TOKENS_CHARS, .size = 256},
           "at least 257 are needed");
    refuse("abc", &(lh_tokenizer_how){.kind = LH_TOKENS_CHARS, .size = 2, .is_closed = true},
           "at least 3 are needed");
    refuse("a b", &(lh_tokenizer_how){.kind = LH_TOKENS_WORDS, .size = 1}, "at least 2 are needed");
    refuse("a b", &(lh_tokenizer_how){.kind = LH_TOKENS_WORDS, .special = twice, .n_specials = 2},
           "are the same");
    refuse("a b", &(lh_tokenizer_how){.kind = LH_TOKENS_WORDS, .special = odd, .n_specials = 1},
           "pad cannot");
    refuse("a b", &(lh_tokenizer_how){.kind = LH_TOKENS_WORDS, .special = signs, .n_specials = 1},
           "<!> cannot");
}

static void an_unknown_id_is_refused(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_tokenizer *t = succeed(ctx, tokens_train(ctx, LH_TOKENS_BPE, 300));
    const int bad[] = {-1, 300, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; i++) {
        size_t n = 1;
        assert_null(lh_tokenizer_piece(t, bad[i], &n));
        assert_int_equal(n, 0);
        assert_non_null(strstr(lh_context_error(ctx)->what, "0 to 299"));
        lh_context_clear(ctx);
    }
    lh_tokenizer_free(t);
    lh_context_free(ctx);
}

static void memory_may_end_anywhere(void **state) {
    (void)state;
    static char s[3000];
    static int ids[3000];
    tokens_seed(5);
    for (size_t i = 0; i < sizeof s; i++) s[i] = "abc "[tokens_chance(i < 500 ? 3 : 4)];
    for (int kind = 0; kind < 3; kind++)
        for (refused = 1;; refused++) {
            lh_context *ctx = lh_context_new();
            ctx->alloc = alloc_but_one;
            ctx->release = release_counted;
            asked = 0;
            lh_tokenizer_how how = {.kind = (lh_tokenizer_kind)kind, .size = 800};
            lh_tokenizer *t = lh_tokenizer_train(ctx, s, sizeof s, &how);
            if (t) lh_tokenizer_encode(t, s, sizeof s, false, ids, 3000);
            lh_tokenizer_free(t);
            assert_int_equal(live, 0);
            bool was_refused = asked >= refused;
            assert_int_equal(lh_failed(ctx), was_refused);
            if (was_refused) assert_int_equal(lh_context_error(ctx)->kind, LH_ERROR_MEMORY);
            lh_context_free(ctx);
            if (!was_refused) break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_text_is_learned_as_by_hand),
        cmocka_unit_test(merges_are_learned_as_in_the_plain_way),
        cmocka_unit_test(learning_is_the_same_every_time),
        cmocka_unit_test(words_and_characters_are_numbered_as_promised),
        cmocka_unit_test(pieces_are_merged_as_in_the_plain_way),
        cmocka_unit_test(a_long_text_is_encoded_piece_by_piece),
        cmocka_unit_test(a_token_that_merges_tear_apart_is_not_taken_whole),
        cmocka_unit_test(every_byte_string_comes_back),
        cmocka_unit_test(words_come_back_when_they_are_known),
        cmocka_unit_test(unknown_words_are_marked_or_refused),
        cmocka_unit_test(special_tokens_are_seen_only_when_asked_for),
        cmocka_unit_test(one_piece_may_be_very_long),
        cmocka_unit_test(what_cannot_be_learned_is_refused),
        cmocka_unit_test(an_unknown_id_is_refused),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
