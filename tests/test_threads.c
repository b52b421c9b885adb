/* Pieces are done once each, whoever comes in time; products come to the same bits for any number of threads, and whatever signals
 * come; what is counted is what was cut. */
#define _XOPEN_SOURCE 700 /* setitimer */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "engine.h"
#include "eval/fast/fast.h"

enum { MOST = 70 };

typedef struct task {
    atomic_int done[MOST];
    atomic_int wrong; /* a thread that there is not */
    int threads;
} task;

static void do_piece(void *what, int piece, int thread) {
    task *t = what;
    atomic_fetch_add(&t->done[piece], 1);
    if (thread < 0 || thread >= t->threads) atomic_fetch_add(&t->wrong, 1);
}

/* Runs follow each other at once, or after a while in which helpers fall asleep; what they are about lies on the stack. */
static void run_many(int threads, int runs, bool sleeps) {
    lh_pool *pool = lh_pool_new(threads);
    for (int i = 0; i < runs; i++) {
        const int pieces = 1 + i * 7 % MOST;
        task t = {.threads = lh_pool_threads(pool)};
        lh_pool_run(pool, pieces, do_piece, &t);
        for (int k = 0; k < MOST; k++)
            if (atomic_load(&t.done[k]) != (k < pieces))
                fail_msg("%d threads, run %d of %d pieces: piece %d was done %d times", threads, i,
                         pieces, k, atomic_load(&t.done[k]));
        assert_int_equal(atomic_load(&t.wrong), 0);
        if (sleeps) nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    }
    lh_pool_free(pool);
}

static void each_piece_is_done_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= 9; threads += 2) {
        run_many(threads, engine_quick() ? 300 : 3000, false);
        run_many(threads, 40, true);
    }
    lh_pool_run(NULL, 3, do_piece, &(task){.threads = 1});
}

static float *numbers(size_t n) {
    float *x = malloc(n * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) x[i] = (float)((i * 2654435761u >> 7) % 2001) * 1e-3F - 1;
    return x;
}

/* Sizes with one tile, with 8, and with many; turned operands. */
static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    static const ptrdiff_t size[][3] = {{33, 65, 17}, {300, 200, 100}, {512, 700, 512}};
    for (int k = 0; k < 6; k++) {
        const ptrdiff_t m = size[k / 2][0], n = size[k / 2][1], i = size[k / 2][2];
        float *a = numbers((size_t)(m * i)), *b = numbers((size_t)(i * n)), *c[2];
        for (int t = 0; t < 2; t++) c[t] = numbers((size_t)(m * n));
        const lh_matrix A = {a, m, i, i, 1}, B = {b, i, n, k % 2 ? 1 : n, k % 2 ? i : 1};
        for (int threads = 1; threads <= 5; threads += 2) {
            lh_pool *pool = lh_pool_new(threads);
            const lh_matrix C = {c[threads > 1], m, n, n, 1};
            assert_true(lh_product_threads(pool, &A, &B, &C, NULL, false));
            lh_pool_free(pool);
            if (threads > 1) assert_memory_equal(c[0], c[1], (size_t)(m * n) * sizeof(float));
        }
        free(a), free(b), free(c[0]), free(c[1]);
    }
}

static pthread_t caller;
static atomic_int heard, heard_elsewhere;

/* Its frame and what it fills lie where a library may have left numbers below the stack pointer. */
static void hear(int number) {
    (void)number;
    volatile char frame[4096];
    for (size_t i = 0; i < sizeof frame; i++) frame[i] = (char)0xee;
    atomic_fetch_add(&heard, 1);
    if (!pthread_equal(pthread_self(), caller)) atomic_fetch_add(&heard_elsewhere, 1);
}

/* An alarm every so many microseconds; 0: none any more. */
static void sound_alarms(int microseconds) {
    const struct itimerval every = {{0, microseconds}, {0, microseconds}};
    assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
}

/* Of this shape, oneDNN 2.6.3 makes the product with its stack in use below the stack pointer. Signals come to the thread that asks
 * for products, between them. */
static void signals_spoil_no_product(void **state) {
    (void)state;
    const ptrdiff_t m = 8, n = 512, k = 128;
    const int enough = engine_quick() ? 500 : 5000;
    caller = pthread_self();
    const struct sigaction action = {.sa_handler = hear, .sa_flags = SA_RESTART};
    struct sigaction was;
    sigaction(SIGALRM, &action, &was);
    float *a = numbers((size_t)(m * k)), *b = numbers((size_t)(k * n)),
          *right = numbers((size_t)(m * n)), *c = numbers((size_t)(m * n));
    const lh_matrix A = {a, m, k, k, 1}, B = {b, k, n, n, 1}, C = {c, m, n, n, 1};
    lh_matrix_product(&A, &B, &(lh_matrix){right, m, n, n, 1}, false);
    for (int threads = 1; threads <= 3; threads += 2) {
        lh_pool *pool = lh_pool_new(threads);
        atomic_store(&heard, 0);
        sound_alarms(20);
        while (atomic_load(&heard) < enough) {
            if (threads == 1)
                lh_matrix_product(&A, &B, &C, false);
            else
                assert_true(lh_product_threads(pool, &A, &B, &C, NULL, false));
            if (memcmp(c, right, (size_t)(m * n) * sizeof *c) != 0) break;
        }
        sound_alarms(0);
        assert_memory_equal(c, right, (size_t)(m * n) * sizeof *c);
        lh_pool_free(pool);
    }
    assert_int_equal(atomic_load(&heard_elsewhere), 0);
    sigaction(SIGALRM, &was, NULL);
    free(a), free(b), free(c), free(right);
}

/* A large product has pieces for many cores, a small one for few. */
static void products_are_cut_by_their_work(void **state) {
    (void)state;
    static const struct {
        ptrdiff_t m, n, k;
        long least, most;
    } known[] = {{32, 32, 32, 1, 1}, {256, 128, 128, 4, 8}, {1024, 512, 512, 32, 128}};
    float *x = numbers(1024 * 512), *y = numbers(512 * 512), *z = numbers(1024 * 512);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const lh_matrix A = {x, known[i].m, known[i].k, known[i].k, 1},
                        B = {y, known[i].k, known[i].n, known[i].n, 1},
                        C = {z, known[i].m, known[i].n, known[i].n, 1};
        lh_pool *pool = lh_pool_new(3);
        lh_pool_counts c = {0};
        lh_pool_count(pool, &c);
        assert_true(lh_product_threads(pool, &A, &B, &C, NULL, false));
        lh_pool_count(pool, NULL);
        lh_pool_free(pool);
        if (c.pieces < known[i].least || c.pieces > known[i].most)
            fail_msg("%td x %td x %td: %ld pieces", known[i].m, known[i].n, known[i].k, c.pieces);
        assert_int_equal(c.runs, 1);
        for (int k = 1; k < LH_POOL_CORES; k++) { /* never slower with more */
            assert_true(c.with[k] <= c.with[k - 1] * (1 + 1e-9));
            const long cores = 1L << k, turns = (c.pieces + cores - 1) / cores;
            assert_true(fabs(c.with[k] - c.with[0] * (double)turns / (double)c.pieces) <=
                        1e-9 * c.with[0]);
        }
    }
    free(x), free(y), free(z);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_piece_is_done_once),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(signals_spoil_no_product),
        cmocka_unit_test(products_are_cut_by_their_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
