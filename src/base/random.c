#include "base/random.h"

#include <math.h>

static const double TWO_PI = 6.283185307179586;

/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011).
 *
 * Ten times the same round. Two of the four words are multiplied by odd constants; low halves stay,
 * high halves are mixed into the other two words together with the key, and words change places:
 *
 *     c0 c1 c2 c3  ->  high(M1 c2) ^ c1 ^ k0,  low(M1 c2),  high(M0 c0) ^ c3 ^ k1,  low(M0 c0)
 *
 * An odd constant can be divided out again, so every round is a permutation: different counters
 * stay different.
 */
void lh_random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u; /* the golden ratio */
        k1 += 0xBB67AE85u; /* the square root of 3, less 1 */
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* A place has 224 bits, a counter and its key 192. The step goes into the key, by one more turn: so
 * places of one step are different counters under one key and never share their bits, and steps
 * differ as independent keys do. */
static void random_block(lh_random_place at, uint64_t out[2]) {
    const uint32_t seed[2] = {(uint32_t)at.seed, (uint32_t)(at.seed >> 32)};
    const uint32_t step[4] = {at.step, 0, 0, 0};
    const uint32_t cell[4] = {at.place, at.example, at.row, at.col};
    uint32_t key[4], word[4];
    lh_random_philox(step, seed, key);
    lh_random_philox(cell, key, word);
    out[0] = (uint64_t)word[1] << 32 | word[0];
    out[1] = (uint64_t)word[3] << 32 | word[2];
}

static double uniform_of(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

uint64_t lh_random_bits(lh_random_place at) {
    uint64_t b[2];
    random_block(at, b);
    return b[0];
}

double lh_random_uniform(lh_random_place at) {
    return uniform_of(lh_random_bits(at));
}

/* Box and Muller: a point of the plane with two normal coordinates has an angle that is uniform and
 * a squared length that is exponential, -2 log u. 1 - u lies in (0, 1], so the logarithm is finite.
 */
double lh_random_normal(lh_random_place at) {
    uint64_t b[2];
    random_block(at, b);
    double length = sqrt(-2 * log(1 - uniform_of(b[0])));
    return length * cos(TWO_PI * uniform_of(b[1]));
}

/* MT19937 (Matsumoto and Nishimura, 1998). */
enum { N = 624, M = 397 };

void lh_numpy_seed(lh_numpy *np, uint32_t seed) {
    np->state[0] = seed;
    for (uint32_t i = 1; i < N; i++) {
        uint32_t last = np->state[i - 1];
        np->state[i] = 1812433253u * (last ^ last >> 30) + i;
    }
    np->next = N;
    np->has_spare = false;
    np->spare = 0;
}

/* Each word becomes a mix of itself (its top bit), its neighbour and the word 397 further on, round
 * in a ring. */
static void numpy_stir(lh_numpy *np) {
    uint32_t *s = np->state;
    for (int i = 0; i < N; i++) {
        uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % N] & 0x7fffffffu);
        s[i] = s[(i + M) % N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    np->next = 0;
}

static uint32_t numpy_word(lh_numpy *np) {
    if (np->next == N) numpy_stir(np);
    uint32_t y = np->state[np->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

double lh_numpy_uniform(lh_numpy *np) {
    uint32_t high = numpy_word(np) >> 5, low = numpy_word(np) >> 6; /* 27 and 26 bits */
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

/* The polar method: a uniform point of the unit disc gives two normal numbers. NumPy hands out the
 * one made of the second coordinate first. */
double lh_numpy_normal(lh_numpy *np) {
    if (np->has_spare) {
        np->has_spare = false;
        return np->spare;
    }
    double x, y, r2;
    do {
        x = 2 * lh_numpy_uniform(np) - 1;
        y = 2 * lh_numpy_uniform(np) - 1;
        r2 = x * x + y * y;
    } while (r2 >= 1 || r2 == 0);
    double f = sqrt(-2 * log(r2) / r2);
    np->spare = f * x;
    np->has_spare = true;
    return f * y;
}
