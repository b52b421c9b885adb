/* devices -- which GPUs there are, and how much memory a plan will need.
 *
 *     const char *why;
 *     lh_gpu_device list[8];
 *     int n = lh_devices(list, 8, &why);         0: there is none that this program could use; why says why
 */
#ifndef LH_EVAL_CUDA_DEVICES_H
#define LH_EVAL_CUDA_DEVICES_H

#include "eval/cuda/gpu.h"
#include "eval/exact.h"

/* Bytes besides plans: what products work in; words and steps of a token that is one launch (1 MB at 124M). */
#define LH_CUDA_LIBRARIES 34e6

int lh_devices(lh_gpu_device *list, int most, const char **why); /* list, why: may be NULL */

/* Bytes that a plan of lh_cuda will need for this batch; nothing is allocated, and no GPU is needed. 0: the context failed */
double lh_cuda_needs(lh_graph *g, const lh_wish *wish, const lh_batch *batch);
/* Is so much memory free? If not, the context fails with both figures. */
bool lh_cuda_fits(lh_context *ctx, double bytes);

#endif
