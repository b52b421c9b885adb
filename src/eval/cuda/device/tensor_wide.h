/* tensor_wide -- products of large tiles of bf16 by four warps together (wgmma of Hopper), sums in float; the right tile is in shared memory.
 *
 *     left    64 x 16     right   16 x N     sums   64 x N            sums += left @ right
 *
 * Warp i of the four has rows 16 i .. 16 i + 15, and of these each lane has the same cells as in smaller tiles (tensor.h). Tiles are stored in panels of 64 columns: a row is 128 bytes, eight
 * pieces of 16, and piece c of row r is stored in the place of piece c ^ (r % 8); a panel begins at a multiple of 1024 bytes. So neither rows nor columns have bank conflicts.
 *
 * Products run asynchronously: between begin_products and a wait, no code may touch their sums and left tiles, nor the shared memory that they read.
 */
#ifndef LH_EVAL_CUDA_TENSOR_WIDE_H
#define LH_EVAL_CUDA_TENSOR_WIDE_H

#include "eval/cuda/device/tensor.h"

enum { GROUP = 4 * WARP, GROUP_ROWS = 64, PANEL = 64 };

/* Where the piece of eight numbers from column c on of row r lies, in panels of so many rows. */
__device__ static inline int piece_at(int rows, int r, int c) {
    return (c / PANEL * rows + r) * PANEL + ((c % PANEL / 8) ^ (r % 8)) * 8;
}

#ifdef LH_EMULATED
__device__ static inline void begin_products() {}
__device__ static inline void end_products() {}
template <int N> __device__ static inline void wait_for_products_but() {}
__device__ static inline void show_to_products() {}

struct spot {
    const bits16 *p;
};

__device__ static inline spot spot_of(const bits16 *panel) {
    return {panel};
}

__device__ static inline spot operator+(spot from, int numbers) {
    return {from.p + numbers};
}

__device__ static inline spot afresh(spot from) {
    return from;
}

template <int N, bool IS_TURNED, bool ADDS>
__device__ static inline void multiply_wide(sums_tile *sums, const left_tile &left, spot right) {
    emulate_wide((float *)sums, left.x, right.p, N, IS_TURNED, ADDS);
}

template <int N, bool IS_TURNED, bool ADDS>
__device__ static inline void multiply_wide(sums_tile *sums, spot left, spot right) {
    uint32_t x[4];
    emulate_wide_left(x, left.p);
    emulate_wide((float *)sums, x, right.p, N, IS_TURNED, ADDS);
}
#elif !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
__device__ static inline void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}

__device__ static inline void end_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}

template <int N> __device__ static inline void wait_for_products_but() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(N) : "memory");
}

/* What this thread wrote to shared memory, before a barrier. */
__device__ static inline void show_to_products() {
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

/* Where a product reads in shared memory: the low word of its description, which counts sixteens of bytes. All threads of a group have the same, and the compiler
 * has to know it. */
struct spot {
    unsigned low;
};

__device__ static inline spot spot_of(const bits16 *panel) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(panel);
    return {__shfl_sync(0xffffffffu, at >> 4 | 1u << 16, 0)};
}

__device__ static inline spot operator+(spot from, int numbers) {
    return {from.low + (unsigned)(numbers / 8)};
}

/* The same, but in each round of a loop the compiler computes what follows from it anew: so many constants would not fit into registers. */
__device__ static inline spot afresh(spot from) {
    asm volatile("" : "+r"(from.low));
    return from;
}

/* Eight rows of a panel are 1024 bytes; bit 62: pieces change places as above. */
__device__ static inline unsigned long long description(spot at) {
    return at.low | (1024ull >> 4) << 32 | 1ull << 62;
}

#define FOUR(io, i) io(c[i].x[0]), io(c[i].x[1]), io(c[i].x[2]), io(c[i].x[3])
#define EIGHT(io)                                                                                  \
    FOUR(io, 0), FOUR(io, 1), FOUR(io, 2), FOUR(io, 3), FOUR(io, 4), FOUR(io, 5), FOUR(io, 6),     \
        FOUR(io, 7)
#define SUMS_OF_32 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}"
#define SUMS_OF_64                                                                                 \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%" \
    "25,%26,%27,%28,%29,%30,%31}"
#define WGMMA(n) "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32.bf16.bf16 " SUMS_OF_##n ", "

#define MULTIPLY_64(io, adds)                                                                      \
    asm volatile("{.reg .pred p; setp.ne.b32 p, " adds                                             \
                 ", 0;\n" WGMMA(64) "{%32,%33,%34,%35}, %36, p, 1, 1, %37;}"                       \
                 : EIGHT(io)                                                                       \
                 : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "l"(description(right)),    \
                   "n"(IS_TURNED ? 0 : 1))
#define MULTIPLY_32(io, adds)                                                                      \
    asm volatile("{.reg .pred p; setp.ne.b32 p, " adds                                             \
                 ", 0;\n" WGMMA(32) "{%16,%17,%18,%19}, %20, p, 1, 1, %21;}"                       \
                 : FOUR(io, 0), FOUR(io, 1), FOUR(io, 2), FOUR(io, 3)                              \
                 : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "l"(description(right)),    \
                   "n"(IS_TURNED ? 0 : 1))
#define MULTIPLY_PANELS_64(io, adds)                                                               \
    asm volatile("{.reg .pred p; setp.ne.b32 p, " adds                                             \
                 ", 0;\n" WGMMA(64) "%32, %33, p, 1, 1, 0, %34;}"                                  \
                 : EIGHT(io)                                                                       \
                 : "l"(description(left)), "l"(description(right)), "n"(IS_TURNED ? 0 : 1))
#define MULTIPLY_PANELS_32(io, adds)                                                               \
    asm volatile("{.reg .pred p; setp.ne.b32 p, " adds                                             \
                 ", 0;\n" WGMMA(32) "%16, %17, p, 1, 1, 0, %18;}"                                  \
                 : FOUR(io, 0), FOUR(io, 1), FOUR(io, 2), FOUR(io, 3)                              \
                 : "l"(description(left)), "l"(description(right)), "n"(IS_TURNED ? 0 : 1))
#define CHANGED(x) "+f"(x)
#define MADE(x)    "=f"(x)

/* right: the first of its numbers. As it lies, 16 rows of a panel; turned, N rows of it from a column on that is a multiple of 16. ADDS false: sums are made anew, and
 * nobody has to think of what they were. */
template <int N, bool IS_TURNED, bool ADDS>
__device__ static inline void multiply_wide(sums_tile *c, const left_tile &a, spot right) {
    static_assert(N == 64 || N == 32, "");
    if constexpr (N == 64 && ADDS)
        MULTIPLY_64(CHANGED, "1");
    else if constexpr (N == 64)
        MULTIPLY_64(MADE, "0");
    else if constexpr (ADDS)
        MULTIPLY_32(CHANGED, "1");
    else
        MULTIPLY_32(MADE, "0");
}

/* left: in shared memory, too, the first of 64 rows from a column on that is a multiple of 16 */
template <int N, bool IS_TURNED, bool ADDS>
__device__ static inline void multiply_wide(sums_tile *c, spot left, spot right) {
    static_assert(N == 64 || N == 32, "");
    if constexpr (N == 64 && ADDS)
        MULTIPLY_PANELS_64(CHANGED, "1");
    else if constexpr (N == 64)
        MULTIPLY_PANELS_64(MADE, "0");
    else if constexpr (ADDS)
        MULTIPLY_PANELS_32(CHANGED, "1");
    else
        MULTIPLY_PANELS_32(MADE, "0");
}

#undef MADE
#undef CHANGED
#undef MULTIPLY_PANELS_32
#undef MULTIPLY_PANELS_64
#undef MULTIPLY_32
#undef MULTIPLY_64
#undef EIGHT
#undef FOUR
#undef SUMS_OF_32
#undef SUMS_OF_64
#undef WGMMA
#else /* other GPUs: kernels that need these are never launched */
__device__ static inline void begin_products() {}
__device__ static inline void end_products() {}
template <int N> __device__ static inline void wait_for_products_but() {}
__device__ static inline void show_to_products() {}
struct spot {};
__device__ static inline spot spot_of(const bits16 *) {
    return {};
}
__device__ static inline spot operator+(spot from, int) {
    return from;
}
__device__ static inline spot afresh(spot from) {
    return from;
}
template <int N, bool IS_TURNED, bool ADDS>
__device__ static inline void multiply_wide(sums_tile *, const left_tile &, spot) {}
template <int N, bool IS_TURNED, bool ADDS>
__device__ static inline void multiply_wide(sums_tile *, spot, spot) {}
#endif

/* Rows r .. r + 15, columns k .. k + 15 of panels of so many rows. */
__device__ static inline left_tile load_left_of_panel(const bits16 *panel, int rows, int r, int k) {
    const int lane = (int)(threadIdx.x % WARP);
    left_tile a;
    load_matrices(a.x, panel + piece_at(rows, r + lane % 16, k + lane / 16 * 8), false);
    return a;
}

#endif
