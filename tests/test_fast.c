/* The fast evaluator against the exact one: every program of the repository, every kernel, 1 and 2 threads. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "eval/exact.h"
#include "eval/fast/bf16.h"
#include "eval/fast/wish.h"
#include "eval/fast/grow.h"
#include "eval/fast/profile.h"
#include "eval/fast/row.h"
#include "eval/fast/vector.h"
#include "eval/kernel.h"
#include "kernel_trials.h"
#include "learn/lesson.h"

typedef struct pair {
    lh_context *ctx;
    lh_program *program;
    lh_graph *g;
    lh_plan *exact, *fast;
} pair;

static void stop_if_failed(const pair *p, const char *name) {
    const lh_error *e = lh_context_error(p->ctx);
    if (lh_failed(p->ctx))
        fail_msg("%s:%d:%d: %s (%s)", name, e->at.line, e->at.col, e->what, e->cure);
}

static void open_pair(pair *p, const char *name, const char *text, size_t length,
                      const lh_setting *set, int n_set) {
    *p = (pair){.ctx = lh_context_new()};
    p->program = lh_lesson_parse(p->ctx, name, text, length);
    stop_if_failed(p, name);
    p->g = lh_graph_build(p->ctx, p->program, &(lh_build){.set = set, .n_set = n_set});
    stop_if_failed(p, name);
}

static void close_pair(pair *p) {
    lh_exact.free(p->exact);
    lh_fast.free(p->fast);
    lh_graph_free(p->g);
    lh_program_free(p->program);
    lh_context_free(p->ctx);
}

/* ---- the first question of each thread ---- */

enum { ASKING = 4 };

typedef struct asked {
    atomic_int here; /* threads that are ready: all of them ask at once */
    const void *vector[ASKING], *row[ASKING], *half[ASKING];
} asked;

static void ask(void *what, int piece, int thread) {
    (void)thread;
    asked *a = what;
    atomic_fetch_add(&a->here, 1);
    for (int i = 0; i < 100000 && atomic_load(&a->here) < ASKING; i++) sched_yield();
    a->vector[piece] = lh_vector(), a->row[piece] = lh_row_way(), a->half[piece] = lh_bf16();
}

/* Nobody has asked before: this is the first test. Under ThreadSanitizer it says whether they race. */
static void threads_find_the_same_processor(void **state) {
    (void)state;
    asked a = {0};
    lh_pool *pool = lh_pool_new(ASKING);
    lh_pool_run(pool, ASKING, ask, &a);
    lh_pool_free(pool);
    for (int i = 1; i < ASKING; i++) {
        assert_ptr_equal(a.vector[i], a.vector[0]);
        assert_ptr_equal(a.row[i], a.row[0]);
        assert_ptr_equal(a.half[i], a.half[0]);
    }
}

/* |a - b| / |a| over all cells and examples; numbers that are all below 0.01 count as that. */
static double apart(const pair *p, const lh_node *a, const lh_node *b) {
    double d2 = 0, a2 = 0, b2 = 0;
    const int examples = a->shape.is_batched ? lh_exact.examples(p->exact) : 1;
    for (int e = 0; e < examples; e++) {
        lh_sizes s = lh_exact.sizes(p->exact, a, e);
        for (int h = 0; h < s.heads; h++)
            for (int r = 0; r < s.rows; r++)
                for (int c = 0; c < s.cols; c++) {
                    double x = lh_exact.get(p->exact, a, (lh_cell){e, h, r, c});
                    double y = lh_fast.get(p->fast, b, (lh_cell){e, h, r, c});
                    if (x == y || (x != x && y != y)) x = y = isfinite(x) ? x : 0;
                    d2 += (x - y) * (x - y), a2 += x * x, b2 += y * y;
                }
    }
    return d2 == 0 ? 0 : sqrt(d2) / (sqrt(a2) > 1e-2 ? sqrt(a2) : 1e-2);
}

/* Steps that both graphs have. */
static const lh_node *twin(const pair *p, const lh_step *s) {
    const lh_step *t = lh_graph_step(p->g, s->path);
    return t && !t->is_dead ? t->node : NULL;
}

static double compare_steps(const pair *p, const char *name, double slack, bool shown) {
    double worst = 0;
    for (int i = 0; i < p->g->n_steps; i++) {
        const lh_step *s = p->g->step[i];
        const lh_node *a = twin(p, s);
        if (!a || s->is_dead || !lh_fast.has(p->fast, s->node) || !lh_exact.has(p->exact, a))
            continue;
        double d = apart(p, a, s->node);
        if (!(d <= slack) && shown) fail_msg("%s: %s is off by %g", name, s->path, d);
        if (d > worst) worst = d;
    }
    return worst;
}

static bool is_asked(const lh_step *s) {
    return !s->is_dead && (s->kind == LH_STEP_FORWARD || s->kind == LH_STEP_GRADIENT);
}

/* All named steps at once: nothing is joined away, but every call runs by its kernel. */
static void compare_all(pair *p, const char *name, int threads, double slack) {
    lh_node **node = calloc((size_t)p->g->n_steps + 1, sizeof *node);
    int n = 0;
    for (int i = 0; i < p->g->n_steps; i++)
        if (is_asked(p->g->step[i])) node[n++] = p->g->step[i]->node;
    p->exact = lh_exact.plan(p->g, &(lh_wish){.all = true});
    p->fast = lh_fast.plan(
        p->g, &(lh_wish){.node = node, .n_nodes = n, .own = &(lh_fast_wish){.threads = threads}});
    lh_exact.run(p->exact);
    lh_fast.run(p->fast);
    stop_if_failed(p, name);
    compare_steps(p, name, slack, true);
    lh_exact.free(p->exact), lh_fast.free(p->fast);
    p->exact = p->fast = NULL;
    free(node);
}

/* An optimiser that measures each step by the gradient itself makes much of a gradient that is 0 but for rounding. */
static bool is_measured(const lh_graph *g) {
    for (int i = 0; i < g->n_nodes; i++)
        if (g->node[i]->kind == LH_OP_call && (strstr(g->node[i]->call->fn->name, "adam") ||
                                               strstr(g->node[i]->call->fn->name, "rms")))
            return true;
    return false;
}

/* Three updates, with nothing asked for but the params: memory is shared, steps are joined, := is done in place. */
static void compare_learning(pair *p, const char *name, int threads, double slack) {
    p->exact = lh_exact.plan(
        p->g, &(lh_wish){.updates = true, .node = &p->g->loss, .n_nodes = p->g->loss != NULL});
    lh_node *loss = p->g->loss;
    p->fast = lh_fast.plan(p->g, &(lh_wish){.updates = true,
                                            .node = &loss,
                                            .n_nodes = loss != NULL,
                                            .own = &(lh_fast_wish){.threads = threads}});
    for (int i = 0; i < 3; i++) {
        lh_exact.run(p->exact), lh_fast.run(p->fast);
        lh_exact.commit(p->exact), lh_fast.commit(p->fast);
    }
    stop_if_failed(p, name);
    lh_exact.run(p->exact), lh_fast.run(p->fast);
    if (loss) {
        double d = apart(p, p->g->loss, loss);
        if (!(d <= slack)) fail_msg("%s: the loss is off by %g after three updates", name, d);
    }
    for (int i = 0; i < p->g->n_givens && !is_measured(p->g); i++) {
        const lh_given *a = p->g->given[i], *b = p->g->given[i];
        if (!lh_exact.has(p->exact, a->node) || !lh_fast.has(p->fast, b->node)) continue;
        double d = apart(p, a->node, b->node);
        if (!(d <= slack))
            fail_msg("%s: %s is off by %g after three updates", name, b->node->step->path, d);
    }
    lh_exact.free(p->exact), lh_fast.free(p->fast);
    p->exact = p->fast = NULL;
}

/* The gradients of all params, with everything else joined that can be. */
static double compare_gradients(pair *p, const char *name, int threads, lh_precision precision,
                                double slack) {
    lh_node *node[64];
    int n = 0;
    node[n++] = p->g->loss; /* with it the projection is joined with the loss */
    for (int i = 0; i < p->g->n_givens; i++)
        if (p->g->given[i]->gradient && n < 64) node[n++] = p->g->given[i]->gradient->node;
    p->exact = lh_exact.plan(p->g, &(lh_wish){.all = true});
    p->fast = lh_fast.plan(
        p->g, &(lh_wish){.node = node, .n_nodes = n, .own = &(lh_fast_wish){threads, precision}});
    stop_if_failed(p, name);
    lh_exact.run(p->exact);
    for (int twice = 0; twice < 2; twice++) lh_fast.run(p->fast); /* memory that was used before */
    stop_if_failed(p, name);
    const double worst = compare_steps(p, name, slack, true);
    lh_exact.free(p->exact), lh_fast.free(p->fast);
    p->exact = p->fast = NULL;
    return worst;
}

/* Width-2 norms turn rounding into signs, and lessons take differences of close numbers: not for float. */
static bool is_for_float(const char *name) {
    const char *not_for[] = {"ex6.md", "ex6-causal.md", "ex6-three.md"};
    for (size_t i = 0; i < sizeof not_for / sizeof *not_for; i++)
        if (strstr(name, not_for[i])) return false;
    return strstr(name, "lessons/ex") || strstr(name, "models/");
}

static void every_program(void **state) {
    (void)state;
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *f = &lh_embedded_files[i];
        if (!is_for_float(f->name)) continue;
        for (int threads = 1; threads <= 2; threads++) {
            pair p;
            open_pair(&p, f->name, f->text, f->length, NULL, 0);
            compare_all(&p, f->name, threads, 1e-4);
            compare_learning(&p, f->name, threads, 1e-4);
            close_pair(&p);
        }
    }
}

/* ---- kernels: each of them, at odd sizes ---- */

static bool uses_kernel(const lh_plan *p, const char *name) {
    return lh_fast_uses(p, name) > 0;
}

static void try_kernel_behind(const char *beginning, const kernel_trial *t, int threads) {
    char text[8192];
    snprintf(text, sizeof text, "%s%s%s", beginning, t->text, kernel_tail);
    pair p;
    open_pair(&p, "trial", text, strlen(text), NULL, 0);
    lh_node *loss = p.g->loss;
    p.fast = lh_fast.plan(p.g, &(lh_wish){.updates = true, .node = &loss, .n_nodes = 1});
    stop_if_failed(&p, t->text);
    if (!uses_kernel(p.fast, t->kernel)) fail_msg("%s is not used in\n%s", t->kernel, t->text);
    lh_fast.free(p.fast);
    p.fast = NULL;
    compare_all(&p, text, threads, 1e-4);
    compare_gradients(&p, text, threads, LH_IN_FLOAT, 1e-4);
    compare_learning(&p, text, threads, 1e-4);
    close_pair(&p);
}

static void try_kernel(const kernel_trial *t, int threads) {
    try_kernel_behind(kernel_head, t, threads);
}

/* Queries are taken in blocks of 64: windows, sinks and caps where a block begins behind a window, inside of it and among the sinks. */
static const kernel_trial long_trials[] = {
    {"attention, back", "Y = attention(X, X * 0.5, X + 1, hide = later(X, X))\n"},
    {"attention, back", "Y = attention(X, X * 0.5, X + 1, hide = beyond(X, X, 5))\n"},
    {"attention, back", "Y = attention(X, X * 0.5, X + 1, hide = beyond(X, X, 70))\n"},
    {"attention, back", "Y = attention(X, X * 0.5, X + 1, hide = beyond(X, X, 64, 1))\n"},
    {"attention, back",
     "param W : 6 x 12 = normal(1)\nQ = split(X @ W, 4)\nK = split(X, 2)\nV = split(X * 2, 2)\n"
     "Y = join(attentionwith(Q, K, V, beyond(Q, K, 20, 3), 0.4, cap = 1.5))\n"},
    {"attention, back", "Y = attentionwith(X, X * 0.5, X + 1, beyond(X, X, 3, 66), cap = 2)\n"},
    {"attention, back", "Y = attentionwith(X, X * 0.5, X + 1, hide = beyond(X, X, 30, 2), bias = "
                        "(colindex(rows(X), rows(X)) - rowindex(rows(X), rows(X))) / 9)\n"},
    {"attention, back", "gone = (tokens == \"t7\")^T\nY = attention(X, X * 0.5, X + 1, hide = "
                        "max(beyond(X, X, 40, 2), gone * "
                        "(colindex(1, rows(X)) > 0)))\n"},
};

static void add_words(char *to, size_t size, const char *input, int n, int step) {
    size_t at = strlen(to);
    at += (size_t)snprintf(to + at, size - at, "%s =", input);
    for (int i = 0; i < n && at < size; i++)
        at += (size_t)snprintf(to + at, size - at, " t%d", (i * i + step * i + step) % 11);
}

static void windows_over_many_rows(void **state) {
    (void)state;
    const int rows[] = {150, 65, 64, 2};
    char text[6000] = "vocab 11\nseed 3\ninput tokens : vocab*\ninput target : vocab*\n";
    for (int i = 0; i < 4; i++) {
        strcat(text, "example ");
        add_words(text, sizeof text, "tokens", rows[i], i + 1);
        strcat(text, ", ");
        add_words(text, sizeof text, "target", rows[i], i + 2);
        strcat(text, "\n");
    }
    strcat(text, "param E : vocab x 6 = normal(1)\nX = E[tokens]\n");
    for (size_t i = 0; i < sizeof long_trials / sizeof *long_trials; i++)
        try_kernel_behind(text, &long_trials[i], 2);
}

static void every_kernel(void **state) {
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        for (const lh_kernel *const *k = lh_kernels; *k; k++) {
            if (!(*k)->trial) fail_msg("%s has no trial", (*k)->name);
            try_kernel(&(kernel_trial){(*k)->name, (*k)->trial}, threads);
        }
        for (size_t i = 0; i < sizeof kernel_trials / sizeof *kernel_trials; i++)
            try_kernel(&kernel_trials[i], threads);
    }
}

/* ---- the same bits for any number of threads ---- */

static void compare_bits(lh_precision precision) {
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    const lh_setting set[] = {{"dim", "48"}, {"heads", "3"}, {"layers", "2"}};
    pair p;
    open_pair(&p, f->name, f->text, f->length, set, 3);
    lh_graph *g = p.g;
    lh_plan *one =
                lh_fast.plan(g, &(lh_wish){.updates = true, .own = &(lh_fast_wish){1, precision}}),
            *many =
                lh_fast.plan(g, &(lh_wish){.updates = true, .own = &(lh_fast_wish){3, precision}});
    stop_if_failed(&p, f->name);
    for (int i = 0; i < 5; i++) {
        lh_fast.run(one), lh_fast.run(many);
        lh_fast.commit(one), lh_fast.commit(many);
    }
    for (int i = 0; i < g->n_givens; i++) {
        const lh_node *n = g->given[i]->node;
        if (!lh_fast.has(one, n)) continue;
        lh_sizes s = lh_fast.sizes(one, n, 0);
        for (int r = 0; r < s.rows; r++)
            for (int c = 0; c < s.cols; c++) {
                lh_cell at = {0, 0, r, c};
                if (lh_fast.get(one, n, at) != lh_fast.get(many, n, at))
                    fail_msg("%s[%d][%d] differs", n->step->path, r, c);
            }
    }
    lh_fast.free(one), lh_fast.free(many);
    close_pair(&p);
}

static void same_bits(void **state) {
    (void)state;
    compare_bits(LH_IN_FLOAT);
    if (lh_bf16_name()) compare_bits(LH_IN_BF16);
}

/* ---- products in bf16: less exact, and not by much ---- */

static void gradients_in_bf16(void **state) {
    (void)state;
    if (!lh_bf16_name()) { /* cmocka's skip() says "not ok", which counts as a failure */
        print_message("# SKIP this processor has no products in bf16\n");
        return;
    }
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    const char *dim[] = {"32", "48", "96", "32"}, *vocab[] = {"65", "65", "65", "17011"};
    for (int i = 0; i < 4; i++) { /* of many words the projection is made some at a time */
        const lh_setting set[] = {
            {"dim", dim[i]}, {"heads", "4"}, {"layers", "2"}, {"vocab", vocab[i]}};
        pair p;
        open_pair(&p, f->name, f->text, f->length, set, 4);
        const double worst = compare_gradients(&p, f->name, 1 + i % 2, LH_IN_BF16, 2e-2);
        if (!(worst > 1e-4)) fail_msg("off by %g alone: that was float", worst);
        close_pair(&p);
    }
}

/* What the processor cannot do is said when the plan is made. */
static void bf16_is_there_or_refused(void **state) {
    (void)state;
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    pair p;
    open_pair(&p, f->name, f->text, f->length, NULL, 0);
    lh_plan *plan = lh_fast.plan(
        p.g, &(lh_wish){.updates = true, .own = &(lh_fast_wish){.precision = LH_IN_BF16}});
    assert_int_equal(plan != NULL, lh_bf16_name() != NULL);
    assert_int_equal(lh_failed(p.ctx), lh_bf16_name() == NULL);
    if (!plan) assert_non_null(strstr(lh_context_error(p.ctx)->what, "bf16"));
    lh_fast.free(plan);
    close_pair(&p);
}

/* ---- growing: rows fed a few at a time give what all rows give at once ---- */

static lh_plan *growing(lh_graph *g, int rows) {
    return lh_fast.plan(g, &(lh_wish){.node = &g->generate->from, .n_nodes = 1, .grows = rows});
}

/* The first `n` tokens of every input but the growing one whole; of that `from` to `to`. */
static void feed_part(lh_plan *p, const lh_graph *g, int e, int from, int to) {
    int rows[8], token[8][64];
    const int *all_rows[8], *all_tokens[8];
    for (int i = 0; i < g->n_inputs; i++) {
        const lh_example_value *v = &g->example[e]->value[i];
        const bool grows = i == g->generate->input;
        rows[i] = grows ? to - from : v->rows;
        for (int r = 0; r < rows[i]; r++) token[i][r] = (int)v->cells[(grows ? from : 0) + r];
        all_rows[i] = &rows[i], all_tokens[i] = token[i];
    }
    lh_fast_past(p, from);
    lh_fast.feed(p, &(lh_batch){.examples = 1, .rows = all_rows, .tokens = all_tokens});
    lh_fast.run(p);
}

static double row_apart(lh_plan *p, int row, lh_plan *q, int other, const lh_node *n, int cols) {
    double worst = 0;
    for (int c = 0; c < cols; c++) {
        double a = lh_fast.get(p, n, (lh_cell){0, 0, row, c}),
               b = lh_fast.get(q, n, (lh_cell){0, 0, other, c});
        if (fabs(a - b) > worst) worst = fabs(a - b);
    }
    return worst;
}

static void grows_as_a_whole(void **state) {
    (void)state;
    const char *name[] = {"models/gpt.lh", "models/translator.lh"};
    for (int k = 0; k < 2; k++) {
        const lh_embedded *f = lh_embedded_find(name[k]);
        pair p;
        open_pair(&p, f->name, f->text, f->length, NULL, 0);
        lh_graph *g = p.g;
        const lh_node *from = g->generate->from;
        lh_plan *part = growing(g, 16), *whole = growing(g, 16);
        stop_if_failed(&p, f->name);
        assert_null(lh_fast_prevents(part));
        const int rows = g->example[0]->value[g->generate->input].rows;
        lh_fast.training(part, false), lh_fast.training(whole, false);
        for (int seen = 1, past = 0; seen <= rows; past = seen++) {
            feed_part(part, g, 0, past, seen);
            feed_part(whole, g, 0, 0, seen);
            stop_if_failed(&p, f->name);
            double d = row_apart(part, 0, whole, seen - 1, from, lh_fast.sizes(part, from, 0).cols);
            if (!(d < 1e-5)) fail_msg("%s: row %d is off by %g", f->name, seen - 1, d);
        }
        lh_fast.free(part), lh_fast.free(whole);
        close_pair(&p);
    }
}

/* More rows than there is room for would be written behind what is kept; other examples would read what nobody wrote. */
static void rows_without_room_are_refused(void **state) {
    (void)state;
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    const int token[4] = {1, 2, 3, 4}, two[2] = {1, 1}, one = 1;
    const struct {
        int grows, past, rows;
        bool fits;
    } tries[] = {{4, 0, 4, true}, {4, 0, 5, false}, {4, 3, 1, true}, {4, 3, 2, false}};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        pair p;
        open_pair(&p, f->name, f->text, f->length, NULL, 0);
        lh_plan *plan = growing(p.g, tries[i].grows);
        stop_if_failed(&p, f->name);
        if (tries[i].past) feed_part(plan, p.g, 0, 0, tries[i].past);
        feed_part(plan, p.g, 0, tries[i].past, tries[i].past + tries[i].rows);
        assert_int_equal(!lh_failed(p.ctx), tries[i].fits);
        if (!tries[i].fits)
            assert_non_null(strstr(lh_context_error(p.ctx)->what, "the plan has room for 4"));
        lh_fast.free(plan);
        close_pair(&p);
    }
    pair p;
    open_pair(&p, f->name, f->text, f->length, NULL, 0);
    lh_plan *plan = growing(p.g, 4);
    const int *rows[2] = {&one, &one}, *all[2] = {token, token}, *more[2] = {two, two};
    lh_fast.feed(plan, &(lh_batch){.examples = 1, .rows = rows, .tokens = all});
    lh_fast.run(plan);
    lh_fast_past(plan, 1);
    lh_fast.feed(plan, &(lh_batch){.examples = 2, .rows = more, .tokens = all});
    assert_true(lh_failed(p.ctx));
    assert_string_equal(lh_context_error(p.ctx)->what,
                        "2 examples cannot continue from the cached rows of 1");
    lh_fast.free(plan);
    close_pair(&p);
}

/* Every gradient is made by kernels for whole calls, and by the definitions of the same graph: both come to the same. */
static void one_graph_goes_both_ways(void **state) {
    (void)state;
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    pair p;
    open_pair(&p, f->name, f->text, f->length, NULL, 0);
    lh_node *wanted[512];
    int n = 0;
    for (int i = 0; i < p.g->n_givens && n < 512; i++)
        if (p.g->given[i]->gradient) wanted[n++] = p.g->given[i]->gradient->node;
    assert_true(n > 10);
    p.exact = lh_exact.plan(p.g, &(lh_wish){.node = wanted, .n_nodes = n});
    lh_exact.run(p.exact);
    for (int by_definition = 0; by_definition < 2; by_definition++) {
        p.fast = lh_fast.plan(
            p.g, &(lh_wish){.node = wanted, .n_nodes = n, .by_definition = by_definition});
        lh_fast.run(p.fast);
        stop_if_failed(&p, f->name);
        assert_int_equal(lh_fast_uses(p.fast, "attention, back") > 0, !by_definition);
        for (int i = 0; i < n; i++)
            if (apart(&p, wanted[i], wanted[i]) > 1e-4)
                fail_msg("%s: apart by %g", wanted[i]->step->path, apart(&p, wanted[i], wanted[i]));
        lh_fast.free(p.fast);
        p.fast = NULL;
    }
    close_pair(&p);
}

/* A step that needs all rows is named. */
static void prevents_are_named(void **state) {
    (void)state;
    const char *text =
        "vocab A B C\ninput tokens : vocab*\nexample tokens = A B\n"
        "generate tokens from logits\nparam E : vocab x 4 = normal(1)\nX = E[tokens]\n"
        "Y = X - colsum(X) / rows(X)\nlogits = Y @ E^T\n";
    pair p;
    open_pair(&p, "test.lh", text, strlen(text), NULL, 0);
    lh_plan *plan = growing(p.g, 8);
    stop_if_failed(&p, "test.lh");
    const lh_node *n = lh_fast_prevents(plan);
    assert_non_null(n);
    assert_int_equal(n->at.line, 7);
    lh_fast.free(plan);
    close_pair(&p);
}

/* Below := the name means the new value: what reads it there keeps the kernel from renewing in place. */
static void reads_below_an_update(void **state) {
    (void)state;
    const char *text = "vocab A B C\nseed 3\nparam E : vocab x 4 = normal(0.3)\n"
                       "param W : 4 x vocab = normal(0.3)\ntext A B C\nX = E[tokens]\n"
                       "L = sum(crossentropy(X @ W, target))\nloss = average(L)\nbackward loss\n"
                       "each W in params\n  W := adam(W, dW, 0.05)\nend\np = softmax(X @ W)\n";
    for (int threads = 1; threads <= 2; threads++) {
        pair p;
        open_pair(&p, "test.lh", text, strlen(text), NULL, 0);
        compare_all(&p, "test.lh", threads, 1e-4);
        compare_learning(&p, "test.lh", threads, 1e-4);
        close_pair(&p);
    }
}

/* The gradient of W in x @ W^T lies turned: it is read in tiles, here with more rows and columns than one has, and some left over. With a
 * large eps a step of adam follows the gradient, so that both evaluators can be compared cell by cell. */
static void turned_gradients_are_read_in_tiles(void **state) {
    (void)state;
    const char *text = "vocab A B C\nseed 3\nparam E : vocab x 530 = normal(1)\n"
                       "param W : 37 x 530 = normal(0.1)\nparam O : vocab x 37 = normal(1)\n"
                       "text A B C A C B\nX = E[tokens] @ W^T\n"
                       "L = sum(crossentropy(X @ O^T, target))\nloss = average(L)\nbackward loss\n"
                       "clip = min(1, 0.5 / norm(gradients))\n"
                       "each W in params\n  W := adam(W, clip * dW, 0.5, eps = 1)\nend\n";
    for (int threads = 1; threads <= 2; threads++) {
        pair p;
        open_pair(&p, "test.lh", text, strlen(text), NULL, 0);
        p.exact = lh_exact.plan(p.g, &(lh_wish){.updates = true});
        p.fast = lh_fast.plan(
            p.g, &(lh_wish){.updates = true, .own = &(lh_fast_wish){.threads = threads}});
        stop_if_failed(&p, "test.lh");
        assert_true(uses_kernel(p.fast, "adam"));
        assert_true(uses_kernel(p.fast, "length of the gradients"));
        for (int i = 0; i < 3; i++) {
            lh_exact.run(p.exact), lh_fast.run(p.fast);
            lh_exact.commit(p.exact), lh_fast.commit(p.fast);
        }
        for (int i = 0; i < p.g->n_givens; i++)
            if (p.g->given[i]->gradient) {
                const double d = apart(&p, p.g->given[i]->node, p.g->given[i]->node);
                if (!(d < 1e-5)) fail_msg("%s is off by %g", p.g->given[i]->node->step->path, d);
            }
        lh_exact.free(p.exact), lh_fast.free(p.fast);
        p.exact = p.fast = NULL;
        close_pair(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_find_the_same_processor),
        cmocka_unit_test(every_program),
        cmocka_unit_test(every_kernel),
        cmocka_unit_test(windows_over_many_rows),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(reads_below_an_update),
        cmocka_unit_test(turned_gradients_are_read_in_tiles),
        cmocka_unit_test(rows_without_room_are_refused),
        cmocka_unit_test(one_graph_goes_both_ways),
        cmocka_unit_test(grows_as_a_whole),
        cmocka_unit_test(prevents_are_named),
        cmocka_unit_test(gradients_in_bf16),
        cmocka_unit_test(bf16_is_there_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
