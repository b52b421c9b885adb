/* machine -- what this machine can do at most, tried out: products of matrices, and reading memory.
 *
 *     lh_machine m = lh_machine_try(ctx, threads);                about half a second
 *     printf("%g GFLOP/s, %g GB/s\n", 2e-9 * m.multiply_adds, 1e-9 * m.bytes);
 *
 * The product is one that fits its library well (1024 x 1024 x 1024, cut for the threads); memory is read in one sweep over more
 * than caches hold. The best of several tries counts, since others may be at work on the same machine.
 */
#ifndef LH_EVAL_FAST_MACHINE_H
#define LH_EVAL_FAST_MACHINE_H

#include "base/context.h"

typedef struct lh_machine {
    int threads;
    double multiply_adds; /* each second; 0: the context failed */
    double bytes;         /* read each second */
} lh_machine;

lh_machine lh_machine_try(lh_context *ctx, int threads); /* 0: as many as there are processors */

#endif
