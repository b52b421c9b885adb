/* loop -- steps of training: which examples make a batch, the loss and the gradient's length of each step.
 *
 *     lh_loop *t = lh_loop_new(g, &(lh_loop_how){.batch = 1, .shuffle = true, .seed = 7});
 *     while (lh_loop_step(t)) printf("%d %g\n", t->step, t->loss);
 */
#ifndef LH_TRAIN_LOOP_H
#define LH_TRAIN_LOOP_H

#include "eval/exact.h"

typedef struct lh_loop_how {
    int batch;    /* examples in a batch; 0: all */
    bool shuffle; /* another order in every epoch */
    unsigned long long seed;
} lh_loop_how;

typedef struct lh_loop {
    lh_graph *g;
    lh_plan *plan; /* what := needs, and the loss */
    lh_loop_how how;
    int step;    /* steps done */
    int epoch;   /* times that all examples were seen */
    double loss; /* of the last step, before its update; the mean over its batch */
    /* length of all gradients together, averaged over the batch as the update has them */
    double norm;
    lh_arena *arena;
    int *order, next; /* the examples of this epoch, and where in it the next batch begins */
} lh_loop;

/* NULL and the context failed on error */
lh_loop *lh_loop_new(lh_graph *g, const lh_loop_how *how);
void lh_loop_free(lh_loop *t);
bool lh_loop_step(lh_loop *t);          /* run and update once; false on error */
bool lh_loop_learns(const lh_graph *g); /* does the program renew anything? */
/* what it has learned, into another plan of the same graph */
void lh_loop_copy(const lh_loop *t, lh_plan *to);

/* Values after so many updates, of all examples: what P@10 and WO@1 mean.
 *
 *     lh_moments m;
 *     if (lh_moments_open(&m, g, &how, node, n)) ... lh_moments_to(&m, 10) ... m.plan
 *     lh_moments_close(&m);
 */
typedef struct lh_moments {
    lh_graph *g;
    lh_plan *plan; /* of the nodes that were asked for */
    /* training on batches; NULL: every update sees all examples, and the plan trains itself */
    lh_loop *loop;
    int step; /* updates done; -1: not run yet */
} lh_moments;
/* false and the context failed */
bool lh_moments_open(lh_moments *m, lh_graph *g, const lh_loop_how *how, lh_node **node,
                     int n_nodes, bool learns);
bool lh_moments_to(lh_moments *m, int step); /* forward alone; false and the context failed */
/* the same moment as the next update will see it: of its batch; false on error */
bool lh_moments_batch(lh_moments *m);
void lh_moments_close(lh_moments *m);

#endif
