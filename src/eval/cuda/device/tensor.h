/* tensor -- products of small tiles of bf16 by a warp, sums in float; tiles in shared memory.
 *
 *     left    16 x 16     right   16 x 8     sums   16 x 8            sums += left @ right
 *
 * Lane 4 g + t of a warp has of the sums (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1); two neighbouring tiles of sums, rounded, are a
 * left tile without any exchange. Tiles in shared memory are rows of D numbers, D + 8 apart, so that there are no bank conflicts.
 * tests/emulated does the same by exchanging words between lanes.
 */
#ifndef LH_EVAL_CUDA_TENSOR_H
#define LH_EVAL_CUDA_TENSOR_H

#include "eval/cuda/device/gpu_grid.h"

typedef unsigned short bits16; /* of a bf16 */

struct left_tile {
    unsigned x[4];
};

struct right_tile {
    unsigned x[2];
};

struct sums_tile {
    float x[4];
};

#ifdef LH_EMULATED
#define UNROLLED

__device__ static inline void multiply(sums_tile &c, const left_tile &a, const right_tile &b) {
    emulate_multiply(c.x, a.x, b.x);
}

__device__ static inline void load_matrices(unsigned x[4], const bits16 *row, bool is_turned) {
    emulate_matrices(x, row, is_turned);
}

__device__ static inline float power_of_two(float x) {
    return exp2f(x);
}

/* 16 bytes; none: zeros */
__device__ static inline void copy_ahead(bits16 *to, const void *from, bool is_there) {
    if (is_there) emulate_touch(from, 16);
    is_there ? memcpy(to, from, 16) : memset(to, 0, 16);
}

__device__ static inline void copy_ahead(bits16 *room, int place, int further, const void *from,
                                         bool is_there) {
    copy_ahead(room + place + further, from, is_there);
}

/* 4 bytes */
__device__ static inline void copy_word_ahead(float *to, const float *from, bool is_there) {
    if (is_there) emulate_touch(from, 4);
    *to = is_there ? *from : 0.0f;
}

__device__ static inline void end_group() {}
template <int N> __device__ static inline void wait_for_all_but() {}
#else
#define UNROLLED _Pragma("unroll")

__device__ static inline void multiply(sums_tile &c, const left_tile &a, const right_tile &b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c.x[0]), "+f"(c.x[1]), "+f"(c.x[2]), "+f"(c.x[3])
                 : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]));
}

/* Four matrices of 8 x 8; lane i has the address of row i % 8 of matrix i / 8. */
__device__ static inline void load_matrices(unsigned x[4], const bits16 *row, bool is_turned) {
    const unsigned from = (unsigned)__cvta_generic_to_shared(row);
    if (is_turned)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(from)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(from)
                     : "memory");
}

__device__ static inline float power_of_two(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ static inline void copy_ahead(bits16 *to, const void *from, bool is_there) {
    const unsigned there = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(there), "l"(from), "r"(is_there ? 16 : 0)
                 : "memory");
}

/* The same to room + place + further: a constant `further` becomes part of the instruction. */
__device__ static inline void copy_ahead(bits16 *room, int place, int further, const void *from,
                                         bool is_there) {
    const unsigned there =
        (unsigned)__cvta_generic_to_shared(room) + 2u * (unsigned)place + 2u * (unsigned)further;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(there), "l"(from), "r"(is_there ? 16 : 0)
                 : "memory");
}

__device__ static inline void copy_word_ahead(float *to, const float *from, bool is_there) {
    const unsigned there = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :
                 : "r"(there), "l"(from), "r"(is_there ? 4 : 0)
                 : "memory");
}

__device__ static inline void end_group() {
    asm volatile("cp.async.commit_group;" : : : "memory");
}
template <int N> __device__ static inline void wait_for_all_but() {
    asm volatile("cp.async.wait_group %0;" : : "n"(N) : "memory");
}
#endif

/* ---- tiles from shared memory, whose rows lie `pitch` numbers apart ---- */

/* Rows r .. r + 15, columns k .. k + 15. */
__device__ static inline left_tile load_left(const bits16 *tile, int pitch, int r, int k) {
    const int lane = (int)(threadIdx.x % WARP);
    left_tile a;
    load_matrices(a.x, tile + (r + lane % 16) * pitch + k + lane / 16 * 8, false);
    return a;
}

/* Two neighbours of a matrix that lies turned: its columns n .. n + 15 are rows of the tile, along k. */
__device__ static inline void load_right_turned(right_tile b[2], const bits16 *tile, int pitch,
                                                int n, int k) {
    const int lane = (int)(threadIdx.x % WARP), i = lane / 8;
    unsigned x[4];
    load_matrices(x, tile + (n + i / 2 * 8 + lane % 8) * pitch + k + i % 2 * 8, false);
    b[0] = {{x[0], x[1]}}, b[1] = {{x[2], x[3]}};
}

/* Two neighbours of a matrix as it lies: rows k .. k + 15, columns n .. n + 15. */
__device__ static inline void load_right(right_tile b[2], const bits16 *tile, int pitch, int k,
                                         int n) {
    const int lane = (int)(threadIdx.x % WARP), i = lane / 8;
    unsigned x[4];
    load_matrices(x, tile + (k + i % 2 * 8 + lane % 8) * pitch + n + i / 2 * 8, true);
    b[0] = {{x[0], x[1]}}, b[1] = {{x[2], x[3]}};
}

/* Two neighbouring tiles of sums, rounded. */
__device__ static inline left_tile rounded(const sums_tile &a, const sums_tile &b) {
    return {{two_shorts(a.x[0], a.x[1]), two_shorts(a.x[2], a.x[3]), two_shorts(b.x[0], b.x[1]),
             two_shorts(b.x[2], b.x[3])}};
}

#endif
