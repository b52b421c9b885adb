/* rounded_number -- what weights in few bits made of one number.
 *
 *     lh_inside_round(in, LH_IN_INT8);                                      one pass in 8 bits, and another inside in float
 *     lh_explanation *e = lh_inside_explain(in, "h[0].V[1][3]", &how);
 *     lh_rounding r;
 *     if (lh_rounding_of(in, plain, e->step->node, e->at, &r)) ...          r.few - r.plain is what rounding did
 *
 * Where the number is a product with a rounded matrix (or a sum with such a product in it), the difference is told in three parts, which add up:
 *
 *     exact  - plain      the operands: earlier steps of the pass were rounded, too
 *     matrix - exact      the matrix in few bits
 *     few    - matrix     the row in 8 bits, and the sum in float
 *
 * A number of a rounded matrix itself is told as its code and its scale. Errors: in the context of the graph. Memory: the arena of `in`.
 */
#ifndef LH_TRAIN_ROUNDED_NUMBER_H
#define LH_TRAIN_ROUNDED_NUMBER_H

#include "train/inside.h"

/* A number and what it was rounded to: code * scale. */
typedef struct lh_rounding_number {
    double value, scale, rounded;
    int code;
} lh_rounding_number;

/* One term of a product: x * w. */
typedef struct lh_rounding_term {
    int at; /* along the sum */
    lh_rounding_number x, w;
} lh_rounding_term;

enum { LH_ROUNDING_TERMS = 3 };

typedef struct lh_rounding {
    lh_precision precision;
    int bits;              /* of the matrix; 0: there is no product with one, and it is none */
    const lh_node *matrix; /* the param */
    /* of a number of a matrix: its place in the line, where its block begins */
    lh_rounding_number own;
    int own_at, own_block;
    bool is_product, is_weight;
    const lh_node *inside; /* of other steps: a matrix that a product inside it reads, or NULL */
    double plain, few;     /* the number, by a pass in float and by this one */
    double exact;          /* from this pass's operands, in double and with the matrix as it is */
    double by_matrix;      /* ... with the matrix rounded */
    const lh_node *row, *product;             /* the operand, or NULL without a name; the product */
    int row_at, line;                         /* the operand's row ; the line of the matrix */
    bool is_by_rows;                          /* a line is a row of the matrix */
    int n;                                    /* terms in all */
    lh_rounding_term term[LH_ROUNDING_TERMS]; /* those that changed most, the most first */
    int n_terms;
} lh_rounding;

/* both runs are made anew; false: the context failed */
bool lh_rounding_of(lh_inside *in, lh_inside *plain, lh_node *n, lh_cell at, lh_rounding *r);

#endif
