/* index_of -- what rowindex and colindex share: a number of each cell's place. No gradient.
 *
 *     LH_INDEX_OF(colindex, c_, "The number of the column in each cell", "[0 1 2; 0 1 2]");
 */
#ifndef LH_GRAPH_OPS_INDEX_OF_H
#define LH_GRAPH_OPS_INDEX_OF_H

#include "eval/work.h"
#include "explain/term.h"

/* number: made of r_, c_ (LH_FOR_CELLS) and w. */
#define LH_INDEX_OF(id, number, words, comes_to)                                                   \
    static void id##_exact(const lh_work *w) {                                                     \
        for (int e = 0; e < w->examples; e++) {                                                    \
            const lh_block *y = lh_block_of(&w->out, e);                                           \
            LH_FOR_CELLS(y) LH_CELL(y) = (lh_real)(number);                                        \
        }                                                                                          \
    }                                                                                              \
    LH_OP_RECORD(id) = {                                                                           \
        .name = #id,                                                                               \
        .summary = words ", from 0: so many rows and columns, or in the shape of a value.",        \
        .example = {#id "(2, 3)", comes_to},                                                       \
        .n_min = 1,                                                                                \
        .n_max = 2,                                                                                \
        .is_discrete = true,                                                                       \
        .rows = LH_ROWS_EACH,                                                                      \
        .sizes_only = LH_ALL_OPERANDS,                                                             \
        .shape = lh_shape_from_sizes,                                                              \
        .exact = id##_exact,                                                                       \
        .explain = lh_explain_number,                                                              \
    }

#endif
