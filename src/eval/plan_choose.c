/* plan_choose -- which nodes run, by which kernel, which share a value, which are only another view of memory. */
#include "eval/plan.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- which nodes, and in which role ---- */

static lh_role role_of(const lh_plan *p, const lh_node *n) {
    const lh_match *m = p->value[n->id].match;
    if (m) return m->kernel->run ? MADE : VIEW;
    if (lh_op_is_leaf(n)) return LEAF;
    if (n->kind == LH_OP_given) return GIVEN;
    if (n->kind == LH_OP_input) return INPUT;
    return n->op->view ? VIEW : MADE;
}

static void use(lh_plan *p, const lh_node *n, bool at_start);

static void use_operands(lh_plan *p, const lh_node *n, bool at_start) {
    if (lh_node_meaning(n)) {
        use(p, lh_node_meaning(n), at_start);
        return;
    }
    for (int i = 0; i < n->n_in; i++) {
        if (lh_op_reads(n, i))
            use(p, n->in[i], at_start);
        else if (p->value[n->in[i]->id].role == UNUSED)
            p->value[n->in[i]->id].role = SHAPE;
    }
}

/* How the gradient is made of what whole calls send back, where there is a kernel for one of these calls. */
static lh_node *by_whole_calls(const lh_plan *p, const lh_node *n) {
    for (int i = 0; p->kernels && n->whole && i < n->whole->n_backs; i++)
        if (lh_plan_sends_whole(p, n->whole->back[i])) return n->whole->node;
    return NULL;
}

/* Marks one node; spread_use finds what it needs. */
static void use(lh_plan *p, const lh_node *n, bool at_start) {
    lh_plan_value *v = &p->value[n->id];
    v->uses += !p->joins;
    v->at_start |= at_start;
    if (v->role == KNOWN) return;
    lh_node *whole = at_start || v->role > SHAPE ? v->same : by_whole_calls(p, n);
    if (whole && !v->match) {
        v->role = VIEW, v->same = whole;
        use(p, whole, at_start);
        return;
    }
    if (v->role > SHAPE) return;
    if (p->kernels && !at_start && !v->match) lh_plan_find_kernel(p, (lh_node *)n);
    v->role = role_of(p, n);
    if (n->id > p->newest_used) p->newest_used = n->id;
    if (!v->match) return;
    for (int i = 0; i < v->match->n_leaves; i++)
        if (lh_match_leaf(v->match, i)) use(p, lh_match_leaf(v->match, i), false);
}

static void use_wishes(lh_plan *p, const lh_wish *wish) {
    lh_graph *g = p->g;
    for (int i = 0; i < wish->n_known; i++) p->value[wish->known[i]->id].role = KNOWN;
    for (int i = 0; i < wish->n_nodes; i++) {
        use(p, wish->node[i], false);
        p->value[wish->node[i]->id].lasts = true;
    }
    for (int i = 0; i < wish->n_sums; i++) use(p, wish->sum[i], false);
    for (int e = 0; e < g->n_examples; e++) /* examples x = expr: made at the start */
        for (int k = 0; k < g->n_inputs; k++)
            if (g->example[e]->value[k].node) use(p, g->example[e]->value[k].node, true);
    for (int i = 0; wish->all && i < g->n_steps; i++)
        if (!g->step[i]->is_dead) use(p, g->step[i]->node, false);
    for (int i = 0; (wish->updates || wish->all) && i < g->n_givens; i++)
        if (g->given[i]->renewed && (!wish->renews || wish->renews[i]))
            use(p, g->given[i]->renewed, false);
}

static void use_what_it_needs(lh_plan *p, lh_node *n) {
    const lh_plan_value *v = &p->value[n->id];
    const bool is_made = v->role != UNUSED && v->role != SHAPE && v->role != KNOWN &&
                         v->role != INPUT && !v->match && !v->same;
    if (!is_made) return;
    if (v->role != GIVEN)
        use_operands(p, n, v->at_start);
    else if (n->given->expr)
        use(p, n->given->expr, true);
}

/* Operands come before users, so one pass from the end marks everything. Only what stands for a gradient may come behind it: then
 * the pass begins again there. */
static bool spread_use(lh_plan *p) {
    bool *is_done = lh_alloc_array(p->arena, (size_t)p->n_nodes + 1, sizeof *is_done);
    if (!is_done) return false;
    for (int i = p->n_nodes - 1; i >= 0; i--) {
        p->newest_used = -1;
        if (!is_done[i]) use_what_it_needs(p, p->g->node[i]);
        is_done[i] = p->value[i].role != UNUSED && p->value[i].role != SHAPE;
        if (p->newest_used > i) i = p->newest_used + 1;
    }
    return true;
}

static bool is_constant_value(const lh_plan *p, const lh_node *n) {
    switch (p->value[n->id].role) {
    case LEAF: return n->kind != LH_OP_runtime;
    case GIVEN: return n->given->kind == LH_CONST && !lh_given_is_frozen(n->given);
    case VIEW:
    case MADE: break;
    default: return false;
    }
    if (n->shape.is_batched || n->sees_examples || n->op->is_random) return false;
    if (lh_node_meaning(n)) return p->value[lh_node_meaning(n)->id].is_static;
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i) && !p->value[n->in[i]->id].is_static) return false;
    return true;
}

/* ---- the same formula written twice is computed once ---- */

static uint64_t mix(uint64_t h, uint64_t x) {
    return (h ^ x) * 1099511628211u;
}

static bool can_share(const lh_node *n, lh_role r) {
    return (r == MADE || r == VIEW || (r == LEAF && n->kind != LH_OP_matrix)) &&
           !n->op->is_random && n->kind != LH_OP_renew && !lh_node_meaning(n);
}

static uint64_t formula_hash(const lh_plan *p, const lh_node *n) {
    uint64_t h = mix(1469598103934665603u, (size_t)n->kind);
    for (int i = 0; i < n->n_in; i++) h = mix(h, (size_t)lh_standing(p, n->in[i])->id);
    uint64_t bits = 0;
    if (n->n_in == 0) memcpy(&bits, &n->number, sizeof bits);
    h = mix(mix(h, bits >> 32), bits & 0xffffffffu);
    h = mix(h, (size_t)(unsigned)n->index[0]);
    return mix(h, (size_t)(unsigned)n->index[1]);
}

static bool same_formula(const lh_plan *p, const lh_node *a, const lh_node *b) {
    if (a->kind != b->kind || a->n_in != b->n_in ||
        memcmp(a->index, b->index, sizeof a->index) != 0)
        return false;
    if (a->shape.rows != b->shape.rows || a->shape.cols != b->shape.cols ||
        a->shape.heads != b->shape.heads || a->shape.is_batched != b->shape.is_batched)
        return false;
    if (a->kind == LH_OP_runtime) return strcmp(a->text, b->text) == 0;
    if (a->n_in == 0 && (a->number != b->number || signbit(a->number) != signbit(b->number)))
        return false;
    for (int i = 0; i < a->n_in; i++)
        if (lh_standing(p, a->in[i]) != lh_standing(p, b->in[i])) return false;
    return true;
}

static bool share_formulas(lh_plan *p, bool calls_only) {
    size_t size = 64;
    while (size < (size_t)p->n_nodes * 2) size *= 2;
    lh_node **table = lh_alloc_array(p->arena, size, sizeof *table);
    if (!table) return false;
    for (int i = 0; i < p->n_nodes; i++) {
        lh_node *n = p->g->node[i];
        lh_plan_value *v = &p->value[i];
        if (v->match || v->same) continue; /* made by a kernel, or of what whole calls send back */
        if (v->role == VIEW && lh_node_meaning(n))
            v->same = (lh_node *)lh_standing(p, lh_node_meaning(n));
        if (calls_only || v->is_changed || !can_share(n, v->role)) continue;
        size_t k = (size_t)formula_hash(p, n) & (size - 1);
        while (table[k] && !same_formula(p, table[k], n)) k = (k + 1) & (size - 1);
        if (!table[k])
            table[k] = n;
        else
            v->same = table[k], p->value[table[k]->id].at_start |= v->at_start;
    }
    return true;
}

/* ---- all of it ---- */

/* Which nodes run. Kernels that join several steps need to know who else reads them, so they wait for a second round. */
static bool mark_all(lh_plan *p, const lh_wish *wish) {
    use_wishes(p, wish);
    if (!spread_use(p)) return false;
    if (!p->kernels) return true;
    for (int i = 0; i < p->n_nodes; i++) p->value[i] = (lh_plan_value){.uses = p->value[i].uses};
    p->joins = true;
    use_wishes(p, wish);
    return spread_use(p);
}

static bool heads_lie_beside(const lh_plan *p, const lh_node *join) {
    const lh_node *n = join;
    do {
        n = lh_standing(p, n->in[0]);
        if (p->value[n->id].role != VIEW) return true;
        if (n->op->moves_columns) return false;
    } while (n->kind != LH_OP_join);
    return true;
}

/* join is a view where the heads lie beside each other: not behind a view that moved columns. What stands for each operand, whose
 * memory this is about, is known only behind all kernels and shared formulas. */
static void copy_heads(lh_plan *p) {
    for (int i = 0; i < p->n_nodes; i++) {
        lh_plan_value *v = &p->value[i];
        const lh_node *n = p->g->node[i];
        if (n->kind == LH_OP_join && v->role == VIEW && !v->same && !heads_lie_beside(p, n))
            v->role = MADE;
    }
}

bool lh_plan_choose(lh_plan *p, const lh_wish *wish) {
    if (!mark_all(p, wish)) return false;
    for (int i = 0; i < p->n_nodes; i++)
        p->value[i].is_static = is_constant_value(p, p->g->node[i]);
    if (!share_formulas(p, wish->as_written)) return false;
    copy_heads(p);
    return true;
}
