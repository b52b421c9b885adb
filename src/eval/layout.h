/* layout -- where the cells of a value lie: in which buffer, from which of its cells on, how far it is to the next one.
 *
 *     cell (head h, row r, column c) of an example is cell  at + h * hs + r * rs + c * cs  of the buffer
 *
 * Everything is counted in cells and not in bytes, so a layout is the same for every element type. A size of 1 has distance 0:
 * a row, a column or a number is stretched by reading it again and again, without a copy. Transposing, splitting into heads and
 * taking columns are other distances in the same buffer.
 */
#ifndef LH_EVAL_LAYOUT_H
#define LH_EVAL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

/* The memory of a plan, in pieces that are taken together. */
typedef enum lh_buffer {
    LH_NO_BUFFER, /* no memory: only its sizes matter */
    LH_FIXED,     /* as long as the plan is there: params, states, consts, what is made of consts */
    LH_MOVING,    /* of a batch: first what lasts, behind it what shares memory */
    LH_SPARE,     /* new values of params and states, until := is carried out */
    LH_CONSTANTS, /* two cells: LH_CELL_ZERO and LH_CELL_MISSING */
    LH_BORROWED,  /* the caller's memory, a piece for each value */
    LH_N_BUFFERS
} lh_buffer;

enum { LH_CELL_ZERO, LH_CELL_MISSING, LH_N_CONSTANTS };

typedef struct lh_layout {
    lh_buffer buffer;
    int borrowed; /* LH_BORROWED: its number in lh_plan.borrowed */
    ptrdiff_t at, hs, rs, cs;
    int heads, rows, cols;
    bool is_short; /* numbers of half a cell (bf16): at, hs, rs and cs count those */
} lh_layout;

/* Which cell of the buffer. */
static inline ptrdiff_t lh_layout_at(const lh_layout *l, int head, int row, int col) {
    return l->at + head * l->hs + row * l->rs + col * l->cs;
}

static inline unsigned long long lh_layout_cells(const lh_layout *l) {
    return (unsigned long long)l->heads * (unsigned)l->rows * (unsigned)l->cols;
}

static inline void lh_layout_constant(lh_layout *l, int cell) {
    l->buffer = LH_CONSTANTS;
    l->is_short = false;
    l->at = cell;
    l->hs = l->rs = l->cs = 0;
}

/* A view of cells that this example does not have: every one is nan, and the evaluator names the step. */
static inline void lh_layout_nowhere(lh_layout *l) {
    lh_layout_constant(l, LH_CELL_MISSING);
}

/* Do all cells lie one behind the other, row by row, the heads of a row beside each other? */
static inline bool lh_layout_is_flat(const lh_layout *l) {
    const ptrdiff_t width = (ptrdiff_t)l->heads * l->cols;
    return !((l->cols > 1 && l->cs != 1) || (l->heads > 1 && l->hs != l->cols) ||
             (l->rows > 1 && l->rs != width));
}

#endif
