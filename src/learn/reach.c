#include "learn/reach.h"

#include <math.h>
#include <string.h>

#include "explain/trace.h"
#include "graph/op.h"
#include "learn/mark.h"

enum { MAX_VARIANTS = 64 };

/* How one unit is worked out in one variant. Made when it is first asked for. */
typedef struct work {
    bool is_made;
    lh_plan *plan; /* NULL: cannot be worked out */
    lh_node *node;
    int *unit; /* the units it reads */
    lh_node **known;
    int n_known;
} work;

typedef struct variant {
    lh_graph *g;
    work *work; /* one for each unit */
} variant;

struct lh_reach {
    lh_context *ctx; /* of the right program */
    lh_context *own; /* for variants: one that cannot be built is no error */
    lh_arena *arena;
    lh_graph *g;
    lh_unit *unit;
    int n_units;
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

lh_reach *lh_reach_new(lh_graph *g, const lh_plan *right, int digits) {
    if (lh_failed(g->ctx)) return NULL;
    lh_arena *a = lh_arena_new(g->ctx);
    lh_context *own = lh_context_new();
    if (!a || !own) {
        lh_arena_free(a);
        lh_context_free(own);
        return NULL;
    }
    lh_reach *r = lh_alloc(a, sizeof *r);
    if (!r) { /* larger than what always comes */
        lh_arena_free(a);
        lh_context_free(own);
        return NULL;
    }
    *r = (lh_reach){.ctx = g->ctx, .own = own, .arena = a, .g = g};
    lh_trace *t = lh_trace_new(g, &(lh_trace_how){NULL, true});
    for (int i = 0; t && i < t->n_items; i++) {
        lh_step *s = t->item[i].step;
        if (t->item[i].section == LH_SECTION_GIVEN) continue;
        int n = lh_count_cells(right, s->node);
        lh_box *box = lh_alloc_array(a, (size_t)n + 1, sizeof *box);
        if (!box) break;
        *(lh_unit *)lh_push(a, (void **)&r->unit, &r->n_units, sizeof(lh_unit)) =
            (lh_unit){.step = s,
                      .n_cells = n,
                      .box = box,
                      .decimals = lh_decimals_for(right, s->node, digits)};
    }
    lh_trace_free(t);
    r->variant[0].g = g;
    r->variant[0].work = lh_alloc_array(a, (size_t)r->n_units + 1, sizeof(work));
    r->n_variants = 1;
    if (!lh_failed(g->ctx)) return r;
    lh_reach_free(r);
    return NULL;
}

static void variant_free(lh_reach *r, int v) {
    variant *x = &r->variant[v];
    for (int i = 0; x->work && i < r->n_units; i++) lh_exact.free(x->work[i].plan);
    if (x->g != r->g) lh_graph_free(x->g); /* the right program belongs to the caller */
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

int lh_reach_find(const lh_reach *r, const lh_step *step) {
    for (int i = 0; i < r->n_units; i++)
        if (r->unit[i].step == step) return i;
    return -1;
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
    variant *v = &r->variant[r->n_variants];
    *v = (variant){g, lh_alloc_array(r->arena, (size_t)r->n_units + 1, sizeof(work))};
    return v->work ? r->n_variants++ : -1;
}

void lh_reach_drop(lh_reach *r, int v) {
    if (v > 0 && v == r->n_variants - 1) variant_free(r, v), r->n_variants--;
}

/* ---- how a unit is worked out ---- */

static int unit_of_path(const lh_reach *r, const char *path) {
    for (int i = 0; i < r->n_units; i++)
        if (strcmp(r->unit[i].step->path, path) == 0) return i;
    return -1;
}

/* The units that a formula reads: the first named values on every way into it. */
static void find_known(lh_reach *r, work *w, lh_node *n, bool is_whole, unsigned char *seen,
                       int depth) {
    if (seen[n->id] || depth > 500) return;
    seen[n->id] = 1;
    int unit =
        !is_whole && n->step && !lh_step_is_inner(n->step) ? unit_of_path(r, n->step->path) : -1;
    if (unit >= 0) {
        int count = w->n_known;
        *(lh_node **)lh_push(r->arena, (void **)&w->known, &w->n_known, sizeof n) = n;
        *(int *)lh_push(r->arena, (void **)&w->unit, &count, sizeof(int)) = unit;
        return;
    }
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i) || n->kind == LH_OP_call)
            find_known(r, w, n->in[i], false, seen, depth + 1);
    if (n->kind == LH_OP_call) find_known(r, w, n->call->result, false, seen, depth + 1);
}

static work *work_for(lh_reach *r, int v, int i) {
    work *w = &r->variant[v].work[i];
    lh_graph *g = r->variant[v].g;
    if (w->is_made) return w;
    w->is_made = true;
    lh_step *s = lh_graph_step(g, r->unit[i].step->path);
    lh_arena *scratch = s ? lh_arena_new(g->ctx) : NULL;
    unsigned char *seen = scratch ? lh_alloc_array(scratch, (size_t)g->n_nodes + 1, 1) : NULL;
    if (seen) {
        w->node = s->node;
        find_known(r, w, s->node, true, seen, 0);
        lh_node *wanted[] = {s->node};
        w->plan = lh_exact.plan(
            g, &(lh_wish){.node = wanted, .n_nodes = 1, .known = w->known, .n_known = w->n_known});
        if (w->plan) lh_exact.start(w->plan), lh_exact.bind(w->plan, NULL, 0);
        if (lh_failed(g->ctx) ||
            (w->plan && lh_count_cells(w->plan, s->node) != r->unit[i].n_cells)) {
            lh_exact.free(w->plan);
            w->plan = NULL;
            if (g->ctx == r->own) lh_context_clear(g->ctx);
        }
    }
    lh_arena_free(scratch);
    return w;
}

bool lh_reach_reads(lh_reach *r, int v, int i, int other) {
    const work *w = work_for(r, v, i);
    for (int k = 0; k < w->n_known; k++)
        if (w->unit[k] == other) return true;
    return false;
}

/* ---- the box of a result ---- */

static void put_all(work *w, const lh_reach *r) {
    for (int k = 0; k < w->n_known; k++) {
        copy c = {w->plan, w->known[k], r->unit[w->unit[k]].box, NULL};
        each_cell(w->plan, w->known[k], put_cell, &c);
    }
}

static bool take_all(work *w, double *to, int n) {
    copy c = {w->plan, w->node, NULL, to};
    lh_exact.run(w->plan);
    each_cell(w->plan, w->node, take_cell, &c);
    for (int i = 0; i < n; i++)
        if (!isfinite(to[i])) return false;
    return true;
}

/* An operand's cell, to be moved through its box. */
typedef struct mover {
    work *w;
    const lh_reach *r;
    int known;
    lh_cell *at;
    const lh_box **box;
    const lh_node **node;
    int n;
} mover;

static void list_cell(void *who, lh_cell at, int k) {
    mover *m = who;
    const lh_box *b = &m->r->unit[m->w->unit[m->known]].box[k];
    if (!(b->high > b->low)) return;
    m->at[m->n] = at;
    m->box[m->n] = b;
    m->node[m->n++] = m->w->known[m->known];
}

static bool list_cells(lh_arena *a, const lh_reach *r, work *w, mover *m) {
    size_t most = 1;
    for (int k = 0; k < w->n_known; k++) most += (size_t)r->unit[w->unit[k]].n_cells;
    *m = (mover){.w = w,
                 .r = r,
                 .at = lh_alloc_array(a, most, sizeof *m->at),
                 .box = lh_alloc_array(a, most, sizeof *m->box),
                 .node = lh_alloc_array(a, most, sizeof *m->node)};
    if (!m->at || !m->box || !m->node) return false;
    for (m->known = 0; m->known < w->n_known; m->known++)
        each_cell(w->plan, w->known[m->known], list_cell, m);
    return true;
}

static void move(mover *m, int j, double x) {
    lh_exact.set(m->w->plan, m->node[j], m->at[j], x);
}

/* Each operand to both ends of its box, the others at rest: what the result does is added up, up and down apart. Then all
 * operands together to the ends that pull a cell furthest: a bent formula may go further than its parts say. */
static void spread_box(mover *m, lh_box *out, int n, double *rest, double *moved,
                       signed char *pull) {
    for (int j = 0; j < m->n; j++) {
        for (int side = 0; side < 2; side++) {
            move(m, j, side ? m->box[j]->high : m->box[j]->low);
            bool ok = take_all(m->w, moved, n);
            for (int i = 0; ok && i < n; i++) {
                double d = moved[i] - rest[i];
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
            if (!take_all(m->w, moved, n)) continue;
            if (moved[i] > out[i].high) out[i].high = moved[i];
            if (moved[i] < out[i].low) out[i].low = moved[i];
        }
}

bool lh_reach_of(lh_reach *r, int v, int i, lh_box *out) {
    work *w = work_for(r, v, i);
    if (!w->plan) return false;
    int n = r->unit[i].n_cells;
    lh_arena *a = lh_arena_new(r->ctx);
    double *rest = a ? lh_alloc_array(a, (size_t)n + 1, sizeof *rest) : NULL,
           *moved = a ? lh_alloc_array(a, (size_t)n + 1, sizeof *moved) : NULL;
    bool ok = rest && moved;
    if (ok) {
        put_all(w, r);
        ok = take_all(w, rest, n);
        for (int k = 0; k < n; k++) out[k] = (lh_box){rest[k], rest[k], rest[k]};
    }
    mover m;
    if (ok && list_cells(a, r, w, &m) && m.n) {
        signed char *pull = lh_alloc_array(a, (size_t)n * (size_t)m.n + 1, 1);
        if (pull) spread_box(&m, out, n, rest, moved, pull);
    }
    lh_arena_free(a);
    return ok;
}
