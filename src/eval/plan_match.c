/* plan_match -- which kernel makes a node, if one does. */
#include <string.h>

#include "eval/plan.h"
#include "graph/build.h"

/* ---- calls ---- */

static const lh_statement *fn_of(const lh_program *p, const char *name) {
    for (int i = 0; p && i < p->n_statements; i++)
        if (p->statement[i]->kind == LH_S_FN && strcmp(p->statement[i]->name, name) == 0)
            return p->statement[i];
    return NULL;
}

/* A program that makes a function of the prelude anew, and something else of it, means something else by those that call it, too. */
static bool changes_prelude(const lh_graph *g) {
    for (int i = 0; i < g->program->n_statements; i++) {
        const lh_statement *s = g->program->statement[i];
        const lh_statement *theirs = s->kind == LH_S_FN ? fn_of(g->prelude, s->name) : NULL;
        if (theirs && !lh_fn_computes_same(s, theirs)) return true;
    }
    return false;
}

bool lh_call_is(const lh_graph *g, const lh_node *n, const char *fn) {
    return n->kind == LH_OP_call && n->call->known && strcmp(n->call->known->name, fn) == 0 &&
           !n->call->is_rewritten && g->how.n_rewrites == 0 && !changes_prelude(g);
}

/* Every kernel that makes what a call sends back names the function. */
static bool makes_back(const lh_kernel *k, const lh_graph *g, const lh_node *call) {
    const bool is_its =
        k->fn && (lh_call_is(g, call, k->fn) || (k->other_fn && lh_call_is(g, call, k->other_fn)));
    return is_its && (!k->suits || k->suits(g, call));
}

bool lh_plan_sends_whole(const lh_plan *p, const lh_node *back) {
    for (const lh_kernel *const *k = p->kernels; k && *k; k++)
        if (makes_back(*k, p->g, back->in[0])) return true;
    return false;
}

/* ---- nodes ---- */

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
        if (n->kind == LH_OP_back && (*k)->fn && !makes_back(*k, p->g, n->in[0])) continue;
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
