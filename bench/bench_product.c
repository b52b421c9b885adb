/* product -- the products of a GPT-2 step on one thread, in float and in bf16: GFLOP/s of processor time.
 *
 *     bench_product [ROWS COLS K]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "eval/fast/bf16.h"

typedef struct shape {
    ptrdiff_t rows, cols, k;
    bool a_turned, b_turned;
} shape;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lh_matrix fresh(ptrdiff_t rows, ptrdiff_t cols, bool is_turned) {
    float *p = malloc(sizeof *p * (size_t)(rows * cols));
    if (!p) exit(2);
    for (ptrdiff_t i = 0; i < rows * cols; i++) p[i] = (float)(rand() % 2001 - 1000) / 1000;
    return (lh_matrix){p, rows, cols, is_turned ? 1 : cols, is_turned ? rows : 1};
}

/* Seconds of the best of some. */
static double best_of(lh_pool *pool, const lh_matrix *a, const lh_matrix *b, const lh_matrix *c) {
    double best = 1e9, spent = 0;
    for (int i = 0; i < 20 && (i < 4 || spent < 1.5); i++) {
        double t = now();
        lh_product_threads(pool, a, b, c, NULL, false);
        t = now() - t;
        spent += t;
        if (t < best) best = t;
    }
    return best;
}

static void measure(const shape *s, lh_pool *pool) {
    lh_matrix a = fresh(s->rows, s->k, s->a_turned), b = fresh(s->k, s->cols, s->b_turned),
              c = fresh(s->rows, s->cols, false);
    const double work = 2e-9 * (double)s->rows * (double)s->cols * (double)s->k;
    lh_pool_use_bf16(pool, false);
    const double in_float = best_of(pool, &a, &b, &c);
    printf("%5td x %5td x %5td%s%s  float %6.1f", s->rows, s->cols, s->k,
           s->a_turned ? " A^T" : "    ", s->b_turned ? " B^T" : "    ", work / in_float);
    if (lh_bf16_name()) {
        lh_pool_use_bf16(pool, true);
        const double in_bf16 = best_of(pool, &a, &b, &c);
        double packing = 1e9;
        for (int i = 0; i < 5; i++) {
            double t = now();
            lh_bf16_pack(pool, &a, &b);
            t = now() - t;
            if (t < packing) packing = t;
        }
        printf("  bf16 %6.1f (%.1f times), packing %4.1f%%", work / in_bf16, in_float / in_bf16,
               100 * packing / in_bf16);
    }
    printf("\n");
    free(a.p), free(b.p), free(c.p);
}

int main(int argc, char **argv) {
    const shape shapes[] = {{1024, 2304, 768, false, false}, {1024, 3072, 768, false, false},
                            {1024, 768, 3072, false, false}, {768, 3072, 1024, true, false},
                            {1024, 768, 3072, false, true},  {341, 50257, 768, false, true},
                            {341, 768, 50257, false, false}, {50257, 768, 341, true, false},
                            {64, 256, 64, false, false}};
    lh_pool *pool = lh_pool_new(1);
    printf("GFLOP/s of one thread; float by %s, bf16 by %s\n", lh_product_name(),
           lh_bf16_name() ? lh_bf16_name() : "nothing here");
    if (argc > 3)
        measure(&(shape){atoi(argv[1]), atoi(argv[2]), atoi(argv[3]), false, false}, pool);
    for (size_t i = 0; argc <= 3 && i < sizeof shapes / sizeof *shapes; i++)
        measure(&shapes[i], pool);
    lh_pool_free(pool);
    return 0;
}
