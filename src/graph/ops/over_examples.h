/* over_examples -- what total and average share: every cell added up over the examples, in their order: the same bits on every run. */
#ifndef LH_GRAPH_OPS_OVER_EXAMPLES_H
#define LH_GRAPH_OPS_OVER_EXAMPLES_H

#include "eval/work.h"

/* y = the sum of the first so many examples, divided by `by`. */
static inline void add_over_examples(const lh_work *w, int examples, lh_real by) {
    const lh_block *y = &w->out.block[0];
    LH_FOR_CELLS(y) {
        lh_real sum = 0;
        for (int e = 0; e < examples; e++) {
            const lh_block *x = lh_block_of(&w->in[0], e);
            sum += LH_CELL(x);
        }
        LH_CELL(y) = sum / by;
    }
    if (w->count) w->count[1] += lh_block_cells(y) * (unsigned)examples;
}

#endif
