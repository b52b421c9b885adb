/* gelu -- gelu and its backward pass for one number, in the tanh form; the formulas are in eval/fast/activation.c. */
#ifndef LH_EVAL_CUDA_GELU_H
#define LH_EVAL_CUDA_GELU_H

#include "eval/cuda/device/gpu_grid.h"

/* Accurate to about 1e-7, and cheap: memory should be the limit, not this. */
__device__ static inline float share(float x) {
    return __fdividef(1.0f, 1.0f + __expf(-x));
}

__device__ static inline float gelu(float x) {
    const float u = 0.79788456080286535588f * (x + 0.044715f * x * x * x);
    return x * share(2 * u);
}

__device__ static inline float gelu_back(float x, float dy) {
    const float u = 0.79788456080286535588f * (x + 0.044715f * x * x * x);
    const float slope = 0.79788456080286535588f * (1 + 3 * 0.044715f * x * x), s = share(2 * u);
    const float bend = s * (1 - s);
    return dy * (s + (bend > 0 ? x * bend * 2 * slope
                               : 0.0f)); /* far out bend is 0, and x times slope may be infinite */
}

#endif
