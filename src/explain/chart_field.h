/* chart_field -- what lies behind points: one number of the program for every place of the plane.
 *
 *     lh_chart_field f = {.name = "p", .rows = 64, .cols = 64, .x0 = -1, .x1 = 1, .y0 = -1, .y1 = 1};
 *     if (lh_chart_field_fill(g, arena, &(lh_field_from){learned, x, out, "X", "p"}, &f)) chart->field = f;
 *
 * Errors: false, and the graph's context failed. Memory: the cells are the arena's.
 */
#ifndef LH_CHART_FIELD_H
#define LH_CHART_FIELD_H

#include "eval/plan.h"
#include "explain/chart.h"

typedef struct lh_field_from {
    const lh_plan *learned;        /* params have its numbers */
    lh_node *x;                    /* 1 x 2 for each example, or a row for each place */
    lh_node *out;                  /* ... a number for each */
    const char *x_text, *out_text; /* what messages call them */
} lh_field_from;

bool lh_chart_field_fill(lh_graph *g, lh_arena *a, const lh_field_from *from, lh_chart_field *f);

#endif
