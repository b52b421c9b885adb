#include "text/tokenizer.h"

#include <string.h>

#include "text/merge.h"
#include "text/pipeline.h"
#include "base/unicode.h"

static const lh_place nowhere = {0, 0, 0};

const char *lh_tokenizer_kind_name(lh_tokenizer_kind kind) {
    static const char *const name[] = {"chars", "words", "bpe", "unigram", "wordpiece"};
    return name[kind];
}

lh_tokenizer *lh_tokenizer_new(lh_context *ctx, lh_tokenizer_kind kind) {
    lh_arena *arena = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!arena) return NULL;
    lh_tokenizer *t = lh_alloc(arena, sizeof *t);
    if (!t) {
        lh_arena_free(arena);
        return NULL;
    }
    *t = (lh_tokenizer){.ctx = ctx, .arena = arena, .kind = kind, .unknown = -1, .frame.most = -1};
    t->pieces.arena = t->pairs.arena = arena;
    for (int i = 0; i < 256; i++) t->byte_id[i] = -1;
    return t;
}

void lh_tokenizer_free(lh_tokenizer *t) {
    if (t) lh_arena_free(t->arena);
}

/* The token that stands in the way of a new one, or -1. */
static int taken_by(const lh_tokenizer *t, const char *bytes, size_t n, lh_token_role role) {
    if (role == LH_TOKEN_PLAIN) return lh_byte_find(&t->pieces, bytes, n);
    if (role == LH_TOKEN_BYTE) return t->byte_id[(unsigned char)bytes[0]];
    for (int i = 0; i < t->n_specials; i++) {
        const lh_token *s = &t->token[t->special[i]];
        if (s->length == n && memcmp(s->bytes, bytes, n) == 0) return t->special[i];
    }
    return -1;
}

static bool may_add(lh_tokenizer *t, const char *bytes, size_t n, lh_token_role role) {
    uint32_t c;
    int same = n ? taken_by(t, bytes, n, role) : -1;
    int shown = n > 40 ? 40 : (int)n;
    if (n == 0)
        lh_fail(t->ctx, LH_ERROR_VALUE, nowhere, "token %d is empty", t->n_tokens);
    else if (same >= 0)
        lh_fail(t->ctx, LH_ERROR_VALUE, nowhere, "tokens %d and %d are the same: %.*s", same,
                t->n_tokens, shown, bytes);
    else if (role == LH_TOKEN_UNKNOWN && t->unknown >= 0)
        lh_fail(t->ctx, LH_ERROR_VALUE, nowhere,
                "tokens %d and %d are both the token for unknown words", t->unknown, t->n_tokens);
    else if (t->kind == LH_TOKENS_CHARS && role == LH_TOKEN_PLAIN &&
             lh_utf8_read(bytes, n, &c) != n)
        lh_fail(t->ctx, LH_ERROR_VALUE, nowhere, "token %d, %.*s, is not one character",
                t->n_tokens, shown, bytes);
    return !lh_failed(t->ctx);
}

int lh_tokenizer_add(lh_tokenizer *t, const char *bytes, size_t n, lh_token_role role) {
    if (lh_failed(t->ctx) || !may_add(t, bytes, n, role)) return -1;
    int id = t->n_tokens;
    lh_token *new = lh_push(t->arena, t->token, t->n_tokens);
    *new = (lh_token){.bytes = lh_copy(t->arena, bytes, n),
                      .length = n,
                      .role = role,
                      .is_special = role == LH_TOKEN_SPECIAL};
    if (lh_failed(t->ctx)) return -1;
    if (role == LH_TOKEN_PLAIN) {
        lh_byte_put(&t->pieces, new->bytes, n, id);
        if (n > t->longest) t->longest = n;
        if (t->kind == LH_TOKENS_BPE && n == 1) t->byte_id[(unsigned char)bytes[0]] = id;
    } else if (role == LH_TOKEN_BYTE) {
        t->byte_id[(unsigned char)bytes[0]] = id;
    } else {
        *lh_push(t->arena, t->special, t->n_specials) = id;
        if (role == LH_TOKEN_UNKNOWN) t->unknown = id;
    }
    return id;
}

int lh_tokenizer_add_named(lh_tokenizer *t, const char *name, const char *key, size_t n_key,
                           bool is_special) {
    if (lh_failed(t->ctx)) return -1;
    int id = t->n_tokens;
    lh_token *new = lh_push(t->arena, t->token, t->n_tokens);
    *new = (lh_token){.bytes = "", .role = LH_TOKEN_HOLE};
    if (!name || lh_failed(t->ctx)) return id;
    lh_text bytes = lh_text_new(t->arena);
    new->name = lh_copy(t->arena, name, strlen(name));
    lh_pipeline_piece(t, new->name, strlen(name), &bytes);
    new->bytes = bytes.s;
    new->length = bytes.n;
    new->role = is_special ? LH_TOKEN_SPECIAL : LH_TOKEN_PLAIN;
    new->is_special = is_special;
    if (is_special) *lh_push(t->arena, t->special, t->n_specials) = id;
    if (!key) return id;
    lh_byte_put(&t->pieces, lh_copy(t->arena, key, n_key), n_key, id);
    if (n_key > t->longest) t->longest = n_key;
    if (n_key == 1 && t->pipeline->is_bytes) t->byte_id[(unsigned char)key[0]] = id;
    return id;
}

/* Is the token `made` the bytes of `left` and then those of `right`? */
static bool is_joined(const lh_token *left, const lh_token *right, const lh_token *made) {
    return left->role == LH_TOKEN_PLAIN && right->role == LH_TOKEN_PLAIN &&
           made->role == LH_TOKEN_PLAIN && made->length == left->length + right->length &&
           memcmp(made->bytes, left->bytes, left->length) == 0 &&
           memcmp(made->bytes + left->length, right->bytes, right->length) == 0;
}

static bool is_id(const lh_tokenizer *t, int id) {
    return id >= 0 && id < t->n_tokens;
}

void lh_tokenizer_add_merge(lh_tokenizer *t, int left, int right, int made) {
    if (lh_failed(t->ctx)) return;
    int rank = lh_pair_find(&t->pairs, left, right);
    if (!is_id(t, left) || !is_id(t, right) || !is_id(t, made) ||
        (!t->pipeline && !is_joined(&t->token[left], &t->token[right], &t->token[made])))
        lh_fail(t->ctx, LH_ERROR_VALUE, nowhere, "merge %d: tokens %d and %d do not make token %d",
                t->n_merges, left, right, made);
    if (lh_failed(t->ctx)) return;
    if (rank >= 0) /* the same pair again: the later place counts */
        lh_pair_place(&t->pairs, left, right)->value = t->n_merges + 1;
    else
        lh_pair_put(&t->pairs, left, right, t->n_merges);
    *lh_push(t->arena, t->merge, t->n_merges) = (lh_merge){left, right, made};
}

/* Which tokens come out when their own bytes are encoded: then a piece that is one needs no merging. A token of the
 * vocabulary need not: a merge learned earlier may tear it apart. */
static void find_whole_tokens(lh_tokenizer *t) {
    for (int i = 0, id = -1; i < t->n_tokens && !lh_failed(t->ctx); i++) {
        lh_token *token = &t->token[i];
        if (token->role != LH_TOKEN_PLAIN) continue;
        token->is_whole = lh_merge_piece(t, token->bytes, token->length, &id, 1) == 1 && id == i;
    }
}

lh_tokenizer *lh_tokenizer_finish(lh_tokenizer *t) {
    if (!t) return NULL;
    if (t->pipeline && !lh_failed(t->ctx))
        lh_pipeline_finish(t);
    else if (t->kind == LH_TOKENS_BPE && !lh_failed(t->ctx))
        find_whole_tokens(t);
    if (!lh_failed(t->ctx) && t->n_tokens == 0)
        lh_fail(t->ctx, LH_ERROR_VALUE, nowhere, "the vocabulary is empty");
    if (!lh_failed(t->ctx)) return t;
    lh_tokenizer_free(t);
    return NULL;
}

const char *lh_tokenizer_piece(const lh_tokenizer *t, int id, size_t *length) {
    *length = 0;
    if (!is_id(t, id)) {
        lh_fail(t->ctx, LH_ERROR_VALUE, nowhere, "there is no token %d: ids go from 0 to %d", id,
                t->n_tokens - 1);
        lh_cure(t->ctx, "are these ids of another vocabulary?");
        return NULL;
    }
    *length = t->token[id].length;
    return t->token[id].bytes;
}

int lh_tokenizer_count(const lh_tokenizer *t) {
    return t->n_tokens;
}

int lh_tokenizer_special(const lh_tokenizer *t, const char *name) {
    for (int i = 0; t->pipeline && i < t->n_specials; i++)
        if (strcmp(t->token[t->special[i]].name, name) == 0) return t->special[i];
    return t->pipeline ? -1 : taken_by(t, name, strlen(name), LH_TOKEN_SPECIAL);
}
