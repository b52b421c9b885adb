/* exact -- the backend that defines what a program means: every operation by its definition, in double. */
#include "eval/loops.h"

static const lh_backend backend = {
    .name = "exact",
    .element = LH_REAL_NAME,
    .line = 1,
    LH_LOOPS_RECORD,
    .open = LH_LOOPS(open),
    .close = LH_LOOPS(close),
    .ready = LH_LOOPS(ready),
};

static lh_plan *plan(lh_graph *g, const lh_wish *wish) {
    return lh_plan_new(g, wish, &backend);
}

const lh_evaluator lh_exact = {
    .name = "exact", .epsilon = LH_REAL_EPSILON, .plan = plan, LH_EVALUATE};
