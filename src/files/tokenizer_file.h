/* tokenizer_file -- vocabularies as files: tokenizer.json (Hugging Face tokenizers), vocab.json with merges.txt (GPT-2).
 *
 *     lh_tokenizer *t = lh_tokenizer_load(ctx, "gpt2");        a folder, or a tokenizer.json
 *     lh_tokenizer_save(t, "out");                             makes the folder if need be
 *     if (lh_failed(ctx)) ...
 *
 * Written are three layouts of tokenizer.json:
 *
 *     bpe     model BPE, pre_tokenizer ByteLevel without add_prefix_space: GPT-2's
 *     words   model WordLevel, pre_tokenizer ByteLevel
 *     chars   model BPE without merges and without pre_tokenizer; tokens <0x00> to <0xFF> with byte_fallback
 *
 * Read is what today's models have (files/tokenizer_parts.h); what was read and is none of the three is written as it was. Each
 * field is honoured, known to change no id and no text, or refused by name. In a vocab.json, which does not say what is special, a
 * token of several bytes that no merge makes is. Where there is an added_tokens.json, its tokens must be in the tokenizer.json.
 *
 * Errors: in the context, with the file and, where it is known, the line. A file is written whole or not at all.
 */
#ifndef LH_FILES_TOKENIZER_FILE_H
#define LH_FILES_TOKENIZER_FILE_H

#include "text/tokenizer.h"

lh_tokenizer *lh_tokenizer_load(lh_context *ctx, const char *path); /* NULL: the context failed */
/* tokenizer.json; of bpe also the other two */
bool lh_tokenizer_save(const lh_tokenizer *t, const char *folder);

/* The same from and to text; `name` is what messages call it. */
lh_tokenizer *lh_tokenizer_read_json(lh_context *ctx, const char *name, const char *text,
                                     size_t length);
lh_tokenizer *lh_tokenizer_read_pair(lh_context *ctx, const char *vocab, size_t vocab_length,
                                     const char *merges, size_t merges_length);
/* an added_tokens.json; false and failed: not in t */
bool lh_tokenizer_has_added(const lh_tokenizer *t, const char *name, const char *text,
                            size_t length);
void lh_tokenizer_write_json(lh_text *out, const lh_tokenizer *t);
/* tokenizer_config.json; -1: no such token; 0: no limit */
void lh_tokenizer_write_config(lh_text *out, const lh_tokenizer *t, int bos, int eos, int context);
void lh_tokenizer_write_vocab(lh_text *out, const lh_tokenizer *t);
void lh_tokenizer_write_merges(lh_text *out, const lh_tokenizer *t); /* bpe alone */

#endif
