/* pipeline -- how a tokenizer.json turns text into ids beyond GPT-2's way: its parts, in the order in which they work.
 *
 *     text -> added tokens -> normalisers -> added tokens that are normalised -> cuts -> model -> ids
 *     ids  -> names        -> undoing steps (decoders)                                         -> text
 *
 * The parts are data: files/tokenizer_parts.c reads them, and each means what it means in Hugging Face tokenizers, whose ids and
 * decoded texts the tests compare with. A tokenizer without a pipeline is one of the three kinds of text/tokenizer.h.
 *
 * Time: linear in the text's length, but for merging one piece (n log n) and for sorting combining marks.
 */
#ifndef LH_TEXT_PIPELINE_H
#define LH_TEXT_PIPELINE_H

#include "text/pattern.h"
#include "text/tokenizer.h"
#include "text/trie.h"
#include "base/unicode_forms.h"

/* ---- normalisers: text to text ---- */

typedef enum lh_normal_kind {
    LH_NORMAL_FORM, /* NFC, NFD, NFKC, NFKD */
    LH_NORMAL_PREPEND,
    LH_NORMAL_REPLACE,
    LH_NORMAL_LOWER,
    LH_NORMAL_STRIP, /* space at the ends */
    LH_NORMAL_STRIP_ACCENTS,
    LH_NORMAL_BERT,
} lh_normal_kind;

typedef struct lh_normal {
    lh_normal_kind kind;
    lh_unicode_form form;
    const char *text; /* what is prepended, or what takes the place of the pattern */
    size_t n;
    const char *literal; /* a pattern that is a plain text, or NULL */
    size_t n_literal;
    const lh_pattern *pattern;
    bool left, right;                                    /* STRIP */
    bool is_cleaned, parts_chinese, drops_marks, lowers; /* BERT */
} lh_normal;

/* ---- cuts: text to pieces ---- */

typedef enum lh_cut_kind {
    LH_CUT_PATTERN,
    LH_CUT_SET,   /* each character of a set is a match */
    LH_CUT_BYTES, /* ByteLevel: GPT-2's rule, or none; a space before it */
    LH_CUT_META,  /* spaces become another character, which begins pieces */
} lh_cut_kind;

/* What happens to a match. */
typedef enum lh_behaviour {
    LH_REMOVED,
    LH_ISOLATED,
    LH_MERGED_WITH_PREVIOUS,
    LH_MERGED_WITH_NEXT,
    LH_CONTIGUOUS,
    LH_N_BEHAVIOURS
} lh_behaviour;

typedef enum lh_prepend { LH_PREPEND_ALWAYS, LH_PREPEND_FIRST, LH_PREPEND_NEVER } lh_prepend;

typedef struct lh_cut {
    lh_cut_kind kind;
    const lh_pattern *pattern;
    const lh_charset *set;
    lh_behaviour behaviour;
    bool is_inverted; /* what does not match counts as a match */
    bool adds_space;  /* BYTES */
    bool is_split;    /* BYTES, META */
    const char *meta; /* META: the character */
    size_t n_meta;
    lh_prepend prepend; /* META */
} lh_cut;

/* ---- added tokens ---- */

typedef struct lh_added {
    int id;
    bool is_special, takes_left, takes_right; /* space beside it belongs to it */
    bool is_word;                             /* only where no word goes on at its sides */
} lh_added;

/* ---- undoing: names to text ---- */

typedef enum lh_undo_kind {
    LH_UNDO_BYTES,
    LH_UNDO_META,
    LH_UNDO_WORDPIECE,
    LH_UNDO_SUFFIX,
    LH_UNDO_FALLBACK, /* <0x0A> */
    LH_UNDO_FUSE,
    LH_UNDO_STRIP,
    LH_UNDO_REPLACE,
} lh_undo_kind;

typedef struct lh_undo {
    lh_undo_kind kind;
    /* the meta character; the prefix; the suffix; what is stripped; what replaces */
    const char *text;
    size_t n;
    const lh_pattern *pattern;
    bool drops_first; /* META: of the first token, no space is left; WORDPIECE: spaces are tidied */
    size_t start, stop;
} lh_undo;

/* ---- all of it ---- */

typedef enum lh_model_kind {
    LH_MODEL_BPE,
    LH_MODEL_WORDS,
    LH_MODEL_UNIGRAM,
    LH_MODEL_WORDPIECE
} lh_model_kind;

struct lh_pipeline {
    lh_model_kind model;
    lh_normal *normal;
    int n_normals;
    lh_cut *cut;
    int n_cuts;
    lh_added *added;
    int n_added;
    lh_trie raw, normalised; /* added tokens by text: to their place in `added` */
    lh_undo *undo;
    int n_undos;
    bool has_undo;       /* otherwise names are joined by spaces */
    bool is_bytes;       /* BPE over bytes */
    bool has_fallback;   /* a character that is not there is written as bytes */
    int byte_name[256];  /* the token <0xHH> of a byte, or -1 */
    bool fuses_unknown;  /* BPE: several in a row are one */
    bool ignores_merges; /* BPE: a piece that is a token is that token */
    bool lacks_unknown;  /* BPE: there is a name for the unknown, and no token of that name */
    double *score;       /* UNIGRAM: [n_tokens], by id */
    double lowest;
    lh_trie unigrams;   /* to ids */
    const char *prefix; /* WORDPIECE: of a token inside a word */
    size_t n_prefix;
    int longest_word; /* WORDPIECE: characters; a longer one is unknown */
};

void lh_pipeline_encode(const lh_tokenizer *t, const char *text, size_t length, bool specials,
                        lh_ids *out);
/* an added token */
void lh_pipeline_add(lh_tokenizer *t, const lh_added *added, const char *text, size_t n,
                     bool is_normalised);
/* to another text in the arena */
void lh_pipeline_normalize(const lh_pipeline *p, lh_context *ctx, lh_arena *a, const char **text,
                           size_t *n);
void lh_pipeline_finish(lh_tokenizer *t); /* when all tokens are there: what each stands for */

/* One piece of text by the model. */
void lh_model_encode(const lh_tokenizer *t, lh_arena *scratch, const char *s, size_t n,
                     lh_ids *out);

/* Names to text, as decoders do; what one name adds behind others. */
void lh_pipeline_decode(const lh_tokenizer *t, const int *id, size_t n, bool skips_special,
                        lh_text *out);
void lh_pipeline_piece(const lh_tokenizer *t, const char *name, size_t n, lh_text *out);
/* what is not UTF-8 becomes U+FFFD, a sign for each broken character */
void lh_text_add_utf8(lh_text *out, const char *s, size_t n);

#endif
