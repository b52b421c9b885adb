/* loops -- the works of a plan in the memory of this process, by plain loops, in one element type (eval/real.h).
 *
 * Compiled once for each type: LH_LOOPS(run) is lh_loops_run, lh_wide_loops_run or lh_fast_loops_run. A backend takes these functions
 * into its record, or calls them in functions of its own; what it adds to a plan begins with an lh_loops.
 */
#ifndef LH_EVAL_LOOPS_H
#define LH_EVAL_LOOPS_H

#include "eval/plan.h"
#include "eval/work.h"

#define LH_LOOPS(name) LH_NAME(loops_##name)

/* p->own: values and works with pointers of that type. */
typedef struct lh_loops {
    lh_view *view;    /* of each node: its layouts in memory */
    lh_block *moving; /* of values that exist once for each example: cap for each */
    lh_block *sums;   /* where each sum is added up */
    int cap;
    lh_work *work[LH_N_STAGES]; /* one for each of the plan */
} lh_loops;

static inline lh_loops *lh_loops_of(const lh_plan *p) {
    return p->own;
}

void LH_LOOPS(write)(lh_plan *p, const lh_layout *to, const double *from);
void LH_LOOPS(read)(const lh_plan *p, const lh_layout *from, double *to);
void LH_LOOPS(copy)(lh_plan *p, const lh_layout *to, const lh_layout *from);
void LH_LOOPS(add)(lh_plan *p, const lh_layout *to, double x);
double LH_LOOPS(difference)(const lh_plan *p, const lh_layout *a, const lh_plan *q,
                            const lh_layout *b);
bool LH_LOOPS(open)(lh_plan *p, const lh_wish *wish); /* p->own: memory for it, or NULL */
void LH_LOOPS(close)(lh_plan *p);
bool LH_LOOPS(ready)(lh_plan *p, bool is_bound);
void LH_LOOPS(run)(lh_plan *p, lh_stage stage, int from, int to);
void LH_LOOPS(count)(lh_plan *p, int i, unsigned long long count[2]);

/* What the record of a backend in the memory of this process has besides a name and how it opens, closes, gets ready and runs. */
#define LH_LOOPS_RECORD                                                                            \
    .element = LH_REAL_NAME, .cell_bytes = sizeof(lh_real), .epsilon = LH_REAL_EPSILON,            \
    .take = lh_host_take, .give_back = lh_host_give_back, .write = LH_LOOPS(write),                \
    .read = LH_LOOPS(read), .copy = LH_LOOPS(copy), .add = LH_LOOPS(add),                          \
    .difference = LH_LOOPS(difference), .count = LH_LOOPS(count)

/* A backend that is these loops and nothing else. */
#define LH_PLAIN_BACKEND(id)                                                                       \
    static const lh_backend backend = {                                                            \
        .name = #id,                                                                               \
        .line = 1,                                                                                 \
        LH_LOOPS_RECORD,                                                                           \
        .open = LH_LOOPS(open),                                                                    \
        .close = LH_LOOPS(close),                                                                  \
        .ready = LH_LOOPS(ready),                                                                  \
        .run = LH_LOOPS(run),                                                                      \
    };                                                                                             \
    LH_EVALUATOR(id, &backend)

#endif
