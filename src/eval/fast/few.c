#include "eval/fast/few.h"

#include <string.h>

#include "eval/fast/bf16.h"
#include "eval/fast/row.h"
#include "eval/fast/vector.h"

/* B as it lies in memory: rows one after another are cut across and down, and the parts added; where it lies turned,
 * each of its columns gives a number by itself. */
typedef struct few {
    const lh_matrix *a, *b, *c;
    const float *bias;
    bool is_half;
    int down, across;
    float *part; /* [rows of A][down][columns], where down > 1 */
} few;

enum { WIDTH = 768, LINES = 8 }; /* columns of a piece; rows come in eights */
enum { PIECE = 1 << 17, MOST = 16 };

static const uint16_t *half_at(const lh_matrix *b, ptrdiff_t row, ptrdiff_t col) {
    return (const uint16_t *)(const void *)b->p + row * b->rs + col * b->cs;
}

static void part_of_rows(void *what, int piece, int thread) {
    (void)thread;
    const few *t = what;
    const lh_matrix *b = t->b;
    const int i = piece / t->across, j = piece % t->across;
    const ptrdiff_t lines = (b->rows + LINES - 1) / LINES, n = b->cols,
                    k0 = lh_piece_from(lines, i, t->down) * LINES,
                    end = lh_piece_from(lines, i + 1, t->down) * LINES,
                    k1 = end < b->rows ? end : b->rows, c0 = lh_piece_from(n, j, t->across),
                    c1 = lh_piece_from(n, j + 1, t->across);
    for (ptrdiff_t r = 0; r < t->c->rows; r++) {
        const float *x = t->a->p + r * t->a->rs + k0;
        float *y = t->down > 1 ? t->part + (r * t->down + i) * n + c0 : t->c->p + r * t->c->rs + c0;
        if (t->is_half)
            lh_row_way()->product_half(y, x, half_at(b, k0, c0), b->rs, k1 - k0, c1 - c0);
        else
            lh_row_way()->product(y, x, b->p + k0 * b->rs + c0, b->rs, k1 - k0, c1 - c0);
    }
}

static void some_columns(void *what, int piece, int thread) {
    (void)thread;
    const few *t = what;
    const lh_matrix *b = t->b;
    const ptrdiff_t c0 = lh_piece_from(b->cols, piece, t->across),
                    c1 = lh_piece_from(b->cols, piece + 1, t->across);
    for (ptrdiff_t r = 0; r < t->c->rows; r++) {
        const float *x = t->a->p + r * t->a->rs;
        float *y = t->c->p + r * t->c->rs + c0;
        if (t->is_half)
            lh_row_way()->dots_half(y, x, half_at(b, 0, c0), b->cs, b->rows, c1 - c0);
        else
            lh_row_way()->dots(y, x, b->p + c0 * b->cs, b->cs, b->rows, c1 - c0);
    }
}

static void add_parts(const few *t) {
    const size_t bytes = (size_t)t->b->cols * sizeof(float);
    for (ptrdiff_t r = 0; r < t->c->rows; r++) {
        float *y = t->c->p + r * t->c->rs;
        const float *part = t->part + r * t->down * t->b->cols;
        if (t->down > 1) memcpy(y, part, bytes);
        for (int i = 1; i < t->down; i++) lh_vector()->add(y, part + i * t->b->cols, t->b->cols);
        if (t->bias) lh_vector()->add(y, t->bias, t->b->cols);
    }
}

static int at_most(ptrdiff_t n, ptrdiff_t most) {
    return (int)(n < 1 ? 1 : n > most ? most : n);
}

/* By sizes alone: the same sums for any number of threads, unless there is no memory for their parts. */
static void cut_rows(lh_pool *pool, few *t) {
    const ptrdiff_t cells = t->b->rows * t->b->cols, rows = t->c->rows;
    t->across = at_most((t->b->cols + WIDTH - 1) / WIDTH, MOST);
    t->down = at_most(cells / PIECE, MOST) / t->across;
    t->down = at_most(t->down, (t->b->rows + LINES - 1) / LINES);
    if (t->down > 1)
        t->part = lh_pool_room(pool, (size_t)(rows * t->down * t->b->cols) * sizeof *t->part);
    if (!t->part) t->down = 1;
}

bool lh_few_product(lh_pool *pool, const lh_matrix *a, const lh_matrix *b, bool is_half,
                    const lh_matrix *c, const float *bias) {
    few t = {.a = a, .b = b, .c = c, .bias = bias, .is_half = is_half, .down = 1};
    if (c->rows > LH_FEW || (a->cs != 1 && a->cols > 1) || (c->rs == 0 && c->rows > 1) ||
        (c->cs != 1 && c->cols > 1))
        return false;
    if (b->cs == 1 || b->cols == 1) {
        cut_rows(pool, &t);
        lh_pool_run(pool, t.down * t.across, part_of_rows, &t);
    } else if (b->rs == 1 || b->rows == 1) {
        t.across = at_most(lh_pieces((size_t)(b->rows * b->cols), 1 << 16), (b->cols + 63) / 64);
        lh_pool_run(pool, t.across, some_columns, &t);
    } else {
        return false;
    }
    add_parts(&t);
    return true;
}

/* ---- many rows ---- */

static void widen_line(void *what, int piece, int thread) {
    (void)thread;
    const few *t = what; /* across lines; part: where to */
    const lh_matrix *b = t->b;
    const bool is_turned = b->cs != 1 && b->cols > 1;
    const ptrdiff_t lines = is_turned ? b->cols : b->rows, n = is_turned ? b->rows : b->cols,
                    from = lh_piece_from(lines, piece, t->across),
                    to = lh_piece_from(lines, piece + 1, t->across);
    for (ptrdiff_t i = from; i < to; i++)
        lh_row_way()->widen(t->part + i * n, is_turned ? half_at(b, 0, i) : half_at(b, i, 0), n);
}

/* B in float, in the pool's memory; p is NULL where that has none. */
static lh_matrix widened(lh_pool *pool, const lh_matrix *b) {
    const bool is_turned = b->cs != 1 && b->cols > 1;
    few t = {.b = b, .across = lh_pieces((size_t)(b->rows * b->cols), 1 << 16)};
    t.part = lh_pool_room(pool, (size_t)(b->rows * b->cols) * sizeof *t.part);
    if (t.part) lh_pool_run(pool, t.across, widen_line, &t);
    return (lh_matrix){t.part, b->rows, b->cols, is_turned ? 1 : b->cols, is_turned ? b->rows : 1};
}

static void by_definition(const lh_matrix *a, const lh_matrix *b, const lh_matrix *c,
                          const float *bias) {
    for (ptrdiff_t r = 0; r < c->rows; r++)
        for (ptrdiff_t k = 0; k < c->cols; k++) {
            float sum = bias ? bias[k] : 0, x;
            for (ptrdiff_t i = 0; i < a->cols; i++) {
                lh_row_way()->widen(&x, half_at(b, i, k), 1);
                sum += a->p[r * a->rs + i * a->cs] * x;
            }
            c->p[r * c->rs + k * c->cs] = sum;
        }
}

void lh_half_product(lh_pool *pool, const lh_matrix *a, const lh_matrix *b, const lh_matrix *c,
                     const float *bias) {
    if (lh_few_product(pool, a, b, true, c, bias)) return;
    const bool is_plain = lh_matrix_is_plain(a) && (c->cs == 1 || c->cols == 1),
               uses_bf16 = lh_pool_uses_bf16(pool);
    if (is_plain && uses_bf16 && lh_bf16_half_product(pool, a, b, c, bias)) return;
    const lh_matrix wide = is_plain && !uses_bf16 ? widened(pool, b) : (lh_matrix){0};
    if (!wide.p || !lh_product_threads(pool, a, &wide, c, bias, false))
        by_definition(a, b, c, bias);
}
