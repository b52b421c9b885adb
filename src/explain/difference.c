/* difference -- gradients against differences of the loss.
 *
 *     d loss / dx  =  (loss(x + h) - loss(x - h)) / 2h  -  h^2 / 6 loss'''  - ...
 *
 * Two plans stand on either side of the point and their losses are subtracted in the wide type. A param is moved where it
 * stands; a computed step X is taken out of its formula (a known value of the plan) and moved itself, so that dX is judged
 * alone: going back from the loss, the first gradient that is wrong names the rule or operation that is.
 *
 * One pair of runs is enough where all is well. Where it is not, the step is halved and extrapolated (Richardson), then a
 * row of steps is tried and the best estimate taken with its own error (Ridders), and then the two sides are compared: a
 * kink has two slopes at every scale.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "explain/check_internal.h"

#define LIMIT       1e-8  /* relative */
#define MAX_WORK    1.5e7 /* operations for the differences of one moment: some seconds */
#define MAX_MINIMUM 1e9   /* ... and where two cells a step are more than that */

enum { LEVELS = 8, MAX_RUNS = 2000 };

/* What is moved: one cell (of one example, or of each at once), or all cells along a random direction. */
typedef struct unit {
    bool is_all;
    int example; /* -1: each */
    lh_cell at;
} unit;

typedef struct probe {
    lh_bench *bench;
    lh_graph *g;
    lh_node *x, *dx, *loss; /* dx: NULL when only kinks are looked for */
    lh_plan *p, *q;
    int n_loss;   /* losses: one, or one for each example */
    double h;     /* the usual step */
    double noise; /* of a loss: what rounding can make of it */
    double *got;  /* n_loss of each */
    double *want, *size, *best;
    double *table; /* LEVELS * LEVELS * n_loss */
} probe;

static int n_examples(const probe *b, const lh_node *n) {
    return n->shape.is_batched ? lh_wide.examples(b->bench->wide) : 1;
}

static bool has_cell(const lh_plan *p, const lh_node *n, lh_cell at) {
    lh_sizes s = lh_wide.sizes(p, n, at.example);
    return at.head < s.heads && at.row < s.rows && at.col < s.cols;
}

/* A number in the full width: what set leaves behind the last bit of a double, add puts there. */
static void copy_cell(const lh_plan *from, lh_plan *to, const lh_node *n, lh_cell at) {
    double x = lh_wide.get(from, n, at);
    lh_wide.set(to, n, at, x);
    for (int i = 0; i < 2 && isfinite(x); i++)
        lh_wide.add(to, n, at, lh_wide.difference(from, n, at, to));
}

/* The next cell of a value, example after example; false behind the last one. */
static bool next_cell(const lh_plan *p, const lh_node *n, int examples, lh_cell *at) {
    lh_sizes s = lh_wide.sizes(p, n, at->example);
    if (++at->col < s.cols) return true;
    at->col = 0;
    if (++at->row < s.rows) return true;
    at->row = 0;
    if (++at->head < s.heads) return true;
    at->head = 0;
    return ++at->example < examples;
}

static void copy_value(const lh_plan *from, lh_plan *to, const lh_node *n, int examples) {
    lh_cell at = {0, 0, 0, 0};
    do copy_cell(from, to, n, at);
    while (next_cell(from, n, examples, &at));
}

static lh_plan *side(const probe *b) {
    lh_node *known[] = {b->x}, *wanted[] = {b->loss};
    const lh_plan *full = b->bench->wide;
    lh_wish wish = {.node = wanted, .n_nodes = 1, .known = known, .n_known = !b->x->given};
    lh_plan *p = lh_wide.plan(b->g, &wish);
    if (!p) return NULL;
    lh_wide.start(p);
    lh_wide.bind(p, NULL, 0);
    lh_wide.at_step(p, b->bench->moment);
    for (int i = 0; i < b->g->n_givens && !lh_failed(b->g->ctx); i++) {
        lh_node *n = b->g->given[i]->node;
        if (lh_wide.has(p, n) && lh_wide.has(full, n)) copy_value(full, p, n, 1);
    }
    if (!b->x->given && !lh_failed(b->g->ctx)) copy_value(full, p, b->x, n_examples(b, b->x));
    return p;
}

static void probe_close(probe *b) {
    lh_wide.free(b->p);
    lh_wide.free(b->q);
}

static bool probe_open(probe *b, lh_bench *bench, lh_node *x, lh_node *dx) {
    *b = (probe){.bench = bench, .g = bench->g, .x = x, .dx = dx, .loss = bench->g->loss};
    lh_arena *a = bench->check->arena;
    b->n_loss = n_examples(b, b->loss);
    size_t n = (size_t)b->n_loss;
    b->got = lh_alloc_array(a, 4 * n, sizeof *b->got);
    b->table = lh_alloc_array(a, LEVELS * LEVELS * n, sizeof *b->table);
    if (!b->got || !b->table) return false;
    b->want = b->got + n;
    b->size = b->got + 2 * n;
    b->best = b->got + 3 * n;
    b->p = side(b);
    b->q = side(b);
    double scale = lh_check_largest(bench->wide, x);
    b->h = pow(lh_wide.epsilon, 1.0 / 6) * (scale > 1e-6 ? scale : 1);
    b->noise = 64 * lh_wide.epsilon * fmax(lh_check_largest(bench->wide, b->loss), 1e-3);
    return !lh_failed(b->g->ctx);
}

/* ---- moving ---- */

static double direction(lh_cell at) {
    lh_random_place place = {.seed = 1,
                             .place = (uint32_t)at.head,
                             .example = (uint32_t)at.example,
                             .row = (uint32_t)at.row,
                             .col = (uint32_t)at.col};
    return lh_random_uniform(place) < 0.5 ? -1 : 1;
}

static void move_cell(const probe *b, lh_plan *p, lh_cell at, double h) {
    copy_cell(b->bench->wide, p, b->x, at);
    if (h != 0 && isfinite(lh_wide.get(p, b->x, at))) lh_wide.add(p, b->x, at, h);
}

static void move(const probe *b, const unit *u, lh_plan *p, double h) {
    int examples = n_examples(b, b->x);
    if (u->is_all) {
        lh_cell at = {0, 0, 0, 0};
        do move_cell(b, p, at, h * direction(at));
        while (next_cell(p, b->x, examples, &at));
        return;
    }
    for (int e = 0; e < examples; e++) {
        lh_cell at = {e, u->at.head, u->at.row, u->at.col};
        if ((u->example < 0 || u->example == e) && has_cell(p, b->x, at)) move_cell(b, p, at, h);
    }
}

static void run_at(probe *b, const unit *u, lh_plan *p, double h) {
    move(b, u, p, h);
    lh_wide.run(p);
    b->bench->evaluations--;
    b->bench->check->evaluations++;
}

/* to[e] = (loss(+h) - loss(-h)) / 2h for each loss. */
static void central(probe *b, const unit *u, double h, double *to) {
    run_at(b, u, b->p, h);
    run_at(b, u, b->q, -h);
    for (int e = 0; e < b->n_loss; e++)
        to[e] = lh_wide.difference(b->p, b->loss, (lh_cell){e, 0, 0, 0}, b->q) / (2 * h);
}

/* ---- what the gradient says ---- */

/* A loss of an example moves with x of that example alone. dx may be the same for all examples where x is not: dL is 1. */
static void add_gradient(const probe *b, lh_cell at, double weight) {
    bool each = b->loss->shape.is_batched;
    for (int e = 0; e < b->n_loss; e++) {
        lh_cell from = at;
        if (each && b->x->shape.is_batched && at.example != e) continue;
        if (each) from.example = e;
        if (!b->dx->shape.is_batched) from.example = 0;
        double d = lh_wide.get(b->bench->wide, b->dx, from) * weight;
        b->want[e] += d;
        b->size[e] += fabs(d);
    }
}

static void expect(const probe *b, const unit *u) {
    const lh_plan *full = b->bench->wide;
    int examples = n_examples(b, b->x);
    memset(b->want, 0, (size_t)b->n_loss * sizeof *b->want);
    memset(b->size, 0, (size_t)b->n_loss * sizeof *b->size);
    lh_cell at = {0, 0, 0, 0};
    if (u->is_all) {
        do
            if (isfinite(lh_wide.get(full, b->x, at))) add_gradient(b, at, direction(at));
        while (next_cell(full, b->x, examples, &at));
        return;
    }
    for (int e = 0; e < examples; e++) {
        at = (lh_cell){e, u->at.head, u->at.row, u->at.col};
        if ((u->example < 0 || u->example == e) && has_cell(full, b->x, at) &&
            isfinite(lh_wide.get(full, b->x, at)))
            add_gradient(b, at, 1);
    }
}

/* ---- judging ---- */

/* How far apart, relative; what the difference cannot see (`noise`) is worth at most the limit. */
static double apart(double got, double want, double size, double noise) {
    double scale = fmax(fmax(fabs(got), size), noise / LIMIT);
    if (!isfinite(got) || !isfinite(want)) return got == want ? 0 : INFINITY;
    return scale > 0 ? fabs(got - want) / scale : 0;
}

/* The largest error over the losses; *worst says which. */
static double judge(const probe *b, const double *got, const double *noise, double same,
                    int *worst) {
    double most = -1;
    for (int e = 0; e < b->n_loss; e++) {
        double error = apart(got[e], b->want[e], b->size[e], noise ? noise[e] : same);
        if (error > most) most = error, *worst = e;
    }
    return most;
}

static double *cell_of(const probe *b, int i, int j) {
    return b->table + (size_t)(i * LEVELS + j) * (size_t)b->n_loss;
}

/* Ridders: differences at falling steps, extrapolated; each loss keeps its best estimate and that one's own error. */
static void extrapolate(probe *b, const unit *u, double *got, double *error) {
    const double ratio = 8;
    double h = 8 * b->h;
    for (int e = 0; e < b->n_loss; e++) error[e] = INFINITY, got[e] = NAN;
    for (int i = 0; i < LEVELS; i++, h /= ratio) {
        central(b, u, h, cell_of(b, i, 0));
        for (int j = 1; j <= i; j++) {
            double power = pow(ratio, 2 * j);
            for (int e = 0; e < b->n_loss; e++) {
                double fine = cell_of(b, i, j - 1)[e], coarse = cell_of(b, i - 1, j - 1)[e];
                double t = (power * fine - coarse) / (power - 1);
                double wrong = fmax(fabs(t - fine), fabs(t - coarse)) + b->noise / h;
                cell_of(b, i, j)[e] = t;
                if (wrong < error[e]) error[e] = wrong, got[e] = t;
            }
        }
    }
}

/* The slope of a loss on one side: of p, moved by h, with q where the point is. */
static double slope(const probe *b, int loss, double h) {
    return lh_wide.difference(b->p, b->loss, (lh_cell){loss, 0, 0, 0}, b->q) / h;
}

/* Two slopes that do not come closer to each other when the step is an eighth. */
static bool is_kink(probe *b, const unit *u) {
    bool found = false;
    double h = b->h / 1000, *right = b->best, *first = b->table;
    run_at(b, u, b->q, 0);
    for (int pass = 0; pass < 2; pass++, h /= 8) {
        run_at(b, u, b->p, h);
        for (int e = 0; e < b->n_loss; e++) right[e] = slope(b, e, h);
        run_at(b, u, b->p, -h);
        for (int e = 0; e < b->n_loss; e++) {
            double left = slope(b, e, -h), gap = fabs(right[e] - left);
            double scale = fmax(fabs(right[e]), fabs(left));
            if (isfinite(right[e]) != isfinite(left)) return true; /* sqrt at 0: the edge */
            if (pass == 0) first[e] = gap;
            if (pass == 1 && gap > 1e-3 * scale && gap > 0.5 * first[e] && gap > 4 * b->noise / h)
                found = true;
        }
    }
    return found;
}

static lh_cell cell_of_unit(const probe *b, const unit *u, int loss) {
    lh_cell at = u->at;
    at.example = b->dx->shape.is_batched ? (u->example >= 0 ? u->example : loss) : 0;
    return at;
}

static void keep(const probe *b, lh_finding *f, const unit *u, int loss, double got, double error) {
    if (!lh_check_worst(f, b->want[loss], got, error)) return;
    const char *path = b->dx->step->path;
    f->where = u->is_all ? lh_printf(b->bench->check->arena, "%s, all cells together", path)
                         : lh_check_cell(b->bench->check, b->bench->wide, b->dx, path,
                                         cell_of_unit(b, u, loss));
}

static void judge_unit(probe *b, lh_finding *f, const unit *u) {
    int worst = 0;
    expect(b, u);
    central(b, u, b->h, b->got);
    double error = judge(b, b->got, NULL, b->noise / b->h, &worst);
    if (error > LIMIT) {
        central(b, u, b->h / 2, b->best);
        for (int e = 0; e < b->n_loss; e++) b->got[e] = (4 * b->best[e] - b->got[e]) / 3;
        error = judge(b, b->got, NULL, 4 * b->noise / b->h, &worst);
    }
    if (error > LIMIT) {
        extrapolate(b, u, b->got, b->best);
        error = judge(b, b->got, b->best, 0, &worst);
    }
    double got = b->got[worst];
    if (error > LIMIT && is_kink(b, u)) {
        f->kinks++;
        return;
    }
    keep(b, f, u, worst, got, error);
}

static void try_unit(probe *b, lh_finding *f, const unit *u) {
    judge_unit(b, f, u);
    move(b, u, b->p, 0);
    move(b, u, b->q, 0);
}

/* ---- which cells ---- */

static bool moves_each(const probe *b) {
    return b->loss->shape.is_batched || !b->x->shape.is_batched;
}

/* Cells of x as units. Where every example has a loss of its own, the same cell of each is moved at once. */
static long list_units(const probe *b, unit *to) {
    const lh_plan *full = b->bench->wide;
    long n = 0;
    lh_sizes most = {0, 0, 0};
    int examples = n_examples(b, b->x);
    for (int e = 0; e < examples; e++) {
        lh_sizes s = lh_wide.sizes(full, b->x, e);
        if (s.heads > most.heads) most.heads = s.heads;
        if (s.rows > most.rows) most.rows = s.rows;
        if (s.cols > most.cols) most.cols = s.cols;
    }
    for (int e = 0; e < (moves_each(b) ? 1 : examples); e++)
        for (int h = 0; h < most.heads; h++)
            for (int r = 0; r < most.rows; r++)
                for (int c = 0; c < most.cols; c++) {
                    lh_cell at = {e, h, r, c};
                    if (!moves_each(b) && !has_cell(full, b->x, at)) continue;
                    if (to) to[n] = (unit){.example = moves_each(b) ? -1 : e, .at = at};
                    n++;
                }
    return n;
}

/* A rule that matches a call inside a call sends the gradient past the inner one: what is left there is a part. */
static bool is_passed_by(const lh_graph *g, const lh_node *x) {
    for (int i = 0; i < g->n_nodes; i++) {
        const lh_node *n = g->node[i];
        if (n->kind != LH_OP_call || !n->call->rule) continue;
        for (int k = 0; k < n->call->rule->n_patterns && k < n->n_in; k++)
            if (n->in[k] == x && n->call->rule->pattern[k]->kind == LH_E_CALL) return true;
    }
    return false;
}

static bool is_checked(const lh_graph *g, const lh_step *s) {
    return !s->is_dead && s->gradient && !s->gradient->is_dead && s->node != g->loss &&
           !is_passed_by(g, s->node);
}

/* Which rules bring a gradient to x. */
static const char *rules_to(const lh_bench *b, const lh_node *x) {
    lh_text t = lh_text_new(b->check->arena);
    for (int i = 0; i < b->g->n_nodes; i++) {
        const lh_node *n = b->g->node[i];
        if (n->kind != LH_OP_call || !n->call->rule) continue;
        for (int k = 0; k < n->n_in; k++) {
            if (n->in[k] != x) continue;
            lh_text_add(&t, "%sgrad %s (line %d)", t.n ? ", " : "", n->call->rule->name,
                        n->call->rule->at.line);
        }
    }
    return t.n ? t.s : NULL;
}

static void explain_wrong(const lh_bench *b, lh_finding *f, const lh_step *s) {
    const char *rules = rules_to(b, s->node);
    f->why =
        lh_printf(b->check->arena, "%s = %s%s%s", s->gradient->path,
                  lh_step_formula(b->g, s->gradient), rules ? ", by " : "", rules ? rules : "");
}

/* `share` of the cells, at least one, spread evenly with a random place in each piece. Wrong cells take many runs: once
 * something is wrong, it ends with the runs there are. */
static bool check_step(lh_bench *bench, const lh_step *s, double share) {
    bool ok = true;
    probe b;
    if (probe_open(&b, bench, s->node, s->gradient->node)) {
        long n = list_units(&b, NULL), quota = (long)ceil((double)n * fmin(share, 1));
        unit *all = lh_alloc_array(bench->check->arena, (size_t)n + 1, sizeof *all);
        lh_finding *f =
            lh_check_found(bench->check, LH_CHECK_DIFFERENCES, s->gradient, bench->moment);
        f->at = s->at;
        f->limit = LIMIT;
        f->cells = n;
        if (all) list_units(&b, all);
        for (long i = 0; all && i < quota && !lh_failed(b.g->ctx); i++) {
            lh_random_place place = {.seed = 2, .place = (uint32_t)s->id, .row = (uint32_t)i};
            double piece = quota < n ? lh_random_uniform(place) : 0;
            long k = (long)(((double)i + piece) * (double)n / (double)quota);
            try_unit(&b, f, &all[k < n ? k : n - 1]);
            f->checked++;
            if (f->error > LIMIT && bench->evaluations <= 0) break;
        }
        if (quota < n && !lh_failed(b.g->ctx)) try_unit(&b, f, &(unit){.is_all = true});
        f->ok = f->error <= LIMIT;
        if (!f->ok) explain_wrong(bench, f, s);
        ok = f->ok;
    }
    probe_close(&b);
    return ok;
}

/* What one run costs, and how many cells there are to move. */
static double count_work(lh_bench *bench, double *cells, int *steps) {
    lh_node *wanted[] = {bench->g->loss};
    unsigned long long count[2] = {0, 0};
    lh_plan *p = lh_wide.plan(bench->g, &(lh_wish){.node = wanted, .n_nodes = 1});
    if (p) lh_wide.start(p), lh_wide.bind(p, NULL, 0), lh_wide.count(p, count);
    lh_wide.free(p);
    *cells = 0;
    *steps = 0;
    for (int i = 0; i < bench->g->n_steps; i++) {
        const lh_step *s = bench->g->step[i];
        if (!is_checked(bench->g, s)) continue;
        probe b = {.bench = bench, .g = bench->g, .x = s->node, .loss = bench->g->loss};
        *cells += (double)list_units(&b, NULL);
        ++*steps;
    }
    return (double)(count[0] + count[1]) + 100;
}

void lh_check_differences(lh_bench *b) {
    double cells;
    int steps, done = 0, seen = 0;
    bool ok = true;
    if (lh_failed(b->g->ctx)) return;
    double work = count_work(b, &cells, &steps);
    double runs = fmin(MAX_RUNS, MAX_WORK / work);
    double share = cells > 0 ? runs / 2 / cells : 1;
    int most = (int)fmin(steps, fmax(1, MAX_MINIMUM / (4 * work)));
    b->evaluations = (long)(3 * runs) + 100;
    for (int i = b->g->n_steps - 1; i >= 0 && !lh_failed(b->g->ctx); i--) {
        const lh_step *s = b->g->step[i];
        if (!is_checked(b->g, s)) continue;
        if (!ok && b->evaluations <= 0) break;
        if ((long)++seen * most < (long)(done + 1) * steps) continue; /* every so-manieth */
        ok &= check_step(b, s, share);
        done++;
    }
}

bool lh_check_is_kink(lh_bench *bench, lh_node *x, lh_cell at) {
    probe b;
    bool yes = false;
    if (probe_open(&b, bench, x, NULL)) {
        unit u = {.example = moves_each(&b) ? -1 : at.example, .at = at};
        yes = is_kink(&b, &u);
    }
    probe_close(&b);
    return yes;
}
