/* config -- config.json of a model folder; files/generation.h has what stands beside it.
 *
 *     lh_config c;
 *     lh_config_read(ctx, arena, "gpt2/config.json", text, length, &c);
 *     lh_build how = {.set = lh_config_settings(arena, &c, program, &n), .n_set = n};     layers=12 heads=12 dim=768 ...
 *     char *json = lh_config_text(arena, &c);                                      fields not known to us are kept
 *
 * Here are the sizes, under the names that GPT-2 or all later models have for them, and the tokens. What all fields mean is said by
 * family.h. A program that no family describes has a model_type of its own, and of the sizes those that it names.
 *
 * Errors: in the context, with the file's name. Memory: all texts in the arena.
 */
#ifndef LH_FILES_CONFIG_H
#define LH_FILES_CONFIG_H

#include "files/generation.h"
#include "graph/graph.h"

enum { LH_CONFIG_SIZES = 5 };

typedef struct lh_config {
    const char *model_type;                               /* "gpt2" */
    const char *architecture;                             /* "GPT2LMHeadModel" */
    int n_layer, n_head, n_embd, n_positions, vocab_size; /* 0: not said */
    int bos, eos;                                         /* tokens; -1: none */
    const char *kept; /* the file as it was read, for the fields that are not ours; or NULL */
} lh_config;

void lh_config_start(lh_config *c); /* of a program that no family describes, without sizes */
bool lh_config_read(lh_context *ctx, lh_arena *a, const char *file, const char *text, size_t length,
                    lh_config *c); /* false and the context failed */
char *lh_config_text(lh_context *ctx, lh_arena *a, const lh_config *c); /* NULL: no memory */

void lh_config_of_graph(const lh_graph *g, lh_config *c); /* sizes named layers, heads, dim ... */
/* those sizes that p declares */
lh_setting *lh_config_settings(lh_arena *a, const lh_config *c, const lh_program *p, int *n);
/* the same model? else the field that differs */
bool lh_config_same(const lh_config *a, const lh_config *b, const char **which);
/* the first field that both texts have, but not with the same value: "n_layer", {"3", "2"}; false: there is none */
bool lh_config_field(lh_arena *a, const char *text, const char *other, const char **field,
                     const char *value[2]);

#endif
