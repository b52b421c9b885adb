/* inside -- what happens inside a trained model while it reads one prompt: any number, attention, what each layer would say.
 *
 *     lh_inside *in = lh_inside_new(g, weights, ids, n, threads);      weights: matched with a file that stays open
 *     lh_explanation *e = lh_inside_explain(in, "h[3].P{head 5}[7][2]", &(lh_explain_how){.digits = 6});
 *     if (lh_inside_run(in, nodes, n_nodes)) x = lh_inside_get(in, nodes[0], (lh_cell){0, 0, 7, 2});
 *     lh_inside_free(in);
 *
 * The forward pass is the fast evaluator's, in float, as far as the asked step needs. Weights in float or bf16 that lie well in their
 * file are read in place: nothing of the file is touched but what the pass reads. The asked step itself and every line inside it
 * are computed in double from the operands (explain/cells.h), so that an explanation adds up to all of its digits.
 *
 * lh_inside_round has the pass read weights in few bits (train/rounded.h). The asked step is computed from the weights as the file has them all the
 * same: train/rounded_number.h tells what rounding made of it.
 *
 * The prompt is given to the input that the program generates. A step that depends on another input (the loss on `target`, and so
 * every gradient) is refused: cli/explain_next.h has them. Dropout is off.
 *
 * Errors: in the graph's context. Memory: an arena of its own; graph, weights and ids must outlive it.
 */
#ifndef LH_TRAIN_INSIDE_H
#define LH_TRAIN_INSIDE_H

#include "eval/fast/wish.h"
#include "explain/cells.h"
#include "explain/explain.h"
#include "files/weights.h"
#include "train/rounded.h"
#include "train/feed.h"

typedef struct lh_inside {
    lh_graph *g;
    lh_arena *arena;
    const int *token; /* the prompt: n of them */
    int n;
    int threads;
    const lh_evaluator *with; /* lh_fast, unless the caller sets another before the first run */
    int input;                /* the prompt's: which */
    lh_inputs inputs;         /* what is fed */
    const lh_weights *weights;
    /* for each node that is a param: its numbers in the file; else NULL */
    const lh_weight **weight;
    const float **copy;  /* ... as floats of our own; NULL: there are none */
    lh_rounded *rounded; /* of lh_inside_round, or NULL */
    lh_plan *plan;       /* of the last run */
    bool *is_kept;       /* for each node: the plan has it after the run */
    lh_cells *cells;
    void *who;                                 /* for labels: */
    const char *(*word)(void *who, int token); /* how a token is written; NULL: not at all */
} lh_inside;

/* NULL and the context failed */
lh_inside *lh_inside_new(lh_graph *g, const lh_weights *w, const int *token, int n, int threads);
void lh_inside_free(lh_inside *in); /* NULL is allowed */
/* from now on in int8 or int4; the program must predict words. False: the context failed */
bool lh_inside_round(lh_inside *in, lh_precision precision);
/* the prompt is enough for it; false: the context failed */
bool lh_inside_can(lh_inside *in, const lh_node *n);
/* false: the context failed. What an earlier run kept is gone */
bool lh_inside_run(lh_inside *in, lh_node *const *node, int n);
double lh_inside_get(lh_inside *in, const lh_node *n, lh_cell at); /* of a run that kept enough */
lh_sizes lh_inside_sizes(lh_inside *in, const lh_node *n);
/* NULL and the context failed */
lh_explanation *lh_inside_explain(lh_inside *in, const char *address, const lh_explain_how *how);

/* Attention: every softmax from positions to positions, in the order of the program; in the arena. */
lh_step **lh_inside_attention(lh_inside *in, int *n);

/* What the model would say if it ended earlier: what follows the last repeat, applied to each of its turns. */
typedef struct lh_lens {
    lh_step **at; /* n: h[0].X, before the first turn, to what leaves the last */
    int n;
    const char *trouble; /* why there is none (n is 0), or NULL */
    float *score;        /* n x scores: of the position that was read */
    int scores;
} lh_lens;

lh_lens lh_inside_lens(lh_inside *in); /* in the arena; n is 0 when the context failed, too */
/* the scores of one position, behind a run that kept lens->at */
bool lh_inside_lens_read(lh_inside *in, lh_lens *lens, int row);

#endif
