/* devices -- which GPUs there are, for who wants to choose.
 *
 *     const char *why;
 *     lh_gpu_device list[8];
 *     int n = lh_devices(list, 8, &why);         0: there is none that this program could use, and why
 */
#ifndef LH_EVAL_CUDA_DEVICES_H
#define LH_EVAL_CUDA_DEVICES_H

#include "eval/cuda/gpu.h"

int lh_devices(lh_gpu_device *list, int most, const char **why); /* list, why: may be NULL */

#endif
