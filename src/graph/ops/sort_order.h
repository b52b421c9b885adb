/* sort_order -- the place of a number among the numbers of its row, smallest first; equal ones as they stand. */
#ifndef LH_GRAPH_OPS_SORT_ORDER_H
#define LH_GRAPH_OPS_SORT_ORDER_H

#include "eval/work.h"

/* A nan comes behind all numbers. */
static inline int lh_sort_place(const lh_block *x, int h, int r, int c) {
    const lh_real own = *lh_block_at(x, h, r, c);
    int n = 0;
    for (int k = 0; k < x->cols; k++) {
        const lh_real other = *lh_block_at(x, h, r, k);
        const bool is_less = own != own ? other == other : other < own;
        const bool is_equal = own != own ? other != other : other == own;
        n += is_less || (is_equal && k < c);
    }
    return n;
}

#endif
