/* row -- products of one row with a matrix: every number of the matrix is read once, and reading it is what takes the time.
 *
 *     lh_row_way()->product(y, x, b, step, k, n);          y = x @ B: row i of B at b + i * step, k rows, n columns
 *     lh_row_way()->dots(y, x, b, step, k, n);             y = x @ B^T: likewise, n rows of k numbers
 *
 * The matrix may be of bf16: a number is widened to a float by a shift, exactly. row.c is compiled for several generations of
 * processors, as vector.c is; on one processor the bits are always the same. Memory behind the matrix is asked for ahead of
 * its use and never read.
 */
#ifndef LH_EVAL_FAST_ROW_H
#define LH_EVAL_FAST_ROW_H

#include <stddef.h>
#include <stdint.h>

typedef struct lh_row_ways {
    void (*product)(float *y, const float *x, const float *b, ptrdiff_t step, ptrdiff_t k,
                    ptrdiff_t n);
    void (*dots)(float *y, const float *x, const float *b, ptrdiff_t step, ptrdiff_t k,
                 ptrdiff_t n);
    void (*product_half)(float *y, const float *x, const uint16_t *b, ptrdiff_t step, ptrdiff_t k,
                         ptrdiff_t n);
    void (*dots_half)(float *y, const float *x, const uint16_t *b, ptrdiff_t step, ptrdiff_t k,
                      ptrdiff_t n);
    void (*widen)(float *y, const uint16_t *x, ptrdiff_t n);  /* bf16 to float */
    void (*narrow)(uint16_t *y, const float *x, ptrdiff_t n); /* to the nearest, ties to even */
    float (*sum)(const float *x, ptrdiff_t n); /* as fast as memory is read: to measure it */
} lh_row_ways;

const lh_row_ways *lh_row_way(void); /* the best that this machine has */

#endif
