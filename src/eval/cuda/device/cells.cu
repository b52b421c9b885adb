/* cells -- numbers one behind the other, outside of any work: added, rounded to bf16 and back. A thread for each. */
#include "eval/cuda/device/gpu_grid.h"

#define EACH_NUMBER(n, i)                                                                          \
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (n);                        \
         i += (size_t)gridDim.x * blockDim.x)

__global__ void cells_add(float *to, const float *left, size_t n) {
    EACH_NUMBER(n, i) {
        emulate_touch(to + i, 4), emulate_touch(left + i, 4);
        to[i] = left[i] + to[i];
    }
}

__global__ void cells_shorten(unsigned short *to, const float *from, size_t n) {
    EACH_NUMBER(n, i) {
        emulate_touch(to + i, 2), emulate_touch(from + i, 4);
        to[i] = to_short(from[i]);
    }
}

__global__ void cells_lengthen(float *to, const unsigned short *from, size_t n) {
    EACH_NUMBER(n, i) {
        emulate_touch(to + i, 4), emulate_touch(from + i, 2);
        to[i] = from_short(from[i]);
    }
}

extern "C" void lh_gpu_cells_add(float *to, const float *left, size_t n, void *stream) {
    LAUNCH(cells_add, dim3(parts_of((long long)n, THREADS)), THREADS, 0, stream, to, left, n);
}

extern "C" void lh_gpu_cells_shorten(unsigned short *to, const float *from, size_t n, void *stream) {
    LAUNCH(cells_shorten, dim3(parts_of((long long)n, THREADS)), THREADS, 0, stream, to, from, n);
}

extern "C" void lh_gpu_cells_lengthen(float *to, const unsigned short *from, size_t n, void *stream) {
    LAUNCH(cells_lengthen, dim3(parts_of((long long)n, THREADS)), THREADS, 0, stream, to, from, n);
}
