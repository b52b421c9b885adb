/* heads -- eight attention heads, one after another and then all at the same time, each in a thread of its own.
 *
 *     ./heads
 *
 * No head reads what another one wrote. So they need not wait for each other, and the numbers are the same to the last bit.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { HEADS = 8, N = 256, D = 64 }; /* positions, and the width of a head */

typedef struct head {
    double Q[N * D], K[N * D], V[N * D], H[N * D];
} head;

static head heads[HEADS];

static void *attend(void *which) {
    head *h = which;
    for (int i = 0; i < N; i++) {
        double share[N], most = -INFINITY, sum = 0;
        for (int j = 0; j < N; j++) {
            share[j] = 0;
            for (int c = 0; c < D; c++) share[j] += h->Q[i * D + c] * h->K[j * D + c];
            share[j] /= sqrt(D);
            most = fmax(most, share[j]);
        }
        for (int j = 0; j < N; j++) sum += share[j] = exp(share[j] - most);
        for (int c = 0; c < D; c++) {
            double mixed = 0;
            for (int j = 0; j < N; j++) mixed += share[j] / sum * h->V[j * D + c];
            h->H[i * D + c] = mixed;
        }
    }
    return NULL;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Numbers that differ from head to head, without chance: everybody gets the same. */
static void fill(void) {
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < N * D; i++) {
            heads[h].Q[i] = sin(i * 0.7 + h);
            heads[h].K[i] = cos(i * 0.3 - h);
            heads[h].V[i] = sin(i * 0.1 * (h + 1));
        }
}

int main(void) {
    static double first[HEADS][N * D];
    pthread_t thread[HEADS];
    int same = 1, n = 0;
    fill();
    printf("%d heads, %d positions, width %d\n", HEADS, N, D);

    double start = seconds();
    for (int h = 0; h < HEADS; h++) attend(&heads[h]);
    printf("one after another:    %6.1f ms\n", 1000 * (seconds() - start));
    for (int h = 0; h < HEADS; h++) memcpy(first[h], heads[h].H, sizeof first[h]);

    start = seconds();
    while (n < HEADS && pthread_create(&thread[n], NULL, attend, &heads[n]) == 0) n++;
    for (int h = 0; h < n; h++) pthread_join(thread[h], NULL);
    printf("at the same time:     %6.1f ms\n", 1000 * (seconds() - start));
    for (int h = 0; h < n; h++)
        for (int i = 0; i < N * D; i++) same &= first[h][i] == heads[h].H[i];
    printf("the same numbers: %s\n", same && n == HEADS ? "yes" : "no");
    return same && n == HEADS ? 0 : 1;
}
