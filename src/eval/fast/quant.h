/* quant -- matrices in 8 or 4 bits, and products with them: less memory is read for each token.
 *
 *     lh_quant q = {.bits = 8, .lines = n, .k = k, .data = memory};         lh_quant_bytes(8, n, k) bytes of it
 *     lh_quant_pack(pool, &q, memory, read, who);                           rounds; read gives the numbers, line by line
 *     lh_quant_product(pool, &a, &q, &c, bias);                             C = A @ B (+ bias): a line is a column of B
 *
 * A line is cut into blocks of 32 numbers, each with a scale d that is a number of 16 bits (base/half.h):
 *
 *     8 bits: d = most / 127, q_i = x_i / d rounded, halves away from 0                    most: the largest |x_i|
 *     4 bits: d = first / -8, q_i = x_i / d + 8.5 without its fraction, at most 15, minus 8    first: the x_i with the largest |x_i|
 *
 * q is found with d before that is rounded to 16 bits, and x_i is then d q_i, as in Q8_0 and Q4_0 of GGUF. The rows of A are cut likewise, into 8
 * bits, with a scale e in float. Then, block after block from the first, in float and with each operation rounded by itself:
 *
 *     y = 0;  y = y + (d e) * (q_1 p_1 + ... + q_32 p_32)                     the sum in the brackets is of whole numbers, and exact
 *
 * Numbers that are d q already come to the same d and q again: a file in Q8_0 or Q4_0 loses nothing.
 *
 * So every processor, every number of threads and every way of cutting gives the same bits. A block that holds a nan or an infinity has a scale that is
 * nan. Of a row of A, a block whose numbers are all below 1e-36 counts as zeros.
 *
 * In memory: panels of 16 lines. A panel has its codes, block by block, then its scales, 16 for each block. Codes are stored with 128 (or 8) added:
 *
 *     8 bits: byte j * 64 + 4 * line + t of a block is number 4 j + t                          j from 0 to 7, t from 0 to 3
 *     4 bits: its lower half is number 4 j + t, its upper half number 16 + 4 j + t             j from 0 to 3
 *
 * What lies behind the last line, and behind the end of a line, is 0.
 */
#ifndef LH_EVAL_FAST_QUANT_H
#define LH_EVAL_FAST_QUANT_H

#include "eval/fast/fast.h"

enum { LH_QUANT_BLOCK = 32, LH_QUANT_LINES = 16 };

typedef struct lh_quant {
    int bits;            /* 8 or 4 */
    bool is_by_rows;     /* a line is a row of the matrix as the program has it; else a column */
    ptrdiff_t lines, k;  /* k: numbers in a line */
    unsigned char *data; /* lh_quant_bytes of it */
} lh_quant;

/* A block by itself. */
typedef struct lh_quant_block {
    float scale;
    signed char code[LH_QUANT_BLOCK];
} lh_quant_block;

/* Gives n lines from `line` on as floats: line i at out + i * step. */
typedef void (*lh_quant_read)(void *who, ptrdiff_t line, int n, float *out, ptrdiff_t step);

size_t lh_quant_bytes(int bits, ptrdiff_t lines, ptrdiff_t k);
/* false: no memory, or a scale is too large for 16 bits */
bool lh_quant_pack(lh_pool *pool, const lh_quant *q, lh_quant_read read, void *who);
void lh_quant_get(const lh_quant *q, ptrdiff_t line, ptrdiff_t block, lh_quant_block *out);
void lh_quant_line(const lh_quant *q, ptrdiff_t line, float *out); /* d q, k numbers */
/* of up to 32 numbers, as they are found: a weight's (the scale in 16 bits), or a row's of A */
void lh_quant_round(int bits, const float *x, int n, lh_quant_block *out);
void lh_quant_round_row(const float *x, int n, lh_quant_block *out);
/* pool: may be NULL; whatever the strides of A and C */
void lh_quant_product(lh_pool *pool, const lh_matrix *a, const lh_quant *q, const lh_matrix *c,
                      const float *bias);

/* ---- the innermost loops ---- */

/* Rows of A, rounded: row r at code + r * 32 blocks, its scales at scale + r * blocks. */
typedef struct lh_quant_rows {
    signed char *code;
    float *scale;
    int *minus; /* what the 128 or 8 that were added to each code come to, less */
    ptrdiff_t blocks;
} lh_quant_rows;

/* A few rows by a few panels, along some blocks. */
typedef struct lh_quant_tile {
    const lh_quant_rows *rows;
    ptrdiff_t row;
    int n_rows; /* 1 to LH_QUANT_ROWS */
    int bits;
    const unsigned char *code, *scale; /* of the first panel, from the first block on */
    ptrdiff_t panel_bytes;             /* from one to the next */
    int n_panels;                      /* 1 to LH_QUANT_PANELS */
    ptrdiff_t from, to;                /* blocks */
    float *sum;                        /* [n_rows][16 * LH_QUANT_PANELS]: added to */
} lh_quant_tile;

enum { LH_QUANT_ROWS = 4, LH_QUANT_PANELS = 4 };

typedef struct lh_quant_ways {
    const char *name;
    /* a line of n numbers: its codes (zeros up to a whole block) and scales before they are 16 bits */
    void (*round8)(const float *x, ptrdiff_t n, signed char *code, float *scale);
    void (*round4)(const float *x, ptrdiff_t n, signed char *code, float *scale);
    void (*tile)(const lh_quant_tile *t);
} lh_quant_ways;

/* the best that this machine has; all of them, for tests: ends with NULL */
const lh_quant_ways *lh_quant_way(void);
const lh_quant_ways *const *lh_quant_all_ways(void);

#endif
