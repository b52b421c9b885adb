/* gguf_folder -- a GGUF file as a Hugging Face folder: config.json, tokenizer.json, model.safetensors and the smaller files, and the reverse.
 *
 *     lh_gguf *f = lh_gguf_open(ctx, "model.gguf");
 *     lh_gguf_to_folder(f, "model");
 *
 * Architectures: gpt2, llama (Llama, Mistral, SmolLM), qwen2, qwen3, gemma, phi3. Tokenisers: gpt2 (byte pairs over bytes) with the rules of the families, and llama
 * (SentencePiece), whose merges are worked out from scores. What is not known is refused with its name: another architecture, a tensor
 * without a place, another rule for cutting text. Tensors that are float, half or bf16 in the file stay so; quantised ones become float.
 */
#ifndef LH_FILES_GGUF_FOLDER_H
#define LH_FILES_GGUF_FOLDER_H

#include "files/gguf.h"
#include "files/tensors.h"

/* the folder is created if necessary; false: the context failed */
bool lh_gguf_to_folder(const lh_gguf *f, const char *folder);
/* tokenizer.json; or the context fails */
void lh_gguf_tokenizer_json(const lh_gguf *f, lh_text *out);
void lh_gguf_config_json(const lh_gguf *f, lh_text *out); /* config.json; the same */

/* The tensors of a file as Hugging Face names and lays them out, read in place; what lies in blocks or in another order has a reader. */
void lh_gguf_tensors(const lh_gguf *f, lh_tensors *to);

/* The other way: a folder with a tokeniser of byte pairs as a file. */
bool lh_gguf_from_folder(lh_context *ctx, const char *folder, const char *path, lh_gguf_type type);
struct cJSON;
/* what llama.cpp calls the rule by which a tokenizer.json cuts text, or NULL */
const char *lh_gguf_rule(lh_context *ctx, const struct cJSON *tokenizer);

#endif
