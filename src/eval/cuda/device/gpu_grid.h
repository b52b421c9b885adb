/* gpu_grid -- what the kernels share: the address of a cell, how many threads are started, how a warp adds up.
 *
 * A work has a block for each example. In the grid, y is the example and x goes through the cells (or rows) of the largest one; both are grid-stride loops, so
 * that any grid can do any work. Cells are counted in the order of memory: columns, then heads, then rows.
 *
 * LAUNCH starts a kernel whose threads do not wait for each other, LAUNCH_TOGETHER one whose threads do. On a GPU they are the same, but
 * the emulation needs to know (tests/emulated/emulate.h).
 */
#ifndef LH_EVAL_CUDA_GPU_GRID_H
#define LH_EVAL_CUDA_GPU_GRID_H

#include "eval/cuda/gpu.h"

#ifdef LH_EMULATED
#include "emulate.h"
#else
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#define emulate_touch(p, bytes) ((void)0)
#define LAUNCH(kernel, grid, threads, shared, stream, ...)                                         \
    kernel<<<grid, threads, shared, (cudaStream_t)(stream)>>>(__VA_ARGS__)
#define LAUNCH_TOGETHER        LAUNCH
#define SHARED_MEMORY(type, x) extern __shared__ __align__(16) type x[]
#define AS_TEXT(x)             #x
#define UNROLLED_BY(n)         _Pragma(AS_TEXT(unroll n))
#define NOT_INLINED            __noinline__
#endif

#ifdef LH_EMULATED /* fibres are slow, and two warps are enough to see whether they cooperate */
enum { THREADS = 64 };
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

/* ---- 16-bit numbers ---- */

__device__ static inline float from_short(unsigned short bits) {
    return __uint_as_float((unsigned)bits << 16);
}

/* To the nearest, ties to even; what is not a number stays so. */
__device__ static inline unsigned short to_short(float x) {
    const unsigned bits = __float_as_uint(x);
    if (x != x) return 0x7fc0;
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* A cell of either type, read and written as a float. */
struct cell {
    void *p;
    bool is_short;
    __device__ operator float() const {
        return is_short ? from_short(*(const unsigned short *)p) : *(const float *)p;
    }
    __device__ float operator=(float x) const {
        if (is_short)
            *(unsigned short *)p = to_short(x);
        else
            *(float *)p = x;
        return x;
    }
    __device__ float operator=(const cell &other) const { return *this = (float)other; }
    __device__ float operator+=(float x) const { return *this = (float)*this + x; }
};

__device__ static inline cell cell_of(const lh_gpu_block *b, long long distance) {
    void *p = b->is_short ? (void *)((unsigned short *)b->p + distance) : (void *)(b->p + distance);
    emulate_touch(p, b->is_short ? 2 : 4);
    return {p, b->is_short};
}

__device__ static inline cell at(const lh_gpu_block *b, int h, int r, int c) {
    return cell_of(b, h * b->hs + r * b->rs + c * b->cs);
}

/* ---- N contiguous numbers, 1 or 8: the latter where lh_gpu_work.is_wide or .flat says so ---- */

template <int N> struct numbers { float x[N]; };

__device__ static inline numbers<8> eight_shorts(uint4 v) {
    const unsigned word[4] = {v.x, v.y, v.z, v.w};
    numbers<8> n;
    for (int i = 0; i < 8; i++)
        n.x[i] = __uint_as_float(i % 2 ? word[i / 2] & 0xffff0000u : word[i / 2] << 16);
    return n;
}

template <int N> __device__ static inline numbers<N> load(cell from) {
    numbers<N> n;
    emulate_touch(from.p, N * (from.is_short ? 2 : 4));
    if (N == 1) {
        n.x[0] = from;
    } else if (from.is_short) {
        const numbers<8> all = eight_shorts(*(const uint4 *)from.p);
        for (int i = 0; i < N; i++) n.x[i] = all.x[i];
    } else {
        const float4 a = ((const float4 *)from.p)[0], b = ((const float4 *)from.p)[1];
        const float all[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        for (int i = 0; i < N; i++) n.x[i] = all[i];
    }
    return n;
}

__device__ static inline unsigned two_shorts(float a, float b) {
#ifdef LH_EMULATED
    return (unsigned)to_short(a) | (unsigned)to_short(b) << 16;
#else
    const __nv_bfloat162 two = __floats2bfloat162_rn(a, b);
    return *(const unsigned *)&two;
#endif
}

template <int N> __device__ static inline void store(cell to, const numbers<N> &n) {
    emulate_touch(to.p, N * (to.is_short ? 2 : 4));
    if (N == 1) {
        to = n.x[0];
    } else if (to.is_short) {
        *(uint4 *)to.p = {two_shorts(n.x[0], n.x[N > 1]), two_shorts(n.x[2 % N], n.x[3 % N]),
                          two_shorts(n.x[4 % N], n.x[5 % N]), two_shorts(n.x[6 % N], n.x[7 % N])};
    } else {
        ((float4 *)to.p)[0] = {n.x[0], n.x[1 % N], n.x[2 % N], n.x[3 % N]};
        ((float4 *)to.p)[1] = {n.x[4 % N], n.x[5 % N], n.x[6 % N], n.x[7 % N]};
    }
}

template <int N>
__device__ static inline numbers<N> load_at(const lh_gpu_block *b, int h, int r, int c) {
    return load<N>(at(b, h, r, c));
}

template <int N>
__device__ static inline void store_at(const lh_gpu_block *b, int h, int r, int c,
                                       const numbers<N> &n) {
    store<N>(at(b, h, r, c), n);
}

template <int N> __device__ static inline numbers<N> plus(numbers<N> a, const numbers<N> &b) {
    for (int i = 0; i < N; i++) a.x[i] += b.x[i];
    return a;
}

__device__ static inline long long cells_of(const lh_gpu_block *b) {
    return (long long)b->heads * b->rows * b->cols;
}

/* Number i of a row of N-tuples: block k of a flat work; of one number alone, that. */
template <int N> __device__ static inline numbers<N> load_flat(const lh_gpu_block *b, long long i) {
    if (cells_of(b) != 1) return load<N>(cell_of(b, i));
    numbers<N> n;
    for (int k = 0; k < N; k++) n.x[k] = at(b, 0, 0, 0);
    return n;
}

__device__ static inline place place_of(const lh_gpu_block *b, long long i) {
    if (i < 0x7fffffff) { /* 32-bit division is much faster */
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

/* In how many parts a sum over so many rows is computed, `down` rows at a time: the same on every GPU. */
static inline unsigned sum_parts(long long rows, int down) {
    const long long k = rows / (2 * down);
    return (unsigned)(k < 1 ? 1 : k > LH_GPU_PARTS ? LH_GPU_PARTS : k);
}

/* A thread for each cell of a block of that size. */
static inline dim3 grid_of(lh_gpu_sizes s, int examples) {
    return dim3(parts_of((long long)s.heads * s.rows * s.cols, THREADS),
                (unsigned)(examples < MOST_Y ? examples : MOST_Y));
}

/* A thread for every eight numbers. */
static inline dim3 grid_of_eights(long long numbers) {
    return dim3(parts_of(numbers / 8, THREADS));
}

/* A warp for each row of each head. */
static inline dim3 grid_of_rows(lh_gpu_sizes s, int examples) {
    return dim3(parts_of((long long)s.heads * s.rows, THREADS / WARP),
                (unsigned)(examples < MOST_Y ? examples : MOST_Y));
}

/* Shared memory that a block of threads may have at most, in bytes: 227 KB on Hopper, 99 KB on some later GPUs. */
static inline size_t most_shared() {
#ifdef LH_EMULATED
    return emulate_most_shared();
#else
    static int most;
    int device = 0;
    if (!most && (cudaGetDevice(&device) != cudaSuccess ||
                  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
                      cudaSuccess))
        most = 48 << 10;
    return (size_t)most;
#endif
}

/* A block of threads may ask for more memory than is usual. */
static inline void allow_shared(const void *kernel, size_t bytes) {
#ifndef LH_EMULATED
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
#else
    (void)kernel, (void)bytes;
#endif
}

/* A launch with eight numbers at a time, or with one. */
#define LAUNCH_WIDE(is_wide, launch, kernel, grid, threads, stream, ...)                           \
    do {                                                                                           \
        if (is_wide)                                                                               \
            launch((kernel<8>), grid, threads, 0, stream, __VA_ARGS__);                            \
        else                                                                                       \
            launch((kernel<1>), grid, threads, 0, stream, __VA_ARGS__);                            \
    } while (0)

/* for every eight numbers of a flat work, from number i on */
#define EACH_EIGHT(w, i)                                                                           \
    for (long long i = 8 * (blockIdx.x * (long long)blockDim.x + threadIdx.x); i < (w).flat;       \
         i += 8 * (long long)gridDim.x * blockDim.x)

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
