/* wish -- options that only the fast evaluator has, and in part the one for a GPU, which knows precision (float or bf16) but no threads.
 *
 *     lh_fast.plan(g, &(lh_wish){.updates = true, .own = &(lh_fast_wish){.threads = 2}});
 */
#ifndef LH_EVAL_FAST_WISH_H
#define LH_EVAL_FAST_WISH_H

/* The type in which large products are computed; everything else, and every sum, is in float. A plan is asked for float or bf16: in int8 and int4 only
 * the weights that it borrows are quantised (eval/fast/quant.h). */
typedef enum lh_precision { LH_IN_FLOAT, LH_IN_BF16, LH_IN_INT8, LH_IN_INT4 } lh_precision;

typedef struct lh_fast_wish {
    int threads;            /* 0: as many as the machine has */
    lh_precision precision; /* the plan fails where the processor has none */
} lh_fast_wish;

const char *lh_bf16_name(void); /* what the processor makes products in bf16 by; NULL: nothing */

#endif
