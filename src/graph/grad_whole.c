/* grad_whole -- what a call sends back to a parameter as one node, `back`, beside the nodes that define it.
 *
 *     F = gelu(X)     dX = dX.u + dX.u' + ... + dX.y        the lines of the body send back to X five times
 *                     back(F, dF, X) = the same sum         for a plan with a kernel for all of it
 *
 * dX stays what it is, for whoever explains or checks it. It learns that it can be made otherwise: of the `back` nodes of whole calls
 * and of what other users send (lh_node.whole). A plan with a kernel for one of these calls takes that; all others go by the
 * definitions. A `back` node has its definition: nodes that were there before it.
 */
#include "graph/grad.h"

enum { MOST_PARAMS = 32 };

/* A function of the prelude, unchanged, or one that computes the same, that has the value as exactly one of its parameters. */
static bool sends_to(const lh_backward *w, const lh_node *call, const lh_node *to, int *param) {
    int times = 0;
    if (call->call->is_rewritten || !call->call->known || call->call->fn->n_params > MOST_PARAMS)
        return false;
    for (int i = 0; i < call->call->fn->n_params; i++) {
        const lh_node *x = call->call->param[i];
        if (x == to) *param = i, times++;
        if (!w->across && x->id < w->n && w->wants[x->id] && !x->shape.is_batched)
            return false; /* it would have a gradient of each example */
    }
    return times == 1;
}

/* The outermost, where functions call each other with the same value. */
void lh_whole_find(lh_backward *w, const lh_node *to, lh_contribution *c) {
    const lh_node *from = w->visiting;
    int param;
    if (!from || w->b->how->n_rewrites) return;
    if (from->kind == LH_OP_call && sends_to(w, from, to, &param)) c->call = from, c->param = param;
    for (const lh_scope *s = from->scope; s; s = s->outer)
        if (s->kind == LH_SCOPE_CALL && s->call && sends_to(w, s->call, to, &param))
            c->call = s->call, c->param = param;
}

/* ---- the node, and what it means ---- */

typedef struct gathering {
    lh_backward *w;
    lh_node *sum;      /* so far */
    bool newest_last;  /* how the parts are added: first + next, or next + first */
    lh_node *back[16]; /* in it */
    int n_backs;
} gathering;

static lh_node *add_part(lh_graph *g, lh_node *sum, lh_node *part, bool newest_last) {
    if (!sum) return part;
    return newest_last ? lh_op2(g, LH_OP_add, sum, part) : lh_op2(g, LH_OP_add, part, sum);
}

static lh_node *new_back(lh_backward *w, const lh_contribution *c, lh_node *definition) {
    lh_graph *g = w->g;
    lh_call *call = c->call->call;
    lh_node *in[2 + MOST_PARAMS];
    in[0] = (lh_node *)c->call, in[1] = w->dy[c->call->id];
    for (int i = 0; i < call->fn->n_params; i++) in[2 + i] = call->param[i];
    lh_node *n = lh_op_node(g, LH_OP_back, call->fn->n_params + 2, in);
    n->index[0] = c->param;
    n->call = call;
    n->definition = definition;
    n->shape = call->param[c->param]->shape;
    n->shape.is_batched = definition->shape.is_batched;
    return n;
}

/* All that one call sends lies together: it was sent while nothing else was visited. */
static bool comes_again(const lh_contribution *behind, const lh_node *call) {
    for (; behind; behind = behind->next)
        if (behind->call == call) return true;
    return false;
}

static bool is_usable(const lh_backward *w, const lh_node *sum, const lh_contribution *c) {
    const lh_node *dy = c->call ? w->dy[c->call->id] : NULL;
    return dy && sum->id > dy->id;
}

/* The contributions from c on that one call sends, as one; returns the one behind them. */
static const lh_contribution *gather_call(gathering *x, const lh_contribution *c, bool is_usable) {
    lh_graph *g = x->w->g;
    const lh_contribution *end = c;
    lh_node *definition = NULL;
    while (end && end->call == c->call) end = end->next;
    const int most = sizeof x->back / sizeof *x->back;
    if (!is_usable || x->n_backs == most || comes_again(end, c->call)) {
        x->sum = add_part(g, x->sum, c->node, x->newest_last);
        return c->next;
    }
    for (; c != end; c = c->next) {
        definition = add_part(g, definition, c->node, x->newest_last);
        if (c->next != end) continue;
        lh_node *back = new_back(x->w, c, definition);
        x->back[x->n_backs++] = back;
        x->sum = add_part(g, x->sum, back, x->newest_last);
    }
    return end;
}

static void keep(lh_graph *g, lh_node *sum, const gathering *x) {
    lh_whole *whole = lh_alloc(g->arena, sizeof *whole);
    const size_t n = (size_t)x->n_backs;
    *whole = (lh_whole){.node = x->sum, .n_backs = x->n_backs};
    whole->back = lh_alloc_array(g->arena, n, sizeof *whole->back);
    for (int i = 0; whole->back && i < x->n_backs; i++) {
        lh_node *back = x->back[i];
        lh_call *call = back->call;
        if (!call->back)
            call->back = lh_alloc_array(g->arena, (size_t)call->fn->n_params, sizeof *call->back);
        if (call->back) call->back[back->index[0]] = back;
        whole->back[i] = back;
    }
    if (!lh_failed(g->ctx)) sum->whole = whole;
}

void lh_whole_attach(lh_backward *w, lh_node *sum, const lh_contribution *all, bool newest_last) {
    gathering x = {.w = w, .newest_last = newest_last};
    bool any = false;
    if (lh_failed(w->g->ctx) || sum->id < w->n || sum->whole) return;
    for (const lh_contribution *c = all; c; c = c->next) any |= is_usable(w, sum, c);
    if (!any) return;
    for (const lh_contribution *c = all; c;) c = gather_call(&x, c, is_usable(w, sum, c));
    if (x.n_backs && !lh_failed(w->g->ctx)) keep(w->g, sum, &x);
}
