/* update -- what := makes of a weight, in place, and the length of all gradients together. As eval/fast/update.c, with the numbers of the step read here. */
#include "eval/cuda/device/gpu_grid.h"

enum { W, M, V, G, SCALE, RATE, DECAY, B1, B2, EPS, T };
enum { PARTS = 64 }; /* of each gradient */

__device__ static float number(const lh_gpu_work &w, int i, float standard) {
    return w.in[i].block ? *w.in[i].block->p : standard;
}

struct how {
    float scale, b1, b2, eps, step, root, keep;
};

__device__ static how read_how(const lh_gpu_work &w) {
    const double t = number(w, T, 1), b1 = number(w, B1, 0), b2 = number(w, B2, 0);
    const float rate = number(w, RATE, 0);
    how a;
    a.scale = number(w, SCALE, 1);
    a.b1 = (float)b1, a.b2 = (float)b2, a.eps = number(w, EPS, 0);
    a.step = (float)(rate / (1 - pow(b1, t)));
    a.root = (float)(1 / sqrt(1 - pow(b2, t)));
    a.keep = 1 - rate * number(w, DECAY, 0);
    return a;
}

template <int N> __global__ void adam(lh_gpu_work w) {
    __shared__ how shared;
    if (threadIdx.x == 0) shared = read_how(w);
    __syncthreads();
    const how a = shared;
    const lh_gpu_block *to = w.in[W].block, *m = w.in[M].block, *v = w.in[V].block, *dw = w.in[G].block;
    const long long cells = (long long)to->rows * to->cols;
    for (long long i = N * (blockIdx.x * (long long)blockDim.x + threadIdx.x); i < cells;
         i += N * (long long)gridDim.x * blockDim.x) {
        const place k = place_of(to, i);
        numbers<N> x = load_at<N>(to, 0, k.r, k.c), m1 = load_at<N>(m, 0, k.r, k.c), v1 = load_at<N>(v, 0, k.r, k.c);
        const numbers<N> d = load_at<N>(dw, 0, k.r, k.c);
        for (int n = 0; n < N; n++) {
            const float g = d.x[n] * a.scale;
            m1.x[n] = a.b1 * m1.x[n] + (1 - a.b1) * g, v1.x[n] = a.b2 * v1.x[n] + (1 - a.b2) * g * g;
            x.x[n] = a.keep * x.x[n] - a.step * m1.x[n] / (sqrtf(v1.x[n]) * a.root + a.eps);
        }
        store_at<N>(m, 0, k.r, k.c, m1), store_at<N>(v, 0, k.r, k.c, v1), store_at<N>(to, 0, k.r, k.c, x);
    }
}

extern "C" void lh_gpu_kernel_adam(const lh_gpu_work *w, void *stream) {
    const lh_gpu_sizes s = w->most_in[W];
    const dim3 grid(parts_of((long long)s.rows * s.cols / (w->is_wide ? 8 : 1), THREADS));
    LAUNCH_WIDE(w->is_wide, LAUNCH_TOGETHER, adam, grid, THREADS, stream, *w);
}

/* ---- norm(gradients) ---- */

__device__ static const lh_gpu_block *gradient(const lh_gpu_work &w, int i) {
    return (w.many ? w.many[i] : w.in[i]).block;
}

/* scratch, as double: [gradient][part] */
__global__ void squares(lh_gpu_work w) {
    __shared__ double part[THREADS];
    double *to = (double *)w.scratch;
    for (int i = (int)blockIdx.y; i < w.n_in; i += (int)gridDim.y) {
        const lh_gpu_block *b = gradient(w, i);
        const long long cells = (long long)b->rows * b->cols;
        double own = 0;
        for (long long k = blockIdx.x * (long long)THREADS + threadIdx.x; k < cells; k += PARTS * THREADS) {
            const double x = at(b, 0, (int)(k / b->cols), (int)(k % b->cols));
            own += x * x;
        }
        part[threadIdx.x] = own;
        for (int d = THREADS / 2; d; d /= 2) {
            __syncthreads();
            if ((int)threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
        }
        if (threadIdx.x == 0) to[(size_t)i * PARTS + blockIdx.x] = part[0];
        __syncthreads();
    }
}

/* One block of threads: each adds up some, then all of them, by halves. */
__global__ void root_of_squares(lh_gpu_work w) {
    __shared__ double part[THREADS];
    const double *from = (const double *)w.scratch;
    double own = 0;
    for (int i = (int)threadIdx.x; i < w.n_in * PARTS; i += THREADS) own += from[i];
    part[threadIdx.x] = own;
    for (int d = THREADS / 2; d; d /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    }
    if (threadIdx.x == 0) *w.out.block->p = (float)sqrt(part[0]);
}

extern "C" void lh_gpu_kernel_length(const lh_gpu_work *w, void *stream) {
    const unsigned gradients = (unsigned)(w->n_in < MOST_Y ? w->n_in : MOST_Y);
    LAUNCH_TOGETHER(squares, dim3(PARTS, gradients), THREADS, 0, stream, *w);
    LAUNCH_TOGETHER(root_of_squares, dim3(1), THREADS, 0, stream, *w);
}
