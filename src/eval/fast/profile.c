/* profile -- how long each kind of work of a plan takes. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "eval/fast/fast.h"

void lh_fast_profile(lh_plan *p, FILE *out);

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void lh_fast_profile(lh_plan *p, FILE *out) {
    struct {
        const char *name;
        double time;
        int n;
    } kind[128];
    int n_kinds = 0;
    double total = 0;
    for (int i = 0; i < p->n_run + p->n_commit; i++) {
        const lh_work *w = i < p->n_run ? &p->each_run[i] : &p->at_commit[i - p->n_run];
        const char *name = w->match ? w->match->kernel->name : w->node->op->name;
        if (w->match && strcmp(name, "cells") == 0) name = w->node->op->name;
        double t = now();
        w->run(w);
        t = now() - t;
        total += t;
        int k = 0;
        while (k < n_kinds && strcmp(kind[k].name, name) != 0) k++;
        if (k == n_kinds && n_kinds < 128)
            kind[n_kinds++].name = name, kind[k].time = 0, kind[k].n = 0;
        kind[k].time += t, kind[k].n++;
    }
    for (int k = 0; k < n_kinds; k++)
        fprintf(out, "%6.2f%%  %9.1f us  %4d  %s\n", 100 * kind[k].time / total, kind[k].time * 1e6,
                kind[k].n, kind[k].name);
    fprintf(out, "total %.2f ms, moving %.1f MB, fixed %.1f MB\n", total * 1e3,
            (double)p->cap_moving * 4e-6, (double)p->n_fixed * 4e-6);
}
