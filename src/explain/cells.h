/* cells -- single numbers of a program in double, each computed from those it needs and from no others.
 *
 *     lh_cells *c = lh_cells_new(g, &(lh_cells_from){.who = w, .known = known, .sizes = sizes, .examples = 1});
 *     double x = lh_cells_get(c, node, (lh_cell){0, 5, 7, 2});
 *     lh_cells_free(c);
 *
 * A model is run in float, by kernels that keep no line of the calls they stand for. One number of such a line does not need the
 * line: a score needs a row of Q and a row of K. So a cell is asked for, it asks for the cells of its operands, and so on down to
 * what `known` says: the values of named steps, params, inputs. The arithmetic is that of the exact evaluator, in its order.
 *
 * What was computed once is kept. Errors: a number that cannot be had (a given that nobody knows) is nan; when memory ends, the
 * graph's context has failed. Memory: an arena of its own. Limits: `known` must know enough for recursion to end early, such as
 * every named step: a cell that needs a million others computes them all.
 */
#ifndef LH_EXPLAIN_CELLS_H
#define LH_EXPLAIN_CELLS_H

#include "eval/exact.h"

typedef struct lh_cells_from {
    void *who; /* handed to the functions */
    /* false: it is to be computed from its operands */
    bool (*known)(void *who, const lh_node *n, lh_cell at, double *x);
    lh_sizes (*sizes)(void *who, const lh_node *n, int example);
    int examples;
    double training, step; /* the numbers of these names */
} lh_cells_from;

typedef struct lh_cells lh_cells;

/* NULL and the context failed on error */
lh_cells *lh_cells_new(lh_graph *g, const lh_cells_from *from);
void lh_cells_free(lh_cells *c);                                /* NULL is allowed */
double lh_cells_get(lh_cells *c, const lh_node *n, lh_cell at); /* rows of 1 are stretched */

#endif
