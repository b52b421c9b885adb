/* exact -- plain loops over the nodes in their order. Compiled twice: see real.h.
 *
 * A plan is made in two stages. What does not depend on examples is fixed when the plan is made: which nodes run, which
 * share a value (the same formula written twice), which are only another view of memory, which can be done once at the
 * start. Binding a batch gives every value its blocks. A run then calls one function after another.
 */
#include "eval/exact.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "eval/plan.h"
#ifdef LH_FAST
#include <limits.h>

#include "eval/fast/threads.h"

enum { MANY = 4096 }; /* numbers that are worth waking threads for */
#endif

/* ---- the start ---- */

static void work_do(const lh_work *w) {
    w->run(w);
}

typedef struct random_start {
    const lh_given *given;
    lh_numpy *numpy; /* in order, or NULL: by counter */
    lh_real *to;     /* NULL: only drawn */
    size_t rows, cols;
    bool is_normal;
    double a, b; /* mean and deviation; from and to */
} random_start;

/* Normal and uniform numbers by counter: each given has its own place, each cell its own number. */
static void draw_row(void *what, int row, int thread) {
    (void)thread;
    const random_start *s = what;
    for (size_t c = 0; c < s->cols; c++) {
        lh_random_place at = {.seed = s->given->seed,
                              .place = (uint32_t)s->given->number,
                              .row = (uint32_t)row,
                              .col = (uint32_t)c};
        double x = s->numpy
                       ? (s->is_normal ? lh_numpy_normal(s->numpy) : lh_numpy_uniform(s->numpy))
                       : (s->is_normal ? lh_random_normal(at) : lh_random_uniform(at));
        x = s->is_normal ? s->a + s->b * x : s->a + (s->b - s->a) * x;
        if (s->to) s->to[(size_t)row * s->cols + c] = (lh_real)x;
    }
}

static void start_random(lh_plan *p, const lh_given *given, lh_numpy *numpy) {
    const lh_node *n = given->node;
    const value *v = value_of(p, n);
    random_start s = {.given = given, .numpy = numpy, .b = 1};
    s.rows = p->g->axis[n->shape.rows].n, s.cols = p->g->axis[n->shape.cols].n;
    if (given->a) lh_node_constant(p->g, given->a, &s.a), lh_node_constant(p->g, given->b, &s.b);
    s.is_normal = given->start == LH_START_NORMAL || given->start == LH_START_HE;
    if (given->start == LH_START_XAVIER) s.b = sqrt(6.0 / (double)(s.rows + s.cols)), s.a = -s.b;
    if (given->start == LH_START_HE) s.a = 0, s.b = sqrt(2.0 / (double)s.rows);
    if (v->role == GIVEN) s.to = v->view.block[0].p;
#ifdef LH_FAST
    if (!numpy && s.rows * s.cols > MANY && s.rows <= INT_MAX) {
        lh_pool_run(p->moment.pool, (int)s.rows, draw_row, &s);
        return;
    }
#endif
    for (size_t r = 0; r < s.rows; r++) draw_row(&s, (int)r, 0);
}

static void start_given(lh_plan *p, const lh_given *given) {
    const lh_node *n = given->node;
    const value *v = value_of(p, n);
    if (v->role != GIVEN) return;
    const lh_block *to = v->view.block;
    if (given->start == LH_START_FILE) {
        for (size_t i = 0; i < fixed_cells(p->g, n); i++) to->p[i] = (lh_real)given->data[i];
    } else if (given->start == LH_START_EXPR) {
        const lh_block *from = value_of(p, given->expr)->view.block;
        for (int r = 0; r < to->rows; r++)
            for (int c = 0; c < to->cols; c++)
                to->p[r * to->rs + c * to->cs] = from->p[r * from->rs + c * from->cs];
    }
}

static void fill_runtime(lh_plan *p) {
    for (int i = 0; i < p->n_runtime; i++) {
        const lh_node *n = p->runtime[i];
        double x = strcmp(n->text, "training") == 0 ? p->moment.training
                   : strcmp(n->text, "step") == 0   ? p->moment.step
                                                    : p->moment.of;
        p->value[n->id].view.block[0].p[0] = (lh_real)x;
    }
}

/* Starts are found in the order of the program: an expression may use the givens above it. */
static void start_all(lh_plan *p) {
    lh_graph *g = p->g;
    lh_numpy numpy;
    int seeded = -1, k = 0;
    for (int i = 0; i < g->n_givens; i++) {
        const lh_given *given = g->given[i];
        for (; k < p->n_start && p->at_start[k].node->id < given->node->id; k++)
            work_do(&p->at_start[k]);
        bool is_random = given->start == LH_START_NORMAL || given->start == LH_START_UNIFORM ||
                         given->start == LH_START_XAVIER || given->start == LH_START_HE;
        if (!is_random) {
            start_given(p, given);
            continue;
        }
        bool is_numpy = given->seed_kind != NULL;
        if (is_numpy && seeded != given->seed_number)
            lh_numpy_seed(&numpy, (uint32_t)given->seed), seeded = given->seed_number;
        if (is_numpy || value_of(p, given->node)->role == GIVEN)
            start_random(p, given, is_numpy ? &numpy : NULL);
    }
    for (; k < p->n_start; k++) work_do(&p->at_start[k]);
}

void plan_start(lh_plan *p) {
    if (lh_failed(p->g->ctx)) return;
    p->moment.step = 0;
    p->moment.seed = p->g->seed;
    fill_runtime(p);
    start_all(p);
    p->is_started = true;
    p->is_stale = false;
}

/* ---- running ---- */

static void run(lh_plan *p) {
    if (lh_failed(p->g->ctx)) return;
    if (!p->is_bound) plan_bind(p, NULL, 0);
    if (lh_failed(p->g->ctx)) return;
    if (p->is_stale) {
        for (int i = 0; i < p->n_start; i++)
            if (p->value[p->at_start[i].node->id].is_static) work_do(&p->at_start[i]);
        p->is_stale = false;
    }
    fill_runtime(p);
    const bool goes_on = p->moment.past > 0;
    for (int i = 0; i < p->n_run; i++)
        if (!(goes_on && p->each_run[i].is_once)) work_do(&p->each_run[i]);
}

/* New values first go aside, so that a := b and b := a change places. */
static void commit(lh_plan *p) {
    lh_graph *g = p->g;
    if (lh_failed(g->ctx)) return;
    for (int i = 0; i < p->n_commit; i++) work_do(&p->at_commit[i]);
    for (int pass = 0; pass < 2; pass++) {
        lh_real *spare = p->spare;
        for (int i = 0; i < g->n_givens; i++) {
            const lh_given *given = g->given[i];
            if (!given->renewed || value_of(p, given->node)->role != GIVEN ||
                value_of(p, given->renewed)->role == UNUSED ||
                value_of(p, given->renewed) == value_of(p, given->node))
                continue;
            const lh_block *to = value_of(p, given->node)->view.block,
                           *from = value_of(p, given->renewed)->view.block;
            for (int r = 0; r < to->rows; r++)
                for (int c = 0; c < to->cols; c++, spare++) {
                    if (pass == 0)
                        *spare = from->p[r * from->rs + c * from->cs];
                    else
                        to->p[r * to->rs + c * to->cs] = *spare;
                }
        }
    }
    p->moment.step++;
}

static void set_training(lh_plan *p, bool is_on) {
    p->moment.training = is_on;
}

static void set_step(lh_plan *p, int step) {
    p->moment.step = step;
}

static int count_examples(const lh_plan *p) {
    return p->examples;
}

static bool has(const lh_plan *p, const lh_node *n) {
    const value *v = &p->value[n->id];
    if (v->match && v->match->kernel->renews) return false; /* there when := was carried out */
    if (v->is_changed) return false;                        /* it was, during the run */
    role r = value_of(p, n)->role;
    return r != UNUSED && r != SHAPE && !is_pooled(p, owner_of(p, n));
}

static lh_sizes sizes_of(const lh_plan *p, const lh_node *n, int example) {
    return n->shape.is_batched ? sizes_now(p, n, example) : sizes_fixed(p->g, n);
}

static lh_real *cell(const lh_plan *p, const lh_node *n, lh_cell at) {
    const lh_block *b = lh_block_of(&value_of(p, n)->view, at.example);
    return b->p + at.head * b->hs + at.row * b->rs + at.col * b->cs;
}

static double get(const lh_plan *p, const lh_node *n, lh_cell at) {
    return (double)*cell(p, n, at);
}

static void touched(lh_plan *p, const lh_node *n) {
    if (value_of(p, n)->is_static) p->is_stale = true;
}

static void set(lh_plan *p, const lh_node *n, lh_cell at, double x) {
    *cell(p, n, at) = (lh_real)x;
    touched(p, n);
}

static void add(lh_plan *p, const lh_node *n, lh_cell at, double x) {
    *cell(p, n, at) += (lh_real)x;
    touched(p, n);
}

static double difference(const lh_plan *p, const lh_node *n, lh_cell at, const lh_plan *q) {
    return (double)(*cell(p, n, at) - *cell(q, n, at));
}

/* ---- where numbers stop being numbers ---- */

static bool find_in(const lh_plan *p, const lh_node *n, bool want_nan, lh_trouble *t) {
    const lh_view *v = &value_of(p, n)->view;
    for (int e = 0; e < (v->step ? p->examples : 1); e++) {
        const lh_block *b = &v->block[e];
        for (int h = 0; b->p && h < b->heads; h++)
            for (int r = 0; r < b->rows; r++)
                for (int c = 0; c < b->cols; c++) {
                    double x = (double)b->p[h * b->hs + r * b->rs + c * b->cs];
                    bool is_bad = want_nan ? x != x : (x != x || x - x != 0);
                    if (!is_bad) continue;
                    *t = (lh_trouble){n, {e, h, r, c}, x};
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
        role r = p->value[i].role;
        if ((r != GIVEN && r != INPUT) || !find_in(p, n, false, t)) continue;
        const lh_node *expr = r == GIVEN ? n->given->expr : NULL;
        if (!expr || !find_in(p, expr, t->value != t->value, &ignore)) return true;
    }
    return false;
}

/* nan from operands without nan, or infinity from finite operands: that is where it began. */
static lh_trouble trouble(const lh_plan *p) {
    lh_trouble t = {0}, ignore;
    if (came_so(p, &t)) return t;
    for (int i = 0; i < p->n_start + p->n_run; i++) { /* constant formulas run at the start */
        const lh_node *n = i < p->n_start ? p->at_start[i].node : p->each_run[i - p->n_start].node;
        if (!find_in(p, n, false, &t)) continue;
        bool nan_before = false, inf_before = false;
        for (int k = 0; k < n->n_in; k++) {
            if (!has(p, n->in[k]) || !lh_op_reads(n, k)) continue;
            nan_before |= find_in(p, n->in[k], true, &ignore);
            inf_before |= find_in(p, n->in[k], false, &ignore);
        }
        bool is_nan = find_in(p, n, true, &ignore);
        if (is_nan && !nan_before) return ignore;
        if (!is_nan && !inf_before) return t;
    }
    return (lh_trouble){0};
}

static void count(lh_plan *p, unsigned long long total[2]) {
    total[0] = total[1] = 0;
    if (lh_failed(p->g->ctx)) return;
    if (!p->is_bound) plan_bind(p, NULL, 0);
    fill_runtime(p);
    for (int i = 0; i < p->n_run && !lh_failed(p->g->ctx); i++) {
        lh_work w = p->each_run[i];
        w.count = total;
        work_do(&w);
        if (w.node->op->cost || w.node->op->view) continue; /* a view is free, copied or not */
        for (int e = 0; e < w.examples; e++) {
            const lh_block *o = lh_block_of(&w.out, e);
            total[1] += (unsigned long long)o->heads * (unsigned)o->rows * (unsigned)o->cols;
        }
    }
}

const lh_evaluator
#if defined LH_FAST
    lh_fast = {
        .name = "fast",
#elif defined LH_WIDE
    lh_wide = {
        .name = "wide",
#else
    lh_exact = {
        .name = "exact",
#endif
        .epsilon = LH_REAL_EPSILON,
        .plan = plan_new,
        .free = plan_free,
        .start = plan_start,
        .bind = plan_bind,
        .feed = plan_feed,
        .run = run,
        .commit = commit,
        .training = set_training,
        .at_step = set_step,
        .examples = count_examples,
        .has = has,
        .sizes = sizes_of,
        .get = get,
        .set = set,
        .add = add,
        .difference = difference,
        .trouble = trouble,
        .count = count,
};
