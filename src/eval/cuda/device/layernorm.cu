/* layernorm -- each row to mean 0 and deviation 1, and back: a warp for each row. The formulas are in eval/fast/layernorm.c. */
#include "eval/cuda/device/gpu_grid.h"

enum { X, GAIN, MOVE, EPSILON, DY };
enum { ACROSS = 32, DOWN = THREADS / ACROSS, PARTS = 32 };

struct measured {
    float mean, share; /* 1 / deviation */
};

__device__ static measured measure(const float *x, long long cs, int cols, float eps) {
    const int lane = (int)(threadIdx.x % WARP);
    float sum = 0, squared = 0;
    for (int c = lane; c < cols; c += WARP) sum += x[c * cs];
    const float mean = warp_sum(sum) / (float)cols;
    for (int c = lane; c < cols; c += WARP) squared += (x[c * cs] - mean) * (x[c * cs] - mean);
    return {mean, 1.0f / sqrtf(warp_sum(squared) / (float)cols + eps)};
}

__global__ void layernorm(lh_gpu_work w) {
    EACH_ROW(w.examples, e, x, w.in[X], k) {
        const int r = (int)k, lane = (int)(threadIdx.x % WARP);
        const lh_gpu_block *y = block_of(w.out, e), *g = w.in[GAIN].block, *b = w.in[MOVE].block;
        const measured m = measure(at(x, 0, r, 0), x->cs, x->cols, *w.in[EPSILON].block->p);
        for (int c = lane; c < x->cols; c += WARP)
            *at(y, 0, r, c) = (*at(x, 0, r, c) - m.mean) * m.share * *at(g, 0, 0, c) + *at(b, 0, 0, c);
    }
}

extern "C" void lh_gpu_kernel_layernorm(const lh_gpu_work *w, void *stream) {
    LAUNCH_TOGETHER(layernorm, grid_of_rows(w->most_in[X], w->examples), THREADS, 0, stream, *w);
}

/* ---- the way back ---- */

/* scratch: mean and share of each row, [example][row] of the longest; behind them the parts of dg and db. */
__device__ static size_t row_number(const lh_gpu_work &w, int e, int r) {
    return (size_t)e * w.most_in[X].rows + r;
}

__device__ static int examples_of(const lh_gpu_work &w) {
    return w.in[X].step ? w.batch : 1;
}

__global__ void layernorm_back(lh_gpu_work w) {
    EACH_ROW(examples_of(w), e, x, w.in[X], k) {
        const int r = (int)k, lane = (int)(threadIdx.x % WARP), cols = x->cols;
        const lh_gpu_block *dy = block_of(w.in[DY], e), *g = w.in[GAIN].block;
        const measured m = measure(at(x, 0, r, 0), x->cs, cols, *w.in[EPSILON].block->p);
        float sum = 0, along = 0;
        for (int c = lane; c < cols; c += WARP) {
            const float d = *at(dy, 0, r, c) * *at(g, 0, 0, c);
            sum += d, along += d * ((*at(x, 0, r, c) - m.mean) * m.share);
        }
        sum = warp_sum(sum) / (float)cols, along = warp_sum(along) / (float)cols;
        if (lane == 0) {
            w.scratch[2 * row_number(w, e, r)] = m.mean;
            w.scratch[2 * row_number(w, e, r) + 1] = m.share;
        }
        if (!w.outs[0].block) continue;
        const lh_gpu_block *dx = block_of(w.outs[0], e);
        for (int c = lane; c < cols; c += WARP) {
            const float n = (*at(x, 0, r, c) - m.mean) * m.share;
            *at(dx, 0, r, c) = (*at(dy, 0, r, c) * *at(g, 0, 0, c) - sum - n * along) * m.share;
        }
    }
}

__device__ static float *parts_at(const lh_gpu_work &w) {
    return w.scratch + 2 * row_number(w, examples_of(w), 0);
}

/* Sums over all rows, for ACROSS columns: those of dg, and of db. */
__global__ void gains_in_parts(lh_gpu_work w) {
    __shared__ float sum[2][DOWN][ACROSS];
    const int x = (int)threadIdx.x % ACROSS, line = (int)threadIdx.x / ACROSS, cols = w.in[X].block->cols,
              c = (int)blockIdx.x * ACROSS + x;
    float gain = 0, move = 0;
    for (int e = 0; e < examples_of(w) && c < cols; e++) {
        const lh_gpu_block *b = block_of(w.in[X], e), *dy = block_of(w.in[DY], e);
        for (int r = (int)blockIdx.y * DOWN + line; r < b->rows; r += PARTS * DOWN) {
            const float *m = w.scratch + 2 * row_number(w, e, r), d = *at(dy, 0, r, c);
            gain += d * ((*at(b, 0, r, c) - m[0]) * m[1]), move += d;
        }
    }
    sum[0][line][x] = gain, sum[1][line][x] = move;
    __syncthreads();
    for (int i = 1; i < DOWN && line == 0; i++) gain += sum[0][i][x], move += sum[1][i][x];
    float *to = parts_at(w) + 2 * (size_t)blockIdx.y * cols;
    if (line == 0 && c < cols) to[c] = gain, to[cols + c] = move;
}

__global__ void add_gains(lh_gpu_work w) {
    const int cols = w.in[X].block->cols;
    for (int c = (int)(blockIdx.x * blockDim.x + threadIdx.x); c < cols; c += (int)(gridDim.x * blockDim.x))
        for (int i = 0; i < 2; i++) {
            if (!w.outs[i + 1].block) continue;
            float sum = 0;
            for (int part = 0; part < PARTS; part++) sum += parts_at(w)[(2 * (size_t)part + i) * cols + c];
            *at(w.outs[i + 1].block, 0, 0, c) = sum;
        }
}

extern "C" void lh_gpu_kernel_layernorm_back(const lh_gpu_work *w, void *stream) {
    const int examples = w->in[X].step ? w->batch : 1;
    const unsigned across = (unsigned)((w->most_in[X].cols + ACROSS - 1) / ACROSS);
    LAUNCH_TOGETHER(layernorm_back, grid_of_rows(w->most_in[X], examples), THREADS, 0, stream, *w);
    if (!w->outs[1].block && !w->outs[2].block) return;
    LAUNCH_TOGETHER(gains_in_parts, dim3(across, PARTS), THREADS, 0, stream, *w);
    LAUNCH(add_gains, dim3(across), ACROSS, 0, stream, *w);
}
