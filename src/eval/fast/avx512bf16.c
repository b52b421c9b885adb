/* avx512bf16 -- packing for products of bf16, and the products by AVX512_BF16, for processors that have no tiles: one instruction
 * multiplies 16 pairs and adds both products to 16 numbers in float. */
#include <immintrin.h>
#include <string.h>

#include "eval/fast/bf16.h"

/* ---- packing ---- */

static inline __mmask16 first(ptrdiff_t n) {
    const unsigned bits = n >= 16 ? 0xffffu : n <= 0 ? 0u : (1u << n) - 1;
    return (__mmask16)bits;
}

/* v[line]: 32 numbers along k, which lie side by side. */
static inline void read_lines(__m512i v[16], const float *from, ptrdiff_t step, ptrdiff_t lines,
                              ptrdiff_t k) {
    const __mmask16 low = first(k), high = first(k - 16);
    for (ptrdiff_t i = 0; i < 16; i++) {
        if (i >= lines) {
            v[i] = _mm512_setzero_si512();
            continue;
        }
        const float *line = from + i * step;
        v[i] = (__m512i)_mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(high, line + 16),
                                            _mm512_maskz_loadu_ps(low, line));
    }
}

/* v[pair]: of 16 lines, which lie side by side, the numbers 2 pair and 2 pair + 1 along k. */
static inline void read_pairs(__m512i v[16], const float *from, ptrdiff_t step, ptrdiff_t lines,
                              ptrdiff_t k) {
    const __mmask16 mask = first(lines);
    const __m512i even = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    /* Place 2 i takes number i, place 2 i + 1 number 16 + i. */
    const __m512i mixed =
        _mm512_or_si512(even, _mm512_slli_epi32(_mm512_add_epi32(even, _mm512_set1_epi32(16)), 16));
    for (ptrdiff_t i = 0; i < 16; i++) {
        const float *row = from + 2 * i * step;
        const __m512 a = 2 * i < k ? _mm512_maskz_loadu_ps(mask, row) : _mm512_setzero_ps(),
                     b = 2 * i + 1 < k ? _mm512_maskz_loadu_ps(mask, row + step)
                                       : _mm512_setzero_ps();
        v[i] = _mm512_permutexvar_epi16(mixed, (__m512i)_mm512_cvtne2ps_pbh(b, a));
    }
}

/* 16 x 16 pairs: rows become columns. Single pairs change places between rows, then twos, then fours, then eights. */
static inline void turn(__m512i v[16]) {
    __m512i t[16];
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
    }
    for (int i = 0; i < 16; i += 4)
        for (int j = 0; j < 2; j++) {
            v[i + 2 * j] = _mm512_unpacklo_epi64(t[i + j], t[i + j + 2]);
            v[i + 2 * j + 1] = _mm512_unpackhi_epi64(t[i + j], t[i + j + 2]);
        }
    for (int i = 0; i < 16; i += 8)
        for (int j = 0; j < 4; j++) {
            t[i + j] = _mm512_shuffle_i32x4(v[i + j], v[i + j + 4], 0x88);
            t[i + j + 4] = _mm512_shuffle_i32x4(v[i + j], v[i + j + 4], 0xdd);
        }
    for (int j = 0; j < 8; j++) {
        v[j] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0x88);
        v[j + 8] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0xdd);
    }
}

void lh_bf16_pack_avx512(uint16_t *block, const float *from, ptrdiff_t line_step, ptrdiff_t k_step,
                         ptrdiff_t lines, ptrdiff_t k, bool is_b) {
    __m512i v[16];
    const bool is_along_k = k_step == 1 || k == 1;
    if (is_along_k)
        read_lines(v, from, line_step, lines, k);
    else
        read_pairs(v, from, k_step, lines, k);
    if (is_along_k == is_b) turn(v);
    for (ptrdiff_t i = 0; i < 16; i++) _mm512_store_si512((void *)(block + 32 * i), v[i]);
}

/* The same from bf16: the lines as they are; of pairs, the second of two rows fills the upper halves. */
static inline void read_half_lines(__m512i v[16], const uint16_t *from, ptrdiff_t step,
                                   ptrdiff_t lines, ptrdiff_t k) {
    const __mmask32 mask = (__mmask32)(k >= 32 ? 0xffffffffu : (1u << k) - 1);
    for (ptrdiff_t i = 0; i < 16; i++)
        v[i] = i < lines ? _mm512_maskz_loadu_epi16(mask, from + i * step) : _mm512_setzero_si512();
}

static inline void read_half_pairs(__m512i v[16], const uint16_t *from, ptrdiff_t step,
                                   ptrdiff_t lines, ptrdiff_t k) {
    const __mmask16 mask = first(lines);
    const __m256i none = _mm256_setzero_si256();
    for (ptrdiff_t i = 0; i < 16; i++) {
        const uint16_t *row = from + 2 * i * step;
        const __m256i a = 2 * i < k ? _mm256_maskz_loadu_epi16(mask, row) : none,
                      b = 2 * i + 1 < k ? _mm256_maskz_loadu_epi16(mask, row + step) : none;
        v[i] = _mm512_or_si512(_mm512_cvtepu16_epi32(a),
                               _mm512_slli_epi32(_mm512_cvtepu16_epi32(b), 16));
    }
}

void lh_bf16_pack_half_avx512(uint16_t *block, const uint16_t *from, ptrdiff_t line_step,
                              ptrdiff_t k_step, ptrdiff_t lines, ptrdiff_t k, bool is_b) {
    __m512i v[16];
    const bool is_along_k = k_step == 1 || k == 1;
    if (is_along_k)
        read_half_lines(v, from, line_step, lines, k);
    else
        read_half_pairs(v, from, k_step, lines, k);
    if (is_along_k == is_b) turn(v);
    for (ptrdiff_t i = 0; i < 16; i++) _mm512_store_si512((void *)(block + 32 * i), v[i]);
}

/* ---- squares ---- */

/* rows of C at a time: with 32 columns 16 registers, and each number of B is used 8 times */
enum { GROUP = 8 };

static inline void read_rows(__m512 sum[GROUP][2], const float *c, ptrdiff_t c_rs, bool adds) {
#pragma GCC unroll 8
    for (int r = 0; r < GROUP; r++) {
        sum[r][0] = adds ? _mm512_loadu_ps(c + r * c_rs) : _mm512_setzero_ps();
        sum[r][1] = adds ? _mm512_loadu_ps(c + r * c_rs + 16) : _mm512_setzero_ps();
    }
}

/* A pair of A goes to all 16 places, and meets the same pair along k of 16 columns of B. */
static inline void add_block(__m512 sum[GROUP][2], const uint16_t *a, const uint16_t *b,
                             ptrdiff_t panel) {
    for (int pair = 0; pair < LH_BF16_K / 2; pair++) {
        const __m512bh left = (__m512bh)_mm512_load_si512((const void *)(b + 32 * pair)),
                       right = (__m512bh)_mm512_load_si512((const void *)(b + panel + 32 * pair));
#pragma GCC unroll 8
        for (int r = 0; r < GROUP; r++) {
            int32_t both;
            memcpy(&both, a + r * LH_BF16_K + 2 * pair, sizeof both);
            const __m512bh x = (__m512bh)_mm512_set1_epi32(both);
            sum[r][0] = _mm512_dpbf16_ps(sum[r][0], x, left);
            sum[r][1] = _mm512_dpbf16_ps(sum[r][1], x, right);
        }
    }
}

static void multiply_group(float *c, ptrdiff_t c_rs, const uint16_t *a, const uint16_t *b,
                           ptrdiff_t panel, ptrdiff_t blocks, bool adds) {
    __m512 sum[GROUP][2];
    read_rows(sum, c, c_rs, adds);
    for (ptrdiff_t i = 0; i < blocks; i++)
        add_block(sum, a + i * LH_BF16_BLOCK, b + i * LH_BF16_BLOCK, panel);
#pragma GCC unroll 8
    for (int r = 0; r < GROUP; r++) {
        _mm512_storeu_ps(c + r * c_rs, sum[r][0]);
        _mm512_storeu_ps(c + r * c_rs + 16, sum[r][1]);
    }
}

static void square(float *c, ptrdiff_t c_rs, const uint16_t *a, const uint16_t *b, ptrdiff_t panel,
                   ptrdiff_t blocks, bool adds) {
    for (int row = 0; row < 2 * LH_BF16_LINES; row += GROUP)
        multiply_group(c + row * c_rs, c_rs,
                       a + row / LH_BF16_LINES * panel + row % LH_BF16_LINES * LH_BF16_K, b, panel,
                       blocks, adds);
}

static void nothing(void) {}

const lh_bf16_way lh_bf16_avx512 = {.name = "AVX512_BF16",
                                    .pack = lh_bf16_pack_avx512,
                                    .pack_half = lh_bf16_pack_half_avx512,
                                    .begin = nothing,
                                    .square = square,
                                    .end = nothing};
