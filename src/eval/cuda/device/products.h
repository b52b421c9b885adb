/* products -- matrix products by NVIDIA's libraries, in the stream of plans. */
#ifndef LH_EVAL_CUDA_PRODUCTS_H
#define LH_EVAL_CUDA_PRODUCTS_H

#include "eval/cuda/gpu.h"

void lh_gpu_products_open(void *stream);
void lh_gpu_multiply(const lh_gpu_product *p);
bool lh_gpu_products_can(const lh_gpu_product *p);
const char *lh_gpu_products_name(void); /* NULL: there is no library */
void lh_gpu_products_try(bool tries);

#endif
