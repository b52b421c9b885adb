/* Random programs with ragged examples: the fast evaluator against the exact one, values, every gradient and what is learned, by the
 * whole batch and a few examples at a time.
 *
 *     LH_RAGGED=10000 build/tests/test_ragged              so many programs
 *     LH_RAGGED_SEED=37 LH_RAGGED=1 build/tests/test_ragged    this one: a failure prints its seed and its text
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "engine.h"
#include "eval/kernel.h"
#include "eval/fast/wish.h"
#include "eval/loops.h"
#include "ragged.h"
#include "train/floats.h"
#include "train/batch_parts.h"

/* A number may differ by what rounding inside does (several draws of it: one alone may happen to come out as zero) and by a few units
 * of its own last place. */
enum { STEPS = 2, DRAWS = 4 };
static const double moved_by = 0x1p-22, times_moved = 10, slack = 0x1p-18, floor_of = 0.01;

typedef struct trial {
    ragged r;
    ragged_batch b;
    lh_context *ctx;
    lh_program *program;
    lh_graph *plain, *whole; /* the second with calls differentiated as a whole */
    lh_plan *exact;          /* by the definition */
    lh_plan *moved[DRAWS];   /* with every number moved as if rounded */
} trial;

#define STOP(t, ...)                                                                               \
    do {                                                                                           \
        fprintf(stderr, "# seed %llu\n%s", (unsigned long long)(t)->r.seed, (t)->r.text);          \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

static void stop_if_failed(const trial *t) {
    const lh_error *e = lh_context_error(t->ctx);
    if (lh_failed(t->ctx)) STOP(t, "%d:%d: %s (%s)", e->at.line, e->at.col, e->what, e->cure);
}

static const lh_node *twin(const trial *t, const lh_step *s) {
    const lh_step *same = lh_graph_step(t->plain, s->path);
    return same && !same->is_dead ? same->node : NULL;
}

/* ---- what rounding can do ---- */

/* How many in this program so far: each is moved by a random number of its own. */
static uint32_t n_moved;

static double move(double x, uint64_t seed) {
    const lh_random_place by = {.seed = seed, .place = 9, .row = n_moved++};
    return x * (1 + moved_by * (2 * lh_random_uniform(by) - 1));
}

/* A result that float does not have: exp(-120) is 0 there, and its logarithm no number. What follows is not compared. */
static bool is_beyond_float;
static int n_beyond;

static bool has_float(double x) {
    return x == 0 || !isfinite(x) || (fabs(x) >= FLT_MIN && fabs(x) <= FLT_MAX);
}

/* What float can say is not rounded: words, places, a half. */
static void move_value(const lh_plan *p, const lh_node *n) {
    for (int e = 0; e < (n->shape.is_batched ? p->examples : 1); e++) {
        const lh_layout *l = lh_layout_of(p, n, e);
        double *memory = lh_plan_base(p, l);
        for (int h = 0; h < l->heads; h++)
            for (int r = 0; r < l->rows; r++)
                for (int c = 0; c < l->cols; c++) {
                    double *x = &memory[lh_layout_at(l, h, r, c)];
                    is_beyond_float |= !has_float(*x);
                    if ((float)*x != *x) *x = move(*x, p->g->seed);
                }
    }
}

/* The exact evaluator, in which every result moves, those inside a call too: the usual model of rounding, where an operation gives the
 * exact result times (1 + d). To move the first numbers alone is not enough: where a softmax is nearly 1, its gradient P (dP - dot) is
 * the difference of two large numbers that move together with them, and yet are rounded one by one. */
static void run_moved(lh_plan *p, lh_stage stage, int from, int to) {
    for (int i = from; i < to; i++) {
        lh_loops_run(p, stage, i, i + 1);
        if (stage != LH_STAGE_COMMIT) move_value(p, p->list[stage].work[i].node);
    }
}

static const lh_backend moving = {.name = "moved",
                                  .line = 1,
                                  LH_LOOPS_RECORD,
                                  .open = lh_loops_open,
                                  .close = lh_loops_close,
                                  .ready = lh_loops_ready,
                                  .run = run_moved};

/* ---- how far apart ---- */

typedef struct distance {
    double off, length, moved; /* in norm */
} distance;

static distance apart(const trial *t, const lh_node *a, const lh_plan *fast, const lh_node *b) {
    distance d = {0};
    const int n = a->shape.is_batched ? lh_exact.examples(t->exact) : 1;
    for (int e = 0; e < n; e++) {
        const lh_sizes s = lh_exact.sizes(t->exact, a, e);
        for (int h = 0; h < s.heads; h++)
            for (int r = 0; r < s.rows; r++)
                for (int c = 0; c < s.cols; c++) {
                    const lh_cell at = {e, h, r, c};
                    const double x = lh_exact.get(t->exact, a, at), y = lh_fast.get(fast, b, at);
                    d.off += x == y ? 0 : (x - y) * (x - y); /* what is hidden is -inf in both */
                    d.length += isfinite(x) ? x * x : 0;
                    for (int i = 0; i < DRAWS; i++) {
                        const double z = lh_exact.get(t->moved[i], a, at);
                        d.moved += x == z ? 0 : (x - z) * (x - z) / DRAWS;
                    }
                }
    }
    return (distance){sqrt(d.off), sqrt(d.length), sqrt(d.moved)};
}

static void compare(const trial *t, const char *what, const lh_node *a, const lh_plan *fast,
                    const lh_node *b, const char *name) {
    if (is_beyond_float) return;
    if (a->shape.is_batched != b->shape.is_batched)
        STOP(t, "%s: %s exists for each example in one graph, and once in the other", what, name);
    const distance d = apart(t, a, fast, b);
    if (!(d.off <= slack * (d.length + floor_of) + times_moved * d.moved))
        STOP(t, "%s: %s is off by %g of %g; rounding can do %g", what, name, d.off, d.length,
             d.moved);
}

static void compare_steps(const trial *t, const char *what, const lh_plan *fast) {
    for (int i = 0; i < t->whole->n_steps; i++) {
        const lh_step *s = t->whole->step[i];
        const lh_node *a = twin(t, s);
        if (a && !s->is_dead && lh_fast.has(fast, s->node) && lh_exact.has(t->exact, a))
            compare(t, what, a, fast, s->node, s->path);
    }
}

static void compare_learned(const trial *t, const char *what, const lh_plan *fast) {
    for (int i = 0; i < t->whole->n_givens; i++) {
        const lh_given *a = t->plain->given[i], *b = t->whole->given[i];
        if (lh_exact.has(t->exact, a->node) && lh_fast.has(fast, b->node))
            compare(t, what, a->node, fast, b->node, b->node->step->path);
    }
}

/* ---- the same numbers at the start ---- */

/* Both begin with what float can say, so that only the work rounds. */
static void start_alike(const trial *t, lh_plan *fast) {
    lh_fast.start(fast);
    for (int i = 0; i < t->plain->n_givens; i++) {
        const lh_node *a = t->plain->given[i]->node, *b = t->whole->given[i]->node;
        if (!lh_exact.has(t->exact, a) || !lh_fast.has(fast, b)) continue;
        const lh_sizes s = lh_exact.sizes(t->exact, a, 0);
        for (int k = 0; k < s.rows * s.cols; k++) {
            const lh_cell at = {0, 0, k / s.cols, k % s.cols};
            lh_fast.set(fast, b, at, lh_exact.get(t->exact, a, at));
        }
    }
}

/* Starts as float has them; the second plan a little beside. */
static void start_exact(const trial *t) {
    lh_exact.start(t->exact);
    for (int i = 0; i < DRAWS; i++) lh_exact.start(t->moved[i]);
    for (int i = 0; i < t->plain->n_givens; i++) {
        const lh_node *n = t->plain->given[i]->node;
        if (!lh_exact.has(t->exact, n)) continue;
        const lh_sizes s = lh_exact.sizes(t->exact, n, 0);
        for (int k = 0; k < s.rows * s.cols; k++) {
            const lh_cell at = {0, 0, k / s.cols, k % s.cols};
            const double x = (float)lh_exact.get(t->exact, n, at);
            lh_exact.set(t->exact, n, at, x);
            for (int j = 0; j < DRAWS; j++) lh_exact.set(t->moved[j], n, at, move(x, t->r.seed));
        }
    }
}

static void commit_exact(const trial *t) {
    lh_exact.commit(t->exact);
    for (int i = 0; i < DRAWS; i++) lh_exact.commit(t->moved[i]);
}

static void step_exact(const trial *t, bool commits) {
    for (int i = -1; i < DRAWS; i++) {
        lh_plan *p = i < 0 ? t->exact : t->moved[i];
        lh_exact.feed(p, &t->b.batch);
        lh_exact.run(p);
    }
    if (commits) commit_exact(t);
    stop_if_failed(t);
}

/* ---- what is compared ---- */

static bool is_asked(const lh_step *s) {
    return !s->is_dead && (s->kind == LH_STEP_FORWARD || s->kind == LH_STEP_GRADIENT);
}

/* Named steps: all of them, then nothing but the loss and the params' gradients, where kernels join what lies between. */
static void compare_values(const trial *t, int threads) {
    lh_node **node = calloc((size_t)t->whole->n_steps + 1, sizeof *node);
    for (int all = 1; all >= 0; all--) {
        int n = 0;
        for (int i = 0; i < t->whole->n_steps; i++) {
            const lh_step *s = t->whole->step[i];
            const bool is_result = s->node == t->whole->loss ||
                                   (s->kind == LH_STEP_GRADIENT && s->of && s->of->node->given);
            if (is_asked(s) && (all || is_result)) node[n++] = s->node;
        }
        lh_plan *fast = lh_fast.plan(
            t->whole,
            &(lh_wish){.node = node, .n_nodes = n, .own = &(lh_fast_wish){.threads = threads}});
        stop_if_failed(t);
        start_alike(t, fast);
        for (int twice = 0; twice < 2; twice++) lh_fast.feed(fast, &t->b.batch), lh_fast.run(fast);
        stop_if_failed(t);
        compare_steps(t, all ? "all steps" : "gradients", fast);
        lh_fast.free(fast);
    }
    free(node);
}

static void compare_learning(const trial *t, int threads) {
    lh_plan *fast = lh_fast.plan(t->whole, &(lh_wish){.updates = true,
                                                      .node = &t->whole->loss,
                                                      .n_nodes = 1,
                                                      .own = &(lh_fast_wish){.threads = threads}});
    stop_if_failed(t);
    start_alike(t, fast);
    for (int i = 0; i < STEPS; i++) {
        lh_fast.feed(fast, &t->b.batch), lh_fast.run(fast), lh_fast.commit(fast);
        step_exact(t, true);
    }
    stop_if_failed(t);
    compare_learned(t, "learned", fast);
    lh_fast.free(fast);
}

/* A few examples at a time: the exact evaluator has learned already. */
static void compare_parts(const trial *t, int most, int threads) {
    lh_parts *p = lh_parts_new(t->whole, &(lh_parts_how){.most = most, .threads = threads});
    stop_if_failed(t);
    start_exact(t);
    start_alike(t, p->whole);
    lh_parts_borrow(p);
    char what[32];
    snprintf(what, sizeof what, "--micro %d", most);
    for (int i = 0; i < STEPS; i++) {
        step_exact(t, false);
        lh_parts_run(p, &t->b.batch, i);
        stop_if_failed(t);
        if (!t->whole->loss->shape.is_batched)
            compare(t, what, t->plain->loss, p->whole, t->whole->loss, "the loss");
        commit_exact(t), lh_fast.commit(p->whole);
    }
    compare_learned(t, what, p->whole);
    lh_parts_free(p);
}

/* The program in t->r, with a batch of its own. */
static void try(trial *t) {
    const uint64_t seed = t->r.seed;
    t->ctx = lh_context_new();
    ragged_draw_batch(&t->r, &t->b);
    t->program = lh_program_parse(t->ctx, "ragged.lh", t->r.text, t->r.n_text);
    t->plain = lh_graph_build(t->ctx, t->program, &(lh_build){.without_examples = true});
    t->whole = lh_graph_build(t->ctx, t->program, &(lh_build){.without_examples = true});
    stop_if_failed(t);
    t->exact = lh_exact.plan(t->plain, &(lh_wish){.all = true});
    for (int i = 0; i < DRAWS; i++)
        t->moved[i] = lh_plan_new(t->plain, &(lh_wish){.all = true}, &moving);
    stop_if_failed(t);
    n_moved = 0;
    is_beyond_float = false;
    start_exact(t);
    step_exact(t, false);
    const int threads = 1 + (int)(seed % 2);
    compare_values(t, threads);
    compare_learning(t, threads);
    for (int most = 1; most < t->b.batch.examples; most += 1 + (int)(seed % 3))
        compare_parts(t, most, threads);
    n_beyond += is_beyond_float;
    lh_exact.free(t->exact);
    for (int i = 0; i < DRAWS; i++) lh_exact.free(t->moved[i]);
    lh_graph_free(t->plain), lh_graph_free(t->whole);
    lh_program_free(t->program);
    lh_context_free(t->ctx);
}

static long number_of(const char *name, long standard) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : standard;
}

static void random_programs(void **state) {
    (void)state;
    const long first = number_of("LH_RAGGED_SEED", 1),
               n = number_of("LH_RAGGED", engine_quick() ? 150 : 1500);
    n_beyond = 0;
    for (long i = 0; i < n; i++) {
        static trial t; /* large */
        ragged_make(&t.r, (uint64_t)(first + i));
        try(&t);
    }
    print_message("# %ld programs, seeds %ld to %ld, of which %d leave float\n", n, first,
                  first + n - 1, n_beyond);
    assert_true(n_beyond <= 2 + n / 50);
}

/* Programs that were found to go wrong, and what a random one seldom has. Each with many batches. */
static const char *const found[] = {
    /* a gradient stretched over rows, behind examples of one row */
    "L = mean(crossentropy(E[tokens] @ U, target))\nloss = average(L)\nbackward loss\n",
    "L = mean(layernorm(E[tokens], g, b))\nloss = average(L)\nbackward loss\n",
    /* a value that lies turned: the distance of its cells differs by example */
    "X = (A @ E[tokens]^T)^T\nL = mean(layernorm(X, g, b) * g)\nloss = total(L)\nbackward loss\n",
    "X = (A @ E[tokens]^T)^T\nL = mean(crossentropy(X, target / 2 - target / 2))\nloss = "
    "total(L)\nbackward loss\n",
    "X = (A @ E[tokens]^T)^T\nL = mean(crossentropy(X @ U, target))\nloss = total(L)\nbackward "
    "loss\n",
    /* as many classes as there are rows */
    "X = E[tokens]\nL = mean(crossentropy(X @ X^T, positions(X)))\nloss = average(L)\nbackward "
    "loss\n",
    /* each example its own gradients, which are the same matrix for all */
    "X = x @ A\nL = K[][0]^T @ layernorm(X, c, c) @ c^T\nbackward L\n",
    "X = x @ A\nL = K[][0]^T @ crossentropy(X, x[][0] * 0)\nbackward L\n",
    /* a mask that depends on the example, over what does not; a mask with heads */
    "L = mean(attention(A, A, A, (word == 3) * (colindex(A) > 0)))\nloss = average(L)\nbackward "
    "loss\n",
    "X = x @ A\nL = headsum(mean(attention(X, X, X, split(colindex(3, 6) == 2, 2)) * "
    "K))\nloss = average(L)\nbackward loss\n",
    /* one row and many: a mask that has more rows than there are queries */
    "X = x @ A\nL = mean(attention(X[0], X, X, later(X, X)))\nloss = average(L)\nbackward loss\n",
    /* a gradient that is one number, stretched */
    "L = mean(crossentropy(E[tokens] @ U, target)) + sum(g)\nloss = average(L)\nbackward "
    "loss\nn = norm(gradients)\nU := U - 0.1 * dU / (1 + n)\n",
    /* a step measured by one number */
    "L = mean(crossentropy(E[tokens] @ U, target))\nloss = average(L)\nbackward loss\nU := adam(U, "
    "loss, 0.1, 0.9, 0.99, 0.1)\nE := adam(E, colsum(dE), 0.1, 0.9, 0.99, 0.1)\n",
    /* columns that differ by example, beside each other and in heads */
    "X = E[tokens]\nS = X @ X^T\nL = headsum(mean(split(beside(S, gelu(S)), 2) ^ 2))\nloss = "
    "average(L)\nbackward loss\n",
    /* what all examples come to has heads; each looks at it, and so does the loss of all */
    "k = total(split(E[word], 2))\nL = headsum(mean(split(E[tokens], 2) * k))\nloss = average(L) + "
    "headsum(mean(k * k))\nbackward loss\n",
    /* the logits' gradient, used by the program itself */
    "const T : 7 x 4 = normal(1)\nlogits = T[tokens] @ U\nL = mean(crossentropy(logits, "
    "target))\nloss = average(L)\nbackward loss\nk = total(sum(dlogits @ Z))\nU := U - 0.1 * k * "
    "dU\n",
    /* dropout that does nothing gives its operand's memory on, which lies turned, to a join */
    "X = dropout(split(A, 2), 0)^T\nL = headsum(mean(where(mean(E[tokens]) > 0, X, 0)))\nloss = "
    "average(L)\nbackward loss\n",
    /* two losses of which each weighs the other: neither can be computed together with its gradient */
    "L = sum(crossentropy(E[tokens] @ U, target)) * mean(crossentropy(E[tokens] @ A, target / 2 - "
    "target / 2))\nloss = average(L)\nbackward loss\n",
};

static void found_programs(void **state) {
    (void)state;
    static trial t;
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        for (uint64_t seed = 1; seed <= 16; seed++) {
            t.r = (ragged){.seed = seed};
            ragged_inputs(&t.r);
            ragged_add(&t.r,
                       "param E : 7 x 4 = normal(1)\nparam U : 4 x 7 = normal(1)\nparam A : 4 x 4 "
                       "= normal(1)\nparam g : 1 x 4 = normal(1)\nparam b : 1 x 4 = "
                       "normal(1)\nconst K : 3 x 4 = normal(1)\nconst c : 1 x 4 = "
                       "normal(1)\nconst Z : 7 x 2 = normal(1)\n%s",
                       found[i]);
            if (!strstr(found[i], ":="))
                ragged_add(&t.r, "each V in params\nV := V - 0.1 * average(dV)\nend\n");
            try(&t);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_programs),
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
