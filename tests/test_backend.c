/* Backends: the plan as they see it, by one that checks every access of every work, and the table of those that there are. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "base/embedded.h"
#include "checked.h"
#include "eval/backends.h"
#include "eval/cuda/devices.h"
#include "eval/plan_text.h"
#include "learn/lesson.h"

enum { MOST_CELLS = 100000 }; /* of a plan that is checked cell by cell */

typedef struct program {
    lh_context *ctx;
    lh_program *program;
    lh_graph *g;
} program;

static program open_text(const char *name, const char *text, size_t length) {
    program p = {.ctx = lh_context_new()};
    p.program = lh_lesson_parse(p.ctx, name, text, length);
    p.g = p.program ? lh_graph_build(p.ctx, p.program, NULL) : NULL;
    return p;
}

static void close_program(program *p) {
    lh_graph_free(p->g);
    lh_program_free(p->program);
    lh_context_free(p->ctx);
}

static void stop_if_failed(const program *p, const char *name) {
    const lh_error *e = lh_context_error(p->ctx);
    if (lh_failed(p->ctx)) fail_msg("%s:%d: %s (%s)", name, e->at.line, e->what, e->cure);
}

/* Two steps of training, or two runs. */
static lh_plan *run_twice(const lh_evaluator *with, lh_graph *g, const lh_wish *wish) {
    lh_plan *p = with->plan(g, wish);
    for (int i = 0; p && i < 2; i++) {
        if (i && g->loss) with->commit(p);
        with->run(p);
    }
    return p;
}

static void same_bits(const lh_plan *a, const lh_plan *b, const lh_node *n, const char *name) {
    for (int e = 0; e < (n->shape.is_batched ? lh_exact.examples(a) : 1); e++) {
        const lh_sizes s = lh_exact.sizes(a, n, e);
        for (int h = 0; h < s.heads; h++)
            for (int r = 0; r < s.rows; r++)
                for (int c = 0; c < s.cols; c++) {
                    const lh_cell at = {e, h, r, c};
                    const double x = lh_exact.get(a, n, at), y = lh_checked.get(b, n, at);
                    if (memcmp(&x, &y, sizeof x) != 0 && !(x != x && y != y))
                        fail_msg("%s: %s is %.17g, checked %.17g", name,
                                 n->step ? n->step->path : n->op->name, x, y);
                }
    }
}

/* The last step or the loss, and all params and states after the update. */
static int wanted_of(lh_graph *g, lh_node **node, int most) {
    int n = 0;
    node[n++] = g->loss ? g->loss : g->step[g->n_steps - 1]->node;
    for (int i = 0; i < g->n_givens && n < most; i++)
        if (g->given[i]->kind != LH_CONST) node[n++] = g->given[i]->node;
    return n;
}

static size_t cells_of(lh_graph *g, const lh_wish *wish) {
    lh_wish sizes = *wish;
    sizes.is_sketch = true;
    lh_plan *p = lh_checked.plan(g, &sizes);
    if (p) lh_checked.bind(p, NULL, 0);
    size_t cells = 0;
    for (int i = 0; p && i < LH_N_BUFFERS; i++) cells += p->cells[i];
    lh_checked.free(p);
    return cells;
}

static bool check_program(const char *name, const char *text, size_t length) {
    program p = open_text(name, text, length);
    lh_node *node[256];
    bool is_checked = false;
    if (p.g && (p.g->n_examples || !p.g->n_inputs) && p.g->n_steps) {
        const lh_wish wish = {
            .node = node, .n_nodes = wanted_of(p.g, node, 256), .updates = p.g->loss != NULL};
        if (!(is_checked = cells_of(p.g, &wish) < MOST_CELLS)) return close_program(&p), false;
        lh_plan *exact = run_twice(&lh_exact, p.g, &wish),
                *plan = run_twice(&lh_checked, p.g, &wish);
        stop_if_failed(&p, name);
        if (*checked.problem) fail_msg("%s: %s", name, checked.problem);
        for (int i = 0; i < wish.n_nodes; i++)
            if (lh_exact.has(exact, node[i])) same_bits(exact, plan, node[i], name);
        lh_exact.free(exact), lh_checked.free(plan);
    }
    close_program(&p);
    return is_checked;
}

/* The same bits as by the exact evaluator, in less memory; every cell that is read or written is the work's own. */
static void every_access_is_its_own(void **state) {
    (void)state;
    int n = 0;
    memset(&checked, 0, sizeof checked);
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *f = &lh_embedded_files[i];
        const char *end = strrchr(f->name, '.');
        const bool is_program = strncmp(f->name, "lessons/", 8) == 0 && strcmp(end, ".md") == 0;
        if (is_program || strncmp(f->name, "models/", 7) == 0)
            n += check_program(f->name, f->text, f->length);
    }
    if (n < 30) fail_msg("%d programs were checked", n);
    assert_true(checked.works > 1000 && checked.kernels > 0);
    assert_true(checked.cells_read > checked.cells_written && checked.cells_written > 0);
    assert_int_equal(checked.taken, checked.given_back);
}

/* ---- all that there are ---- */

static void near(const lh_plan *a, const lh_plan *b, const lh_node *n, double slack,
                 const char *name) {
    for (int e = 0; e < (n->shape.is_batched ? lh_exact.examples(a) : 1); e++) {
        const lh_sizes s = lh_exact.sizes(a, n, e);
        for (int r = 0; r < s.rows; r++)
            for (int c = 0; c < s.cols; c++) {
                const lh_cell at = {e, 0, r, c};
                const double x = lh_exact.get(a, n, at), y = lh_exact.get(b, n, at);
                if (!(fabs(x - y) <= slack * fmax(1, fabs(x))) && x == x && x - x == 0)
                    fail_msg("%s by %s: %.9g, by exact %.9g", name, b->by->name, y, x);
            }
    }
}

/* A listed backend is a tested backend: the loss or the last step, after an update where there is one. */
static void every_backend_agrees(void **state) {
    (void)state;
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *f = &lh_embedded_files[i];
        if (strncmp(f->name, "models/", 7) != 0 && strncmp(f->name, "lessons/ex", 10) != 0)
            continue;
        program p = open_text(f->name, f->text, f->length);
        lh_node *node[256];
        const bool runs = p.g && (p.g->n_examples || !p.g->n_inputs) && p.g->n_steps;
        const lh_wish wish = {.node = node,
                              .n_nodes = runs ? wanted_of(p.g, node, 256) : 0,
                              .updates = p.g && p.g->loss};
        const bool is_small = runs && cells_of(p.g, &wish) < MOST_CELLS;
        lh_plan *exact = is_small ? run_twice(&lh_exact, p.g, &wish) : NULL;
        for (int k = 0; is_small && lh_evaluators[k]; k++) {
            if (lh_evaluators[k] == &lh_cuda && !lh_devices(NULL, 0, NULL)) continue;
            lh_plan *plan = run_twice(lh_evaluators[k], p.g, &wish);
            stop_if_failed(&p, f->name);
            near(exact, plan, node[0], lh_evaluators[k]->epsilon > 1e-10 ? 1e-4 : 1e-9, f->name);
            lh_evaluators[k]->free(plan);
        }
        lh_exact.free(exact);
        close_program(&p);
    }
}

/* ---- layers that are computed again for their gradients ---- */

static int works_again(const lh_plan *p) {
    int n = 0;
    for (int i = 0; i < p->list[LH_STAGE_RUN].n; i++) n += p->list[LH_STAGE_RUN].work[i].is_again;
    return n;
}

static void recompute_by(const lh_evaluator *with, const program *p, const lh_wish *wish,
                         const char *name) {
    lh_wish other = *wish;
    other.recomputes = true;
    lh_plan *kept = run_twice(with, p->g, wish), *again = run_twice(with, p->g, &other);
    stop_if_failed(p, name);
    if (*checked.problem) fail_msg("%s: %s", name, checked.problem);
    assert_int_equal(works_again(kept), 0);
    assert_true(works_again(again) > 0);
    assert_int_equal(again->list[LH_STAGE_RUN].n, kept->list[LH_STAGE_RUN].n + works_again(again));
    for (int i = 0; i < wish->n_nodes; i++)
        if (with->has(kept, wish->node[i])) same_bits(kept, again, wish->node[i], name);
    with->free(kept), with->free(again);
}

static bool repeats(const lh_program *p) {
    for (int i = 0; i < p->n_statements; i++)
        if (p->statement[i]->kind == LH_S_REPEAT) return true;
    return false;
}

/* By every backend; where every access is checked, nothing is read whose memory another value has meanwhile. */
static void recomputed_layers_have_the_same_bits(void **state) {
    (void)state;
    static const char *const must[] = {"gpt", "llama", "translator", "bert", "micro"};
    unsigned done = 0;
    memset(&checked, 0, sizeof checked);
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *f = &lh_embedded_files[i];
        if (strncmp(f->name, "models/", 7) != 0) continue;
        program p = open_text(f->name, f->text, f->length);
        lh_node *node[256];
        const bool learns = p.g && p.g->loss && p.g->n_examples && repeats(p.program) &&
                            !strstr(f->name, "recurrent"); /* what a turn makes, the next reads */
        const lh_wish wish = {
            .node = node, .n_nodes = learns ? wanted_of(p.g, node, 256) : 0, .updates = true};
        if (learns && cells_of(p.g, &wish) < MOST_CELLS) {
            recompute_by(&lh_checked, &p, &wish, f->name);
            for (int k = 0; lh_evaluators[k]; k++)
                if (lh_evaluators[k] != &lh_cuda || lh_devices(NULL, 0, NULL))
                    recompute_by(lh_evaluators[k], &p, &wish, f->name);
            for (unsigned k = 0; k < sizeof must / sizeof *must; k++)
                if (strncmp(f->name + 7, must[k], strlen(must[k])) == 0) done |= 1u << k;
        }
        close_program(&p);
    }
    assert_int_equal(done, (1u << sizeof must / sizeof *must) - 1);
}

/* By sizes alone: what is kept of a further layer is what enters it. */
static void recomputing_takes_less_memory(void **state) {
    (void)state;
    enum { DIM = 64, ROWS = 128, EXAMPLES = 2 };
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    size_t cells[2][2]; /* [recomputes][layers] */
    for (int k = 0; k < 4; k++) {
        lh_context *ctx = lh_context_new();
        lh_program *text = lh_program_parse(ctx, f->name, f->text, f->length);
        const lh_setting set[] = {{"layers", k % 2 ? "9" : "8"}, {"dim", "64"}, {"context", "128"}};
        lh_graph *g = lh_graph_build(ctx, text, &(lh_build){.set = set, .n_set = 3});
        const int row[] = {ROWS, ROWS}, *rows[] = {row, row};
        lh_plan *p = lh_fast.plan(g, &(lh_wish){.node = &g->loss,
                                                .n_nodes = 1,
                                                .updates = true,
                                                .recomputes = k / 2,
                                                .is_sketch = true});
        lh_fast.feed(p, &(lh_batch){.examples = EXAMPLES, .rows = rows});
        assert_false(lh_failed(ctx));
        cells[k / 2][k % 2] = p->cells[LH_MOVING];
        lh_fast.free(p);
        lh_graph_free(g), lh_program_free(text), lh_context_free(ctx);
    }
    const size_t weights = 12 * DIM * DIM + 13 * DIM, /* of a layer: their gradients stay, too */
        enters = EXAMPLES * ROWS * DIM, more = cells[1][1] - cells[1][0];
    if (more < enters || more > enters + weights + enters / 4)
        fail_msg("a layer takes %zu cells", more);
    assert_true(cells[1][0] < cells[0][0] / 2);
    assert_true(cells[0][1] - cells[0][0] > 10 * enters);
}

static void nothing_to_recompute_is_refused(void **state) {
    (void)state;
    static const char plain[] = "param W : 1 x 2 = [1 -2]\nY = W * W\nloss = sum(Y)\n"
                                "backward loss\nW := W - dW\n",
                      linear[] = "param W : 1 x 2 = [1 -2]\nrepeat h for 3 with X = W\n"
                                 "next X = X + X\nend\nloss = sum(X)\nbackward loss\n"
                                 "W := W - dW\n";
    const struct {
        const char *text, *why;
    } tried[] = {{plain, "the program repeats no layers"},
                 {linear, "no gradient reads a value that only one turn of a repeat uses"}};
    for (int i = 0; i < 2; i++) {
        program p = open_text("test.lh", tried[i].text, strlen(tried[i].text));
        stop_if_failed(&p, "test.lh");
        assert_null(lh_fast.plan(p.g, &(lh_wish){.updates = true, .recomputes = true}));
        if (!strstr(lh_context_error(p.ctx)->what, tried[i].why))
            fail_msg("%s", lh_context_error(p.ctx)->what);
        close_program(&p);
    }
}

/* A check that cannot fail is none: works that are told to run with their operands changed are found out. */
static void faults_are_found(void **state) {
    (void)state;
    static const char text[] = "const A = [1 2; 3 4]\nparam B : 2 x 2 = [5 6; 7 8]\nC = A @ B\n"
                               "D = exp(C)\nloss = sum(D)\n";
    program p = open_text("test.lh", text, strlen(text));
    for (int fault = 0; fault < 3; fault++) {
        memset(&checked, 0, sizeof checked);
        lh_plan *plan = lh_checked.plan(p.g, &(lh_wish){.all = true});
        lh_checked.bind(plan, NULL, 0);
        stop_if_failed(&p, "test.lh");
        lh_work *work = lh_loops_of(plan)->work[LH_STAGE_RUN];
        lh_node *C = lh_graph_find(p.g, "C")->node;
        if (fault == 1)
            ((lh_view *)work[1].in)[0] = lh_loops_of(plan)->view[p.g->given[1]->node->id];
        if (fault == 2) lh_value_of(plan, C)->layout->at += 1000000;
        lh_checked.run(plan);
        assert_int_equal(*checked.problem != 0, fault > 0);
        lh_checked.free(plan);
    }
    close_program(&p);
}

/* A kernel of its own is in its plan, as text. */
static void its_plan_is_text(void **state) {
    (void)state;
    static const char text[] = "param W : 1 x 2 = [1 -2]\nY = relu(W)\nloss = sum(Y * Y)\n";
    program p = open_text("test.lh", text, strlen(text));
    lh_plan *plan =
        lh_checked.plan(p.g, &(lh_wish){.node = &lh_graph_find(p.g, "loss")->node, .n_nodes = 1});
    lh_checked.bind(plan, NULL, 0);
    lh_arena *a = lh_arena_new(p.ctx);
    lh_text out = lh_text_new(a);
    lh_plan_print(&out, plan, &(lh_plan_how){.width = 60});
    stop_if_failed(&p, "test.lh");
    const char *run = strstr(out.s, "In every run\n");
    assert_non_null(run);
    assert_non_null(strstr(out.s, "Evaluator checked: cells of double, 8 bytes each; 1 example\n"));
    static const char wanted[] = "In every run\n"
                                 "   0 relu         Y               moving+0                16\n"
                                 "       ← W\n"
                                 "   1 (*)          Y * Y           moving+128              16\n"
                                 "       ← Y, Y\n"
                                 "   2 (sum)        loss            fixed+64                 8\n"
                                 "       ← Y * Y\n";
    if (strncmp(run, wanted, strlen(wanted)) != 0) fail_msg("%s", run);
    lh_arena_free(a);
    lh_checked.free(plan);
    close_program(&p);
}

/* What a backend cannot do is said. */
static void sums_need_a_backend_that_adds(void **state) {
    (void)state;
    static const char text[] = "param W : 1 x 2 = [1 -2]\nY = W * W\nloss = sum(Y)\n";
    program p = open_text("test.lh", text, strlen(text));
    lh_node *Y = lh_graph_find(p.g, "Y")->node;
    assert_null(lh_checked.plan(p.g, &(lh_wish){.sum = &Y, .n_sums = 1}));
    assert_non_null(strstr(lh_context_error(p.ctx)->what, "checked cannot run a batch in parts"));
    close_program(&p);
}

static void every_backend_has_a_name(void **state) {
    (void)state;
    int n = 0;
    for (; lh_evaluators[n]; n++) {
        assert_ptr_equal(lh_evaluator_find(lh_evaluators[n]->name), lh_evaluators[n]);
        assert_string_equal(lh_evaluators[n]->by->name, lh_evaluators[n]->name);
    }
    /* --recompute asks that, of a backend that it never heard of, too */
    assert_true(lh_fast.by->shares_memory && lh_cuda.by->shares_memory &&
                lh_checked.by->shares_memory);
    assert_false(lh_exact.by->shares_memory || lh_wide.by->shares_memory);
    assert_true(n >= 3);
    assert_null(lh_evaluator_find("checked")); /* not of the program: of this test */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_access_is_its_own),
        cmocka_unit_test(every_backend_agrees),
        cmocka_unit_test(recomputed_layers_have_the_same_bits),
        cmocka_unit_test(recomputing_takes_less_memory),
        cmocka_unit_test(nothing_to_recompute_is_refused),
        cmocka_unit_test(faults_are_found),
        cmocka_unit_test(its_plan_is_text),
        cmocka_unit_test(sums_need_a_backend_that_adds),
        cmocka_unit_test(every_backend_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
