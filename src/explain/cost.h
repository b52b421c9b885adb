/* cost -- what a step costs, as a polynomial in the axis names: 3*tokens*dim^2 + tokens*dim.
 *
 *     lh_cost_add(g, &c->multiply_adds, 1, 3, (int[]){rows, inner, cols});        what an operation says of itself
 *     double n = lh_polynomial_value(p);                                          960
 *     puts(lh_polynomial_text(p));                                                3*tokens*dim^2
 *
 * Costs are for one example. The reader that adds up a program is bill.h. Terms lie in the arena of the names.
 */
#ifndef LH_EXPLAIN_COST_H
#define LH_EXPLAIN_COST_H

#include "graph/op.h"

enum { LH_COST_FACTORS = 32 };

/* times * product of axis^power; base axes, ascending. */
typedef struct lh_monomial {
    double times;
    lh_factor factor[LH_COST_FACTORS];
    int n_factors;
} lh_monomial;

typedef struct lh_polynomial {
    const struct lh_cost_names *names;
    lh_monomial *term; /* no two with the same factors */
    int n_terms;
} lh_polynomial;

/* How axes are written in formulas, and how large they are. */
typedef struct lh_cost_names {
    lh_arena *arena;
    const lh_graph *g;
    int *as;        /* for each axis: itself, or the length that it must always be equal to */
    size_t *size;   /* of each axis; a length as it was set, or of the longest example */
    bool *is_count; /* for each axis: it says how often a repeat turns */
    int gradients;  /* the axis along which all gradients stand, or -1 */
    const lh_polynomial *params; /* ... and what it is made of */
} lh_cost_names;

typedef struct lh_cost {
    lh_polynomial multiply_adds; /* of matrix products */
    lh_polynomial operations;    /* all else: one for each number made or added to a sum */
} lh_cost;

/* Add times * the product of the n axes given, at most 4. */
void lh_cost_add(const lh_graph *g, lh_polynomial *p, double times, int n, const int *axes);
/* times for each cell of n */
void lh_cost_cells(const lh_graph *g, const lh_node *n, lh_polynomial *p, double times);
/* .cost: one operation for each cell of operand 0. For one example, as all costs: a reader multiplies by the examples where the
 * operand has one value for each. */
void lh_cost_operand(const lh_graph *g, const lh_node *n, lh_cost *c);

lh_polynomial lh_polynomial_new(const lh_cost_names *names);
void lh_polynomial_add(lh_polynomial *p, const lh_polynomial *q); /* p = p + q */
void lh_polynomial_add_times(lh_polynomial *p, const lh_polynomial *q, double times, int n,
                             const int *axes); /* p = p + times * axes * q */
bool lh_polynomial_same(const lh_polynomial *p, const lh_polynomial *q);
void lh_polynomial_sort(lh_polynomial *p);          /* largest terms first */
double lh_polynomial_value(const lh_polynomial *p); /* exact up to 2^53 */
double lh_monomial_value(const lh_polynomial *p, int term);
/* with the lengths of one example of the program */
double lh_polynomial_value_at(const lh_polynomial *p, int example);
char *lh_polynomial_text(const lh_polynomial *p); /* largest terms first; "0" without any */
char *lh_monomial_text(const lh_polynomial *p, int term);
/* of every axis, when the inputs have these lengths */
void lh_cost_measure(const lh_graph *g, const size_t *length, size_t *size);

#endif
