/* cost_gpu -- a step on a GPU: which kernels do it, how long each work takes by itself, and what the GPU can do. */
#include "cli/cost_command.h"
#include "eval/cuda/cuda.h"
#include "eval/cuda/devices.h"

enum { RUNS = 3 };

static double bytes_of(const lh_plan *p, const lh_node *n) {
    const lh_plan_value *v = lh_value_of(p, n);
    double bytes = 0;
    for (int e = 0; v->layout && e < (v->step ? p->examples : 1); e++)
        bytes += (double)lh_layout_cells(&v->layout[e]) * (v->layout[e].is_short ? 2 : 4);
    return bytes;
}

static lh_profile_work profile_of(const lh_plan *p, int i, double seconds) {
    const lh_plan_list *run = &p->list[LH_STAGE_RUN], *commit = &p->list[LH_STAGE_COMMIT];
    const lh_plan_work *w = i < run->n ? &run->work[i] : &commit->work[i - run->n];
    lh_profile_work done = {.node = w->node,
                            .name = lh_cuda_work_name(p, i),
                            .is_kernel = w->match != NULL,
                            .seconds = seconds};
    for (int k = 0; k < w->n_in; k++)
        if (lh_plan_operand(w, k)) done.bytes += bytes_of(p, lh_plan_operand(w, k));
    for (int k = 0; w->match && k < w->match->n_outs; k++)
        if (w->match->out[k] && p->value[w->match->out[k]->id].role != UNUSED)
            done.bytes += bytes_of(p, w->match->out[k]);
    if (!w->match) done.bytes += bytes_of(p, w->node);
    return done;
}

void lh_cost_gpu_works(lh_cli *cli, lh_plan *p, lh_outline *o, lh_measured *m) {
    const int n = p->list[LH_STAGE_RUN].n + p->list[LH_STAGE_COMMIT].n;
    double *best = lh_alloc_array(cli->arena, (size_t)n + 1, sizeof *best),
           *seconds = lh_alloc_array(cli->arena, (size_t)n + 1, sizeof *seconds);
    lh_cuda.run(p);
    for (int run = 0; best && seconds && run < RUNS && !lh_failed(cli->ctx); run++) {
        lh_cuda_time_works(p, seconds);
        for (int i = 0; i < n; i++)
            if (run == 0 || seconds[i] < best[i]) best[i] = seconds[i];
    }
    for (int i = 0; best && i < n && !lh_failed(cli->ctx); i++) {
        const lh_profile_work w = profile_of(p, i, best[i]);
        lh_measured_add(cli, m, o, &w);
    }
}

lh_plan *lh_cost_gpu_plan(lh_cli *cli, lh_cost_model *m) {
    lh_gpu_device gpu;
    if (!m->g || lh_failed(cli->ctx)) return NULL;
    if (m->batch.examples && !lh_cuda_fits(cli->ctx, lh_cuda_needs(m->g, &m->wish, &m->batch)))
        return NULL;
    m->device = lh_devices(&gpu, 1, NULL) > 0 ? lh_printf(cli->arena, "%s", gpu.name) : "a GPU";
    lh_plan *p = lh_cuda.plan(m->g, &m->wish);
    if (!p) return NULL;
    lh_cuda.start(p);
    lh_cost_model_feed(m, p);
    return p;
}
