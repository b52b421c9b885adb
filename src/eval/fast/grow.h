/* grow -- generation by the fast evaluator: only new rows are computed.
 *
 *     lh_plan *p = lh_fast.plan(g, &(lh_wish){.node = &g->generate->from, .n_nodes = 1, .grows = 1024});
 *     lh_fast.feed(p, &prompt), lh_fast.run(p);          all rows of the prompt
 *     lh_fast_past(p, n);                                n rows were fed
 *     lh_fast.feed(p, &one_token), lh_fast.run(p);       one more; `from` has the row that follows it
 *
 * Where lh_fast_prevents names a node, rows cannot be computed alone: feed everything again each time, with a past of 0.
 */
#ifndef LH_EVAL_FAST_GROW_H
#define LH_EVAL_FAST_GROW_H

#include "eval/exact.h"

const lh_node *lh_fast_prevents(const lh_plan *p); /* the step that needs all rows, or NULL */
void lh_fast_past(lh_plan *p, int rows);           /* 0: begin anew */
/* After `fed` rows, could it go on from fewer of them? Not where a window has moved beyond these. */
bool lh_fast_has_past(lh_plan *p, int fed, int rows);
/* example e goes on from what example from[e] kept: for beams */
void lh_fast_reorder(lh_plan *p, const int *from, int n);

#endif
