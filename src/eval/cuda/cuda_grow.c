/* cuda_grow -- the key-value cache: attention keeps the keys and values of all rows that were fed, in memory for the longest text. */
#include "eval/cuda/cuda.h"

enum { LINE = 64 }; /* floats: the cache of each attention starts at a multiple of these */

bool lh_cuda_keeps(const lh_plan *p, const lh_match *m) {
    return p->grows && lh_plan_axis_grows(p->g, m->leaf[1]->shape.rows);
}

static bool keeps_rows(const lh_plan *p, const lh_cuda_work *w) {
    return w->plan->match && w->kernel == LH_GPU_attention && lh_cuda_keeps(p, w->plan->match);
}

static size_t line_of(const lh_plan *p, const lh_node *n) {
    return p->g->axis[n->shape.heads].n * p->g->axis[n->shape.cols].n;
}

/* In floats, or, where keys lie in bf16, in half as many. */
static size_t cells_of(const lh_plan *p, const lh_match *m) {
    const size_t numbers = (line_of(p, m->leaf[1]) + line_of(p, m->leaf[2])) * (size_t)p->grows *
                           (size_t)p->examples,
                 cells = lh_plan_owner(p, m->leaf[1])->is_short ? numbers / 2 + 1 : numbers;
    return (cells + LINE - 1) / LINE * LINE;
}

size_t lh_cuda_kept_rows(const lh_plan *p) {
    const lh_plan_list *run = &p->list[LH_STAGE_RUN];
    size_t all = 0;
    for (int i = 0; p->grows && i < run->n; i++) {
        const lh_match *m = run->work[i].match;
        if (m && lh_cuda_kernel_number(m->kernel) == LH_GPU_attention && lh_cuda_keeps(p, m))
            all += cells_of(p, m);
    }
    return all;
}

enum { KEPT_SHORT = 4 }; /* a number of the launch */

/* 1: keys and values are in bf16, 0: in float, -1: they differ */
static float type_of(const lh_plan *p, const lh_match *m) {
    const bool k = lh_plan_owner(p, m->leaf[1])->is_short,
               v = lh_plan_owner(p, m->leaf[2])->is_short;
    return k != v ? -1 : k;
}

bool lh_cuda_keep(lh_plan *p, const lh_gpu *gpu) {
    lh_cuda_own *own = lh_cuda_of(p);
    lh_cuda_work *work = own->work[LH_STAGE_RUN];
    const size_t needs = lh_cuda_kept_rows(p);
    if (needs > own->rows_cells) {
        lh_cuda_give_back(p->g->ctx, own->rows);
        own->rows_cells = 0;
        own->rows = lh_cuda_take(p->g->ctx, needs, sizeof *own->rows);
        if (!own->rows) return false;
        own->rows_cells = needs;
    }
    size_t at = 0;
    for (int i = 0; i < p->list[LH_STAGE_RUN].n; i++) {
        if (!keeps_rows(p, &work[i])) continue;
        work[i].gpu.kept = own->rows + at;
        work[i].gpu.kept_rows = p->grows;
        work[i].gpu.number[KEPT_SHORT] = type_of(p, work[i].plan->match);
        work[i].launch = gpu->attend;
        at += cells_of(p, work[i].plan->match);
    }
    return true;
}

/* ---- the largest of a row ---- */

int lh_cuda_largest(lh_plan *p, const lh_layout *row) {
    const lh_gpu *gpu = lh_cuda_gpu(p->g->ctx);
    lh_cuda_own *own = lh_cuda_of(p);
    int at = -1;
    if (!gpu || row->heads != 1 || row->rows != 1 || (row->cols > 1 && row->cs != 1)) return -2;
    char *from = lh_plan_base(p, row);
    from += row->at * (row->is_short ? 2 : (ptrdiff_t)sizeof(float));
    lh_cuda_settle();
    if (!lh_cuda_token_answer(p, gpu, from, &at)) {
        if (!own->largest) own->largest = lh_cuda_take(p->g->ctx, 1, sizeof *own->largest);
        if (!own->largest) return -2;
        gpu->largest((lh_gpu_line){from, row->is_short}, row->cols, own->largest, gpu->stream);
        gpu->get(&at, own->largest, sizeof at);
    }
    return lh_cuda_is_well(p->g->ctx) ? at : -2;
}
