/* Products in bf16 against products in double of the rounded operands: sizes, layouts, threads, rounding, memory. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/fast/bf16.h"

/* By the definition: the upper half of the bits, and one more if the rest is above half, or half and the last is odd. */
static float rounded(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isfinite(x)) {
        const uint32_t rest = bits & 0xffff, is_odd = bits >> 16 & 1;
        bits = (bits >> 16) + (rest > 0x8000 || (rest == 0x8000 && is_odd));
        bits <<= 16;
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Numbers that lie so, in more memory than they need; what lies between them is no number. */
static lh_matrix filled(ptrdiff_t rows, ptrdiff_t cols, bool is_turned, unsigned *seed) {
    const ptrdiff_t lines = is_turned ? cols : rows, width = is_turned ? rows : cols;
    float *p = malloc(sizeof *p * (size_t)(lines * (width + 3)));
    assert_non_null(p);
    for (ptrdiff_t i = 0; i < lines * (width + 3); i++) p[i] = NAN;
    lh_matrix m = {p, rows, cols, is_turned ? 1 : width + 3, is_turned ? width + 3 : 1};
    for (ptrdiff_t r = 0; r < rows; r++)
        for (ptrdiff_t c = 0; c < cols; c++) {
            *seed = *seed * 1664525u + 1013904223u;
            p[r * m.rs + c * m.cs] = (float)(*seed >> 8) / 8388608 - 1;
        }
    return m;
}

static float at(const lh_matrix *m, ptrdiff_t r, ptrdiff_t c) {
    return m->p[r * m->rs + c * m->cs];
}

typedef struct product {
    lh_matrix a, b, before, c; /* before: what C held */
    const float *bias;
    bool adds;
} product;

/* Sums in another order differ by some units in the last place of the largest part sum. */
static void check(const product *t) {
    for (ptrdiff_t r = 0; r < t->c.rows; r++) {
        for (ptrdiff_t c = 0; c < t->c.cols; c++) {
            double sum = t->bias   ? t->bias[c]
                         : t->adds ? at(&t->before, r, c)
                                   : 0,
                   size = fabs(sum);
            for (ptrdiff_t k = 0; k < t->a.cols; k++) {
                const double x = (double)rounded(at(&t->a, r, k)) * rounded(at(&t->b, k, c));
                sum += x, size += fabs(x);
            }
            const double y = at(&t->c, r, c);
            if (!(fabs(y - sum) <= 1e-5 * size))
                fail_msg("%td x %td x %td: [%td][%td] is %.9g, not %.9g", t->c.rows, t->c.cols,
                         t->a.cols, r, c, y, sum);
        }
        for (ptrdiff_t c = t->c.cols; c < t->c.rs; c++)
            if (!isnan(t->c.p[r * t->c.rs + c])) fail_msg("written past the end of row %td", r);
    }
}

static void run_with(lh_pool *pool, product *t, float *result) {
    const size_t bytes = (size_t)(t->c.rows * t->c.rs) * sizeof(float);
    memcpy(t->c.p, t->before.p, bytes);
    assert_true(lh_bf16_product(pool, &t->a, &t->b, &t->c, t->bias, t->adds));
    memcpy(result, t->c.p, bytes);
}

static void try_product(const ptrdiff_t size[3], int form, lh_pool *const pool[3]) {
    unsigned seed = (unsigned)(size[0] * 31 + size[1] * 7 + size[2] + form);
    product t = {.a = filled(size[0], size[2], form & 1, &seed),
                 .b = filled(size[2], size[1], form & 2, &seed),
                 .before = filled(size[0], size[1], false, &seed),
                 .c = filled(size[0], size[1], false, &seed),
                 .adds = form & 4};
    lh_matrix bias = filled(1, size[1], false, &seed);
    if (form & 8) t.bias = bias.p;
    const size_t bytes = (size_t)(t.c.rows * t.c.rs) * sizeof(float);
    float *one = malloc(bytes), *many = malloc(bytes);
    assert_true(one && many);
    run_with(pool[0], &t, one);
    check(&t);
    for (int i = 1; i < 3; i++) {
        run_with(pool[i], &t, many);
        if (memcmp(one, many, bytes) != 0)
            fail_msg("%td x %td x %td: other bits with %d threads", size[0], size[1], size[2],
                     i + 1);
    }
    free(one), free(many);
    free(t.a.p), free(t.b.p), free(t.before.p), free(t.c.p), free(bias.p);
}

/* Forms: A turned, B turned, added to C, a bias (never both of the last). */
static void every_shape(void **state) {
    (void)state;
    const ptrdiff_t size[][3] = {{1, 1, 1},     {5, 7, 1},      {1, 40, 33},    {40, 1, 2},
                                 {16, 16, 32},  {17, 33, 31},   {32, 32, 64},   {33, 65, 63},
                                 {64, 31, 100}, {130, 257, 70}, {129, 300, 33}, {31, 32, 2049},
                                 {7, 9, 4200},  {48, 544, 48},  {300, 40, 600}};
    lh_pool *pool[3] = {lh_pool_new(1), lh_pool_new(2), lh_pool_new(3)};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int form = 0; form < 12; form++) try_product(size[i], form, pool);
    for (int i = 0; i < 3; i++) lh_pool_free(pool[i]);
}

/* With k of 1 and a B of 1 the product is the rounded number itself. */
static void rounds_to_even(void **state) {
    (void)state;
    float x[] = {1,        1.00390625f, 1.01171875f, -1.00390625f, -1.01171875f, 1.00390637f,
                 3.14159f, -2.71828f,   3.4e38f,     INFINITY,     -INFINITY,    0,
                 1e-37f,   65535.99f,   0.1f,        -0.3f,        NAN};
    enum { N = sizeof x / sizeof *x };
    float one = 1, y[N];
    const lh_matrix a = {x, N, 1, 1, 1}, b = {&one, 1, 1, 1, 1}, c = {y, N, 1, 1, 1};
    lh_pool *pool = lh_pool_new(1);
    assert_true(lh_bf16_product(pool, &a, &b, &c, NULL, false));
    for (int i = 0; i < N; i++)
        if (y[i] != rounded(x[i]) && !(isnan(x[i]) && isnan(y[i])))
            fail_msg("%.9g becomes %.9g, not %.9g", x[i], y[i], rounded(x[i]));
    assert_true(y[1] == 1 && y[2] == 1.015625f); /* both halfway: down, and up */
    lh_pool_free(pool);
}

/* Float stays float once tiles were asked for: no product of a library takes them. */
static void check_float(const lh_matrix *a, const lh_matrix *b, const lh_matrix *y) {
    for (ptrdiff_t r = 0; r < y->rows; r++)
        for (ptrdiff_t c = 0; c < y->cols; c++) {
            double sum = 0, size = 0;
            for (ptrdiff_t k = 0; k < a->cols; k++)
                sum += (double)at(a, r, k) * at(b, k, c),
                    size += fabs((double)at(a, r, k) * at(b, k, c));
            assert_true(fabs(at(y, r, c) - sum) <= 1e-6 * size);
        }
}

/* The pool decides; few rows, and a pool without memory, are done in float. */
static void pool_decides(void **state) {
    (void)state;
    unsigned seed = 1;
    const lh_matrix a = filled(40, 50, false, &seed), b = filled(50, 60, false, &seed);
    lh_matrix y[4];
    lh_pool *pool = lh_pool_new(2);
    for (int i = 0; i < 4; i++) {
        y[i] = filled(40, 60, false, &seed);
        lh_pool_use_bf16(pool, i % 2);
        if (i < 3) assert_true(lh_product_threads(i < 2 ? pool : NULL, &a, &b, &y[i], NULL, false));
    }
    assert_true(lh_bf16_product(pool, &a, &b, &y[3], NULL, false));
    check_float(&a, &b, &y[0]);
    assert_memory_equal(y[0].p, y[2].p, 60 * sizeof(float));
    assert_memory_equal(y[1].p, y[3].p, 60 * sizeof(float));
    assert_memory_not_equal(y[0].p, y[1].p, 60 * sizeof(float));
    assert_false(lh_bf16_product(NULL, &a, &b, &y[3], NULL, false));
    const lh_matrix few = {a.p, 3, a.cols, a.rs, a.cs};
    lh_matrix few_y[2] = {y[2], y[3]};
    for (int i = 0; i < 2; i++) {
        few_y[i].rows = 3;
        lh_pool_use_bf16(pool, i);
        assert_true(lh_product_threads(pool, &few, &b, &few_y[i], NULL, false));
    }
    assert_memory_equal(y[2].p, y[3].p, 60 * sizeof(float));
    for (int i = 0; i < 4; i++) free(y[i].p);
    free(a.p), free(b.p), lh_pool_free(pool);
}

/* Memory grows once; what is refused does no harm. */
static void room_is_kept(void **state) {
    (void)state;
    lh_pool *pool = lh_pool_new(1);
    char *room = lh_pool_room(pool, 1000);
    assert_non_null(room);
    assert_int_equal((uintptr_t)room % 64, 0);
    assert_ptr_equal(lh_pool_room(pool, 10), room);
    assert_ptr_equal(lh_pool_room(pool, 1000), room);
    assert_null(lh_pool_room(pool, (size_t)1 << 62));
    room = lh_pool_room(pool, 3000);
    assert_non_null(room);
    memset(room, 1, 3000);
    lh_pool_free(pool);
    assert_null(lh_pool_room(NULL, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape),
        cmocka_unit_test(rounds_to_even),
        cmocka_unit_test(pool_decides),
        cmocka_unit_test(room_is_kept),
    };
    if (!lh_bf16_name()) {
        puts("1..0 # SKIP this processor has no products in bf16");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
