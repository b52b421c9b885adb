/* bf16 -- large matrix products in numbers of 16 bits, added up in float: C = A @ B, C += A @ B.
 *
 *     if (lh_bf16_name()) lh_pool_use_bf16(pool, true);      "AMX" or "AVX512_BF16"; NULL: this processor has none
 *     lh_product_threads(pool, &a, &b, &c, NULL, false);     now goes this way
 *
 * A bf16 is a float without its lower 16 bits: the same range, 8 bits of precision. A and B are rounded to the nearest
 * (ties to even; what is below 1.2e-38 becomes 0) while they are packed, in this order:
 *
 *     a block    16 lines (rows of A, columns of B) of 32 numbers along k, 1 KiB; zeros where the matrix ends
 *     a panel    the blocks of 16 lines, one after another along k; panels come in twos
 *
 * Inside a block A lies [line][k] and B [k / 2][line][k % 2]: as tables of pairs, one is the other turned. The work is
 * cut by sizes alone, so the bits do not depend on the number of threads. The packed numbers lie in memory of the pool,
 * which grows to the largest product and stays.
 */
#ifndef LH_EVAL_FAST_BF16_H
#define LH_EVAL_FAST_BF16_H

#include <stdint.h>

#include "eval/fast/fast.h"
#include "eval/fast/wish.h"

enum { LH_BF16_LINES = 16, LH_BF16_K = 32, LH_BF16_BLOCK = LH_BF16_LINES * LH_BF16_K };

/* What a processor does for us. Squares of C are 32 x 32: two panels of A, two of B. */
typedef struct lh_bf16_way {
    const char *name;
    /* one step is 1; past lines and k: 0 */
    void (*pack)(uint16_t *block, const float *from, ptrdiff_t line_step, ptrdiff_t k_step,
                 ptrdiff_t lines, ptrdiff_t k, bool is_b);
    /* likewise, of bf16 */
    void (*pack_half)(uint16_t *block, const uint16_t *from, ptrdiff_t line_step, ptrdiff_t k_step,
                      ptrdiff_t lines, ptrdiff_t k, bool is_b);
    void (*begin)(void); /* on each thread, before squares */
    void (*square)(float *c, ptrdiff_t c_rs, const uint16_t *a, const uint16_t *b, ptrdiff_t panel,
                   ptrdiff_t blocks, bool adds); /* so many blocks; the second panel lies `panel`
                                                    numbers after the first */
    void (*end)(void);
} lh_bf16_way;

/* Of two generations of processors; the packing of the first serves both. */
extern const lh_bf16_way lh_bf16_avx512, lh_bf16_amx;
void lh_bf16_pack_avx512(uint16_t *block, const float *from, ptrdiff_t line_step, ptrdiff_t k_step,
                         ptrdiff_t lines, ptrdiff_t k, bool is_b);
void lh_bf16_pack_half_avx512(uint16_t *block, const uint16_t *from, ptrdiff_t line_step,
                              ptrdiff_t k_step, ptrdiff_t lines, ptrdiff_t k, bool is_b);

const lh_bf16_way *lh_bf16(void); /* NULL: this processor has none */

/* As lh_product_threads, with operands that it takes. False and nothing done: no memory, or no such processor. */
bool lh_bf16_product(lh_pool *pool, const lh_matrix *a, const lh_matrix *b, const lh_matrix *c,
                     const float *bias, bool adds);
/* B is of bf16 already: eval/fast/few.h */
bool lh_bf16_half_product(lh_pool *pool, const lh_matrix *a, const lh_matrix *b, const lh_matrix *c,
                          const float *bias);
/* the first part of it alone, to be measured */
bool lh_bf16_pack(lh_pool *pool, const lh_matrix *a, const lh_matrix *b);

#endif
