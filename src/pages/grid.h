/* grid -- a value as a matrix of texts with labels.
 *
 *     lh_grid g = lh_grid_of(arena, &(lh_grid_from){graph, plan, node, .digits = 6});
 *     for (int r = 0; r < g.rows; r++) ... g.row[r], g.cell[r * g.cols + c]
 */
#ifndef LH_PAGES_GRID_H
#define LH_PAGES_GRID_H

#include "eval/exact.h"
#include "learn/paper.h"

enum { LH_GRID_ROWS = 32, LH_GRID_COLS = 64 }; /* more are cut, and said */

typedef struct lh_grid_from {
    const lh_graph *g;
    const lh_plan *plan;
    const lh_node *n;
    int example, head;
    int digits; /* 0: 6 */
    int rows;   /* at most; 0: LH_GRID_ROWS */
    /* A place has the brackets of an address, so that it cannot be taken for a number; a word that is one, quotes. */
    bool is_addressed;
} lh_grid_from;

lh_grid lh_grid_of(lh_arena *a, const lh_grid_from *from); /* rows 0 without memory */

#endif
