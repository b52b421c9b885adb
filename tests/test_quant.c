/* Matrices in 8 and 4 bits: rounding and products by their definition, to the bit, on every processor; sizes, strides, threads, memory. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "eval/fast/quant.h"

static unsigned seed = 7;

static float number(void) {
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608 - 1;
}

/* ---- by the definition, with nothing of the code that is tested ---- */

typedef struct block {
    float d; /* before it is 16 bits */
    int q[32];
} block;

static block in_8_bits(const float *x, int n) {
    block b = {0};
    float most = 0;
    for (int i = 0; i < n; i++) most = fmaxf(most, fabsf(x[i]));
    b.d = most / 127;
    for (int i = 0; i < n && most > 0; i++) b.q[i] = (int)roundf(x[i] * (1 / b.d));
    return b;
}

static block in_4_bits(const float *x, int n) {
    block b = {0};
    float first = 0;
    for (int i = 0; i < n; i++)
        if (fabsf(x[i]) > fabsf(first)) first = x[i];
    b.d = first == 0 ? 0 : first / -8;
    for (int i = 0; i < n && first != 0; i++)
        b.q[i] = (int)fminf(15, floorf(x[i] * (1 / b.d) + 8.5f)) - 8;
    return b;
}

static float in_16_bits(float x) {
    return lh_float_from_f16(lh_f16_from_float(x));
}

/* ---- rounding ---- */

static void check_block(int bits, const float *x, int n) {
    const block want = bits == 8 ? in_8_bits(x, n) : in_4_bits(x, n);
    for (const lh_quant_ways *const *way = lh_quant_all_ways(); *way; way++) {
        signed char code[32];
        float d = -1;
        memset(code, 77, sizeof code);
        (bits == 8 ? (*way)->round8 : (*way)->round4)(x, n, code, &d);
        if (memcmp(&d, &want.d, sizeof d) != 0)
            fail_msg("%s: scale %a, not %a", (*way)->name, (double)d, (double)want.d);
        for (int i = 0; i < 32; i++)
            if (code[i] != want.q[i])
                fail_msg("%s, %d bits, %d numbers: code %d is %d, not %d", (*way)->name, bits, n, i,
                         code[i], want.q[i]);
    }
}

static void rounds_to_the_nearest(void **state) {
    (void)state;
    for (int turn = 0; turn < 3000; turn++) {
        float x[32];
        const float size = ldexpf(1, turn % 60 - 30);
        const int n = turn % 5 ? 32 : 1 + turn % 32;
        for (int i = 0; i < 32; i++) x[i] = number() * size;
        for (int bits = 4; bits <= 8; bits += 4) check_block(bits, x, n);
    }
    /* halves, zeros, the same twice, both signs of the largest */
    const float odd[][32] = {{127, 0.5f, -0.5f, 1.5f, -1.5f, 2.5f, -126.5f, 0.49999997f},
                             {0, -0.0f},
                             {-3, 3, -3, 3},
                             {3, -3, 3, -3},
                             {8, 0.5f, -0.5f, 7.5f, -7.5f, 1},
                             {-8, 0.5f, -0.5f, 7.5f, -7.5f, 1}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (int bits = 4; bits <= 8; bits += 4) check_block(bits, odd[i], 32);
}

static void is_no_number_where_one_is_none(void **state) {
    (void)state;
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (const lh_quant_ways *const *way = lh_quant_all_ways(); *way; way++)
        for (int i = 0; i < 6; i++) {
            float x[32] = {1, -2}, d = 0;
            signed char code[32];
            x[i * 5] = bad[i % 3];
            (i < 3 ? (*way)->round8 : (*way)->round4)(x, 32, code, &d);
            assert_true(isnan(d));
            const float tiny[32] = {1e-40f, -1e-38f};
            (i < 3 ? (*way)->round8 : (*way)->round4)(tiny, 32, code, &d);
            assert_true(d == 0);
            for (int k = 0; k < 32; k++) assert_int_equal(code[k], 0);
        }
}

/* ---- products ---- */

typedef struct trial {
    lh_matrix a, c;
    float *w, *bias; /* w: line after line */
    lh_quant q;
} trial;

static void read_lines(void *who, ptrdiff_t line, int n, float *out, ptrdiff_t step) {
    const trial *t = who;
    for (int i = 0; i < n; i++)
        memcpy(out + i * step, t->w + (line + i) * t->q.k, (size_t)t->q.k * sizeof *out);
}

/* A lies turned, or with gaps; C too. */
static lh_matrix matrix(ptrdiff_t rows, ptrdiff_t cols, bool is_turned) {
    const ptrdiff_t width = (is_turned ? rows : cols) + 3, lines = is_turned ? cols : rows;
    float *p = malloc((size_t)(width * lines) * sizeof *p);
    assert_non_null(p);
    for (ptrdiff_t i = 0; i < width * lines; i++) p[i] = number();
    return (lh_matrix){p, rows, cols, is_turned ? 1 : width, is_turned ? width : 1};
}

static trial make(lh_pool *pool, int bits, ptrdiff_t rows, ptrdiff_t lines, ptrdiff_t k,
                  bool is_turned) {
    trial t = {.a = matrix(rows, k, is_turned), .c = matrix(rows, lines, is_turned)};
    t.w = malloc((size_t)(lines * k) * sizeof *t.w);
    t.bias = malloc((size_t)lines * sizeof *t.bias);
    for (ptrdiff_t i = 0; i < lines * k; i++) t.w[i] = number() * 0.1f;
    for (ptrdiff_t i = 0; i < lines; i++) t.bias[i] = number();
    t.q = (lh_quant){.bits = bits, .lines = lines, .k = k};
    t.q.data = malloc(lh_quant_bytes(bits, lines, k));
    assert_true(t.w && t.bias && t.q.data);
    memset(t.q.data, 0x5a, lh_quant_bytes(bits, lines, k));
    assert_true(lh_quant_pack(pool, &t.q, read_lines, &t));
    return t;
}

static void clear(trial *t) {
    free(t->a.p), free(t->c.p), free(t->w), free(t->bias), free(t->q.data);
}

static float expected(const trial *t, ptrdiff_t r, ptrdiff_t line, const float *bias) {
    volatile float sum = 0; /* each operation by itself */
    for (ptrdiff_t from = 0; from < t->q.k; from += 32) {
        const int n = (int)(t->q.k - from < 32 ? t->q.k - from : 32);
        float x[32] = {0};
        int dot = 0;
        for (int i = 0; i < n; i++) x[i] = t->a.p[r * t->a.rs + (from + i) * t->a.cs];
        const float *w = t->w + line * t->q.k + from;
        const block a = in_8_bits(x, n), b = t->q.bits == 8 ? in_8_bits(w, n) : in_4_bits(w, n);
        for (int i = 0; i < 32; i++) dot += a.q[i] * b.q[i];
        volatile float scale = in_16_bits(b.d) * a.d, part = scale * (float)dot;
        sum = sum + part;
    }
    return bias ? sum + bias[line] : sum;
}

static void check_product(const trial *t, const float *bias, const char *how) {
    for (ptrdiff_t r = 0; r < t->a.rows; r++)
        for (ptrdiff_t l = 0; l < t->q.lines; l++) {
            const float is = t->c.p[r * t->c.rs + l * t->c.cs], want = expected(t, r, l, bias);
            if (memcmp(&is, &want, sizeof is) != 0)
                fail_msg("%s, %d bits, %td x %td x %td: (%td, %td) is %a, not %a", how, t->q.bits,
                         t->a.rows, t->q.lines, t->q.k, r, l, (double)is, (double)want);
        }
}

static void multiplies_by_the_definition(void **state) {
    (void)state;
    static const ptrdiff_t size[][3] = {{1, 1, 1},    {1, 16, 32},   {1, 17, 33},
                                        {2, 5, 31},   {3, 40, 64},   {4, 130, 96},
                                        {5, 33, 100}, {70, 50, 600}, {1, 300, 1100}};
    for (int threads = 1; threads <= 3; threads++) {
        lh_pool *pool = lh_pool_new(threads);
        for (size_t i = 0; i < 2 * sizeof size / sizeof *size; i++)
            for (int bits = 4; bits <= 8; bits += 4) {
                const ptrdiff_t *s = size[i / 2];
                trial t = make(pool, bits, s[0], s[1], s[2], i % 2);
                lh_quant_product(pool, &t.a, &t.q, &t.c, NULL);
                check_product(&t, NULL, "product");
                lh_quant_product(pool, &t.a, &t.q, &t.c, t.bias);
                check_product(&t, t.bias, "with a bias");
                lh_quant_product(NULL, &t.a, &t.q, &t.c, t.bias);
                check_product(&t, t.bias, "without memory");
                clear(&t);
            }
        lh_pool_free(pool);
    }
}

/* The same rows, panels and blocks by every way. */
static void ways_agree(void **state) {
    (void)state;
    enum { ROWS = LH_QUANT_ROWS, PANELS = LH_QUANT_PANELS, BLOCKS = 5, WIDTH = 16 * PANELS };
    signed char code[ROWS * BLOCKS * 32];
    float scale[ROWS * BLOCKS];
    int minus[ROWS * BLOCKS];
    lh_pool *pool = lh_pool_new(1);
    const lh_quant_rows rows = {code, scale, minus, BLOCKS};
    for (int i = 0; i < ROWS * BLOCKS * 32; i++) code[i] = (signed char)(number() * 127.9f);
    for (int i = 0; i < ROWS * BLOCKS; i++) scale[i] = number(), minus[i] = (int)(number() * 9999);
    for (int bits = 4; bits <= 8; bits += 4) {
        trial t = make(pool, bits, 1, WIDTH, BLOCKS * 32, false);
        const size_t panel = lh_quant_bytes(bits, 16, BLOCKS * 32),
                     codes = (size_t)(bits * 64 * BLOCKS);
        for (int n = 1; n <= ROWS; n++)
            for (int p = 1; p <= PANELS; p++) {
                float first[ROWS * WIDTH];
                for (const lh_quant_ways *const *way = lh_quant_all_ways(); *way; way++) {
                    float sum[ROWS * WIDTH];
                    for (int i = 0; i < ROWS * WIDTH; i++) sum[i] = (float)i;
                    (*way)->tile(&(lh_quant_tile){.rows = &rows,
                                                  .row = ROWS - n,
                                                  .n_rows = n,
                                                  .bits = bits,
                                                  .code = t.q.data,
                                                  .scale = t.q.data + codes,
                                                  .panel_bytes = (ptrdiff_t)panel,
                                                  .n_panels = p,
                                                  .from = 1,
                                                  .to = 4,
                                                  .sum = sum});
                    if (way == lh_quant_all_ways()) memcpy(first, sum, sizeof sum);
                    assert_memory_equal(first, sum, sizeof sum);
                }
            }
        clear(&t);
    }
    lh_pool_free(pool);
}

/* ---- what is stored ---- */

static void gives_back_what_was_packed(void **state) {
    (void)state;
    lh_pool *pool = lh_pool_new(2);
    for (int bits = 4; bits <= 8; bits += 4) {
        trial t = make(pool, bits, 1, 35, 70, false);
        for (ptrdiff_t line = 0; line < 35; line++) {
            float all[70];
            lh_quant_line(&t.q, line, all);
            for (int from = 0; from < 70; from += 32) {
                const int n = 70 - from < 32 ? 70 - from : 32;
                lh_quant_block is, alone;
                lh_quant_get(&t.q, line, from / 32, &is);
                lh_quant_round(bits, t.w + line * 70 + from, n, &alone);
                assert_memory_equal(&is, &alone, sizeof is);
                for (int i = 0; i < n; i++)
                    assert_true(all[from + i] == is.scale * (float)is.code[i]);
            }
        }
        clear(&t);
    }
    lh_pool_free(pool);
}

/* Numbers that came from codes go back to them. */
static void rounds_once(void **state) {
    (void)state;
    lh_pool *pool = lh_pool_new(2);
    for (int bits = 4; bits <= 8; bits += 4) {
        trial t = make(pool, bits, 1, 35, 70, false);
        const size_t bytes = lh_quant_bytes(bits, 35, 70);
        unsigned char *first = malloc(bytes);
        memcpy(first, t.q.data, bytes);
        for (ptrdiff_t line = 0; line < 35; line++) lh_quant_line(&t.q, line, t.w + line * 70);
        assert_true(lh_quant_pack(pool, &t.q, read_lines, &t));
        assert_memory_equal(first, t.q.data, bytes);
        free(first);
        clear(&t);
    }
    lh_pool_free(pool);
}

/* A scale of 16 bits ends at 65504: the caller keeps such a matrix as it is. */
static void says_when_numbers_are_too_large(void **state) {
    (void)state;
    lh_pool *pool = lh_pool_new(1);
    for (int bits = 4; bits <= 8; bits += 4) {
        trial t = make(pool, bits, 1, 20, 40, false);
        t.w[19 * 40 + 35] = bits == 8 ? 8.4e6f : 6e5f;
        assert_false(lh_quant_pack(pool, &t.q, read_lines, &t));
        t.w[19 * 40 + 35] = bits == 8 ? 8.2e6f : 5e5f;
        assert_true(lh_quant_pack(pool, &t.q, read_lines, &t));
        clear(&t);
    }
    lh_pool_free(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_to_the_nearest),
        cmocka_unit_test(is_no_number_where_one_is_none),
        cmocka_unit_test(multiplies_by_the_definition),
        cmocka_unit_test(ways_agree),
        cmocka_unit_test(gives_back_what_was_packed),
        cmocka_unit_test(rounds_once),
        cmocka_unit_test(says_when_numbers_are_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
