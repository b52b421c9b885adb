/* summed -- sums over examples that never exist one by one: total(A @ B), total(colsum(X)), total(addrows(d, t, n)).
 *
 * Rows are added in a fixed number of parts, in order within each part, and then the parts in order: the same bits in every run.
 */
#include "eval/cuda/device/norm_rows.h"

/* ---- total(A @ B), average(A @ B): by a library where possible; here for other layouts ---- */

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
    const int c = (int)blockIdx.x * ACROSS + (int)threadIdx.x % ACROSS;
    const float sum = sum_of_parts(w.scratch, parts, (size_t)y->cols, c, y->cols);
    if (threadIdx.x < ACROSS && c < y->cols) at(y, 0, 0, c) = sum;
}

extern "C" void lh_gpu_kernel_columns(const lh_gpu_work *w, void *stream) {
    const int width = ACROSS * (w->is_wide ? 8 : 1);
    const unsigned parts = sum_parts((long long)w->most_in[0].rows * w->batch, DOWN);
    const dim3 grid((unsigned)((w->most.cols + width - 1) / width), parts);
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, columns_in_parts, grid, THREADS, stream, *w);
    LAUNCH_TOGETHER(add_parts, dim3((unsigned)((w->most.cols + ACROSS - 1) / ACROSS)), THREADS, 0, stream, *w, (int)parts);
}

/* ---- total(addrows(d, t, n)) ---- */

/* First all numbers become places, in scratch. Then a thread block has some rows of the result. It goes through all places, LOOKED at a time, notes in their
 * order which are its own, and adds those rows to its own; a warp has some columns of a row. A number that is none makes all of the result no number, as in the
 * definition. */
enum { SPAN = 8, LOOKED = SPAN * THREADS, NOTED = LOOKED + LOOKED / 2, AHEAD = 4 };
enum { NO_PLACE = -1, NO_ROW = -2 };

/* Rows are counted as if all examples had as many as the longest. */
__global__ void find_places(lh_gpu_work w, int most, long long all) {
    int *to = (int *)w.scratch;
    for (long long q = blockIdx.x * (long long)blockDim.x + threadIdx.x; q < all; q += (long long)gridDim.x * blockDim.x) {
        const int e = (int)(q / most), r = (int)(q % most);
        const bool is_there = r < block_of(w.in[0], e)->rows;
        to[q] = is_there ? whole(at(block_of(w.in[1], e), 0, r, 0), w.out.block->rows) : NO_ROW;
    }
}

struct note {
    int e, r, row; /* row r of example e goes to this row of the thread block */
};

struct scanned {
    int rows, first, most;
    long long all;
};

/* Places from `from` on; how many are noted then. */
__device__ static int look(const lh_gpu_work &w, const scanned &s, long long from, note *list, int n, bool *is_lost) {
    __shared__ int found[WARPS];
    __shared__ unsigned lost[WARPS];
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP, *all = (const int *)w.scratch;
    const long long own = from + warp * SPAN * WARP + lane;
    int to[SPAN], place[SPAN], count = 0;
    unsigned none = 0;
    UNROLLED_BY(8)
    for (int i = 0; i < SPAN; i++) to[i] = own + i * WARP < s.all ? all[own + i * WARP] : NO_ROW;
    UNROLLED_BY(8)
    for (int i = 0; i < SPAN; i++) {
        const bool is_own = to[i] >= s.first && to[i] < s.first + s.rows;
        const unsigned mine = __ballot_sync(0xffffffffu, is_own);
        none |= __ballot_sync(0xffffffffu, to[i] == NO_PLACE);
        place[i] = is_own ? count + __popc(mine & ((1u << lane) - 1)) : -1;
        count += __popc(mine);
    }
    if (lane == 0) found[warp] = count, lost[warp] = none;
    __syncthreads();
    int before = n;
    for (int i = 0; i < WARPS; i++) {
        if (i < warp) before += found[i];
        n += found[i];
        *is_lost |= lost[i] != 0;
    }
    for (int i = 0; i < SPAN; i++)
        if (place[i] >= 0) {
            const long long q = own + i * WARP;
            list[before + place[i]] = {(int)(q / s.most), (int)(q % s.most), to[i] - s.first};
        }
    __syncthreads();
    return n;
}

template <int N> __device__ static void add_noted(const lh_gpu_work &w, const scanned &s, const note *list, int n) {
    const lh_gpu_block y = *w.out.block;
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP, across = (y.cols + N * WARP - 1) / (N * WARP);
    for (int job = warp; job < s.rows * across; job += WARPS) {
        const int row = job / across, c = (job % across * WARP + lane) * N;
        numbers<N> sum = {};
        bool is_begun = false;
        for (int from = 0; from < n; from += WARP) {
            unsigned bits = __ballot_sync(0xffffffffu, from + lane < n && list[from + lane < n ? from + lane : 0].row == row);
            if (bits && !is_begun && c < y.cols) sum = load_at<N>(&y, 0, s.first + row, c);
            is_begun |= bits != 0;
            while (bits) { /* some are on their way together */
                numbers<N> d[AHEAD];
                int k = 0;
                UNROLLED_BY(4)
                for (; k < AHEAD; k++) {
                    if (!bits) break;
                    const note at_k = list[from + __ffs(bits) - 1];
                    bits &= bits - 1;
                    if (c < y.cols) d[k] = load_at<N>(block_of(w.in[0], at_k.e), 0, at_k.r, c);
                }
                UNROLLED_BY(4)
                for (int i = 0; i < AHEAD; i++)
                    if (i < k && c < y.cols) sum = plus<N>(sum, d[i]);
            }
        }
        if (is_begun && c < y.cols) store_at<N>(&y, 0, s.first + row, c, sum);
    }
    __syncthreads();
}

__device__ static void fill(const lh_gpu_block *y, const scanned &s, float x) {
    for (int i = (int)threadIdx.x; i < s.rows * y->cols; i += THREADS) at(y, 0, s.first + i / y->cols, i % y->cols) = x;
    __syncthreads();
}

template <int N> __global__ void scatter(lh_gpu_work w, int rows) {
    __shared__ note list[NOTED];
    const lh_gpu_block *y = w.out.block;
    const int first = (int)blockIdx.x * rows, most = w.most_in[0].rows;
    const scanned s = {min(rows, y->rows - first), first, most, (long long)most * w.batch};
    bool is_lost = false;
    int n = 0;
    fill(y, s, 0.0f);
    for (long long from = 0; from < s.all; from += LOOKED) {
        n = look(w, s, from, list, n, &is_lost);
        if (n <= NOTED - LOOKED && from + LOOKED < s.all) continue;
        add_noted<N>(w, s, list, n);
        n = 0;
    }
    if (is_lost) fill(y, s, no_number());
}

/* So few rows that all of the GPU has work, but not so few that all look at numbers most of the time. */
extern "C" void lh_gpu_kernel_scatter(const lh_gpu_work *w, void *stream) {
    enum { MOST = 64, BLOCKS = 132 * 6 };
    const int few = (w->most.rows + BLOCKS - 1) / BLOCKS, rows = few < MOST ? few : MOST;
    const dim3 grid((unsigned)((w->most.rows + rows - 1) / rows));
    const long long all = (long long)w->most_in[0].rows * w->batch;
    LAUNCH(find_places, dim3(parts_of(all, THREADS)), THREADS, 0, stream, *w, w->most_in[0].rows, all);
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, scatter, grid, THREADS, stream, *w, rows);
}
