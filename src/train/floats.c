#include "train/floats.h"

#include <string.h>

#include "eval/fast/fast.h"
#include "eval/fast/profile.h"

float *lh_floats(const lh_plan *p, const lh_node *given) {
    float *at = NULL;
    size_t cells;
    if (!lh_fast.has(p, given)) return NULL;
    return lh_flat(&value_of(p, given)->view, 1, &at, &cells) ? at : NULL;
}

/* Kernels read what is known and never write it. */
void lh_floats_lend(lh_plan *p, const lh_node *known, const float *numbers) {
    value *v = value_of(p, known);
    if (v->role == KNOWN && v->view.block) v->view.block->p = (float *)numbers;
}

void lh_floats_sum(lh_plan *p, const lh_node *sum, float *to) {
    for (int i = 0; i < p->n_sums; i++)
        if (p->sum[i] == sum) p->sums[i].p = to;
}

double lh_floats_memory(const lh_plan *p) {
    return lh_fast_bytes(p);
}

void lh_floats_take(lh_plan *to, const lh_node *n, const lh_plan *from, const lh_node *m) {
    float *a = lh_floats(to, n);
    const float *b = lh_floats(from, m);
    if (!a || !b) return;
    lh_sizes s = lh_fast.sizes(to, n, 0);
    memcpy(a, b, (size_t)s.rows * (size_t)s.cols * sizeof *a);
}

void lh_floats_copy(lh_plan *to, const lh_plan *from, const lh_graph *g) {
    for (int i = 0; i < g->n_givens; i++) {
        const lh_node *n = g->given[i]->node;
        if (g->given[i]->kind == LH_PARAM) lh_floats_take(to, n, from, n);
    }
}
