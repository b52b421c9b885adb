/* grid_text -- a matrix of texts on the screen: decimal points under each other, labels over the digits before the point.
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

/* in brackets, folded into several of its columns at a time where it is too wide */
void lh_grid_print(FILE *out, lh_arena *a, const lh_grid *g, const char *name, int indent,
                   int width);

/* For another layout: what a column needs, and its label or one of its cells padded to that. */
typedef struct lh_grid_column {
    int left, right; /* columns of the screen before the point, and from it on */
} lh_grid_column;
lh_grid_column lh_grid_measure(const lh_grid *g, int c);
void lh_grid_add_label(lh_text *t, const lh_grid *g, int c, lh_grid_column w);
void lh_grid_add_cell(lh_text *t, const lh_grid *g, int r, int c, lh_grid_column w);
int lh_grid_label_columns(const lh_grid *g); /* of the widest label of a row */

#endif
