/* page_address -- the one way in which a page writes the address of a number, so that the same number has the same address everywhere.
 *
 *     lh_addressed from = {.program = "fast:", .g = g, .plan = plan, .step = 3};
 *     lh_address_of(arena, &from, node, at);            fast:h[0].A.P{example 1, head 2}[1][0]@3
 *
 * The whole path; {example, head} where there are several; [row] and [column] where there are several; @ after the first update.
 * What := makes of a param is the param one update later: WO[0][1]@1.
 */
#ifndef LH_PAGES_PAGE_ADDRESS_H
#define LH_PAGES_PAGE_ADDRESS_H

#include "eval/exact.h"

typedef struct lh_addressed {
    const char *program; /* "fast:"; "" for a lesson's own */
    const lh_graph *g;
    const lh_plan *plan;              /* its sizes */
    int step;                         /* updates before it */
    const struct lh_numbers *numbers; /* in place of the plan, or NULL: explain/explain.h */
} lh_addressed;

/* NULL: it has no name */
const char *lh_address_of(lh_arena *a, const lh_addressed *from, const lh_node *n, lh_cell at);
/* the same of a step */
const char *lh_address_of_step(lh_arena *a, const lh_addressed *from, const lh_step *s, lh_cell at);
/* without row and column */
const char *lh_address_of_matrix(lh_arena *a, const lh_addressed *from, const lh_step *s,
                                 int example, int head);

#endif
