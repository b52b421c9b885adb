/* processor -- which form of the innermost loops this machine can run. */
#include "eval/fast/vector.h"

extern const lh_vectors lh_vectors_plain;
#ifdef LH_HAVE_GENERATIONS
extern const lh_vectors lh_vectors_avx2, lh_vectors_avx512;
#endif

const lh_vectors *lh_vector(void) {
#ifdef LH_HAVE_GENERATIONS
    static const lh_vectors *best; /* every thread finds the same one */
    if (!best)
        best = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
                   ? &lh_vectors_avx512
               : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                   ? &lh_vectors_avx2
                   : &lh_vectors_plain;
    return best;
#else
    return &lh_vectors_plain;
#endif
}
