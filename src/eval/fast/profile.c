#include "eval/fast/profile.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "eval/fast/fast.h"
#include "eval/fast/wish.h"

/* The kernel for operations that go cell by cell says less than the operation. */
static const char *name_of(const lh_work *w) {
    const bool says = w->match && strcmp(w->match->kernel->name, "cells") != 0;
    return says ? w->match->kernel->name : w->node->op->name;
}

static lh_profile_kind *kind_of(lh_profile *f, const lh_work *w) {
    const int most = sizeof f->kind / sizeof *f->kind;
    const char *name = name_of(w);
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->kind[i].name, name) == 0) return &f->kind[i];
    if (f->n == most) return &f->kind[most - 1];
    f->kind[f->n] = (lh_profile_kind){.name = name, .is_kernel = w->match != NULL};
    return &f->kind[f->n++];
}

static double view_bytes(const lh_view *v, int examples) {
    double cells = 0;
    for (int e = 0; v->block && e < (v->step ? examples : 1); e++)
        if (v->block[e].p) cells += (double)lh_block_cells(&v->block[e]);
    return 4 * cells;
}

int lh_fast_works(const lh_plan *p) {
    return p->list[LH_STAGE_RUN].n + p->list[LH_STAGE_COMMIT].n;
}

lh_profile_work lh_fast_work_run(lh_plan *p, int i) {
    const lh_work *w = lh_fast_work_at(p, i);
    lh_profile_work done = {.node = w->node, .name = name_of(w), .is_kernel = w->match != NULL};
    for (int k = 0; k < w->n_in; k++) done.bytes += view_bytes(&w->in[k], p->examples);
    for (int k = 0; w->match && k < w->match->n_outs; k++)
        done.bytes += view_bytes(&w->outs[k], p->examples);
    if (!w->match) done.bytes += view_bytes(&w->out, p->examples);
    const double start = lh_seconds_by(CLOCK_MONOTONIC);
    w->run(w);
    done.seconds = lh_seconds_by(CLOCK_MONOTONIC) - start;
    return done;
}

const lh_node *lh_fast_work_node(const lh_plan *p, int i) {
    return lh_fast_work_at(p, i)->node;
}

double lh_fast_work_count(lh_plan *p, int i, lh_pool_counts *c) {
    const lh_work *w = lh_fast_work_at(p, i);
    *c = (lh_pool_counts){0};
    lh_pool_count(p->moment.pool, c);
    const double start = lh_seconds_by(CLOCK_THREAD_CPUTIME_ID);
    w->run(w);
    const double seconds = lh_seconds_by(CLOCK_THREAD_CPUTIME_ID) - start;
    lh_pool_count(p->moment.pool, NULL);
    return seconds;
}

lh_profile lh_fast_profile(lh_plan *p) {
    lh_profile f = {0};
    for (int i = 0; i < p->list[LH_STAGE_RUN].n + p->list[LH_STAGE_COMMIT].n; i++) {
        const lh_work *w = lh_fast_work_at(p, i);
        lh_profile_kind *k = kind_of(&f, w);
        const double start = lh_seconds_by(CLOCK_MONOTONIC);
        w->run(w);
        const double seconds = lh_seconds_by(CLOCK_MONOTONIC) - start;
        k->works++;
        k->seconds += seconds;
        f.seconds += seconds;
    }
    f.bytes = lh_plan_bytes(p);
    return f;
}

int lh_fast_uses(const lh_plan *p, const char *kernel) {
    int n = 0;
    for (int i = 0; i < p->n_nodes; i++) {
        const lh_plan_value *v = &p->value[i];
        n += v->match && v->role > SHAPE && strcmp(v->match->kernel->name, kernel) == 0;
    }
    return n;
}

double lh_fast_needs(lh_graph *g, const lh_wish *wish, const lh_batch *batch) {
    lh_wish sizes = *wish;
    sizes.is_sketch = true;
    lh_plan *p = lh_fast.plan(g, &sizes);
    if (!p) return 0;
    if (batch)
        lh_fast.feed(p, batch);
    else
        lh_fast.bind(p, NULL, 0);
    const lh_fast_wish *own = wish->own;
    lh_fast_of(p)->threads = own && own->threads ? own->threads : lh_pool_processors();
    const double bytes = lh_plan_bytes(p);
    lh_fast.free(p);
    return lh_failed(g->ctx) ? 0 : bytes;
}
