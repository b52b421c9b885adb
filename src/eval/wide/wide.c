/* wide -- every operation by its definition, in a type wider than double: the measure of what rounding does to exact. */
#include "eval/loops.h"

static const lh_backend backend = {
    .name = "wide",
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

const lh_evaluator lh_wide = {
    .name = "wide", .epsilon = LH_REAL_EPSILON, .plan = plan, LH_EVALUATE};
