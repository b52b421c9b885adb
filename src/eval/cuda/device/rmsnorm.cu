/* rmsnorm -- each row to a mean square of 1, and back: a warp for each row of each head. The formulas are in eval/fast/rmsnorm.c. */
#include "eval/cuda/device/gpu_grid.h"

enum { X, GAIN, EPSILON, DY };
enum { ACROSS = 32, DOWN = THREADS / ACROSS };

/* 1 / deviation */
template <int N> __device__ static float measure(const lh_gpu_block *x, int h, int r, float eps) {
    float squared = 0;
    for (int c = N * (int)(threadIdx.x % WARP); c < x->cols; c += N * WARP) {
        const numbers<N> v = load_at<N>(x, h, r, c);
        for (int i = 0; i < N; i++) squared += v.x[i] * v.x[i];
    }
    return 1.0f / sqrtf(warp_sum(squared) / (float)x->cols + eps);
}

template <int N> __global__ void rmsnorm(lh_gpu_work w) {
    EACH_ROW(w.examples, e, x, w.in[X], k) {
        const int h = (int)(k % x->heads), r = (int)(k / x->heads);
        const lh_gpu_block from = *x, y = *block_of(w.out, e), g = *w.in[GAIN].block;
        const float share = measure<N>(&from, h, r, *w.in[EPSILON].block->p);
        for (int c = N * (int)(threadIdx.x % WARP); c < from.cols; c += N * WARP) {
            numbers<N> v = load_at<N>(&from, h, r, c);
            const numbers<N> gain = load_at<N>(&g, 0, 0, c);
            for (int i = 0; i < N; i++) v.x[i] = v.x[i] * share * gain.x[i];
            store_at<N>(&y, h, r, c, v);
        }
    }
}

extern "C" void lh_gpu_kernel_rmsnorm(const lh_gpu_work *w, void *stream) {
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, rmsnorm, grid_of_rows(w->most_in[X], w->examples), THREADS, stream, *w);
}

/* ---- the way back ---- */

__device__ static int examples_of(const lh_gpu_work &w) {
    return w.in[X].step ? w.batch : 1;
}

/* scratch: the share of each row, [example][row and head] of the longest; behind them the parts of dg. */
__device__ static size_t row_number(const lh_gpu_work &w, int e, long long k) {
    return (size_t)e * w.most_in[X].rows * w.most_in[X].heads + k;
}

template <int N> __device__ static void send_back(const lh_gpu_work &w, const lh_gpu_block *x, int e, int h, int r, float share) {
    const lh_gpu_block of_dy = *block_of(w.in[DY], e), of_g = *w.in[GAIN].block, of_dx = *block_of(w.outs[0], e);
    const lh_gpu_block *dy = &of_dy, *g = &of_g, *dx = &of_dx;
    const int first = N * (int)(threadIdx.x % WARP), cols = x->cols;
    float along = 0;
    for (int c = first; c < cols; c += N * WARP) {
        const numbers<N> v = load_at<N>(x, h, r, c), d = load_at<N>(dy, h, r, c), gain = load_at<N>(g, 0, 0, c);
        for (int i = 0; i < N; i++) along += d.x[i] * gain.x[i] * v.x[i] * share;
    }
    along = warp_sum(along) / (float)cols;
    for (int c = first; c < cols; c += N * WARP) {
        numbers<N> v = load_at<N>(x, h, r, c);
        const numbers<N> d = load_at<N>(dy, h, r, c), gain = load_at<N>(g, 0, 0, c);
        for (int i = 0; i < N; i++) v.x[i] = (d.x[i] * gain.x[i] - v.x[i] * share * along) * share;
        store_at<N>(dx, h, r, c, v);
    }
}

template <int N> __global__ void rmsnorm_back(lh_gpu_work w) {
    EACH_ROW(examples_of(w), e, x, w.in[X], k) {
        const int h = (int)(k % x->heads), r = (int)(k / x->heads);
        const lh_gpu_block from = *x; /* not read again after each store */
        const float share = measure<N>(&from, h, r, *w.in[EPSILON].block->p);
        if (threadIdx.x % WARP == 0) w.scratch[row_number(w, e, k)] = share;
        if (w.outs[0].block) send_back<N>(w, &from, e, h, r, share);
    }
}

template <int N> __global__ void gain_in_parts(lh_gpu_work w) {
    __shared__ float sum[DOWN][ACROSS][N];
    const int x = (int)threadIdx.x % ACROSS, line = (int)threadIdx.x / ACROSS, cols = w.in[X].block->cols,
              c = ((int)blockIdx.x * ACROSS + x) * N;
    numbers<N> gain = {};
    for (int e = 0; e < examples_of(w) && c < cols; e++) {
        const lh_gpu_block b = *block_of(w.in[X], e), dy = *block_of(w.in[DY], e);
        const long long rows = (long long)b.rows * b.heads;
        UNROLLED_BY(2)
        for (long long k = (int)blockIdx.y * DOWN + line; k < rows; k += gridDim.y * DOWN) {
            const int h = (int)(k % b.heads), r = (int)(k / b.heads);
            const float share = w.scratch[row_number(w, e, k)];
            const numbers<N> v = load_at<N>(&b, h, r, c), d = load_at<N>(&dy, h, r, c);
            for (int i = 0; i < N; i++) gain.x[i] += d.x[i] * v.x[i] * share;
        }
    }
    for (int i = 0; i < N; i++) sum[line][x][i] = gain.x[i];
    __syncthreads();
    if (line || c >= cols) return;
    for (int k = 1; k < DOWN; k++)
        for (int i = 0; i < N; i++) gain.x[i] += sum[k][x][i];
    float *to = w.scratch + row_number(w, examples_of(w), 0) + (size_t)blockIdx.y * cols;
    for (int i = 0; i < N; i++) to[c + i] = gain.x[i];
}

__global__ void add_gain(lh_gpu_work w, int parts_made) {
    const int cols = w.in[X].block->cols;
    const float *parts = w.scratch + row_number(w, examples_of(w), 0);
    for (int c = (int)(blockIdx.x * blockDim.x + threadIdx.x); c < cols; c += (int)(gridDim.x * blockDim.x)) {
        float sum = 0;
        UNROLLED_BY(8)
        for (int part = 0; part < parts_made; part++) sum += parts[(size_t)part * cols + c];
        at(w.outs[1].block, 0, 0, c) = sum;
    }
}

extern "C" void lh_gpu_kernel_rmsnorm_back(const lh_gpu_work *w, void *stream) {
    const int examples = w->in[X].step ? w->batch : 1, width = ACROSS * (w->is_wide ? 8 : 1);
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, rmsnorm_back, grid_of_rows(w->most_in[X], examples), THREADS, stream, *w);
    if (!w->outs[1].block) return;
    const unsigned parts = sum_parts((long long)w->most_in[X].rows * w->most_in[X].heads * examples, DOWN);
    const dim3 grid((unsigned)((w->most_in[X].cols + width - 1) / width), parts);
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, gain_in_parts, grid, THREADS, stream, *w);
    LAUNCH(add_gain, dim3((unsigned)((w->most_in[X].cols + ACROSS - 1) / ACROSS)), ACROSS, 0, stream, *w, (int)parts);
}
