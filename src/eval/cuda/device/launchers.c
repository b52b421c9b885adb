/* launchers -- which function starts the work of an operation, and of a kernel. */
#include "eval/cuda/device/launchers.h"

#define HAS(id) void lh_gpu_##id(const lh_gpu_work *w, void *stream);
#include "eval/cuda/device/operations.def"
#undef HAS
#define KERNEL(id, file) void lh_gpu_kernel_##id(const lh_gpu_work *w, void *stream);
#include "eval/cuda/kernels.def"
#undef KERNEL

static const lh_gpu_launch op[LH_GPU_N_OPS] = {
#define HAS(id) [LH_GPU_OP_##id] = lh_gpu_##id,
#include "eval/cuda/device/operations.def"
#undef HAS
};

static const lh_gpu_launch kernel[LH_GPU_N_KERNELS + 1] = {
#define KERNEL(id, file) [LH_GPU_##id] = lh_gpu_kernel_##id,
#include "eval/cuda/kernels.def"
#undef KERNEL
    NULL,
};

void lh_gpu_launchers(lh_gpu *gpu) {
    for (int i = 0; i < LH_GPU_N_OPS; i++) gpu->op[i] = op[i];
    for (int i = 0; i < LH_GPU_N_KERNELS; i++) gpu->kernel[i] = kernel[i];
    gpu->move_many = lh_gpu_move_many;
    gpu->update_many = lh_gpu_update_many;
    gpu->add_many_numbers = lh_gpu_add_many_numbers;
    gpu->turn = lh_gpu_turn;
    gpu->add_up = lh_gpu_add_up;
    gpu->row = lh_gpu_row_product;
    gpu->attend = lh_gpu_attend;
    gpu->largest = lh_gpu_largest;
    gpu->token = lh_gpu_whole_token;
}
