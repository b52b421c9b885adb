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
lh_node **lh_floats_params(lh_arena *a, const lh_graph *g, int *n) {
    lh_node **param = lh_alloc_array(a, (size_t)g->n_givens + 1, sizeof *param);
    *n = 0;
    for (int i = 0; param && i < g->n_givens; i++)
        if (g->given[i]->kind == LH_PARAM) param[(*n)++] = g->given[i]->node;
    return param;
}

void lh_floats_lend(lh_plan *p, const lh_node *known, const float *numbers) {
    value *v = value_of(p, known);
    if (v->role == KNOWN && v->view.block) v->view.block->p = (float *)numbers;
}

/* As it lies, or turned: a view that moves p would move it by floats. */
static bool is_as_it_lies(const lh_plan *p, const lh_node *n, const value *known) {
    for (n = standing(p, n); n->kind == LH_OP_transpose; n = standing(p, n->in[0])) {}
    return &p->value[n->id] == known;
}

bool lh_floats_may_be_half(const lh_plan *p, const lh_node *known) {
    const value *v = value_of(p, known);
    if (v->role != KNOWN || !p->lends || p->n_commit || v->lasts) return false;
    for (int k = 0; k < p->n_run + p->n_start; k++) {
        const lh_work *w = k < p->n_run ? &p->each_run[k] : &p->at_start[k - p->n_run];
        for (int i = 0; i < w->n_in; i++) {
            const lh_node *n = w->match ? lh_match_leaf(w->match, i) : w->node->in[i];
            if (!n || owner_of(p, n) != v) continue;
            const bool reads_half = w->match && w->match->kernel->halves >> i & 1;
            if (!reads_half || !is_as_it_lies(p, n, v)) return false;
        }
    }
    return true;
}

void lh_floats_lend_half(lh_plan *p, const lh_node *known, const uint16_t *numbers) {
    value *v = value_of(p, known);
    if (!lh_floats_may_be_half(p, known) || !v->view.block) return;
    v->view.block->p = (float *)(uintptr_t)numbers;
    v->is_half = true;
}

void lh_floats_sum(lh_plan *p, const lh_node *sum, float *to) {
    for (int i = 0; i < p->n_sums; i++)
        if (p->sum[i] == sum) p->sums[i].p = to;
}

double lh_floats_memory(const lh_plan *p) {
    return lh_fast_bytes(p);
}

void lh_floats_take(lh_plan *to, const lh_node *n, const lh_plan *from, const lh_node *m) {
    const float *b = lh_floats(from, m);
    if (b && to->lends && value_of(to, n)->role == KNOWN) lh_floats_lend(to, n, b);
    float *a = lh_floats(to, n);
    if (!a || !b || a == b) return;
    lh_sizes s = lh_fast.sizes(to, n, 0);
    memcpy(a, b, (size_t)s.rows * (size_t)s.cols * sizeof *a);
}

void lh_floats_copy(lh_plan *to, const lh_plan *from, const lh_graph *g) {
    for (int i = 0; i < g->n_givens; i++) {
        const lh_node *n = g->given[i]->node;
        if (g->given[i]->kind == LH_PARAM) lh_floats_take(to, n, from, n);
    }
}
