/* cuda_memory -- numbers go to the GPU and come back.
 *
 * They are written in small pieces (the tokens of an example, a row of first weights) and read one by one (a loss, a row of scores): each would be a
 * copy of its own. So what is written is collected while it goes on where the last piece ended, and what is read comes in a window of
 * many cells. Before anything is launched, the first is sent and the second is forgotten.
 */
#include <string.h>

#include "base/half.h"
#include "base/memory.h"
#include "eval/cuda/cuda.h"

enum { COLLECTED = 1 << 14, WINDOW = 1 << 16 };

static struct {
    float *to;
    size_t n;
    float cell[COLLECTED];
} written;

static struct {
    const char *from;
    size_t n; /* bytes */
    float cell[WINDOW];
} seen;

static const lh_gpu *gpu(void) {
    const char *why;
    return lh_cuda_find(&why);
}

static void send(void) {
    if (written.n) gpu()->put(written.to, written.cell, written.n * sizeof *written.cell);
    written.n = 0;
}

void lh_cuda_settle(void) {
    send();
    seen.n = 0;
}

/* ---- taking ---- */

void lh_cuda_no_room(lh_context *ctx, const lh_gpu *g, double bytes, const char *what) {
    size_t has = 0, all = 0;
    g->room(&has, &all);
    lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
            "out of memory on the GPU: %.1f MB are needed for %s, %.1f of %.1f MB are free",
            bytes / 1e6, what, (double)has / 1e6, (double)all / 1e6);
    lh_cure(ctx, "a smaller batch, a shorter context, or smaller sizes");
}

void *lh_cuda_take(lh_context *ctx, size_t cells, size_t cell_bytes) {
    const lh_gpu *g = lh_cuda_gpu(ctx);
    if (!g) return NULL;
    void *memory = cells < SIZE_MAX / 2 / cell_bytes ? g->take((cells + 1) * cell_bytes) : NULL;
    if (memory) return memory;
    lh_cuda_no_room(ctx, g, ((double)cells + 1) * (double)cell_bytes, "values");
    return NULL;
}

void lh_cuda_give_back(lh_context *ctx, void *memory) {
    (void)ctx;
    if (!memory) return;
    lh_cuda_settle();
    gpu()->give_back(memory);
}

/* ---- writing and reading ---- */

/* Number i of the buffer that a layout is in. */
static char *place(const lh_plan *p, const lh_layout *l, ptrdiff_t i) {
    return (char *)lh_plan_base(p, l) + i * (l->is_short ? 2 : (ptrdiff_t)sizeof(float));
}

static void write_cell(const lh_layout *l, char *at, float x) {
    float *to = (float *)(void *)at;
    if (l->is_short) { /* rare: what a work on the processor makes */
        const uint16_t bits = lh_bf16_from_float(x);
        send();
        gpu()->put(at, &bits, sizeof bits);
        return;
    }
    if (written.n == COLLECTED || (written.n && to != written.to + written.n)) send();
    if (!written.n) written.to = to;
    written.cell[written.n++] = x;
}

/* As they lie: heads beside each other in a row. */
void lh_cuda_write(lh_plan *p, const lh_layout *to, const double *from) {
    seen.n = 0;
    for (int r = 0; r < to->rows; r++)
        for (int h = 0; h < to->heads; h++) {
            const double *row =
                from + ((size_t)h * (size_t)to->rows + (size_t)r) * (size_t)to->cols;
            for (int c = 0; c < to->cols; c++)
                write_cell(to, place(p, to, lh_layout_at(to, h, r, c)), (float)row[c]);
        }
}

/* One number, from the window; `end` is behind the last byte that may be read. */
static float read_cell(const lh_layout *l, const char *from, const char *end) {
    if (!(seen.n && from >= seen.from && from < seen.from + seen.n)) {
        send();
        seen.from = from;
        seen.n = end - from < (ptrdiff_t)sizeof seen.cell ? (size_t)(end - from) : sizeof seen.cell;
        gpu()->get(seen.cell, from, seen.n);
    }
    const char *here = (const char *)seen.cell + (from - seen.from);
    uint16_t bits;
    float x;
    if (l->is_short)
        memcpy(&bits, here, sizeof bits), x = lh_float_from_bf16(bits);
    else
        memcpy(&x, here, sizeof x);
    return x;
}

/* Behind the last number of a layout; of a buffer that is the plan's own, behind that. */
static const char *end_of(const lh_plan *p, const lh_layout *l) {
    ptrdiff_t last = l->at;
    if (l->buffer != LH_LENT)
        return (const char *)lh_plan_base(p, l) + p->cells[l->buffer] * sizeof(float);
    if (l->hs > 0) last += (l->heads - 1) * l->hs;
    if (l->rs > 0) last += (l->rows - 1) * l->rs;
    if (l->cs > 0) last += (l->cols - 1) * l->cs;
    return place(p, l, last + 1);
}

void lh_cuda_read(const lh_plan *p, const lh_layout *from, double *to) {
    const char *end = end_of(p, from);
    for (int h = 0; h < from->heads; h++)
        for (int r = 0; r < from->rows; r++)
            for (int c = 0; c < from->cols; c++)
                *to++ = (double)read_cell(from, place(p, from, lh_layout_at(from, h, r, c)), end);
}

/* Of one size: a number or a row that is stretched is read again and again. */
static bool is_same_run(const lh_layout *a, const lh_layout *b) {
    return a->heads == b->heads && a->rows == b->rows && a->cols == b->cols &&
           lh_layout_is_flat(a) && lh_layout_is_flat(b) && !a->is_short && !b->is_short;
}

/* What lies one behind the other is moved there; all else comes here and goes back, for it is small and rare. */
void lh_cuda_copy(lh_plan *p, const lh_layout *to, const lh_layout *from) {
    const char *end = end_of(p, from);
    lh_cuda_settle();
    if (is_same_run(to, from)) {
        gpu()->move(place(p, to, to->at), place(p, from, from->at),
                    (size_t)lh_layout_cells(to) * sizeof(float));
        return;
    }
    for (int r = 0; r < to->rows; r++)
        for (int h = 0; h < to->heads; h++)
            for (int c = 0; c < to->cols; c++) {
                const char *cell = place(p, from, lh_layout_at(from, h, r, c));
                write_cell(to, place(p, to, lh_layout_at(to, h, r, c)), read_cell(from, cell, end));
            }
    lh_cuda_settle();
}

void lh_cuda_add(lh_plan *p, const lh_layout *to, double x) {
    for (int h = 0; h < to->heads; h++)
        for (int r = 0; r < to->rows; r++)
            for (int c = 0; c < to->cols; c++) {
                char *cell = place(p, to, lh_layout_at(to, h, r, c));
                write_cell(to, cell, read_cell(to, cell, end_of(p, to)) + (float)x);
                lh_cuda_settle();
            }
}

double lh_cuda_difference(const lh_plan *p, const lh_layout *a, const lh_plan *q,
                          const lh_layout *b) {
    const float x = read_cell(a, place(p, a, a->at), end_of(p, a)),
                y = read_cell(b, place(q, b, b->at), end_of(q, b));
    return (double)(x - y);
}
