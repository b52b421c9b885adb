/* amx -- products of bf16 by the tiles of AMX: one instruction multiplies 16 x 32 by 32 x 16 numbers. */
#include <immintrin.h>

#include "eval/fast/bf16.h"

/* ---- tiles ---- */

/* All eight: 16 rows of 64 bytes. */
static const struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} __attribute__((aligned(64))) shape = {.palette = 1,
                                        .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
                                        .rows = {16, 16, 16, 16, 16, 16, 16, 16}};

static void begin(void) {
    _tile_loadconfig(&shape);
}

static void end(void) {
    _tile_release();
}

/* Tiles 0 to 3 are the square, 4 and 5 come from A, 6 and 7 from B: each is used twice. */
static void square(float *c, ptrdiff_t c_rs, const uint16_t *a, const uint16_t *b, ptrdiff_t panel,
                   ptrdiff_t blocks, bool adds) {
    const size_t row = (size_t)c_rs * sizeof *c;
    float *below = c + 16 * c_rs;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    if (adds) {
        _tile_loadd(0, c, row);
        _tile_loadd(1, c + 16, row);
        _tile_loadd(2, below, row);
        _tile_loadd(3, below + 16, row);
    }
    for (ptrdiff_t i = 0; i < blocks; i++, a += LH_BF16_BLOCK, b += LH_BF16_BLOCK) {
        _tile_loadd(6, b, 64);
        _tile_loadd(4, a, 64);
        _tile_loadd(7, b + panel, 64);
        _tile_loadd(5, a + panel, 64);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, c, row);
    _tile_stored(1, c + 16, row);
    _tile_stored(2, below, row);
    _tile_stored(3, below + 16, row);
}

const lh_bf16_way lh_bf16_amx = {.name = "AMX",
                                 .pack = lh_bf16_pack_avx512,
                                 .pack_half = lh_bf16_pack_half_avx512,
                                 .begin = begin,
                                 .square = square,
                                 .end = end};
