#include "eval/fast/quant.h"

#include <math.h>
#include <string.h>

#include "base/half.h"

enum { BLOCK = LH_QUANT_BLOCK, LINES = LH_QUANT_LINES, WIDTH = LINES * LH_QUANT_PANELS };

/* ---- where things lie ---- */

static ptrdiff_t blocks_of(ptrdiff_t k) {
    return (k + BLOCK - 1) / BLOCK;
}

static ptrdiff_t panels_of(ptrdiff_t lines) {
    return (lines + LINES - 1) / LINES;
}

/* Codes of a block of all lines of a panel. */
static ptrdiff_t code_bytes(int bits) {
    return (ptrdiff_t)LINES * BLOCK * bits / 8;
}

/* Whole cache lines. */
static ptrdiff_t panel_bytes(int bits, ptrdiff_t k) {
    return (blocks_of(k) * (code_bytes(bits) + 2 * LINES) + 63) / 64 * 64;
}

size_t lh_quant_bytes(int bits, ptrdiff_t lines, ptrdiff_t k) {
    return (size_t)panels_of(lines) * (size_t)panel_bytes(bits, k);
}

static unsigned char *panel_at(const lh_quant *q, ptrdiff_t panel) {
    return q->data + panel * panel_bytes(q->bits, q->k);
}

static unsigned char *scale_at(const lh_quant *q, ptrdiff_t line, ptrdiff_t block) {
    return panel_at(q, line / LINES) + blocks_of(q->k) * code_bytes(q->bits) +
           (block * LINES + line % LINES) * 2;
}

static unsigned char *codes_at(const lh_quant *q, ptrdiff_t line, ptrdiff_t block) {
    return panel_at(q, line / LINES) + block * code_bytes(q->bits) + line % LINES * 4;
}

/* ---- one block ---- */

static void put_scale(unsigned char *to, float scale) {
    const uint16_t h = lh_f16_from_float(scale);
    to[0] = (unsigned char)h, to[1] = (unsigned char)(h >> 8);
}

static float scale_of(const unsigned char *from) {
    return lh_float_from_f16((uint16_t)(from[0] | from[1] << 8));
}

/* Four codes at a time. */
static void put_codes(int bits, unsigned char *to, const signed char *code) {
    for (int j = 0; j < bits; j++) {
        uint32_t low, high;
        memcpy(&low, code + 4 * j, 4);
        memcpy(&high, code + (bits == 8 ? 0 : 16) + 4 * j, 4);
        low = bits == 8
                  ? low ^ 0x80808080u
                  : ((low & 0x0f0f0f0fu) ^ 0x08080808u) | ((high & 0x0f0f0f0fu) ^ 0x08080808u) << 4;
        memcpy(to + 64 * j, &low, 4);
    }
}

void lh_quant_get(const lh_quant *q, ptrdiff_t line, ptrdiff_t block, lh_quant_block *out) {
    const unsigned char *from = codes_at(q, line, block);
    out->scale = scale_of(scale_at(q, line, block));
    for (int i = 0; i < BLOCK; i++) {
        const int j = i / 4 % q->bits, code = from[64 * j + i % 4];
        out->code[i] =
            (signed char)(q->bits == 8 ? code - 128 : ((i < 16 ? code : code >> 4) & 15) - 8);
    }
}

void lh_quant_line(const lh_quant *q, ptrdiff_t line, float *out) {
    lh_quant_block b;
    for (ptrdiff_t i = 0; i < q->k; i++) {
        if (i % BLOCK == 0) lh_quant_get(q, line, i / BLOCK, &b);
        out[i] = b.scale * (float)b.code[i % BLOCK];
    }
}

void lh_quant_round_row(const float *x, int n, lh_quant_block *out) {
    lh_quant_way()->round8(x, n, out->code, &out->scale);
}

void lh_quant_round(int bits, const float *x, int n, lh_quant_block *out) {
    const lh_quant_ways *way = lh_quant_way();
    (bits == 8 ? way->round8 : way->round4)(x, n, out->code, &out->scale);
    out->scale = lh_float_from_f16(lh_f16_from_float(out->scale));
}

/* ---- packing ---- */

typedef struct packing {
    const lh_quant *q;
    lh_quant_read read;
    void *who;
    unsigned char *room; /* bytes for each thread */
    size_t bytes;
    bool *is_too_large; /* for each panel */
} packing;

static const float TOO_LARGE = 65520; /* from here on a scale in 16 bits is infinite */

static void put_line(const packing *t, ptrdiff_t line, const signed char *code,
                     const float *scale) {
    for (ptrdiff_t b = 0; b < blocks_of(t->q->k); b++) {
        put_codes(t->q->bits, codes_at(t->q, line, b), code + b * BLOCK);
        put_scale(scale_at(t->q, line, b), scale[b]);
        if (isfinite(scale[b]) && fabsf(scale[b]) >= TOO_LARGE)
            t->is_too_large[line / LINES] = true;
    }
}

/* A thread's memory: the numbers of a panel, then codes and scales of a line. */
static void pack_panel(void *what, int panel, int thread) {
    const packing *t = what;
    const lh_quant *q = t->q;
    const ptrdiff_t first = (ptrdiff_t)panel * LINES, blocks = blocks_of(q->k);
    const int n = (int)(q->lines - first < LINES ? q->lines - first : LINES);
    float *x = (float *)(void *)(t->room + (size_t)thread * t->bytes), *scale = x + LINES * q->k;
    signed char *code = (signed char *)(scale + blocks);
    const ptrdiff_t size = panel_bytes(q->bits, q->k), rest = n < LINES ? size : 64;
    memset(panel_at(q, panel) + size - rest, 0, (size_t)rest); /* what no line fills */
    t->read(t->who, first, n, x, q->k);
    for (int i = 0; i < n; i++) {
        const lh_quant_ways *way = lh_quant_way();
        (q->bits == 8 ? way->round8 : way->round4)(x + i * q->k, q->k, code, scale);
        put_line(t, first + i, code, scale);
    }
}

bool lh_quant_pack(lh_pool *pool, const lh_quant *q, lh_quant_read read, void *who) {
    const size_t threads = (size_t)lh_pool_threads(pool), n = (size_t)panels_of(q->lines),
                 blocks = (size_t)blocks_of(q->k),
                 bytes = ((size_t)(LINES * q->k) + blocks) * sizeof(float) + blocks * BLOCK;
    packing t = {.q = q, .read = read, .who = who, .bytes = (bytes + 63) / 64 * 64};
    bool is_good = true;
    t.room = lh_pool_room(pool, threads * t.bytes + n * sizeof *t.is_too_large);
    if (!t.room) return false;
    t.is_too_large = (bool *)(t.room + threads * t.bytes);
    memset(t.is_too_large, 0, n * sizeof *t.is_too_large);
    lh_pool_run(pool, (int)n, pack_panel, &t);
    for (size_t i = 0; i < n; i++) is_good &= !t.is_too_large[i];
    return is_good;
}

/* ---- products ---- */

typedef struct product {
    const lh_matrix *a, *c;
    const lh_quant *q;
    const float *bias;
    lh_quant_rows rows;
    int down, across; /* pieces */
} product;

/* Some numbers of a row of A, from column `from` on, as row `to` of what is rounded. */
static void round_row(const product *t, ptrdiff_t row, ptrdiff_t from, ptrdiff_t n, ptrdiff_t to) {
    const lh_quant_rows *x = &t->rows;
    const float *p = t->a->p + row * t->a->rs + from * t->a->cs;
    float some[BLOCK];
    for (ptrdiff_t b = 0; b < blocks_of(n); b++) {
        const ptrdiff_t at = to * x->blocks + b, k = n - b * BLOCK < BLOCK ? n - b * BLOCK : BLOCK;
        for (ptrdiff_t i = 0; i < k; i++) some[i] = p[(b * BLOCK + i) * t->a->cs];
        lh_quant_way()->round8(some, k, x->code + at * BLOCK, x->scale + at);
        int sum = 0;
        for (int i = 0; i < BLOCK; i++) sum += x->code[at * BLOCK + i];
        x->minus[at] = -sum * (t->q->bits == 8 ? 128 : 8);
    }
}

static void round_piece(void *what, int piece, int thread) {
    (void)thread;
    const product *t = what;
    const ptrdiff_t to = lh_piece_from(t->a->rows, piece + 1, t->down);
    for (ptrdiff_t r = lh_piece_from(t->a->rows, piece, t->down); r < to; r++)
        round_row(t, r, 0, t->a->cols, r);
}

/* Sums of a row to where they belong; what a panel has behind the last line is left out. */
static void put_sums(const product *t, ptrdiff_t row, ptrdiff_t line, int n, const float *sum) {
    float *to = t->c->p + row * t->c->rs + line * t->c->cs;
    for (int i = 0; i < n && line + i < t->q->lines; i++)
        to[i * t->c->cs] = t->bias ? sum[i] + t->bias[line + i] : sum[i];
}

enum { DEPTH = 16, ROWS = 64 }; /* blocks of a few panels that stay near; rows at a time */

/* A few panels with up to ROWS rows: some blocks of them with all rows, then the next ones. */
static void few_panels(const product *t, ptrdiff_t row, int n, ptrdiff_t panel, int panels) {
    const ptrdiff_t blocks = blocks_of(t->q->k);
    float sum[ROWS * WIDTH] = {0};
    const ptrdiff_t depth = n > LH_QUANT_ROWS ? DEPTH : blocks;
    for (ptrdiff_t b = 0; b < blocks; b += depth)
        for (int r = 0; r < n; r += LH_QUANT_ROWS)
            lh_quant_way()->tile(
                &(lh_quant_tile){.rows = &t->rows,
                                 .row = row + r,
                                 .n_rows = n - r < LH_QUANT_ROWS ? n - r : LH_QUANT_ROWS,
                                 .bits = t->q->bits,
                                 .code = codes_at(t->q, panel * LINES, 0),
                                 .scale = scale_at(t->q, panel * LINES, 0),
                                 .panel_bytes = panel_bytes(t->q->bits, t->q->k),
                                 .n_panels = panels,
                                 .from = b,
                                 .to = b + depth < blocks ? b + depth : blocks,
                                 .sum = sum + r * WIDTH});
    for (int r = 0; r < n; r++)
        put_sums(t, row + r, panel * LINES, panels * LINES, sum + r * WIDTH);
}

static void multiply_piece(void *what, int piece, int thread) {
    (void)thread;
    const product *t = what;
    const ptrdiff_t all = panels_of(t->q->lines), i = piece / t->across, j = piece % t->across,
                    r0 = lh_piece_from(t->a->rows, (int)i, t->down),
                    r1 = lh_piece_from(t->a->rows, (int)i + 1, t->down),
                    p1 = lh_piece_from(all, (int)j + 1, t->across);
    const int most = t->a->rows > LH_QUANT_ROWS ? 2 : LH_QUANT_PANELS;
    for (ptrdiff_t p = lh_piece_from(all, (int)j, t->across); p < p1; p += most)
        for (ptrdiff_t r = r0; r < r1; r += ROWS)
            few_panels(t, r, (int)(r1 - r < ROWS ? r1 - r : ROWS), p,
                       (int)(p1 - p < most ? p1 - p : most));
}

static bool reserve_rows(lh_pool *pool, product *t) {
    const size_t blocks = (size_t)blocks_of(t->q->k), n = (size_t)t->a->rows * blocks;
    unsigned char *room =
        lh_pool_room(pool, n * (BLOCK + sizeof *t->rows.scale + sizeof *t->rows.minus));
    t->rows = (lh_quant_rows){.code = (signed char *)room,
                              .scale = (float *)(void *)(room + n * BLOCK),
                              .minus = (int *)(void *)(room + n * (BLOCK + sizeof(float))),
                              .blocks = (ptrdiff_t)blocks};
    return room != NULL;
}

/* Without memory: a row at a time, some blocks of it at a time. What stands in C goes on. */
static void multiply_slowly(product *t) {
    enum { SOME = 32 };
    signed char code[SOME * BLOCK];
    float scale[SOME];
    int minus[SOME];
    const ptrdiff_t blocks = blocks_of(t->q->k);
    const lh_quant *q = t->q;
    t->rows = (lh_quant_rows){code, scale, minus, 0};
    for (ptrdiff_t r = 0; r < t->a->rows; r++)
        for (ptrdiff_t line = 0; line < q->lines; line += LINES) {
            float sum[WIDTH] = {0};
            for (ptrdiff_t b = 0; b < blocks; b += SOME) {
                const ptrdiff_t n = blocks - b < SOME ? blocks - b : SOME, left = q->k - b * BLOCK;
                round_row(t, r, b * BLOCK, left < SOME * BLOCK ? left : SOME * BLOCK, 0);
                lh_quant_way()->tile(&(lh_quant_tile){.rows = &t->rows,
                                                      .n_rows = 1,
                                                      .bits = q->bits,
                                                      .code = codes_at(q, line, b),
                                                      .scale = scale_at(q, line, b),
                                                      .n_panels = 1,
                                                      .to = n,
                                                      .sum = sum});
            }
            put_sums(t, r, line, LINES, sum);
        }
}

void lh_quant_product(lh_pool *pool, const lh_matrix *a, const lh_quant *q, const lh_matrix *c,
                      const float *bias) {
    product t = {.a = a, .c = c, .q = q, .bias = bias};
    if (!reserve_rows(pool, &t)) {
        multiply_slowly(&t);
        return;
    }
    t.down = lh_pieces((size_t)(a->rows * a->cols), 1 << 14);
    if (t.down > a->rows) t.down = (int)a->rows;
    lh_pool_run(pool, t.down, round_piece, &t);
    const double work = (double)a->rows * (double)q->lines * (double)q->k;
    const ptrdiff_t panels = panels_of(q->lines);
    t.down = (int)((a->rows + ROWS - 1) / ROWS);
    t.across = lh_pieces((size_t)(work / t.down), 1 << 18);
    if (t.across > (panels + LH_QUANT_PANELS - 1) / LH_QUANT_PANELS)
        t.across = (int)((panels + LH_QUANT_PANELS - 1) / LH_QUANT_PANELS);
    lh_pool_run(pool, t.down * t.across, multiply_piece, &t);
}
