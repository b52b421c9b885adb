/* summed -- sums over examples that never exist one by one: total(A @ B), total(colsum(X)), total(addrows(d, t, n)).
 *
 * Rows are added in a fixed number of parts, each in its order, then the parts in theirs: the same bits from run to run.
 */
#include "eval/cuda/device/gpu_grid.h"

enum { ACROSS = 32, DOWN = THREADS / ACROSS };

/* ---- total(A @ B), average(A @ B): by a library where it can; here where matrices lie in other ways ---- */

__global__ void summed_product(lh_gpu_work w) {
    const lh_gpu_block *y = w.out.block;
    const long long cells = (long long)y->rows * y->cols;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < cells;
         i += (long long)gridDim.x * blockDim.x) {
        const int r = (int)(i / y->cols), c = (int)(i % y->cols);
        float sum = 0;
        for (int e = 0; e < w.batch; e++) {
            const lh_gpu_block *a = block_of(w.in[0], e), *b = block_of(w.in[1], e);
            for (int k = 0; k < a->cols; k++) sum += at(a, 0, r, k) * at(b, 0, k, c);
        }
        at(y, 0, r, c) = w.form ? sum / (float)w.moment->of : sum;
    }
}

extern "C" void lh_gpu_kernel_summed(const lh_gpu_work *w, void *stream) {
    LAUNCH(summed_product, grid_of(w->most, 1), THREADS, 0, stream, *w);
}

/* ---- total(colsum(X)) ---- */

/* scratch[part][column]. A part has every so many examples or, where there are fewer of these than parts, some rows of one; DOWN lines of threads share its rows. */
template <int N> __global__ void columns_in_parts(lh_gpu_work w) {
    __shared__ float sum[DOWN][ACROSS][N];
    const int x = (int)threadIdx.x % ACROSS, line = (int)threadIdx.x / ACROSS, cols = w.out.block->cols,
              c = ((int)blockIdx.x * ACROSS + x) * N;
    const int parts = (int)gridDim.y, of_one = parts > w.batch ? parts / w.batch : 1, part = (int)blockIdx.y;
    numbers<N> own = {};
    for (int e = part / of_one; e < w.batch && c < cols; e += parts / of_one) {
        const lh_gpu_block b = *block_of(w.in[0], e);
        UNROLLED_BY(4)
        for (int r = part % of_one * DOWN + line; r < b.rows; r += of_one * DOWN) {
            const numbers<N> v = load_at<N>(&b, 0, r, c);
            for (int i = 0; i < N; i++) own.x[i] += v.x[i];
        }
    }
    for (int i = 0; i < N; i++) sum[line][x][i] = own.x[i];
    __syncthreads();
    if (line || c >= cols) return;
    for (int k = 1; k < DOWN; k++)
        for (int i = 0; i < N; i++) own.x[i] += sum[k][x][i];
    for (int i = 0; i < N; i++) w.scratch[(size_t)blockIdx.y * cols + c + i] = own.x[i];
}

__global__ void add_parts(lh_gpu_work w, int parts) {
    const lh_gpu_block *y = w.out.block;
    for (int c = (int)(blockIdx.x * blockDim.x + threadIdx.x); c < y->cols; c += (int)(gridDim.x * blockDim.x)) {
        float sum = 0;
        UNROLLED_BY(8)
        for (int i = 0; i < parts; i++) sum += w.scratch[(size_t)i * y->cols + c];
        at(y, 0, 0, c) = sum;
    }
}

extern "C" void lh_gpu_kernel_columns(const lh_gpu_work *w, void *stream) {
    const int width = ACROSS * (w->is_wide ? 8 : 1);
    const unsigned parts = sum_parts((long long)w->most_in[0].rows * w->batch, DOWN);
    const dim3 grid((unsigned)((w->most.cols + width - 1) / width), parts);
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, columns_in_parts, grid, THREADS, stream, *w);
    LAUNCH(add_parts, dim3(parts_of(w->most.cols, ACROSS)), ACROSS, 0, stream, *w, (int)parts);
}

/* ---- total(addrows(d, t, n)) ---- */

/* A block of threads has some rows of the result, in shared memory. It goes through all numbers, THREADS at a time, sees which are its own, and adds
 * these rows in their order; each thread has columns of its own. A number that is none makes all of the result no number, as in the definition. */
__global__ void scatter(lh_gpu_work w, int rows) {
    SHARED_MEMORY(float, sum);
    __shared__ unsigned hit[THREADS / WARP], lost[THREADS / WARP];
    __shared__ int of[THREADS];
    const lh_gpu_block *y = w.out.block;
    const int first = (int)blockIdx.x * rows, cols = y->cols;
    bool is_lost = false;
    for (int i = (int)threadIdx.x; i < rows * cols; i += THREADS) sum[i] = 0;
    __syncthreads();
    for (int e = 0; e < w.batch; e++) {
        const lh_gpu_block *d = block_of(w.in[0], e), *t = block_of(w.in[1], e);
        for (int from = 0; from < d->rows; from += THREADS) {
            const int r = from + (int)threadIdx.x;
            const int k = r < d->rows ? whole(at(t, 0, r, 0), y->rows) : -2;
            const unsigned own = __ballot_sync(0xffffffffu, k >= first && k < first + rows),
                           none = __ballot_sync(0xffffffffu, k == -1);
            of[threadIdx.x] = k - first;
            if (threadIdx.x % WARP == 0) hit[threadIdx.x / WARP] = own, lost[threadIdx.x / WARP] = none;
            __syncthreads();
            for (int i = 0; i < THREADS / WARP; i++) {
                is_lost |= lost[i] != 0;
                for (unsigned bits = hit[i]; bits; bits &= bits - 1) {
                    const int which = i * WARP + __ffs(bits) - 1;
                    float *to = sum + of[which] * cols;
                    for (int c = (int)threadIdx.x; c < cols; c += THREADS) to[c] += at(d, 0, from + which, c);
                }
            }
            __syncthreads();
        }
    }
    for (int i = (int)threadIdx.x; i < rows * cols && first + i / cols < y->rows; i += THREADS)
        at(y, 0, first + i / cols, i % cols) = is_lost ? no_number() : sum[i];
}

/* As many rows as fit, but so few that all of the GPU has work. */
extern "C" void lh_gpu_kernel_scatter(const lh_gpu_work *w, void *stream) {
    enum { ROOM = 96 << 10, BLOCKS = 264 };
    const int fit = ROOM / (int)sizeof(float) / w->most.cols, few = (w->most.rows + BLOCKS - 1) / BLOCKS;
    const int rows = fit < 1 ? 1 : fit < few ? fit : few;
    const size_t bytes = (size_t)rows * w->most.cols * sizeof(float);
    allow_shared((const void *)scatter, bytes);
    LAUNCH_TOGETHER(scatter, dim3((unsigned)((w->most.rows + rows - 1) / rows)), THREADS, bytes, stream, *w, rows);
}
