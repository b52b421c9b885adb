/* gpu_grid -- what the kernels share: where a cell lies, how many threads are started, how a warp adds up.
 *
 * A work has a block for each example. In the grid, y is the example and x goes through the cells (or rows) of the largest one; both go round, so
 * any grid does any work. Cells are counted as they lie: columns, then heads, then rows.
 *
 * LAUNCH starts a kernel whose threads do not wait for each other, LAUNCH_TOGETHER one whose threads do: on a GPU they are the same, an
 * emulated one needs to know (tests/emulated/emulate.h).
 */
#ifndef LH_EVAL_CUDA_GPU_GRID_H
#define LH_EVAL_CUDA_GPU_GRID_H

#include "eval/cuda/gpu.h"

#ifdef LH_EMULATED
#include "emulate.h"
#else
#include <cuda_runtime.h>
#define emulate_touch(p) ((void)0)
#define LAUNCH(kernel, grid, threads, shared, stream, ...)                                         \
    kernel<<<grid, threads, shared, (cudaStream_t)(stream)>>>(__VA_ARGS__)
#define LAUNCH_TOGETHER        LAUNCH
#define SHARED_MEMORY(type, x) extern __shared__ type x[]
#endif

#ifdef LH_EMULATED
enum { THREADS = 64 }; /* fibres are slow: two warps are enough to see whether they agree */
#else
enum { THREADS = 256 };
#endif

enum { WARP = 32, MOST_X = 1 << 16, MOST_Y = 1 << 15 };

struct place {
    int h, r, c;
};

__device__ static inline const lh_gpu_block *block_of(const lh_gpu_view &v, int e) {
    return v.block + (size_t)e * v.step;
}

__device__ static inline float *at(const lh_gpu_block *b, int h, int r, int c) {
    float *p = b->p + h * b->hs + r * b->rs + c * b->cs;
    emulate_touch(p);
    return p;
}

__device__ static inline long long cells_of(const lh_gpu_block *b) {
    return (long long)b->heads * b->rows * b->cols;
}

__device__ static inline place place_of(const lh_gpu_block *b, long long i) {
    if (i < 0x7fffffff) { /* division of 32 bits is much faster */
        const unsigned k = (unsigned)i, row = k / (unsigned)b->cols;
        return {(int)(row % (unsigned)b->heads), (int)(row / (unsigned)b->heads),
                (int)(k % (unsigned)b->cols)};
    }
    const long long row = i / b->cols;
    return {(int)(row % b->heads), (int)(row / b->heads), (int)(i % b->cols)};
}

/* x as a place from 0 to n - 1, or -1: as lh_place_of. */
__device__ static inline int whole(float x, int n) {
    return x >= 0 && x < (float)n && x == (float)(int)x ? (int)x : -1;
}

__device__ static inline float no_number() {
    return __int_as_float(0x7fc00000);
}

/* In the same order always: 0+16, 1+17, ..., then 0+8, ... */
__device__ static inline float warp_sum(float x) {
    for (int d = WARP / 2; d; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}

__device__ static inline float warp_max(float x) {
    for (int d = WARP / 2; d; d /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, d));
    return x;
}

static inline unsigned parts_of(long long n, long long of) {
    const long long k = (n + of - 1) / of;
    return (unsigned)(k < 1 ? 1 : k > MOST_X ? MOST_X : k);
}

/* A thread for each cell of a block that large. */
static inline dim3 grid_of(lh_gpu_sizes s, int examples) {
    return dim3(parts_of((long long)s.heads * s.rows * s.cols, THREADS),
                (unsigned)(examples < MOST_Y ? examples : MOST_Y));
}

/* A warp for each row of each head. */
static inline dim3 grid_of_rows(lh_gpu_sizes s, int examples) {
    return dim3(parts_of((long long)s.heads * s.rows, THREADS / WARP),
                (unsigned)(examples < MOST_Y ? examples : MOST_Y));
}

/* for every example e of the work, and cell i of its result, a block */
#define EACH_CELL(w, e, block, i)                                                                  \
    for (int e = (int)blockIdx.y; e < (w).examples; e += (int)gridDim.y)                           \
        for (const lh_gpu_block *block = block_of((w).out, e); block; block = nullptr)             \
            for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x,                   \
                           n_ = cells_of(block);                                                   \
                 i < n_; i += (long long)gridDim.x * blockDim.x)

/* for every example e, and row k (of all heads) of the block that a view has for it, by a warp */
#define EACH_ROW(examples, e, block, view, k)                                                      \
    for (int e = (int)blockIdx.y; e < (examples); e += (int)gridDim.y)                             \
        for (const lh_gpu_block *block = block_of(view, e); block; block = nullptr)                \
            for (long long k = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / WARP,          \
                           n_ = (long long)block->heads * block->rows;                             \
                 k < n_; k += (long long)gridDim.x * (blockDim.x / WARP))

#endif
