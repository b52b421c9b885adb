/* half -- numbers of 16 bits, and back.
 *
 *     float x = lh_float_from_f16(0x3C00);          1
 *     uint16_t h = lh_f16_from_float(0.1f);         0x2E66
 *     uint16_t b = lh_bf16_from_float(0.1f);        0x3DCD
 *
 * F16 is a sign, 5 bits of exponent, 10 of fraction: three digits, up to 65504. BF16 is the upper half of a float: 8 and 7
 * bits, two digits and a float's range. Both ways keep subnormals, infinities and the sign of zero; a nan stays a nan. To
 * the nearest, ties to even. Sixteen bits to a float is exact.
 */
#ifndef LH_BASE_HALF_H
#define LH_BASE_HALF_H

#include <stdint.h>

float lh_float_from_f16(uint16_t h);
uint16_t lh_f16_from_float(float x); /* from 65520 on: infinity */
float lh_float_from_bf16(uint16_t b);
uint16_t lh_bf16_from_float(float x);

#endif
