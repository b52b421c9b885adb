/* parts -- a batch that is run in parts: the results of the parts are accumulated from run to run, in memory of their own. */
#include "eval/cuda/device/gpu_grid.h"

__global__ void add_up(lh_gpu_work w) {
    const bool adds = w.moment->adds; /* false: this is the first part */
    EACH_CELL(w, e, y, i) {
        const place k = place_of(y, i);
        const float x = at(block_of(w.in[0], e), k.h, k.r, k.c);
        const cell to = at(y, k.h, k.r, k.c);
        to = adds ? (float)to + x : x;
    }
}

extern "C" void lh_gpu_add_up(const lh_gpu_work *w, void *stream) {
    LAUNCH(add_up, grid_of(w->most, w->examples), THREADS, 0, stream, *w);
}
