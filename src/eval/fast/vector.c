#include "eval/fast/vector.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* e^x = 2^n * e^r with n whole and r between -ln 2 / 2 and ln 2 / 2; e^r by a polynomial that is close to it there. */
static inline float expo(float x) {
    const float t = x > 88.7f ? 88.7f : x > -87.0f ? x : -87.0f;            /* of nan, too */
    const float n = (t * 1.44269504088896341f + 12582912.0f) - 12582912.0f; /* to the nearest */
    const float r = (t - n * 0.693359375f) + n * 2.12194440e-4f;
    float y = 1.9875691500e-4f;
    y = y * r + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = y * r * r + r + 1.0f;
    const int32_t bits = ((int32_t)n + 127) * (1 << 23);
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    y = x < -87.0f ? 0.0f : y * scale;
    return x != x ? x : x > 88.7f ? INFINITY : y;
}

static inline float sigmoid(float x) {
    return 1.0f / (1.0f + expo(-x));
}

typedef float sixteen __attribute__((vector_size(64)));
typedef float eight __attribute__((vector_size(32)));
typedef float four __attribute__((vector_size(16)));

/* Halves upon each other until one number is left. */
static inline float added(const float *part) {
    sixteen x;
    memcpy(&x, part, sizeof x);
    const eight y = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) +
                    __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
    const four z =
        __builtin_shufflevector(y, y, 0, 1, 2, 3) + __builtin_shufflevector(y, y, 4, 5, 6, 7);
    return (z[0] + z[2]) + (z[1] + z[3]);
}

/* result = the sum of expr for i from 0 to n - 1 */
#define SUM(result, n, i, expr)                                                                    \
    do {                                                                                           \
        float part_[16] = {0}, rest_ = 0;                                                          \
        ptrdiff_t from_ = 0;                                                                       \
        for (; from_ + 16 <= (n); from_ += 16)                                                     \
            for (ptrdiff_t j_ = 0; j_ < 16; j_++) {                                                \
                const ptrdiff_t i = from_ + j_;                                                    \
                part_[j_] += (expr);                                                               \
            }                                                                                      \
        for (ptrdiff_t i = from_; i < (n); i++) rest_ += (expr);                                   \
        (result) = added(part_) + rest_;                                                           \
    } while (0)

static inline float larger(float a, float b) {
    return a > b ? a : b;
}

static float largest(const float *x, ptrdiff_t n) {
    float part[16], half[8], m = -INFINITY;
    for (int j = 0; j < 16; j++) part[j] = -INFINITY;
    ptrdiff_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (ptrdiff_t j = 0; j < 16; j++) part[j] = larger(x[i + j], part[j]);
    for (int j = 0; j < 8; j++) half[j] = larger(part[j], part[j + 8]);
    for (int j = 0; j < 4; j++) half[j] = larger(half[j], half[j + 4]);
    m = larger(larger(half[0], half[2]), larger(half[1], half[3]));
    for (; i < n; i++) m = larger(x[i], m);
    return m;
}

static const float ROOT = 0.7978845608028654f; /* sqrt(2 / pi) */

/* x * 0.5 (1 + tanh(u)) = x * sigmoid(2 u), u = sqrt(2 / pi) * (x + 0.044715 x^3) */
static void gelu(float *restrict y, const float *restrict x, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++)
        y[i] = x[i] * sigmoid(2 * ROOT * x[i] * (1 + 0.044715f * x[i] * x[i]));
}

/* With s = sigmoid(2 u): the slope is s + x * s * (1 - s) * 2 u'. */
static void gelu_back(float *restrict dx, const float *restrict x, const float *restrict dy,
                      ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) {
        const float xx = x[i] * x[i], s = sigmoid(2 * ROOT * x[i] * (1 + 0.044715f * xx));
        dx[i] = dy[i] * (s + x[i] * s * (1 - s) * 2 * ROOT * (1 + 3 * 0.044715f * xx));
    }
}

static void silu(float *restrict y, const float *restrict x, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) y[i] = x[i] * sigmoid(x[i]);
}

static void silu_back(float *restrict dx, const float *restrict x, const float *restrict dy,
                      ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) {
        const float s = sigmoid(x[i]);
        dx[i] = dy[i] * (s + x[i] * s * (1 - s));
    }
}

static void gate(float *restrict y, const float *restrict a, const float *restrict b, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) y[i] = a[i] * sigmoid(a[i]) * b[i];
}

static void gate_back(float *da, float *db, const float *a, const float *b, const float *dy,
                      ptrdiff_t n) {
    if (da && db)
#ifndef __clang__ /* which says the same in other words, and then does not vectorise */
#pragma GCC ivdep
#endif
        for (ptrdiff_t i = 0; i < n; i++) {
            const float s = sigmoid(a[i]), h = a[i] * s, d = dy[i];
            da[i] = d * b[i] * (s + h * (1 - s));
            db[i] = d * h;
        }
    else
        for (ptrdiff_t i = 0; i < n; i++) {
            const float s = sigmoid(a[i]), h = a[i] * s;
            if (da) da[i] = dy[i] * b[i] * (s + h * (1 - s));
            if (db) db[i] = dy[i] * h;
        }
}

/* In whole vectors as far as there is room: what stands behind the last score that is seen counts nothing. */
static void weigh(float *restrict s, ptrdiff_t seen, ptrdiff_t n, float scale) {
    const ptrdiff_t whole = (seen + 15) / 16 * 16, end = whole < n ? whole : n;
    float sum;
    for (ptrdiff_t i = seen; i < end; i++) s[i] = -INFINITY;
    const float m = largest(s, end) * scale;
    SUM(sum, end, i, s[i] = expo(s[i] * scale - m));
    const float share = 1.0f / sum;
    for (ptrdiff_t i = 0; i < end; i++) s[i] *= share;
    for (ptrdiff_t i = end; i < n; i++) s[i] = 0;
}

/* tanh(x) = 2 sigmoid(2 x) - 1, and its slope is 1 - tanh(x)^2. */
static void bend(float *restrict s, float *restrict slope, ptrdiff_t n, float scale, float cap) {
    const float k = 2 * scale / cap;
    for (ptrdiff_t i = 0; i < n; i++) {
        const float t = 2 * sigmoid(s[i] * k) - 1;
        s[i] = cap * t;
        if (slope) slope[i] = 1 - t * t;
    }
}

static void weigh_back(const float *restrict p, float *restrict d, ptrdiff_t n, float scale) {
    float dot;
    SUM(dot, n, i, p[i] * d[i]);
    for (ptrdiff_t i = 0; i < n; i++) d[i] = p[i] * (d[i] - dot) * scale;
}

/* k: 1 / deviation */
static void measure(const float *restrict x, ptrdiff_t n, float eps, float *mean, float *k) {
    float sum, squared;
    SUM(sum, n, i, x[i]);
    const float m = sum / (float)n;
    SUM(squared, n, i, (x[i] - m) * (x[i] - m));
    *mean = m;
    *k = 1.0f / sqrtf(squared / (float)n + eps);
}

static void norm(float *restrict y, const float *restrict x, const float *restrict g,
                 const float *restrict b, ptrdiff_t n, float eps) {
    float m, k;
    measure(x, n, eps, &m, &k);
    for (ptrdiff_t i = 0; i < n; i++) y[i] = (x[i] - m) * k * g[i] + b[i];
}

static void norm_back(float *restrict dx, float *restrict dg, float *restrict db,
                      const float *restrict x, const float *restrict dy, const float *restrict g,
                      ptrdiff_t n, float eps) {
    float m, k, mean, along;
    measure(x, n, eps, &m, &k);
    SUM(mean, n, i, dy[i] * g[i]);
    SUM(along, n, i, dy[i] * g[i] * ((x[i] - m) * k));
    mean /= (float)n, along /= (float)n;
    if (dx)
        for (ptrdiff_t i = 0; i < n; i++)
            dx[i] = (dy[i] * g[i] - mean - (x[i] - m) * k * along) * k;
    for (ptrdiff_t i = 0; i < n; i++) dg[i] += dy[i] * ((x[i] - m) * k);
    for (ptrdiff_t i = 0; i < n; i++) db[i] += dy[i];
}

/* 1 / root of the mean square */
static float rms_share(const float *restrict x, ptrdiff_t n, float eps) {
    float squared;
    SUM(squared, n, i, x[i] * x[i]);
    return 1.0f / sqrtf(squared / (float)n + eps);
}

static void rms(float *restrict y, const float *restrict x, const float *restrict g, ptrdiff_t n,
                float eps) {
    const float k = rms_share(x, n, eps);
    for (ptrdiff_t i = 0; i < n; i++) y[i] = x[i] * k * g[i];
}

static void rms_back(float *restrict dx, float *restrict dg, const float *restrict x,
                     const float *restrict dy, const float *restrict g, ptrdiff_t n, float eps) {
    const float k = rms_share(x, n, eps);
    float along;
    SUM(along, n, i, dy[i] * g[i] * (x[i] * k));
    along /= (float)n;
    if (dx)
        for (ptrdiff_t i = 0; i < n; i++) dx[i] = (dy[i] * g[i] - x[i] * k * along) * k;
    for (ptrdiff_t i = 0; i < n; i++) dg[i] += dy[i] * (x[i] * k);
}

static float surprise(float *restrict x, ptrdiff_t n, int t, bool goes_back, float dy) {
    const float m = largest(x, n), right = t >= 0 && t < n ? x[t] : NAN;
    float sum;
    if (!goes_back) {
        SUM(sum, n, i, expo(x[i] - m));
        return logf(sum) + m - right;
    }
    for (ptrdiff_t i = 0; i < n; i++) x[i] = expo(x[i] - m);
    SUM(sum, n, i, x[i]);
    const float share = dy / sum;
    for (ptrdiff_t i = 0; i < n; i++) x[i] *= share;
    if (t >= 0 && t < n) x[t] -= dy;
    return logf(sum) + m - right;
}

static float log_sum(const float *restrict x, ptrdiff_t n) {
    const float m = largest(x, n);
    float sum;
    SUM(sum, n, i, expo(x[i] - m));
    return logf(sum) + m;
}

static void shares(float *restrict x, ptrdiff_t n, float sum, float dy) {
    for (ptrdiff_t i = 0; i < n; i++) x[i] = dy * expo(x[i] - sum);
}

static void adam(float *restrict w, float *restrict m, float *restrict v, const float *restrict dw,
                 ptrdiff_t n, const lh_adam *how) {
    const lh_adam a = *how;
    for (ptrdiff_t i = 0; i < n; i++) {
        const float g = dw[i] * a.scale;
        m[i] = a.b1 * m[i] + (1 - a.b1) * g;
        v[i] = a.b2 * v[i] + (1 - a.b2) * g * g;
        w[i] = w[i] * a.keep - a.step * m[i] / (sqrtf(v[i]) * a.root + a.eps);
    }
}

static double squares(const float *restrict x, ptrdiff_t n) {
    double part[8] = {0}, sum = 0;
    ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) part[k] += (double)x[i + k] * x[i + k];
    for (; i < n; i++) sum += (double)x[i] * x[i];
    for (int k = 0; k < 8; k++) sum += part[k];
    return sum;
}

static void add(float *restrict to, const float *restrict from, ptrdiff_t n) {
    for (ptrdiff_t i = 0; i < n; i++) to[i] += from[i];
}

#ifndef LH_GENERATION
#define LH_GENERATION plain
#endif
#define NAME_OF(generation)  NAME_OF_(generation)
#define NAME_OF_(generation) lh_vectors_##generation
#define TEXT_OF(generation)  TEXT_OF_(generation)
#define TEXT_OF_(generation) #generation

extern const lh_vector_loops NAME_OF(LH_GENERATION);
const lh_vector_loops NAME_OF(LH_GENERATION) = {
    .name = TEXT_OF(LH_GENERATION),
    .gelu = gelu,
    .gelu_back = gelu_back,
    .silu = silu,
    .silu_back = silu_back,
    .gate = gate,
    .gate_back = gate_back,
    .weigh = weigh,
    .bend = bend,
    .weigh_back = weigh_back,
    .norm = norm,
    .norm_back = norm_back,
    .rms = rms,
    .rms_back = rms_back,
    .surprise = surprise,
    .log_sum = log_sum,
    .shares = shares,
    .adam = adam,
    .squares = squares,
    .add = add,
};
