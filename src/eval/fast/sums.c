/* sums -- values that are added up from run to run, where a batch is run in parts.
 *
 *     lh_plan *p = lh_fast.plan(g, &(lh_wish){.sum = &dW, .n_sums = 1});
 *     lh_floats_sum(p, dW, numbers);
 *     lh_fast.feed(p, &(lh_batch){.examples = 4, .of = 12, ...}), lh_fast.run(p);                       numbers = dW of 4
 *     lh_fast.feed(p, &(lh_batch){.examples = 8, .of = 12, .first = 4, .adds = true, ...}), lh_fast.run(p);    ... of all 12
 *
 * Only `total` and `average` bring examples together, and both are sums over examples: of a part of them, each is its
 * part of the sum. What the parts come to is the value of the whole batch, but for the order of additions.
 */
#include "eval/fast/fast.h"

#include <string.h>

#include "eval/fast/vector.h"

typedef struct adding {
    float *to;
    const float *from;
    ptrdiff_t n;
    int pieces;
    bool adds;
} adding;

static void add_piece(void *what, int piece, int thread) {
    (void)thread;
    const adding *a = what;
    const ptrdiff_t from = lh_piece_from(a->n, piece, a->pieces),
                    to = lh_piece_from(a->n, piece + 1, a->pieces);
    if (a->adds)
        lh_vector()->add(a->to + from, a->from + from, to - from);
    else
        memcpy(a->to + from, a->from + from, (size_t)(to - from) * sizeof *a->to);
}

static void sum_run(const lh_work *w) {
    const lh_block *x = w->in[0].block, *y = w->outs[0].block;
    const bool adds = w->moment->adds;
    float *from;
    size_t n;
    if (lh_flat(&w->in[0], 1, &from, &n)) {
        adding a = {y->p, from, (ptrdiff_t)n, lh_pieces(n, 1 << 15), adds};
        lh_pool_run(w->moment->pool, a.pieces, add_piece, &a);
        return;
    }
    for (int h = 0; h < y->heads; h++)
        for (int r = 0; r < y->rows; r++)
            for (int c = 0; c < y->cols; c++) {
                float *to = lh_block_at(y, h, r, c);
                *to = (adds ? *to : 0) + *lh_block_at(x, h, r, c);
            }
}

const lh_kernel lh_kernel_sum_of_parts = {.name = "sum of parts", .run = sum_run};
