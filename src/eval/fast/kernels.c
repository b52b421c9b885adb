/* kernels -- the table. */
#include <string.h>

#include "eval/fast/fast.h"

#define KERNEL(name) extern const lh_kernel lh_kernel_##name;
#include "eval/fast/kernels.def"
#undef KERNEL

const lh_kernel *const lh_kernels[] = {
#define KERNEL(name) &lh_kernel_##name,
#include "eval/fast/kernels.def"
#undef KERNEL
    NULL,
};

bool lh_kernel_is_whole(const lh_graph *g, const lh_node *call) {
    for (const lh_kernel *const *k = lh_kernels; *k; k++)
        if ((*k)->fn && lh_call_is(g, call, (*k)->fn) && (!(*k)->suits || (*k)->suits(g, call)))
            return true;
    return false;
}
