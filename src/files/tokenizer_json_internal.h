/* tokenizer_json_internal -- what the readers of tokenizer.json and of vocab.json with merges.txt share. */
#ifndef LH_FILES_TOKENIZER_JSON_INTERNAL_H
#define LH_FILES_TOKENIZER_JSON_INTERNAL_H

#include "files/tokenizer_file.h"
#include "files/tokenizer_parts.h"

typedef struct lh_json_entry {
    const char *name;   /* NULL: no token has this id */
    bool is_in_model;   /* it stands in the vocabulary */
    const cJSON *added; /* it is an added token, which says more of it */
    lh_token_role role;
} lh_json_entry;

typedef struct lh_json_reader {
    lh_context *ctx;
    lh_arena *arena;
    lh_model_kind model;
    lh_tokenizer_kind kind;
    bool has_bytes;       /* chars: byte_fallback */
    const char *unk;      /* unk_token, or NULL */
    double *score;        /* of unigrams, by id */
    lh_json_entry *entry; /* [n], by id */
    int n, n_seen;        /* n_seen of them have a name */
    lh_byte_table name;   /* to id */
} lh_json_reader;

cJSON *lh_tokenizer_json_parse(lh_context *ctx, const char *name, const char *text, size_t length);
bool lh_tokenizer_json_names(lh_json_reader *r, const cJSON *vocab, const cJSON *added);
bool lh_tokenizer_json_is_simple(const lh_json_reader *r); /* no pipeline is needed for its names */
lh_tokenizer *lh_tokenizer_json_simple(lh_json_reader *r);
lh_tokenizer *lh_tokenizer_json_pipeline(lh_json_reader *r, const cJSON *root, const cJSON *model);
void lh_tokenizer_json_merge(lh_json_reader *r, lh_tokenizer *t, const char *left, size_t n,
                             const char *right, size_t m);

#endif
