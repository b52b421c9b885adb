/* colindex -- the number of its column in each cell: colindex(rows, cols), or colindex(x) like x.
 *
 *     y_rc = c
 *
 * No gradient: x gives its size alone.
 */
#include "eval/work.h"
#include "explain/term.h"

static void colindex_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++) *lh_block_at(y, h, r, c) = (lh_real)c;
    }
}

LH_OP_RECORD(colindex) = {
    .name = "colindex",
    .summary = "The number of the column in each cell, from 0: so many rows and columns, or in the "
               "shape of a value.",
    .example = {"colindex(2, 3)", "[0 1 2; 0 1 2]"},
    .n_min = 1,
    .n_max = 2,
    .is_discrete = true,
    .rows = LH_ROWS_EACH,
    .sizes_only = LH_ALL_OPERANDS,
    .shape = lh_shape_from_sizes,
    .exact = colindex_exact,
    .explain = lh_explain_number,
};
