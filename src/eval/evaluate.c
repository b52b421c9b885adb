/* evaluate -- a plan is started, run and asked: what all evaluators have in common.
 *
 * Numbers are read and written through the backend, and works are done by it. What is here knows no element type.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "eval/plan.h"

enum { MANY = 4096, SOME = 256 }; /* numbers that are worth waking threads for; on the stack */

/* One cell of a layout, or n of a row. */
static lh_layout cells_at(const lh_layout *l, int head, int row, int col, int n) {
    return (lh_layout){.buffer = l->buffer,
                       .is_short = l->is_short,
                       .borrowed = l->borrowed,
                       .at = lh_layout_at(l, head, row, col),
                       .cs = n > 1 ? l->cs : 0,
                       .heads = 1,
                       .rows = 1,
                       .cols = n};
}

/* ---- the start ---- */

typedef struct random_start {
    lh_plan *p;
    const lh_given *given;
    lh_numpy *numpy;     /* in order, or NULL: by counter */
    const lh_layout *to; /* NULL: only drawn */
    size_t rows, cols;
    bool is_normal;
    double a, b; /* mean and deviation; from and to */
} random_start;

/* Normal and uniform numbers by counter: each given has its own place, each cell its own number. */
static double draw_cell(const random_start *s, int row, size_t col) {
    lh_random_place at = {.seed = s->given->seed,
                          .place = (uint32_t)s->given->number,
                          .row = (uint32_t)row,
                          .col = (uint32_t)col};
    double x = s->numpy ? (s->is_normal ? lh_numpy_normal(s->numpy) : lh_numpy_uniform(s->numpy))
                        : (s->is_normal ? lh_random_normal(at) : lh_random_uniform(at));
    return s->is_normal ? s->a + s->b * x : s->a + (s->b - s->a) * x;
}

static void draw_row(void *what, int row, int thread) {
    (void)thread;
    const random_start *s = what;
    double some[SOME];
    for (size_t at = 0; at < s->cols; at += SOME) {
        const int n = s->cols - at < SOME ? (int)(s->cols - at) : SOME;
        for (int i = 0; i < n; i++) some[i] = draw_cell(s, row, at + (size_t)i);
        if (!s->to) continue;
        const lh_layout part = cells_at(s->to, 0, row, (int)at, n);
        s->p->by->write(s->p, &part, some);
    }
}

static void start_random(lh_plan *p, const lh_given *given, lh_numpy *numpy) {
    const lh_node *n = given->node;
    random_start s = {.p = p, .given = given, .numpy = numpy, .b = 1};
    s.rows = p->g->axis[n->shape.rows].n, s.cols = p->g->axis[n->shape.cols].n;
    if (given->a) lh_node_constant(p->g, given->a, &s.a), lh_node_constant(p->g, given->b, &s.b);
    s.is_normal = given->start == LH_START_NORMAL || given->start == LH_START_HE;
    if (given->start == LH_START_XAVIER) s.b = sqrt(6.0 / (double)(s.rows + s.cols)), s.a = -s.b;
    if (given->start == LH_START_HE) s.a = 0, s.b = sqrt(2.0 / (double)s.rows);
    if (lh_value_of(p, n)->role == GIVEN) s.to = lh_layout_of(p, n, 0);
    if (p->by->each && !numpy && s.rows * s.cols > MANY && s.rows <= INT_MAX)
        p->by->each(p, (int)s.rows, draw_row, &s);
    else
        for (size_t r = 0; r < s.rows; r++) draw_row(&s, (int)r, 0);
}

static void start_given(lh_plan *p, const lh_given *given) {
    const lh_node *n = given->node;
    if (lh_value_of(p, n)->role != GIVEN) return;
    if (given->start == LH_START_FILE)
        p->by->write(p, lh_layout_of(p, n, 0), given->data);
    else if (given->start == LH_START_EXPR)
        p->by->copy(p, lh_layout_of(p, n, 0), lh_layout_of(p, given->expr, 0));
}

static void fill_runtime(lh_plan *p) {
    for (int i = 0; i < p->n_runtime; i++) {
        const lh_node *n = p->runtime[i];
        double x = strcmp(n->text, "training") == 0 ? p->moment.training
                   : strcmp(n->text, "step") == 0   ? p->moment.step
                                                    : p->moment.of;
        if (x != p->runtime_is[i]) p->by->write(p, lh_layout_of(p, n, 0), &x);
        p->runtime_is[i] = x;
    }
}

/* Starts are found in the order of the program: an expression may use the givens above it. */
static void start_all(lh_plan *p) {
    lh_graph *g = p->g;
    lh_numpy numpy;
    const lh_plan_list *list = &p->list[LH_STAGE_START];
    int seeded = -1, k = 0;
    for (int i = 0; i < g->n_givens; i++) {
        const lh_given *given = g->given[i];
        for (; k < list->n && list->work[k].node->id < given->node->id; k++)
            p->by->run(p, LH_STAGE_START, k, k + 1);
        bool is_random = given->start == LH_START_NORMAL || given->start == LH_START_UNIFORM ||
                         given->start == LH_START_XAVIER || given->start == LH_START_HE;
        if (!is_random) {
            start_given(p, given);
            continue;
        }
        bool is_numpy = given->seed_kind != NULL;
        if (is_numpy && seeded != given->seed_number)
            lh_numpy_seed(&numpy, (uint32_t)given->seed), seeded = given->seed_number;
        if (is_numpy || lh_value_of(p, given->node)->role == GIVEN)
            start_random(p, given, is_numpy ? &numpy : NULL);
    }
    p->by->run(p, LH_STAGE_START, k, list->n);
}

void lh_plan_start(lh_plan *p) {
    if (lh_failed(p->g->ctx)) return;
    if (p->is_lent_anew && !p->by->ready(p, false)) return;
    p->moment.step = 0;
    p->moment.seed = p->g->seed;
    fill_runtime(p);
    start_all(p);
    p->is_started = true;
    p->is_stale = false;
}

/* ---- running ---- */

/* What is made of consts alone, after a const was changed. */
static void renew_static(lh_plan *p) {
    const lh_plan_list *list = &p->list[LH_STAGE_START];
    for (int i = 0; i < list->n; i++)
        if (p->value[list->work[i].node->id].is_static) p->by->run(p, LH_STAGE_START, i, i + 1);
    p->is_stale = false;
}

static bool is_ready_to_run(lh_plan *p) {
    if (lh_failed(p->g->ctx)) return false;
    if (!p->is_bound) lh_plan_bind(p, NULL, 0);
    if (lh_failed(p->g->ctx)) return false;
    if (p->is_lent_anew && !p->by->ready(p, true)) return false;
    p->is_lent_anew = false;
    if (p->is_stale) renew_static(p);
    fill_runtime(p);
    return true;
}

void lh_plan_run(lh_plan *p) {
    if (is_ready_to_run(p)) p->by->run(p, LH_STAGE_RUN, 0, p->list[LH_STAGE_RUN].n);
}

void lh_plan_run_sums(lh_plan *p, void (*ready)(void *with, int sum), void *with) {
    if (!is_ready_to_run(p)) return;
    const lh_plan_list *list = &p->list[LH_STAGE_RUN];
    for (int from = 0, to; from < list->n; from = to) {
        for (to = from; to < list->n && list->work[to].sum < 0;) to++;
        if (to < list->n) to++;
        p->by->run(p, LH_STAGE_RUN, from, to);
        if (list->work[to - 1].sum >= 0) ready(with, list->work[to - 1].sum);
    }
}

/* Its new value, if it has one to be copied. */
static const lh_node *renewed_by_copy(const lh_plan *p, const lh_given *given) {
    const lh_node *n = given->renewed;
    const bool is_copied = n && lh_value_of(p, given->node)->role == GIVEN &&
                           lh_value_of(p, n)->role != UNUSED &&
                           lh_value_of(p, n) != lh_value_of(p, given->node);
    return is_copied ? n : NULL;
}

/* New values first go aside, so that a := b and b := a change places. */
static void copy_renewed(lh_plan *p, bool is_aside) {
    size_t at = 0;
    for (int i = 0; i < p->g->n_givens; i++) {
        const lh_node *renewed = renewed_by_copy(p, p->g->given[i]);
        if (!renewed) continue;
        const lh_layout *to = lh_layout_of(p, p->g->given[i]->node, 0);
        lh_layout aside;
        lh_plan_layout_own(&aside, LH_SPARE, at, (lh_sizes){1, to->rows, to->cols});
        at += (size_t)to->rows * (size_t)to->cols;
        if (is_aside)
            p->by->copy(p, &aside, lh_layout_of(p, renewed, 0));
        else
            p->by->copy(p, to, &aside);
    }
}

void lh_plan_commit(lh_plan *p) {
    if (lh_failed(p->g->ctx)) return;
    p->by->run(p, LH_STAGE_COMMIT, 0, p->list[LH_STAGE_COMMIT].n);
    copy_renewed(p, true);
    copy_renewed(p, false);
    p->moment.step++;
}

/* ---- what is asked and changed ---- */

void lh_plan_training(lh_plan *p, bool is_on) {
    p->moment.training = is_on;
}

void lh_plan_at_step(lh_plan *p, int step) {
    p->moment.step = step;
}

int lh_plan_examples(const lh_plan *p) {
    return p->examples;
}

bool lh_plan_has(const lh_plan *p, const lh_node *n) {
    const lh_plan_value *v = &p->value[n->id];
    if (v->match && v->match->kernel->renews) return false; /* there when := was carried out */
    if (v->is_changed) return false;                        /* it was, during the run */
    lh_role r = lh_value_of(p, n)->role;
    return r != UNUSED && r != SHAPE && !lh_plan_is_pooled(p, lh_plan_owner(p, n));
}

static lh_layout cell(const lh_plan *p, const lh_node *n, lh_cell at) {
    return cells_at(lh_layout_of(p, n, at.example), at.head, at.row, at.col, 1);
}

double lh_plan_get(const lh_plan *p, const lh_node *n, lh_cell at) {
    const lh_layout from = cell(p, n, at);
    double x = 0;
    p->by->read(p, &from, &x);
    return x;
}

static void touched(lh_plan *p, const lh_node *n) {
    if (lh_value_of(p, n)->is_static) p->is_stale = true;
    for (int i = 0; n->kind == LH_OP_runtime && i < p->n_runtime; i++) p->runtime_is[i] = NAN;
}

void lh_plan_set(lh_plan *p, const lh_node *n, lh_cell at, double x) {
    const lh_layout to = cell(p, n, at);
    p->by->write(p, &to, &x);
    touched(p, n);
}

void lh_plan_add(lh_plan *p, const lh_node *n, lh_cell at, double x) {
    const lh_layout to = cell(p, n, at);
    p->by->add(p, &to, x);
    touched(p, n);
}

double lh_plan_difference(const lh_plan *p, const lh_node *n, lh_cell at, const lh_plan *q) {
    const lh_layout a = cell(p, n, at), b = cell(q, n, at);
    return p->by->difference(p, &a, q, &b);
}

void lh_plan_read(const lh_plan *p, const lh_node *n, double *to) {
    p->by->read(p, lh_layout_of(p, n, 0), to);
}

void lh_plan_read_row(const lh_plan *p, const lh_node *n, int row, double *to) {
    const lh_layout *l = lh_layout_of(p, n, 0), from = cells_at(l, 0, row, 0, l->cols);
    p->by->read(p, &from, to);
}

int lh_plan_largest(lh_plan *p, const lh_node *n, int row) {
    const lh_layout *l = lh_layout_of(p, n, 0), from = cells_at(l, 0, row, 0, l->cols);
    return p->by->largest && !lh_failed(p->g->ctx) ? p->by->largest(p, &from) : -2;
}

void lh_plan_write(lh_plan *p, const lh_node *n, const double *from) {
    p->by->write(p, lh_layout_of(p, n, 0), from);
    touched(p, n);
}

double lh_plan_bytes(const lh_plan *p) {
    const double cells =
        (double)p->cells[LH_FIXED] + (double)p->cells[LH_MOVING] + (double)p->cells[LH_SPARE];
    return cells * (double)p->by->cell_bytes + (p->by->bytes ? p->by->bytes(p) : 0);
}

/* ---- where numbers stop being numbers ---- */

static bool find_in_row(const lh_plan *p, const lh_layout *l, bool want_nan, lh_trouble *t) {
    double some[SOME];
    for (int at = 0; at < l->cols; at += SOME) {
        const int n = l->cols - at < SOME ? l->cols - at : SOME;
        const lh_layout part = cells_at(l, t->at.head, t->at.row, at, n);
        p->by->read(p, &part, some);
        for (int c = 0; c < n; c++) {
            const double x = some[c];
            bool is_bad = want_nan ? x != x : (x != x || x - x != 0);
            if (!is_bad) continue;
            t->at.col = at + c, t->value = x;
            return true;
        }
    }
    return false;
}

static bool find_in(const lh_plan *p, const lh_node *n, bool want_nan, lh_trouble *t) {
    const int examples = lh_value_of(p, n)->step ? p->examples : 1;
    for (int e = 0; e < examples; e++) {
        const lh_layout *l = lh_layout_of(p, n, e);
        for (int h = 0; lh_plan_base(p, l) && h < l->heads; h++)
            for (int r = 0; r < l->rows; r++) {
                lh_trouble here = {n, {e, h, r, 0}, 0};
                if (!find_in_row(p, l, want_nan, &here)) continue;
                *t = here;
                return true;
            }
    }
    return false;
}

/* A given or an input that came so: from a file, from an example, or as an earlier step left it. A start that its own formula
 * makes so is found there, or meant so (-inf). */
static bool came_so(const lh_plan *p, lh_trouble *t) {
    lh_trouble ignore;
    for (int i = 0; i < p->n_nodes; i++) {
        const lh_node *n = p->g->node[i];
        lh_role r = p->value[i].role;
        if ((r != GIVEN && r != INPUT) || !find_in(p, n, false, t)) continue;
        const lh_node *expr = r == GIVEN ? n->given->expr : NULL;
        if (!expr || !find_in(p, expr, t->value != t->value, &ignore)) return true;
    }
    return false;
}

/* What leads to a step or a start that is no number. Infinity on the way to a number is none of it: in sigmoid(-800), exp(800) is. */
static void mark_leading(const lh_plan *p, char *leads) {
    lh_trouble ignore;
    for (int i = p->n_nodes - 1; i >= 0; i--) {
        const lh_node *n = p->g->node[i], *meaning = lh_node_meaning(n);
        const bool is_seen = n->step && !lh_step_is_inner(n->step) && lh_plan_has(p, n);
        if (!leads[i] && is_seen) leads[i] = find_in(p, n, false, &ignore);
        const lh_node *start = n->kind == LH_OP_given ? n->given->expr : NULL;
        if (start && lh_plan_has(p, n) && lh_plan_has(p, start))
            leads[start->id] |= find_in(p, start, false, &ignore);
        if (!leads[i]) continue;
        if (meaning) leads[meaning->id] = 1;
        for (int k = 0; k < n->n_in && !meaning; k++) leads[n->in[k]->id] = 1;
        leads[lh_standing(p, n)->id] = 1; /* the same formula, which was written before */
    }
}

/* nan from operands without nan, or infinity from finite operands: that is where it began. */
static lh_trouble where_it_began(const lh_plan *p, const char *leads) {
    const lh_plan_list *start = &p->list[LH_STAGE_START], *run = &p->list[LH_STAGE_RUN];
    lh_trouble t = {0}, ignore;
    for (int i = 0; i < start->n + run->n; i++) { /* constant formulas run at the start */
        const lh_node *n = i < start->n ? start->work[i].node : run->work[i - start->n].node;
        if (n->kind == LH_OP_matrix || n->kind == LH_OP_number) continue; /* written so: [1 -inf] */
        if (!leads[n->id] || !find_in(p, n, false, &t)) continue;
        bool nan_before = false, inf_before = false;
        for (int k = 0; k < n->n_in; k++) {
            if (!lh_plan_has(p, n->in[k]) || !lh_op_reads(n, k)) continue;
            nan_before |= find_in(p, n->in[k], true, &ignore);
            inf_before |= find_in(p, n->in[k], false, &ignore);
        }
        bool is_nan = find_in(p, n, true, &ignore);
        if (is_nan && !nan_before) return ignore;
        if (!is_nan && !inf_before) return t;
    }
    return (lh_trouble){0};
}

lh_trouble lh_plan_trouble(const lh_plan *p) {
    lh_trouble t = {0};
    char *leads = p->g->ctx->alloc((size_t)p->n_nodes + 1);
    if (!leads) lh_fail(p->g->ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory");
    if (leads && !came_so(p, &t)) {
        memset(leads, 0, (size_t)p->n_nodes + 1);
        mark_leading(p, leads);
        t = where_it_began(p, leads);
    }
    p->g->ctx->release(leads);
    return t;
}

void lh_plan_count(lh_plan *p, unsigned long long total[2]) {
    total[0] = total[1] = 0;
    if (lh_failed(p->g->ctx)) return;
    if (!p->is_bound) lh_plan_bind(p, NULL, 0);
    fill_runtime(p);
    for (int i = 0; i < p->list[LH_STAGE_RUN].n && !lh_failed(p->g->ctx); i++) {
        const lh_node *n = p->list[LH_STAGE_RUN].work[i].node;
        p->by->count(p, i, total);
        if (n->op->cost || n->op->view) continue; /* a view is free, copied or not */
        const int examples = lh_value_of(p, n)->step ? p->examples : 1;
        for (int e = 0; e < examples; e++) total[1] += lh_layout_cells(lh_layout_of(p, n, e));
    }
}
