/* cuda_memory -- copies to the GPU and back.
 *
 * Numbers are written in small pieces (the tokens of an example, a row of initial weights) and read one by one (a loss, a row of logits), and each would be a
 * copy of its own. So pieces that follow each other in memory are collected and sent together, and reading fetches a window of
 * many cells. Before a launch, what was collected is sent and the window is forgotten. Copies within the GPU's memory are collected too: those of many states are one launch.
 */
#include <string.h>

#include "base/half.h"
#include "base/memory.h"
#include "base/number.h"
#include "eval/cuda/cuda.h"

enum { COLLECTED = 1 << 14, WINDOW = 1 << 16, FEW = 4096 };

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

/* Small copies within its memory, all in one launch. */
static struct {
    lh_gpu_move move[LH_GPU_MOVES];
    int n;
} moved;

static const lh_gpu *gpu(void) {
    const char *why;
    return lh_cuda_find(&why);
}

static void send_moves(void) {
    if (moved.n) gpu()->move_many(moved.move, moved.n, gpu()->stream);
    moved.n = 0;
}

static bool overlap(const void *a, size_t n, const void *b, size_t m) {
    return (const char *)a < (const char *)b + m && (const char *)b < (const char *)a + n;
}

/* Deferred, to be done with others; if it overlaps with one of those, they are done first. */
static void move_later(void *to, const void *from, size_t bytes) {
    bool is_apart = moved.n < LH_GPU_MOVES;
    for (int i = 0; i < moved.n && is_apart; i++) {
        const lh_gpu_move *m = &moved.move[i];
        is_apart = !overlap(to, bytes, m->to, m->bytes) && !overlap(to, bytes, m->from, m->bytes) &&
                   !overlap(from, bytes, m->to, m->bytes);
    }
    if (!is_apart) send_moves();
    moved.move[moved.n++] = (lh_gpu_move){to, from, bytes};
}

static void send(void) {
    send_moves();
    if (written.n) gpu()->put(written.to, written.cell, written.n * sizeof *written.cell);
    written.n = 0;
}

void lh_cuda_settle(void) {
    send();
    seen.n = 0;
}

/* ---- allocating ---- */

void lh_cuda_no_room(lh_context *ctx, const lh_gpu *g, double bytes, const char *what) {
    char needed[LH_NUMBER_MAX], there[LH_NUMBER_MAX], whole[LH_NUMBER_MAX];
    size_t has = 0, all = 0;
    g->room(&has, &all);
    lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
            "out of memory on the GPU: %s are needed for %s, and %s of %s are free",
            lh_number_bytes(needed, sizeof needed, bytes), what,
            lh_number_bytes(there, sizeof there, (double)has),
            lh_number_bytes(whole, sizeof whole, (double)all));
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
    if (l->is_short) { /* rare: the result of a work that ran on the processor */
        const uint16_t bits = lh_bf16_from_float(x);
        send();
        gpu()->put(at, &bits, sizeof bits);
        return;
    }
    if (written.n == COLLECTED || (written.n && to != written.to + written.n)) send();
    if (!written.n) written.to = to;
    written.cell[written.n++] = x;
}

/* In the order of memory: the heads of a row side by side. */
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

/* Many numbers at once, with the number that is asked for in front. From a GPU that was lost nothing comes: the context fails, so that nobody saves it. */
static void look(const lh_plan *p, const char *from, const char *end) {
    send();
    seen.from = from;
    seen.n = end - from < (ptrdiff_t)sizeof seen.cell ? (size_t)(end - from) : sizeof seen.cell;
    gpu()->get(seen.cell, from, seen.n);
    lh_cuda_is_well(p->g->ctx);
}

/* One number, from the window; `end` is behind the last byte that may be read. */
static float read_cell(const lh_plan *p, const lh_layout *l, const char *from, const char *end) {
    if (!(seen.n && from >= seen.from && from < seen.from + seen.n)) look(p, from, end);
    const char *here = (const char *)seen.cell + (from - seen.from);
    uint16_t bits;
    float x;
    if (l->is_short)
        memcpy(&bits, here, sizeof bits), x = lh_float_from_bf16(bits);
    else
        memcpy(&x, here, sizeof x);
    return x;
}

/* Just past the last number of a layout, or past the whole buffer if it belongs to the plan. */
static const char *end_of(const lh_plan *p, const lh_layout *l) {
    ptrdiff_t last = l->at;
    if (l->buffer != LH_BORROWED)
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
                *to++ =
                    (double)read_cell(p, from, place(p, from, lh_layout_at(from, h, r, c)), end);
}

/* Both of the same size: a number or a row that is stretched is read repeatedly. */
static bool is_same_run(const lh_layout *a, const lh_layout *b) {
    return a->heads == b->heads && a->rows == b->rows && a->cols == b->cols &&
           lh_layout_is_flat(a) && lh_layout_is_flat(b) && !a->is_short && !b->is_short;
}

/* Contiguous numbers are copied on the GPU; everything else is small and rare, and goes through our memory. */
void lh_cuda_copy(lh_plan *p, const lh_layout *to, const lh_layout *from) {
    const char *end = end_of(p, from);
    const size_t bytes = (size_t)lh_layout_cells(to) * sizeof(float);
    if (is_same_run(to, from) && bytes <= FEW) {
        if (written.n) send();
        seen.n = 0;
        move_later(place(p, to, to->at), place(p, from, from->at), bytes);
        return;
    }
    lh_cuda_settle();
    if (is_same_run(to, from)) {
        gpu()->move(place(p, to, to->at), place(p, from, from->at), bytes);
        return;
    }
    for (int r = 0; r < to->rows; r++)
        for (int h = 0; h < to->heads; h++)
            for (int c = 0; c < to->cols; c++) {
                const char *cell = place(p, from, lh_layout_at(from, h, r, c));
                write_cell(to, place(p, to, lh_layout_at(to, h, r, c)),
                           read_cell(p, from, cell, end));
            }
    lh_cuda_settle();
}

void lh_cuda_add(lh_plan *p, const lh_layout *to, double x) {
    for (int h = 0; h < to->heads; h++)
        for (int r = 0; r < to->rows; r++)
            for (int c = 0; c < to->cols; c++) {
                char *cell = place(p, to, lh_layout_at(to, h, r, c));
                write_cell(to, cell, read_cell(p, to, cell, end_of(p, to)) + (float)x);
                lh_cuda_settle();
            }
}

double lh_cuda_difference(const lh_plan *p, const lh_layout *a, const lh_plan *q,
                          const lh_layout *b) {
    const float x = read_cell(p, a, place(p, a, a->at), end_of(p, a)),
                y = read_cell(q, b, place(q, b, b->at), end_of(q, b));
    return (double)(x - y);
}
