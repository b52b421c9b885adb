/* wish -- what only the fast evaluator can be asked for, and a GPU's: that one knows precision alone, float or bf16.
 *
 *     lh_fast.plan(g, &(lh_wish){.updates = true, .own = &(lh_fast_wish){.threads = 2}});
 */
#ifndef LH_EVAL_FAST_WISH_H
#define LH_EVAL_FAST_WISH_H

/* In what large products are made; all else, and every sum, is in float. In few bits weights alone are lent (eval/fast/quant.h): that is nothing
 * a plan is asked for. */
typedef enum lh_precision { LH_IN_FLOAT, LH_IN_BF16, LH_IN_INT8, LH_IN_INT4 } lh_precision;

typedef struct lh_fast_wish {
    int threads;            /* 0: as many as the machine has */
    lh_precision precision; /* the plan fails where the processor has none */
} lh_fast_wish;

const char *lh_bf16_name(void); /* what the processor makes products in bf16 by; NULL: nothing */

#endif
