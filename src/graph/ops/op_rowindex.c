/* rowindex -- the number of its row in each cell: rowindex(rows, cols), or rowindex(x) like x.
 *
 *     y_rc = r
 *
 * No gradient: x gives its size alone.
 */
#include "eval/work.h"
#include "explain/term.h"

static void rowindex_exact(const lh_work *w) {
    for (int e = 0; e < w->examples; e++) {
        const lh_block *y = lh_block_of(&w->out, e);
        for (int h = 0; h < y->heads; h++)
            for (int r = 0; r < y->rows; r++)
                for (int c = 0; c < y->cols; c++)
                    *lh_block_at(y, h, r, c) = (lh_real)(w->moment->past + r);
    }
}

LH_OP_RECORD(rowindex) = {
    .name = "rowindex",
    .summary = "The number of the row in each cell, from 0: so many rows and columns, or in the "
               "shape of a value.",
    .example = {"rowindex(2, 3)", "[0 0 0; 1 1 1]"},
    .n_min = 1,
    .n_max = 2,
    .is_discrete = true,
    .rows = LH_ROWS_EACH,
    .sizes_only = LH_ALL_OPERANDS,
    .shape = lh_shape_from_sizes,
    .exact = rowindex_exact,
    .explain = lh_explain_number,
};
