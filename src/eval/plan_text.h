/* plan_text -- a plan as text: buffers with their bytes, and each work with what it writes, where, and what it reads.
 *
 *     lh_plan *p = lh_fast.plan(g, &(lh_wish){.updates = true, .is_sketch = true});
 *     lh_fast.bind(p, NULL, 0);
 *     lh_plan_print(&text, p, &(lh_plan_how){.width = 80});
 *
 * Errors: in the graph's context. Memory: in the plan's arena, and in the text's.
 */
#ifndef LH_EVAL_PLAN_TEXT_H
#define LH_EVAL_PLAN_TEXT_H

#include "eval/plan.h"

typedef struct lh_plan_how {
    int width;      /* columns of a line */
    bool all_turns; /* of a repeat; false: those behind the first are one line */
} lh_plan_how;

void lh_plan_print(lh_text *out, lh_plan *p, const lh_plan_how *how);

#endif
