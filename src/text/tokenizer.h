/* tokenizer -- text to numbers and back: characters, words, or byte pairs merged as in GPT-2.
 *
 *     lh_tokenizer_how how = {.kind = LH_TOKENS_BPE, .size = 1000};
 *     lh_tokenizer *t = lh_tokenizer_train(ctx, text, length, &how);
 *     size_t n = lh_tokenizer_encode(t, text, length, false, ids, capacity);      (length ids are always enough)
 *     for (size_t i = 0; i < n; i++) fwrite(lh_tokenizer_piece(t, ids[i], &k), 1, k, stdout);
 *     lh_tokenizer_free(t);
 *
 * Decoding what was encoded gives every byte back, UTF-8 or not, with two exceptions: a word that is not in the vocabulary
 * becomes <unk>, and a closed vocabulary (see lh_tokenizer_how) refuses what it does not have.
 *
 *     chars   a token for each character (code point) of the training text. Other characters, bytes that are no UTF-8 and the
 *             character 0 are written with 256 tokens of one byte each.
 *     words   a token for each piece that GPT-2's rule (text/split.h) cuts: " cat" with its space, "," and so on.
 *     bpe     the same pieces, each begun as single bytes and joined pair by pair: of all pairs side by side the one whose
 *             merge was learned first is joined, the leftmost of equal ones, until none is known.
 *
 * Special tokens are marks that no text makes: <|endoftext|>, <pad>, <start>, <end>. encode sees them in a text only when
 * asked to, so that a text which speaks of them stays a text.
 *
 * Errors: builders fail the context; encode then returns 0. Memory: everything belongs to the tokenizer. encode allocates
 * nothing but for pieces above 64 bytes that are no token, and may run in several threads, each with its own ids.
 */
#ifndef LH_TEXT_TOKENIZER_H
#define LH_TEXT_TOKENIZER_H

#include "base/context.h"
#include "text/table.h"

typedef enum lh_tokenizer_kind {
    LH_TOKENS_CHARS,
    LH_TOKENS_WORDS,
    LH_TOKENS_BPE,
    LH_TOKENS_UNIGRAM,  /* only read from a file: see text/pipeline.h */
    LH_TOKENS_WORDPIECE /* the same */
} lh_tokenizer_kind;

typedef enum lh_token_role {
    LH_TOKEN_PLAIN,   /* a piece of text */
    LH_TOKEN_BYTE,    /* chars: one byte of what is no character of the vocabulary */
    LH_TOKEN_SPECIAL, /* a mark that no text makes */
    LH_TOKEN_UNKNOWN, /* words, chars: stands for what is not in the vocabulary */
    LH_TOKEN_HOLE,    /* an id that no token has */
} lh_token_role;

typedef struct lh_token {
    const char *bytes; /* [length] and a final 0 */
    size_t length;
    lh_token_role role;
    bool is_whole;    /* bpe: its own bytes, encoded, are this token */
    bool is_special;  /* left out of a text that is decoded for reading */
    const char *name; /* with a pipeline: what the file calls it; NULL: a hole */
} lh_token;

typedef struct lh_merge {
    int left, right, made;
} lh_merge;

/* Where ids go: those beyond the capacity are only counted. */
typedef struct lh_ids {
    int *id;
    size_t capacity, n;
} lh_ids;

static inline void lh_ids_put(lh_ids *o, int id) {
    if (o->n < o->capacity) o->id[o->n] = id;
    o->n++;
}

/* What a prompt gets around it: the post-processor of a tokenizer.json. */
typedef struct lh_prompt_frame {
    int *before, *after; /* ids */
    int n_before, n_after;
    long long most; /* ids in all, the frame's too; -1: no limit */
    bool cuts_left; /* what is too long loses its beginning */
} lh_prompt_frame;

typedef struct lh_pipeline lh_pipeline; /* text/pipeline.h */

typedef struct lh_tokenizer {
    lh_context *ctx;
    lh_arena *arena;
    lh_tokenizer_kind kind;
    lh_token *token; /* [n_tokens], by id */
    int n_tokens;
    lh_merge *merge; /* [n_merges], by rank: the first learned is joined first */
    int n_merges;
    int *special; /* [n_specials]: ids of special tokens and of <unk> */
    int n_specials;
    int byte_id[256];     /* bpe: the token of each byte; chars: LH_TOKEN_BYTE; -1: none */
    int unknown;          /* the id of <unk>, or -1 */
    size_t longest;       /* bytes of the longest plain token */
    lh_byte_table pieces; /* plain tokens: bytes to id */
    lh_pair_table pairs;  /* left and right to rank */
    lh_prompt_frame frame;
    lh_pipeline *pipeline; /* NULL: one of the three kinds, with GPT-2's rule and nothing around */
    /* the tokenizer.json that it was read from, where only that says what it is; or NULL */
    const char *source;
    size_t source_length;
} lh_tokenizer;

typedef struct lh_tokenizer_how {
    lh_tokenizer_kind kind;
    int size; /* tokens in all, at most; 0: as many characters or words as there are (not for bpe) */
    const char *const *special; /* [n_specials] names such as "<pad>", which come last */
    int n_specials;
    bool is_closed; /* chars: byte tokens only for bytes of the training text; words: no <unk> */
    void (*tell)(void *who, int done, int size); /* now and then, while bpe learns; or NULL */
    void *who;
} lh_tokenizer_how;

/* Learn a vocabulary. The same text gives the same tokens: of pairs (or words) seen equally often the one with the smaller
 * ids (bytes) comes first. Pairs seen once are not merged, so that there may be fewer tokens than asked for. */
/* NULL: the context failed */
lh_tokenizer *lh_tokenizer_train(lh_context *ctx, const char *text, size_t length,
                                 const lh_tokenizer_how *how);
void lh_tokenizer_free(lh_tokenizer *t); /* NULL is allowed */

/* How many ids the text has; the first `capacity` of them are written (ids may be NULL when it is 0). With a pipeline there may
 * be more ids than bytes. `specials`: special tokens in the text count as such. */
size_t lh_tokenizer_encode(const lh_tokenizer *t, const char *text, size_t length, bool specials,
                           int *ids, size_t capacity);
/* all of them, in the arena; NULL: the context failed */
int *lh_tokenizer_ids(const lh_tokenizer *t, lh_arena *a, const char *text, size_t length,
                      bool specials, size_t *n);
/* the same in its frame: what a model is given */
int *lh_tokenizer_prompt(const lh_tokenizer *t, lh_arena *a, const char *text, size_t length,
                         bool specials, size_t *n);
/* as text for reading: what is not UTF-8 becomes U+FFFD */
void lh_tokenizer_decode(const lh_tokenizer *t, const int *ids, size_t n, bool skips_special,
                         lh_text *out);
/* its bytes; NULL: the context failed */
const char *lh_tokenizer_piece(const lh_tokenizer *t, int id, size_t *length);
int lh_tokenizer_count(const lh_tokenizer *t); /* ids are 0 to this, without it */
int lh_tokenizer_special(const lh_tokenizer *t, const char *name); /* its id, or -1 */
const char *lh_tokenizer_kind_name(lh_tokenizer_kind kind);        /* "chars", "words", "bpe" */

/* A piece so that every byte of it can be seen: ␣ for a space, \n, \xFF for what is no UTF-8. In the arena. */
char *lh_token_text(lh_arena *arena, const char *bytes, size_t n);

/* For those who read or learn a vocabulary: new, add tokens in the order of their ids, add merges, finish. */
lh_tokenizer *lh_tokenizer_new(lh_context *ctx, lh_tokenizer_kind kind);
/* its id; copies the bytes; fails on one that is there */
int lh_tokenizer_add(lh_tokenizer *t, const char *bytes, size_t n, lh_token_role role);
/* with a pipeline: key is what the model looks for, or NULL; name NULL: a hole */
int lh_tokenizer_add_named(lh_tokenizer *t, const char *name, const char *key, size_t n_key,
                           bool is_special);
/* fails unless made is left and right */
void lh_tokenizer_add_merge(lh_tokenizer *t, int left, int right, int made);
lh_tokenizer *lh_tokenizer_finish(lh_tokenizer *t); /* NULL and freed when the context failed */

#endif
