/* How a unit is worked out: its formula, cut at the units it reads and at the lines that a person writes down on the way. */
#include <math.h>
#include <string.h>

#include "graph/op.h"
#include "learn/reach_internal.h"

static int unit_of_path(const lh_reach *r, const char *path, int moment) {
    for (int i = 0; i < r->n_units; i++)
        if (r->unit[i].moment == moment && strcmp(r->unit[i].step->path, path) == 0) return i;
    return -1;
}

typedef struct maker {
    lh_reach *r;
    variant *v;
    lh_arena *scratch;
    work *w;
    int unit; /* the one that is worked out */
    int moment;
    int *line;          /* for each node: its line in the work, plus 1 */
    unsigned *seen, at; /* for each node: the formula in which it was met last */
} maker;

/* A line of its own inside a formula: one that a person writes down on the way. The last line of a call is one where it is read
 * from elsewhere: the gradient of softmax reads its probabilities. */
static bool is_line(const maker *m, const lh_node *n) {
    const lh_step *s = n->step;
    return s && (lh_step_is_inner(s) || m->v->is_anew) && !n->is_known && n->kind != LH_OP_number &&
           n->kind != LH_OP_size && n->kind != LH_OP_given;
}

/* As many digits as the sheet asks for, and so many of them behind the point. */
static int constant_decimals(const maker *m, const lh_node *n) {
    return m->r->s->digits - 1 - (int)floor(log10(fabs(n->number)));
}

/* For each node of a program: does an update change it? Operands come before users. */
static const bool *changes_of(variant *v) {
    const lh_graph *g = v->g;
    if (v->changes) return v->changes;
    bool *is = v->changes = lh_alloc_array(v->arena, (size_t)g->n_nodes + 1, sizeof *is);
    for (int k = 0; is && k < g->n_nodes; k++) {
        const lh_node *n = g->node[k];
        is[k] = n->kind == LH_OP_runtime || n->kind == LH_OP_coin ||
                (n->kind == LH_OP_given && n->given->renewed);
        if (n->kind == LH_OP_call) is[k] = is[n->call->result->id];
        for (int i = 0; i < n->n_in && n->kind != LH_OP_call; i++)
            is[k] |= lh_op_reads(n, i) && is[n->in[i]->id];
    }
    return is;
}

/* The call that a node is the last line of, or the node itself. */
static const lh_node *named(const lh_node *n) {
    const lh_step *s = n->step;
    for (; s && s->kind == LH_STEP_BODY && s->scope->call && s->scope->call->call->result == n;
         s = n->step)
        n = s->scope->call;
    return n;
}

/* The unit whose numbers a node stands for. A param at a later moment is what := made of it before; a step that no update
 * changes is not worked out again, but taken as it was written. */
static int unit_of(const maker *m, const lh_node *n) {
    const lh_reach *r = m->r;
    if (n->kind == LH_OP_given && m->moment > 0 && n->given->renewed && n->given->renewed->step)
        return unit_of_path(r, n->given->renewed->step->path, m->moment - 1);
    const lh_step *s = named(n)->step;
    const bool *changes = changes_of(m->v);
    int moment = m->moment, unit = s ? unit_of_path(r, s->path, moment) : -1;
    while (unit >= 0 && moment > 0 && changes && !changes[n->id] &&
           (unit == m->unit || !r->unit[unit].is_asked)) {
        if (m->v->is_anew) return -1;
        unit = unit_of_path(r, s->path, --moment);
    }
    return unit;
}

/* One number that is known, but not to the last digit: sqrt(2). Somebody with a pen takes as many digits as are asked for. */
static bool is_rounded_constant(const maker *m, const lh_node *n) {
    if (!n->is_known || n->n_in == 0 || n->number == 0 || !isfinite(n->number)) return false;
    double x = n->number * pow(10, constant_decimals(m, n));
    return fabs(x - floor(x + 0.5)) > LH_DUST * fabs(x);
}

/* What a formula reads: the first known values on every way into it. */
static void find_sources(maker *m, line *l, lh_node *n, bool is_whole, int depth) {
    if (m->seen[n->id] == m->at || depth > 500) return;
    m->seen[n->id] = m->at;
    int unit = is_whole ? -1 : unit_of(m, n);
    if (unit >= 0 || (!is_whole && (is_line(m, n) || is_rounded_constant(m, n)))) {
        *lh_push(m->v->arena, l->from, l->n_from) = (source){.node = n, .unit = unit, .line = -1};
        return;
    }
    for (int i = 0; i < n->n_in && n->kind != LH_OP_call; i++)
        if (lh_op_reads(n, i)) find_sources(m, l, n->in[i], false, depth + 1);
    if (n->kind == LH_OP_call) find_sources(m, l, n->call->result, true, depth + 1);
}

static lh_plan *make_plan(maker *m, const line *l) {
    lh_graph *g = m->v->g;
    lh_node **known = lh_alloc_array(m->scratch, (size_t)l->n_from + 1, sizeof *known);
    lh_node *wanted[] = {l->node};
    int n = 0;
    for (int i = 0; known && i < l->n_from;
         i++) /* a param has a start and can be set all the same */
        if (l->from[i].node->kind != LH_OP_given) known[n++] = l->from[i].node;
    lh_plan *p =
        known ? lh_exact.plan(
                    g, &(lh_wish){.node = wanted, .n_nodes = 1, .known = known, .n_known = n})
              : NULL;
    if (p) lh_sheet_start(g, p), lh_exact.bind(p, NULL, 0);
    if (!m->v->lasts)
        m->r->left -= LH_NODE_EFFORT * (double)g->n_nodes; /* it looks at every node */
    return p;
}

static bool is_cut_alike(const common_plan *c, const line *l) {
    bool is = c->n_from == l->n_from;
    for (int i = 0; is && i < c->n_from; i++) is = c->from[i] == l->from[i].node;
    return is;
}

static common_node *node_in_common(const variant *v, const lh_node *n) {
    common_nodes *all = v->nodes;
    if (!all->of) all->of = lh_alloc_array(all->arena, (size_t)v->g->n_nodes + 1, sizeof *all->of);
    return all->of ? &all->of[n->id] : NULL;
}

/* A plan takes memory for every node of the program, and there are as many lines as moments times steps. */
static lh_plan *plan_in_common(maker *m, const line *l) {
    lh_arena *a = m->v->nodes->arena;
    common_node *n = node_in_common(m->v, l->node);
    for (common_plan *c = n ? n->plan : NULL; c; c = c->next)
        if (is_cut_alike(c, l)) return c->plan;
    common_plan *c = n ? lh_alloc(a, sizeof *c) : NULL;
    lh_node **from = c ? lh_alloc_array(a, (size_t)l->n_from + 1, sizeof(lh_node *)) : NULL;
    if (!from) return NULL;
    for (int i = 0; i < l->n_from; i++) from[i] = l->from[i].node;
    *c = (common_plan){make_plan(m, l), from, l->n_from, n->plan};
    if (c->plan) n->plan = c;
    return c->plan;
}

static const lh_cell *cells_in_common(const maker *m, const line *l, const lh_node *n,
                                      int *n_cells) {
    common_node *c = node_in_common(m->v, n);
    if (!c) return NULL;
    if (!c->at) c->at = reach_cells(m->v->nodes->arena, l->plan, n, &c->n_cells);
    *n_cells = c->n_cells;
    return c->at;
}

/* Somebody who reads old numbers does not set all: some stay as they were at the start. */
static bool owns_plans(const variant *v, int unit) {
    return v->stale == unit;
}

void reach_free_plans(variant *v, int n_units) {
    for (int i = 0; i < n_units; i++)
        for (int k = 0; owns_plans(v, i) && k < v->work[i].n_lines; k++)
            lh_exact.free(v->work[i].line[k].plan);
    reach_free_nodes(&v->own, v->g);
}

void reach_free_nodes(common_nodes *all, const lh_graph *g) {
    for (int i = 0; all->of && i < g->n_nodes; i++)
        for (const common_plan *c = all->of[i].plan; c; c = c->next) lh_exact.free(c->plan);
}

void reach_run(lh_reach *r, const line *l) {
    r->left -= l->effort;
    lh_exact.at_step(l->plan, l->moment);
    lh_exact.run(l->plan);
}

static int decimals_of(const maker *m, const lh_node *n) {
    if (n->is_known) return constant_decimals(m, n);
    const lh_step *s = lh_graph_step(m->r->g, n->step->path);
    if (!s) return -1;
    int decimals = lh_decimals_for(m->r->s->at[m->moment], s->node, m->r->s->digits);
    return decimals == 0 && s->node->is_discrete ? -1 : decimals; /* a count is not rounded */
}

/* Room for its numbers and where they lie. False: no memory, or an operand has another shape than its unit. */
static bool furnish(const maker *m, line *l) {
    lh_arena *a = m->v->arena;
    for (int i = 0; i < l->n_from; i++) {
        source *from = &l->from[i];
        from->at = cells_in_common(m, l, from->node, &from->n_cells);
        if (!from->at) return false;
        if (from->unit >= 0 && from->n_cells != m->r->unit[from->unit].n_cells) return false;
        l->effort += from->n_cells;
    }
    l->at = cells_in_common(m, l, l->node, &l->n_cells);
    l->effort += l->n_cells + LH_LINE_EFFORT;
    size_t n = (size_t)l->n_cells + 1;
    l->rest = lh_alloc_array(a, n, sizeof *l->rest);
    l->now = lh_alloc_array(a, n, sizeof *l->now);
    l->box = lh_alloc_array(a, n, sizeof *l->box);
    l->rounding = lh_alloc_array(a, n, sizeof *l->rounding);
    return l->at && l->rest && l->now && l->box && l->rounding;
}

/* At a later moment a step that no update changes is what it was before. */
static bool is_kept(const maker *m, const lh_node *n) {
    const bool *changes = changes_of(m->v);
    return m->moment > 0 && changes && !changes[n->id] && unit_of(m, n) >= 0;
}

/* Lines before those that read them. Returns its place, or -1. */
static int make_line(maker *m, lh_node *n, int depth) {
    if (m->line[n->id]) return m->line[n->id] - 1;
    line l = {.node = n, .moment = m->moment, .decimals = depth ? decimals_of(m, n) : -1};
    m->at++;
    find_sources(m, &l, n, depth || !is_kept(m, n), 0);
    for (int i = 0; i < l.n_from; i++)
        if (l.from[i].unit < 0) {
            l.from[i].line = depth < 100 ? make_line(m, l.from[i].node, depth + 1) : -1;
            if (l.from[i].line < 0) return -1;
        }
    const bool is_own = owns_plans(m->v, m->unit);
    l.plan = is_own ? make_plan(m, &l) : plan_in_common(m, &l);
    int before = m->w->n_lines;
    bool ok = l.plan && !lh_failed(m->v->g->ctx) && furnish(m, &l);
    line *kept = ok ? lh_push(m->v->arena, m->w->line, m->w->n_lines) : NULL;
    if (m->w->n_lines == before) {
        if (is_own) lh_exact.free(l.plan); /* nobody else would */
        return -1;
    }
    *kept = l;
    m->line[n->id] = m->w->n_lines;
    return m->w->n_lines - 1;
}

/* The same value a moment before; -1: as it was at the start. */
static int old_unit(const lh_reach *r, const source *from, int moment) {
    const char *path = r->unit[from->unit].step->path;
    int before = from->node->kind == LH_OP_given ? moment - 2 : moment - 1;
    return before < 0 ? -1 : unit_of_path(r, path, before);
}

static void make_stale(maker *m) {
    for (int k = 0; k < m->w->n_lines; k++)
        for (int i = 0; i < m->w->line[k].n_from; i++) {
            source *from = &m->w->line[k].from[i];
            if (from->unit >= 0 && (m->v->stale_which < 0 || m->v->stale_which == from->unit))
                from->unit = old_unit(m->r, from, m->moment);
        }
}

work *reach_work(lh_reach *r, int v, int i) {
    work *w = &r->variant[v].work[i];
    lh_graph *g = r->variant[v].g;
    if (w->is_made) return w;
    w->is_made = true;
    lh_step *s = lh_graph_step(g, r->unit[i].step->path);
    maker m = {.r = r,
               .v = &r->variant[v],
               .scratch = s ? lh_arena_new(g->ctx) : NULL,
               .w = w,
               .unit = i,
               .moment = r->unit[i].moment};
    if (m.scratch) {
        m.line = lh_alloc_array(m.scratch, (size_t)g->n_nodes + 1, sizeof *m.line);
        m.seen = lh_alloc_array(m.scratch, (size_t)g->n_nodes + 1, sizeof *m.seen);
        int last = m.line && m.seen ? make_line(&m, s->node, 0) : -1;
        w->is_possible = last >= 0 && w->line[last].n_cells == r->unit[i].n_cells;
        if (r->variant[v].stale == i) make_stale(&m);
        if (g->ctx == r->own) lh_context_clear(g->ctx);
    }
    lh_arena_free(m.scratch);
    return w;
}

bool lh_reach_reads(lh_reach *r, int v, int i, int other) {
    const work *w = reach_work(r, v, i);
    for (int k = 0; k < w->n_lines; k++)
        for (int j = 0; j < w->line[k].n_from; j++)
            if (w->line[k].from[j].unit == other) return true;
    return false;
}
