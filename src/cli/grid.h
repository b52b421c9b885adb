/* grid -- a value as a matrix of texts with labels, for pages: on the screen in brackets, in the book as a table.
 *
 *     lh_grid g = lh_grid_of(arena, &(lh_grid_from){graph, plan, node, .digits = 6});
 *     lh_grid_print(out, arena, &g, "P = ", 4, 76);
 *
 *         P =     A       B
 *             A ⎡ 0.5018  0.4982 ⎤
 *             B ⎣ 0.4982  0.5018 ⎦
 */
#ifndef LH_CLI_GRID_H
#define LH_CLI_GRID_H

#include <stdio.h>

#include "eval/exact.h"
#include "learn/paper.h"

enum { LH_GRID_ROWS = 32, LH_GRID_COLS = 64 }; /* more are cut, and said */

typedef struct lh_grid_from {
    const lh_graph *g;
    const lh_plan *plan;
    const lh_node *n;
    int example, head;
    int digits;
} lh_grid_from;

lh_grid lh_grid_of(lh_arena *a, const lh_grid_from *from); /* rows 0 without memory */
void lh_grid_print(
    FILE *out, lh_arena *a, const lh_grid *g, const char *name, int indent,
    int width); /* folded into several of its columns at a time where it is too wide */

#endif
