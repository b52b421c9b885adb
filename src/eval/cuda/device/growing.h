/* growing -- what grow.cu and token.cu share: a number of a row, what follows a product, the running softmax of a row, the largest of some numbers. */
#ifndef LH_EVAL_CUDA_GROWING_H
#define LH_EVAL_CUDA_GROWING_H

#include "eval/cuda/device/gpu_grid.h"

__device__ static inline cell number_of(const lh_gpu_line &l, long long i) {
    void *p = l.is_short ? (void *)((unsigned short *)l.p + i) : (void *)((float *)l.p + i);
    emulate_touch(p, l.is_short ? 2 : 4);
    return {p, l.is_short};
}

__device__ static inline float share(float x) {
    return 1.0f / (1.0f + expf(-x));
}

/* What follows a product. */
__device__ static inline float then(lh_gpu_behind behind, float x) {
    if (behind == LH_GPU_THEN_GELU)
        x *= share(2 * 0.79788456080286535588f * (x + 0.044715f * x * x * x));
    if (behind == LH_GPU_THEN_SILU) x *= share(x);
    return x;
}

/* ---- attention ---- */

static const float LOG2E = 1.44269504088896340736f;

/* What one or several lanes know so far about a row of weights. */
struct summed {
    float most, sum;
    numbers<8> y;
};

__device__ static inline void join(summed &a, const summed &b) {
    const float most = fmaxf(a.most, b.most), of = most == -INFINITY ? 0.0f : most;
    const float x = exp2f(a.most - of), y = exp2f(b.most - of);
    a.most = most, a.sum = a.sum * x + b.sum * y;
    for (int i = 0; i < 8; i++) a.y.x[i] = a.y.x[i] * x + b.y.x[i] * y;
}

__device__ static inline summed from_lane(const summed &s, int d) {
    summed t = {
        __shfl_xor_sync(0xffffffffu, s.most, d), __shfl_xor_sync(0xffffffffu, s.sum, d), {}};
    for (int i = 0; i < 8; i++) t.y.x[i] = __shfl_xor_sync(0xffffffffu, s.y.x[i], d);
    return t;
}

template <int G> __device__ static inline float over_group(float x) {
    for (int d = G / 2; d; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}

/* ---- the largest ---- */

struct best {
    float x;
    int i; /* -1: none */
};

__device__ static inline best better(best a, best b) {
    const bool is_b = b.i >= 0 && (a.i < 0 || b.x > a.x || (b.x == a.x && b.i < a.i));
    return is_b ? b : a;
}

#endif
