/* cost -- multiply-adds, other operations and numbers of a step, as formulas in the axis names and as counts. */
#ifndef LH_EXPLAIN_COST_H
#define LH_EXPLAIN_COST_H

#include "graph/op.h"

/* times * product of axis^power. */
typedef struct lh_monomial {
    double times;
    lh_factor factor[2 * LH_MAX_FACTORS];
    int n_factors;
} lh_monomial;

enum { LH_MAX_MONOMIALS = 64 };

typedef struct lh_polynomial {
    lh_monomial term[LH_MAX_MONOMIALS];
    int n_terms;
} lh_polynomial;

typedef struct lh_cost {
    lh_polynomial multiply_adds; /* of matrix products */
    lh_polynomial
        operations; /* all other arithmetic: one for each addition, product, exp, comparison */
} lh_cost;

/* Add times * the product of the n axes given; batched nodes are counted for one example (the reader multiplies). */
void lh_cost_add(const lh_graph *g, lh_polynomial *p, double times, int n, const int *axes);
void lh_cost_cells(const lh_graph *g, const lh_node *n, lh_polynomial *p,
                   double times); /* times for each cell of n */

#endif
