#include "learn/variant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"
#include "eval/exact.h"
#include "learn/mark.h"
#include "learn/reach.h"

enum { STREAM = 0x5EED };

/* ---- drawing ---- */

typedef struct drawer {
    lh_random_place at;
    lh_arena *a; /* for the numbers as text; NULL: they are not printed */
} drawer;

static int draw_int(drawer *d, int low, int high) {
    d->at.col++;
    return low + (int)(lh_random_uniform(d->at) * (high - low + 1));
}

/* What a given matrix is for is seen from its own numbers: ones scale, zeros shift, the rest are weights. */
typedef enum flavour { WEIGHTS, SCALE, SHIFT } flavour;

static flavour flavour_of(const lh_expr *e) {
    bool ones = true, zeros = true;
    for (int i = 0; i < e->rows * e->cols; i++) ones &= e->cell[i] == 1, zeros &= e->cell[i] == 0;
    return ones ? SCALE : zeros ? SHIFT : WEIGHTS;
}

static double draw_cell(drawer *d, flavour f) {
    int k;
    do k = f == SCALE ? draw_int(d, 5, 15) : f == SHIFT ? draw_int(d, -4, 4) : draw_int(d, -9, 9);
    while (k == 0 || (f == SCALE && k == 10));
    return k / 10.0;
}

static void draw_matrix(drawer *d, const lh_expr *lesson, lh_expr *e) {
    char text[32];
    flavour f = flavour_of(lesson);
    for (int i = 0; i < e->rows * e->cols; i++) {
        e->cell[i] = draw_cell(d, f);
        if (d->a)
            e->celltext[i] =
                lh_printf(d->a, "%s", lh_number_text(text, sizeof text, e->cell[i], 3));
    }
}

/* Every matrix of numbers behind const and param, in repeats too. One number alone (a rate) stays. */
static void draw_statements(drawer *d, lh_statement *const *lesson, lh_statement *const *s, int n) {
    for (int i = 0; i < n; i++) {
        if (s[i]->kind == LH_S_REPEAT)
            draw_statements(d, lesson[i]->body, s[i]->body, s[i]->n_body);
        if (s[i]->kind != LH_S_CONST && s[i]->kind != LH_S_PARAM) continue;
        if (s[i]->expr && s[i]->expr->kind == LH_E_MATRIX &&
            s[i]->expr->rows * s[i]->expr->cols > 1)
            draw_matrix(d, lesson[i]->expr, s[i]->expr);
    }
}

/* Into a copy of the lesson, or into the lesson itself. */
static void draw_program(drawer d, const lh_program *lesson, lh_program *p) {
    draw_statements(&d, lesson->statement, p->statement, p->n_statements);
}

static drawer drawer_of(unsigned long long seed, int attempt, lh_arena *a) {
    return (drawer){.at = {.seed = seed, .place = STREAM, .step = (uint32_t)attempt}, .a = a};
}

/* The text lives in an arena of its own: a lesson is copied so often that it must not grow by it. */
static lh_program *again(lh_context *ctx, const lh_program *p) {
    lh_arena *a = lh_arena_new(ctx);
    lh_program one = *p;
    one.arena = a;
    const char *text = a ? lh_program_print(&one) : "";
    lh_program *copy = lh_failed(ctx) ? NULL : lh_program_parse(ctx, p->file, text, strlen(text));
    lh_arena_free(a);
    return copy;
}

/* ---- is it kind? ---- */

static bool is_call_of(const lh_node *n, const char *fn) {
    return n->kind == LH_OP_call && strcmp(n->call->fn->name, fn) == 0;
}

typedef struct span {
    double least, most;
    bool has_tie, all_positive, all_cut;
} span;

/* Ties, where they are asked for: every number of a row with every other. */
static span span_of(const lh_plan *p, const lh_node *n, bool ties) {
    span s = {INFINITY, 0, false, true, true};
    int examples = n->shape.is_batched ? lh_exact.examples(p) : 1;
    for (int e = 0; e < examples; e++) {
        lh_sizes z = lh_exact.sizes(p, n, e);
        for (int h = 0; h < z.heads; h++)
            for (int r = 0; r < z.rows; r++)
                for (int c = 0; c < z.cols; c++) {
                    double x = lh_exact.get(p, n, (lh_cell){e, h, r, c});
                    if (!(fabs(x) >= s.least)) s.least = fabs(x);
                    if (!(fabs(x) <= s.most)) s.most = fabs(x);
                    s.all_positive &= x > 0;
                    s.all_cut &= x <= 0;
                    for (int k = 0; ties && k < c && !s.has_tie; k++)
                        s.has_tie |= fabs(x - lh_exact.get(p, n, (lh_cell){e, h, r, k})) <
                                     1e-3 * (fabs(x) + 1e-6);
                }
    }
    return s;
}

/* The smallest variance of a norm's rows: what is nearly equal is divided by what a pen rounds away. */
static double spread_least(const lh_graph *g, const lh_plan *p, const lh_step *s) {
    char path[256];
    snprintf(path, sizeof path, "%s.v", s->path);
    const lh_step *v = lh_graph_step(g, path);
    return v && lh_exact.has(p, v->node) ? span_of(p, v->node, false).least : 1;
}

/* Softmaxes neither saturated nor tied, norms of rows that differ, ReLU cuts some and not all, numbers neither huge nor lost,
 * no step all zero. 0: kind; a norm of what is nearly equal is worse than most: no pen can do it. */
static int unkindness_of(const lh_graph *g, const lh_plan *p, const lh_step *s) {
    const lh_node *n = s->node;
    bool is_softmax = is_call_of(n, "softmax");
    span z = span_of(p, n, is_softmax);
    if (is_call_of(n, "layernorm") && spread_least(g, p, s) < 0.02) return 1000;
    if (is_softmax && (z.least < 0.03 || z.most > 0.93 || z.has_tie)) return 1;
    if (is_call_of(n, "relu")) {
        span in = span_of(p, n->in[0], false);
        if (in.all_positive || in.all_cut) return 1;
    }
    if (z.most < 1e-4 && !lh_step_is_inner(s) && n->kind != LH_OP_number) return 1;
    return !(z.most <= 100);
}

/* Of two numbers that are nearly equal, who rounds takes the one or the other: no pen can tell. */
static bool chooses_of_equals(const lh_plan *p, const lh_node *n) {
    const bool chooses = n->kind == LH_OP_topk || n->kind == LH_OP_argmax;
    return chooses && lh_exact.has(p, n->in[0]) && span_of(p, n->in[0], true).has_tie;
}

static int unkindness(const lh_graph *g, const lh_plan *p) {
    int count = 0;
    for (int i = 0; i < g->n_nodes; i++) count += 1000 * chooses_of_equals(p, g->node[i]);
    for (int i = 0; i < g->n_steps; i++) {
        const lh_step *s = g->step[i];
        const lh_node *n = s->node;
        if (!s->is_dead && n->kind != LH_OP_given && n->kind != LH_OP_input && !n->is_discrete)
            count += unkindness_of(g, p, s);
    }
    return count;
}

/* ---- does every mistake show? ---- */

enum { LOOKED_AT = 120, JUDGED = 20, ENOUGH = 6, UNKIND = 4, NONE = 1 << 20 };
#define WORK 1e9 /* see size_of: some seconds */

/* A draw that is tried with every mistake: the right numbers in it, and for each mistake whether it shows. */
typedef struct trial {
    int number, unkind;
    lh_plan *plan;
    bool *shows;
} trial;

/* One way to make a mistake. The program that it makes is built, run for every draw, and let go again: a large lesson has
 * hundreds of ways, and each program takes as much memory as the lesson itself. */
typedef struct wrong {
    lh_candidate how;
    bool can_be; /* such a program can be built and run */
} wrong;

typedef struct study {
    lh_context *own; /* of the wrong programs: one that cannot be built is no error */
    lh_arena *a;
    lh_graph *g;
    lh_plan *plan;
    wrong *wrong;
    int n, digits;
    int looks, most_tries, n_untried; /* see set_bounds */
    lh_program *lesson, *draw;        /* it twice: as it is, and with the numbers of one draw */
    lh_graph *drawn;                  /* it reads them where they stand in `draw` */
    trial tried[JUDGED];
    int n_tries;
} study;

static void study_free(study *t) {
    for (int i = 0; i < t->n_tries; i++) lh_exact.free(t->tried[i].plan);
    lh_exact.free(t->plan);
    lh_graph_free(t->drawn);
    lh_program_free(t->draw);
    lh_program_free(t->lesson);
    lh_graph_free(t->g);
    lh_arena_free(t->a);
    lh_context_free(t->own);
}

static void start(lh_plan *p) {
    if (lh_exact.examples(p) == 0) lh_exact.start(p), lh_exact.bind(p, NULL, 0);
}

/* What one run takes: a unit for each cell, and of a product for each pair that is multiplied. */
static double size_of(const study *t) {
    double work = 0;
    for (int i = 0; i < t->g->n_nodes; i++) {
        const lh_node *n = t->g->node[i];
        if (!lh_exact.has(t->plan, n)) continue;
        double pairs = n->kind == LH_OP_matmul ? lh_exact.sizes(t->plan, n->in[0], 0).cols : 1;
        work += lh_count_cells(t->plan, n) * pairs;
    }
    return work;
}

/* Of a large program fewer draws are looked at, and not every mistake is tried in them. The bound counts work, not seconds:
 * a seed has the same numbers on every machine. */
static void set_bounds(study *t) {
    start(t->plan);
    double runs = WORK / (size_of(t) + 1), ways = t->n;
    t->looks = runs / 4 < LOOKED_AT ? (int)(runs / 4) + 2 : LOOKED_AT;
    t->most_tries = runs / (ways + 1) < JUDGED ? (int)(runs / (ways + 1)) + 1 : JUDGED;
    int most = runs < ways ? (int)runs + 1 : t->n;
    t->n_untried = t->n - most;
    for (int i = 0; t->wrong && i < most; i++) /* spread over all of them */
        t->wrong[i] = t->wrong[(size_t)i * (size_t)t->n / (size_t)most];
    t->n = most;
}

static bool study_new(study *t, lh_context *ctx, const lh_program *p, const lh_variant_how *how) {
    *t = (study){
        .own = lh_context_new(), .a = lh_arena_new(ctx), .digits = how->digits ? how->digits : 4};
    t->g = t->a && t->own ? lh_graph_build(ctx, p, NULL) : NULL;
    t->plan = t->g ? lh_exact.plan(t->g, &(lh_wish){.all = true}) : NULL;
    if (!t->plan) return false;
    int n = 0;
    lh_candidate *c = how->mistakes ? lh_candidates(t->g, how->mistakes, t->a, &n) : NULL;
    t->wrong = lh_alloc_array(t->a, (size_t)n + 1, sizeof *t->wrong);
    for (int i = 0; t->wrong && i < n && !lh_failed(ctx); i++)
        if (!c[i].mistake->is_same && !c[i].step->node->is_discrete)
            t->wrong[t->n++] = (wrong){.how = c[i]};
    if (!lh_failed(ctx)) set_bounds(t);
    return !lh_failed(ctx);
}

static bool is_drawn(const lh_graph *g, const lh_plan *p, int given) {
    const lh_node *first = given < g->n_givens ? g->given[given]->expr : NULL;
    return first && first->kind == LH_OP_matrix && lh_exact.has(p, g->given[given]->node);
}

/* The numbers of a draw, put into a plan's givens. */
static void give(const lh_graph *g, lh_plan *p, const lh_graph *from) {
    start(p);
    for (int i = 0; i < g->n_givens && i < from->n_givens; i++) {
        const lh_node *n = g->given[i]->node, *first = from->given[i]->expr;
        if (!is_drawn(g, p, i) || !first || first->kind != LH_OP_matrix) continue;
        lh_sizes s = lh_exact.sizes(p, n, 0);
        for (int r = 0; r < s.rows; r++)
            for (int c = 0; c < s.cols; c++)
                lh_exact.set(p, n, (lh_cell){0, 0, r, c}, first->cells[r * s.cols + c]);
    }
    lh_exact.run(p);
}

/* The same numbers as another plan has. */
static void give_same(const lh_graph *g, lh_plan *p, const lh_graph *from, const lh_plan *right) {
    start(p);
    for (int i = 0; i < g->n_givens && i < from->n_givens; i++) {
        const lh_node *n = g->given[i]->node, *same = from->given[i]->node;
        if (!is_drawn(g, p, i) || !is_drawn(from, right, i)) continue;
        lh_sizes s = lh_exact.sizes(p, n, 0);
        for (int r = 0; r < s.rows; r++)
            for (int c = 0; c < s.cols; c++) {
                lh_cell at = {0, 0, r, c};
                lh_exact.set(p, n, at, lh_exact.get(right, same, at));
            }
    }
    lh_exact.run(p);
}

/* By more than rounding can: several units of the last digit asked for, in some cell of the step. */
static bool shows(const study *t, const lh_plan *plan, const lh_node *right, const lh_plan *other,
                  const lh_node *changed) {
    double unit = pow(10, -lh_decimals_for(plan, right, t->digits));
    int examples = right->shape.is_batched ? lh_exact.examples(plan) : 1;
    if (lh_failed(t->own)) return false;
    for (int e = 0; e < examples; e++) {
        lh_sizes s = lh_exact.sizes(plan, right, e), z = lh_exact.sizes(other, changed, e);
        if (s.rows != z.rows || s.cols != z.cols || s.heads != z.heads) return false;
        for (int h = 0; h < s.heads; h++)
            for (int r = 0; r < s.rows; r++)
                for (int c = 0; c < s.cols; c++) {
                    lh_cell at = {e, h, r, c};
                    double d = lh_exact.get(other, changed, at) - lh_exact.get(plan, right, at);
                    if (!(fabs(d) < 6 * unit)) return isfinite(d);
                }
    }
    return false;
}

/* One mistake, made in every draw. */
static void make_wrong(study *t, int i) {
    wrong *w = &t->wrong[i];
    lh_build how = {.rewrite = w->how.rewrite, .n_rewrites = w->how.n_rewrites};
    lh_context_clear(t->own);
    lh_graph *g = lh_graph_build(t->own, t->g->program, &how);
    lh_step *s = g ? lh_graph_step(g, w->how.step->path) : NULL;
    lh_node *wanted[] = {s ? s->node : NULL};
    lh_plan *p = s ? lh_exact.plan(g, &(lh_wish){.node = wanted, .n_nodes = 1}) : NULL;
    w->can_be = p != NULL;
    for (int k = 0; p && k < t->n_tries; k++) {
        lh_context_clear(t->own);
        give_same(g, p, t->g, t->tried[k].plan);
        t->tried[k].shows[i] = shows(t, t->tried[k].plan, w->how.step->node, p, wanted[0]);
    }
    lh_exact.free(p);
    lh_graph_free(g);
}

static bool add_try(study *t, int number, int unkind) {
    trial *x = &t->tried[t->n_tries];
    *x = (trial){.number = number,
                 .unkind = unkind,
                 .plan = lh_exact.plan(t->g, &(lh_wish){.all = true}),
                 .shows = lh_alloc_array(t->a, (size_t)t->n + 1, sizeof *x->shows)};
    if (!x->plan || !x->shows) return false;
    t->n_tries++;
    return true;
}

/* A draw, into a plan. */
static void give_draw(study *t, unsigned long long seed, int i, lh_plan *p) {
    draw_program(drawer_of(seed, i, NULL), t->lesson, t->draw);
    give(t->g, p, t->drawn);
}

/* Many draws are looked at for kindness, which is quick; the kindest are tried. */
static void choose_tries(study *t, lh_context *ctx, const lh_program *lesson,
                         unsigned long long seed) {
    int unkind[LOOKED_AT] = {0};
    t->lesson = again(ctx, lesson);
    t->draw = again(ctx, lesson);
    t->drawn = t->draw ? lh_graph_build(ctx, t->draw, NULL) : NULL;
    if (!t->lesson || !t->drawn) return;
    for (int i = 0; i < t->looks && !lh_failed(ctx); i++) {
        give_draw(t, seed, i, t->plan);
        unkind[i] = !lh_exact.trouble(t->plan).node ? unkindness(t->g, t->plan) : NONE;
    }
    while (t->n_tries < t->most_tries && !lh_failed(ctx)) {
        int next = 0;
        for (int i = 1; i < t->looks; i++)
            if (unkind[i] < unkind[next]) next = i;
        if (unkind[next] == NONE) break;
        if (add_try(t, next, unkind[next])) give_draw(t, seed, next, t->tried[t->n_tries - 1].plan);
        unkind[next] = NONE;
    }
}

/* Of the draws that were tried the one that hides the fewest mistakes, or -1. What no draw shows is no mistake in this lesson;
 * some unkindness no draw can avoid: A A looks at both alike. */
static int best_try(study *t) {
    bool *can_show = lh_alloc_array(t->a, (size_t)t->n + 1, sizeof *can_show);
    int best = -1, least = NONE;
    for (int k = 0; can_show && k < t->n_tries; k++) {
        const trial *x = &t->tried[k];
        int hidden = 0, never = 0;
        for (int i = 0; i < t->n; i++) {
            can_show[i] |= x->shows[i];
            hidden += t->wrong[i].can_be && !x->shows[i];
            never += t->wrong[i].can_be && !can_show[i];
        }
        int cost = hidden + UNKIND * x->unkind;
        if (cost < least) least = cost, best = x->number;
        if (k + 1 >= ENOUGH && hidden <= never) break;
    }
    return best;
}

lh_program *lh_variant_program(lh_context *ctx, const lh_program *lesson,
                               const lh_variant_how *how) {
    study t;
    int best = -1;
    if (how->seed == 0) return again(ctx, lesson);
    if (study_new(&t, ctx, lesson, how)) {
        choose_tries(&t, ctx, lesson, how->seed);
        for (int i = 0; i < t.n && !lh_failed(ctx); i++) make_wrong(&t, i);
        best = best_try(&t);
        if (how->n_untried) *how->n_untried = t.n_untried;
    }
    study_free(&t);
    if (best < 0 && !lh_failed(ctx))
        lh_fail(ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
                "no suitable numbers were found for seed %llu", how->seed),
            lh_cure(ctx, "try another seed");
    lh_program *p = lh_failed(ctx) ? NULL : again(ctx, lesson);
    if (p) draw_program(drawer_of(how->seed, best, p->arena), p, p);
    return p;
}

lh_shown *lh_variant_shown(lh_context *ctx, const lh_program *p, const lh_variant_how *how,
                           lh_arena *a, int *n) {
    study t;
    lh_shown *list = NULL;
    *n = 0;
    if (study_new(&t, ctx, p, how) && add_try(&t, 0, 0)) {
        if (how->n_untried) *how->n_untried = t.n_untried;
        give(t.g, t.tried[0].plan, t.g);
        for (int i = 0; i < t.n && !lh_failed(ctx); i++) {
            const wrong *w = &t.wrong[i];
            make_wrong(&t, i);
            if (!w->can_be) continue;
            *lh_push(a, list, *n) = (lh_shown){
                w->how.mistake, lh_printf(a, "%s", w->how.step->path),
                lh_printf(a, "%s", w->how.line->path), w->how.chosen, t.tried[0].shows[i]};
        }
    }
    study_free(&t);
    return list;
}
