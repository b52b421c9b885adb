/* print -- nodes as formulas: named nodes by their name, the others in place, with the fewest brackets. */
#include <string.h>

#include <assert.h>

#include "graph/graph.h"
#include "graph/op.h"

static bool is_within(const lh_scope *s, const lh_scope *from) {
    for (; from; from = from->outer)
        if (from == s) return true;
    return false;
}

/* The last line of a call that has a name is known by that name: P, not P.y. */
static const lh_step *known_as(const lh_step *s, const lh_scope *from) {
    const lh_node *call = s->scope->call;
    if (s->kind == LH_STEP_BODY && s->scope->kind == LH_SCOPE_CALL && call &&
        call->call->result == s->node && call->step && from != s->scope)
        return call->step;
    return s;
}

const char *lh_step_label(lh_graph *g, const lh_step *s, const lh_scope *from) {
    (void)g;
    s = known_as(s, from);
    if (!from || is_within(s->scope, from)) return s->name;
    if (from->call && from->call->call && from->call->call->scope == s->scope)
        return s->name; /* a rule sees the body's lines */
    return s->path;
}

/* Unnamed operands of a call have a name inside that call and stand in place everywhere else. */
bool lh_node_is_named(const lh_node *n, const lh_scope *from) {
    if (!n->step) return false;
    const lh_step *s = known_as(n->step, from);
    if (s->kind != LH_STEP_AUX) return true;
    if (n->kind == LH_OP_call && s->scope->kind != LH_SCOPE_CALL) return false;
    return from && s->scope->call && (from == s->scope || from->call == s->scope->call);
}

static int binding_of(const lh_node *n) {
    if (n->kind == LH_OP_same || n->kind == LH_OP_renew) return LH_BIND_COMPARE;
    if (n->kind == LH_OP_number && n->text && n->text[0] == '-') return LH_BIND_UNARY;
    return n->op->print_kind == LH_PRINT_CALL ? LH_BIND_ATOM
           : n->op->binding                   ? n->op->binding
                                              : LH_BIND_ATOM;
}

static void print_call(lh_text *out, const lh_node *n, const lh_scope *from) {
    lh_text_add(out, "%s(", n->op->name);
    for (int i = 0; i < n->n_in; i++) {
        if (i) lh_text_add(out, ", ");
        lh_node_print(out, n->in[i], from);
    }
    lh_text_add(out, ")");
}

/* Heads that the engine repeated are stretched, as rows are: formulas show what was stretched. */
static const lh_node *shown(const lh_node *n) {
    while (n->kind == LH_OP_repeatheads && n->index[1] && !n->step) n = n->in[0];
    return n;
}

void lh_node_print_inside(lh_text *out, const lh_node *n, const lh_scope *from) {
    if (shown(n) != n) {
        lh_node_print(out, shown(n), from);
        return;
    }
    int bind = n->op->binding;
    switch (n->op->print_kind) {
    case LH_PRINT_CALL: print_call(out, n, from); return;
    case LH_PRINT_INFIX:
        lh_node_print_as(out, n->in[0], from, bind == LH_BIND_COMPARE ? LH_BIND_SUM : bind);
        lh_text_add(out, " %s ", n->op->name);
        lh_node_print_as(out, n->in[1], from, bind + 1);
        return;
    case LH_PRINT_PREFIX:
        lh_text_add(out, "%s", n->op->name);
        lh_node_print_as(out, n->in[0], from, LH_BIND_UNARY);
        return;
    case LH_PRINT_OWN: n->op->print(out, n, from); return;
    }
}

void lh_node_print(lh_text *out, const lh_node *n, const lh_scope *from) {
    if (lh_node_is_named(n, from))
        lh_text_add(out, "%s", lh_step_label(NULL, n->step, from));
    else
        lh_node_print_inside(out, n, from);
}

void lh_node_print_as(lh_text *out, const lh_node *n, const lh_scope *from, int binding) {
    n = shown(n);
    bool brackets = !lh_node_is_named(n, from) && binding_of(n) < binding;
    if (brackets) lh_text_add(out, "(");
    lh_node_print(out, n, from);
    if (brackets) lh_text_add(out, ")");
}

const char *lh_step_formula(lh_graph *g, const lh_step *s) {
    assert(s->id < g->n_steps && g->step[s->id] == s);
    lh_step *own = g->step[s->id];
    if (own->formula && own->told == s->node) return own->formula;
    lh_text t = lh_text_new(g->arena);
    lh_node_print_inside(&t, s->node, s->node->scope);
    own->formula = t.s;
    own->told = s->node;
    return t.s;
}
