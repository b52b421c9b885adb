/* layernorm -- each row to mean 0 and deviation 1, and its gradient: a warp for each row. The formulas are in eval/fast/layernorm.c. */
#include "eval/cuda/device/norm_rows.h"

enum { X, GAIN, MOVE, EPSILON, DY };

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

template <int G> __device__ static measured measure_row(const uint4 *x, int cols, float eps) {
    float sum = 0, squared = 0;
    EACH_EIGHT_OF(G, x, cols, v, c, g) for (int i = 0; i < 8; i++) sum += v.x[i];
    const float mean = warp_sum(sum) / (float)cols;
    EACH_EIGHT_OF(G, x, cols, v, c, g) for (int i = 0; i < 8; i++) squared += (v.x[i] - mean) * (v.x[i] - mean);
    return {mean, 1.0f / sqrtf(warp_sum(squared) / (float)cols + eps)};
}

template <int G> using rows_there = rows_ahead<G, 1>;

template <int G> __global__ void __launch_bounds__(THREADS, G <= 4 ? 3 : 2) layernorm_ahead(lh_gpu_work w) {
    SHARED_MEMORY(uint4, room);
    enum { STAGES = rows_there<G>::STAGES };
    const lh_gpu_block from = *w.in[X].block, y = *w.out.block, g_all = *w.in[GAIN].block, b_all = *w.in[MOVE].block;
    const rows_there<G> ahead(room);
    const float eps = *w.in[EPSILON].block->p;
    const int first = (int)(blockIdx.x * WARPS + threadIdx.x / WARP), step = (int)gridDim.x * WARPS;
    for (int k = 0; k < STAGES - 1; k++) ahead.fetch(k, 0, &from, first + k * step, first + k * step < from.rows), end_group();
    for (int r = first, stage = 0; r < from.rows; r += step, stage = (stage + 1) % STAGES) {
        const int next = r + (STAGES - 1) * step;
        ahead.fetch((stage + STAGES - 1) % STAGES, 0, &from, next, next < from.rows), end_group();
        wait_for_all_but<STAGES - 1>();
        const uint4 *x = ahead.row(stage, 0);
        const measured m = measure_row<G>(x, from.cols, eps);
        EACH_EIGHT_OF(G, x, from.cols, v, c, g) {
            const numbers<8> gain = load_at<8>(&g_all, 0, 0, c), move = load_at<8>(&b_all, 0, 0, c);
            for (int i = 0; i < 8; i++) v.x[i] = (v.x[i] - m.mean) * m.share * gain.x[i] + move.x[i];
            store_at<8>(&y, 0, r, c, v);
        }
    }
}

extern "C" void lh_gpu_kernel_layernorm(const lh_gpu_work *w, void *stream) {
#define LAUNCH_AHEAD(G) LAUNCH_ROWS(layernorm_ahead<G>, rows_there<G>::bytes, rows_at_once(w->most_in[X].rows), stream, *w)
    if (has_rows_ahead(w, 1u << X, 1)) {
        WITH_GROUPS(w->most_in[X].cols, LAUNCH_AHEAD)
        return;
    }
#undef LAUNCH_AHEAD
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, layernorm, grid_of_rows(w->most_in[X], w->examples), THREADS, stream, *w);
}

/* ---- backward ---- */

/* scratch: mean and share of each row, [example][row] of the longest; after these the parts of dg and db. */
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
        if (w.also.block) v = plus<N>(v, load_at<N>(block_of(w.also, e), 0, r, c));
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
    const int cols = w.in[X].block->cols, c = (int)blockIdx.x * ACROSS + (int)threadIdx.x % ACROSS;
    for (int i = 0; i < 2; i++) {
        if (!w.outs[i + 1].block) continue;
        const float sum = sum_of_parts(parts_at(w) + i * cols, parts, 2 * (size_t)cols, c, cols);
        if (threadIdx.x < ACROSS && c < cols) at(w.outs[i + 1].block, 0, 0, c) = sum;
    }
}

/* All of it at once, the sums of gains as well. */
template <int G> using rows_back = rows_ahead<G, 3>;

template <int G> __global__ void __launch_bounds__(THREADS, G <= 4 ? 2 : 1) layernorm_back_ahead(lh_gpu_work w) {
    SHARED_MEMORY(uint4, room);
    enum { STAGES = rows_back<G>::STAGES };
    const lh_gpu_block from = *w.in[X].block, of_dy = *w.in[DY].block, g_all = *w.in[GAIN].block, dx = *w.outs[0].block;
    const bool has_also = w.also.block != nullptr;
    const lh_gpu_block also = has_also ? *w.also.block : dx;
    const rows_back<G> ahead(room);
    const float eps = *w.in[EPSILON].block->p;
    const int cols = from.cols, first = (int)(blockIdx.x * WARPS + threadIdx.x / WARP), step = (int)gridDim.x * WARPS;
    float gains[G][8] = {}, moves[G][8] = {};
    const auto fetch = [&](int stage, int r) {
        ahead.fetch(stage, 0, &from, r, r < from.rows), ahead.fetch(stage, 1, &of_dy, r, r < from.rows);
        ahead.fetch(stage, 2, &also, r, has_also && r < from.rows), end_group();
    };
    for (int k = 0; k < STAGES - 1; k++) fetch(k, first + k * step);
    for (int r = first, stage = 0; r < from.rows; r += step, stage = (stage + 1) % STAGES) {
        fetch((stage + STAGES - 1) % STAGES, r + (STAGES - 1) * step);
        wait_for_all_but<STAGES - 1>();
        const uint4 *x = ahead.row(stage, 0), *dy = ahead.row(stage, 1), *add = ahead.row(stage, 2);
        const measured m = measure_row<G>(x, cols, eps);
        float sum = 0, along = 0;
        EACH_EIGHT_OF(G, x, cols, v, c, g) {
            const numbers<8> d = eight_shorts(dy[g * WARP]), gain = load_at<8>(&g_all, 0, 0, c);
            for (int i = 0; i < 8; i++) {
                const float normal = (v.x[i] - m.mean) * m.share;
                sum += d.x[i] * gain.x[i], along += d.x[i] * gain.x[i] * normal;
                gains[g][i] += d.x[i] * normal, moves[g][i] += d.x[i];
            }
        }
        sum = warp_sum(sum) / (float)cols, along = warp_sum(along) / (float)cols;
        EACH_EIGHT_OF(G, x, cols, v, c, g) {
            const numbers<8> d = eight_shorts(dy[g * WARP]), gain = load_at<8>(&g_all, 0, 0, c);
            for (int i = 0; i < 8; i++) v.x[i] = (d.x[i] * gain.x[i] - sum - (v.x[i] - m.mean) * m.share * along) * m.share;
            if (has_also) v = plus<8>(v, eight_shorts(add[g * WARP]));
            store_at<8>(&dx, 0, r, c, v);
        }
    }
    float *to = parts_at(w) + 2 * (size_t)blockIdx.x * cols;
    sum_of_warps<G>(gains, cols, to);
    sum_of_warps<G>(moves, cols, to + cols);
}

extern "C" void lh_gpu_kernel_layernorm_back(const lh_gpu_work *w, void *stream) {
    const int examples = w->in[X].step ? w->batch : 1, width = ACROSS * (w->is_wide ? 8 : 1);
    unsigned parts = sum_parts((long long)w->most_in[X].rows * examples, DOWN);
    const bool has_gains = w->outs[1].block || w->outs[2].block;
#define LAUNCH_AHEAD(G) LAUNCH_ROWS(layernorm_back_ahead<G>, rows_back<G>::bytes, parts, stream, *w)
    if (has_rows_ahead(w, 1u << X | 1u << DY | LH_GPU_SHORT_OUT, 3)) {
        parts = blocks_of_rows(w->most_in[X].rows);
        WITH_GROUPS(w->most_in[X].cols, LAUNCH_AHEAD)
    } else {
        const dim3 grid((unsigned)((w->most_in[X].cols + width - 1) / width), parts);
        LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, layernorm_back, grid_of_rows(w->most_in[X], examples), THREADS, stream, *w);
        if (has_gains) LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, gains_in_parts, grid, THREADS, stream, *w);
    }
#undef LAUNCH_AHEAD
    if (has_gains)
        LAUNCH_TOGETHER(add_gains, dim3((unsigned)((w->most_in[X].cols + ACROSS - 1) / ACROSS)), THREADS, 0, stream, *w, (int)parts);
}
