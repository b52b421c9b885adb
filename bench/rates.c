#include "rates.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "eval/fast/bf16.h"
#include "eval/fast/row.h"

static const double WINDOW = 0.2; /* seconds */
enum { SIDE = 256, PRODUCTS = 20, LARGE = 2048, PIECES = 64, MEGABYTES = 480 };

double lh_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double lh_middle(double *x, int n) {
    if (n < 1) return 0;
    qsort(x, (size_t)n, sizeof *x, by_size);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* Numbers that stay for all windows: making them takes longer than a window. */
static float *numbers(size_t cells) {
    static float *memory;
    static size_t has;
    if (cells <= has) return memory;
    free(memory);
    memory = malloc(cells * sizeof *memory);
    if (!memory) exit(2);
    for (size_t i = 0; i < cells; i++) memory[i] = (float)(i * 2654435761u % 2001) / 1000 - 1;
    has = cells;
    return memory;
}

static void multiply(void *what, int piece, int thread) {
    (void)thread;
    float *m = (float *)what + (size_t)piece * 3 * SIDE * SIDE;
    for (int i = 0; i < PRODUCTS; i++)
        lh_product(SIDE, SIDE, SIDE, m, SIDE, 1, m + SIDE * SIDE, SIDE, 1, m + 2 * SIDE * SIDE,
                   SIDE, false);
}

double lh_rate_products(lh_pool *pool) {
    const int n = lh_pool_threads(pool);
    float *m = numbers((size_t)n * 3 * SIDE * SIDE);
    lh_pool_run(pool, n, multiply, m);
    const double start = lh_clock();
    double flops = 0, seconds = 0;
    while (seconds < WINDOW) {
        lh_pool_run(pool, n, multiply, m);
        flops += 2.0 * SIDE * SIDE * SIDE * PRODUCTS * n;
        seconds = lh_clock() - start;
    }
    return flops / seconds;
}

double lh_rate_halves(lh_pool *pool) {
    const size_t n = (size_t)LARGE * LARGE;
    float *m = numbers(3 * n);
    const lh_matrix a = {m, LARGE, LARGE, LARGE, 1}, b = {m + n, LARGE, LARGE, LARGE, 1},
                    c = {m + 2 * n, LARGE, LARGE, LARGE, 1};
    const double start = lh_clock();
    double flops = 0, seconds = 0;
    while (lh_bf16_name() && seconds < WINDOW) {
        if (!lh_bf16_product(pool, &a, &b, &c, NULL, false)) return 0;
        flops += 2.0 * LARGE * LARGE * LARGE;
        seconds = lh_clock() - start;
    }
    return seconds > 0 ? flops / seconds : 0;
}

typedef struct sweep {
    const float *from;
    volatile float sum[PIECES]; /* so that reading is not left out */
} sweep;

static const size_t IN_A_PIECE = (size_t)MEGABYTES * 1000000 / sizeof(float) / PIECES;

static void read_piece(void *what, int piece, int thread) {
    (void)thread;
    sweep *s = what;
    s->sum[piece] = lh_row_way()->sum(s->from + (size_t)piece * IN_A_PIECE, (ptrdiff_t)IN_A_PIECE);
}

double lh_rate_reading(lh_pool *pool) {
    sweep s = {.from = numbers(IN_A_PIECE * PIECES)};
    const double start = lh_clock();
    double bytes = 0, seconds = 0;
    while (seconds < WINDOW) {
        lh_pool_run(pool, PIECES, read_piece, &s);
        bytes += (double)IN_A_PIECE * PIECES * sizeof(float);
        seconds = lh_clock() - start;
    }
    return bytes / seconds;
}
