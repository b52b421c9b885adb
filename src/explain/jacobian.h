/* jacobian -- how a cell of a result moves with every cell of an operand, by central differences in a wide evaluator.
 *
 *     lh_jacobian *j = lh_jacobian_new(g, &lh_wide, P, Z, 0);         of P = softmax(Z), at the start values
 *     lh_jacobian_from(j, g, moment);                              ... or with params after some updates
 *     double d = lh_jacobian_at(j, (lh_cell){0, 0, 1, 0}, (lh_cell){0, 0, 1, 1});   dP[1][0] / dZ[1][1]
 */
#ifndef LH_EXPLAIN_JACOBIAN_H
#define LH_EXPLAIN_JACOBIAN_H

#include "eval/exact.h"

typedef struct lh_jacobian lh_jacobian;

/* NULL and the context failed on error; the operand must be one that `of` depends on */
lh_jacobian *lh_jacobian_new(lh_graph *g, const lh_evaluator *by, lh_node *of, lh_node *to);
/* params and states are as in `moment`, a plan of the same evaluator with all numbers */
void lh_jacobian_from(lh_jacobian *j, const lh_graph *g, const lh_plan *moment);
void lh_jacobian_free(lh_jacobian *j);
double lh_jacobian_at(lh_jacobian *j, lh_cell of, lh_cell to);
lh_sizes lh_jacobian_sizes(const lh_jacobian *j, bool of_operand, int example);

#endif
