/* exact -- the definition of what a program means, in numbers.
 *
 *     lh_plan *p = lh_exact.plan(g, &(lh_wish){.all = true});
 *     lh_exact.start(p);                        consts, params and states to their starts
 *     lh_exact.bind(p, NULL, 0);                the batch: all examples of the program
 *     lh_exact.run(p);                          one step; no memory is taken
 *     double x = lh_exact.get(p, node, (lh_cell){0, 0, 1, 0});
 *     lh_exact.commit(p);                       := is carried out, the step counts up
 *     lh_exact.free(p);
 *
 * Every evaluator has this interface: lh_exact in double; lh_wide in a wider type that checks it; lh_fast in float, with kernels
 * and threads, and lh_cuda on a GPU. The last two let values share memory: after a run only what was wished for by name is there.
 * Errors stay in the graph's context; calls on a failed context do nothing.
 */
#ifndef LH_EVAL_EXACT_H
#define LH_EVAL_EXACT_H

#include "graph/op.h"

typedef struct lh_plan lh_plan;

/* What a plan has to compute. */
typedef struct lh_wish {
    bool all;             /* every step */
    bool updates;         /* whatever := needs */
    const bool *renews;   /* ... of the givens that are true here, by their number; NULL: of all */
    bool as_written;      /* a formula that stands twice is computed twice: for counting */
    lh_node *const *node; /* and these */
    int n_nodes;
    lh_node *const *known; /* values that the caller sets instead of having them computed */
    int n_known;
    bool by_definition; /* no kernels */
    bool is_sketch;     /* sizes alone, without memory: it can be bound and looked at, not run */
    bool borrows; /* known values of a fixed size are read in the caller's memory: lh_plan_borrow */
    int grows;    /* `generate`, row by row, up to so many rows: eval/fast/grow.h */
    /* Values that do not depend on an example, added up from run to run in the caller's memory (lh_plan_sum_to): for a batch that is
     * run in parts, by a backend that adds up. */
    lh_node *const *sum;
    int n_sums;
    /* What a layer computes is not kept for its gradients, but computed once more just before them: the same bits in less
     * memory (eval/plan_again.c). Fails where that would change nothing. */
    bool recomputes;
    const void *own; /* what only this backend can be asked for, of its type: eval/fast/wish.h */
} lh_wish;

/* Examples that do not stand in the program. For input i: rows[i][e] rows of example e; their tokens, or their numbers
 * row by row, one example after another. */
typedef struct lh_batch {
    int examples;
    unsigned first; /* the number of the first: random numbers are drawn by it */
    int of; /* a part of a batch of so many: the number `examples`, and what `average` divides by; 0: it is whole */
    bool adds; /* sums go on from the part before; false: they begin anew */
    const int *const *rows;
    const int *const *tokens;
    const double *const *numbers;
} lh_batch;

typedef struct lh_sizes {
    int heads, rows, cols;
} lh_sizes;

/* The first step whose numbers stopped being numbers. */
typedef struct lh_trouble {
    const lh_node *node; /* NULL: all is well */
    lh_cell at;
    double value;
} lh_trouble;

typedef struct lh_evaluator {
    const char *name;
    double epsilon;
    bool has_bf16;               /* its products can be made in bf16 (eval/fast/wish.h) */
    const struct lh_backend *by; /* what runs its plans: eval/backend.h */
    /* NULL and the context failed on error; g must outlive it */
    lh_plan *(*plan)(lh_graph *g, const lh_wish *wish);
    void (*free)(lh_plan *p); /* NULL is allowed */
    void (*start)(lh_plan *p);
    /* NULL, 0: all examples; copies the numbers */
    void (*bind)(lh_plan *p, const int *examples, int n);
    void (*feed)(lh_plan *p, const lh_batch *batch); /* likewise, with numbers from elsewhere */
    void (*run)(lh_plan *p);
    void (*commit)(lh_plan *p);
    void (*training)(lh_plan *p, bool is_on); /* the number `training`: 1 unless switched off */
    void (*at_step)(lh_plan *p, int step);    /* the number `step` */
    int (*examples)(const lh_plan *p);        /* in the batch */
    bool (*has)(const lh_plan *p, const lh_node *n); /* is it computed by this plan? */
    lh_sizes (*sizes)(const lh_plan *p, const lh_node *n, int example);
    double (*get)(const lh_plan *p, const lh_node *n, lh_cell at);
    /* a given, an input or a known value */
    void (*set)(lh_plan *p, const lh_node *n, lh_cell at, double value);
    /* likewise, added in the evaluator's own precision */
    void (*add)(lh_plan *p, const lh_node *n, lh_cell at, double value);
    /* p's cell minus q's, in own precision */
    double (*difference)(const lh_plan *p, const lh_node *n, lh_cell at, const lh_plan *q);
    lh_trouble (*trouble)(const lh_plan *p);
    /* run once and count multiply-adds and other operations */
    void (*count)(lh_plan *p, unsigned long long count[2]);
} lh_evaluator;

extern const lh_evaluator lh_exact, lh_wide, lh_fast, lh_cuda;

#endif
