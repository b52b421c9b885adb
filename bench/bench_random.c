/* Random numbers by place against numbers from a stream: what does it cost that no order is needed?
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "base/random.h"

enum { COUNT = 4000000 };

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double by_place(double (*draw)(lh_random_place), double *sum) {
    double start = seconds();
    for (uint32_t i = 0; i < COUNT; i++)
        *sum += draw((lh_random_place){.seed = 1, .row = i >> 10, .col = i & 1023});
    return (seconds() - start) / COUNT * 1e9;
}

static double by_stream(double (*draw)(lh_numpy *), double *sum) {
    static lh_numpy np;
    lh_numpy_seed(&np, 1);
    double start = seconds();
    for (uint32_t i = 0; i < COUNT; i++) *sum += draw(&np);
    return (seconds() - start) / COUNT * 1e9;
}

int main(void) {
    double sum = 0; /* printed, so that no draw can be left out */
    double place = by_place(lh_random_uniform, &sum), stream = by_stream(lh_numpy_uniform, &sum);
    printf("uniform  by place %5.1f ns  by stream %5.1f ns  ratio %.2f\n", place, stream,
           place / stream);
    place = by_place(lh_random_normal, &sum);
    stream = by_stream(lh_numpy_normal, &sum);
    printf("normal   by place %5.1f ns  by stream %5.1f ns  ratio %.2f\n", place, stream,
           place / stream);
    printf("(sum %.3f)\n", sum);
    return 0;
}
