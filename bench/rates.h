/* rates -- what the machine can do at the moment, on the threads of a pool, over a fifth of a second.
 *
 *     double before = lh_rate_products(pool);
 *     ... what is judged ...
 *     share[n++] = rate / (before / 2 + lh_rate_products(pool) / 2);
 *     lh_middle(share, n);
 *
 * On a machine that is shared, what is left to us changes from second to second, by half and more. So the peak is taken just
 * before and just after what it is compared with, by the clock, and of several such shares the one in the middle counts.
 */
#ifndef LH_BENCH_RATES_H
#define LH_BENCH_RATES_H

#include "eval/fast/threads.h"

double lh_rate_products(lh_pool *pool); /* FLOP/s in float, in products that stay in the cache */
double lh_rate_halves(lh_pool *pool);   /* FLOP/s in bf16, in a large product; 0: there is none */
double lh_rate_reading(lh_pool *pool);  /* bytes in a second, of more than caches hold */
double lh_middle(double *x, int n);     /* sorts them; 0 of none */
double lh_clock(void);                  /* seconds */

#endif
