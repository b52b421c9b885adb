/* cuda_kernels -- the table of kernels: which of eval/fast each stands beside, and what it needs besides its leaves. */
#include "eval/cuda/cuda.h"

#define KERNEL(id, file) extern const lh_kernel lh_kernel_##id;
#include "eval/cuda/kernels.def"
#undef KERNEL
extern const lh_kernel lh_kernel_nothing; /* moves no numbers: it needs no code */

const lh_kernel *const lh_cuda_likes[] = {
    &lh_kernel_nothing,
#define KERNEL(id, file) &lh_kernel_##id,
#include "eval/cuda/kernels.def"
#undef KERNEL
    NULL,
};

const lh_kernel *lh_cuda_like(int kernel) {
    return lh_cuda_likes[kernel + 1];
}

/* ---- memory that a kernel needs while it runs, as it is said in its file ---- */

enum { PARTS = 32, PARTS_OF_GRADIENT = 64 };

static void prepare_columns(lh_cuda_work *w) {
    w->gpu.scratch_cells = (size_t)PARTS * (size_t)w->gpu.most.cols;
}

static void prepare_layernorm_back(lh_cuda_work *w) {
    const size_t examples = w->gpu.in[0].step ? (size_t)w->gpu.batch : 1,
                 rows = (size_t)w->gpu.most_in[0].rows, cols = (size_t)w->gpu.most_in[0].cols;
    w->gpu.scratch_cells = 2 * (examples * rows + PARTS * cols);
}

static void prepare_length(lh_cuda_work *w) {
    w->gpu.scratch_cells =
        (size_t)PARTS_OF_GRADIENT * (size_t)w->gpu.n_in * (sizeof(double) / sizeof(float));
}

const lh_cuda_kernel lh_cuda_kernels[LH_GPU_N_KERNELS + 1] = {
    [LH_GPU_summed] = {.sums_products = true},
    [LH_GPU_columns] = {.prepare = prepare_columns},
    [LH_GPU_layernorm] = {.by_rows = true},
    [LH_GPU_layernorm_back] = {.prepare = prepare_layernorm_back},
    [LH_GPU_silu] = {.by_rows = true},
    [LH_GPU_silu_back] = {.by_rows = true},
    [LH_GPU_gelu] = {.by_rows = true},
    [LH_GPU_gelu_back] = {.by_rows = true},
    [LH_GPU_crossentropy] = {.by_rows = true},
    [LH_GPU_length] = {.prepare = prepare_length},
};
