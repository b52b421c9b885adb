/* profile -- what a plan consists of, and how long each kind of work takes.
 *
 *     lh_profile f = lh_fast_profile(p);            after a run: runs it once more, work by work
 *     for (int i = 0; i < f.n; i++) printf("%s %g s\n", f.kind[i].name, f.kind[i].seconds);
 *     if (lh_memory_fits(ctx, lh_fast_needs(g, &wish, &batch), cure)) p = lh_fast.plan(g, &wish);
 */
#ifndef LH_EVAL_FAST_PROFILE_H
#define LH_EVAL_FAST_PROFILE_H

#include "eval/exact.h"
#include "eval/fast/threads.h"

typedef struct lh_profile_kind {
    const char *name; /* of a kernel, or of an operation that runs by its definition */
    bool is_kernel;
    int works;
    double seconds;
} lh_profile_kind;

typedef struct lh_profile {
    lh_profile_kind kind[96];
    int n;
    double seconds, bytes; /* in all; of params, states and values */
} lh_profile;

/* One work of a plan: a kernel, or an operation by its definition. */
typedef struct lh_profile_work {
    const lh_node *node; /* the last that it makes */
    const char *name;
    bool is_kernel;
    double bytes; /* that it reads and writes at least once */
    double seconds;
} lh_profile_work;

int lh_fast_works(const lh_plan *p);                       /* how many there are in a step */
lh_profile_work lh_fast_work_run(lh_plan *p, int i);       /* does it, in turn: 0, 1 ... */
const lh_node *lh_fast_work_node(const lh_plan *p, int i); /* the last that it makes */
/* likewise, on one thread; its seconds in all */
double lh_fast_work_count(lh_plan *p, int i, lh_pool_counts *c);
lh_profile lh_fast_profile(lh_plan *p); /* params are renewed by it, as by a commit */
int lh_fast_uses(const lh_plan *p, const char *kernel); /* how many works it does */
/* what a plan would take for that batch, found without taking it; NULL: for the program's own examples; 0: the context failed */
double lh_fast_needs(lh_graph *g, const lh_wish *wish, const lh_batch *batch);

#endif
