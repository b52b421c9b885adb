/* plan_match -- which kernel makes a node, if one does. */
#include <string.h>

#include "eval/plan.h"
#include "graph/build.h"

/* ---- calls ---- */

/* The program makes a function of the prelude anew, and something else of it. */
static bool is_changed(const lh_graph *g, const char *name) {
    const lh_statement *own = lh_program_fn(g->program, name),
                       *theirs = own ? lh_program_fn(g->prelude, name) : NULL;
    return theirs && !lh_fn_computes_same(own, theirs);
}

static bool changes_prelude(const lh_graph *g) {
    for (int i = 0; i < g->program->n_statements; i++) {
        const lh_statement *s = g->program->statement[i];
        if (s->kind == LH_S_FN && is_changed(g, s->name)) return true;
    }
    return false;
}

static bool means_another(const lh_graph *g, const lh_statement *fn);

static bool calls_another(const lh_graph *g, const lh_expr *e) {
    if (!e) return false;
    if (e->kind == LH_E_CALL && is_changed(g, e->text)) return true;
    const lh_statement *fn = e->kind == LH_E_CALL ? lh_program_fn(g->prelude, e->text) : NULL;
    if (fn && means_another(g, fn)) return true;
    for (int i = 0; i < e->n_args; i++)
        if (calls_another(g, e->arg[i])) return true;
    return false;
}

/* A function of the prelude that calls one which the program changed: it means something else, too. Functions call only what was made before
 * them, so this ends. */
static bool means_another(const lh_graph *g, const lh_statement *fn) {
    for (int i = 0; i < fn->n_body; i++)
        if (calls_another(g, fn->body[i]->expr)) return true;
    return false;
}

bool lh_call_is(const lh_graph *g, const lh_node *n, const char *fn) {
    if (n->kind != LH_OP_call || !n->call->known || strcmp(n->call->known->name, fn) != 0 ||
        n->call->is_rewritten || g->how.n_rewrites)
        return false;
    return !changes_prelude(g) || !means_another(g, n->call->known);
}

/* Every kernel that makes what a call sends back names the function. */
static bool makes_back(const lh_kernel *k, const lh_graph *g, const lh_node *call) {
    const bool is_its =
        k->fn && (lh_call_is(g, call, k->fn) || (k->other_fn && lh_call_is(g, call, k->other_fn)));
    return is_its && (!k->suits || k->suits(g, call));
}

/* A kernel may send back to some parameters only, and a backend may have a say in it. */
static bool is_taken(const lh_plan *p, const lh_kernel *k, lh_node *back) {
    lh_match m = {.kernel = k};
    return k->fits(p, back, &m) && (!p->by->takes || p->by->takes(p, back, &m));
}

bool lh_plan_sends_whole(const lh_plan *p, const lh_node *back) {
    for (const lh_kernel *const *k = p->kernels; k && *k; k++)
        if (makes_back(*k, p->g, back->in[0]) && is_taken(p, *k, (lh_node *)back)) return true;
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
        if (p->by->takes && !p->by->takes(p, n, &found)) continue;
        if (found.n_outs == 0) found.out[found.n_outs++] = n;
        if (!is_free(p, n, &found)) continue;
        lh_match *m = lh_alloc(p->arena, sizeof *m);
        *m = found;
        settle(p, m);
        return;
    }
}
