/* move -- parts of a value and their gradients, joining and splitting: a thread for each cell of the result. */
#include "eval/cuda/device/gpu_grid.h"

/* FROM_CELL(name, what the cell is): `y` the result, `k` the place in it, `e` the example, IN(i) operand i. */
#define IN(i) block_of(w.in[i], e)
#define FROM_CELL(id, expr)                                                                        \
    __global__ void kernel_##id(lh_gpu_work w) {                                                            \
        EACH_CELL(w, e, y, i) {                                                                    \
            const place k = place_of(y, i);                                                        \
            at(y, k.h, k.r, k.c) = (expr);                                                        \
        }                                                                                          \
    }                                                                                              \
    extern "C" void lh_gpu_##id(const lh_gpu_work *w, void *stream) {                              \
        LAUNCH(kernel_##id, grid_of(w->most, w->examples), THREADS, 0, stream, *w);                         \
    }

/* ---- rows and columns by number ---- */

template <int N> __global__ void lookup(lh_gpu_work w) {
    for (int e = (int)blockIdx.y; e < w.examples; e += (int)gridDim.y) {
        const lh_gpu_block y = *block_of(w.out, e), from = *block_of(w.in[0], e), t = *block_of(w.in[1], e);
        for (long long i = N * (blockIdx.x * (long long)blockDim.x + threadIdx.x); i < cells_of(&y);
             i += N * (long long)gridDim.x * blockDim.x) {
            const place k = place_of(&y, i);
            const int row = whole(at(&t, k.h, k.r, 0), from.rows);
            numbers<N> x;
            for (int n = 0; n < N; n++) x.x[n] = no_number();
            if (row >= 0) x = load_at<N>(&from, k.h, row, k.c);
            store_at<N>(&y, k.h, k.r, k.c, x);
        }
    }
}

extern "C" void lh_gpu_lookup(const lh_gpu_work *w, void *stream) {
    const lh_gpu_sizes some = {w->most.heads, w->most.rows, (w->most.cols + 7) / (w->is_wide ? 8 : 1)};
    LAUNCH_WIDE(w->is_wide, LAUNCH, lookup, grid_of(some, w->examples), THREADS, stream, *w);
}

__device__ static float picked(const lh_gpu_block *p, const lh_gpu_block *t, place k) {
    const int col = whole(at(t, k.h, k.r, 0), p->cols);
    return col < 0 ? no_number() : at(p, k.h, k.r, col);
}

__device__ static float hot(const lh_gpu_block *y, const lh_gpu_block *t, place k) {
    const int col = whole(at(t, k.h, k.r, 0), y->cols);
    return col < 0 ? no_number() : k.c == col;
}

FROM_CELL(pick, picked(IN(0), IN(1), k))
FROM_CELL(onehot, hot(y, IN(0), k))

__device__ static float placed(const lh_gpu_block *y, const lh_gpu_block *d, const int *index, place k) {
    const int row = index[0] == -1 ? y->rows - d->rows : index[0], col = index[1];
    if (row < 0 || row + d->rows > y->rows || col + d->cols > y->cols) return no_number();
    const int r = k.r - row, c = k.c - col;
    return r >= 0 && r < d->rows && c >= 0 && c < d->cols ? at(d, k.h, r, c) : 0.0f;
}

FROM_CELL(place, placed(y, IN(0), w.index, k))

/* Row t[r] of the result gets row r added. A thread has a column and goes through the rows in their order: no two write the same cell, and the
 * order of additions is always the same. A row that is not there makes all of the head no number, as in the definition. */
__global__ void addrows(lh_gpu_work w) {
    for (int e = (int)blockIdx.y; e < w.examples; e += (int)gridDim.y) {
        const lh_gpu_block *y = block_of(w.out, e), *d = block_of(w.in[0], e), *t = block_of(w.in[1], e);
        const long long columns = (long long)y->heads * y->cols;
        for (long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x; k < columns;
             k += (long long)gridDim.x * blockDim.x) {
            const int h = (int)(k / y->cols), c = (int)(k % y->cols);
            bool is_lost = false;
            for (int r = 0; r < y->rows; r++) at(y, h, r, c) = 0;
            for (int r = 0; r < d->rows; r++) {
                const int row = whole(at(t, h, r, 0), y->rows);
                is_lost |= row < 0;
                if (row >= 0) at(y, h, row, c) += at(d, h, r, c);
            }
            for (int r = 0; is_lost && r < y->rows; r++) at(y, h, r, c) = no_number();
        }
    }
}

extern "C" void lh_gpu_addrows(const lh_gpu_work *w, void *stream) {
    const lh_gpu_sizes columns = {w->most.heads, 1, w->most.cols};
    LAUNCH(addrows, grid_of(columns, w->examples), THREADS, 0, stream, *w);
}

/* ---- joining, splitting, stretching ---- */

__device__ static float beside_cell(const lh_gpu_block *a, const lh_gpu_block *b, place k) {
    return k.c < a->cols ? at(a, k.h, k.r, k.c) : at(b, k.h, k.r, k.c - a->cols);
}

__device__ static float above_cell(const lh_gpu_block *a, const lh_gpu_block *b, place k) {
    return k.r < a->rows ? at(a, k.h, k.r, k.c) : at(b, k.h, k.r - a->rows, k.c);
}

__device__ static int partner(int c, int apart) {
    return c / apart % 2 == 0 ? c + apart : c - apart;
}

FROM_CELL(beside, beside_cell(IN(0), IN(1), k))
FROM_CELL(above, above_cell(IN(0), IN(1), k))
FROM_CELL(join, at(IN(0), k.c / IN(0)->cols, k.r, k.c % IN(0)->cols))
FROM_CELL(swap, at(IN(0), k.h, k.r, partner(k.c, w.index[0])))
FROM_CELL(repeatheads, at(IN(0), k.h / w.index[0], k.r, k.c))

/* The gradients of all params in one row: a work has an array of their views. */
__device__ static float gradient_cell(const lh_gpu_work &w, int e, long long k) {
    for (int i = 0; i < w.n_in; i++) {
        const lh_gpu_block *d = block_of(w.many ? w.many[i] : w.in[i], e);
        const long long cells = (long long)d->rows * d->cols;
        if (k < cells) return at(d, 0, (int)(k / d->cols), (int)(k % d->cols));
        k -= cells;
    }
    return no_number();
}

FROM_CELL(gradients, gradient_cell(w, e, i))

/* ---- order ---- */

/* The place of a number among the numbers of its row, smallest first; equal ones as they stand; a nan behind all numbers. */
__device__ static int sort_place(const lh_gpu_block *x, int h, int r, int c) {
    const float own = at(x, h, r, c);
    int n = 0;
    for (int k = 0; k < x->cols; k++) {
        const float other = at(x, h, r, k);
        const bool is_less = own != own ? other == other : other < own;
        const bool is_equal = own != own ? other != other : other == own;
        n += is_less || (is_equal && k < c);
    }
    return n;
}

__device__ static float is_top(const lh_gpu_block *x, place k, int most) {
    const float own = at(x, k.h, k.r, k.c);
    int n = 0;
    for (int c = 0; c < x->cols; c++) {
        const float other = at(x, k.h, k.r, c);
        n += other > own || (c < k.c && other == own);
    }
    return n < most;
}

FROM_CELL(topk, is_top(IN(0), k, w.index[0]))
FROM_CELL(unsort, at(IN(0), k.h, k.r, sort_place(IN(1), k.h, k.r, k.c)))

__global__ void kernel_sort(lh_gpu_work w) {
    EACH_CELL(w, e, y, i) {
        const place k = place_of(y, i);
        at(y, k.h, k.r, sort_place(IN(w.n_in - 1), k.h, k.r, k.c)) = at(IN(0), k.h, k.r, k.c);
    }
}

extern "C" void lh_gpu_sort(const lh_gpu_work *w, void *stream) {
    LAUNCH(kernel_sort, grid_of(w->most, w->examples), THREADS, 0, stream, *w);
}

/* ---- computed from sizes only ---- */

__device__ static float spaced(const lh_gpu_block *y, float first, float end, int r) {
    const float apart = y->rows > 1 ? (end - first) / (float)(y->rows - 1) : 0.0f;
    return r && r == y->rows - 1 ? end : first + (float)r * apart;
}

FROM_CELL(linspace, spaced(y, at(IN(0), k.h, 0, 0), at(IN(1), k.h, 0, 0), k.r))
FROM_CELL(rowindex, (float)(w.moment->past + k.r))
FROM_CELL(positions, (float)(w.moment->past + k.r))
FROM_CELL(colindex, (float)k.c)
FROM_CELL(rows, (float)IN(0)->rows)
FROM_CELL(cols, (float)IN(0)->cols)

/* ---- coins: the numbers of base/random.h ---- */

__device__ static void philox(const unsigned counter[4], unsigned k0, unsigned k1, unsigned out[4]) {
    unsigned c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < 10; round++) {
        const unsigned long long p0 = 0xD2511F53ull * c0, p1 = 0xCD9E8D57ull * c2;
        c0 = (unsigned)(p1 >> 32) ^ c1 ^ k0;
        c1 = (unsigned)p1;
        c2 = (unsigned)(p0 >> 32) ^ c3 ^ k1;
        c3 = (unsigned)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

__device__ static float tossed(const lh_gpu_work &w, const lh_gpu_block *y, int e, place k, float chance) {
    const unsigned step[4] = {w.moment->step, 0, 0, 0};
    const unsigned cell[4] = {w.place, w.is_batched ? w.moment->example[e] : 0, (unsigned)k.r,
                              (unsigned)(k.h * y->cols + k.c)};
    unsigned key[4], word[4];
    philox(step, (unsigned)w.moment->seed, (unsigned)(w.moment->seed >> 32), key);
    philox(cell, key[0], key[1], word);
    const unsigned long long bits = (unsigned long long)word[1] << 32 | word[0];
    return (double)(bits >> 11) * 0x1p-53 < (double)chance;
}

FROM_CELL(coin, tossed(w, y, e, k, at(IN(1), k.h, k.r, k.c)))
