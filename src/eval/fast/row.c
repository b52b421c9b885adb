#include "eval/fast/row.h"

#include <math.h>
#include <string.h>

/* As many floats as one instruction takes. */
#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));

enum { PAIRS = 2 * LANES };       /* numbers of bf16 in as many bytes */
enum { ROWS = 4, HALF_ROWS = 8 }; /* of B at a time: as many streams from memory */
enum { AHEAD = 512 };             /* floats: so far ahead memory is asked for them */

static inline float wide(uint16_t half) {
    const uint32_t bits = (uint32_t)half << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float added(const lanes *v) {
    float part[LANES];
    memcpy(part, v, sizeof part);
    for (int w = LANES / 2; w; w /= 2)
        for (int j = 0; j < w; j++) part[j] += part[j + w];
    return part[0];
}

/* A word holds two numbers of bf16: the one that stands first in its lower half. PAIRS of them are LANES words, and
 * become two vectors: of those at even places and of those at odd ones. */
#define EVEN_OF(f, w)                                                                              \
    do {                                                                                           \
        const words t_ = (w) << 16;                                                                \
        memcpy(&(f), &t_, sizeof(f));                                                              \
    } while (0)
#define ODD_OF(f, w)                                                                               \
    do {                                                                                           \
        const words t_ = (w)&0xffff0000u;                                                          \
        memcpy(&(f), &t_, sizeof(f));                                                              \
    } while (0)

/* PAIRS numbers, those at even places first: what the two vectors are multiplied with. */
static void part(float *to, const float *from) {
    for (int i = 0; i < LANES; i++) to[i] = from[2 * i], to[LANES + i] = from[2 * i + 1];
}

static void join(float *x) {
    float parted[PAIRS];
    memcpy(parted, x, sizeof parted);
    for (int i = 0; i < LANES; i++) x[2 * i] = parted[i], x[2 * i + 1] = parted[LANES + i];
}

/* ---- y = x @ B ---- */

/* A few rows of B at a time: y is read and written once for them. */
static void product(float *restrict y, const float *restrict x, const float *restrict b,
                    ptrdiff_t step, ptrdiff_t k, ptrdiff_t n) {
    ptrdiff_t i = 0;
    memset(y, 0, (size_t)n * sizeof *y);
    for (; i + ROWS <= k; i += ROWS) {
        const float *p = b + i * step;
        ptrdiff_t c = 0;
        for (; c + LANES <= n; c += LANES) {
            lanes sum, w;
            memcpy(&sum, y + c, sizeof sum);
            for (int j = 0; j < ROWS; j++) {
                __builtin_prefetch(p + (ROWS + j) * step + c);
                memcpy(&w, p + j * step + c, sizeof w);
                sum += x[i + j] * w;
            }
            memcpy(y + c, &sum, sizeof sum);
        }
        for (; c < n; c++)
            for (int j = 0; j < ROWS; j++) y[c] += x[i + j] * p[j * step + c];
    }
    for (; i < k; i++)
        for (ptrdiff_t c = 0; c < n; c++) y[c] += x[i] * b[i * step + c];
}

/* Sums stay parted until the last row. */
static void product_half(float *restrict y, const float *restrict x, const uint16_t *restrict b,
                         ptrdiff_t step, ptrdiff_t k, ptrdiff_t n) {
    const ptrdiff_t parted = n / PAIRS * PAIRS;
    ptrdiff_t i = 0;
    memset(y, 0, (size_t)n * sizeof *y);
    for (; i + HALF_ROWS <= k; i += HALF_ROWS) {
        const uint16_t *p = b + i * step;
        for (ptrdiff_t c = 0; c < parted; c += PAIRS) {
            lanes even, odd, f;
            words w;
            memcpy(&even, y + c, sizeof even);
            memcpy(&odd, y + c + LANES, sizeof odd);
            for (int j = 0; j < HALF_ROWS; j++) {
                __builtin_prefetch(p + (HALF_ROWS + j) * step + c);
                memcpy(&w, p + j * step + c, sizeof w);
                EVEN_OF(f, w);
                even += x[i + j] * f;
                ODD_OF(f, w);
                odd += x[i + j] * f;
            }
            memcpy(y + c, &even, sizeof even);
            memcpy(y + c + LANES, &odd, sizeof odd);
        }
        for (ptrdiff_t c = parted; c < n; c++)
            for (int j = 0; j < HALF_ROWS; j++) y[c] += x[i + j] * wide(p[j * step + c]);
    }
    for (ptrdiff_t c = 0; c < parted; c += PAIRS) join(y + c);
    for (; i < k; i++)
        for (ptrdiff_t c = 0; c < n; c++) y[c] += x[i] * wide(b[i * step + c]);
}

/* ---- y = x @ B^T ---- */

/* Rows from a few places at a time, each place read on to where the next begins: memory comes fastest so, and while one sum
 * waits for its last addition the others go on. The rows that are left come in the last turn, and past the end the first
 * is taken again, and not used. */
static inline ptrdiff_t row_of(ptrdiff_t turn, int place, ptrdiff_t n) {
    const ptrdiff_t apart = n / ROWS;
    return turn < apart ? place * apart + turn : ROWS * apart + place;
}

static void dots(float *restrict y, const float *restrict x, const float *restrict b,
                 ptrdiff_t step, ptrdiff_t k, ptrdiff_t n) {
    for (ptrdiff_t t = 0; t * ROWS < n; t++) {
        const float *row[ROWS];
        lanes sum[ROWS] = {{0}};
        ptrdiff_t i = 0;
        for (int j = 0; j < ROWS; j++)
            row[j] = b + (row_of(t, j, n) < n ? row_of(t, j, n) : 0) * step;
        for (; i + LANES <= k; i += LANES) {
            lanes a, w;
            memcpy(&a, x + i, sizeof a);
            for (int j = 0; j < ROWS; j++) {
                __builtin_prefetch(row[j] + i + AHEAD);
                memcpy(&w, row[j] + i, sizeof w);
                sum[j] += a * w;
            }
        }
        for (int j = 0; j < ROWS && row_of(t, j, n) < n; j++) {
            float rest = 0;
            for (ptrdiff_t c = i; c < k; c++) rest += x[c] * row[j][c];
            y[row_of(t, j, n)] = added(&sum[j]) + rest;
        }
    }
}

/* Of x at a time, parted; sums are added up for each SEGMENT, wherever x is cut, and rows are read on to their ends: memory comes in order. */
enum { SEGMENT = 32 * PAIRS, SEGMENTS = 8 };

/* y += x @ B^T for k numbers of x, a multiple of PAIRS. */
static void dots_of_segments(float *restrict y, const float *restrict parted,
                             const uint16_t *restrict b, ptrdiff_t step, ptrdiff_t k, ptrdiff_t n) {
    for (ptrdiff_t t = 0; t * ROWS < n; t++) {
        const uint16_t *row[ROWS];
        for (int j = 0; j < ROWS; j++)
            row[j] = b + (row_of(t, j, n) < n ? row_of(t, j, n) : 0) * step;
        for (ptrdiff_t from = 0; from < k; from += SEGMENT) {
            const ptrdiff_t to = k - from < SEGMENT ? k : from + SEGMENT;
            lanes sum[ROWS] = {{0}};
            for (ptrdiff_t i = from; i < to; i += PAIRS) {
                lanes even, odd, f;
                words w;
                memcpy(&even, parted + i, sizeof even);
                memcpy(&odd, parted + i + LANES, sizeof odd);
                for (int j = 0; j < ROWS; j++) {
                    __builtin_prefetch(row[j] + i + 2 * AHEAD);
                    memcpy(&w, row[j] + i, sizeof w);
                    EVEN_OF(f, w);
                    sum[j] += even * f;
                    ODD_OF(f, w);
                    sum[j] += odd * f;
                }
            }
            for (int j = 0; j < ROWS && row_of(t, j, n) < n; j++)
                y[row_of(t, j, n)] += added(&sum[j]);
        }
    }
}

static void dots_half(float *restrict y, const float *restrict x, const uint16_t *restrict b,
                      ptrdiff_t step, ptrdiff_t k, ptrdiff_t n) {
    enum { MOST = SEGMENTS * SEGMENT };
    float parted[MOST];
    ptrdiff_t from = 0;
    memset(y, 0, (size_t)n * sizeof *y);
    while (from + PAIRS <= k) {
        const ptrdiff_t left = (k - from) / PAIRS * PAIRS, size = left < MOST ? left : MOST;
        for (ptrdiff_t i = 0; i < size; i += PAIRS) part(parted + i, x + from + i);
        dots_of_segments(y, parted, b + from, step, size, n);
        from += size;
    }
    for (ptrdiff_t r = 0; r < n; r++)
        for (ptrdiff_t i = from; i < k; i++) y[r] += x[i] * wide(b[r * step + i]);
}

/* ---- numbers ---- */

static void widen(float *restrict y, const uint16_t *restrict x, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) y[i] = wide(x[i]);
}

/* What is cut off is more than a half, or a half and the last bit kept is 1: up. A nan keeps a bit. */
static void narrow(uint16_t *restrict y, const float *restrict x, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        const uint32_t up = bits + 0x7fff + (bits >> 16 & 1);
        y[i] = (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16) | 0x40 : up >> 16);
    }
}

/* In several streams, as the products above read: one alone is slower. */
static float sum(const float *restrict x, ptrdiff_t n) {
    const ptrdiff_t quarter = n / ROWS / LANES * LANES;
    lanes part[ROWS] = {{0}}, w;
    float rest = 0;
    for (ptrdiff_t i = 0; i < quarter; i += LANES)
        for (int j = 0; j < ROWS; j++) {
            __builtin_prefetch(x + j * quarter + i + AHEAD);
            memcpy(&w, x + j * quarter + i, sizeof w);
            part[j] += w;
        }
    for (ptrdiff_t i = ROWS * quarter; i < n; i++) rest += x[i];
    for (int j = 0; j < ROWS; j++) rest += added(&part[j]);
    return rest;
}

#ifndef LH_GENERATION
#define LH_GENERATION plain
#endif
#define NAME_OF(generation)  NAME_OF_(generation)
#define NAME_OF_(generation) lh_row_##generation

extern const lh_row_ways NAME_OF(LH_GENERATION);
const lh_row_ways NAME_OF(LH_GENERATION) = {.product = product,
                                            .dots = dots,
                                            .product_half = product_half,
                                            .dots_half = dots_half,
                                            .widen = widen,
                                            .narrow = narrow,
                                            .sum = sum};
