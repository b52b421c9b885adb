/* engine -- what the tests of the engine share: a program as text, run in double and in the wide
 * type, and its gradients against differences.
 *
 *     engine e;
 *     if (!engine_open(&e, text, NULL) || !engine_run(&e, 0) || !engine_check(&e, 0, 1e-9)) fail ... e.problem
 *     engine_close(&e);
 *
 * Differences are taken in the wide type: W + h and W - h are exact there, since h is a power of
 * two, so that W is again what it was after both.
 */
#ifndef LH_TESTS_ENGINE_H
#define LH_TESTS_ENGINE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/exact.h"
#include "explain/explain.h"

typedef struct engine {
    lh_context *ctx;
    lh_program *program;
    lh_graph *graph;
    lh_plan *exact, *wide, *up, *down; /* up, down: the loss alone, beside the point */
    double loosest;                    /* the largest error seen, as a part of its scale */
    char problem[2048];
} engine;

/* Faults are looked for often and in a hurry: fewer sizes, fewer programs. */
static inline bool engine_quick(void) {
    return getenv("LH_QUICK") != NULL;
}

static inline double engine_h(void) {
    return lh_wide.epsilon < 1e-30 ? 0x1p-37 : 0x1p-21;
}

/* How far a gradient may be from its difference, as a part of its scale. */
static inline double engine_slack(void) {
    return lh_wide.epsilon < 1e-30 ? 1e-12 : 1e-7;
}

static inline bool engine_failed(engine *e) {
    const lh_error *x = lh_context_error(e->ctx);
    if (!lh_failed(e->ctx)) return false;
    snprintf(e->problem, sizeof e->problem, "%s:%d:%d: %s (%s)", x->file, x->at.line, x->at.col,
             x->what, x->cure);
    return true;
}

static inline bool engine_open(engine *e, const char *text, const lh_build *how) {
    *e = (engine){.ctx = lh_context_new()};
    e->program = lh_program_parse(e->ctx, "test.lh", text, strlen(text));
    e->graph = lh_graph_build(e->ctx, e->program, how);
    return !engine_failed(e);
}

static inline void engine_close(engine *e) {
    lh_exact.free(e->exact);
    lh_wide.free(e->wide);
    lh_wide.free(e->up);
    lh_wide.free(e->down);
    lh_graph_free(e->graph);
    lh_program_free(e->program);
    lh_context_free(e->ctx);
}

/* Every step in both types; `commits` steps of training first. */
static inline bool engine_run(engine *e, int commits) {
    lh_node *loss[] = {e->graph->loss};
    lh_wish all = {.all = true}, one = {.node = loss, .n_nodes = 1, .updates = commits > 0};
    e->exact = lh_exact.plan(e->graph, &all);
    e->wide = lh_wide.plan(e->graph, &all);
    if (e->graph->loss) e->up = lh_wide.plan(e->graph, &one);
    if (e->graph->loss) e->down = lh_wide.plan(e->graph, &one);
    if (engine_failed(e)) return false;
    const lh_evaluator *with[] = {&lh_exact, &lh_wide, &lh_wide, &lh_wide};
    lh_plan *plan[] = {e->exact, e->wide, e->up, e->down};
    for (int i = 0; i < 4; i++) {
        if (!plan[i]) continue;
        with[i]->start(plan[i]);
        with[i]->bind(plan[i], NULL, 0);
        for (int k = 0; k < commits; k++) with[i]->run(plan[i]), with[i]->commit(plan[i]);
        with[i]->run(plan[i]);
    }
    return !engine_failed(e);
}

static inline int engine_examples(const lh_evaluator *with, const lh_plan *p, const lh_node *n) {
    return n->shape.is_batched ? with->examples(p) : 1;
}

/* for every cell of n: `at` runs through them. */
#define ENGINE_EACH_CELL(with, plan, n, at)                                                        \
    for (lh_cell at = {0, 0, 0, 0}; at.example < engine_examples(with, plan, n); at.example++)     \
        for (at.head = 0; at.head < (with)->sizes(plan, n, at.example).heads; at.head++)           \
            for (at.row = 0; at.row < (with)->sizes(plan, n, at.example).rows; at.row++)           \
                for (at.col = 0; at.col < (with)->sizes(plan, n, at.example).cols; at.col++)

/* Equal to a part of the scale; two nans and two infinities of the same sign are equal. */
static inline bool engine_close_to(double a, double b, double scale, double slack) {
    if (a == b || (isnan(a) && isnan(b))) return true;
    return fabs(a - b) <= slack * (fabs(a) > scale ? fabs(a) : scale);
}

static inline double engine_largest(const lh_plan *p, const lh_node *n) {
    double most = 0;
    ENGINE_EACH_CELL(&lh_exact, p, n, at) {
        double x = fabs(lh_exact.get(p, n, at));
        if (isfinite(x) && x > most) most = x;
    }
    return most;
}

/* Every number of every step is the same in double and in the wide type, but for rounding. */
static inline bool engine_double_agrees(engine *e, double slack) {
    for (int i = 0; i < e->graph->n_steps; i++) {
        const lh_step *s = e->graph->step[i];
        if (!lh_exact.has(e->exact, s->node)) continue;
        double scale = engine_largest(e->exact, s->node);
        ENGINE_EACH_CELL(&lh_exact, e->exact, s->node, at) {
            double a = lh_exact.get(e->exact, s->node, at), b = lh_wide.get(e->wide, s->node, at);
            if (engine_close_to(a, b, scale + 1, slack)) continue;
            snprintf(e->problem, sizeof e->problem,
                     "%s{example %d, head %d}[%d][%d] is %.17g in double, %.17g in the wide type",
                     s->path, at.example, at.head, at.row, at.col, a, b);
            return false;
        }
    }
    return true;
}

/* What a run gives does not depend on what ran before it. */
static inline bool engine_repeats(engine *e, const lh_evaluator *with, lh_plan *p) {
    static double before[1 << 16];
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        size_t k = 0;
        for (int i = 0; i < e->graph->n_steps; i++) {
            const lh_step *s = e->graph->step[i];
            if (!with->has(p, s->node)) continue;
            ENGINE_EACH_CELL(with, p, s->node, at) {
                double x = with->get(p, s->node, at);
                if (k >= sizeof before / sizeof *before) continue;
                if (pass == 0) before[n++] = x;
                bool same = before[k] == x || (isnan(before[k]) && isnan(x));
                if (pass && (!same || signbit(before[k]) != signbit(x))) {
                    snprintf(e->problem, sizeof e->problem, "%s is %.17g, and run again %.17g",
                             s->path, before[k], x);
                    return false;
                }
                k++;
            }
        }
        if (pass == 0) with->run(p);
    }
    return !engine_failed(e);
}

static inline bool engine_cell_agrees(engine *e, const lh_given *w, lh_cell at) {
    const lh_node *loss = e->graph->loss;
    double h = engine_h();
    lh_wide.add(e->up, w->node, at, h);
    lh_wide.add(e->down, w->node, at, -h);
    lh_wide.run(e->up);
    lh_wide.run(e->down);
    bool good = true;
    for (int x = 0; x < engine_examples(&lh_wide, e->wide, loss) && good; x++) {
        lh_cell one = {x, 0, 0, 0};
        double slope = lh_wide.difference(e->up, loss, one, e->down) / (2 * h);
        double g = w->gradient
                       ? lh_wide.get(e->wide, w->gradient->node, (lh_cell){x, 0, at.row, at.col})
                       : 0;
        double scale = fabs(lh_wide.get(e->wide, loss, one)) + 1, off = fabs(g - slope);
        if (w->gradient && w->gradient->node->shape.is_batched != loss->shape.is_batched)
            off = INFINITY;
        scale = scale > fabs(slope) ? scale : fabs(slope);
        if (isfinite(off) && off / scale > e->loosest) e->loosest = off / scale;
        good = off <= engine_slack() * scale;
        if (!good)
            snprintf(e->problem, sizeof e->problem,
                     "d %s / d %s[%d][%d] of example %d is %.15g, and by differences %.15g",
                     loss->step->path, w->node->step->path, at.row, at.col, x, g, slope);
    }
    lh_wide.add(e->up, w->node, at, -h);
    lh_wide.add(e->down, w->node, at, h);
    return good && !engine_failed(e);
}

/* The gradient of every param, at most `most` cells of each (0: all), against differences. */
static inline bool engine_gradients_agree(engine *e, int most) {
    for (int i = 0; i < e->graph->n_givens; i++) {
        const lh_given *w = e->graph->given[i];
        if (w->kind != LH_PARAM || !lh_wide.has(e->up, w->node)) continue;
        lh_sizes s = lh_wide.sizes(e->up, w->node, 0);
        int cells = s.rows * s.cols, step = most && cells > most ? cells / most : 1;
        for (int k = most ? i % step : 0; k < cells; k += step)
            if (!engine_cell_agrees(e, w, (lh_cell){0, 0, k / s.cols, k % s.cols})) return false;
    }
    return true;
}

/* Is the same number everywhere: two values of two plans, perhaps of two graphs. */
static inline bool engine_same(const lh_evaluator *with, const lh_plan *p, const lh_node *a,
                               const lh_plan *q, const lh_node *b, double slack) {
    if (engine_examples(with, p, a) != engine_examples(with, q, b) &&
        a->shape.is_batched == b->shape.is_batched)
        return false;
    const lh_node *n = a->shape.is_batched ? a : b;
    const lh_plan *of = a->shape.is_batched ? p : q;
    ENGINE_EACH_CELL(with, of, n, at) {
        lh_sizes s = with->sizes(p, a, at.example), t = with->sizes(q, b, at.example);
        if (memcmp(&s, &t, sizeof s) != 0) return false;
        if (!engine_close_to(with->get(p, a, at), with->get(q, b, at), 1, slack)) return false;
    }
    return true;
}

/* The numbers of an explanation's last line, worked out again, are its value. Lines that are words
 * and no arithmetic (max of many, "given") are left out. */
static inline bool engine_explains(engine *e, const lh_step *s) {
    lh_explain_how how = {.digits = 17, .all_terms = true, .plan = e->exact};
    lh_explanation *x = lh_explain(e->graph, s->path, &how);
    if (!x) return !engine_failed(e);
    bool good = x->n_lines > 0;
    if (!good) snprintf(e->problem, sizeof e->problem, "%s is explained by nothing", s->path);
    for (int i = 0; i < x->n_lines && good; i++) {
        const lh_line *line = &x->line[i];
        lh_arena *arena = lh_arena_new(e->ctx);
        lh_expr *parsed = lh_expr_parse(e->ctx, arena, line->numbers, strlen(line->numbers));
        lh_context_clear(e->ctx);
        lh_arena_free(arena);
        if (!parsed) continue;
        char text[8192];
        if (snprintf(text, sizeof text, "x = %s\n", line->numbers) >= (int)sizeof text) continue;
        engine again;
        if (engine_open(&again, text, NULL) && engine_run(&again, 0)) {
            const lh_node *n = again.graph->step[again.graph->n_steps - 1]->node;
            double value = lh_exact.get(again.exact, n, (lh_cell){0, 0, 0, 0});
            good = engine_close_to(value, line->value, 1, 1e-9);
            if (!good)
                snprintf(e->problem, sizeof e->problem, "%s: %.300s = %.300s is %.17g, not %.17g",
                         s->path, line->formula, line->numbers, value, line->value);
        }
        engine_close(&again);
    }
    lh_explanation_free(x);
    return good;
}

/* Everything that holds for every program: run first. */
static inline bool engine_check(engine *e, int most, double slack) {
    return engine_double_agrees(e, slack) && engine_repeats(e, &lh_exact, e->exact) &&
           engine_repeats(e, &lh_wide, e->wide) &&
           (!e->graph->loss ||
            (engine_gradients_agree(e, most) && engine_repeats(e, &lh_wide, e->wide)));
}

#endif
