/* processor -- which form of the innermost loops this machine can run. */
#include "eval/fast/row.h"
#include "eval/fast/vector.h"

extern const lh_vectors lh_vectors_plain;
extern const lh_row_ways lh_row_plain;

#ifdef LH_HAVE_GENERATIONS
extern const lh_vectors lh_vectors_avx2, lh_vectors_avx512;
extern const lh_row_ways lh_row_avx2, lh_row_avx512;

enum { PLAIN = 1, AVX2, AVX512 };

static int generation(void) {
    static int best; /* every thread finds the same one */
    if (!best)
        best = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? AVX512
               : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")       ? AVX2
                                                                                       : PLAIN;
    return best;
}

const lh_vectors *lh_vector(void) {
    static const lh_vectors *const all[] = {
        [PLAIN] = &lh_vectors_plain, [AVX2] = &lh_vectors_avx2, [AVX512] = &lh_vectors_avx512};
    return all[generation()];
}

const lh_row_ways *lh_row_way(void) {
    static const lh_row_ways *const all[] = {
        [PLAIN] = &lh_row_plain, [AVX2] = &lh_row_avx2, [AVX512] = &lh_row_avx512};
    return all[generation()];
}
#else
const lh_vectors *lh_vector(void) {
    return &lh_vectors_plain;
}

const lh_row_ways *lh_row_way(void) {
    return &lh_row_plain;
}
#endif
