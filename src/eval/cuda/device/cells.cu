/* cells -- contiguous numbers outside of any work: added, rounded to bf16 and back, a thread for each; and small copies, a thread block for each. */
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

/* Integers: any order of threads comes to the same sum. */
__global__ void sum_bits(const unsigned short *words, size_t n, unsigned long long *sum) {
    unsigned long long own = 0;
    EACH_NUMBER(n, i) {
        emulate_touch(words + i, 2);
        own += (words[i] + 1ull) * (2 * (i * 0x9e3779b97f4a7c15ull ^ i >> 7) + 1);
    }
    atomicAdd(sum, own);
}

extern "C" void lh_gpu_sum_bits(const void *words, long long n, unsigned long long *sum, void *stream) {
    LAUNCH(sum_bits, dim3(parts_of(n, THREADS * 256)), THREADS, 0, stream, (const unsigned short *)words, (size_t)n, sum);
}

struct moves {
    lh_gpu_move one[LH_GPU_MOVES];
};

__global__ void move_all(moves all) {
    const lh_gpu_move m = all.one[blockIdx.x];
    for (size_t i = threadIdx.x; i < m.bytes / sizeof(float); i += blockDim.x) {
        emulate_touch((float *)m.to + i, 4), emulate_touch((const float *)m.from + i, 4);
        ((float *)m.to)[i] = ((const float *)m.from)[i];
    }
}

extern "C" void lh_gpu_move_many(const lh_gpu_move *list, int n, void *stream) {
    moves all = {};
    for (int i = 0; i < n; i++) all.one[i] = list[i];
    if (n) LAUNCH(move_all, dim3((unsigned)n), WARP, 0, stream, all);
}
