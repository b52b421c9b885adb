#define _GNU_SOURCE /* syscall */
#include "eval/fast/bf16.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef LH_HAVE_BF16
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* ---- which way ---- */

#ifdef LH_HAVE_BF16
static bool has_avx512_bf16(void) {
    unsigned a, b, c, d;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")) return false;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && a >> 5 & 1;
}

/* Tiles are 8 KiB that the kernel must save for each thread: a process has to ask for them. */
static bool has_tiles(void) {
    enum { REQUEST = 0x1023, TILES = 18 };
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
    return d >> 24 & 1 && d >> 22 & 1 && syscall(SYS_arch_prctl, REQUEST, TILES) == 0;
}

/* LONGHAND_PROCESSOR, as in processor.c: avx2 and plain have none, avx512 has no tiles. */
static const lh_bf16_way *best_way(void) {
    const char *asked = getenv("LONGHAND_PROCESSOR");
    if (asked && strcmp(asked, "avx512") != 0) return NULL;
    if (!has_avx512_bf16()) return NULL;
    return !asked && has_tiles() ? &lh_bf16_amx : &lh_bf16_avx512;
}

const lh_bf16_way *lh_bf16(void) {
    static atomic_bool was_asked; /* every thread finds the same */
    static const lh_bf16_way *_Atomic way;
    if (!atomic_load_explicit(&was_asked, memory_order_acquire)) {
        atomic_store_explicit(&way, best_way(), memory_order_relaxed);
        atomic_store_explicit(&was_asked, true, memory_order_release);
    }
    return atomic_load_explicit(&way, memory_order_relaxed);
}
#else
const lh_bf16_way *lh_bf16(void) {
    return NULL;
}
#endif

const char *lh_bf16_name(void) {
    const lh_bf16_way *way = lh_bf16();
    return way ? way->name : NULL;
}

/* ---- packing ---- */

typedef struct packed {
    const lh_bf16_way *way;
    const float *from;
    ptrdiff_t lines, k, line_step, k_step;
    bool is_b, is_half; /* half: `from` points at bf16 */
    uint16_t *to;
    ptrdiff_t panels, blocks; /* blocks of a panel */
    int down, across;         /* pieces */
} packed;

enum { PIECE_PANELS = 4, PIECE_BLOCKS = 16 };

static ptrdiff_t up(ptrdiff_t n, ptrdiff_t by) {
    return (n + by - 1) / by;
}

static packed plan_packing(const lh_matrix *m, bool is_b) {
    packed p = {.way = lh_bf16(), .from = m->p, .is_b = is_b};
    p.lines = is_b ? m->cols : m->rows, p.line_step = is_b ? m->cs : m->rs;
    p.k = is_b ? m->rows : m->cols, p.k_step = is_b ? m->rs : m->cs;
    p.panels = 2 * up(p.lines, 2 * LH_BF16_LINES);
    p.blocks = up(p.k, LH_BF16_K);
    p.down = (int)up(p.panels, PIECE_PANELS), p.across = (int)up(p.blocks, PIECE_BLOCKS);
    return p;
}

static void pack_block(const packed *p, ptrdiff_t panel, ptrdiff_t block) {
    const ptrdiff_t line = panel * LH_BF16_LINES, k = block * LH_BF16_K;
    uint16_t *to = p->to + (panel * p->blocks + block) * LH_BF16_BLOCK;
    if (line >= p->lines)
        memset(to, 0, LH_BF16_BLOCK * sizeof *to);
    else if (p->is_half)
        p->way->pack_half(
            to, (const uint16_t *)(const void *)p->from + line * p->line_step + k * p->k_step,
            p->line_step, p->k_step, p->lines - line, p->k - k, p->is_b);
    else
        p->way->pack(to, p->from + line * p->line_step + k * p->k_step, p->line_step, p->k_step,
                     p->lines - line, p->k - k, p->is_b);
}

/* In the order in which the numbers lie. */
static void pack_piece(const packed *p, int piece) {
    const ptrdiff_t p0 = (ptrdiff_t)(piece / p->across) * PIECE_PANELS,
                    b0 = (ptrdiff_t)(piece % p->across) * PIECE_BLOCKS;
    const ptrdiff_t p1 = p0 + PIECE_PANELS < p->panels ? p0 + PIECE_PANELS : p->panels,
                    b1 = b0 + PIECE_BLOCKS < p->blocks ? b0 + PIECE_BLOCKS : p->blocks;
    if (p->k_step == 1)
        for (ptrdiff_t i = p0; i < p1; i++)
            for (ptrdiff_t j = b0; j < b1; j++) pack_block(p, i, j);
    else
        for (ptrdiff_t j = b0; j < b1; j++)
            for (ptrdiff_t i = p0; i < p1; i++) pack_block(p, i, j);
}

/* ---- the product ---- */

enum { SQUARE = 2 * LH_BF16_LINES };
enum { ROWS = 4 * SQUARE, COLS = 8 * SQUARE }; /* of a piece of C at most ... */
enum { ENOUGH = 64 };                          /* ... smaller where there would be fewer pieces */
enum { BLOCKS = 64 }; /* along k at a time: what a piece reads again and again stays near */

typedef struct product {
    packed a, b;
    const lh_matrix *c;
    const float *bias;
    bool adds;
    ptrdiff_t rows, cols; /* of a piece */
    int across;
} product;

static void pack_both(void *what, int piece, int thread) {
    (void)thread;
    const product *t = what;
    const int of_a = t->a.down * t->a.across;
    if (piece < of_a)
        pack_piece(&t->a, piece);
    else
        pack_piece(&t->b, piece - of_a);
}

/* A square of C from (row, col) on, or what C has of it: then by way of a whole one. */
static void multiply_square(const product *t, ptrdiff_t row, ptrdiff_t col, ptrdiff_t from,
                            ptrdiff_t n, bool adds) {
    const lh_matrix *c = t->c;
    const ptrdiff_t panel = t->a.blocks * LH_BF16_BLOCK;
    const uint16_t *a = t->a.to + row / LH_BF16_LINES * panel + from * LH_BF16_BLOCK,
                   *b = t->b.to + col / LH_BF16_LINES * panel + from * LH_BF16_BLOCK;
    float *to = c->p + row * c->rs + col;
    const ptrdiff_t rows = c->rows - row, cols = c->cols - col;
    if (rows >= SQUARE && cols >= SQUARE) {
        t->a.way->square(to, c->rs, a, b, panel, n, adds);
        return;
    }
    float whole[SQUARE * SQUARE] = {0};
    const size_t width = (size_t)(cols < SQUARE ? cols : SQUARE) * sizeof *whole;
    for (ptrdiff_t r = 0; adds && r < rows && r < SQUARE; r++)
        memcpy(whole + r * SQUARE, to + r * c->rs, width);
    t->a.way->square(whole, SQUARE, a, b, panel, n, adds);
    for (ptrdiff_t r = 0; r < rows && r < SQUARE; r++)
        memcpy(to + r * c->rs, whole + r * SQUARE, width);
}

static void multiply_piece(void *what, int piece, int thread) {
    (void)thread;
    const product *t = what;
    const lh_matrix *c = t->c;
    const ptrdiff_t r0 = (ptrdiff_t)(piece / t->across) * t->rows,
                    c0 = (ptrdiff_t)(piece % t->across) * t->cols;
    const ptrdiff_t r1 = r0 + t->rows < c->rows ? r0 + t->rows : c->rows,
                    c1 = c0 + t->cols < c->cols ? c0 + t->cols : c->cols;
    for (ptrdiff_t r = r0; t->bias && r < r1; r++)
        memcpy(c->p + r * c->rs + c0, t->bias + c0, (size_t)(c1 - c0) * sizeof(float));
    t->a.way->begin();
    for (ptrdiff_t k = 0; k < t->a.blocks; k += BLOCKS) {
        const ptrdiff_t n = k + BLOCKS < t->a.blocks ? BLOCKS : t->a.blocks - k;
        for (ptrdiff_t col = c0; col < c1; col += SQUARE)
            for (ptrdiff_t row = r0; row < r1; row += SQUARE)
                multiply_square(t, row, col, k, n, t->adds || t->bias || k > 0);
    }
    t->a.way->end();
}

static bool pack_operands(lh_pool *pool, product *t) {
    const size_t of_a = (size_t)(t->a.panels * t->a.blocks * LH_BF16_BLOCK),
                 of_b = (size_t)(t->b.panels * t->b.blocks * LH_BF16_BLOCK);
    t->a.to = lh_pool_room(pool, (of_a + of_b) * sizeof *t->a.to);
    if (!t->a.to) return false;
    t->b.to = t->a.to + of_a;
    lh_pool_run(pool, t->a.down * t->a.across + t->b.down * t->b.across, pack_both, t);
    return true;
}

bool lh_bf16_pack(lh_pool *pool, const lh_matrix *a, const lh_matrix *b) {
    product t = {.a = plan_packing(a, false), .b = plan_packing(b, true)};
    return t.a.way && pack_operands(pool, &t);
}

/* The longer side is halved, down to two squares: a square comes to the same wherever it is cut. */
static void cut(product *t) {
    const lh_matrix *c = t->c;
    t->rows = ROWS, t->cols = COLS;
    while (up(c->rows, t->rows) * up(c->cols, t->cols) < ENOUGH &&
           (t->rows > 2 * SQUARE || t->cols > 2 * SQUARE)) {
        if (t->cols >= t->rows)
            t->cols /= 2;
        else
            t->rows /= 2;
    }
    t->across = (int)up(c->cols, t->cols);
}

static bool multiply(lh_pool *pool, product *t) {
    if (!t->a.way || t->a.k == 0 || !pack_operands(pool, t)) return false;
    cut(t);
    lh_pool_run(pool, (int)up(t->c->rows, t->rows) * t->across, multiply_piece, t);
    return true;
}

bool lh_bf16_product(lh_pool *pool, const lh_matrix *a, const lh_matrix *b, const lh_matrix *c,
                     const float *bias, bool adds) {
    product t = {.a = plan_packing(a, false),
                 .b = plan_packing(b, true),
                 .c = c,
                 .bias = bias,
                 .adds = adds};
    return multiply(pool, &t);
}

bool lh_bf16_half_product(lh_pool *pool, const lh_matrix *a, const lh_matrix *b, const lh_matrix *c,
                          const float *bias) {
    product t = {.a = plan_packing(a, false), .b = plan_packing(b, true), .c = c, .bias = bias};
    t.b.is_half = true;
    return multiply(pool, &t);
}
