/* head -- crossentropy(X @ W, t) and its gradient, some rows at a time: what happens to the logits between the products that compute them and
 * those that pass their gradient on to X and W. Each row is read and written once, by a thread block that keeps it in shared memory (a longer one is
 * read twice): the maximum and the sum of exponentials are found together. Exponentials are powers of two.
 */
#include "eval/cuda/device/tensor.h"

enum { X, PROJECTION, TOKENS, DY };
enum { LOSS };
enum { FIRST_EXAMPLE, FIRST_ROW }; /* of lh_gpu_work.index */

#ifdef LH_EMULATED
enum { TOGETHER = 64 };
#else
enum { TOGETHER = 1024 };
#endif

static const float LOG2E = 1.44269504088896340736f, LN2 = 0.69314718055994530942f;

/* The sum of exp(x), as a share of 2^most. */
struct powers {
    float most, sum;
};

__device__ static powers both(powers a, powers b) {
    const float most = fmaxf(a.most, b.most);
    if (most == -INFINITY) return {most, a.sum + b.sum}; /* nothing yet, or no number */
    return {most, a.sum * power_of_two(a.most - most) + b.sum * power_of_two(b.most - most)};
}

__device__ static powers of_block(powers p, powers *room) {
    for (int d = WARP / 2; d; d /= 2) {
        const powers other = {__shfl_xor_sync(0xffffffffu, p.most, d), __shfl_xor_sync(0xffffffffu, p.sum, d)};
        p = both(p, other);
    }
    if (threadIdx.x % WARP == 0) room[threadIdx.x / WARP] = p;
    __syncthreads();
    p = room[0];
    for (int i = 1; i < TOGETHER / WARP; i++) p = both(p, room[i]);
    __syncthreads();
    return p;
}

/* Eight logits of a row from column c on. kept: there is room for rows of bf16 in shared memory, and a thread finds there what it read before. What lies behind the
 * last is no logit. */
__device__ static numbers<8> eight_of(const lh_gpu_block *row, int c, uint4 *kept, bool is_first) {
    const cell from = cell_of(row, c);
    if (kept && is_first) {
        emulate_touch(from.p, 16);
        kept[c / 8] = *(const uint4 *)from.p;
    }
    numbers<8> x = kept ? eight_shorts(kept[c / 8]) : load<8>(from);
    if (c + 8 > row->cols)
        for (int i = 0; i < 8; i++)
            if (c + i >= row->cols) x.x[i] = -INFINITY;
    return x;
}

/* All of them are -infinity, or not numbers. */
__device__ static powers none_of(const numbers<8> &x) {
    powers p = {-INFINITY, 0};
    for (int i = 0; i < 8; i++) p.sum += x.x[i] != x.x[i] ? x.x[i] : 0.0f;
    return p;
}

__device__ static powers powers_of(const lh_gpu_block *row, uint4 *kept) {
    powers p = {-INFINITY, 0};
    for (int c = 8 * (int)threadIdx.x; c < row->cols; c += 8 * TOGETHER) {
        const numbers<8> x = eight_of(row, c, kept, true);
        powers some = {x.x[0], 0};
        for (int i = 1; i < 8; i++) some.most = fmaxf(some.most, x.x[i]);
        some.most *= LOG2E;
        if (some.most > -INFINITY)
            for (int i = 0; i < 8; i++) some.sum += power_of_two(x.x[i] * LOG2E - some.most);
        else
            some = none_of(x);
        p = both(p, some);
    }
    return p;
}

__device__ static void to_gradient(const lh_gpu_block *row, uint4 *kept, powers p, int token, float dy) {
    const float share = dy / p.sum;
    for (int c = 8 * (int)threadIdx.x; c < row->cols; c += 8 * TOGETHER) {
        numbers<8> x = eight_of(row, c, kept, false);
        for (int i = 0; i < 8; i++) x.x[i] = power_of_two(x.x[i] * LOG2E - p.most) * share;
        if (token >= c && token < c + 8)
            for (int i = 0; i < 8; i++)
                if (c + i == token) x.x[i] -= dy;
        if (c + 8 > row->cols)
            for (int i = 0; i < 8; i++)
                if (c + i >= row->cols) x.x[i] = 0;
        store<8>(cell_of(row, c), x);
    }
}

template <bool IS_KEPT> __global__ void __launch_bounds__(TOGETHER, 2) head_rows(lh_gpu_work w, int rows, bool is_short) {
    __shared__ powers room[TOGETHER / WARP];
    SHARED_MEMORY(uint4, memory);
    uint4 *kept = IS_KEPT ? memory : nullptr;
    const int e = w.index[FIRST_EXAMPLE] + (int)blockIdx.y, vocab = w.most_in[PROJECTION].cols;
    const int n = block_of(w.in[X], e)->rows, end = w.index[FIRST_ROW] + rows < n ? w.index[FIRST_ROW] + rows : n;
    const long long before = w.before[e] - w.before[w.index[FIRST_EXAMPLE]];
    for (int r = w.index[FIRST_ROW] + (int)blockIdx.x; r < end; r += (int)gridDim.x) {
        const long long at_row = (before + r - w.index[FIRST_ROW]) * w.pitch;
        float *p = is_short ? (float *)((unsigned short *)w.scratch + at_row) : w.scratch + at_row;
        const lh_gpu_block row = {p, 0, 0, 1, 1, 1, vocab, is_short};
        const int token = whole(at(block_of(w.in[TOKENS], e), 0, r, 0), vocab);
        const float right = token < 0 ? no_number() : (float)at(&row, 0, 0, token);
        const powers sum = of_block(powers_of(&row, kept), room);
        if (w.outs[LOSS].block && threadIdx.x == 0) at(block_of(w.outs[LOSS], e), 0, r, 0) = (log2f(sum.sum) + sum.most) * LN2 - right;
        if (w.in[DY].block) to_gradient(&row, kept, sum, token, at(block_of(w.in[DY], e), 0, r, 0));
    }
}

/* ---- without a library: rows and weights that it cannot read, or whose types differ ---- */

enum { ROWS_OF_EACH, EXAMPLES, IS_SHORT, IS_PLAIN, ADDS }; /* of lh_gpu_work.number */
enum { TO_X = 1, TO_W };
enum { PLAIN, TURNED };

/* Row r of example e among the logits of this piece. */
__device__ static lh_gpu_block logits_of(const lh_gpu_work &w, int e, int r) {
    const bool is_short = w.number[IS_SHORT] != 0;
    const long long at_row = ((long long)w.before[e] - w.before[w.index[FIRST_EXAMPLE]] + r - w.index[FIRST_ROW]) * w.pitch;
    float *p = is_short ? (float *)((unsigned short *)w.scratch + at_row) : w.scratch + at_row;
    return {p, 0, 0, 1, 1, 1, w.most_in[PROJECTION].cols, is_short};
}

__device__ static int end_of_rows(const lh_gpu_work &w, const lh_gpu_block *x) {
    return min(w.index[FIRST_ROW] + (int)w.number[ROWS_OF_EACH], x->rows);
}

/* logits = X @ W, or dX = d @ W^T */
__global__ void plain_rows(lh_gpu_work w, bool is_back) {
    const int e = w.index[FIRST_EXAMPLE] + (int)blockIdx.y;
    const lh_gpu_block *x = block_of(w.in[X], e), *p = w.in[PROJECTION].block;
    for (int r = w.index[FIRST_ROW] + (int)blockIdx.x; r < end_of_rows(w, x); r += (int)gridDim.x) {
        const lh_gpu_block logits = logits_of(w, e, r);
        for (int c = (int)threadIdx.x; c < (is_back ? x->cols : p->cols); c += (int)blockDim.x) {
            float sum = 0;
            for (int k = 0; k < (is_back ? p->cols : x->cols); k++)
                sum += is_back ? at(&logits, 0, 0, k) * at(p, 0, c, k) : at(x, 0, r, k) * at(p, 0, k, c);
            (is_back ? at(block_of(w.outs[TO_X], e), 0, r, c) : at(&logits, 0, 0, c)) = sum;
        }
    }
}

/* dW += X^T @ d, or its transpose */
__global__ void plain_weights(lh_gpu_work w) {
    const lh_gpu_block *to = w.outs[TO_W].block;
    const long long cells = (long long)to->rows * to->cols;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < cells; i += (long long)gridDim.x * blockDim.x) {
        const int row = (int)(i / to->cols), col = (int)(i % to->cols), c = w.form == TURNED ? row : col, k = w.form == TURNED ? col : row;
        float sum = w.number[ADDS] != 0 ? (float)at(to, 0, row, col) : 0.0f;
        for (int e = w.index[FIRST_EXAMPLE]; e < w.index[FIRST_EXAMPLE] + (int)w.number[EXAMPLES]; e++) {
            const lh_gpu_block *x = block_of(w.in[X], e);
            for (int r = w.index[FIRST_ROW]; r < end_of_rows(w, x); r++) {
                const lh_gpu_block d = logits_of(w, e, r);
                sum += at(x, 0, r, k) * at(&d, 0, 0, c);
            }
        }
        at(to, 0, row, col) = sum;
    }
}

extern "C" void lh_gpu_kernel_head(const lh_gpu_work *w, void *stream) {
    const int rows = (int)w->number[ROWS_OF_EACH];
    const bool is_plain = w->number[IS_PLAIN] != 0;
    const dim3 grid(parts_of(rows, 1), (unsigned)w->number[EXAMPLES]);
    if (is_plain) LAUNCH(plain_rows, grid, THREADS, 0, stream, *w, false);
    const bool is_short = w->number[IS_SHORT] != 0;
    const size_t bytes = ((size_t)w->most_in[PROJECTION].cols + 7) / 8 * sizeof(uint4);
    if (is_short && bytes + sizeof(powers) * (TOGETHER / WARP) <= most_shared()) {
        allow_shared((const void *)head_rows<true>, bytes);
        LAUNCH_TOGETHER(head_rows<true>, grid, TOGETHER, bytes, stream, *w, rows, is_short);
    } else
        LAUNCH_TOGETHER(head_rows<false>, grid, TOGETHER, 0, stream, *w, rows, is_short);
    if (!is_plain || !w->in[DY].block) return;
    if (w->outs[TO_X].block) LAUNCH(plain_rows, grid, THREADS, 0, stream, *w, true);
    if (w->outs[TO_W].block) LAUNCH(plain_weights, dim3(parts_of((long long)w->most_in[PROJECTION].rows * w->most_in[PROJECTION].cols, THREADS)), THREADS, 0, stream, *w);
}
