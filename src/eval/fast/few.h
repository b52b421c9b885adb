/* few -- products of a few rows with a matrix that may lie in bf16: what generation spends its time on.
 *
 *     lh_few_product(pool, &a, &b, false, &c, bias);       up to LH_FEW rows; false: not one of these
 *     lh_half_product(pool, &a, &b, &c, bias);             B of bf16, any number of rows
 *
 * A matrix of bf16 is a lh_matrix whose p points at numbers of two bytes; strides count numbers. Few rows are cut so that
 * B is read in long runs; many go through bf16.h where the pool says so, and else B is made wide once for the product.
 */
#ifndef LH_EVAL_FAST_FEW_H
#define LH_EVAL_FAST_FEW_H

#include "eval/fast/fast.h"

enum { LH_FEW = 4 };

bool lh_few_product(lh_pool *pool, const lh_matrix *a, const lh_matrix *b, bool is_half,
                    const lh_matrix *c, const float *bias);
/* whatever the strides of A and C */
void lh_half_product(lh_pool *pool, const lh_matrix *a, const lh_matrix *b, const lh_matrix *c,
                     const float *bias);

#endif
