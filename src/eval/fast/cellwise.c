/* cellwise -- operations that go cell by cell, as their definitions have them, on all threads. */
#include "eval/fast/fast.h"

static bool cells_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    (void)p;
    if (!n->op->is_each || !n->shape.is_batched) return false;
    for (int i = 0; i < n->n_in; i++) m->leaf[i] = n->in[i];
    m->n_leaves = n->n_in;
    return true;
}

typedef struct pieces {
    const lh_work *w;
    float *to;
    float *from[3];
    bool is_one[3];
    size_t cells;
    int n;
} pieces;

/* A part of the cells, as a work of its own on straight memory. */
static void straight(void *what, int piece, int thread) {
    (void)thread;
    const pieces *s = what;
    const ptrdiff_t from = lh_piece_from((ptrdiff_t)s->cells, piece, s->n),
                    to = lh_piece_from((ptrdiff_t)s->cells, piece + 1, s->n);
    lh_block out = {.p = s->to + from}, block[3];
    lh_view in[3];
    unsigned char step[3];
    for (int i = 0; i < s->w->n_in; i++) {
        block[i] = (lh_block){.p = s->is_one[i] ? s->from[i] : s->from[i] + from};
        in[i] = (lh_view){&block[i], 0};
        step[i] = !s->is_one[i];
    }
    const lh_work part = {.node = s->w->node,
                          .out = {&out, 0},
                          .in = in,
                          .n_in = s->w->n_in,
                          .examples = 1,
                          .flat = (size_t)(to - from),
                          .flat_step = step,
                          .moment = s->w->moment};
    lh_fast_ops[s->w->node->kind]->exact(&part);
}

/* The cells of one example. */
static void of_example(void *what, int piece, int thread) {
    (void)thread;
    const lh_work *w = what;
    lh_view in[3];
    for (int i = 0; i < w->n_in; i++) in[i] = (lh_view){lh_block_of(&w->in[i], piece), 0};
    const lh_work part = {.node = w->node,
                          .out = {lh_block_of(&w->out, piece), 0},
                          .in = in,
                          .n_in = w->n_in,
                          .examples = 1,
                          .moment = w->moment};
    lh_fast_ops[w->node->kind]->exact(&part);
}

static bool is_one_number(const lh_view *v) {
    return !v->step && v->block->heads == 1 && v->block->rows == 1 && v->block->cols == 1;
}

static void cells_run(const lh_work *w) {
    pieces s = {.w = w};
    bool is_straight = lh_flat(&w->out, w->examples, &s.to, &s.cells);
    for (int i = 0; is_straight && i < w->n_in; i++) {
        size_t n = s.cells;
        s.is_one[i] = is_one_number(&w->in[i]);
        if (s.is_one[i])
            s.from[i] = w->in[i].block->p;
        else
            is_straight = w->in[i].step && lh_flat(&w->in[i], w->examples, &s.from[i], &n) &&
                          n == s.cells && w->in[i].block->heads == w->out.block->heads &&
                          w->in[i].block->cols == w->out.block->cols;
    }
    s.n = lh_pieces(s.cells, 1 << 13);
    if (is_straight)
        lh_pool_run(w->moment->pool, s.n, straight, &s);
    else
        lh_pool_run(w->moment->pool, w->examples, of_example, (void *)w);
}

const lh_kernel lh_kernel_cells = {
    .name = "cells",
    .stands_for = "operations that go cell by cell",
    .fits = cells_fits,
    .run = cells_run,
    .trial = "Y = where(X > 0, X, X * 0.1) + abs(X) / 2\n",
};
