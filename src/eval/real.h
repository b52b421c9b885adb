/* real -- the number type of the exact evaluator: double, and once more something wider to check it.
 *
 * eval/exact.c and every file in graph/ops are compiled twice; with LH_WIDE the type is __float128 where the compiler has
 * libquadmath, else long double. LH_NAME(lh_run) is lh_run or lh_wide_run; R(exp) is exp, expq or expl.
 */
#ifndef LH_EVAL_REAL_H
#define LH_EVAL_REAL_H

#ifndef LH_WIDE
#include <math.h>
typedef double lh_real;
#define LH_NAME(name)   lh_##name
#define R(f)            f
#define LH_REAL_EPSILON 2.2204460492503131e-16
#elif defined(LH_HAVE_QUADMATH)
#include <quadmath.h>
typedef __float128 lh_real;
#define LH_NAME(name)   lh_wide_##name
#define R(f)            f##q
#define LH_REAL_EPSILON 1.9259299443872358530559779425849273e-34
#else
#include <math.h>
typedef long double lh_real;
#define LH_NAME(name)   lh_wide_##name
#define R(f)            f##l
#define LH_REAL_EPSILON 1.0842021724855044e-19
#endif

#endif
