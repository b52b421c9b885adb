/* size_of -- what rows(x) and cols(x) share: how many x has, as one number. No gradient.
 *
 *     LH_SIZE_OF(rows, "The number of rows.", "2", LH_ROWS_ALL);
 *
 * It differs from example to example only where the size does.
 */
#ifndef LH_GRAPH_OPS_SIZE_OF_H
#define LH_GRAPH_OPS_SIZE_OF_H

#include "eval/work.h"
#include "explain/term.h"

#define LH_SIZE_OF(side, words, comes_to, depends)                                                 \
    static void side##_shape(lh_graph *g, lh_node *n) {                                            \
        lh_shape_one(g, n);                                                                        \
        n->shape.heads = lh_axis_number(g, 1);                                                     \
        n->shape.is_batched = g->axis[n->in[0]->shape.side].n == 0;                                \
    }                                                                                              \
    static void side##_exact(const lh_work *w) {                                                   \
        for (int e = 0; e < w->examples; e++)                                                      \
            *lh_block_at(lh_block_of(&w->out, e), 0, 0, 0) =                                       \
                (lh_real)lh_block_of(&w->in[0], e)->side;                                          \
    }                                                                                              \
    LH_OP_RECORD(side) = {                                                                         \
        .name = #side,                                                                             \
        .summary = words,                                                                          \
        .example = {#side "([1 2 3; 4 5 6])", comes_to},                                           \
        .n_min = 1,                                                                                \
        .n_max = 1,                                                                                \
        .is_discrete = true,                                                                       \
        .rows = depends,                                                                           \
        .sizes_only = LH_ALL_OPERANDS,                                                             \
        .is_leaf = true,                                                                           \
        .shape = side##_shape,                                                                     \
        .exact = side##_exact,                                                                     \
        .explain = lh_explain_number,                                                              \
    }

#endif
