/* cuda_kernels -- the table of kernels: which of eval/fast each stands beside. */
#include "eval/cuda/cuda.h"

#define KERNEL(id, file) extern const lh_kernel lh_kernel_##id;
#include "eval/cuda/kernels.def"
#undef KERNEL

const lh_kernel *const lh_cuda_likes[] = {
#define KERNEL(id, file) &lh_kernel_##id,
#include "eval/cuda/kernels.def"
#undef KERNEL
    NULL,
};

const lh_cuda_kernel lh_cuda_kernels[] = {
#define KERNEL(id, file) {.like = &lh_kernel_##id},
#include "eval/cuda/kernels.def"
#undef KERNEL
    {.like = NULL},
};
