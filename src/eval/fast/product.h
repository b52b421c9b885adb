/* product -- matrix products in float: C = A @ B, or C += A @ B, on one thread.
 *
 *     lh_product(m, n, k, a, a_rs, a_cs, b, b_rs, b_cs, c, c_rs, adds);
 *
 * Cell (r, c) of A lies at a[r * a_rs + c * a_cs]; one of the two strides must be 1. The work is done by oneDNN where it
 * was found when Longhand was built, else by loops of our own.
 */
#ifndef LH_EVAL_FAST_PRODUCT_H
#define LH_EVAL_FAST_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

void lh_product(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const float *a, ptrdiff_t a_rs,
                ptrdiff_t a_cs, const float *b, ptrdiff_t b_rs, ptrdiff_t b_cs, float *c,
                ptrdiff_t c_rs, bool adds);
/* can it read a matrix with these strides? */
bool lh_product_takes(ptrdiff_t rs, ptrdiff_t cs, ptrdiff_t rows, ptrdiff_t cols);
/* threads of ours call it first: the library starts none of its own */
void lh_product_one_thread(void);
const char *lh_product_name(void); /* whose products: "oneDNN 2.6.3" */

#endif
