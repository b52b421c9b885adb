/* work -- what an operation sees when it runs: its operands and its result as blocks of memory with strides.
 *
 * One block for each example:
 *
 *     cell (head h, row r, column c) of an example lies at  p[h * hs + r * rs + c * cs]
 *
 * A block is a layout of the plan (eval/layout.h) in memory of one element type (eval/real.h).
 */
#ifndef LH_EVAL_WORK_H
#define LH_EVAL_WORK_H

#include "eval/layout.h"
#include "eval/moment.h"
#include "eval/real.h"
#include "graph/op.h"

typedef struct lh_block {
    lh_real *p;
    ptrdiff_t hs, rs, cs;
    int heads, rows, cols;
} lh_block;

typedef struct lh_view {
    lh_block *block; /* one for each example, or one alone */
    int step;        /* 1 or 0: block[example * step] is that of an example */
} lh_view;

typedef struct lh_work {
    const lh_node *node;
    void (*run)(const struct lh_work *w);
    lh_view out;
    const lh_view *in; /* n_in of them: the operands of the node, or the leaves of a kernel */
    int n_in;
    unsigned halves; /* bit i: in[i] lies in bf16: its p points at numbers of two bytes */
    unsigned quants; /* bit i: in few bits: its p points at a lh_quant (eval/fast/quant.h) */
    const struct lh_match *match; /* a kernel: what it stands for, else NULL */
    float *kept;         /* a kernel that keeps rows from run to run: kept_rows for each example */
    int kept_rows;       /* how many there is room for */
    bool is_once;        /* does not depend on the growing input: done when past is 0 */
    bool is_last;        /* only the last row of each example is asked for */
    const lh_view *outs; /* a kernel: its results in its own order; no block: not wanted */
    int examples;        /* blocks of out to make: all examples of the batch, or 1 */
    /* > 0: so many cells in a row, every operand likewise or one number (flat_step 0) */
    size_t flat;
    const unsigned char *flat_step;
    const lh_moment *moment;
    /* [0] multiply-adds, [1] other operations done by kernels that have a .cost; NULL: nobody counts */
    unsigned long long *count;
} lh_work;

static inline lh_block *lh_block_of(const lh_view *v, int example) {
    return &v->block[example * v->step];
}

/* Where a cell lies. */
static inline lh_real *lh_block_at(const lh_block *b, int head, int row, int col) {
    return b->p + head * b->hs + row * b->rs + col * b->cs;
}

static inline unsigned long long lh_block_cells(const lh_block *b) {
    return (unsigned long long)b->heads * (unsigned)b->rows * (unsigned)b->cols;
}

/* x as a place from 0 to n - 1, or -1 when it is none: too large, negative, a fraction, nan. */
static inline int lh_place_of(lh_real x, int n) {
    return x >= 0 && x < (lh_real)n && x == (lh_real)(int)x ? (int)x : -1;
}

/* Every cell of a block: head h_, row r_, column c_. Another block's number there is LH_CELL: its strides stretch it. */
#define LH_FOR_CELLS(b)                                                                            \
    for (int h_ = 0; h_ < (b)->heads; h_++)                                                        \
        for (int r_ = 0; r_ < (b)->rows; r_++)                                                     \
            for (int c_ = 0; c_ < (b)->cols; c_++)
#define LH_CELL(b) ((b)->p[h_ * (b)->hs + r_ * (b)->rs + c_ * (b)->cs])

/* y = f(a) for every cell: `X` names the operand's number. Defines static void name(const lh_work *w). */
#define LH_EACH1(name, X, expr)                                                                    \
    static void name(const lh_work *w) {                                                           \
        if (w->flat) {                                                                             \
            lh_real *y_ = w->out.block[0].p;                                                       \
            const lh_real *a_ = w->in[0].block[0].p;                                               \
            const size_t sa_ = w->flat_step[0];                                                    \
            if (sa_)                                                                               \
                for (size_t i_ = 0; i_ < w->flat; i_++) {                                          \
                    const lh_real X = a_[i_];                                                      \
                    y_[i_] = (expr);                                                               \
                }                                                                                  \
            else                                                                                   \
                for (size_t i_ = 0; i_ < w->flat; i_++) {                                          \
                    const lh_real X = a_[0];                                                       \
                    y_[i_] = (expr);                                                               \
                }                                                                                  \
            return;                                                                                \
        }                                                                                          \
        for (int e_ = 0; e_ < w->examples; e_++) {                                                 \
            const lh_block *o_ = lh_block_of(&w->out, e_), *a_ = lh_block_of(&w->in[0], e_);       \
            LH_FOR_CELLS(o_) {                                                                     \
                const lh_real X = LH_CELL(a_);                                                     \
                LH_CELL(o_) = (expr);                                                              \
            }                                                                                      \
        }                                                                                          \
    }

/* y = f(a, b) for every cell, operands stretched by their strides. */
#define LH_EACH2(name, X, Z, expr)                                                                 \
    static void name(const lh_work *w) {                                                           \
        if (w->flat) {                                                                             \
            lh_real *y_ = w->out.block[0].p;                                                       \
            const lh_real *a_ = w->in[0].block[0].p, *b_ = w->in[1].block[0].p;                    \
            const size_t sa_ = w->flat_step[0], sb_ = w->flat_step[1];                             \
            if (sa_ && sb_) /* strides that are known run many cells at once */                    \
                for (size_t i_ = 0; i_ < w->flat; i_++) {                                          \
                    const lh_real X = a_[i_], Z = b_[i_];                                          \
                    y_[i_] = (expr);                                                               \
                }                                                                                  \
            else if (sa_)                                                                          \
                for (size_t i_ = 0; i_ < w->flat; i_++) {                                          \
                    const lh_real X = a_[i_], Z = b_[0];                                           \
                    y_[i_] = (expr);                                                               \
                }                                                                                  \
            else                                                                                   \
                for (size_t i_ = 0; i_ < w->flat; i_++) {                                          \
                    const lh_real X = a_[0], Z = b_[i_ * sb_];                                     \
                    y_[i_] = (expr);                                                               \
                }                                                                                  \
            return;                                                                                \
        }                                                                                          \
        for (int e_ = 0; e_ < w->examples; e_++) {                                                 \
            const lh_block *o_ = lh_block_of(&w->out, e_), *a_ = lh_block_of(&w->in[0], e_),       \
                           *b_ = lh_block_of(&w->in[1], e_);                                       \
            LH_FOR_CELLS(o_) {                                                                     \
                const lh_real X = LH_CELL(a_), Z = LH_CELL(b_);                                    \
                LH_CELL(o_) = (expr);                                                              \
            }                                                                                      \
        }                                                                                          \
    }

/* y = f(a, b, c) for every cell, operands stretched by their strides. */
#define LH_EACH3(name, X, Z, U, expr)                                                              \
    static void name(const lh_work *w) {                                                           \
        if (w->flat) {                                                                             \
            lh_real *y_ = w->out.block[0].p;                                                       \
            const lh_real *a_ = w->in[0].block[0].p, *b_ = w->in[1].block[0].p,                    \
                          *d_ = w->in[2].block[0].p;                                               \
            const size_t sa_ = w->flat_step[0], sb_ = w->flat_step[1], sd_ = w->flat_step[2];      \
            for (size_t i_ = 0; i_ < w->flat; i_++) {                                              \
                const lh_real X = a_[i_ * sa_], Z = b_[i_ * sb_], U = d_[i_ * sd_];                \
                y_[i_] = (expr);                                                                   \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (int e_ = 0; e_ < w->examples; e_++) {                                                 \
            const lh_block *o_ = lh_block_of(&w->out, e_), *a_ = lh_block_of(&w->in[0], e_),       \
                           *b_ = lh_block_of(&w->in[1], e_), *d_ = lh_block_of(&w->in[2], e_);     \
            LH_FOR_CELLS(o_) {                                                                     \
                const lh_real X = LH_CELL(a_), Z = LH_CELL(b_), U = LH_CELL(d_);                   \
                LH_CELL(o_) = (expr);                                                              \
            }                                                                                      \
        }                                                                                          \
    }

#endif
