/* reduce -- many cells to one, always in the same order: the same bits from run to run.
 *
 * A row is read by a warp: lane i adds up cells i, i + 32, ..., then the lanes are added in pairs.
 */
#include "eval/cuda/device/gpu_grid.h"

struct in_row { /* the row of a block that a warp reads */
    const lh_gpu_block *b;
    int cols, h, r;
    __device__ float operator[](int c) const { return at(b, h, r, c); }
};

__device__ static in_row row_of(const lh_gpu_block *b, long long k) {
    const int h = (int)(k % b->heads), r = (int)(k / b->heads);
    return {b, b->cols, h, r};
}

__device__ static int lane() {
    return (int)(threadIdx.x % WARP);
}

__global__ void rowsum(lh_gpu_work w) {
    EACH_ROW(w.examples, e, x, w.in[0], k) {
        const in_row row = row_of(x, k);
        float sum = 0;
        for (int c = lane(); c < row.cols; c += WARP) sum += row[c];
        sum = warp_sum(sum);
        if (lane() == 0) at(block_of(w.out, e), row.h, row.r, 0) = sum;
    }
}

extern "C" void lh_gpu_rowsum(const lh_gpu_work *w, void *stream) {
    LAUNCH_TOGETHER(rowsum, grid_of_rows(w->most_in[0], w->examples), THREADS, 0, stream, *w);
}

/* As the definition: it begins with the first, and a number that is not larger changes nothing; so a nan counts only as the first. */
__global__ void rowmax(lh_gpu_work w) {
    EACH_ROW(w.examples, e, x, w.in[0], k) {
        const in_row row = row_of(x, k);
        float best = row[0];
        for (int c = lane(); c < row.cols; c += WARP)
            if (row[c] > best) best = row[c];
        if (best == best) best = warp_max(best);
        if (lane() == 0) at(block_of(w.out, e), row.h, row.r, 0) = best;
    }
}

extern "C" void lh_gpu_rowmax(const lh_gpu_work *w, void *stream) {
    LAUNCH_TOGETHER(rowmax, grid_of_rows(w->most_in[0], w->examples), THREADS, 0, stream, *w);
}

__global__ void argmax(lh_gpu_work w) {
    EACH_ROW(w.examples, e, x, w.in[0], k) {
        const in_row row = row_of(x, k);
        float best = row[0];
        int place = 0;
        for (int c = lane(); c < row.cols; c += WARP)
            if (row[c] > best) best = row[c], place = c;
        for (int d = WARP / 2; d; d /= 2) {
            const float other = __shfl_xor_sync(0xffffffffu, best, d);
            const int there = __shfl_xor_sync(0xffffffffu, place, d);
            if (other > best || (other == best && there < place)) best = other, place = there;
        }
        if (lane() == 0) at(block_of(w.out, e), row.h, row.r, 0) = (float)place;
    }
}

extern "C" void lh_gpu_argmax(const lh_gpu_work *w, void *stream) {
    LAUNCH_TOGETHER(argmax, grid_of_rows(w->most_in[0], w->examples), THREADS, 0, stream, *w);
}

/* A thread for each column; neighbours read neighbours. */
__global__ void colsum(lh_gpu_work w) {
    EACH_CELL(w, e, y, i) {
        const lh_gpu_block *x = block_of(w.in[0], e);
        const place k = place_of(y, i);
        float sum = 0;
        for (int r = 0; r < x->rows; r++) sum += at(x, k.h, r, k.c);
        at(y, k.h, 0, k.c) = sum;
    }
}

extern "C" void lh_gpu_colsum(const lh_gpu_work *w, void *stream) {
    LAUNCH(colsum, grid_of(w->most, w->examples), THREADS, 0, stream, *w);
}

/* The threads of a block add up one head; then their sums, by halves. */
__global__ void sum_of_head(lh_gpu_work w) {
    __shared__ float part[THREADS];
    for (int e = (int)blockIdx.y; e < w.examples; e += (int)gridDim.y) {
        const lh_gpu_block *x = block_of(w.in[0], e), *y = block_of(w.out, e);
        for (int h = (int)blockIdx.x; h < y->heads; h += (int)gridDim.x) {
            const long long cells = (long long)x->rows * x->cols;
            float own = 0;
            for (long long i = threadIdx.x; i < cells; i += THREADS)
                own += at(x, h, (int)(i / x->cols), (int)(i % x->cols));
            part[threadIdx.x] = own;
            for (int d = THREADS / 2; d; d /= 2) {
                __syncthreads();
                if ((int)threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
            }
            if (threadIdx.x == 0) at(y, h, 0, 0) = part[0];
            __syncthreads();
        }
    }
}

extern "C" void lh_gpu_sum(const lh_gpu_work *w, void *stream) {
    const dim3 grid(parts_of(w->most.heads, 1),
                    (unsigned)(w->examples < MOST_Y ? w->examples : MOST_Y));
    LAUNCH_TOGETHER(sum_of_head, grid, THREADS, 0, stream, *w);
}

__global__ void cumsum(lh_gpu_work w) {
    for (int e = (int)blockIdx.y; e < w.examples; e += (int)gridDim.y) {
        const lh_gpu_block *x = block_of(w.in[0], e), *y = block_of(w.out, e);
        const long long rows = (long long)y->heads * y->rows;
        for (long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x; k < rows;
             k += (long long)gridDim.x * blockDim.x) {
            const int h = (int)(k % y->heads), r = (int)(k / y->heads);
            float sum = 0;
            for (int c = 0; c < y->cols; c++) at(y, h, r, c) = sum += at(x, h, r, c);
        }
    }
}

extern "C" void lh_gpu_cumsum(const lh_gpu_work *w, void *stream) {
    LAUNCH(cumsum, grid_of(w->most, w->examples), THREADS, 0, stream, *w);
}

__global__ void headsum(lh_gpu_work w) {
    EACH_CELL(w, e, y, i) {
        const lh_gpu_block *x = block_of(w.in[0], e);
        const place k = place_of(y, i);
        const int some = x->heads / y->heads;
        float sum = 0;
        for (int h = 0; h < some; h++) sum += at(x, k.h * some + h, k.r, k.c);
        at(y, k.h, k.r, k.c) = sum;
    }
}

extern "C" void lh_gpu_headsum(const lh_gpu_work *w, void *stream) {
    LAUNCH(headsum, grid_of(w->most, w->examples), THREADS, 0, stream, *w);
}

/* ---- across examples ---- */

__device__ static float sum_of_examples(const lh_gpu_work &w, place k) {
    float sum = 0;
    for (int e = 0; e < w.batch; e++) sum += at(block_of(w.in[0], e), k.h, k.r, k.c);
    return sum;
}

__global__ void total(lh_gpu_work w) {
    EACH_CELL(w, e, y, i) {
        const place k = place_of(y, i);
        const bool is_one = !w.in[0].step; /* a value that all examples have */
        at(y, k.h, k.r, k.c) = is_one ? at(w.in[0].block, k.h, k.r, k.c) * (float)w.moment->of
                                       : sum_of_examples(w, k);
    }
}

extern "C" void lh_gpu_total(const lh_gpu_work *w, void *stream) {
    LAUNCH(total, grid_of(w->most, 1), THREADS, 0, stream, *w);
}

__global__ void average(lh_gpu_work w) {
    EACH_CELL(w, e, y, i) {
        const place k = place_of(y, i);
        const bool is_one = !w.in[0].step;
        at(y, k.h, k.r, k.c) = is_one ? at(w.in[0].block, k.h, k.r, k.c)
                                       : sum_of_examples(w, k) / (float)w.moment->of;
    }
}

extern "C" void lh_gpu_average(const lh_gpu_work *w, void *stream) {
    LAUNCH(average, grid_of(w->most, 1), THREADS, 0, stream, *w);
}
