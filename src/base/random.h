/* random -- random numbers that depend on a place, not on an order.
 *
 *     lh_random_place at = {.seed = 42, .step = 7, .place = 3, .example = 1, .row = 4, .col = 2};
 *     double keep = lh_random_uniform(at);      (on every thread and machine, in any order)
 *
 * Nothing is stored: the number of a place is computed from the place. Within a seed and a step no
 * two places share their 128 bits. Bits and uniform numbers are the same everywhere; normal numbers
 * are as equal as the log and cos of two libms.
 *
 *     lh_numpy np;
 *     lh_numpy_seed(&np, 42);                   (np.random.seed(42))
 *     double x = lh_numpy_normal(&np);          (np.random.randn(): 0.4967141530112327)
 *
 * is for programs that were first written with NumPy: the same numbers in the same order.
 */
#ifndef LH_BASE_RANDOM_H
#define LH_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lh_random_place {
    uint64_t seed;
    uint32_t step;     /* of training */
    uint32_t place;    /* which random step of the program */
    uint32_t example;  /* which example of the batch */
    uint32_t row, col; /* which cell */
} lh_random_place;

uint64_t lh_random_bits(lh_random_place at);  /* 64 of the place's 128 bits */
double lh_random_uniform(lh_random_place at); /* in [0, 1), 53 bits */
double lh_random_normal(lh_random_place at);  /* mean 0, deviation 1; always finite */

/* The permutation underneath (Philox4x32-10): 128 bits to 128 bits, another one for each key. */
void lh_random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

typedef struct lh_numpy {
    uint32_t state[624];
    int next;       /* the next word of state to hand out; 624: stir first */
    bool has_spare; /* normal numbers are made in pairs: the second waits here */
    double spare;
} lh_numpy;

void lh_numpy_seed(lh_numpy *np, uint32_t seed); /* np.random.seed(seed) */
double lh_numpy_uniform(lh_numpy *np);           /* np.random.rand(): in [0, 1), 53 bits */
double lh_numpy_normal(lh_numpy *np);            /* np.random.randn() */

#endif
