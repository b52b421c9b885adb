/* fast -- what the kernels share: float matrices that go through all examples, the nodes a kernel stands for. */
#ifndef LH_EVAL_FAST_H
#define LH_EVAL_FAST_H

#ifndef LH_FAST
#define LH_FAST
#endif

#include "eval/fast/product.h"
#include "eval/fast/profile.h"
#include "eval/fast/threads.h"
#include "eval/loops.h"

/* p->own of a plan of the fast evaluator. */
typedef struct lh_fast_own {
    lh_loops loops; /* first: p->own is also one of these */
    int threads;
    float *kept; /* what kernels keep of earlier rows */
    size_t n_kept;
} lh_fast_own;

static inline lh_fast_own *lh_fast_of(const lh_plan *p) {
    return p->own;
}

/* Work i of a step: those of a run, then those of a commit. */
static inline lh_work *lh_fast_work_at(const lh_plan *p, int i) {
    const lh_loops *own = lh_loops_of(p);
    const int n = p->list[LH_STAGE_RUN].n;
    return i < n ? &own->work[LH_STAGE_RUN][i] : &own->work[LH_STAGE_COMMIT][i - n];
}

/* of no use elsewhere: it stands for nothing that the notation has, and is not in the table */
extern const lh_kernel lh_kernel_sum_of_parts;
bool lh_fast_still_keeps(lh_plan *p, int fed, int rows); /* lh_backend.has_past (grow.c) */
bool lh_fast_keep(lh_plan *p); /* memory for what is kept of earlier rows (grow.c) */

/* A matrix in memory: cell (r, c) at p[r * rs + c * cs]. */
typedef struct lh_matrix {
    float *p;
    ptrdiff_t rows, cols, rs, cs;
} lh_matrix;

/* The blocks of all examples as one matrix, one below the other. False where they do not lie so, or have heads. */
bool lh_stack_rows(const lh_view *v, int examples, lh_matrix *m);
bool lh_stack_cols(const lh_view *v, int examples, lh_matrix *m); /* ... one beside the other */

/* All cells of a value in one run of memory, if they lie so. */
bool lh_flat(const lh_view *v, int examples, float **p, size_t *cells);

static inline lh_matrix lh_block_matrix(const lh_block *b, int head) {
    return (lh_matrix){b->p + head * b->hs, b->rows, b->cols, b->rs, b->cs};
}

static inline bool lh_matrix_is_plain(const lh_matrix *m) {
    return lh_product_takes(m->rs, m->cs, m->rows, m->cols);
}

static inline lh_matrix lh_matrix_turned(lh_matrix m) {
    return (lh_matrix){m.p, m.cols, m.rows, m.cs, m.rs};
}

static inline lh_matrix lh_matrix_rows(lh_matrix m, ptrdiff_t from, ptrdiff_t to) {
    return (lh_matrix){m.p + from * m.rs, to - from, m.cols, m.rs, m.cs};
}

/* The rows of all examples, one after the other, wherever they lie; those of a value that exists once, again for each example. */
typedef struct lh_all_rows {
    const lh_view *view;
    ptrdiff_t n;
    bool is_stack; /* the same distance from each to the next, through all examples */
    lh_matrix stack;
} lh_all_rows;

lh_all_rows lh_rows_of(const lh_view *v, int examples);

/* Where a row begins, and how far its cells lie from each other: of a value that lies turned, that differs by example. */
static inline float *lh_row_cells(const lh_all_rows *rows, ptrdiff_t row, ptrdiff_t *cs) {
    const lh_block *b = rows->view->block;
    if (rows->is_stack) {
        *cs = b->cs;
        return b->p + row * rows->stack.rs;
    }
    while (row >= b->rows) row -= b->rows, b += rows->view->step;
    *cs = b->cs;
    return b->p + row * b->rs;
}

/* ... of a row that is one number, or whose cells lie side by side. */
static inline float *lh_row(const lh_all_rows *rows, ptrdiff_t row) {
    ptrdiff_t cs;
    return lh_row_cells(rows, row, &cs);
}

/* Memory of one thread while a kernel runs. */
static inline float *lh_scratch(const lh_work *w, int thread) {
    return w->moment->scratch + (size_t)thread * w->moment->scratch_cells;
}

/* C = A @ B (adds: C += A @ B) on this thread, whatever the strides. */
void lh_matrix_product(const lh_matrix *a, const lh_matrix *b, const lh_matrix *c, bool adds);

/* The same on all threads; a row of numbers is added to each row of C where bias is not NULL. C lies
 * row after row. In bf16 where the pool says so, but for a few rows alone. False and nothing done where A or B lies in no
 * way that a product reads. */
bool lh_product_threads(lh_pool *pool, const lh_matrix *a, const lh_matrix *b, const lh_matrix *c,
                        const float *bias, bool adds);

/* How many pieces `cells` of cheap work are cut into. */
static inline int lh_pieces(size_t cells, size_t in_a_piece) {
    size_t n = cells / in_a_piece;
    return n < 1 ? 1 : n > 64 ? 64 : (int)n;
}

/* Where piece i of n begins, of so many things. */
static inline ptrdiff_t lh_piece_from(ptrdiff_t things, int i, int n) {
    return things * i / n;
}

/* Nodes. */
bool lh_is_zero(const lh_graph *g, const lh_node *n); /* a number or a const that is 0 for good */
const lh_node *lh_param_of(const lh_node *call, const char *name); /* what stands for a parameter */
void lh_match_backs(const lh_node *n, lh_match *m); /* out[i]: what goes back to parameter i */

static inline bool lh_read_once(const lh_plan *p, const lh_node *n) {
    return p->value[n->id].uses == 1;
}

#endif
