/* generate -- a text that grows: what the program computes from it gives the next token, again and again.
 *
 *     lh_generator *w = lh_generator_new(g, &(lh_generator_how){.context = 256, .choice = {.temperature = 0.8, .top_p = 1}, .seed = 1});
 *     lh_generator_weights(w, weights);                          of a file; or lh_floats_copy(w->plan, trained, g)
 *     lh_generator_prompt(w, ids, n);
 *     for (int t; (t = lh_generator_next(w)) >= 0;) ...          -1: the end token came, or the context failed
 *     lh_generator_free(w);
 *
 * New rows alone are computed where the program allows it (eval/fast/grow.h). When the context is full, its older half is
 * forgotten and the newer half read anew from position 0: the text goes on, with a little less to look back on.
 *
 * Weights are read where they lie: in the mapped file, if it has them in float, or in bf16 and only products and lookups read
 * them. Others are made floats (or bf16) of the generator's own; in int8 or int4 most of them are rounded (train/rounded.h). File or trained plan
 * must outlive it.
 *
 * The program says what grows (generate tokens from logits) and how far positions go: a size `context`, or without one
 * how->context.
 */
#ifndef LH_TRAIN_GENERATE_H
#define LH_TRAIN_GENERATE_H

#include <stdint.h>

#include "eval/exact.h"
#include "eval/fast/wish.h"
#include "files/weights.h"
#include "train/feed.h"
#include "train/rounded.h"
#include "train/sample.h"

typedef struct lh_generator_how {
    const lh_evaluator *with; /* NULL: lh_fast; or lh_cuda */
    int context;              /* tokens to look back on at most */
    lh_choice choice;
    uint64_t seed;
    int end;         /* the token that ends a text; -1: none */
    const int *ends; /* others that do: [n_ends] */
    int n_ends;
    int threads;
    lh_precision precision; /* bf16: weights are kept so, and large products made so where the
                               processor can; int8, int4: see train/rounded.h */
    lh_rounded_how rounded; /* of int8 and int4: its precision is the one above */
} lh_generator_how;

typedef struct lh_generator {
    lh_graph *g;
    lh_arena *arena;
    lh_generator_how how;
    lh_plan *plan;
    double needs;        /* bytes that the plan takes with the longest text, weights aside */
    lh_rounded *rounded; /* int8 and int4: weights in few bits; else NULL */
    lh_chooser *chooser;
    lh_inputs inputs; /* what is fed */
    float *score;     /* [vocabulary] of the next token */
    double *wide;     /* the same, as another backend's memory is read; NULL: not yet */
    int *token;       /* [context] */
    int n;            /* tokens so far */
    int n_past;       /* ... that the plan has seen */
    int n_slides;     /* times that the older half was forgotten */
    uint32_t n_made;
} lh_generator;

int lh_generator_context(const lh_graph *g, int standard); /* the size `context`, or standard */
/* NULL and the context failed */
lh_generator *lh_generator_new(lh_graph *g, const lh_generator_how *how);
void lh_generator_free(lh_generator *w); /* NULL is allowed */
/* matched; false: no memory */
bool lh_generator_weights(lh_generator *w, const lh_weights *weights);
/* begins anew; of a long prompt the end counts */
void lh_generator_prompt(lh_generator *w, const int *token, int n);
/* the same; what the text before began with is not read again */
void lh_generator_continue(lh_generator *w, const int *token, int n);
int lh_generator_next(lh_generator *w); /* the token that was chosen, or -1 */

#endif
