/* token_words -- how thread blocks of one launch wait for each other's numbers, and for asynchronous copies (token.cu).
 *
 *     tell(p, word_of(x))       a number that others wait for: one word, its bits inverted, in memory that was 0
 *     look(p), look_again()     0 as long as it is not there
 *     expect(b, n), bring(...)  n bytes are copied into shared memory; wait_until_there(b, phase) waits for them
 *     give_free(b)              ... until a slot may be filled again
 */
#ifndef LH_EVAL_CUDA_TOKEN_WORDS_H
#define LH_EVAL_CUDA_TOKEN_WORDS_H

#include "eval/cuda/device/growing.h"

__device__ static inline unsigned word_of(float x) {
    return x != x ? ~0x7fc00000u : ~__float_as_uint(x);
}

__device__ static inline float number_in(unsigned word) {
    return __uint_as_float(~word);
}

#ifdef LH_EMULATED
__device__ static inline unsigned look(const unsigned *p) {
    emulate_touch(p, sizeof *p);
    return *p;
}
__device__ static inline uint4 look_at_four(const unsigned *p) {
    emulate_touch(p, sizeof(uint4));
    return *(const uint4 *)p;
}
__device__ static inline uint2 look_at_two(const unsigned *p) {
    emulate_touch(p, sizeof(uint2));
    return {p[0], p[1]};
}
__device__ static inline void look_again() {
    emulate_look_again();
}
__device__ static inline void tell(unsigned *p, unsigned word) {
    emulate_touch(p, sizeof *p);
    *p = word;
}
__device__ static inline void open_barrier(unsigned long long *b) {
    *b = 0;
}
__device__ static inline void expect(unsigned long long *b, int) {
    ++*b;
}
__device__ static inline void give_free(unsigned long long *b) {
    ++*b;
}
__device__ static inline void meet(int threads) {
    emulate_meet((unsigned)threads);
}
__device__ static inline void bring(void *to, const void *from, int bytes, unsigned long long *) {
    emulate_touch(from, 16), emulate_touch((const char *)from + bytes - 16, 16);
    memcpy(to, from, (size_t)bytes);
}
__device__ static inline void wait_until_there(unsigned long long *b, unsigned phase) {
    while ((*b & 1) == phase) look_again();
}
#else
__device__ static inline unsigned look(const unsigned *p) {
    unsigned x;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}
__device__ static inline uint4 look_at_four(const unsigned *p) {
    uint4 v;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
    return v;
}
__device__ static inline uint2 look_at_two(const unsigned *p) {
    uint2 v;
    asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                 : "=r"(v.x), "=r"(v.y)
                 : "l"(p)
                 : "memory");
    return v;
}
__device__ static inline void look_again() {}
__device__ static inline void tell(unsigned *p, unsigned word) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(word) : "memory");
}
__device__ static inline unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ static inline void open_barrier(unsigned long long *b) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(b)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ static inline void expect(unsigned long long *b, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
                 "r"(bytes)
                 : "memory");
}
__device__ static inline void give_free(unsigned long long *b) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
/* A barrier of so many threads of a block. */
__device__ static inline void meet(int threads) {
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}
/* Read only once: it should not evict words from the L2 cache. */
__device__ static inline void bring(void *to, const void *from, int bytes, unsigned long long *b) {
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(b)), "l"(policy)
                 : "memory");
}
__device__ static inline void wait_until_there(unsigned long long *b, unsigned phase) {
    unsigned is_there = 0;
    while (!is_there)
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], "
                     "%2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(is_there)
                     : "r"(shared_address(b)), "r"(phase)
                     : "memory");
}
#endif

__device__ static inline bool are_there(const uint4 &v) {
    return v.x && v.y && v.z && v.w;
}

/* Eight words side by side, when they are there. */
__device__ static numbers<8> eight_words(const unsigned *p) {
    uint4 a = look_at_four(p), b = look_at_four(p + 4);
    while (!are_there(a) || !are_there(b))
        look_again(), a = look_at_four(p), b = look_at_four(p + 4);
    return {{number_in(a.x), number_in(a.y), number_in(a.z), number_in(a.w), number_in(b.x),
             number_in(b.y), number_in(b.z), number_in(b.w)}};
}

#endif
