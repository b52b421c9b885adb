/* attention -- what a kernel for attention knows of a call besides its operands: for the kernels of other backends. */
#ifndef LH_EVAL_FAST_ATTENTION_H
#define LH_EVAL_FAST_ATTENTION_H

#include "eval/kernel.h"

typedef struct lh_attention_numbers {
    bool causal;
    ptrdiff_t window, sinks; /* window 0: none */
    float scale, cap;        /* cap 0: none */
} lh_attention_numbers;

/* n: the call, or what it sends back; m: its match; cols: of K */
lh_attention_numbers lh_attention_numbers_of(const lh_node *n, const lh_match *m, int cols);

#endif
