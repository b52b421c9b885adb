/* crossentropy -- minus the log probability of the right token, from logits, and its gradient: a thread block for each row. */
#include "eval/cuda/device/gpu_grid.h"

enum { LOGITS, TOKENS, DY };

/* Of all threads of a block, the same result in each of them; room: THREADS / WARP numbers. */
__device__ static float block_sum(float x, float *room) {
    x = warp_sum(x);
    if (threadIdx.x % WARP == 0) room[threadIdx.x / WARP] = x;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < THREADS / WARP; i++) sum += room[i];
    __syncthreads();
    return sum;
}

__device__ static float block_max(float x, float *room) {
    x = warp_max(x);
    if (threadIdx.x % WARP == 0) room[threadIdx.x / WARP] = x;
    __syncthreads();
    float most = room[0];
    for (int i = 1; i < THREADS / WARP; i++) most = fmaxf(most, room[i]);
    __syncthreads();
    return most;
}

__device__ static void row_of_losses(const lh_gpu_work &w, int e, int r, float *room) {
    const lh_gpu_block *x = block_of(w.in[LOGITS], e), *y = block_of(w.out, e);
    const int t = whole(at(block_of(w.in[TOKENS], e), 0, r, 0), x->cols);
    float most = -INFINITY, sum = 0;
    for (int c = (int)threadIdx.x; c < x->cols; c += THREADS) most = fmaxf(most, at(x, 0, r, c));
    most = block_max(most, room);
    for (int c = (int)threadIdx.x; c < x->cols; c += THREADS) sum += expf(at(x, 0, r, c) - most);
    sum = block_sum(sum, room);
    if (!w.form) {
        if (threadIdx.x == 0) at(y, 0, r, 0) = t < 0 ? no_number() : logf(sum) + most - at(x, 0, r, t);
        return;
    }
    const float dy = at(block_of(w.in[DY], e), 0, r, 0), share = dy / sum;
    for (int c = (int)threadIdx.x; c < x->cols; c += THREADS)
        at(y, 0, r, c) = expf(at(x, 0, r, c) - most) * share - (c == t ? dy : 0.0f);
}

__global__ void crossentropy(lh_gpu_work w) {
    __shared__ float room[THREADS / WARP];
    for (int e = (int)blockIdx.y; e < w.examples; e += (int)gridDim.y)
        for (int r = (int)blockIdx.x; r < block_of(w.in[LOGITS], e)->rows; r += (int)gridDim.x)
            row_of_losses(w, e, r, room);
}

extern "C" void lh_gpu_kernel_crossentropy(const lh_gpu_work *w, void *stream) {
    const dim3 grid(parts_of(w->most_in[LOGITS].rows, 1), (unsigned)(w->examples < MOST_Y ? w->examples : MOST_Y));
    LAUNCH_TOGETHER(crossentropy, grid, THREADS, 0, stream, *w);
}
