#include "explain/trace.h"

#include "graph/op.h"

bool *lh_trace_needed(lh_graph *g, lh_arena *a) {
    bool *needed = lh_alloc_array(a, (size_t)g->n_nodes + 1, sizeof *needed), any = false;
    if (!needed) return NULL;
    for (int i = 0; i < g->n_givens; i++)
        if (g->given[i]->renewed) needed[g->given[i]->renewed->id] = any = true;
    if (!any) return NULL;
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        const lh_node *n = g->node[i];
        if (!needed[i]) continue;
        if (n->kind == LH_OP_call) needed[n->call->result->id] = true;
        for (int k = 0; k < n->n_in; k++)
            if (lh_op_reads(n, k)) needed[n->in[k]->id] = true;
    }
    return needed;
}

typedef struct collector {
    lh_graph *g;
    lh_trace *t;
    unsigned char *seen; /* for each node: opened already */
    int depth;
} collector;

/* What stands inside the formula, before what uses it. */
static void open_up(collector *c, lh_trace_item *item, lh_node *n, bool is_whole) {
    if (c->seen[n->id] || c->depth > 400) return;
    bool is_inner = n->step && lh_step_is_inner(n->step) && n->step->kind != LH_STEP_GIVEN;
    if (n->step && !is_inner && !is_whole) return;
    c->seen[n->id] = 1;
    c->depth++;
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i) || n->kind == LH_OP_call) open_up(c, item, n->in[i], false);
    if (n->kind == LH_OP_call) open_up(c, item, n->call->result, false);
    c->depth--;
    if (is_whole || !n->step || lh_node_is_result_line(n)) return;
    *lh_push(c->t->arena, item->inner, item->n_inner) = n->step;
}

static lh_section section_of(const lh_step *s) {
    switch (s->kind) {
    case LH_STEP_GIVEN: return LH_SECTION_GIVEN;
    case LH_STEP_GRADIENT:
    case LH_STEP_PART: return LH_SECTION_BACKWARD;
    case LH_STEP_UPDATE: return LH_SECTION_UPDATE;
    default: return LH_SECTION_FORWARD;
    }
}

/* Is `to` this step, or a line inside it? The last line of a call is the step itself. */
static bool reaches(const lh_trace_item *item, const lh_step *to) {
    for (int i = 0; i < item->n_inner; i++)
        if (item->inner[i] == to) return true;
    const lh_node *n = item->step->node;
    while (n->kind == LH_OP_call && n != to->node) n = n->call->result;
    return item->step == to || (n == to->node && lh_step_is_inner(to));
}

static void collect(collector *c, const lh_trace_how *how) {
    lh_graph *g = c->g;
    lh_step *to = how->to ? lh_graph_find(g, how->to) : NULL;
    bool *needed = how->all ? NULL : lh_trace_needed(g, c->t->arena);
    bool is_reached = !to;
    if (lh_failed(g->ctx)) return;
    for (int i = 0; i < g->n_steps && (!to || !is_reached); i++) {
        lh_step *s = g->step[i];
        lh_section section = section_of(s);
        bool is_hidden =
            lh_step_is_inner(s) || s->is_dead ||
            (section == LH_SECTION_BACKWARD && needed && !needed[s->node->id] && s != to);
        if (!is_hidden) {
            lh_trace_item *item = lh_push(c->t->arena, c->t->item, c->t->n_items);
            *item = (lh_trace_item){.step = s, .section = section};
            if (section != LH_SECTION_GIVEN) open_up(c, item, s->node, true);
            if (to) is_reached = reaches(item, to);
        }
    }
    if (is_reached) return;
    lh_fail(g->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0}, "%s is not among the steps shown",
            to->path);
    lh_cure(g->ctx, "explain %s shows it; `all` adds the gradients that no update needs", to->path);
}

void lh_trace_free(lh_trace *t) {
    if (t) lh_arena_free(t->arena);
}

lh_trace *lh_trace_new(lh_graph *g, const lh_trace_how *how) {
    if (lh_failed(g->ctx)) return NULL;
    lh_arena *a = lh_arena_new(g->ctx);
    if (!a) return NULL;
    lh_trace *t = lh_alloc(a, sizeof *t);
    *t = (lh_trace){.arena = a};
    collector c = {.g = g, .t = t, .seen = lh_alloc_array(a, (size_t)g->n_nodes + 1, 1)};
    if (c.seen) collect(&c, how);
    if (!lh_failed(g->ctx)) return t;
    lh_trace_free(t);
    return NULL;
}
