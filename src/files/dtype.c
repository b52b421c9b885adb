/* The types of numbers in a file: their names, their sizes, and what they are as floats and doubles. */
#include <stdint.h>
#include <string.h>

#include "base/half.h"
#include "files/tensors.h"

static const struct {
    const char *name;
    size_t bytes;
} types[LH_N_DTYPES] = {
    [LH_F64] = {"F64", 8},   [LH_F32] = {"F32", 4},         [LH_F16] = {"F16", 2},
    [LH_BF16] = {"BF16", 2}, [LH_I64] = {"I64", 8},         [LH_I32] = {"I32", 4},
    [LH_I16] = {"I16", 2},   [LH_I8] = {"I8", 1},           [LH_U64] = {"U64", 8},
    [LH_U32] = {"U32", 4},   [LH_U16] = {"U16", 2},         [LH_U8] = {"U8", 1},
    [LH_BOOL] = {"BOOL", 1}, [LH_F8_E4M3] = {"F8_E4M3", 1}, [LH_F8_E5M2] = {"F8_E5M2", 1},
    [LH_Q8_0] = {"Q8_0", 1}, [LH_Q4_0] = {"Q4_0", 1},       [LH_Q4_K] = {"Q4_K", 1},
    [LH_Q6_K] = {"Q6_K", 1},
};

size_t lh_dtype_bytes(lh_dtype type) {
    return types[type].bytes;
}

const char *lh_dtype_name(lh_dtype type) {
    return types[type].name;
}

bool lh_dtype_is_native(lh_dtype type) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1 || lh_dtype_bytes(type) == 1;
}

const char *lh_sizes_text(lh_arena *a, int rank, const size_t *size) {
    lh_text t = lh_text_new(a);
    for (int i = 0; i < rank; i++) lh_text_add(&t, i ? " x %zu" : "%zu", size[i]);
    return rank ? t.s : "1";
}

bool lh_tensor_is_number(const lh_tensor *t) {
    return t->type != LH_F8_E4M3 && t->type != LH_F8_E5M2;
}

/* Bytes stand lowest first, wherever they begin. */
static uint64_t load(const unsigned char *p, size_t n) {
    uint64_t x = 0;
    for (size_t i = n; i > 0; i--) x = x << 8 | p[i - 1];
    return x;
}

static float load_f32(const unsigned char *p) {
    uint32_t bits = (uint32_t)load(p, 4);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double load_f64(const unsigned char *p) {
    uint64_t bits = load(p, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A loop for each type, written once for floats and once for doubles. */
#define COPY(REAL)                                                                                 \
    const unsigned char *p = t->data + at * types[t->type].bytes;                                  \
    switch (t->type) {                                                                             \
    case LH_F64:                                                                                   \
        for (size_t i = 0; i < n; i++) out[i] = (REAL)load_f64(p + 8 * i);                         \
        break;                                                                                     \
    case LH_F32:                                                                                   \
        for (size_t i = 0; i < n; i++) out[i] = load_f32(p + 4 * i);                               \
        break;                                                                                     \
    case LH_F16:                                                                                   \
        for (size_t i = 0; i < n; i++) out[i] = lh_float_from_f16((uint16_t)load(p + 2 * i, 2));   \
        break;                                                                                     \
    case LH_BF16:                                                                                  \
        for (size_t i = 0; i < n; i++) out[i] = lh_float_from_bf16((uint16_t)load(p + 2 * i, 2));  \
        break;                                                                                     \
    case LH_I64:                                                                                   \
        for (size_t i = 0; i < n; i++) out[i] = (REAL)(int64_t)load(p + 8 * i, 8);                 \
        break;                                                                                     \
    case LH_I32:                                                                                   \
        for (size_t i = 0; i < n; i++) out[i] = (REAL)(int32_t)load(p + 4 * i, 4);                 \
        break;                                                                                     \
    case LH_I16:                                                                                   \
        for (size_t i = 0; i < n; i++) out[i] = (int16_t)load(p + 2 * i, 2);                       \
        break;                                                                                     \
    case LH_I8:                                                                                    \
        for (size_t i = 0; i < n; i++) out[i] = (int8_t)p[i];                                      \
        break;                                                                                     \
    case LH_U64:                                                                                   \
        for (size_t i = 0; i < n; i++) out[i] = (REAL)load(p + 8 * i, 8);                          \
        break;                                                                                     \
    case LH_U32:                                                                                   \
        for (size_t i = 0; i < n; i++) out[i] = (REAL)load(p + 4 * i, 4);                          \
        break;                                                                                     \
    case LH_U16:                                                                                   \
        for (size_t i = 0; i < n; i++) out[i] = (REAL)load(p + 2 * i, 2);                          \
        break;                                                                                     \
    case LH_U8:                                                                                    \
        for (size_t i = 0; i < n; i++) out[i] = p[i];                                              \
        break;                                                                                     \
    case LH_BOOL:                                                                                  \
        for (size_t i = 0; i < n; i++) out[i] = p[i] != 0;                                         \
        break;                                                                                     \
    default: memset(out, 0, n * sizeof *out); break;                                               \
    }

void lh_tensor_copy_float(const lh_tensor *t, size_t at, size_t n, float *out) {
    if (t->reader) {
        t->reader->cells(t, at, n, out);
        return;
    }
    COPY(float)
}

void lh_tensor_copy_double(const lh_tensor *t, size_t at, size_t n, double *out) {
    for (float x; t->reader && n; n--, at++) {
        t->reader->cells(t, at, 1, &x);
        *out++ = (double)x;
    }
    if (t->reader) return;
    COPY(double)
}

void lh_tensor_copy_column(const lh_tensor *t, size_t col, float *out) {
    if (t->reader) {
        t->reader->column(t, col, out);
        return;
    }
    for (size_t r = 0; r < t->size[0]; r++)
        lh_tensor_copy_float(t, r * t->size[1] + col, 1, out + r);
}
