/* check -- each number of a program against another way to find it. Differences of the loss are in difference.c. */
#include "explain/check.h"

#include <math.h>
#include <string.h>

#include "explain/check_internal.h"
#include "train/loop.h"

#define BY_HAND_LIMIT 1e-9

/* ---- findings ---- */

/* Findings outlive the graph: what they say is copied. */
lh_finding *lh_check_found(lh_check *c, lh_check_kind kind, const lh_step *s, int moment) {
    lh_finding *f = lh_push(c->arena, c->finding, c->n_findings);
    *f = (lh_finding){.kind = kind, .moment = moment, .ok = true};
    if (s) f->step = lh_printf(c->arena, "%s", s->path), f->at = s->at;
    return f;
}

bool lh_check_worst(lh_finding *f, double got, double want, double error) {
    if (error <= f->error && f->where) return false;
    f->error = error;
    f->got = got;
    f->want = want;
    return true;
}

const char *lh_check_cell(lh_check *c, const lh_plan *wide, const lh_node *n, const char *path,
                          lh_cell at) {
    lh_text t = lh_text_new(c->arena);
    lh_sizes s = lh_wide.sizes(wide, n, at.example);
    bool many = n->shape.is_batched && lh_wide.examples(wide) > 1;
    lh_text_add(&t, "%s", path);
    if (many && s.heads > 1)
        lh_text_add(&t, "{example %d, head %d}", at.example, at.head);
    else if (many)
        lh_text_add(&t, "{example %d}", at.example);
    else if (s.heads > 1)
        lh_text_add(&t, "{head %d}", at.head);
    if (s.rows > 1) lh_text_add(&t, "[%d]", at.row);
    if (s.cols > 1) lh_text_add(&t, "[%d]", at.col);
    return t.s;
}

long lh_check_each(const lh_plan *wide, const lh_node *n, lh_see_cell see, void *who) {
    int examples = n->shape.is_batched ? lh_wide.examples(wide) : 1;
    long cells = 0;
    for (int e = 0; e < examples; e++) {
        lh_sizes s = lh_wide.sizes(wide, n, e);
        for (int h = 0; h < s.heads; h++)
            for (int r = 0; r < s.rows; r++)
                for (int c = 0; c < s.cols; c++, cells++) see(who, (lh_cell){e, h, r, c});
    }
    return cells;
}

typedef struct size_of {
    const lh_plan *p;
    const lh_node *n;
    double most;
} size_of;

static void see_size(void *who, lh_cell at) {
    size_of *z = who;
    double x = fabs(lh_wide.get(z->p, z->n, at));
    if (isfinite(x) && x > z->most) z->most = x;
}

double lh_check_largest(const lh_plan *wide, const lh_node *n) {
    size_of z = {.p = wide, .n = n};
    lh_check_each(wide, n, see_size, &z);
    return z.most;
}

/* ---- numbers that are none ---- */

/* The step in whose formula a node stands. */
static const lh_step *owner(const lh_graph *g, const lh_node *n) {
    for (int i = n->id; i < g->n_nodes && !n->step; i++) {
        const lh_node *user = g->node[i];
        for (int k = 0; k < user->n_in; k++)
            if (user->in[k] == n) {
                n = user;
                break;
            }
    }
    return n->step;
}

static bool is_softmax(const lh_node *n) {
    return n->kind == LH_OP_call && strcmp(n->call->fn->name, "softmax") == 0;
}

static bool is_masked_row(const lh_plan *p, const lh_node *x, lh_cell at) {
    int cols = lh_exact.sizes(p, x, at.example).cols;
    for (at.col = 0; at.col < cols; at.col++)
        if (lh_exact.get(p, x, at) != -INFINITY) return false;
    return true;
}

static const char *cause(const lh_node *n, bool is_nan) {
    const char *own = n->op->trouble[is_nan];
    return own ? own : is_nan ? "not a number" : "too large";
}

/* The call of softmax in whose body a node stands, or NULL. */
static const lh_node *softmax_around(const lh_node *n) {
    const lh_node *call = n->scope ? n->scope->call : NULL;
    return call && is_softmax(call) && n->scope->kind == LH_SCOPE_CALL ? call : NULL;
}

static void name_trouble(const lh_bench *b, lh_trouble t) {
    const lh_node *n = t.node, *softmax = softmax_around(n);
    lh_check *c = b->check;
    bool masked =
        softmax && isnan(t.value) && softmax->n_in && is_masked_row(b->exact, softmax->in[0], t.at);
    const lh_step *s = owner(b->g, masked ? softmax : n);
    lh_finding *f = lh_check_found(c, LH_CHECK_NUMBERS, s, b->moment);
    lh_text formula = lh_text_new(c->arena);
    lh_node_print_inside(&formula, n, n->scope);
    f->ok = false;
    f->got = t.value;
    f->error = INFINITY;
    f->where = lh_check_cell(c, b->wide, masked ? softmax : n, s ? s->path : formula.s, t.at);
    if (masked)
        f->why = lh_printf(c->arena,
                           "row %d of %s is masked completely: every column is hidden, so there is "
                           "nothing to attend to; leave at least one column visible",
                           t.at.row, s ? s->path : "softmax");
    else
        f->why = lh_printf(c->arena, "%s: %s", formula.s, cause(n, isnan(t.value)));
}

typedef struct bad_cell {
    const lh_plan *p;
    const lh_node *n;
    lh_trouble t;
} bad_cell;

static void see_nan(void *who, lh_cell at) {
    bad_cell *b = who;
    double x = lh_exact.get(b->p, b->n, at);
    if (isnan(x) && !b->t.node) b->t = (lh_trouble){b->n, at, x};
}

/* True when there is a nan: nothing else can then be compared. */
static bool check_numbers(lh_bench *b) {
    lh_trouble t = lh_exact.trouble(b->exact);
    const lh_graph *g = b->g;
    for (int i = 0; i < g->n_steps && !t.node; i++) { /* a nan among the given numbers */
        const lh_step *s = g->step[i];
        bad_cell bad = {.p = b->exact, .n = s->node};
        if (s->is_dead || !lh_exact.has(b->exact, s->node)) continue;
        lh_check_each(b->wide, s->node, see_nan, &bad);
        t = bad.t;
    }
    if (t.node) {
        name_trouble(b, t);
        return isnan(t.value);
    }
    lh_finding *f = lh_check_found(b->check, LH_CHECK_NUMBERS, NULL, b->moment);
    for (int i = 0; i < g->n_steps; i++) f->checked += !g->step[i]->is_dead;
    f->cells = f->checked;
    return false;
}

/* ---- softmax ---- */

static void check_softmax(lh_bench *b, const lh_node *n) {
    const lh_step *s = owner(b->g, n);
    lh_finding *f = lh_check_found(b->check, LH_CHECK_SOFTMAX, s, b->moment);
    int examples = n->shape.is_batched ? lh_exact.examples(b->exact) : 1;
    for (int e = 0; e < examples; e++) {
        lh_sizes z = lh_exact.sizes(b->exact, n, e);
        for (int k = 0; k < z.heads * z.rows; k++, f->checked++) {
            lh_cell at = {e, k / z.rows, k % z.rows, 0};
            double sum = 0;
            for (at.col = 0; at.col < z.cols; at.col++) sum += lh_exact.get(b->exact, n, at);
            at.col = 0;
            f->limit = fmax(f->limit, (4 + z.cols) * lh_exact.epsilon);
            if (lh_check_worst(f, sum, 1, isnan(sum) ? INFINITY : fabs(sum - 1)))
                f->where = lh_check_cell(b->check, b->wide, n, s ? s->path : "softmax", at);
        }
    }
    f->cells = f->checked;
    f->ok = f->error <= f->limit;
    if (!f->ok) f->why = "a row of probabilities must sum to 1";
}

/* ---- two ways to a gradient ---- */

typedef struct two_ways {
    lh_bench *b;      /* where x stands */
    lh_node *x;       /* of whose gradient these are two */
    const lh_node *a; /* one, in b's graph */
    const char *path; /* its name */
    const lh_plan *other_plan;
    const lh_node *other;
    int together; /* a is the average (1) or the total (2) of the other over the examples */
    lh_finding *f;
    double scale, floor;
} two_ways;

static double want_at(const two_ways *t, lh_cell at) {
    int n = lh_wide.examples(t->other_plan);
    double sum = 0;
    if (!t->together || !t->other->shape.is_batched) {
        if (!t->other->shape.is_batched) at.example = 0;
        return lh_wide.get(t->other_plan, t->other, at);
    }
    for (at.example = 0; at.example < n; at.example++)
        sum += lh_wide.get(t->other_plan, t->other, at);
    return t->together == 1 ? sum / n : sum;
}

static void see_two(void *who, lh_cell at) {
    two_ways *t = who;
    double got = lh_wide.get(t->b->wide, t->a, at), want = want_at(t, at);
    double scale = fmax(t->scale, fabs(got)), far = fabs(got - want);
    double error = far <= t->floor || got == want ? 0 : scale > 0 ? far / scale : INFINITY;
    if (isnan(error)) error = INFINITY;
    bool is_news = error > t->f->limit && t->f->error <= t->f->limit;
    if (is_news && lh_check_is_kink(t->b, t->x, at)) {
        t->f->kinks++;
        return;
    }
    if (lh_check_worst(t->f, got, want, error))
        t->f->where = lh_check_cell(t->b->check, t->b->wide, t->a, t->path, at);
}

static void compare_two(two_ways *t) {
    lh_bench *b = t->b;
    t->scale = lh_check_largest(t->other_plan, t->other);
    t->floor = 1e3 * lh_wide.epsilon * fmax(1, lh_check_largest(b->wide, b->g->loss));
    t->f->checked = t->f->cells = lh_check_each(b->wide, t->a, see_two, t);
    t->f->ok = t->f->error <= t->f->limit;
}

static lh_plan *run_wide(lh_graph *g, int moment) {
    lh_plan *p = lh_wide.plan(g, &(lh_wish){.all = true});
    if (!p) return NULL;
    lh_wide.start(p);
    lh_wide.bind(p, NULL, 0);
    lh_wide.run(p);
    for (int i = 0; i < moment; i++) lh_wide.commit(p), lh_wide.run(p);
    return p;
}

/* ---- rules against bodies ---- */

static bool is_told(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *s = list; (s = strstr(s, name)); s += n)
        if ((s == list || s[-1] == ' ') && (s[n] == 0 || s[n] == ',')) return true;
    return false;
}

static void print_pattern(lh_text *t, const lh_statement *rule) {
    lh_text_add(t, "%s", rule->name);
    for (int i = 0; i < rule->n_patterns; i++)
        if (rule->pattern[i]->kind == LH_E_CALL) lh_text_add(t, "(%s)", rule->pattern[i]->text);
}

static const char *rules_in_use(const lh_check *c, const lh_graph *g) {
    lh_text t = lh_text_new(c->arena);
    for (int i = 0; i < g->n_nodes; i++) {
        const lh_node *n = g->node[i];
        if (n->kind != LH_OP_call || !n->call->rule) continue;
        lh_text name = lh_text_new(c->arena);
        print_pattern(&name, n->call->rule);
        if (!is_told(t.s, name.s)) lh_text_add(&t, "%s%s", t.n ? ", " : "", name.s);
    }
    return t.n ? t.s : NULL;
}

/* A program whose every gradient goes through the bodies of its calls must come to the same. */
static void check_rules(lh_bench *b, lh_graph *bodies, const lh_plan *other) {
    for (int i = b->g->n_steps - 1; i >= 0 && !lh_failed(b->g->ctx); i--) {
        const lh_step *s = b->g->step[i];
        if (s->is_dead || !s->gradient || (s->node->kind != LH_OP_given)) continue;
        const lh_step *twin = lh_graph_step(bodies, s->path);
        if (!twin || !twin->gradient) continue;
        lh_finding *f = lh_check_found(b->check, LH_CHECK_RULES, s->gradient, b->moment);
        f->limit = 1e10 * lh_wide.epsilon;
        compare_two(&(two_ways){.b = b,
                                .x = s->node,
                                .a = s->gradient->node,
                                .path = f->step,
                                .other_plan = other,
                                .other = twin->gradient->node,
                                .f = f});
        if (!f->ok) f->why = "a rule and the body of its function disagree";
    }
}

/* ---- gradients made by hand ---- */

/* dX beside X: a line of the program, named d and the name of another value that is no token and no comparison. */
static const lh_step *made_for(const lh_graph *g, const lh_step *d) {
    if (d->is_dead || d->kind != LH_STEP_FORWARD || d->name[0] != 'd' || !d->name[1]) return NULL;
    const char *dot = strrchr(d->path, '.');
    size_t folder = dot ? (size_t)(dot - d->path) + 1 : 0;
    char path[512];
    if (strlen(d->path) >= sizeof path) return NULL;
    memcpy(path, d->path, folder);
    memcpy(path + folder, d->name + 1, strlen(d->name));
    const lh_step *x = lh_graph_step(g, path);
    bool is_value = x && (x->kind == LH_STEP_FORWARD || x->node->kind == LH_OP_given);
    return is_value && !x->node->is_discrete && !x->node->vocab ? x : NULL;
}

static bool is_one(const lh_graph *g, const lh_node *n) {
    return lh_axis_is_one(g, n->shape.rows) && lh_axis_is_one(g, n->shape.cols) &&
           lh_axis_is_one(g, n->shape.heads);
}

/* L, loss, or the last step that is one number. */
static int list_losses(const lh_graph *g, const char *name[3]) {
    static const char *const usual[] = {"L", "loss"};
    int n = 0;
    const lh_step *last = NULL;
    for (int i = 0; i < 2; i++) {
        const lh_step *s = lh_graph_step(g, usual[i]);
        if (s && s->kind == LH_STEP_FORWARD && is_one(g, s->node)) name[n++] = usual[i];
    }
    for (int i = 0; i < g->n_steps; i++) {
        const lh_step *s = g->step[i];
        if (s->kind == LH_STEP_FORWARD && !s->is_dead && s->scope == g->top && is_one(g, s->node) &&
            !s->node->is_discrete && !made_for(g, s))
            last = s;
    }
    if (last && n == 0) name[n++] = last->path;
    return n;
}

typedef struct not_zero {
    const lh_plan *wide;
    const lh_node *n;
    const lh_step *d;
    lh_check *check;
    lh_finding *f;
} not_zero;

static void see_zero(void *who, lh_cell at) {
    not_zero *z = who;
    double got = lh_wide.get(z->wide, z->n, at);
    if (lh_check_worst(z->f, got, 0, got == 0 ? 0 : INFINITY))
        z->f->where = lh_check_cell(z->check, z->wide, z->n, z->d->path, at);
}

/* X that does not lead to the loss: its gradient is 0. An input has none here that could be compared. */
static void compare_with_nothing(lh_bench *b, lh_finding *f, const lh_step *d, const lh_step *x) {
    lh_check *c = b->check;
    const char *loss = b->g->loss->step->path;
    if (x->node->kind == LH_OP_input) {
        f->why = lh_printf(c->arena, "%s is an input: not compared", x->path);
        return;
    }
    not_zero z = {b->wide, d->node, d, c, f};
    f->checked = f->cells = lh_check_each(b->wide, d->node, see_zero, &z);
    f->ok = f->error <= f->limit;
    if (!f->ok)
        f->why = lh_printf(c->arena, "%s does not affect %s: its gradient is 0", x->path, loss);
}

/* One gradient by hand with the true one of the same graph. */
static void compare_by_hand(lh_bench *b, const lh_step *d, const lh_step *x) {
    lh_check *c = b->check;
    lh_graph *g = b->g;
    lh_finding *f = lh_check_found(c, LH_CHECK_BY_HAND, d, b->moment);
    const lh_step *true_one = x->gradient;
    f->limit = BY_HAND_LIMIT;
    if (!true_one) {
        compare_with_nothing(b, f, d, x);
        return;
    }
    const lh_shape *is = &d->node->shape, *want = &true_one->node->shape;
    bool fits = lh_axis_same(g, is->rows, want->rows) && lh_axis_same(g, is->cols, want->cols) &&
                lh_axis_same(g, is->heads, want->heads);
    bool is_many = is->is_batched && !want->is_batched && lh_wide.examples(b->wide) > 1;
    if (!fits || is_many) {
        f->ok = false;
        f->error = INFINITY;
        f->where = f->step;
        f->why = is_many ? lh_printf(c->arena,
                                     "%s has one value for each example, but %s has one for all",
                                     d->path, g->loss->step->path)
                         : lh_printf(c->arena, "%s is %s, and %s is %s", d->path,
                                     lh_shape_text(g, *is), x->path, lh_shape_text(g, *want));
        return;
    }
    two_ways t = {.b = b,
                  .x = x->node,
                  .a = d->node,
                  .path = d->path,
                  .other_plan = b->wide,
                  .other = true_one->node,
                  .f = f};
    const lh_finding fresh = *f;
    t.together = !is->is_batched && want->is_batched; /* the average of L's, or their total */
    compare_two(&t);
    if (!f->ok && t.together) {
        const lh_finding average = *f;
        *f = fresh;
        t.together = 2;
        compare_two(&t);
        if (!f->ok) *f = average;
    }
    if (!f->ok) f->why = lh_printf(c->arena, "the true one is %s", lh_step_formula(g, true_one));
}

/* ---- the whole ---- */

static void bench_close(lh_bench *b) {
    lh_exact.free(b->exact);
    lh_wide.free(b->wide);
}

static bool bench_open(lh_bench *b, lh_check *c, lh_graph *g) {
    *b = (lh_bench){.check = c, .g = g};
    b->exact = lh_exact.plan(g, &(lh_wish){.all = true});
    if (b->exact)
        lh_exact.start(b->exact), lh_exact.bind(b->exact, NULL, 0), lh_exact.run(b->exact);
    b->wide = run_wide(g, 0);
    return !lh_failed(g->ctx);
}

static void learn(lh_bench *b) {
    lh_exact.commit(b->exact);
    lh_exact.run(b->exact);
    lh_wide.commit(b->wide);
    lh_wide.run(b->wide);
    b->moment++;
}

/* The bench for hand-made gradients: consts that have one become params, so that they get a true one. */
static lh_graph *graph_by_hand(lh_context *ctx, const lh_program *p, const lh_build *how,
                               const lh_graph *plain, const char *loss, lh_arena *a) {
    lh_build with = *how;
    const char **train =
        lh_alloc_array(a, (size_t)(how->n_train + plain->n_steps) + 1, sizeof *train);
    if (!train) return NULL;
    int n = 0;
    for (; n < how->n_train; n++) train[n] = how->train[n];
    for (int i = 0; i < plain->n_steps; i++) {
        const lh_step *x = made_for(plain, plain->step[i]);
        if (x && x->node->given && x->node->given->kind == LH_CONST) train[n++] = x->path;
    }
    with.train = train;
    with.n_train = n;
    with.backward = loss;
    with.ignore_rules = true; /* no rule may pass a named step by */
    return lh_graph_build(ctx, p, &with);
}

/* Findings for one loss; how many gradients are wrong. */
static int try_loss(lh_check *c, lh_graph *g) {
    lh_bench b;
    int wrong = 0;
    if (bench_open(&b, c, g))
        for (int i = g->n_steps - 1; i >= 0; i--) {
            const lh_step *d = g->step[i], *x = made_for(g, d);
            if (!x || x == d->of || lh_failed(g->ctx)) continue;
            compare_by_hand(&b, d, x);
            wrong += !c->finding[c->n_findings - 1].ok;
        }
    bench_close(&b);
    return wrong;
}

static bool has_hand_made(const lh_graph *g) {
    for (int i = 0; i < g->n_steps; i++)
        if (made_for(g, g->step[i])) return true;
    return false;
}

/* Of which loss are they gradients? The one that most of them agree with. */
static void check_by_hand(lh_check *c, lh_context *ctx, const lh_program *p, const lh_build *how,
                          const lh_graph *plain) {
    const char *loss[3];
    int n = list_losses(plain, loss), least = -1, begin = c->n_findings;
    lh_finding *best = NULL;
    int n_best = 0;
    for (int i = 0; i < n && least != 0; i++) {
        lh_graph *g = graph_by_hand(ctx, p, how, plain, loss[i], c->arena);
        if (!g) {
            if (i + 1 < n || best) lh_context_clear(ctx);
            continue;
        }
        c->n_findings = begin;
        int wrong = try_loss(c, g);
        int count = c->n_findings - begin;
        if (least < 0 || wrong < least) {
            best = lh_alloc_array(c->arena, (size_t)count + 1, sizeof *best);
            if (best && count) memcpy(best, c->finding + begin, (size_t)count * sizeof *best);
            n_best = best ? count : 0;
            least = wrong;
            c->loss = lh_printf(c->arena, "%s", loss[i]);
        }
        lh_graph_free(g);
    }
    c->n_findings = begin;
    for (int i = 0; i < n_best; i++) *lh_check_found(c, LH_CHECK_BY_HAND, NULL, 0) = best[i];
}

static bool loss_is_finite(const lh_bench *b) {
    int n = b->g->loss->shape.is_batched ? lh_wide.examples(b->wide) : 1;
    for (int e = 0; e < n; e++)
        if (!isfinite(lh_exact.get(b->exact, b->g->loss, (lh_cell){e, 0, 0, 0}))) return false;
    return true;
}

static void check_moment(lh_bench *b, lh_graph *bodies) {
    bool has_nan = check_numbers(b);
    for (int i = 0; i < b->g->n_nodes; i++)
        if (is_softmax(b->g->node[i]) && lh_exact.has(b->exact, b->g->node[i]) && !has_nan)
            check_softmax(b, b->g->node[i]);
    if (has_nan || lh_failed(b->g->ctx)) return;
    lh_check_rounding(b);
    if (!b->g->loss || !loss_is_finite(b) || lh_failed(b->g->ctx)) return;
    lh_check_differences(b);
    if (!bodies || lh_failed(b->g->ctx)) return;
    lh_plan *other = run_wide(bodies, b->moment);
    if (other) check_rules(b, bodies, other);
    lh_wide.free(other);
}

static void check_graph(lh_check *c, lh_graph *g, lh_graph *bodies) {
    lh_bench b;
    if (bench_open(&b, c, g)) {
        check_moment(&b, bodies);
        bool is_well = c->n_findings && c->finding[0].ok;
        if (lh_loop_learns(g) && is_well && !lh_failed(g->ctx)) {
            learn(&b);
            c->learns = true;
            check_moment(&b, bodies);
        }
    }
    bench_close(&b);
}

lh_check *lh_check_program(lh_context *ctx, const lh_program *p, const lh_build *how) {
    static const lh_build nothing;
    if (!how) how = &nothing;
    lh_graph *g = lh_graph_build(ctx, p, how);
    lh_arena *arena = g ? lh_arena_new(ctx) : NULL;
    lh_check *c = arena ? lh_alloc(arena, sizeof *c) : NULL;
    if (c) {
        *c = (lh_check){.arena = arena};
        lh_build by_body = *how;
        by_body.ignore_rules = true;
        if (g->loss) c->loss = lh_printf(arena, "%s", g->loss->step->path);
        c->rules = rules_in_use(c, g);
        lh_graph *bodies = c->rules ? lh_graph_build(ctx, p, &by_body) : NULL;
        check_graph(c, g, bodies);
        if (!g->loss && !lh_failed(ctx) && has_hand_made(g)) check_by_hand(c, ctx, p, how, g);
        lh_graph_free(bodies);
    }
    lh_fail_in(ctx, p->file, p->source, p->length);
    lh_graph_free(g);
    if (!c || lh_failed(ctx)) {
        lh_check_free(c);
        return NULL;
    }
    c->ok = true;
    for (int i = 0; i < c->n_findings; i++) c->ok &= c->finding[i].ok;
    return c;
}

void lh_check_free(lh_check *c) {
    if (c) lh_arena_free(c->arena);
}
