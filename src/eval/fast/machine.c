#include "eval/fast/machine.h"

#include "base/clock.h"
#include "eval/fast/fast.h"
#include "eval/fast/row.h"

enum { SIDE = 1024, TRIES = 5, MEGABYTES = 192 };

static double product_seconds(lh_pool *pool, float *memory) {
    const ptrdiff_t n = (ptrdiff_t)SIDE * SIDE;
    const lh_matrix a = {memory, SIDE, SIDE, SIDE, 1}, b = {memory + n, SIDE, SIDE, SIDE, 1},
                    c = {memory + 2 * n, SIDE, SIDE, SIDE, 1};
    const double start = lh_seconds();
    lh_product_threads(pool, &a, &b, &c, NULL, false);
    return lh_seconds() - start;
}

typedef struct sweep {
    const float *from;
    ptrdiff_t cells;
    int pieces;
    float sum[64]; /* read, so that reading is not left out */
} sweep;

static void sweep_piece(void *what, int piece, int thread) {
    (void)thread;
    sweep *s = what;
    const ptrdiff_t from = lh_piece_from(s->cells, piece, s->pieces),
                    to = lh_piece_from(s->cells, piece + 1, s->pieces);
    s->sum[piece] = lh_row_way()->sum(s->from + from, to - from);
}

static double read_seconds(lh_pool *pool, const float *memory, ptrdiff_t cells) {
    sweep s = {.from = memory, .cells = cells, .pieces = 16};
    const double start = lh_seconds();
    lh_pool_run(pool, s.pieces, sweep_piece, &s);
    return lh_seconds() - start;
}

lh_machine lh_machine_try(lh_context *ctx, int threads) {
    const ptrdiff_t cells = (ptrdiff_t)MEGABYTES * 1000000 / 4;
    lh_machine m = {0};
    float *memory = lh_failed(ctx) ? NULL : ctx->alloc((size_t)cells * sizeof *memory);
    if (!memory) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
                "%d MB of free memory are needed to measure what this machine can do", MEGABYTES);
        return m;
    }
    for (ptrdiff_t i = 0; i < cells; i++) memory[i] = (float)(i % 17) * 0.125F - 1;
    lh_pool *pool = lh_pool_new(threads);
    m.threads = lh_pool_threads(pool);
    for (int i = 0; i < TRIES; i++) {
        const double product = (double)SIDE * SIDE * SIDE / product_seconds(pool, memory),
                     bytes = 4.0 * (double)cells / read_seconds(pool, memory, cells);
        if (i && product > m.multiply_adds) m.multiply_adds = product; /* the first one warms up */
        if (i && bytes > m.bytes) m.bytes = bytes;
    }
    lh_pool_free(pool);
    ctx->release(memory);
    return m;
}
