/* token_words -- how thread blocks of one launch wait for each other's numbers, and for asynchronous copies (token.cu).
 *
 *     tell(p, word_of(x))       a number that others wait for: one word, its bits inverted, in memory that was 0
 *     look(p), look_again()     0 as long as it is not there
 *     answer(ask(p), p, true)   eight numbers of each lane of a warp, when they are there
 *     expect(b, n), bring(...)  n bytes are copied into shared memory; wait_until_there(b, phase) waits for them
 *     give_free(b)              ... until a slot may be filled again
 *     meet(b, n), arrive(b, n)  a barrier of n threads of a block: waiting for the others, or only saying that one has come
 *     piece_at(p, is_there)     16 bytes of shared memory, or zeros
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
enum { TIMES_ASKED = 1 };
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
__device__ static inline void meet(int barrier, int threads) {
    emulate_meet((unsigned)barrier, (unsigned)threads);
}
__device__ static inline void arrive(int barrier, int threads) {
    emulate_arrive((unsigned)barrier, (unsigned)threads);
}
__device__ static inline uint4 piece_at(const char *p, bool is_there) {
    const uint4 nothing = {0, 0, 0, 0};
    return is_there ? *(const uint4 *)p : nothing;
}
__device__ static inline void bring(void *to, const void *from, int bytes, unsigned long long *) {
    emulate_touch(from, 16), emulate_touch((const char *)from + bytes - 16, 16);
    memcpy(to, from, (size_t)bytes);
}
__device__ static inline void wait_until_there(unsigned long long *b, unsigned phase) {
    while ((*b & 1) == phase) look_again();
}
#else
enum { TIMES_ASKED = 8 }; /* by all lanes, before they wait together */
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
__device__ static inline void meet(int barrier, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ static inline void arrive(int barrier, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
/* Without a branch: several are on their way at once. */
__device__ static inline uint4 piece_at(const char *p, bool is_there) {
    uint4 v = {0, 0, 0, 0};
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.u32 p, %5, 0;\n@p ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
        : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w)
        : "r"(shared_address(p)), "r"((unsigned)is_there)
        : "memory");
    return v;
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

/* Eight words side by side: those asked for may be on their way while something else is done. */
struct eight_asked {
    uint4 a, b;
};

__device__ static eight_asked ask(const unsigned *p) {
    return {look_at_four(p), look_at_four(p + 4)};
}

/* As words, zeros. */
__device__ static inline uint4 no_four() {
    return {~0u, ~0u, ~0u, ~0u};
}

__device__ static inline eight_asked no_eight() {
    return {no_four(), no_four()};
}

__device__ static inline int missing_in(const uint4 &v) {
    return !v.x ? 0 : !v.y ? 1 : !v.z ? 2 : 3;
}

/* By a whole warp: does a lane miss the word at p? Then it asks again. Behind the first few times all wait for one such word: if all looked at all that they miss,
 * again and again, those who write it would have to wait. */
__device__ static bool is_missed(bool is_missing, const unsigned *p, int times) {
    const unsigned missing = __ballot_sync(0xffffffffu, is_missing);
    if (!missing || times < TIMES_ASKED) return missing;
    const int lane = __ffs((int)missing) - 1;
    const unsigned long long at = (unsigned long long)p;
    const unsigned low = __shfl_sync(0xffffffffu, (unsigned)at, lane),
                   high = __shfl_sync(0xffffffffu, (unsigned)(at >> 32), lane);
    const unsigned *word = (const unsigned *)((unsigned long long)high << 32 | low);
    while (!look(word)) look_again();
    return true;
}

__device__ static inline bool are_there(const eight_asked &e) {
    return are_there(e.a) && are_there(e.b);
}

__device__ static numbers<8> numbers_in(const eight_asked &e) {
    return {{number_in(e.a.x), number_in(e.a.y), number_in(e.a.z), number_in(e.a.w),
             number_in(e.b.x), number_in(e.b.y), number_in(e.b.z), number_in(e.b.w)}};
}

/* By a whole warp: what each lane asked for at p, if it did. */
__device__ static numbers<8> answer(eight_asked e, const unsigned *p, bool has_asked) {
    for (int times = 0;
         is_missed(has_asked && !are_there(e),
                   p + (are_there(e.a) ? 4 + missing_in(e.b) : missing_in(e.a)), times);
         times++)
        if (has_asked && !are_there(e)) e = ask(p);
    return numbers_in(e);
}

#endif
