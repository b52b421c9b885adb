/* batch_parts -- a batch that is run a few examples at a time, and is one batch all the same.
 *
 *     lh_parts *p = lh_parts_new(g, &(lh_parts_how){.most = 4, .threads = 2});
 *     lh_plan_start(p->whole);
 *     lh_parts_borrow(p);                                 once, before the first run
 *     lh_parts_run(p, &batch, step);                      4 examples at a time
 *     double loss = lh_parts_loss(p);
 *     lh_plan_commit(p->whole);
 *
 * Only `total` and `average` bring examples together: these nodes are the seams of a graph. What lies before a seam is run part by part,
 * what lies behind it once, with the sums of all parts. So there are up to three plans, which share their memory:
 *
 *     before    seams that examples themselves look at, such as the number of targets in the batch: run on the whole batch
 *     part      from the params to all other seams, the gradients among them, which are added up from part to part
 *     whole     from the seams to the loss and to what := makes of params: it holds params, states and the sums
 *
 * Gradients, loss and updates are those of the whole batch for any size of the parts, but for the order of additions. Cut into
 * pieces (train/shared_sums.h), whose sums are added up in a fixed order, a batch can be shared out among ranks: each runs its pieces in
 * parts, renews its share of the params and tells the others.
 *
 * Errors: in the graph's context.
 */
#ifndef LH_BATCH_PARTS_H
#define LH_BATCH_PARTS_H

#include "eval/fast/wish.h"
#include "train/feed.h"
#include "train/shared_sums.h"

typedef struct lh_parts_how {
    const lh_evaluator *with; /* NULL: lh_fast */
    int most;                 /* examples at a time */
    int threads;
    lh_precision precision;
    bool recomputes;       /* eval/exact.h: lh_wish */
    int pieces;            /* 0: the batch is not cut into pieces */
    const lh_ranks *ranks; /* NULL: this process is alone */
    lh_shared_sums_how sums;
    bool is_sketch; /* sizes alone, without memory */
} lh_parts_how;

typedef struct lh_parts {
    lh_graph *g;
    lh_parts_how how;
    lh_arena *arena;
    lh_plan *before; /* NULL: there is nothing to know beforehand */
    lh_plan *part, *whole;
    lh_node **first; /* [n_first] seams of `before` */
    lh_node **sum;   /* [n_sums] what `part` adds up */
    lh_node **given; /* [n_givens] what `part` and `before` read and `whole` holds */
    int n_first, n_sums, n_givens;
    lh_inputs next; /* where the next part of each input begins */
    double loss;    /* of the last run, where each example has its own: their sum */
    double *losses; /* [examples] where the batch is cut into pieces: of each */
    int *owner;     /* [n_givens] the rank that renews it; -1: all do */
    lh_shared_sums *pieces;
    lh_post post;
    int *place; /* [n_sums] where each is among those of `pieces` */
    struct lh_shares_wire *telling;
    int examples;
} lh_parts;

lh_parts *lh_parts_new(lh_graph *g, const lh_parts_how *how); /* NULL and the context failed */
void lh_parts_free(lh_parts *p);                              /* NULL is allowed */
void lh_parts_borrow(lh_parts *p);
void lh_parts_run(lh_parts *p, const lh_batch *batch, int step);
void lh_parts_commit(lh_parts *p);       /* := is carried out, on all ranks */
double lh_parts_loss(const lh_parts *p); /* the mean over examples, where each has its own */
/* How far the sums of a batch, as they are added up, come apart from those in the fixed order: the largest difference in any of them,
 * by the largest number of it. nan: there is no memory to compare, or nothing to compare with. */
double lh_parts_apart(lh_parts *p, const lh_batch *batch, int step);
double lh_parts_memory(const lh_parts *p); /* bytes, behind the first run */
/* ... found beforehand; nothing is taken. 0: the context failed */
double lh_parts_needs(lh_graph *g, const lh_parts_how *how, const lh_batch *batch);
/* of it, for what is on its way to other ranks: the same for all large models */
double lh_parts_wire_memory(const lh_parts *p);

#endif
