#include "eval/fast/grow.h"

#include <string.h>

#include "eval/fast/fast.h"

const lh_node *lh_fast_prevents(const lh_plan *p) {
    return p->prevents;
}

void lh_fast_past(lh_plan *p, int rows) {
    p->moment.past = rows;
}

/* Rows are put aside first: two beams may come from one, and change places. */
void lh_fast_reorder(lh_plan *p, const int *from, int n) {
    lh_context *ctx = p->g->ctx;
    float *aside = p->n_kept ? ctx->alloc(p->n_kept * sizeof *aside) : NULL;
    if (!aside) {
        if (p->n_kept)
            lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory for another beam");
        return;
    }
    memcpy(aside, p->kept, p->n_kept * sizeof *aside);
    for (int i = 0; i < p->n_run; i++) {
        const lh_work *w = &p->each_run[i];
        if (!w->kept) continue;
        const size_t cells = w->match->kernel->keeps(w) * (size_t)w->kept_rows;
        for (int e = 0; e < n && e < p->examples; e++)
            memcpy(w->kept + (size_t)e * cells,
                   aside + (w->kept - p->kept) + (size_t)from[e] * cells, cells * sizeof *aside);
    }
    ctx->release(aside);
}
