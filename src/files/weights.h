/* weights -- the params of a program and the tensors of a file, by name.
 *
 *     lh_weights *w = lh_weights_of(ctx, arena, graph, LH_PARAM);      what it needs: names and sizes
 *     if (lh_weights_match(ctx, w, tensors)) lh_weights_set(w, &lh_exact, plan);
 *     lh_tensor_entry *e = lh_weights_get(ctx, w, &lh_exact, plan, LH_F32);  and back: w->n entries to write
 *
 * A tensor's name is what stands behind `as`, each {h} replaced by the turn of the repeat h around it; without `as` it is
 * the path: h[0].WQ. In the file it may begin with "transformer.". A row of n may be n or 1 x n there; otherwise both
 * sizes are equal: GPT-2 keeps its matrices in x out, as the notation has them.
 *
 * Errors: a tensor of another shape, a missing one and a type that is not read fail the context. What the file has and the
 * program does not use is listed, without what other tools keep beside weights: masks (attn.bias, attn.masked_bias)
 * and a head that is a copy of the embeddings. Memory: in the arena; tensors must outlive it.
 */
#ifndef LH_FILES_WEIGHTS_H
#define LH_FILES_WEIGHTS_H

#include "eval/exact.h"
#include "files/tensors.h"

typedef struct lh_weight {
    const lh_given *given;
    const char *name; /* of its tensor */
    size_t rows, cols;
    const lh_tensor *tensor; /* NULL until lh_weights_match */
} lh_weight;

typedef struct lh_weights {
    lh_arena *arena;
    const lh_graph *graph;
    lh_weight *weight; /* in declared order */
    int n;
    const lh_tensors *from; /* NULL until lh_weights_match */
    const lh_tensor **unused;
    int n_unused;
} lh_weights;

/* LH_PARAM: all weights, those that do not learn too; LH_CONST: only these. NULL and the context failed */
lh_weights *lh_weights_of(lh_context *ctx, lh_arena *a, const lh_graph *g, lh_given_kind kind);
/* false and the context failed */
bool lh_weights_match(lh_context *ctx, lh_weights *w, const lh_tensors *t);
void lh_weight_copy_float(const lh_weight *w, float *out); /* rows x cols */
/* behind start: the plan's numbers are the file's */
void lh_weights_set(const lh_weights *w, const lh_evaluator *with, lh_plan *p);
/* for writing; a row is a vector */
lh_tensor_entry lh_weight_entry(const lh_weight *w, lh_dtype type, const void *data, lh_dtype from);
/* w->n of them, the plan's numbers copied */
lh_tensor_entry *lh_weights_get(lh_context *ctx, const lh_weights *w, const lh_evaluator *with,
                                const lh_plan *p, lh_dtype type);

#endif
