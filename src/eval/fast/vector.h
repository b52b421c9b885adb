/* vector -- the innermost loops of the kernels, over numbers that lie side by side.
 *
 *     lh_vector()->gelu(y, x, n);
 *
 * vector.c is compiled for several generations of processors; the best that this machine has is taken. Sums are made in
 * sixteen parts that are then added in a fixed order: the same bits on every run. exp is good to 2 units in the last place
 * of a float; exp(-inf) is 0 and nan stays nan.
 */
#ifndef LH_EVAL_FAST_VECTOR_H
#define LH_EVAL_FAST_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

/* adam for one value: gradients times `scale`; `step` is rate / (1 - b1^t), `root` 1 / sqrt(1 - b2^t), `keep` what decay
 * leaves of the weight. */
typedef struct lh_adam {
    float scale, b1, b2, eps, step, root, keep;
} lh_adam;

typedef struct lh_vector_loops {
    const char *name; /* "avx512", "avx2", "plain" */
    void (*gelu)(float *y, const float *x, ptrdiff_t n);
    void (*gelu_back)(float *dx, const float *x, const float *dy, ptrdiff_t n);
    void (*silu)(float *y, const float *x, ptrdiff_t n);
    void (*silu_back)(float *dx, const float *x, const float *dy, ptrdiff_t n);
    void (*gate)(float *y, const float *a, const float *b, ptrdiff_t n); /* silu(a) * b */
    /* da, db: or NULL; db may be dy */
    void (*gate_back)(float *da, float *db, const float *a, const float *b, const float *dy,
                      ptrdiff_t n);
    /* softmax of the first `seen` scores times scale; 0 behind them */
    void (*weigh)(float *s, ptrdiff_t seen, ptrdiff_t n, float scale);
    /* s becomes cap * tanh(s * scale / cap); slope: ds, or NULL */
    void (*bend)(float *s, float *slope, ptrdiff_t n, float scale, float cap);
    /* d becomes p * (d - sum(p * d)) * scale */
    void (*weigh_back)(const float *p, float *d, ptrdiff_t n, float scale);
    void (*norm)(float *y, const float *x, const float *g, const float *b, ptrdiff_t n, float eps);
    /* dx may be NULL; dg and db are added to */
    void (*norm_back)(float *dx, float *dg, float *db, const float *x, const float *dy,
                      const float *g, ptrdiff_t n, float eps);
    void (*rms)(float *y, const float *x, const float *g, ptrdiff_t n, float eps);
    /* dx may be NULL; dg is added to */
    void (*rms_back)(float *dx, float *dg, const float *x, const float *dy, const float *g,
                     ptrdiff_t n, float eps);
    /* log(sum(exp(x))) - x[t]; x becomes dy * (softmax(x) - onehot(t)) */
    float (*surprise)(float *x, ptrdiff_t n, int t, bool goes_back, float dy);
    float (*log_sum)(const float *x, ptrdiff_t n); /* log(sum(exp(x))) */
    /* x becomes dy * exp(x - log_sum) */
    void (*shares)(float *x, ptrdiff_t n, float log_sum, float dy);
    void (*adam)(float *w, float *m, float *v, const float *g, ptrdiff_t n, const lh_adam *a);
    double (*squares)(const float *x, ptrdiff_t n);         /* sum of x * x */
    void (*add)(float *to, const float *from, ptrdiff_t n); /* to += from */
} lh_vector_loops;

const lh_vector_loops *lh_vector(void);

#endif
