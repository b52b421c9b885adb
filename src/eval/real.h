/* real -- the number type of an evaluator: double, once more something wider to check it, once more float for speed.
 *
 * eval/loops.c and every file in graph/ops are compiled three times. With LH_WIDE the type is __float128 where the
 * compiler has libquadmath, else long double; with LH_FAST it is float. LH_NAME(run) is lh_run, lh_wide_run or
 * lh_fast_run; R(exp) is exp, expq, expl or expf.
 */
#ifndef LH_EVAL_REAL_H
#define LH_EVAL_REAL_H

#ifdef LH_FAST
#include <math.h>
typedef float lh_real;
#define LH_REAL_NAME    "float"
#define LH_NAME(name)   lh_fast_##name
#define R(name)         name##f
#define LH_REAL_EPSILON 1.1920928955078125e-7
#elif !defined(LH_WIDE)
#include <math.h>
typedef double lh_real;
#define LH_REAL_NAME    "double"
#define LH_NAME(name)   lh_##name
#define R(f)            f
#define LH_REAL_EPSILON 2.2204460492503131e-16
#elif defined(LH_HAVE_QUADMATH)
#include <quadmath.h>
typedef __float128 lh_real;
#define LH_REAL_NAME    "__float128"
#define LH_NAME(name)   lh_wide_##name
#define R(f)            f##q
#define LH_REAL_EPSILON 1.9259299443872358530559779425849273e-34
#else
#include <float.h>
#include <math.h>
typedef long double lh_real;
#define LH_REAL_NAME  "long double"
#define LH_NAME(name) lh_wide_##name
#define R(f)          f##l
#ifdef __GLIBC__ /* 64 bits of a number on x86, 113 on ARM64; elsewhere functions may have fewer than the type */
#define LH_REAL_EPSILON ((double)LDBL_EPSILON)
#else
#define LH_REAL_EPSILON 1.0842021724855044e-19
#endif
#endif

#endif
