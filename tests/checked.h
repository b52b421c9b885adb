/* checked -- a fourth backend: the definitions in double, with every access counted and checked.
 *
 * It shares memory as the fast one does and has one kernel of its own, so that a plan is tried in all its parts. Of each
 * work it asks three things. Does every cell that the plan gives it lie in a buffer? Does it write nothing but its results? Does it read
 * nothing but its operands? For the last it runs the work again, with other numbers in all other cells: the results must be
 * the same bits.
 *
 * This is all that a backend in the memory of this process needs: a record, and the line that makes an evaluator of it.
 */
#ifndef LH_TESTS_CHECKED_H
#define LH_TESTS_CHECKED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/loops.h"

static struct {
    long works, kernels, cells_read, cells_written, taken, given_back;
    char problem[512]; /* the first, or "" */
} checked;

static void checked_problem(const lh_plan_work *w, const char *what, double cell) {
    if (!*checked.problem)
        snprintf(checked.problem, sizeof checked.problem, "%s %s: %s (cell %.0f)",
                 w->node->op->name, w->node->step ? w->node->step->path : "", what, cell);
}

/* ---- memory ---- */

static void *checked_take(lh_context *ctx, size_t cells, size_t cell_bytes) {
    void *memory = lh_host_take(ctx, cells, cell_bytes);
    checked.taken += memory != NULL;
    return memory;
}

static void checked_give_back(lh_context *ctx, void *memory) {
    checked.given_back += memory != NULL;
    lh_host_give_back(ctx, memory);
}

/* ---- a kernel: max(x, 0) in one go ---- */

static bool relu_fits(const lh_plan *p, lh_node *n, lh_match *m) {
    if (!lh_call_is(p->g, n, "relu")) return false;
    m->leaf[0] = n->call->param[0];
    m->n_leaves = 1;
    return true;
}

static void relu_run(const lh_work *w) {
    checked.kernels++;
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e), *x = lh_block_of(&w->in[0], e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++) {
                    const double v = *lh_block_at(x, h, r, c);
                    *lh_block_at(y, h, r, c) = v > 0 || v != v ? v : 0;
                }
    }
}

static const lh_kernel checked_relu = {
    .name = "relu", .stands_for = "relu(x)", .fits = relu_fits, .run = relu_run};
static const lh_kernel *const checked_kernels[] = {&checked_relu, NULL};

/* ---- works ---- */

enum { CHECKED_READ = 1, CHECKED_WRITTEN = 2 };

/* A picture of all buffers: their numbers, and for each cell what a work may do with it. */
typedef struct checked_memory {
    double *cell[LH_N_BUFFERS], *after[LH_N_BUFFERS];
    unsigned char *may[LH_N_BUFFERS];
} checked_memory;

static void checked_mark(const lh_plan *p, const lh_plan_work *w, const lh_node *n, int may,
                         checked_memory *m) {
    const lh_plan_value *v = lh_value_of(p, n);
    for (int e = 0; e < (v->step ? p->examples : 1); e++) {
        const lh_layout *l = &v->layout[e];
        for (int h = 0; h < l->heads; h++)
            for (int r = 0; r < l->rows; r++)
                for (int c = 0; c < l->cols; c++) {
                    const ptrdiff_t at = lh_layout_at(l, h, r, c);
                    if (at < 0 || (size_t)at >= p->cells[l->buffer])
                        checked_problem(w, "outside of its buffer", (double)at);
                    else
                        m->may[l->buffer][at] |= (unsigned char)may;
                    checked.cells_read += may == CHECKED_READ;
                    checked.cells_written += may == CHECKED_WRITTEN;
                }
    }
}

static void checked_mark_all(const lh_plan *p, const lh_plan_work *w, checked_memory *m) {
    for (int i = 0; i < w->n_in; i++) {
        const lh_node *n = lh_plan_operand(w, i);
        if (w->match || lh_op_reads(w->node, i)) checked_mark(p, w, n, CHECKED_READ, m);
    }
    checked_mark(p, w, w->node, CHECKED_WRITTEN, m);
}

/* What a work left in the cells that are its own, and whether all others are what they were. */
static void checked_compare(const lh_plan *p, const lh_plan_work *w, const checked_memory *m) {
    for (int b = 0; b < LH_N_BUFFERS; b++) {
        const double *now = p->memory[b];
        for (size_t i = 0; now && i < p->cells[b]; i++)
            if (!(m->may[b][i] & CHECKED_WRITTEN) && memcmp(&now[i], &m->cell[b][i], sizeof *now))
                checked_problem(w, "writes where it has no result", (double)i);
    }
}

/* Once more, with other numbers where it may not read. */
static void checked_again(lh_plan *p, lh_stage stage, int i, checked_memory *m) {
    const lh_plan_work *w = &p->list[stage].work[i];
    for (int b = 0; b < LH_N_BUFFERS; b++) {
        double *now = p->memory[b];
        for (size_t k = 0; now && k < p->cells[b]; k++) {
            m->after[b][k] = now[k];
            now[k] = m->may[b][k] & CHECKED_READ ? m->cell[b][k] : -777.5 - (double)(k % 3);
        }
    }
    LH_LOOPS(run)(p, stage, i, i + 1);
    for (int b = 0; b < LH_N_BUFFERS; b++) {
        double *now = p->memory[b];
        for (size_t k = 0; now && k < p->cells[b]; k++) {
            if ((m->may[b][k] & CHECKED_WRITTEN) && memcmp(&now[k], &m->after[b][k], sizeof *now))
                checked_problem(w, "its result depends on what is no operand", (double)k);
            now[k] = m->after[b][k];
        }
    }
}

static void checked_run(lh_plan *p, lh_stage stage, int from, int to) {
    for (int i = from; i < to; i++) {
        checked_memory m;
        for (int b = 0; b < LH_N_BUFFERS; b++) {
            const size_t n = p->memory[b] ? p->cells[b] : 0;
            m.cell[b] = malloc((n + 1) * sizeof(double));
            m.after[b] = malloc((n + 1) * sizeof(double));
            m.may[b] = calloc(n + 1, 1);
            if (n) memcpy(m.cell[b], p->memory[b], n * sizeof(double));
        }
        checked_mark_all(p, &p->list[stage].work[i], &m);
        LH_LOOPS(run)(p, stage, i, i + 1);
        checked_compare(p, &p->list[stage].work[i], &m);
        checked_again(p, stage, i, &m);
        checked.works++;
        for (int b = 0; b < LH_N_BUFFERS; b++) free(m.cell[b]), free(m.after[b]), free(m.may[b]);
    }
}

/* ---- the record ---- */

static const lh_backend checked_backend = {
    .name = "checked",
    .line = 4,
    .shares_memory = true,
    .kernels = checked_kernels,
    .element = LH_REAL_NAME,
    .cell_bytes = sizeof(lh_real),
    .epsilon = LH_REAL_EPSILON,
    .take = checked_take,
    .give_back = checked_give_back,
    .write = LH_LOOPS(write),
    .read = LH_LOOPS(read),
    .copy = LH_LOOPS(copy),
    .add = LH_LOOPS(add),
    .difference = LH_LOOPS(difference),
    .open = LH_LOOPS(open),
    .close = LH_LOOPS(close),
    .ready = LH_LOOPS(ready),
    .run = checked_run,
    .count = LH_LOOPS(count),
};

static lh_plan *checked_plan(lh_graph *g, const lh_wish *wish) {
    return lh_plan_new(g, wish, &checked_backend);
}

static const lh_evaluator lh_checked = {.name = "checked",
                                        .epsilon = LH_REAL_EPSILON,
                                        .by = &checked_backend,
                                        .plan = checked_plan,
                                        LH_EVALUATE};

#endif
