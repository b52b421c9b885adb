/* activation -- gelu and silu, cell by cell; the formulas are in eval/fast/activation.c. */
#include "eval/cuda/device/gpu_grid.h"

/* Exact to some 1e-7: memory is to be the limit, not this. */
__device__ static float share(float x) {
    return __fdividef(1.0f, 1.0f + __expf(-x));
}

struct do_gelu {
    __device__ float operator()(float x, float) const {
        const float u = 0.79788456080286535588f * (x + 0.044715f * x * x * x);
        return x * share(2 * u);
    }
};

struct do_gelu_back {
    __device__ float operator()(float x, float dy) const {
        const float u = 0.79788456080286535588f * (x + 0.044715f * x * x * x);
        const float slope = 0.79788456080286535588f * (1 + 3 * 0.044715f * x * x), s = share(2 * u);
        const float bend = s * (1 - s);
        return dy * (s + (bend > 0 ? x * bend * 2 * slope : 0.0f)); /* far out bend is 0, and x times slope may be infinite */
    }
};

struct do_silu {
    __device__ float operator()(float x, float) const { return x * share(x); }
};

struct do_silu_back {
    __device__ float operator()(float x, float dy) const {
        const float s = share(x), bend = s * (1 - s);
        return dy * (s + (bend > 0 ? x * bend : 0.0f));
    }
};

template <class F> __global__ void activate_flat(lh_gpu_work w, F f) {
    const lh_gpu_block *y = w.out.block, *a = w.in[0].block, *b = w.n_in > 1 ? w.in[1].block : nullptr;
    EACH_EIGHT(w, i) {
        numbers<8> x = load_flat<8>(a, i);
        const numbers<8> dy = b ? load_flat<8>(b, i) : x;
        for (int k = 0; k < 8; k++) x.x[k] = f(x.x[k], dy.x[k]);
        store<8>(cell_of(y, i), x);
    }
}

template <class F> __global__ void activate(lh_gpu_work w, F f) {
    EACH_CELL(w, e, y, i) {
        const place k = place_of(y, i);
        const float dy = w.n_in > 1 ? (float)at(block_of(w.in[1], e), k.h, k.r, k.c) : 0.0f;
        at(y, k.h, k.r, k.c) = f(at(block_of(w.in[0], e), k.h, k.r, k.c), dy);
    }
}

#define ACTIVATION(id)                                                                             \
    extern "C" void lh_gpu_kernel_##id(const lh_gpu_work *w, void *stream) {                       \
        if (w->flat)                                                                               \
            LAUNCH(activate_flat, grid_of_eights(w->flat), THREADS, 0, stream, *w, do_##id());     \
        else                                                                                       \
            LAUNCH(activate, grid_of(w->most, w->examples), THREADS, 0, stream, *w, do_##id());    \
    }

ACTIVATION(gelu)
ACTIVATION(gelu_back)
ACTIVATION(silu)
ACTIVATION(silu_back)
