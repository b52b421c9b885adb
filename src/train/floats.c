#include "train/floats.h"

#include <string.h>

#include "eval/fast/fast.h"
#include "eval/fast/profile.h"

float *lh_floats(const lh_plan *p, const lh_node *given) {
    if (!lh_fast.has(p, given)) return NULL;
    const lh_layout *l = lh_layout_of(p, given, 0);
    float *from = l ? lh_plan_base(p, l) : NULL;
    return from && lh_layout_is_flat(l) ? from + l->at : NULL;
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
    lh_plan_lend(p, known, numbers);
}

/* As it lies, or turned: a view that moves p would move it by floats. */
static bool is_as_it_lies(const lh_plan *p, const lh_node *n, const lh_plan_value *known) {
    for (n = lh_standing(p, n); n->kind == LH_OP_transpose; n = lh_standing(p, n->in[0])) {}
    return &p->value[n->id] == known;
}

/* Can the work read this value in bf16, if it reads it at all? */
static bool reads_half(const lh_plan *p, const lh_plan_work *w, const lh_plan_value *v) {
    for (int i = 0; i < w->n_in; i++) {
        const lh_node *n = lh_plan_operand(w, i);
        if (!n || lh_plan_owner(p, n) != v) continue;
        const bool is_able = w->match && i < LH_MAX_LEAVES && w->match->kernel->halves >> i & 1;
        if (!is_able || !is_as_it_lies(p, n, v)) return false;
    }
    return true;
}

bool lh_floats_may_be_half(const lh_plan *p, const lh_node *known) {
    const lh_plan_value *v = lh_value_of(p, known);
    if (v->role != KNOWN || !p->lends || p->list[LH_STAGE_COMMIT].n || v->lasts) return false;
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int k = 0; k < p->list[stage].n; k++)
            if (!reads_half(p, &p->list[stage].work[k], v)) return false;
    return true;
}

void lh_floats_lend_half(lh_plan *p, const lh_node *known, const uint16_t *numbers) {
    lh_plan_value *v = lh_value_of(p, known);
    if (!lh_floats_may_be_half(p, known)) return;
    v->is_half = true;
    p->is_lent_anew = true;
    lh_plan_lend(p, known, numbers);
}

void lh_floats_sum(lh_plan *p, const lh_node *sum, float *to) {
    lh_plan_sum_to(p, sum, to);
}

double lh_floats_memory(const lh_plan *p) {
    return lh_fast_bytes(p);
}

void lh_floats_take(lh_plan *to, const lh_node *n, const lh_plan *from, const lh_node *m) {
    const float *b = lh_floats(from, m);
    if (b && to->lends && lh_value_of(to, n)->role == KNOWN) lh_floats_lend(to, n, b);
    float *a = lh_floats(to, n);
    if (!a || !b || a == b) return;
    lh_sizes s = lh_fast.sizes(to, n, 0);
    memcpy(a, b, (size_t)s.heads * (size_t)s.rows * (size_t)s.cols * sizeof *a);
}

void lh_floats_copy(lh_plan *to, const lh_plan *from, const lh_graph *g) {
    for (int i = 0; i < g->n_givens; i++) {
        const lh_node *n = g->given[i]->node;
        if (g->given[i]->kind == LH_PARAM) lh_floats_take(to, n, from, n);
    }
}
