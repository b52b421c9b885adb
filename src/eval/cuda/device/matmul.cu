/* matmul -- products of matrices that lie in any way: what a library of products cannot read.
 *
 * A block of threads makes a tile of the result and goes along the inner side a tile at a time. Examples and heads are products of their own.
 */
#include "eval/cuda/device/gpu_grid.h"

enum { TILE = 16 };

__global__ void matmul(lh_gpu_work w, int down, int across, int heads) {
    __shared__ float left[TILE][TILE + 1], right[TILE][TILE + 1];
    const int x = (int)threadIdx.x % TILE, y = (int)threadIdx.x / TILE;
    for (long long job = blockIdx.x, jobs = (long long)down * across * heads * w.examples; job < jobs;
         job += gridDim.x) {
        const int tile = (int)(job % ((long long)down * across)), e = (int)(job / ((long long)down * across) / heads),
                  h = (int)(job / ((long long)down * across) % heads);
        const lh_gpu_block *a = block_of(w.in[0], e), *b = block_of(w.in[1], e), *c = block_of(w.out, e);
        const int row = tile / across * TILE + y, col = tile % across * TILE + x;
        float sum = 0;
        for (int k = 0; k < a->cols; k += TILE) {
            left[y][x] = row < c->rows && k + x < a->cols ? *at(a, h, row, k + x) : 0.0f;
            right[y][x] = col < c->cols && k + y < a->cols ? *at(b, h, k + y, col) : 0.0f;
            __syncthreads();
            const int n = a->cols - k < TILE ? a->cols - k : TILE; /* 0 times inf is not added */
            for (int i = 0; i < n; i++) sum += left[y][i] * right[i][x];
            __syncthreads();
        }
        if (row < c->rows && col < c->cols) *at(c, h, row, col) = sum;
    }
}

extern "C" void lh_gpu_matmul(const lh_gpu_work *w, void *stream) {
    const int down = (w->most.rows + TILE - 1) / TILE, across = (w->most.cols + TILE - 1) / TILE;
    const long long jobs = (long long)down * across * w->most.heads * w->examples;
    LAUNCH_TOGETHER(matmul, dim3(parts_of(jobs, 1)), TILE * TILE, 0, stream, *w, down, across, w->most.heads);
}
