/* cuda_needs -- how much memory a plan will need, found with a plan that only knows sizes: nothing is allocated, and no GPU is needed. */
#include <stdint.h>

#include "eval/cuda/cuda.h"
#include "eval/cuda/devices.h"

/* Invented addresses, far from each other, so that contiguous values can be recognised. They are never dereferenced. */
static void place_buffers(lh_plan *p, bool is_placed) {
    for (int i = 0; i < LH_N_BUFFERS; i++)
        p->memory[i] = is_placed ? (void *)((uintptr_t)(i + 1) << 44) : NULL;
}

bool lh_cuda_sketch(lh_plan *p, bool is_bound) {
    lh_cuda_own *own = lh_cuda_of(p);
    place_buffers(p, true);
    const bool is_done = (!is_bound || lh_cuda_connect_all(p, NULL, false)) &&
                         lh_cuda_connect_all(p, NULL, is_bound);
    own->scratch_cells = lh_cuda_scratch_cells(p);
    own->kept_cells = is_bound ? lh_cuda_kept_cells(p) : 0;
    own->rows_cells = is_bound ? lh_cuda_kept_rows(p) : 0;
    place_buffers(p, false);
    return is_done;
}

double lh_cuda_needs(lh_graph *g, const lh_wish *wish, const lh_batch *batch) {
    lh_wish sizes = *wish;
    sizes.is_sketch = true;
    lh_plan *p = lh_cuda.plan(g, &sizes);
    if (p) lh_cuda.feed(p, batch);
    const double bytes = p && !lh_failed(g->ctx) ? lh_plan_bytes(p) : 0;
    lh_cuda.free(p);
    return bytes;
}

/* Of the longest possible text. */
bool lh_cuda_fits_text(lh_graph *g, const lh_wish *wish) {
    lh_arena *a = lh_arena_new(g->ctx);
    const int **rows = a ? lh_alloc_array(a, (size_t)g->n_inputs + 1, sizeof *rows) : NULL;
    for (int i = 0; rows && i < g->n_inputs; i++) rows[i] = &wish->grows;
    const double bytes =
        rows ? lh_cuda_needs(g, wish, &(lh_batch){.examples = 1, .rows = rows}) : 0;
    lh_arena_free(a);
    return !lh_failed(g->ctx) && lh_cuda_fits(g->ctx, bytes);
}

bool lh_cuda_fits(lh_context *ctx, double bytes) {
    const lh_gpu *gpu = lh_cuda_gpu(ctx);
    size_t has = 0, all = 0;
    if (!gpu) return false;
    gpu->room(&has, &all);
    if (bytes + LH_CUDA_LIBRARIES <= (double)has || bytes <= 0.5 * (double)has) return true;
    lh_cuda_no_room(ctx, gpu, bytes, "this run");
    return false;
}
