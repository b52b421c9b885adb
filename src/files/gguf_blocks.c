/* Quantised blocks, by their definition. */
#include <math.h>
#include <string.h>

#include "files/gguf.h"
#include "base/half.h"

static uint16_t u16_at(const unsigned char *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}

static float f16_at(const unsigned char *p) {
    return lh_float_from_f16(u16_at(p));
}

static void f32_block(const unsigned char *p, float *x) {
    uint32_t bits =
        (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    memcpy(x, &bits, 4);
}

static void f16_block(const unsigned char *p, float *x) {
    *x = f16_at(p);
}

static void bf16_block(const unsigned char *p, float *x) {
    *x = lh_float_from_bf16(u16_at(p));
}

static void q8_0_block(const unsigned char *p, float *x) {
    float d = f16_at(p);
    for (int i = 0; i < 32; i++) x[i] = d * (float)(signed char)p[2 + i];
}

static void q4_0_block(const unsigned char *p, float *x) {
    float d = f16_at(p);
    for (int i = 0; i < 16; i++) {
        x[i] = d * (float)((p[2 + i] & 15) - 8);
        x[i + 16] = d * (float)((p[2 + i] >> 4) - 8);
    }
}

/* The scale and the minimum of group g, six bits each, from twelve bytes: the first four groups as a whole; the upper bits of the others are stored in theirs. */
static void q4_k_scale(const unsigned char *s, int g, float *scale, float *least) {
    int a = g < 4 ? s[g] & 63 : (s[g + 4] & 15) | (s[g - 4] >> 6) << 4;
    int b = g < 4 ? s[g + 4] & 63 : (s[g + 4] >> 4) | (s[g] >> 6) << 4;
    *scale = (float)a;
    *least = (float)b;
}

static void q4_k_block(const unsigned char *p, float *x) {
    float d = f16_at(p), m = f16_at(p + 2), scale, least;
    for (int g = 0; g < 8; g++) {
        const unsigned char *q = p + 16 + g / 2 * 32;
        q4_k_scale(p + 4, g, &scale, &least);
        for (int i = 0; i < 32; i++) {
            int v = g % 2 ? q[i] >> 4 : q[i] & 15;
            x[32 * g + i] = d * scale * (float)v - m * least;
        }
    }
}

static void q6_k_block(const unsigned char *p, float *x) {
    const unsigned char *high = p + 128;
    const signed char *scale = (const signed char *)p + 192;
    float d = f16_at(p + 208);
    for (int i = 0; i < 256; i++) {
        int half = i / 128, part = i % 128 / 32, k = i % 32;
        const signed char steps = scale[i / 16];
        int low = p[64 * half + 32 * (part % 2) + k];
        int q = (part < 2 ? low & 15 : low >> 4) | (high[32 * half + k] >> 2 * part & 3) << 4;
        x[i] = d * (float)steps * (float)(q - 32);
    }
}

typedef struct block_type {
    lh_gguf_type type;
    const char *name;
    size_t cells, bytes; /* of a block */
    void (*read)(const unsigned char *p, float *x);
} block_type;

static const block_type types[] = {{LH_GGUF_TYPE_F32, "F32", 1, 4, f32_block},
                                   {LH_GGUF_TYPE_F16, "F16", 1, 2, f16_block},
                                   {LH_GGUF_TYPE_BF16, "BF16", 1, 2, bf16_block},
                                   {LH_GGUF_TYPE_Q8_0, "Q8_0", 32, 34, q8_0_block},
                                   {LH_GGUF_TYPE_Q4_0, "Q4_0", 32, 18, q4_0_block},
                                   {LH_GGUF_TYPE_Q4_K, "Q4_K", 256, 144, q4_k_block},
                                   {LH_GGUF_TYPE_Q6_K, "Q6_K", 256, 210, q6_k_block}};

static const block_type *type_of(lh_gguf_type type) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type) return &types[i];
    return NULL;
}

const char *lh_gguf_type_name(lh_gguf_type type) {
    const block_type *t = type_of(type);
    return t ? t->name : NULL;
}

bool lh_gguf_block(lh_gguf_type type, size_t *cells, size_t *bytes) {
    const block_type *t = type_of(type);
    if (!t) return false;
    *cells = t->cells;
    *bytes = t->bytes;
    return true;
}

void lh_gguf_copy(const lh_gguf_tensor *t, size_t at, size_t n, float *out) {
    const block_type *b = type_of(t->type);
    const unsigned char *p = t->data + at / b->cells * b->bytes;
    for (size_t i = 0; i + b->cells <= n; i += b->cells, p += b->bytes) b->read(p, out + i);
}

/* The largest becomes 127; halves are rounded away from zero, as by roundf. */
void lh_gguf_pack_q8(const float *x, size_t n, unsigned char *out) {
    for (size_t b = 0; b < n / 32; b++, x += 32, out += 34) {
        float most = 0;
        for (int i = 0; i < 32; i++) most = fmaxf(most, fabsf(x[i]));
        float d = most / 127, inverse = d > 0 ? 1 / d : 0;
        uint16_t h = lh_f16_from_float(d);
        out[0] = (unsigned char)h, out[1] = (unsigned char)(h >> 8);
        for (int i = 0; i < 32; i++)
            out[2 + i] = (unsigned char)(signed char)roundf(x[i] * inverse);
    }
}
