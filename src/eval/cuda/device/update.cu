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

/* Do its numbers lie in a row from first to last: row by row (1), or column by column (2)? */
__device__ static int is_flat(const lh_gpu_block &b) {
    if ((b.cols == 1 || b.cs == 1) && (b.rows == 1 || b.rs == b.cols)) return 1;
    return (b.rows == 1 || b.rs == 1) && (b.cols == 1 || b.cs == b.rows) ? 2 : 0;
}

/* ... so that eight at a time can be read */
__device__ static int is_in_eights(const lh_gpu_block &b) {
    return (long long)b.rows * b.cols % 8 == 0 && (size_t)b.p % 16 == 0 ? is_flat(b) : 0;
}

struct weights {
    lh_gpu_block to, m, v, dw;
};

/* FLAT: number i is the same in all four. */
template <int N, bool FLAT> __device__ static void learn(const weights &b, const how &a) {
    const long long cells = (long long)b.to.rows * b.to.cols;
    for (long long i = N * (blockIdx.x * (long long)blockDim.x + threadIdx.x); i < cells; i += N * (long long)gridDim.x * blockDim.x) {
        const place k = FLAT ? place{0, 0, 0} : place_of(&b.to, i);
        const cell to = FLAT ? cell_of(&b.to, i) : at(&b.to, 0, k.r, k.c), at_m = FLAT ? cell_of(&b.m, i) : at(&b.m, 0, k.r, k.c),
                   at_v = FLAT ? cell_of(&b.v, i) : at(&b.v, 0, k.r, k.c), dw = FLAT ? cell_of(&b.dw, i) : at(&b.dw, 0, k.r, k.c);
        numbers<N> x = load<N>(to), m = load<N>(at_m), v = load<N>(at_v);
        const numbers<N> d = load<N>(dw);
        for (int n = 0; n < N; n++) {
            const float g = d.x[n] * a.scale;
            m.x[n] = a.b1 * m.x[n] + (1 - a.b1) * g, v.x[n] = a.b2 * v.x[n] + (1 - a.b2) * g * g;
            x.x[n] = a.keep * x.x[n] - a.step * m.x[n] / (sqrtf(v.x[n]) * a.root + a.eps);
        }
        store<N>(at_m, m), store<N>(at_v, v), store<N>(to, x);
    }
}

__global__ void adam(lh_gpu_work w) {
    __shared__ how shared;
    if (threadIdx.x == 0) shared = read_how(w);
    __syncthreads();
    const how a = shared;
    const weights b = {*w.in[W].block, *w.in[M].block, *w.in[V].block, *w.in[G].block};
    const int flat = is_in_eights(b.to);
    if (flat && is_in_eights(b.m) == flat && is_in_eights(b.v) == flat && is_in_eights(b.dw) == flat)
        learn<8, true>(b, a);
    else if (w.is_wide)
        learn<8, false>(b, a);
    else
        learn<1, false>(b, a);
}

/* Blocks of threads go round: each begins with powers in double, which take as long as some thousand numbers. */
extern "C" void lh_gpu_kernel_adam(const lh_gpu_work *w, void *stream) {
    enum { BLOCKS = 132 * 6 };
    const unsigned parts = parts_of((long long)w->most_in[W].rows * w->most_in[W].cols / 8, THREADS);
    LAUNCH_TOGETHER(adam, dim3(parts < BLOCKS ? parts : BLOCKS), THREADS, 0, stream, *w);
}

/* ---- norm(gradients) ---- */

__device__ static const lh_gpu_block *gradient(const lh_gpu_work &w, int i) {
    return (w.many ? w.many[i] : w.in[i]).block;
}

/* Those of a thread of a part. */
__device__ static double squares_of(const lh_gpu_block b) {
    const long long cells = (long long)b.rows * b.cols, first = blockIdx.x * (long long)THREADS + threadIdx.x;
    double own = 0;
    if (is_in_eights(b)) {
        UNROLLED_BY(2)
        for (long long k = 8 * first; k < cells; k += 8 * PARTS * THREADS) {
            const numbers<8> x = load<8>(cell_of(&b, k));
            for (int i = 0; i < 8; i++) own += (double)x.x[i] * x.x[i];
        }
        return own;
    }
    for (long long k = first; k < cells; k += PARTS * THREADS) {
        const place at_k = place_of(&b, k);
        const double x = at(&b, 0, at_k.r, at_k.c);
        own += x * x;
    }
    return own;
}

/* scratch, as double: [gradient][part] */
__global__ void squares(lh_gpu_work w) {
    __shared__ double part[THREADS];
    double *to = (double *)w.scratch;
    for (int i = (int)blockIdx.y; i < w.n_in; i += (int)gridDim.y) {
        part[threadIdx.x] = squares_of(*gradient(w, i));
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
