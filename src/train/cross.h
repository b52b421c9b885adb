/* cross -- where a decoder looked while it wrote, and what its answer is worth: by the exact evaluator.
 *
 *     lh_asked q = {.source = id, .n_source = 3, .given = &start, .n_given = 1, .answer = found, .n_answer = 4};
 *     lh_cross *c = lh_cross_new(arena, g, weights, &q);
 *     lh_cross_mean(c, layer, row, col)             how much the answer's word `row` looked at the source's word `col`
 *     c->log_probability                            of the answer, token by token
 *
 * Cross attentions are found by what they are: calls of attention with queries from what grows and keys from another input. A program that has none has 0 layers.
 *
 * Errors: in the graph's context. Memory: in the arena.
 */
#ifndef LH_TRAIN_CROSS_H
#define LH_TRAIN_CROSS_H

#include "eval/exact.h"
#include "files/weights.h"

/* A question and an answer as tokens. */
typedef struct lh_asked {
    const int *source, *given, *answer; /* source NULL: the program reads none */
    int n_source, n_given, n_answer;
} lh_asked;

typedef struct lh_cross {
    int layers, heads; /* in the order of the program; of each layer as many */
    int rows, cols;    /* tokens of the answer, of the source */
    double *weight;    /* [layers][heads][rows][cols] */
    double log_probability;
} lh_cross;

/* NULL and the context failed */
lh_cross *lh_cross_new(lh_arena *a, lh_graph *g, const lh_tensors *weights, const lh_asked *q);
double lh_cross_mean(const lh_cross *c, int layer, int row, int col); /* over its heads */

#endif
