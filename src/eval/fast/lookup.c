/* lookup -- rows of a table by their numbers: E[tokens]. The table may lie in bf16 or in few bits. */
#include "eval/fast/fast.h"

#include <math.h>
#include <string.h>

#include "eval/fast/quant.h"
#include "eval/fast/row.h"

enum { TABLE, NUMBERS };
enum { MANY = 1 << 16 }; /* cells that are worth a thread */

static bool lookup_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (n->kind != LH_OP_lookup || !n->shape.is_batched || n->in[0]->shape.is_batched ||
        !lh_axis_is_one(p->g, n->shape.heads) || !lh_axis_is_one(p->g, n->in[0]->shape.heads))
        return false;
    m->leaf[TABLE] = n->in[0], m->leaf[NUMBERS] = n->in[1];
    m->n_leaves = 2;
    return true;
}

/* Row k of the table, or no numbers where there is none. */
static void look_up(const lh_work *w, const lh_block *y, int row, int k) {
    const lh_block *from = w->in[TABLE].block;
    const bool is_run = from->cs == 1 || from->cols == 1, is_half = w->halves >> TABLE & 1;
    const uint16_t *half = (const uint16_t *)(const void *)from->p + (is_half ? k * from->rs : 0);
    float *to = y->p + row * y->rs;
    if (k < 0)
        for (int c = 0; c < y->cols; c++) to[c] = NAN;
    else if (w->quants >> TABLE & 1)
        lh_quant_line((const lh_quant *)(const void *)from->p, k, to);
    else if (is_half && is_run)
        lh_row_way()->widen(to, half, y->cols);
    else if (is_half)
        for (int c = 0; c < y->cols; c++) lh_row_way()->widen(to + c, half + c * from->cs, 1);
    else if (is_run)
        memcpy(to, from->p + k * from->rs, (size_t)y->cols * sizeof *to);
    else
        for (int c = 0; c < y->cols; c++) to[c] = from->p[k * from->rs + c * from->cs];
}

enum { STRIPS = 8 }; /* pieces of each example */

/* The result is a value of its own: its rows lie one after another. */
static void look_up_strip(void *what, int piece, int thread) {
    (void)thread;
    const lh_work *w = what;
    const int rows = w->in[TABLE].block->rows, e = piece / STRIPS, k = piece % STRIPS;
    const lh_block *y = lh_block_of(&w->out, e), *t = lh_block_of(&w->in[NUMBERS], e);
    const int end = (int)lh_piece_from(y->rows, k + 1, STRIPS);
    for (int r = (int)lh_piece_from(y->rows, k, STRIPS); r < end; r++)
        look_up(w, y, r, lh_place_of(t->p[r * t->rs], rows));
}

static void lookup_run(const lh_work *w) {
    const int pieces = w->examples * STRIPS;
    const double cells = (double)w->out.block->rows * w->out.block->cols * w->examples;
    if (cells > MANY)
        lh_pool_run(w->moment->pool, pieces, look_up_strip, (void *)w);
    else
        for (int i = 0; i < pieces; i++) look_up_strip((void *)w, i, 0);
}

const lh_kernel lh_kernel_lookup = {
    .name = "lookup",
    .stands_for = "E[t]",
    .halves = 1u << TABLE,
    .quant_rows = 1u << TABLE,
    .fits = lookup_fits,
    .run = lookup_run,
    .trial = "param U : 6 x 11 = normal(1)\nY = X + U^T[tokens] + E[target]\n",
};
