/* grid_text -- a matrix of texts on the screen, in brackets.
 *
 *     lh_grid g = lh_grid_of(arena, &(lh_grid_from){graph, plan, node, .digits = 6});
 *     lh_grid_print(out, arena, &g, "P = ", 4, 76);
 *
 *         P =     A       B
 *             A ⎡ 0.5018  0.4982 ⎤
 *             B ⎣ 0.4982  0.5018 ⎦
 */
#ifndef LH_CLI_GRID_TEXT_H
#define LH_CLI_GRID_TEXT_H

#include <stdio.h>

#include "pages/grid.h"

/* folded into several of its columns at a time where it is too wide */
void lh_grid_print(FILE *out, lh_arena *a, const lh_grid *g, const char *name, int indent,
                   int width);

#endif
