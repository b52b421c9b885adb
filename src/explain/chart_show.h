/* chart_show -- charts of a program's values, asked for as in a `show` block of a lesson.
 *
 *     lh_show_program p[] = {{"", g}, {"fast", other}};
 *     lh_chart *c = lh_chart_show(arena, p, 2, "heat P", &(lh_show_how){0});
 *     if (c) lh_chart_svg(c, &(lh_chart_page){0}, &text);
 *
 *     heat P              a matrix as shades with its labels; each head is a panel; P{head 1}, P@10 and WO{example 2} as in explain
 *     stripes PE          likewise without numbers
 *     bars probs          a bar for each number of a row or column; the right word is marked
 *     loss 100 this fast  the loss before and after each of 100 updates, of one program or of several by name
 *     points X Y out      rows of X as places in the plane, classes by Y; behind them out, where X is moved over the plane; each place is an
 *                      example with one row, or a row of X
 *     vectors E           rows of E as arrows from the origin
 *     moves X Y           rows of X and where they went, the same rows of Y: arrows from the origin where there are one or two of them,
 *                         else two outlines, with an arrow for the corner that lies farthest out
 *     line xs ys zs       ys and zs over xs
 *     growth xs ys        likewise, both axes by factors
 *
 * An item for another program begins with its name: `fast: heat P`.
 * A value that each example has is taken from all of them by points, vectors, moves, line and growth, and from the first by the others.
 *
 * Errors: NULL, and the context of the first program has failed. Memory: the chart and its numbers live in `arena`.
 */
#ifndef LH_EXPLAIN_CHART_SHOW_H
#define LH_EXPLAIN_CHART_SHOW_H

#include "eval/exact.h"
#include "explain/chart.h"
#include "train/loop.h"

typedef struct lh_show_program {
    const char *name; /* "" or NULL for the lesson's own */
    lh_graph *g;
} lh_show_program;

typedef struct lh_show_how {
    int updates;          /* numbers after so many updates, where the address has no @ */
    bool log_y;           /* loss, line */
    lh_loop_how training; /* its batches; 0: all examples in each update */
    /* Whoever has the numbers after so many updates already; NULL: they are worked out here. */
    const lh_plan *(*moment)(void *who, int updates);
    /* ... and the losses before and after each of so many; NULL, likewise. */
    const double *(*losses)(void *who, int updates);
    bool has_batches; /* ... each of some examples alone: such a loss has no address */
    /* How a page calls a number that is written in the picture; NULL: not at all. */
    const char *(*address)(void *who, const lh_plan *p, const lh_node *n, lh_cell at, int updates);
    void *who;
} lh_show_how;

bool lh_chart_shows(const char *what); /* does it begin with one of the words above? */
lh_chart *lh_chart_show(lh_arena *a, const lh_show_program *program, int n, const char *what,
                        const lh_show_how *how);

/* From a value whose numbers are there: one panel for each head, labelled by its axes. */
lh_chart *lh_chart_new(lh_arena *a, lh_chart_kind kind, const char *title);
lh_chart *lh_chart_heat(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *n,
                        int example);
/* a row, or the whole of a column */
lh_chart *lh_chart_bars(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *n,
                        int example, int row);
/* the addresses of its numbers, where how->address has them; `at`: the example and the row that is shown */
void lh_chart_address(lh_arena *a, lh_chart *c, const lh_plan *p, const lh_node *n, lh_cell at,
                      int step, const lh_show_how *how);
/* what a curve of losses shows: the loss, or the mean of it where each example has its own; NULL: a mean that no step has */
const lh_node *lh_loss_shown(const lh_graph *g, const lh_plan *p);
/* likewise of the losses of one program: of those that have a place to be touched */
void lh_losses_address(lh_arena *a, lh_series *s, const lh_graph *g, const lh_plan *p,
                       const lh_show_how *how);
/* over updates from 0 */
lh_chart *lh_chart_losses(lh_arena *a, const char *const *name, const double *const *loss,
                          const int *n, int n_series);

#endif
