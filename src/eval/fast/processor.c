/* processor -- which form of the innermost loops this machine can run. LONGHAND_PROCESSOR=plain, avx2 or avx512 asks for an older one:
 * to find out whether something depends on it. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "eval/fast/quant.h"
#include "eval/fast/row.h"
#include "eval/fast/vector.h"

extern const lh_vector_loops lh_vectors_plain;
extern const lh_row_ways lh_row_plain;
extern const lh_quant_ways lh_quant_plain;

#ifdef LH_HAVE_GENERATIONS
extern const lh_vector_loops lh_vectors_avx2, lh_vectors_avx512;
extern const lh_row_ways lh_row_avx2, lh_row_avx512;
extern const lh_quant_ways lh_quant_avx2, lh_quant_avx512, lh_quant_vnni;

enum { PLAIN = 1, AVX2, AVX512 };

static int generation(void) {
    static atomic_int best; /* every thread finds the same one */
    const int found = atomic_load_explicit(&best, memory_order_relaxed);
    if (found) return found;
    const char *asked = getenv("LONGHAND_PROCESSOR");
    int most = !asked                        ? AVX512
               : strcmp(asked, "plain") == 0 ? PLAIN
               : strcmp(asked, "avx2") == 0  ? AVX2
                                             : AVX512;
    if (most == AVX512 &&
        !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")))
        most = AVX2;
    if (most == AVX2 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
        most = PLAIN;
    atomic_store_explicit(&best, most, memory_order_relaxed);
    return most;
}

const lh_vector_loops *lh_vector(void) {
    static const lh_vector_loops *const all[] = {
        [PLAIN] = &lh_vectors_plain, [AVX2] = &lh_vectors_avx2, [AVX512] = &lh_vectors_avx512};
    return all[generation()];
}

const lh_row_ways *lh_row_way(void) {
    static const lh_row_ways *const all[] = {
        [PLAIN] = &lh_row_plain, [AVX2] = &lh_row_avx2, [AVX512] = &lh_row_avx512};
    return all[generation()];
}

/* Products of whole numbers came after the first processors with vectors of 512 bits. */
const lh_quant_ways *const *lh_quant_all_ways(void) {
    static const lh_quant_ways *const all[] = {&lh_quant_vnni, &lh_quant_avx512, &lh_quant_avx2,
                                               &lh_quant_plain, NULL};
    static atomic_int first = -1;
    int found = atomic_load_explicit(&first, memory_order_relaxed);
    if (found >= 0) return all + found;
    const char *asked = getenv("LONGHAND_PROCESSOR");
    const bool is_older = asked && strcmp(asked, "avx512") == 0;
    found = 1 + AVX512 - generation();
    if (found == 1 && !is_older && __builtin_cpu_supports("avx512vnni")) found = 0;
    atomic_store_explicit(&first, found, memory_order_relaxed);
    return all + found;
}

const lh_quant_ways *lh_quant_way(void) {
    return lh_quant_all_ways()[0];
}
#else
const lh_vector_loops *lh_vector(void) {
    return &lh_vectors_plain;
}

const lh_row_ways *lh_row_way(void) {
    return &lh_row_plain;
}

const lh_quant_ways *const *lh_quant_all_ways(void) {
    static const lh_quant_ways *const all[] = {&lh_quant_plain, NULL};
    return all;
}

const lh_quant_ways *lh_quant_way(void) {
    return &lh_quant_plain;
}
#endif
