/* launchers -- fills the part of lh_gpu that starts works: the same on a GPU and on an emulated one. */
#ifndef LH_EVAL_CUDA_LAUNCHERS_H
#define LH_EVAL_CUDA_LAUNCHERS_H

#include "eval/cuda/gpu.h"

void lh_gpu_launchers(lh_gpu *gpu);

/* A product without a library (matmul.cu): what it cannot make. */
void lh_gpu_any_product(const lh_gpu_product *p, void *stream);
void lh_gpu_round(const lh_gpu_rounding *list, int n, void *stream);
void lh_gpu_move_many(const lh_gpu_move *list, int n, void *stream); /* cells.cu */
/* *sum, in the GPU's memory, grows by a number that stands for all bits of n 16-bit words */
void lh_gpu_sum_bits(const void *words, long long n, unsigned long long *sum, void *stream);
void lh_gpu_update_many(const lh_gpu_many *all, void *stream);      /* update.cu */
void lh_gpu_add_many_numbers(const lh_gpu_many *all, void *stream); /* each.cu */
void lh_gpu_add_up(const lh_gpu_work *w, void *stream);             /* parts.cu */

/* While generating (grow.cu). */
void lh_gpu_turn(const lh_gpu_rounding *list, int n, void *stream);
void lh_gpu_row_product(const lh_gpu_row *r, void *stream);
void lh_gpu_attend(const lh_gpu_work *w, void *stream);
void lh_gpu_largest(lh_gpu_line from, int n, int *to, void *stream);
bool lh_gpu_whole_token(const lh_gpu_token *t, void *stream); /* token.cu */

#endif
