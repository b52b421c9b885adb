#include <string.h>

#include "explain/trace.h"
#include "learn/reach_internal.h"

/* ---- cells in a row ---- */

int lh_count_cells(const lh_plan *p, const lh_node *n) {
    int total = 0;
    for (int e = 0; e < (n->shape.is_batched ? lh_exact.examples(p) : 1); e++) {
        lh_sizes s = lh_exact.sizes(p, n, e);
        total += s.heads * s.rows * s.cols;
    }
    return total;
}

lh_cell *reach_cells(lh_arena *a, const lh_plan *p, const lh_node *n, int *n_cells) {
    int k = 0;
    *n_cells = lh_count_cells(p, n);
    lh_cell *at = lh_alloc_array(a, (size_t)*n_cells + 1, sizeof *at);
    for (int e = 0; at && e < (n->shape.is_batched ? lh_exact.examples(p) : 1); e++) {
        lh_sizes s = lh_exact.sizes(p, n, e);
        for (int i = 0; i < s.heads * s.rows * s.cols; i++)
            at[k++] = (lh_cell){e, i / (s.rows * s.cols), i / s.cols % s.rows, i % s.cols};
    }
    return at;
}

/* ---- units ---- */

static const lh_ask *ask_of(const lh_sheet *s, const lh_step *step, int moment) {
    for (int i = 0; i < s->n_asks; i++)
        if (s->ask[i].step == step && s->ask[i].moment == moment) return &s->ask[i];
    return NULL;
}

static void add_unit(lh_reach *r, lh_step *step, int moment) {
    const lh_plan *right = r->s->at[moment];
    const lh_ask *ask = ask_of(r->s, step, moment);
    int n;
    const lh_cell *at = reach_cells(r->arena, right, step->node, &n);
    lh_reach_box *box = lh_alloc_array(r->arena, (size_t)n + 1, sizeof *box);
    double *x = lh_alloc_array(r->arena, (size_t)n + 1, sizeof *x);
    int *own = lh_alloc_array(r->arena, (size_t)n + 1, sizeof *own);
    if (!at || !box || !x || !own) return;
    for (int k = 0; k < n; k++) x[k] = lh_exact.get(right, step->node, at[k]);
    const int decimals = ask ? ask->decimals : lh_decimals_for(right, step->node, r->s->digits);
    *lh_push(r->arena, r->unit, r->n_units) =
        (lh_unit){.step = step,
                  .moment = moment,
                  .n_cells = n,
                  .box = box,
                  .right = x,
                  .deviation = own,
                  .is_asked = ask,
                  .decimals = decimals,
                  .is_whole = decimals == 0 && step->node->is_discrete};
}

static int asks_left(const lh_sheet *s, int moment) {
    int n = 0;
    for (int i = 0; i < s->n_asks; i++) n += s->ask[i].moment == moment;
    return n;
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
            if (ask_of(s, item->inner[k], moment)) add_unit(r, item->inner[k], moment), left--;
        add_unit(r, item->step, moment);
        left -= ask_of(s, item->step, moment) != NULL;
    }
}

/* Programs that last as long as the sheet: all who fill it in have them in common. */
enum { RIGHT, ANEW };

static bool variant_new(lh_reach *r, lh_graph *g) {
    lh_arena *a = lh_arena_new(r->ctx);
    work *w = a ? lh_alloc_array(a, (size_t)r->n_units + 1, sizeof *w) : NULL;
    if (!w) {
        lh_arena_free(a);
        return false;
    }
    variant *v = &r->variant[r->n_variants++];
    *v = (variant){
        .arena = a, .g = g, .own = {.arena = a}, .work = w, .stale = -1, .stale_which = -1};
    common_nodes *right = r->s->reach ? &r->s->reach->nodes : &r->nodes;
    v->nodes = g == r->g ? right : &v->own;
    return true;
}

static bool add_lasting(lh_reach *r) {
    if (!variant_new(r, r->g) || (r->s->n_moments > 1 && !variant_new(r, r->g))) return false;
    r->variant[ANEW].is_anew = r->s->n_moments > 1;
    for (int v = 0; v < r->n_variants; v++) r->variant[v].lasts = true;
    return true;
}

lh_reach *lh_reach_new(const lh_sheet *s) {
    lh_graph *g = s->g;
    if (lh_failed(g->ctx)) return NULL;
    lh_arena *a = lh_arena_new(g->ctx);
    lh_reach *r = a ? lh_alloc(a, sizeof *r) : NULL;
    if (!r) {
        lh_arena_free(a);
        return NULL;
    }
    *r = (lh_reach){.ctx = g->ctx,
                    .own = lh_context_new(),
                    .arena = a,
                    .sheet = lh_arena_new(g->ctx),
                    .inside = lh_arena_new(g->ctx),
                    .scratch = lh_arena_new(g->ctx),
                    .s = s,
                    .g = g,
                    .left = LH_MOST_EFFORT,
                    .nodes = {.arena = a}};
    if (!r->own) lh_fail(g->ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory");
    lh_trace *t = lh_trace_new(g, &(lh_trace_how){NULL, true});
    for (int m = 0; t && m < s->n_moments; m++) add_moment(r, t, m);
    lh_trace_free(t);
    if (!lh_failed(g->ctx) && add_lasting(r)) return r;
    lh_reach_free(r);
    return NULL;
}

static void variant_free(lh_reach *r, int v) {
    variant *x = &r->variant[v];
    reach_free_plans(x, r->n_units);
    if (x->g != r->g) lh_graph_free(x->g); /* the right program belongs to the caller */
    lh_arena_free(x->arena);
}

void lh_reach_free(lh_reach *r) {
    if (!r) return;
    for (int v = r->n_variants - 1; v >= 0; v--) variant_free(r, v);
    reach_free_nodes(&r->nodes, r->g);
    lh_context_free(r->own);
    lh_arena_free(r->sheet);
    lh_arena_free(r->inside);
    lh_arena_free(r->scratch);
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

void lh_reach_habit(lh_reach *r, lh_habit habit) {
    r->habit = habit;
}

void lh_reach_allow(lh_reach *r, double effort) {
    r->left = effort;
    r->gave_up = false;
}

void lh_reach_pay(lh_reach *r, double effort) {
    r->left -= effort;
}

double lh_reach_left(const lh_reach *r) {
    return r->left;
}

bool lh_reach_may(lh_reach *r) {
    r->gave_up |= r->left <= 0;
    return !r->gave_up;
}

bool reach_is_patient(lh_reach *r) {
    const bool is_patient = r->left > -LH_PATIENCE;
    r->gave_up |= !is_patient;
    return is_patient;
}

bool lh_reach_gave_up(const lh_reach *r) {
    return r->gave_up;
}

int lh_reach_variant(lh_reach *r, const lh_rewrite *rewrite, int n) {
    if (r->n_variants == LH_MOST_VARIANTS || !lh_reach_may(r)) return -1;
    r->left -= LH_BUILD_EFFORT * (double)r->g->n_nodes;
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

int lh_reach_variant_anew(lh_reach *r, const lh_rewrite *rewrite, int n) {
    int v = r->s->n_moments > 1 ? lh_reach_variant(r, rewrite, n) : -1;
    if (v >= 0) r->variant[v].is_anew = true;
    return v;
}

void lh_reach_drop(lh_reach *r, int v) {
    if (v == r->n_variants - 1 && !r->variant[v].lasts) variant_free(r, v), r->n_variants--;
}

int lh_reach_anew(const lh_reach *r) {
    return r->variant[ANEW].is_anew ? ANEW : -1;
}

int *lh_reach_reopen(lh_reach *r, int v) {
    int *before = lh_alloc_array(r->sheet, (size_t)r->n_units + 1, sizeof *before);
    for (int i = 0; before && i < r->n_units; i++) {
        before[i] = r->unit[i].is_open ? r->unit[i].variant : -1;
        if (before[i] >= 0) r->unit[i].variant = v, r->unit[i].is_spread = false;
    }
    return before;
}

void lh_reach_restore(lh_reach *r, const int *before) {
    for (int i = 0; i < r->n_units; i++)
        if (before[i] >= 0)
            r->unit[i].is_open = true, r->unit[i].variant = before[i], r->unit[i].is_spread = false;
}

int lh_reach_stale(lh_reach *r, int unit, int operand, const char **name) {
    if (r->n_variants == LH_MOST_VARIANTS || r->unit[unit].moment == 0) return -1;
    int n = 0, which = -1;
    const work *w = reach_work(r, 0, unit);
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
