/* lora -- a program rewritten so that only small matrices learn.
 *
 *     char *text = lh_lora_rewrite(ctx, arena, program, &(lh_lora){.rank = 8, .alpha = 16});
 *
 *     param WQ : dim x dim = ...             const WQ : dim x dim = ...                     stays as it is
 *                                            param WQ_A : rank x dim = normal(1 / sqrt(dim))
 *                                            param WQ_B : dim x rank = 0                    at first nothing is added
 *                                            WQ_add = alpha / rank * (N @ WQ_A^T) @ WQ_B^T
 *     Q = N @ WQ^T                           Q = N @ WQ^T + WQ_add
 *
 * Every param becomes a const, those that are chosen get two matrices. What the two add can be added to the matrix once and for all:
 * W + alpha / rank * B @ A (lh_lora_merge). Chosen are, unless `on` says which, the matrices in repeats that only products read. The names
 * behind `as` are those of PEFT: base_model.model. before the name of the module, .lora_A.weight behind it.
 *
 * Errors: NULL and the context failed, with the name of the param. Memory: in the arena.
 */
#ifndef LH_TRAIN_LORA_H
#define LH_TRAIN_LORA_H

#include "files/folder.h"
#include "files/weights.h"

typedef struct lh_lora {
    int rank;
    double alpha;
    /* [n_on] WQ, as the program says, or q_proj, as the file does; n_on 0: all that can be */
    const char *const *on;
    int n_on;
    bool may_miss; /* a name in `on` that nothing has is no error: the list of another tool */
} lh_lora;

enum { LH_LORA_MOST = 4096 };

/* The text of the new program. */
char *lh_lora_rewrite(lh_context *ctx, lh_arena *a, const lh_program *p, const lh_lora *how);

/* Of a weight "model.layers.0.self_attn.q_proj.weight" the module, without .weight, and the names of its small matrices, "A" and "B". */
const char *lh_lora_module(lh_arena *a, const char *weight);
const char *lh_lora_name(lh_arena *a, const char *weight, const char *which);

/* Is it such a program already? */
bool lh_lora_is(const lh_program *p);

/* Does the rank fit into every matrix? False and the context failed. */
bool lh_lora_fits(const lh_graph *g);

/* What adapter_config.json says of a graph of such a program. */
lh_adapter lh_lora_adapter(lh_arena *a, const lh_graph *g, const char *base);

/* The folder of an adapter as a plain one: its base, with what was learned added to the matrices. */
bool lh_lora_merge(const lh_folder *f, const lh_graph *g, const lh_weights *w, const char *out);

#endif
