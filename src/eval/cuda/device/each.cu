/* each -- operations that work cell by cell. A smaller operand is read repeatedly: its strides are 0. */
#include "eval/cuda/device/gpu_grid.h"

template <class F> __global__ void flat1(lh_gpu_work w, F f) {
    const lh_gpu_block *y = w.out.block, *a = w.in[0].block;
    EACH_EIGHT(w, i) {
        numbers<8> x = load_flat<8>(a, i);
        for (int k = 0; k < 8; k++) x.x[k] = f(x.x[k]);
        store<8>(cell_of(y, i), x);
    }
}

template <class F> __global__ void flat2(lh_gpu_work w, F f) {
    const lh_gpu_block *y = w.out.block, *a = w.in[0].block, *b = w.in[1].block;
    EACH_EIGHT(w, i) {
        numbers<8> x = load_flat<8>(a, i);
        const numbers<8> z = load_flat<8>(b, i);
        for (int k = 0; k < 8; k++) x.x[k] = f(x.x[k], z.x[k]);
        store<8>(cell_of(y, i), x);
    }
}

template <class F> __global__ void each1(lh_gpu_work w, F f) {
    EACH_CELL(w, e, y, i) {
        const place k = place_of(y, i);
        at(y, k.h, k.r, k.c) = f(at(block_of(w.in[0], e), k.h, k.r, k.c));
    }
}

template <class F> __global__ void each2(lh_gpu_work w, F f) {
    EACH_CELL(w, e, y, i) {
        const place k = place_of(y, i);
        at(y, k.h, k.r, k.c) = f(at(block_of(w.in[0], e), k.h, k.r, k.c),
                                  at(block_of(w.in[1], e), k.h, k.r, k.c));
    }
}

template <class F> __global__ void each3(lh_gpu_work w, F f) {
    EACH_CELL(w, e, y, i) {
        const place k = place_of(y, i);
        at(y, k.h, k.r, k.c) = f(at(block_of(w.in[0], e), k.h, k.r, k.c),
                                  at(block_of(w.in[1], e), k.h, k.r, k.c),
                                  at(block_of(w.in[2], e), k.h, k.r, k.c));
    }
}

#define EACH1(id, x, expr)                                                                         \
    struct do_##id {                                                                               \
        __device__ float operator()(float x) const { return (expr); }                              \
    };                                                                                             \
    extern "C" void lh_gpu_##id(const lh_gpu_work *w, void *stream) {                              \
        if (w->flat)                                                                               \
            LAUNCH(flat1, grid_of_eights(w->flat), THREADS, 0, stream, *w, do_##id());             \
        else                                                                                       \
            LAUNCH(each1, grid_of(w->most, w->examples), THREADS, 0, stream, *w, do_##id());       \
    }

#define EACH2(id, a, b, expr)                                                                      \
    struct do_##id {                                                                               \
        __device__ float operator()(float a, float b) const { return (expr); }                     \
    };                                                                                             \
    extern "C" void lh_gpu_##id(const lh_gpu_work *w, void *stream) {                              \
        if (w->flat)                                                                               \
            LAUNCH(flat2, grid_of_eights(w->flat), THREADS, 0, stream, *w, do_##id());             \
        else                                                                                       \
            LAUNCH(each2, grid_of(w->most, w->examples), THREADS, 0, stream, *w, do_##id());       \
    }

EACH1(same, x, x) /* a copy, where a view is not possible */
EACH1(neg, x, -x)
EACH1(exp, x, expf(x))
EACH1(log, x, logf(x))
EACH1(sqrt, x, sqrtf(x))
EACH1(tanh, x, tanhf(x))
EACH1(erf, x, erff(x))
EACH1(sin, x, sinf(x))
EACH1(cos, x, cosf(x))
EACH1(abs, x, fabsf(x))
EACH1(floor, x, floorf(x))
EACH2(add, a, b, a + b)
EACH2(sub, a, b, a - b)
EACH2(mul, a, b, a *b)
EACH2(div, a, b, a / b)
EACH2(pow, a, b, powf(a, b))
EACH2(max, a, b, a >= b || a != a ? a : b)
EACH2(min, a, b, a <= b || a != a ? a : b)
EACH2(eq, a, b, a == b ? 1.0f : 0.0f)
EACH2(ne, a, b, a != b ? 1.0f : 0.0f)
EACH2(lt, a, b, a < b ? 1.0f : 0.0f)
EACH2(le, a, b, a <= b ? 1.0f : 0.0f)
EACH2(gt, a, b, a > b ? 1.0f : 0.0f)
EACH2(ge, a, b, a >= b ? 1.0f : 0.0f)

struct do_where {
    __device__ float operator()(float c, float a, float b) const { return c != 0 ? a : b; }
};

extern "C" void lh_gpu_where(const lh_gpu_work *w, void *stream) {
    LAUNCH(each3, grid_of(w->most, w->examples), THREADS, 0, stream, *w, do_where());
}

/* ---- many sums of two numbers ---- */

__global__ void add_numbers(lh_gpu_many all) {
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < all.n; i += (int)(gridDim.x * blockDim.x)) {
        const lh_gpu_work &w = all.work[i];
        at(w.out.block, 0, 0, 0) = (float)at(w.in[0].block, 0, 0, 0) + (float)at(w.in[1].block, 0, 0, 0);
    }
}

extern "C" void lh_gpu_add_many_numbers(const lh_gpu_many *all, void *stream) {
    LAUNCH(add_numbers, dim3(parts_of(all->n, THREADS)), THREADS, 0, stream, *all);
}
