/* launchers -- fills the part of lh_gpu that starts works: the same on a GPU and on an emulated one. */
#ifndef LH_EVAL_CUDA_LAUNCHERS_H
#define LH_EVAL_CUDA_LAUNCHERS_H

#include "eval/cuda/gpu.h"

void lh_gpu_launchers(lh_gpu *gpu);

#endif
