/* rmsnorm -- each row to a mean square of 1, and its gradient: a warp for each row of each head. The formulas are in eval/fast/rmsnorm.c. */
#include "eval/cuda/device/norm_rows.h"

enum { X, GAIN, EPSILON, DY };

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

template <int G> __device__ static float measure_row(const uint4 *x, int cols, float eps) {
    float squared = 0;
    EACH_EIGHT_OF(G, x, cols, v, c, g) for (int i = 0; i < 8; i++) squared += v.x[i] * v.x[i];
    return 1.0f / sqrtf(warp_sum(squared) / (float)cols + eps);
}

template <int G> using rows_there = rows_ahead<G, 1>;

template <int G> __global__ void __launch_bounds__(THREADS, G <= 4 ? 3 : 2) rmsnorm_ahead(lh_gpu_work w) {
    SHARED_MEMORY(uint4, room);
    enum { STAGES = rows_there<G>::STAGES };
    const lh_gpu_block from = *w.in[X].block, y = *w.out.block, g_all = *w.in[GAIN].block;
    const rows_there<G> ahead(room);
    const float eps = *w.in[EPSILON].block->p;
    const int first = (int)(blockIdx.x * WARPS + threadIdx.x / WARP), step = (int)gridDim.x * WARPS;
    for (int k = 0; k < STAGES - 1; k++) ahead.fetch(k, 0, &from, first + k * step, first + k * step < from.rows), end_group();
    for (int r = first, stage = 0; r < from.rows; r += step, stage = (stage + 1) % STAGES) {
        const int next = r + (STAGES - 1) * step;
        ahead.fetch((stage + STAGES - 1) % STAGES, 0, &from, next, next < from.rows), end_group();
        wait_for_all_but<STAGES - 1>();
        const uint4 *x = ahead.row(stage, 0);
        const float share = measure_row<G>(x, from.cols, eps);
        EACH_EIGHT_OF(G, x, from.cols, v, c, g) {
            const numbers<8> gain = load_at<8>(&g_all, 0, 0, c);
            for (int i = 0; i < 8; i++) v.x[i] = v.x[i] * share * gain.x[i];
            store_at<8>(&y, 0, r, c, v);
        }
    }
}

extern "C" void lh_gpu_kernel_rmsnorm(const lh_gpu_work *w, void *stream) {
#define LAUNCH_AHEAD(G) LAUNCH_ROWS(rmsnorm_ahead<G>, rows_there<G>::bytes, rows_at_once(w->most_in[X].rows), stream, *w)
    if (has_rows_ahead(w, 1u << X, 1)) {
        WITH_GROUPS(w->most_in[X].cols, LAUNCH_AHEAD)
        return;
    }
#undef LAUNCH_AHEAD
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, rmsnorm, grid_of_rows(w->most_in[X], w->examples), THREADS, stream, *w);
}

/* ---- backward ---- */

__device__ static int examples_of(const lh_gpu_work &w) {
    return w.in[X].step ? w.batch : 1;
}

/* scratch: the share of each row, [example][row and head] of the longest; after these the parts of dg. */
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
        if (w.also.block) v = plus<N>(v, load_at<N>(block_of(w.also, e), h, r, c));
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

__device__ static float *parts_at(const lh_gpu_work &w) {
    return w.scratch + row_number(w, examples_of(w), 0);
}

__global__ void add_gain(lh_gpu_work w, int parts) {
    const int cols = w.in[X].block->cols, c = (int)blockIdx.x * ACROSS + (int)threadIdx.x % ACROSS;
    const float sum = sum_of_parts(parts_at(w), parts, (size_t)cols, c, cols);
    if (threadIdx.x < ACROSS && c < cols) at(w.outs[1].block, 0, 0, c) = sum;
}

/* All of it at once, the sums of gains as well. */
template <int G> using rows_back = rows_ahead<G, 3>;

template <int G> __global__ void __launch_bounds__(THREADS, G <= 4 ? 2 : 1) rmsnorm_back_ahead(lh_gpu_work w) {
    SHARED_MEMORY(uint4, room);
    enum { STAGES = rows_back<G>::STAGES };
    const lh_gpu_block from = *w.in[X].block, of_dy = *w.in[DY].block, g_all = *w.in[GAIN].block, dx = *w.outs[0].block;
    const bool has_also = w.also.block != nullptr;
    const lh_gpu_block also = has_also ? *w.also.block : dx;
    const rows_back<G> ahead(room);
    const float eps = *w.in[EPSILON].block->p;
    const int cols = from.cols, first = (int)(blockIdx.x * WARPS + threadIdx.x / WARP), step = (int)gridDim.x * WARPS;
    float gains[G][8] = {};
    const auto fetch = [&](int stage, int r) {
        ahead.fetch(stage, 0, &from, r, r < from.rows), ahead.fetch(stage, 1, &of_dy, r, r < from.rows);
        ahead.fetch(stage, 2, &also, r, has_also && r < from.rows), end_group();
    };
    for (int k = 0; k < STAGES - 1; k++) fetch(k, first + k * step);
    for (int r = first, stage = 0; r < from.rows; r += step, stage = (stage + 1) % STAGES) {
        fetch((stage + STAGES - 1) % STAGES, r + (STAGES - 1) * step);
        wait_for_all_but<STAGES - 1>();
        const uint4 *x = ahead.row(stage, 0), *dy = ahead.row(stage, 1), *add = ahead.row(stage, 2);
        const float share = measure_row<G>(x, cols, eps);
        float along = 0;
        EACH_EIGHT_OF(G, x, cols, v, c, g) {
            const numbers<8> d = eight_shorts(dy[g * WARP]), gain = load_at<8>(&g_all, 0, 0, c);
            for (int i = 0; i < 8; i++) {
                along += d.x[i] * gain.x[i] * v.x[i] * share;
                gains[g][i] += d.x[i] * v.x[i] * share;
            }
        }
        along = warp_sum(along) / (float)cols;
        EACH_EIGHT_OF(G, x, cols, v, c, g) {
            const numbers<8> d = eight_shorts(dy[g * WARP]), gain = load_at<8>(&g_all, 0, 0, c);
            for (int i = 0; i < 8; i++) v.x[i] = (d.x[i] * gain.x[i] - v.x[i] * share * along) * share;
            if (has_also) v = plus<8>(v, eight_shorts(add[g * WARP]));
            store_at<8>(&dx, 0, r, c, v);
        }
    }
    sum_of_warps<G>(gains, cols, parts_at(w) + (size_t)blockIdx.x * cols);
}

extern "C" void lh_gpu_kernel_rmsnorm_back(const lh_gpu_work *w, void *stream) {
    const int examples = w->in[X].step ? w->batch : 1, width = ACROSS * (w->is_wide ? 8 : 1);
    unsigned parts = sum_parts((long long)w->most_in[X].rows * w->most_in[X].heads * examples, DOWN);
#define LAUNCH_AHEAD(G) LAUNCH_ROWS(rmsnorm_back_ahead<G>, rows_back<G>::bytes, parts, stream, *w)
    if (has_rows_ahead(w, 1u << X | 1u << DY | LH_GPU_SHORT_OUT, 3)) {
        parts = blocks_of_rows(w->most_in[X].rows);
        WITH_GROUPS(w->most_in[X].cols, LAUNCH_AHEAD)
    } else {
        const dim3 grid((unsigned)((w->most_in[X].cols + width - 1) / width), parts);
        LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, rmsnorm_back, grid_of_rows(w->most_in[X], examples), THREADS, stream, *w);
        if (w->outs[1].block) LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, gain_in_parts, grid, THREADS, stream, *w);
    }
#undef LAUNCH_AHEAD
    if (w->outs[1].block)
        LAUNCH_TOGETHER(add_gain, dim3((unsigned)((w->most_in[X].cols + ACROSS - 1) / ACROSS)), THREADS, 0, stream, *w, (int)parts);
}
