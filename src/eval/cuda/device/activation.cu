/* activation -- gelu and silu, cell by cell; the formulas are in eval/fast/activation.c. */
#include "eval/cuda/device/gelu.h"

struct do_gelu {
    __device__ float operator()(float x, float) const { return gelu(x); }
};

struct do_gelu_back {
    __device__ float operator()(float x, float dy) const { return gelu_back(x, dy); }
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
