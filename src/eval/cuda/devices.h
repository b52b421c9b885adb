/* devices -- which GPUs there are, for who wants to choose.
 *
 *     const char *why;
 *     lh_gpu_device list[8];
 *     int n = lh_devices(list, 8, &why);         0: there is none that this program could use, and why
 */
#ifndef LH_EVAL_CUDA_DEVICES_H
#define LH_EVAL_CUDA_DEVICES_H

#include "eval/cuda/gpu.h"
#include "eval/exact.h"

int lh_devices(lh_gpu_device *list, int most, const char **why); /* list, why: may be NULL */

/* Bytes that a plan of lh_cuda will take for this batch; nothing is taken, no GPU is needed. 0: the context failed */
double lh_cuda_needs(lh_graph *g, const lh_wish *wish, const lh_batch *batch);
/* Is so much there? Else the context fails, with both figures. */
bool lh_cuda_fits(lh_context *ctx, double bytes);

#endif
