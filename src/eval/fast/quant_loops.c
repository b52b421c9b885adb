/* The innermost loops of quant.c, compiled for several generations of processors, without fused operations: all give the same bits. */
#include <string.h>

#include "base/half.h"
#include "eval/fast/quant.h"

#ifdef __AVX512VNNI__
#include <immintrin.h>
#endif

enum { BLOCK = LH_QUANT_BLOCK, LINES = LH_QUANT_LINES, WIDTH = LINES * LH_QUANT_PANELS };

/* ---- rounding ---- */

/* Without its sign: as whole numbers these are in order, and what is no number comes last. */
static uint32_t size_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffff;
}

static float number_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

enum { INFINITE = 0x7f800000, LEAST = 0x04000000 }; /* about 1.5e-36: 1 / d is a number still */

static uint32_t most_of(const float *x) {
    uint32_t most = 0;
    for (int i = 0; i < BLOCK; i++) most = size_of(x[i]) > most ? size_of(x[i]) : most;
    return most;
}

/* Halves away from 0. */
static int nearest(float x) {
    const int whole = (int)x;
    const float left = x - (float)whole;
    return whole + (left >= 0.5f) - (left <= -0.5f);
}

static float round_block8(const float *restrict x, signed char *restrict code) {
    const uint32_t most = most_of(x);
    if (most < LEAST || most >= INFINITE) {
        memset(code, 0, BLOCK);
        return most < LEAST ? 0 : number_of(0x7fc00000);
    }
    const float d = number_of(most) / 127, inverse = 1 / d;
    for (int i = 0; i < BLOCK; i++) code[i] = (signed char)nearest(x[i] * inverse);
    return d;
}

static float round_block4(const float *restrict x, signed char *restrict code) {
    const uint32_t most = most_of(x);
    if (most < LEAST || most >= INFINITE) {
        memset(code, 0, BLOCK);
        return most < LEAST ? 0 : number_of(0x7fc00000);
    }
    int first = BLOCK - 1;
    for (int i = BLOCK - 1; i >= 0; i--) first = size_of(x[i]) == most ? i : first;
    const float d = x[first] / -8, inverse = 1 / d;
    for (int i = 0; i < BLOCK; i++) {
        const int q = (int)(x[i] * inverse + 8.5f);
        code[i] = (signed char)((q > 15 ? 15 : q) - 8);
    }
    return d;
}

static void round_line(const float *x, ptrdiff_t n, signed char *code, float *scale,
                       float (*block)(const float *restrict, signed char *restrict)) {
    for (; n >= BLOCK; n -= BLOCK, x += BLOCK, code += BLOCK) *scale++ = block(x, code);
    if (n == 0) return;
    float rest[BLOCK] = {0};
    memcpy(rest, x, (size_t)n * sizeof *x);
    *scale = block(rest, code);
}

static void round8(const float *x, ptrdiff_t n, signed char *code, float *scale) {
    round_line(x, n, code, scale, round_block8);
}

static void round4(const float *x, ptrdiff_t n, signed char *code, float *scale) {
    round_line(x, n, code, scale, round_block4);
}

/* ---- products ---- */

#ifdef __AVX512VNNI__

#define INSIDE static inline __attribute__((always_inline))

/* rows, panels and bits are known when it is compiled: what is summed stays in registers. Each instruction multiplies four codes of 16 lines with
 * four of a row. */
INSIDE void one_block(int rows, int panels, int bits, const lh_quant_tile *t, ptrdiff_t b,
                      __m512 sum[LH_QUANT_ROWS][LH_QUANT_PANELS]) {
    const lh_quant_rows *x = t->rows;
    const ptrdiff_t bytes = bits * BLOCK / 8 * LINES;
    __m512i dot[LH_QUANT_ROWS][LH_QUANT_PANELS];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int p = 0; p < panels; p++)
            dot[r][p] = _mm512_set1_epi32(x->minus[(t->row + r) * x->blocks + b]);
#pragma GCC unroll 8
    for (int j = 0; j < bits; j++) {
        __m512i w[LH_QUANT_PANELS], upper[LH_QUANT_PANELS];
#pragma GCC unroll 4
        for (int p = 0; p < panels; p++) {
            w[p] = _mm512_loadu_si512(t->code + p * t->panel_bytes + b * bytes + j * 64);
            if (bits == 8) continue;
            const __m512i low = _mm512_set1_epi8(15);
            upper[p] = _mm512_and_si512(_mm512_srli_epi16(w[p], 4), low);
            w[p] = _mm512_and_si512(w[p], low);
        }
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const signed char *from = x->code + ((t->row + r) * x->blocks + b) * BLOCK + 4 * j;
            int four;
            memcpy(&four, from, sizeof four);
            const __m512i a = _mm512_set1_epi32(four);
#pragma GCC unroll 4
            for (int p = 0; p < panels; p++) dot[r][p] = _mm512_dpbusd_epi32(dot[r][p], w[p], a);
            if (bits == 8) continue;
            memcpy(&four, from + 16, sizeof four);
            const __m512i c = _mm512_set1_epi32(four);
#pragma GCC unroll 4
            for (int p = 0; p < panels; p++)
                dot[r][p] = _mm512_dpbusd_epi32(dot[r][p], upper[p], c);
        }
    }
#pragma GCC unroll 4
    for (int p = 0; p < panels; p++) {
        const unsigned char *scales = t->scale + p * t->panel_bytes + b * LINES * 2;
        const __m512 d = _mm512_cvtph_ps(_mm256_loadu_si256((const void *)scales));
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const __m512 e = _mm512_set1_ps(x->scale[(t->row + r) * x->blocks + b]);
            sum[r][p] = _mm512_add_ps(
                sum[r][p], _mm512_mul_ps(_mm512_mul_ps(d, e), _mm512_cvtepi32_ps(dot[r][p])));
        }
    }
}

INSIDE void some_blocks(int rows, int panels, int bits, const lh_quant_tile *t) {
    __m512 sum[LH_QUANT_ROWS][LH_QUANT_PANELS];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int p = 0; p < panels; p++)
            sum[r][p] = _mm512_loadu_ps(t->sum + r * WIDTH + p * LINES);
    for (ptrdiff_t b = t->from; b < t->to; b++) one_block(rows, panels, bits, t, b, sum);
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int p = 0; p < panels; p++)
            _mm512_storeu_ps(t->sum + r * WIDTH + p * LINES, sum[r][p]);
}

#define FORM(rows, panels)                                                                         \
    static void tile_##rows##_##panels(const lh_quant_tile *t) {                                   \
        if (t->bits == 8)                                                                          \
            some_blocks(rows, panels, 8, t);                                                       \
        else                                                                                       \
            some_blocks(rows, panels, 4, t);                                                       \
    }

/* In 4 bits a load gives two sets of codes: half as many rounds. */
FORM(1, 1)
FORM(1, 2)
FORM(1, 3)
FORM(1, 4)
FORM(2, 1)
FORM(2, 2)
FORM(3, 1)
FORM(3, 2)
FORM(4, 1)
FORM(4, 2)

static void tile(const lh_quant_tile *t) {
    static void (*const form[LH_QUANT_ROWS][LH_QUANT_PANELS])(const lh_quant_tile *t) = {
        {tile_1_1, tile_1_2, tile_1_3, tile_1_4},
        {tile_2_1, tile_2_2},
        {tile_3_1, tile_3_2},
        {tile_4_1, tile_4_2}};
    const int most = t->n_rows > 1 ? 2 : LH_QUANT_PANELS;
    for (int p = 0; p < t->n_panels; p += most) {
        lh_quant_tile part = *t;
        part.code += p * t->panel_bytes, part.scale += p * t->panel_bytes;
        part.sum += p * LINES;
        part.n_panels = t->n_panels - p < most ? t->n_panels - p : most;
        form[t->n_rows - 1][part.n_panels - 1](&part);
    }
}

#else

/* Four codes of each line at a time, as they lie. */
static void add_eight(int *restrict dot, const unsigned char *restrict w,
                      const signed char *restrict x) {
    for (int j = 0; j < BLOCK / 4; j++)
        for (int l = 0; l < LINES; l++)
            for (int t = 0; t < 4; t++) dot[l] += w[64 * j + 4 * l + t] * x[4 * j + t];
}

static void add_four(int *restrict dot, const unsigned char *restrict w,
                     const signed char *restrict x) {
    for (int j = 0; j < BLOCK / 8; j++)
        for (int l = 0; l < LINES; l++)
            for (int t = 0; t < 4; t++) {
                const int both = w[64 * j + 4 * l + t];
                dot[l] += (both & 15) * x[4 * j + t] + (both >> 4) * x[16 + 4 * j + t];
            }
}

static void one_panel(const lh_quant_tile *t, ptrdiff_t panel, ptrdiff_t row, float *restrict sum) {
    const lh_quant_rows *x = t->rows;
    const ptrdiff_t bytes = t->bits * BLOCK / 8 * LINES;
    for (ptrdiff_t b = t->from; b < t->to; b++) {
        const ptrdiff_t at = row * x->blocks + b;
        const unsigned char *w = t->code + panel + b * bytes, *d = t->scale + panel + b * LINES * 2;
        int dot[LINES];
        for (int l = 0; l < LINES; l++) dot[l] = x->minus[at];
        if (t->bits == 8)
            add_eight(dot, w, x->code + at * BLOCK);
        else
            add_four(dot, w, x->code + at * BLOCK);
        for (int l = 0; l < LINES; l++) {
            const float scale =
                lh_float_from_f16((uint16_t)(d[2 * l] | d[2 * l + 1] << 8)) * x->scale[at];
            sum[l] += scale * (float)dot[l];
        }
    }
}

static void tile(const lh_quant_tile *t) {
    for (int r = 0; r < t->n_rows; r++)
        for (int p = 0; p < t->n_panels; p++)
            one_panel(t, p * t->panel_bytes, t->row + r, t->sum + r * WIDTH + p * LINES);
}
#endif

#ifndef LH_GENERATION
#define LH_GENERATION plain
#endif
#define NAME_OF(generation)  NAME_OF_(generation)
#define NAME_OF_(generation) lh_quant_##generation
#define TEXT_OF(generation)  TEXT_OF_(generation)
#define TEXT_OF_(generation) #generation

extern const lh_quant_ways NAME_OF(LH_GENERATION);
const lh_quant_ways NAME_OF(LH_GENERATION) = {
    .name = TEXT_OF(LH_GENERATION), .round8 = round8, .round4 = round4, .tile = tile};
