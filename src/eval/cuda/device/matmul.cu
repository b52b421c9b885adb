/* matmul -- products of matrices of any layout, in either type, which a library cannot read; and floats rounded to bf16 for a library.
 *
 * A thread block computes a tile of the result and goes along the inner dimension a tile at a time. Each example and head is a product of its own.
 */
#include "eval/cuda/device/gelu.h"

enum { TILE = 16 };

/* One matrix: the address of its cell (r, c). */
struct matrix {
    void *p;
    long long rs, cs;
    bool is_short;
};

__device__ static cell in_matrix(const matrix &m, int r, int c) {
    const long long distance = r * m.rs + c * m.cs;
    void *p = m.is_short ? (void *)((unsigned short *)m.p + distance) : (void *)((float *)m.p + distance);
    emulate_touch(p, m.is_short ? 2 : 4);
    return {p, m.is_short};
}

__device__ static matrix matrix_of(const lh_gpu_block *b, int h) {
    void *p = b->is_short ? (void *)((unsigned short *)b->p + h * b->hs) : (void *)(b->p + h * b->hs);
    return {p, b->rs, b->cs, b->is_short};
}

/* The sum that belongs to this thread's cell (row, col) of a rows x cols result. */
__device__ static float tile_sum(const matrix &a, const matrix &b, int rows, int cols, int inner, int row, int col) {
    __shared__ float left[TILE][TILE + 1], right[TILE][TILE + 1];
    const int x = (int)threadIdx.x % TILE, y = (int)threadIdx.x / TILE;
    float sum = 0;
    for (int k = 0; k < inner; k += TILE) {
        left[y][x] = row < rows && k + x < inner ? (float)in_matrix(a, row, k + x) : 0.0f;
        right[y][x] = col < cols && k + y < inner ? (float)in_matrix(b, k + y, col) : 0.0f;
        __syncthreads();
        const int n = inner - k < TILE ? inner - k : TILE; /* 0 times inf is not added */
        for (int i = 0; i < n; i++) sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    return sum;
}

struct tiles {
    int down, across, heads;
};

static tiles tiles_of(int rows, int cols, int heads) {
    return {(rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE, heads};
}

/* ---- a work ---- */

__global__ void matmul(lh_gpu_work w, tiles t, bool has_bias) {
    const int x = (int)threadIdx.x % TILE, y = (int)threadIdx.x / TILE;
    const long long each = (long long)t.down * t.across;
    for (long long job = blockIdx.x; job < each * t.heads * w.examples; job += gridDim.x) {
        const int tile = (int)(job % each), e = (int)(job / each / t.heads), h = (int)(job / each % t.heads);
        const lh_gpu_block *a = block_of(w.in[0], e), *b = block_of(w.in[1], e), *c = block_of(w.out, e);
        const int row = tile / t.across * TILE + y, col = tile % t.across * TILE + x;
        float sum = tile_sum(matrix_of(a, h), matrix_of(b, h), c->rows, c->cols, a->cols, row, col);
        if (row >= c->rows || col >= c->cols) continue;
        if (has_bias) sum += at(w.in[2].block, 0, 0, col);
        at(c, h, row, col) = sum;
    }
}

static void launch_matmul(const lh_gpu_work *w, bool has_bias, void *stream) {
    const tiles t = tiles_of(w->most.rows, w->most.cols, w->most.heads);
    const long long jobs = (long long)t.down * t.across * t.heads * w->examples;
    LAUNCH_TOGETHER(matmul, dim3(parts_of(jobs, 1)), TILE * TILE, 0, stream, *w, t, has_bias);
}

extern "C" void lh_gpu_matmul(const lh_gpu_work *w, void *stream) {
    launch_matmul(w, false, stream);
}

/* X @ W + b */
extern "C" void lh_gpu_kernel_linear(const lh_gpu_work *w, void *stream) {
    launch_matmul(w, true, stream);
}

/* ---- a product ---- */

__device__ static matrix matrix_of(const lh_gpu_factor &f, int i) {
    char *p = (char *)(f.each ? f.each[i] : f.first);
    if (!f.each) p += i * f.apart * (f.is_short ? 2 : 4);
    return {p, f.is_turned ? 1 : f.pitch, f.is_turned ? f.pitch : 1, f.is_short};
}

__global__ void any_product(lh_gpu_product p, tiles t) {
    const int x = (int)threadIdx.x % TILE, y = (int)threadIdx.x / TILE;
    const long long each = (long long)t.down * t.across;
    for (long long job = blockIdx.x; job < each * p.n; job += gridDim.x) {
        const int tile = (int)(job % each), i = (int)(job / each);
        const int row = tile / t.across * TILE + y, col = tile % t.across * TILE + x;
        float sum = p.scale * tile_sum(matrix_of(p.a, i), matrix_of(p.b, i), p.rows, p.cols, p.inner, row, col);
        if (row >= p.rows || col >= p.cols) continue;
        const cell to = in_matrix(matrix_of(p.c, i), row, col);
        if (p.adds) sum += to;
        if (p.bias) sum += in_matrix({(void *)p.bias, 0, 1, p.c.is_short}, 0, col);
        if (p.also) sum += in_matrix({(void *)p.also, p.c.pitch, 1, p.c.is_short}, row, col);
        if (p.behind) {
            const cell x = in_matrix({p.kept, p.c.pitch, 1, p.c.is_short}, row, col);
            if (p.behind == LH_GPU_THEN_GELU) x = sum;
            sum = p.behind == LH_GPU_THEN_GELU ? gelu(sum) : gelu_back(x, sum);
        }
        to = sum;
    }
}

extern "C" void lh_gpu_any_product(const lh_gpu_product *p, void *stream) {
    const tiles t = tiles_of(p->rows, p->cols, 1);
    LAUNCH_TOGETHER(any_product, dim3(parts_of((long long)t.down * t.across * p->n, 1)), TILE * TILE, 0, stream, *p, t);
}

/* ---- rounding ---- */

enum { ROUNDERS = 256 };

__global__ void round_all(const lh_gpu_rounding *list) {
    const lh_gpu_rounding one = list[blockIdx.y];
    if (one.turned) return; /* grow.cu */
    const long long step = 8ll * gridDim.x * blockDim.x;
    for (long long i = 8 * (blockIdx.x * (long long)blockDim.x + threadIdx.x); i < one.n; i += step) {
        const cell from = {(void *)(one.from + i), false}, to = {(unsigned short *)one.to + i, true};
        if (i + 8 <= one.n)
            store<8>(to, load<8>(from));
        else
            for (int k = 0; k < one.n - i; k++) ((unsigned short *)one.to)[i + k] = to_short(one.from[i + k]);
    }
}

extern "C" void lh_gpu_round(const lh_gpu_rounding *list, int n, void *stream) {
    if (n) LAUNCH(round_all, dim3(ROUNDERS, (unsigned)n), THREADS, 0, stream, list);
}
