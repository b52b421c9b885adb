/* head -- crossentropy(X @ W, t) with the way back, some rows at a time: here what happens to logits between the products that make them and
 * those that send their gradient on to X and W. Each row is read twice and written once, by a block of threads: the largest and the sum of powers are
 * found together.
 */
#include "eval/cuda/device/gpu_grid.h"

enum { X, PROJECTION, TOKENS, DY };
enum { LOSS };
enum { FIRST_EXAMPLE, FIRST_ROW }; /* of lh_gpu_work.index */

#ifdef LH_EMULATED
enum { TOGETHER = 64 };
#else
enum { TOGETHER = 512 };
#endif

/* exp(x) is meant as a share of exp(most). */
struct powers {
    float most, sum;
};

__device__ static powers both(powers a, powers b) {
    const float most = fmaxf(a.most, b.most);
    if (most == -INFINITY) return {most, a.sum + b.sum}; /* nothing yet, or no number */
    return {most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
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

/* Eight logits of a row; what lies behind the last is no logit. */
__device__ static numbers<8> eight_of(const lh_gpu_block *row, int c) {
    numbers<8> x = load<8>(cell_of(row, c));
    for (int i = 0; i < 8; i++)
        if (c + i >= row->cols) x.x[i] = -INFINITY;
    return x;
}

__device__ static powers powers_of(const lh_gpu_block *row) {
    powers p = {-INFINITY, 0};
    for (int c = 8 * (int)threadIdx.x; c < row->cols; c += 8 * TOGETHER) {
        const numbers<8> x = eight_of(row, c);
        powers some = {-INFINITY, 0};
        for (int i = 0; i < 8; i++) some.most = fmaxf(some.most, x.x[i]);
        for (int i = 0; i < 8; i++) some.sum += some.most == -INFINITY ? 0.0f : expf(x.x[i] - some.most);
        for (int i = 0; i < 8; i++)
            if (x.x[i] != x.x[i]) some.sum = x.x[i];
        p = both(p, some);
    }
    return p;
}

__device__ static void to_gradient(const lh_gpu_block *row, powers p, int token, float dy) {
    const float share = dy / p.sum;
    for (int c = 8 * (int)threadIdx.x; c < row->cols; c += 8 * TOGETHER) {
        numbers<8> x = eight_of(row, c);
        for (int i = 0; i < 8; i++)
            x.x[i] = c + i >= row->cols ? 0.0f : expf(x.x[i] - p.most) * share - (c + i == token ? dy : 0.0f);
        store<8>(cell_of(row, c), x);
    }
}

__global__ void head_rows(lh_gpu_work w, int rows, bool is_short) {
    __shared__ powers room[TOGETHER / WARP];
    const int e = w.index[FIRST_EXAMPLE] + (int)blockIdx.y, vocab = w.most_in[PROJECTION].cols;
    const int n = block_of(w.in[X], e)->rows, end = w.index[FIRST_ROW] + rows < n ? w.index[FIRST_ROW] + rows : n;
    const long long before = w.before[e] - w.before[w.index[FIRST_EXAMPLE]];
    for (int r = w.index[FIRST_ROW] + (int)blockIdx.x; r < end; r += (int)gridDim.x) {
        const long long at_row = (before + r - w.index[FIRST_ROW]) * w.pitch;
        float *p = is_short ? (float *)((unsigned short *)w.scratch + at_row) : w.scratch + at_row;
        const lh_gpu_block row = {p, 0, 0, 1, 1, 1, vocab, is_short};
        const int token = whole(at(block_of(w.in[TOKENS], e), 0, r, 0), vocab);
        const float right = token < 0 ? no_number() : (float)at(&row, 0, 0, token);
        const powers sum = of_block(powers_of(&row), room);
        if (w.outs[LOSS].block && threadIdx.x == 0) at(block_of(w.outs[LOSS], e), 0, r, 0) = logf(sum.sum) + sum.most - right;
        if (w.in[DY].block) to_gradient(&row, sum, token, at(block_of(w.in[DY], e), 0, r, 0));
    }
}

/* number: rows of each example at most, how many examples, whether logits are in bf16 */
extern "C" void lh_gpu_kernel_head(const lh_gpu_work *w, void *stream) {
    const int rows = (int)w->number[0];
    const dim3 grid(parts_of(rows, 1), (unsigned)w->number[1]);
    LAUNCH_TOGETHER(head_rows, grid, TOGETHER, 0, stream, *w, rows, w->number[2] != 0);
}
