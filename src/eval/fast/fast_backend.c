/* fast_backend -- the backend for speed: float, kernels that stand for many steps, threads, memory that values share. */
#include "base/memory.h"
#include "eval/fast/bf16.h"
#include "eval/fast/fast.h"
#include "eval/fast/grow.h"
#include "eval/fast/signals.h"
#include "eval/fast/wish.h"

/* Works for which signals are held at once: asking the system each time would take a fifth of the time of a small model's step, and
 * a large model's step is too long to wait for. */
enum { HELD = 16 };

static bool set_precision(lh_plan *p, lh_precision precision) {
    if (precision == LH_IN_BF16 && !lh_bf16_name()) {
        lh_fail(p->g->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
                "bf16 products are not available here: they need a processor with AVX512_BF16 or "
                "AMX");
        lh_cure(p->g->ctx, "float products work everywhere: leave out bf16");
        return false;
    }
    lh_pool_use_bf16(p->moment.pool, precision == LH_IN_BF16);
    return true;
}

static bool fast_open(lh_plan *p, const lh_wish *wish) {
    static const lh_fast_wish plain;
    const lh_fast_wish *own = wish->own ? wish->own : &plain;
    p->own = lh_alloc(p->arena, sizeof(lh_fast_own));
    if (!LH_LOOPS(open)(p, wish)) return false;
    p->moment.pool = p->is_sketch ? NULL : lh_pool_new(own->threads);
    lh_fast_of(p)->threads = lh_pool_threads(p->moment.pool);
    return set_precision(p, own->precision);
}

static void fast_close(lh_plan *p) {
    lh_context *ctx = p->g->ctx;
    LH_LOOPS(close)(p);
    ctx->release(p->moment.scratch);
    if (p->own) ctx->release(lh_fast_of(p)->kept);
    lh_pool_free(p->moment.pool);
}

/* One piece of memory for each thread, as large as the most greedy kernel needs. */
static bool reserve_scratch(lh_plan *p) {
    lh_context *ctx = p->g->ctx;
    const size_t threads = (size_t)lh_fast_of(p)->threads;
    size_t most = 0;
    for (int i = 0; i < lh_fast_works(p); i++) {
        const lh_work *w = lh_fast_work_at(p, i);
        if (!w->match || !w->match->kernel->scratch) continue;
        size_t cells = (w->match->kernel->scratch(w) + 15) / 16 * 16;
        if (cells > most) most = cells;
    }
    if (most <= p->moment.scratch_cells) return true;
    if (p->is_sketch) {
        p->moment.scratch_cells = most;
        return true;
    }
    ctx->release(p->moment.scratch);
    p->moment.scratch = ctx->alloc((most * threads + 1) * sizeof(float));
    p->moment.scratch_cells = p->moment.scratch ? most : 0;
    if (!p->moment.scratch)
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
                "out of memory for the threads' own sums");
    return p->moment.scratch != NULL;
}

static bool fast_ready(lh_plan *p, bool is_bound) {
    if (!LH_LOOPS(ready)(p, is_bound)) return false;
    return !is_bound || !p->kernels || (lh_fast_keep(p) && reserve_scratch(p));
}

static double fast_bytes(const lh_plan *p) {
    const lh_fast_own *own = lh_fast_of(p);
    return sizeof(float) *
               ((double)own->n_kept + (double)p->moment.scratch_cells * (double)own->threads) +
           (double)lh_pool_room_bytes(p->moment.pool);
}

static void fast_each(lh_plan *p, int n, lh_do_piece piece, void *what) {
    lh_pool_run(p->moment.pool, n, piece, what);
}

static void fast_run(lh_plan *p, lh_stage stage, int from, int to) {
    for (int end; from < to; from = end) {
        end = to - from > HELD ? from + HELD : to;
        lh_signals_hold();
        LH_LOOPS(run)(p, stage, from, end);
        lh_signals_let();
    }
}

static const lh_backend backend = {
    .name = "fast",
    .line = 16,
    .has_floats = true,
    .shares_memory = true,
    .kernels = lh_kernels,
    .adds_up = &lh_kernel_sum_of_parts,
    LH_LOOPS_RECORD,
    .open = fast_open,
    .close = fast_close,
    .bytes = fast_bytes,
    .ready = fast_ready,
    .run = fast_run,
    .each = fast_each,
    .has_past = lh_fast_still_keeps,
};

static lh_plan *fast_plan(lh_graph *g, const lh_wish *wish) {
    return lh_plan_new(g, wish, &backend);
}

const lh_evaluator lh_fast = {.name = "fast",
                              .epsilon = LH_REAL_EPSILON,
                              .has_bf16 = true,
                              .by = &backend,
                              .plan = fast_plan,
                              LH_EVALUATE};
