#include "learn/reach.h"

#include <math.h>
#include <string.h>

#include "explain/trace.h"
#include "graph/op.h"

enum { MAX_VARIANTS = 64 };

#define DUST 1e-9         /* of a unit: what a sum in another order leaves */
#define HALF (0.5 + DUST) /* a tie may go either way */

/* Where a value that a formula reads comes from: a unit, an earlier line of the same work, or (both -1) its start. */
typedef struct source {
    lh_node *node;
    int unit, line;
} source;

/* A formula between values that are known: the unit itself, or a line inside it (e of a softmax) that nobody asked for. */
typedef struct line {
    lh_node *node;
    lh_plan *plan;
    source *from;
    int n_from, n_cells;
    lh_box *box;  /* of an inner line: where it lies */
    int decimals; /* to which it may have been rounded */
} line;

/* How one unit is worked out in one variant. Made when it is first asked for. */
typedef struct work {
    bool is_made, is_possible;
    line *line; /* the last is the unit itself */
    int n_lines;
} work;

typedef struct variant {
    lh_arena *arena;
    lh_graph *g;
    work *work;      /* one for each unit */
    int stale;       /* the unit that reads old numbers, or -1 */
    int stale_which; /* the unit it reads too early, or -1: all of them */
} variant;

struct lh_reach {
    lh_context *ctx; /* of the right program */
    lh_context *own; /* for variants: one that cannot be built is no error */
    lh_arena *arena;
    const lh_sheet *s;
    lh_graph *g;
    lh_unit *unit;
    int n_units;
    bool is_cut;
    variant variant[MAX_VARIANTS];
    int n_variants;
};

/* ---- cells in a row ---- */

int lh_count_cells(const lh_plan *p, const lh_node *n) {
    int total = 0;
    for (int e = 0; e < (n->shape.is_batched ? lh_exact.examples(p) : 1); e++) {
        lh_sizes s = lh_exact.sizes(p, n, e);
        total += s.heads * s.rows * s.cols;
    }
    return total;
}

typedef void (*cell_visit)(void *who, lh_cell at, int k);

static void each_cell(const lh_plan *p, const lh_node *n, cell_visit visit, void *who) {
    int k = 0;
    for (int e = 0; e < (n->shape.is_batched ? lh_exact.examples(p) : 1); e++) {
        lh_sizes s = lh_exact.sizes(p, n, e);
        for (int h = 0; h < s.heads; h++)
            for (int r = 0; r < s.rows; r++)
                for (int c = 0; c < s.cols; c++) visit(who, (lh_cell){e, h, r, c}, k++);
    }
}

typedef struct copy {
    lh_plan *p;
    const lh_node *n;
    const lh_box *from;
    double *to;
} copy;

static void put_cell(void *who, lh_cell at, int k) {
    copy *c = who;
    lh_exact.set(c->p, c->n, at, c->from[k].at);
}

static void take_cell(void *who, lh_cell at, int k) {
    copy *c = who;
    c->to[k] = lh_exact.get(c->p, c->n, at);
}

/* ---- units ---- */

static void add_unit(lh_reach *r, lh_step *step, int moment) {
    const lh_plan *right = r->s->at[moment];
    int n = lh_count_cells(right, step->node);
    lh_box *box = lh_alloc_array(r->arena, (size_t)n + 1, sizeof *box);
    double *x = lh_alloc_array(r->arena, (size_t)n + 1, sizeof *x);
    if (!box || !x) return;
    copy c = {(lh_plan *)right, step->node, NULL, x};
    each_cell(right, step->node, take_cell, &c);
    *(lh_unit *)lh_push(r->arena, (void **)&r->unit, &r->n_units, sizeof(lh_unit)) =
        (lh_unit){.step = step,
                  .moment = moment,
                  .n_cells = n,
                  .box = box,
                  .right = x,
                  .decimals = lh_decimals_for(right, step->node, r->s->digits)};
}

static int asks_left(const lh_sheet *s, int moment) {
    int n = 0;
    for (int i = 0; i < s->n_asks; i++) n += s->ask[i].moment == moment;
    return n;
}

static int is_asked(const lh_sheet *s, const lh_step *step, int moment) {
    for (int i = 0; i < s->n_asks; i++)
        if (s->ask[i].step == step && s->ask[i].moment == moment) return 1;
    return 0;
}

/* All steps of a moment in their order, asked lines before the step they stand in; of the last moment only what is needed. */
static void add_moment(lh_reach *r, const lh_trace *t, int moment) {
    const lh_sheet *s = r->s;
    bool is_last = moment == s->n_moments - 1 && moment > 0;
    int left = asks_left(s, moment);
    for (int i = 0; i < t->n_items && !(is_last && left == 0); i++) {
        const lh_trace_item *item = &t->item[i];
        if (item->section == LH_SECTION_GIVEN) continue;
        for (int k = 0; k < item->n_inner; k++)
            if (is_asked(s, item->inner[k], moment)) add_unit(r, item->inner[k], moment), left--;
        add_unit(r, item->step, moment);
        left -= is_asked(s, item->step, moment);
    }
}

static bool variant_new(lh_reach *r, lh_graph *g) {
    lh_arena *a = lh_arena_new(r->ctx);
    work *w = a ? lh_alloc_array(a, (size_t)r->n_units + 1, sizeof *w) : NULL;
    if (!w) {
        lh_arena_free(a);
        return false;
    }
    r->variant[r->n_variants++] = (variant){a, g, w, -1, -1};
    return true;
}

lh_reach *lh_reach_new(const lh_sheet *s) {
    lh_graph *g = s->g;
    if (lh_failed(g->ctx)) return NULL;
    lh_arena *a = lh_arena_new(g->ctx);
    lh_context *own = lh_context_new();
    lh_reach *r = a && own ? lh_alloc(a, sizeof *r) : NULL;
    if (!r) {
        lh_arena_free(a);
        lh_context_free(own);
        return NULL;
    }
    *r = (lh_reach){.ctx = g->ctx, .own = own, .arena = a, .s = s, .g = g};
    lh_trace *t = lh_trace_new(g, &(lh_trace_how){NULL, true});
    for (int m = 0; t && m < s->n_moments; m++) add_moment(r, t, m);
    lh_trace_free(t);
    if (!lh_failed(g->ctx) && variant_new(r, g)) return r;
    lh_reach_free(r);
    return NULL;
}

static void variant_free(lh_reach *r, int v) {
    variant *x = &r->variant[v];
    for (int i = 0; i < r->n_units; i++)
        for (int k = 0; k < x->work[i].n_lines; k++) lh_exact.free(x->work[i].line[k].plan);
    if (x->g != r->g) lh_graph_free(x->g); /* the right program belongs to the caller */
    lh_arena_free(x->arena);
}

void lh_reach_free(lh_reach *r) {
    if (!r) return;
    for (int v = r->n_variants - 1; v >= 0; v--) variant_free(r, v);
    lh_context_free(r->own);
    lh_arena_free(r->arena);
}

int lh_reach_count(const lh_reach *r) {
    return r->n_units;
}

lh_unit *lh_reach_unit(lh_reach *r, int i) {
    return &r->unit[i];
}

int lh_reach_find(const lh_reach *r, const lh_step *step, int moment) {
    for (int i = 0; i < r->n_units; i++)
        if (r->unit[i].step == step && r->unit[i].moment == moment) return i;
    return -1;
}

void lh_reach_cut(lh_reach *r, bool is_cut) {
    r->is_cut = is_cut;
}

int lh_reach_variant(lh_reach *r, const lh_rewrite *rewrite, int n) {
    if (r->n_variants == MAX_VARIANTS) return -1;
    lh_context_clear(r->own);
    r->own->read_file = r->ctx->read_file;
    r->own->read_file_who = r->ctx->read_file_who;
    lh_build how = r->g->how;
    how.rewrite = rewrite;
    how.n_rewrites = n;
    lh_graph *g = lh_graph_build(r->own, r->g->program, &how);
    if (!g) return -1;
    if (variant_new(r, g)) return r->n_variants - 1;
    lh_graph_free(g);
    return -1;
}

void lh_reach_drop(lh_reach *r, int v) {
    if (v > 0 && v == r->n_variants - 1) variant_free(r, v), r->n_variants--;
}

/* ---- how a unit is worked out ---- */

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
    int moment;
    int *line;          /* for each node: its line in the work, plus 1 */
    unsigned *seen, at; /* for each node: the formula in which it was met last */
} maker;

/* A line of its own inside a formula: one that a person writes down on the way. */
static bool is_line(const lh_node *n) {
    const lh_step *s = n->step;
    if (!s || !lh_step_is_inner(s) || n->is_discrete || n->is_known || n->kind == LH_OP_number ||
        n->kind == LH_OP_size || n->kind == LH_OP_given)
        return false;
    bool is_result = s->kind == LH_STEP_BODY && s->scope->call && s->scope->call->call->result == n;
    return !is_result; /* that is the call itself */
}

/* The unit whose numbers a node stands for. A param at a later moment is what := made of it before. */
static int unit_of(const maker *m, const lh_node *n) {
    if (n->kind == LH_OP_given && m->moment > 0 && n->given->renewed && n->given->renewed->step)
        return unit_of_path(m->r, n->given->renewed->step->path, m->moment - 1);
    return n->step ? unit_of_path(m->r, n->step->path, m->moment) : -1;
}

/* What a formula reads: the first known values on every way into it. */
static void find_sources(maker *m, line *l, lh_node *n, bool is_whole, int depth) {
    if (m->seen[n->id] == m->at || depth > 500) return;
    m->seen[n->id] = m->at;
    int unit = is_whole ? -1 : unit_of(m, n);
    if (unit >= 0 || (!is_whole && is_line(n))) {
        *(source *)lh_push(m->v->arena, (void **)&l->from, &l->n_from, sizeof(source)) =
            (source){n, unit, -1};
        return;
    }
    for (int i = 0; i < n->n_in && n->kind != LH_OP_call; i++)
        if (lh_op_reads(n, i)) find_sources(m, l, n->in[i], false, depth + 1);
    if (n->kind == LH_OP_call) find_sources(m, l, n->call->result, false, depth + 1);
}

static lh_plan *plan_line(maker *m, const line *l) {
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
    if (p) lh_exact.start(p), lh_exact.at_step(p, m->moment), lh_exact.bind(p, NULL, 0);
    return p;
}

static int decimals_of(const maker *m, const lh_node *n) {
    const lh_step *s = lh_graph_step(m->r->g, n->step->path);
    return s ? lh_decimals_for(m->r->s->at[m->moment], s->node, m->r->s->digits) : -1;
}

/* Lines before those that read them. Returns its place, or -1. */
static int make_line(maker *m, lh_node *n, int depth) {
    if (m->line[n->id]) return m->line[n->id] - 1;
    line l = {.node = n, .decimals = depth ? decimals_of(m, n) : -1};
    m->at++;
    find_sources(m, &l, n, true, 0);
    for (int i = 0; i < l.n_from; i++)
        if (l.from[i].unit < 0) {
            l.from[i].line = depth < 100 ? make_line(m, l.from[i].node, depth + 1) : -1;
            if (l.from[i].line < 0) return -1;
        }
    l.plan = plan_line(m, &l);
    if (!l.plan || lh_failed(m->v->g->ctx)) {
        lh_exact.free(l.plan);
        return -1;
    }
    l.n_cells = lh_count_cells(l.plan, n);
    l.box = lh_alloc_array(m->v->arena, (size_t)l.n_cells + 1, sizeof *l.box);
    *(line *)lh_push(m->v->arena, (void **)&m->w->line, &m->w->n_lines, sizeof l) = l;
    m->line[n->id] = m->w->n_lines;
    return l.box ? m->w->n_lines - 1 : -1;
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

static work *work_for(lh_reach *r, int v, int i) {
    work *w = &r->variant[v].work[i];
    lh_graph *g = r->variant[v].g;
    if (w->is_made) return w;
    w->is_made = true;
    lh_step *s = lh_graph_step(g, r->unit[i].step->path);
    maker m = {.r = r,
               .v = &r->variant[v],
               .scratch = s ? lh_arena_new(g->ctx) : NULL,
               .w = w,
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
    const work *w = work_for(r, v, i);
    for (int k = 0; k < w->n_lines; k++)
        for (int j = 0; j < w->line[k].n_from; j++)
            if (w->line[k].from[j].unit == other) return true;
    return false;
}

int lh_reach_stale(lh_reach *r, int unit, int operand, const char **name) {
    if (r->n_variants == MAX_VARIANTS || r->unit[unit].moment == 0) return -1;
    int n = 0, which = -1;
    const work *w = work_for(r, 0, unit);
    for (int i = 0; i < r->n_units && which < 0 && operand >= 0; i++)
        if (lh_reach_reads(r, 0, unit, i) && n++ == operand) which = i;
    if ((operand >= 0 && which < 0) || !w->is_possible || !variant_new(r, r->g)) return -1;
    variant *v = &r->variant[r->n_variants - 1];
    v->stale = unit;
    v->stale_which = which;
    const lh_step *s = which >= 0 ? r->unit[which].step : NULL;
    *name = s && s->kind == LH_STEP_UPDATE && s->of ? s->of->path : s ? s->path : NULL;
    return r->n_variants - 1;
}

/* ---- the box of a result ---- */

static const lh_box *boxes_of(const lh_reach *r, const work *w, const source *from) {
    return from->unit >= 0   ? r->unit[from->unit].box
           : from->line >= 0 ? w->line[from->line].box
                             : NULL;
}

static void put_all(const lh_reach *r, const work *w, const line *l) {
    for (int k = 0; k < l->n_from; k++) {
        copy c = {l->plan, l->from[k].node, boxes_of(r, w, &l->from[k]), NULL};
        if (c.from) each_cell(l->plan, l->from[k].node, put_cell, &c);
    }
}

/* False: something is no number. Infinite is one only where it should be: a hidden score. */
static bool take_all(const line *l, const double *right, double *to) {
    copy c = {l->plan, l->node, NULL, to};
    lh_exact.run(l->plan);
    each_cell(l->plan, l->node, take_cell, &c);
    for (int i = 0; i < l->n_cells; i++)
        if (isnan(to[i]) || (isinf(to[i]) && right && to[i] != right[i])) return false;
    return true;
}

/* An operand's cell, to be moved through its box. */
typedef struct mover {
    const line *l;
    const double *right; /* of a unit */
    int from;
    const lh_box *boxes;
    lh_cell *at;
    const lh_box **box;
    const lh_node **node;
    int n;
} mover;

static void list_cell(void *who, lh_cell at, int k) {
    mover *m = who;
    const lh_box *b = &m->boxes[k];
    if (!(b->high > b->low)) return;
    m->at[m->n] = at;
    m->box[m->n] = b;
    m->node[m->n++] = m->l->from[m->from].node;
}

static bool list_cells(lh_arena *a, const lh_reach *r, const work *w, mover *m) {
    size_t most = 1;
    for (int k = 0; k < m->l->n_from; k++)
        most += (size_t)lh_count_cells(m->l->plan, m->l->from[k].node);
    m->at = lh_alloc_array(a, most, sizeof *m->at);
    m->box = lh_alloc_array(a, most, sizeof *m->box);
    m->node = lh_alloc_array(a, most, sizeof *m->node);
    if (!m->at || !m->box || !m->node) return false;
    for (m->from = 0; m->from < m->l->n_from; m->from++) {
        m->boxes = boxes_of(r, w, &m->l->from[m->from]);
        if (m->boxes) each_cell(m->l->plan, m->l->from[m->from].node, list_cell, m);
    }
    return true;
}

static void move(mover *m, int j, double x) {
    lh_exact.set(m->l->plan, m->node[j], m->at[j], x);
}

/* To an end of its box, or as far as it leads somewhere: the root of a negative number is nowhere. */
static bool move_and_take(mover *m, int j, double end, double *moved) {
    double at = m->box[j]->at, way = end - at;
    for (int k = 0; k < 8; k++, way /= 2) {
        move(m, j, at + way);
        if (take_all(m->l, m->right, moved)) return true;
    }
    return false;
}

/* Each operand to both ends of its box, the others at rest: what the result does is added up, up and down apart. Then all
 * operands together to the ends that pull a cell furthest: a bent formula may go further than its parts say. */
static void spread_box(mover *m, lh_box *out, int n, double *rest, double *moved,
                       signed char *pull) {
    for (int j = 0; j < m->n; j++) {
        for (int side = 0; side < 2; side++) {
            bool ok = move_and_take(m, j, side ? m->box[j]->high : m->box[j]->low, moved);
            for (int i = 0; ok && i < n; i++) {
                double d = isfinite(rest[i]) ? moved[i] - rest[i] : 0;
                signed char *p = &pull[(size_t)i * (size_t)m->n + (size_t)j];
                if (side == 0)
                    *p = d > 0 ? -1 : d < 0 ? 1 : 0; /* which end lifts the cell */
                else if (d > 0)
                    *p = 1;
                else if (d < 0 && *p == 0)
                    *p = -1;
                if (d > 0)
                    out[i].high += d;
                else
                    out[i].low += d;
            }
        }
        move(m, j, m->box[j]->at);
    }
    for (int i = 0; i < n; i++)
        for (int way = -1; way <= 1 && m->n > 1; way += 2) {
            for (int j = 0; j < m->n; j++) {
                int p = pull[(size_t)i * (size_t)m->n + (size_t)j] * way;
                move(m, j, p > 0 ? m->box[j]->high : p < 0 ? m->box[j]->low : m->box[j]->at);
            }
            if (!take_all(m->l, m->right, moved)) continue;
            if (moved[i] > out[i].high) out[i].high = moved[i];
            if (moved[i] < out[i].low) out[i].low = moved[i];
        }
}

/* 0.1 * 0.3 - 0.03 is not quite 0 in every order of adding up, and ReLU asks on which side of 0 it lies. */
lh_box lh_box_dusty(lh_box b, double unit) {
    double dust = DUST * unit;
    if (fabs(b.at) > dust) return b;
    return (lh_box){b.at, fmin(b.low, -dust), fmax(b.high, dust)};
}

/* A number that may have been rounded on the way, to the digits asked for or to some more: rounding keeps the order, so the
 * ends of the box say it all. A tie goes either way. */
lh_box lh_box_rounded(lh_box b, int decimals, bool is_cut) {
    b = lh_box_dusty(b, pow(10, -decimals));
    for (int k = decimals; k < decimals + 4 && isfinite(b.at); k++) {
        double unit = pow(10, -k), low = ceil(b.low / unit - HALF) * unit,
               high = floor(b.high / unit + HALF) * unit;
        if (is_cut) low = fmin(low, floor(b.low / unit + DUST) * unit);
        if (is_cut) high = fmax(high, ceil(b.high / unit - DUST) * unit);
        b.low = fmin(b.low, low);
        b.high = fmax(b.high, high);
    }
    return b;
}

static bool spread_line(lh_arena *a, const lh_reach *r, const work *w, const line *l,
                        const double *right, lh_box *out) {
    size_t n = (size_t)l->n_cells;
    double *rest = lh_alloc_array(a, n + 1, sizeof *rest),
           *moved = lh_alloc_array(a, n + 1, sizeof *moved);
    if (!rest || !moved) return false;
    put_all(r, w, l);
    if (!take_all(l, right, rest)) return false;
    for (size_t k = 0; k < n; k++) out[k] = (lh_box){rest[k], rest[k], rest[k]};
    mover m = {.l = l, .right = right};
    if (!list_cells(a, r, w, &m)) return false;
    signed char *pull = m.n ? lh_alloc_array(a, n * (size_t)m.n + 1, 1) : NULL;
    if (pull) spread_box(&m, out, l->n_cells, rest, moved, pull);
    for (size_t k = 0; l->decimals >= 0 && k < n; k++)
        out[k] = lh_box_rounded(out[k], l->decimals, r->is_cut);
    return true;
}

bool lh_reach_of(lh_reach *r, int v, int i, lh_box *out) {
    work *w = work_for(r, v, i);
    if (!w->is_possible) return false;
    lh_arena *a = lh_arena_new(r->ctx);
    bool ok = a != NULL;
    for (int k = 0; ok && k < w->n_lines - 1; k++)
        ok = spread_line(a, r, w, &w->line[k], NULL, w->line[k].box);
    ok = ok && spread_line(a, r, w, &w->line[w->n_lines - 1], r->unit[i].right, out);
    lh_arena_free(a);
    return ok;
}
