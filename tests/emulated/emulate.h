/* emulate -- the words of CUDA for a compiler of C++: kernels run on this machine's processor, a block at a time.
 *
 * Threads that wait for each other (LAUNCH_TOGETHER) are fibres: each runs to its next barrier, then the next one does. Barriers at which not all
 * threads of a warp or a block arrive end the program with a message: on a GPU they would hang or read garbage. LAUNCH_AT_ONCE: all blocks run at once, and
 * a thread may look again and again for what one of another block writes; if nobody ever does, that is a message, too.
 *
 * Arguments are copied when a kernel is launched, as CUDA does. Between emulate_begin_list and emulate_end_list launches are recorded with those copies, and
 * emulate_run_list does them: a list that holds on to a pointer or a number that has changed since gives wrong results here as it does on a GPU.
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
#define __host__
#define __shared__ static
#define __restrict__
#define __launch_bounds__(...)
#define UNROLLED_BY(n)
#define NOT_INLINED

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

extern dim3 threadIdx, blockIdx, blockDim, gridDim;

/* A thread by itself; those of a block together; those of all blocks. */
enum emulate_way { ALONE, ONE_BLOCK, ALL_BLOCKS };
struct emulate_launch {
    const char *name;
    dim3 grid, threads;
    size_t shared;
    emulate_way way;
};
void emulate(const emulate_launch &how, const std::function<void()> &body);
template <class Kernel, class... With>
static inline void emulate_with(const emulate_launch &how, Kernel kernel, With... with) {
    emulate(how, [=] { kernel(with...); });
}
void emulate_wait(bool is_block);
void emulate_meet(unsigned barrier, unsigned n);   /* one of 16 barriers, of n threads of a block */
void emulate_arrive(unsigned barrier, unsigned n); /* ... where this one does not wait */
void emulate_look_again(void);                     /* when the others have gone on */
uint32_t emulate_exchange(uint32_t value, unsigned lane);
uint32_t emulate_ballot(bool is_so);
void *emulate_shared(void);
/* Tiles of bf16, as src/eval/cuda/device/tensor.h has them: by all lanes of a warp together. */
void emulate_multiply(float sums[4], const uint32_t left[4], const uint32_t right[2]);
void emulate_matrices(uint32_t to[4], const unsigned short *row, bool is_turned);
/* Tiles of four warps, as tensor_wide.h has them; n columns. */
void emulate_wide(float *sums, const uint32_t left[4], const unsigned short *right, int n,
                  bool is_turned, bool adds);
size_t emulate_most_shared(void); /* of a block, in bytes: EMULATED_SHARED */
bool emulate_has_wide(void);      /* unless EMULATED_NARROW is set */
void emulate_wide_left(uint32_t to[4], const unsigned short *left);

extern "C" void emulate_touch(const void *p, size_t bytes); /* in its memory? (emulated.c) */
extern "C" const char *emulate_running(void);

/* Lists of launches; note: of what is no kernel, with a copy of its argument. False: nothing is being recorded. */
extern "C" void emulate_begin_list(void);
extern "C" void *emulate_end_list(void);
extern "C" void emulate_run_list(void *list);
extern "C" void emulate_free_list(void *list);
extern "C" bool emulate_note(void (*f)(const void *with), const void *with, size_t bytes);
extern "C" bool emulate_is_recording(void);

#define EMULATE(kernel, grid, threads, shared, stream, way, ...)                                   \
    ((void)(stream), emulate_with(                                                                 \
                         {#kernel, grid, threads, shared, way},                                    \
                         [=](auto... with) { kernel(with...); }, __VA_ARGS__))
#define LAUNCH(kernel, grid, threads, shared, stream, ...)                                         \
    EMULATE(kernel, grid, threads, shared, stream, ALONE, __VA_ARGS__)
#define LAUNCH_TOGETHER(kernel, grid, threads, shared, stream, ...)                                \
    EMULATE(kernel, grid, threads, shared, stream, ONE_BLOCK, __VA_ARGS__)
#define LAUNCH_AT_ONCE(kernel, grid, threads, shared, stream, ...)                                 \
    EMULATE(kernel, grid, threads, shared, stream, ALL_BLOCKS, __VA_ARGS__)
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

struct alignas(8) uint2 {
    unsigned x, y;
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
static inline void atomicAdd(unsigned long long *to, unsigned long long x) {
    emulate_touch(to, sizeof *to);
    *to += x;
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
