/* cores -- what 1, 2, 4 ... threads of this machine can do together: the ceilings that a step of training on many cores meets.
 *
 *     bench_cores [THREADS]                as many as there are processors, at most
 *
 * Products that stay in the cache share nothing, so they show whether there is a core behind every thread; reading shows the memory
 * that all of them share.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rates.h"

static void print_row(int threads, double one[3]) {
    lh_pool *pool = lh_pool_new(threads);
    const double rate[3] = {lh_rate_products(pool), lh_rate_halves(pool), lh_rate_reading(pool)};
    printf("%7d", threads);
    for (int i = 0; i < 3; i++) {
        if (one[i] <= 0) one[i] = rate[i];
        printf("%10.1f %6.1fx", 1e-9 * rate[i], one[i] > 0 ? rate[i] / one[i] : 0);
    }
    putchar('\n');
    fflush(stdout);
    lh_pool_free(pool);
}

int main(int argc, char **argv) {
    const int most = argc > 1 ? atoi(argv[1]) : lh_pool_processors();
    double one[3] = {0, 0, 0};
    printf("%7s%18s%18s%18s\n", "threads", "GFLOP/s float", "GFLOP/s bf16", "GB/s read");
    for (int n = 1; n < most; n *= 2) print_row(n, one);
    print_row(most, one);
    return 0;
}
