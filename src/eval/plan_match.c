/* plan_match -- which kernel makes a node, if one does. */
#include "eval/plan.h"

/* Several nodes made at once, n among them; none of them may have been given to another. */
static bool is_free(const lh_plan *p, const lh_node *n, const lh_match *m) {
    bool makes = false;
    for (int i = 0; i < m->n_outs; i++) {
        makes |= m->out[i] == n;
        if (m->out[i] && (p->value[m->out[i]->id].match || p->value[m->out[i]->id].role > SHAPE))
            return false;
    }
    return makes;
}

/* What a kernel renews or changes lies where that lay; what is only its leaf lies where that does. */
static void settle(lh_plan *p, lh_match *m) {
    for (int i = 0; i < m->n_outs; i++) {
        if (!m->out[i]) continue;
        lh_plan_value *v = &p->value[m->out[i]->id];
        v->match = m;
        if (m->kernel->in_place) p->value[m->leaf[0]->id].is_changed = true;
        if (m->kernel->run && !m->kernel->renews && !m->kernel->in_place) continue;
        if (m->kernel->renews) v->role = MADE;
        v->same = m->leaf[i]; /* the leaves of such a kernel begin with what it renews */
    }
}

void lh_plan_find_kernel(lh_plan *p, lh_node *n) {
    for (const lh_kernel *const *k = p->kernels; *k; k++) {
        if ((*k)->joins && !p->joins) continue;
        lh_match found = {.kernel = *k};
        if (!(*k)->fits(p, n, &found)) continue;
        if (found.n_outs == 0) found.out[found.n_outs++] = n;
        if (!is_free(p, n, &found)) continue;
        lh_match *m = lh_alloc(p->arena, sizeof *m);
        *m = found;
        settle(p, m);
        return;
    }
}
