/* emulate -- the words of CUDA for a compiler of C++: kernels run on this machine's processor, a block at a time.
 *
 * Threads that wait for each other (LAUNCH_TOGETHER) are fibres: each runs to its next barrier, then the next one does. Barriers at which not all
 * threads of a warp or a block arrive end the program with a message: on a GPU they would hang or read garbage.
 */
#ifndef LH_TESTS_EMULATE_H
#define LH_TESTS_EMULATE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <functional>

#define __global__
#define __device__
#define __shared__ static
#define __restrict__
#define __launch_bounds__(...)
#define UNROLLED_BY(n)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

extern dim3 threadIdx, blockIdx, blockDim, gridDim;

void emulate(const char *name, dim3 grid, dim3 threads, size_t shared, bool together,
             const std::function<void()> &body);
void emulate_wait(bool is_block);
uint32_t emulate_exchange(uint32_t value, unsigned lane);
uint32_t emulate_ballot(bool is_so);
void *emulate_shared(void);
/* Tiles of bf16, as src/eval/cuda/device/tensor.h has them: by all lanes of a warp together. */
void emulate_multiply(float sums[4], const uint32_t left[4], const uint32_t right[2]);
void emulate_matrices(uint32_t to[4], const unsigned short *row, bool is_turned);
/* Tiles of four warps, as tensor_wide.h has them; n columns. */
void emulate_wide(float *sums, const uint32_t left[4], const unsigned short *right, int n,
                  bool is_turned, bool adds);
bool emulate_has_wide(void); /* unless EMULATED_NARROW is set */
void emulate_wide_left(uint32_t to[4], const unsigned short *left);

extern "C" void emulate_touch(const void *p, size_t bytes); /* in its memory? (emulated.c) */
extern "C" const char *emulate_running(void);

#define LAUNCH(kernel, grid, threads, shared, stream, ...)                                         \
    ((void)(stream), emulate(#kernel, grid, threads, shared, false, [&] { kernel(__VA_ARGS__); }))
#define LAUNCH_TOGETHER(kernel, grid, threads, shared, stream, ...)                                \
    ((void)(stream), emulate(#kernel, grid, threads, shared, true, [&] { kernel(__VA_ARGS__); }))
#define SHARED_MEMORY(type, x) type *x = (type *)emulate_shared()

static inline void __syncthreads() {
    emulate_wait(true);
}
static inline void __syncwarp() {
    emulate_wait(false);
}

static inline float __int_as_float(int bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float __uint_as_float(unsigned bits) {
    return __int_as_float((int)bits);
}

static inline unsigned __float_as_uint(float x) {
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

struct alignas(8) float2 {
    float x, y;
};

struct alignas(16) float4 {
    float x, y, z, w;
};

template <class T> static inline T __shfl_sync(unsigned, T x, int lane) {
    static_assert(sizeof(T) == 4, "a word");
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bits = emulate_exchange(bits, (unsigned)lane % 32);
    memcpy(&x, &bits, 4);
    return x;
}

template <class T> static inline T __shfl_xor_sync(unsigned mask, T x, int d) {
    return __shfl_sync(mask, x, (int)(threadIdx.x % 32) ^ d);
}

static inline unsigned __ballot_sync(unsigned mask, int is_so) {
    (void)mask;
    return emulate_ballot(is_so != 0);
}

static inline int __popc(unsigned x) {
    return __builtin_popcount(x);
}
static inline int __ffs(unsigned x) {
    return __builtin_ffs((int)x);
}
static inline float rsqrtf(float x) {
    return 1.0f / sqrtf(x);
}
#define __expf expf
static inline float __fdividef(float a, float b) {
    return a / b;
}
using std::max;
using std::min;

#endif
