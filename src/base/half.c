#include "base/half.h"

#include <string.h>

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* n / 2^shift to the nearest, ties to even. */
static uint32_t divide(uint32_t n, int shift) {
    uint32_t whole = n >> shift, left = n & ((1u << shift) - 1), half = 1u << (shift - 1);
    return whole + (left > half || (left == half && (whole & 1)));
}

/* The exponent counts from 15 in a half and from 127 in a float. */
float lh_float_from_f16(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3FF;
    if (exponent == 31) return float_of(sign | 0x7F800000 | fraction << 13);
    if (exponent > 0) return float_of(sign | (exponent + 127 - 15) << 23 | fraction << 13);
    float tiny = (float)fraction * 0x1p-24f; /* subnormal: no leading one */
    return sign ? -tiny : tiny;
}

uint16_t lh_f16_from_float(float x) {
    uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000, size = bits & 0x7FFFFFFF;
    if (size > 0x7F800000) return (uint16_t)(sign | 0x7E00 | (size >> 13 & 0x3FF));
    if (size >= 0x477FF000) return (uint16_t)(sign | 0x7C00); /* 65520: half way to 65536 */
    if (size >= 0x38800000) /* 2^-14: the smallest with a leading one; a carry moves the exponent */
        return (uint16_t)(sign | (divide(size, 13) - ((127 - 15) << 10)));
    int exponent = (int)(size >> 23), shift = 126 - exponent; /* to units of 2^-24 */
    if (shift > 24) return (uint16_t)sign;
    return (uint16_t)(sign | divide((size & 0x7FFFFF) | 0x800000, shift));
}

float lh_float_from_bf16(uint16_t b) {
    return float_of((uint32_t)b << 16);
}

uint16_t lh_bf16_from_float(float x) {
    uint32_t bits = bits_of(x);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)divide(bits, 16);
}
