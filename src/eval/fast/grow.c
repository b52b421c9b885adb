#include "eval/fast/grow.h"

#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "eval/fast/fast.h"

const lh_node *lh_fast_prevents(const lh_plan *p) {
    return p->prevents;
}

void lh_fast_past(lh_plan *p, int rows) {
    p->moment.past = rows;
}

bool lh_fast_has_past(lh_plan *p, int fed, int rows) {
    return !p->by->has_past || p->by->has_past(p, fed, rows);
}

bool lh_fast_still_keeps(lh_plan *p, int fed, int rows) {
    for (int i = 0; rows < fed && i < p->list[LH_STAGE_RUN].n; i++) {
        const lh_work *w = lh_fast_work_at(p, i);
        const lh_kernel *kernel = w->kept ? w->match->kernel : NULL;
        if (kernel && kernel->keeps_from &&
            kernel->keeps_from(w, rows) != kernel->keeps_from(w, fed))
            return false;
    }
    return true;
}

/* Does it keep rows of the growing input? */
static bool keeps_rows(const lh_plan *p, const lh_work *w) {
    return w->match && w->match->kernel->keeps && !w->is_once &&
           lh_plan_axis_grows(p->g, w->match->leaf[1]->shape.rows);
}

/* Where each keeps them, from `kept` on (NULL: only counted); how many floats in all. */
static size_t share_out(lh_plan *p, float *kept) {
    size_t at = 0;
    for (int i = 0; i < p->list[LH_STAGE_RUN].n; i++) {
        lh_work *w = lh_fast_work_at(p, i);
        if (!keeps_rows(p, w)) continue;
        const lh_kernel *kernel = w->match->kernel;
        w->kept_rows = kernel->keeps_rows ? kernel->keeps_rows(w, p->grows) : p->grows;
        if (kept) w->kept = kept + at;
        at += kernel->keeps(w) * (size_t)w->kept_rows * (size_t)p->examples;
    }
    return at;
}

bool lh_fast_keep(lh_plan *p) {
    lh_context *ctx = p->g->ctx;
    lh_fast_own *own = lh_fast_of(p);
    if (!p->grows || p->prevents) return true;
    const size_t needs = share_out(p, NULL);
    if (needs <= own->n_kept && own->kept) return true;
    own->n_kept = needs;
    if (p->is_sketch) return true;
    ctx->release(own->kept);
    own->kept = NULL;
    if (!lh_memory_fits(ctx, (double)needs * sizeof(float), "a shorter context")) return false;
    own->kept = ctx->alloc((needs + 1) * sizeof(float));
    if (!own->kept) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
                "out of memory for the keys and values of %d row%s", p->grows, LH_PLURAL(p->grows));
        return false;
    }
    share_out(p, own->kept);
    return true;
}

/* Rows are put aside first: two beams may come from one, and change places. */
void lh_fast_reorder(lh_plan *p, const int *from, int n) {
    lh_context *ctx = p->g->ctx;
    const lh_fast_own *own = lh_fast_of(p);
    float *aside = own->n_kept ? ctx->alloc(own->n_kept * sizeof *aside) : NULL;
    if (!aside) {
        if (own->n_kept)
            lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory for another beam");
        return;
    }
    memcpy(aside, own->kept, own->n_kept * sizeof *aside);
    for (int i = 0; i < p->list[LH_STAGE_RUN].n; i++) {
        const lh_work *w = lh_fast_work_at(p, i);
        if (!w->kept) continue;
        const size_t cells = w->match->kernel->keeps(w) * (size_t)w->kept_rows;
        for (int e = 0; e < n && e < p->examples; e++)
            memcpy(w->kept + (size_t)e * cells,
                   aside + (w->kept - own->kept) + (size_t)from[e] * cells, cells * sizeof *aside);
    }
    ctx->release(aside);
}
