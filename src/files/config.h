/* config -- config.json of a model folder; files/generation.h has what stands beside it.
 *
 *     lh_config c;
 *     lh_config_read(ctx, arena, "gpt2/config.json", text, length, &c);
 *     lh_build how = {.set = lh_config_settings(arena, &c, program, &n), .n_set = n};     layers=12 heads=12 dim=768 ...
 *     char *json = lh_config_text(arena, &c);                                      fields not known to us are kept
 *
 * The fields are GPT-2's, as other tools write and read them. A program of another kind has its own model_type, and of the
 * sizes those that it names. What a config says and the notation of models/gpt.lh does not do (another activation,
 * unusual scaling) is listed in `odd`: the weights fit, the numbers would differ.
 *
 * Errors: in the context, with the file's name. Memory: all texts in the arena.
 */
#ifndef LH_FILES_CONFIG_H
#define LH_FILES_CONFIG_H

#include "files/generation.h"
#include "graph/graph.h"

enum { LH_MAX_ODD = 8, LH_CONFIG_SIZES = 5 };

typedef struct lh_config {
    const char *model_type;                               /* "gpt2" */
    const char *architecture;                             /* "GPT2LMHeadModel" */
    int n_layer, n_head, n_embd, n_positions, vocab_size; /* 0: not said */
    int n_inner;                                          /* 0: 4 * n_embd */
    const char *activation;                               /* "gelu_new" */
    double layer_norm_epsilon;
    int bos, eos; /* tokens; -1: none */
    bool is_tied; /* the head is the embeddings */
    const char *odd[LH_MAX_ODD];
    int n_odd;
    const char *kept; /* the file as it was read, for the fields that are not ours; or NULL */
} lh_config;

void lh_config_start(lh_config *c); /* GPT-2's, without sizes */
bool lh_config_read(lh_context *ctx, lh_arena *a, const char *file, const char *text, size_t length,
                    lh_config *c); /* false and the context failed */
char *lh_config_text(lh_context *ctx, lh_arena *a, const lh_config *c); /* NULL: no memory */

void lh_config_of_graph(const lh_graph *g, lh_config *c); /* sizes named layers, heads, dim ... */
lh_setting *lh_config_settings(lh_arena *a, const lh_config *c, const lh_program *p,
                               int *n); /* those sizes that p declares */
bool lh_config_same(const lh_config *a, const lh_config *b,
                    const char **which); /* the same model? else the field that differs */

#endif
