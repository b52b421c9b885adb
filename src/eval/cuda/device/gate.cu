/* gate -- swiglu(a, b) and its gradient; dA put together from the gradients of its columns. The formulas are in eval/fast/gate.c. */
#include "eval/cuda/device/gpu_grid.h"

enum { A, B, DY };

/* for every N numbers of a row of example e: h, r, c */
#define EACH_SOME(N, examples, e, block, view, k)                                                  \
    for (int e = (int)blockIdx.y; e < (examples); e += (int)gridDim.y)                             \
        for (const lh_gpu_block *block = block_of(view, e); block; block = nullptr)                \
            for (long long i_ = N * (blockIdx.x * (long long)blockDim.x + threadIdx.x),            \
                           n_ = cells_of(block);                                                   \
                 i_ < n_; i_ += N * (long long)gridDim.x * blockDim.x)                             \
                for (place k = place_of(block, i_), *once_ = &k; once_; once_ = nullptr)

static dim3 grid_of_some(lh_gpu_sizes s, int examples, bool is_wide) {
    const int n = is_wide ? 8 : 1;
    return dim3(parts_of((long long)s.heads * s.rows * s.cols / n, THREADS), (unsigned)(examples < MOST_Y ? examples : MOST_Y));
}

template <int N> __global__ void swiglu(lh_gpu_work w) {
    EACH_SOME(N, w.examples, e, y, w.out, k) {
        numbers<N> a = load_at<N>(block_of(w.in[A], e), k.h, k.r, k.c);
        const numbers<N> b = load_at<N>(block_of(w.in[B], e), k.h, k.r, k.c);
        for (int i = 0; i < N; i++) a.x[i] = __fdividef(a.x[i], 1.0f + __expf(-a.x[i])) * b.x[i];
        store_at<N>(y, k.h, k.r, k.c, a);
    }
}

extern "C" void lh_gpu_kernel_swiglu(const lh_gpu_work *w, void *stream) {
    LAUNCH_WIDE(w->is_wide, LAUNCH, swiglu, grid_of_some(w->most, w->examples, w->is_wide), THREADS, stream, *w);
}

template <int N> __global__ void swiglu_back(lh_gpu_work w, int examples) {
    EACH_SOME(N, examples, e, block, w.in[A], k) {
        const numbers<N> a = load_at<N>(block, k.h, k.r, k.c), b = load_at<N>(block_of(w.in[B], e), k.h, k.r, k.c),
                         dy = load_at<N>(block_of(w.in[DY], e), k.h, k.r, k.c);
        numbers<N> da, db;
        for (int i = 0; i < N; i++) {
            const float s = __fdividef(1.0f, 1.0f + __expf(-a.x[i])), h = a.x[i] * s, bend = s * (1 - s);
            da.x[i] = dy.x[i] * b.x[i] * (s + (bend > 0 ? a.x[i] * bend : 0.0f)); /* far out bend is 0 */
            db.x[i] = dy.x[i] * h;
        }
        if (w.outs[A].block) store_at<N>(block_of(w.outs[A], e), k.h, k.r, k.c, da);
        if (w.outs[B].block) store_at<N>(block_of(w.outs[B], e), k.h, k.r, k.c, db);
    }
}

extern "C" void lh_gpu_kernel_swiglu_back(const lh_gpu_work *w, void *stream) {
    const int examples = w->in[A].step ? w->batch : 1;
    LAUNCH_WIDE(w->is_wide, LAUNCH, swiglu_back, grid_of_some(w->most_in[A], examples, w->is_wide), THREADS, stream, *w, examples);
}

/* ---- parts side by side ---- */

template <int N> __global__ void lay_beside(lh_gpu_work w) {
    EACH_SOME(N, w.examples, e, y, w.out, k) {
        int i = 0, c = k.c;
        for (; c >= block_of(w.in[i], e)->cols; i++) c -= block_of(w.in[i], e)->cols;
        store_at<N>(y, k.h, k.r, k.c, load_at<N>(block_of(w.in[i], e), k.h, k.r, c));
    }
}

extern "C" void lh_gpu_kernel_beside(const lh_gpu_work *w, void *stream) {
    LAUNCH_WIDE(w->is_wide, LAUNCH, lay_beside, grid_of_some(w->most, w->examples, w->is_wide), THREADS, stream, *w);
}
