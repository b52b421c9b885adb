/* kernels -- the table. */
#include "eval/fast/fast.h"

#define KERNEL(name, file) extern const lh_kernel lh_kernel_##name;
#include "eval/fast/kernels.def"
#undef KERNEL

const lh_kernel *const lh_kernels[] = {
#define KERNEL(name, file) &lh_kernel_##name,
#include "eval/fast/kernels.def"
#undef KERNEL
    NULL,
};
