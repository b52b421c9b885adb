/* norm_rows -- rows of bf16 for norms: a warp has a row at a time, with eight of each 256 columns to a lane, while the next rows are being fetched into shared memory. Also sums
 * over all rows, for gains.
 *
 *     rows_ahead<3, 1> ahead(room);                         up to 768 columns of 1 matrix, STAGES rows on their way or here
 *     ahead.fetch(stage, 0, &block, r, r < rows);           ...
 *     EACH_EIGHT_OF(3, ahead.row(stage, 0), cols, v, c, g)  numbers<8> v from column c on, group g
 */
#ifndef LH_EVAL_CUDA_NORM_ROWS_H
#define LH_EVAL_CUDA_NORM_ROWS_H

#include "eval/cuda/device/tensor.h"

enum { GROUP = 8 * WARP, MOST_GROUPS = 8, WARPS = THREADS / WARP };

/* Rows on their way or here: of one matrix alone there is room for more. */
constexpr int stages_of(int kinds, int groups) {
    return kinds == 1 && groups <= 4 ? 4 : 2;
}

/* A lane reads only what it has fetched itself: no lane waits for another. */
template <int G, int KINDS> struct rows_ahead {
    enum { STAGES = stages_of(KINDS, G) };
    uint4 *own;
    __device__ explicit rows_ahead(uint4 *room)
        : own(room + threadIdx.x / WARP * (STAGES * KINDS * G * WARP) + threadIdx.x % WARP) {}
    __device__ uint4 *row(int stage, int kind) const {
        return own + (stage * KINDS + kind) * (G * WARP);
    }
    __device__ void fetch(int stage, int kind, const lh_gpu_block *b, int r, bool is_there) const {
        uint4 *to = row(stage, kind);
        UNROLLED_BY(8)
        for (int g = 0; g < G; g++) {
            const int c = g * GROUP + 8 * (int)(threadIdx.x % WARP);
            if (is_there && c < b->cols)
                copy_ahead((bits16 *)(to + g * WARP), at(b, 0, r, c).p, true);
        }
    }
    static constexpr size_t bytes = (size_t)WARPS * STAGES * KINDS * G * WARP * sizeof(uint4);
};

#define EACH_EIGHT_OF(G, row, n_cols, v, c, g)                                                     \
    UNROLLED_BY(8)                                                                                 \
    for (int g = 0, c = 8 * (int)(threadIdx.x % WARP); g < (G) && c < (n_cols); g++, c += GROUP)   \
        for (numbers<8> v = eight_shorts((row)[g * WARP]), *once_ = &v; once_; once_ = nullptr)

/* ---- sums over rows ---- */

/* A warp has sums of all columns; those of all warps of this thread block, in their order, to to[column]. */
template <int G>
__device__ static void sum_of_warps(const float (&own)[G][8], int cols, float *to) {
    __shared__ float room[WARPS][GROUP];
    UNROLLED_BY(8)
    for (int g = 0; g < G; g++) {
        __syncthreads();
        for (int i = 0; i < 8; i++)
            room[threadIdx.x / WARP][8 * (threadIdx.x % WARP) + i] = own[g][i];
        __syncthreads();
        for (int i = (int)threadIdx.x; i < GROUP && g * GROUP + i < cols; i += THREADS) {
            float sum = 0;
            for (int k = 0; k < WARPS; k++) sum += room[k][i];
            to[g * GROUP + i] = sum;
        }
    }
}

/* How many thread blocks share so many rows: fixed, so that sums are the same on every GPU. */
static inline unsigned blocks_of_rows(long long rows) {
    const long long k = (rows + WARPS - 1) / WARPS;
    return (unsigned)(k < 1 ? 1 : k < LH_GPU_PARTS ? k : LH_GPU_PARTS);
}

enum { ACROSS = 32, DOWN = THREADS / ACROSS };

/* to[column] = the sum of from[part][column], ACROSS columns to a thread block: DOWN lines of threads share the parts. For all threads of a block. */
__device__ static inline float sum_of_parts(const float *from, int parts, size_t apart, int c,
                                            int cols) {
    __shared__ float room[DOWN][ACROSS];
    const int x = (int)threadIdx.x % ACROSS, line = (int)threadIdx.x / ACROSS;
    float sum = 0;
    if (c < cols) {
        UNROLLED_BY(8)
        for (int i = line; i < parts; i += DOWN) sum += from[(size_t)i * apart + c];
    }
    __syncthreads();
    room[line][x] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < DOWN; k++) sum += room[k][x];
    return sum;
}

/* As many as so many columns need; there are kernels for 1 to 4, 6 and 8. */
static inline int groups_of(int cols) {
    const int g = (cols + GROUP - 1) / GROUP;
    return g < 1 ? 1 : g <= 4 ? g : g <= 6 ? 6 : 8;
}

/* Runs launch with as many groups as so many columns need. */
#define WITH_GROUPS(cols, launch)                                                                  \
    switch (groups_of(cols)) {                                                                     \
    case 1: launch(1); break;                                                                      \
    case 2: launch(2); break;                                                                      \
    case 3: launch(3); break;                                                                      \
    case 4: launch(4); break;                                                                      \
    case 6: launch(6); break;                                                                      \
    default: launch(8);                                                                            \
    }

/* One block of rows without heads, all that is named in bf16 (see lh_gpu_work.shorts), and shared memory for rows of so many matrices. */
static inline bool has_rows_ahead(const lh_gpu_work *w, unsigned shorts, int kinds) {
    const int groups = groups_of(w->most_in[0].cols);
    const size_t bytes =
        (size_t)WARPS * stages_of(kinds, groups) * kinds * groups * WARP * sizeof(uint4);
    return w->is_wide && !w->in[0].step && w->most_in[0].heads == 1 &&
           (w->shorts & shorts) == shorts && w->most_in[0].cols <= MOST_GROUPS * GROUP &&
           bytes + sizeof(float) * WARPS * GROUP <= most_shared();
}

/* Thread blocks for rows without sums over them: enough to fill a GPU. */
static inline unsigned rows_at_once(int rows) {
    const unsigned k = ((unsigned)rows + WARPS - 1) / WARPS;
    return k < 1 ? 1 : k < 528 ? k : 528;
}

#define LAUNCH_ROWS(kernel, bytes, blocks, stream, ...)                                            \
    do {                                                                                           \
        allow_shared((const void *)(kernel), bytes);                                               \
        LAUNCH_TOGETHER((kernel), dim3(blocks), THREADS, bytes, stream, __VA_ARGS__);              \
    } while (0)

#endif
