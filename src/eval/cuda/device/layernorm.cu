/* layernorm -- each row to mean 0 and deviation 1, and back: a warp for each row. The formulas are in eval/fast/layernorm.c. */
#include "eval/cuda/device/gpu_grid.h"

enum { X, GAIN, MOVE, EPSILON, DY };
enum { ACROSS = 32, DOWN = THREADS / ACROSS };

struct measured {
    float mean, share; /* 1 / deviation */
};

template <int N> __device__ static measured measure(const lh_gpu_block *x, int r, float eps) {
    const int first = N * (int)(threadIdx.x % WARP);
    float sum = 0, squared = 0;
    for (int c = first; c < x->cols; c += N * WARP) {
        const numbers<N> v = load_at<N>(x, 0, r, c);
        for (int i = 0; i < N; i++) sum += v.x[i];
    }
    const float mean = warp_sum(sum) / (float)x->cols;
    for (int c = first; c < x->cols; c += N * WARP) {
        const numbers<N> v = load_at<N>(x, 0, r, c);
        for (int i = 0; i < N; i++) squared += (v.x[i] - mean) * (v.x[i] - mean);
    }
    return {mean, 1.0f / sqrtf(warp_sum(squared) / (float)x->cols + eps)};
}

template <int N> __global__ void layernorm(lh_gpu_work w) {
    EACH_ROW(w.examples, e, x, w.in[X], k) {
        const int r = (int)k;
        const lh_gpu_block from = *x, y = *block_of(w.out, e), g = *w.in[GAIN].block, b = *w.in[MOVE].block;
        const measured m = measure<N>(&from, r, *w.in[EPSILON].block->p);
        for (int c = N * (int)(threadIdx.x % WARP); c < from.cols; c += N * WARP) {
            numbers<N> v = load_at<N>(&from, 0, r, c);
            const numbers<N> gain = load_at<N>(&g, 0, 0, c), move = load_at<N>(&b, 0, 0, c);
            for (int i = 0; i < N; i++) v.x[i] = (v.x[i] - m.mean) * m.share * gain.x[i] + move.x[i];
            store_at<N>(&y, 0, r, c, v);
        }
    }
}

extern "C" void lh_gpu_kernel_layernorm(const lh_gpu_work *w, void *stream) {
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, layernorm, grid_of_rows(w->most_in[X], w->examples), THREADS, stream, *w);
}

/* ---- the way back ---- */

/* scratch: mean and share of each row, [example][row] of the longest; behind them the parts of dg and db. */
__device__ static size_t row_number(const lh_gpu_work &w, int e, int r) {
    return (size_t)e * w.most_in[X].rows + r;
}

__device__ static int examples_of(const lh_gpu_work &w) {
    return w.in[X].step ? w.batch : 1;
}

template <int N> __device__ static void send_back(const lh_gpu_work &w, const lh_gpu_block *x, int e, int r, const measured &m) {
    const lh_gpu_block of_dy = *block_of(w.in[DY], e), of_g = *w.in[GAIN].block, of_dx = *block_of(w.outs[0], e);
    const lh_gpu_block *dy = &of_dy, *g = &of_g, *dx = &of_dx;
    const int first = N * (int)(threadIdx.x % WARP), cols = x->cols;
    float sum = 0, along = 0;
    for (int c = first; c < cols; c += N * WARP) {
        const numbers<N> v = load_at<N>(x, 0, r, c), d = load_at<N>(dy, 0, r, c), gain = load_at<N>(g, 0, 0, c);
        for (int i = 0; i < N; i++) {
            sum += d.x[i] * gain.x[i];
            along += d.x[i] * gain.x[i] * ((v.x[i] - m.mean) * m.share);
        }
    }
    sum = warp_sum(sum) / (float)cols, along = warp_sum(along) / (float)cols;
    for (int c = first; c < cols; c += N * WARP) {
        numbers<N> v = load_at<N>(x, 0, r, c);
        const numbers<N> d = load_at<N>(dy, 0, r, c), gain = load_at<N>(g, 0, 0, c);
        for (int i = 0; i < N; i++)
            v.x[i] = (d.x[i] * gain.x[i] - sum - (v.x[i] - m.mean) * m.share * along) * m.share;
        store_at<N>(dx, 0, r, c, v);
    }
}

template <int N> __global__ void layernorm_back(lh_gpu_work w) {
    EACH_ROW(examples_of(w), e, x, w.in[X], k) {
        const int r = (int)k;
        const lh_gpu_block from = *x; /* not read again after each store */
        const measured m = measure<N>(&from, r, *w.in[EPSILON].block->p);
        if (threadIdx.x % WARP == 0) {
            w.scratch[2 * row_number(w, e, r)] = m.mean;
            w.scratch[2 * row_number(w, e, r) + 1] = m.share;
        }
        if (w.outs[0].block) send_back<N>(w, &from, e, r, m);
    }
}

__device__ static float *parts_at(const lh_gpu_work &w) {
    return w.scratch + 2 * row_number(w, examples_of(w), 0);
}

/* Sums over all rows, for ACROSS times N columns: those of dg, and of db. */
template <int N> __global__ void gains_in_parts(lh_gpu_work w) {
    __shared__ float sum[2][DOWN][ACROSS][N];
    const int x = (int)threadIdx.x % ACROSS, line = (int)threadIdx.x / ACROSS, cols = w.in[X].block->cols,
              c = ((int)blockIdx.x * ACROSS + x) * N;
    numbers<N> gain = {}, move = {};
    for (int e = 0; e < examples_of(w) && c < cols; e++) {
        const lh_gpu_block b = *block_of(w.in[X], e), dy = *block_of(w.in[DY], e);
        UNROLLED_BY(2)
        for (int r = (int)blockIdx.y * DOWN + line; r < b.rows; r += (int)gridDim.y * DOWN) {
            const float *m = w.scratch + 2 * row_number(w, e, r);
            const numbers<N> v = load_at<N>(&b, 0, r, c), d = load_at<N>(&dy, 0, r, c);
            for (int i = 0; i < N; i++) gain.x[i] += d.x[i] * ((v.x[i] - m[0]) * m[1]), move.x[i] += d.x[i];
        }
    }
    for (int i = 0; i < N; i++) sum[0][line][x][i] = gain.x[i], sum[1][line][x][i] = move.x[i];
    __syncthreads();
    if (line || c >= cols) return;
    for (int k = 1; k < DOWN; k++)
        for (int i = 0; i < N; i++) gain.x[i] += sum[0][k][x][i], move.x[i] += sum[1][k][x][i];
    float *to = parts_at(w) + 2 * (size_t)blockIdx.y * cols;
    for (int i = 0; i < N; i++) to[c + i] = gain.x[i], to[cols + c + i] = move.x[i];
}

__global__ void add_gains(lh_gpu_work w, int parts) {
    const int cols = w.in[X].block->cols;
    for (int c = (int)(blockIdx.x * blockDim.x + threadIdx.x); c < cols; c += (int)(gridDim.x * blockDim.x))
        for (int i = 0; i < 2; i++) {
            if (!w.outs[i + 1].block) continue;
            float sum = 0;
            UNROLLED_BY(8)
            for (int part = 0; part < parts; part++) sum += parts_at(w)[(2 * (size_t)part + i) * cols + c];
            at(w.outs[i + 1].block, 0, 0, c) = sum;
        }
}

extern "C" void lh_gpu_kernel_layernorm_back(const lh_gpu_work *w, void *stream) {
    const int examples = w->in[X].step ? w->batch : 1, width = ACROSS * (w->is_wide ? 8 : 1);
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, layernorm_back, grid_of_rows(w->most_in[X], examples), THREADS, stream, *w);
    if (!w->outs[1].block && !w->outs[2].block) return;
    const unsigned parts = sum_parts((long long)w->most_in[X].rows * examples, DOWN);
    const dim3 grid((unsigned)((w->most_in[X].cols + width - 1) / width), parts);
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, gains_in_parts, grid, THREADS, stream, *w);
    LAUNCH(add_gains, dim3((unsigned)((w->most_in[X].cols + ACROSS - 1) / ACROSS)), ACROSS, 0, stream, *w, (int)parts);
}
