/* plan_choose -- which nodes run, by which kernel, which share a value, which are only another view of memory. */
#include "eval/plan.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- which nodes, and in which role ---- */

/* rows(x) and cols(x) are numbers as they stand where they are the same for all examples. */
static bool is_leaf(const lh_node *n) {
    lh_op_id k = n->kind;
    return k == LH_OP_number || k == LH_OP_matrix || k == LH_OP_size || k == LH_OP_runtime ||
           ((k == LH_OP_rows || k == LH_OP_cols) && !n->shape.is_batched);
}

/* join is a view where the heads lie beside each other: not behind a view that moved columns. */
static bool heads_lie_beside(const lh_node *n) {
    for (n = n->in[0];; n = n->kind == LH_OP_call ? n->call->result : n->in[0]) {
        switch (n->kind) {
        case LH_OP_transpose:
        case LH_OP_reverse:
        case LH_OP_columns:
        case LH_OP_column:
        case LH_OP_cell:
        case LH_OP_spread: return false;
        default: break;
        }
        if (n->kind != LH_OP_call && !n->op->view) return true;
        if (n->kind == LH_OP_join) return true;
    }
}

static lh_role role_of(const lh_plan *p, const lh_node *n) {
    const lh_match *m = p->value[n->id].match;
    if (m) return m->kernel->run ? MADE : VIEW;
    if (is_leaf(n)) return LEAF;
    if (n->kind == LH_OP_given) return GIVEN;
    if (n->kind == LH_OP_input) return INPUT;
    if (n->kind == LH_OP_call) return VIEW;
    if (n->kind == LH_OP_join) return heads_lie_beside(n) ? VIEW : MADE;
    return n->op->view ? VIEW : MADE;
}

static void use(lh_plan *p, const lh_node *n, bool at_start);

static void use_operands(lh_plan *p, const lh_node *n, bool at_start) {
    if (n->kind == LH_OP_call) {
        use(p, n->call->result, at_start);
        return;
    }
    for (int i = 0; i < n->n_in; i++) {
        if (lh_op_reads(n, i))
            use(p, n->in[i], at_start);
        else if (p->value[n->in[i]->id].role == UNUSED)
            p->value[n->in[i]->id].role = SHAPE;
    }
}

/* Marks one node; spread_use finds what it needs. */
static void use(lh_plan *p, const lh_node *n, bool at_start) {
    lh_plan_value *v = &p->value[n->id];
    v->uses += !p->joins;
    v->at_start |= at_start;
    if (v->role == KNOWN || v->role > SHAPE) return;
    if (p->kernels && !at_start && !v->match) lh_plan_find_kernel(p, (lh_node *)n);
    v->role = role_of(p, n);
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
        if (g->given[i]->renewed) use(p, g->given[i]->renewed, false);
}

/* Operands come before users, so one pass from the end marks everything. */
static void spread_use(lh_plan *p) {
    lh_graph *g = p->g;
    for (int i = p->n_nodes - 1; i >= 0; i--) {
        lh_node *n = g->node[i];
        const lh_plan_value *v = &p->value[i];
        if (v->role == UNUSED || v->role == SHAPE || v->role == KNOWN || v->match) continue;
        if (v->role == GIVEN) {
            const lh_given *given = n->given;
            if (given->expr) use(p, given->expr, true);
        } else if (v->role != INPUT) {
            use_operands(p, n, v->at_start);
        }
    }
}

static bool is_constant_value(const lh_plan *p, const lh_node *n) {
    switch (p->value[n->id].role) {
    case LEAF: return n->kind != LH_OP_runtime;
    case GIVEN: return n->given->kind == LH_CONST;
    case VIEW:
    case MADE: break;
    default: return false;
    }
    if (n->shape.is_batched || n->sees_examples || n->kind == LH_OP_coin) return false;
    if (n->kind == LH_OP_call) return p->value[n->call->result->id].is_static;
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i) && !p->value[n->in[i]->id].is_static) return false;
    return true;
}

/* ---- the same formula written twice is computed once ---- */

static size_t mix(size_t h, size_t x) {
    return (h ^ x) * 1099511628211u;
}

static bool can_share(const lh_node *n, lh_role r) {
    return (r == MADE || r == VIEW || (r == LEAF && n->kind != LH_OP_matrix)) &&
           n->kind != LH_OP_coin && n->kind != LH_OP_renew && n->kind != LH_OP_call;
}

static size_t formula_hash(const lh_plan *p, const lh_node *n) {
    size_t h = mix(1469598103934665603u, (size_t)n->kind);
    for (int i = 0; i < n->n_in; i++) h = mix(h, (size_t)lh_standing(p, n->in[i])->id);
    uint64_t bits = 0;
    if (n->n_in == 0) memcpy(&bits, &n->number, sizeof bits);
    h = mix(mix(h, (size_t)(bits >> 32)), (size_t)(bits & 0xffffffffu));
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
        if (v->match) continue;
        if (v->role == VIEW && n->kind == LH_OP_call)
            v->same = (lh_node *)lh_standing(p, n->call->result);
        if (calls_only || v->is_changed || !can_share(n, v->role)) continue;
        size_t k = formula_hash(p, n) & (size - 1);
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
static void mark_all(lh_plan *p, const lh_wish *wish) {
    use_wishes(p, wish);
    spread_use(p);
    if (!p->kernels) return;
    for (int i = 0; i < p->n_nodes; i++) p->value[i] = (lh_plan_value){.uses = p->value[i].uses};
    p->joins = true;
    use_wishes(p, wish);
    spread_use(p);
}

/* What a whole call sends back has no definition in such a graph: the rule of the call was left out for the kernel. */
static bool backs_have_kernels(const lh_plan *p) {
    for (int i = 0; i < p->n_nodes; i++) {
        const lh_node *n = p->g->node[i];
        if (n->kind != LH_OP_back || p->value[i].role != MADE || p->value[i].match) continue;
        lh_fail(p->g->ctx, LH_ERROR_VALUE, n->at,
                "what %s sends back was left to a kernel when the graph was built, and this plan "
                "goes by definitions",
                n->in[0]->call->fn->name);
        lh_cure(p->g->ctx, "build the graph without is_whole, or plan with kernels");
        return false;
    }
    return true;
}

bool lh_plan_choose(lh_plan *p, const lh_wish *wish) {
    mark_all(p, wish);
    for (int i = 0; i < p->n_nodes; i++)
        p->value[i].is_static = is_constant_value(p, p->g->node[i]);
    return backs_have_kernels(p) && share_formulas(p, wish->as_written);
}
