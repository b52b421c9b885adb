/* What brings examples together means one thing: the sum, or the mean, over examples, whatever the shape of the value and whether it
 * exists once or once for each. In every evaluator, explained, counted, differentiated, and a few examples at a time. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/embedded.h"
#include "engine.h"
#include "eval/kernel.h"
#include "explain/check.h"
#include "learn/lesson.h"
#include "train/floats.h"
#include "train/batch_parts.h"

enum { TEXT = 2048 };

static const char *const shape[] = {"1 x 1", "1 x 3", "2 x 1", "2 x 3"};
static const char *const examples[] = {"example A B -> C\n",
                                       "example A -> C\nexample B A C -> B\nexample C C -> A\n"};
static const int n_examples[] = {1, 3};

/* Three ways to say the same: a value that exists once, one for each example, and heads of such. */
static const char *const value[] = {"W", "W + 0 * rows(tokens)", "W + 0 * sum(tokens)",
                                    "W + 0 * rows(target)"};

static void write_program(char text[TEXT], const char *op, int of_shape, int of_value, int many) {
    snprintf(text, TEXT,
             "vocab A B C\nseed 5\nparam W : %s = normal(1)\nconst K : %s = normal(1)\n%s"
             "a = %s(%s)\nloss = sum(K * a * a)\nbackward loss\nW := W - 0.1 * dW\n",
             shape[of_shape], shape[of_shape], examples[many], op, value[of_value]);
}

/* The operations that bring examples together: what they make of a value for each example exists once. */
static int find_ops(const char *names[8]) {
    int n = 0;
    for (int i = 0; i < LH_N_OPS; i++) {
        const lh_op *op = lh_ops[i];
        char text[TEXT];
        engine e;
        if (op->is_internal || op->print_kind != LH_PRINT_CALL || op->n_min > 1 || !op->exact)
            continue;
        snprintf(text, sizeof text, "vocab A B C\nexample A B -> C\ny = %s(0.5 * rows(tokens))\n",
                 op->name);
        if (engine_open(&e, text, NULL)) {
            const lh_node *y = lh_graph_step(e.graph, "y")->node;
            if (!y->shape.is_batched && lh_op_reads(y, 0)) names[n++] = op->name;
        }
        engine_close(&e);
        assert_true(n < 8);
    }
    return n;
}

/* What it should be: a sum adds, a mean does not. */
static double times(const char *op, int many) {
    if (strcmp(op, "average") == 0) return 1;
    assert_string_equal(op, "total"); /* a new one: say here what it means */
    return n_examples[many];
}

static void check_values(const char *op, int of_shape, int of_value, int many) {
    char text[TEXT];
    engine e;
    write_program(text, op, of_shape, of_value, many);
    if (!engine_open(&e, text, NULL) || !engine_run(&e, 0) || !engine_check(&e, 0, 1e-13))
        fail_msg("%s\n%s", e.problem, text);
    const lh_node *W = lh_graph_step(e.graph, "W")->node, *K = lh_graph_step(e.graph, "K")->node,
                  *a = lh_graph_step(e.graph, "a")->node, *dW = lh_graph_step(e.graph, "dW")->node;
    const double n = times(op, many);
    ENGINE_EACH_CELL(&lh_exact, e.exact, W, at) {
        const double w = lh_exact.get(e.exact, W, at), k = lh_exact.get(e.exact, K, at);
        if (!engine_close_to(lh_exact.get(e.exact, a, at), n * w, 1, 1e-14) ||
            !engine_close_to(lh_exact.get(e.exact, dW, at), 2 * k * n * w * n, 1, 1e-13))
            fail_msg("a or dW is not what it should be:\n%s", text);
    }
    for (int i = 0; i < e.graph->n_steps; i++)
        if (!engine_explains(&e, e.graph->step[i])) fail_msg("%s\n%s", e.problem, text);
    engine_close(&e);
}

/* By the whole batch and a few examples at a time, in float. */
static void check_learning(const char *op, int of_shape, int of_value, int many) {
    char text[TEXT];
    engine e;
    write_program(text, op, of_shape, of_value, many);
    if (!engine_open(&e, text, NULL)) fail_msg("%s\n%s", e.problem, text);
    static const int tokens[] = {0, 1, 0, 2, 2, 2}, target[] = {2, 1, 0}, rows[] = {1, 3, 2},
                     ones[] = {1, 1, 1};
    const lh_batch batch = {.examples = n_examples[many],
                            .rows = (const int *const[]){rows, ones},
                            .tokens = (const int *const[]){tokens, target}};
    const lh_node *W = lh_graph_step(e.graph, "W")->node;
    lh_plan *exact = lh_exact.plan(e.graph, &(lh_wish){.updates = true});
    for (int i = 0; i < 2; i++)
        lh_exact.feed(exact, &batch), lh_exact.run(exact), lh_exact.commit(exact);
    for (int most = 1; most <= n_examples[many]; most++) {
        lh_parts *p = lh_parts_new(e.graph, &(lh_parts_how){.most = most, .threads = 1});
        if (engine_failed(&e)) fail_msg("%s\n%s", e.problem, text);
        lh_fast.start(p->whole);
        lh_parts_borrow(p);
        for (int i = 0; i < 2; i++) lh_parts_run(p, &batch, i), lh_fast.commit(p->whole);
        if (engine_failed(&e)) fail_msg("%s\n%s", e.problem, text);
        ENGINE_EACH_CELL(&lh_exact, exact, W, at)
        if (!engine_close_to(lh_exact.get(exact, W, at), lh_fast.get(p->whole, W, at), 1, 1e-5))
            fail_msg("%d at a time learn another W:\n%s", most, text);
        lh_parts_free(p);
    }
    lh_exact.free(exact);
    engine_close(&e);
}

static void every_operation_has_one_meaning(void **state) {
    (void)state;
    const char *op[8];
    const int n = find_ops(op);
    assert_int_equal(n, 2);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < (int)(sizeof shape / sizeof *shape); s++)
            for (int v = 0; v < (int)(sizeof value / sizeof *value); v++)
                for (int many = 0; many < 2; many++) {
                    check_values(op[i], s, v, many);
                    check_learning(op[i], s, v, many);
                }
}

/* Heads, calls, what is read twice, gradients of each example, what was made of it before: 3 examples. */
static void it_holds_inside_formulas(void **state) {
    (void)state;
    static const struct {
        const char *line;
        double value;
    } known[] = {
        {"y = total(rows(target))", 3},
        {"y = total(rows(tokens))", 6},
        {"y = total(1)", 3},
        {"y = average(rows(target))", 1},
        {"y = average(7)", 7},
        {"y = total(total(1))", 9},
        {"y = average(total(2))", 6},
        {"y = total(average(2))", 6},
        {"y = sum(headsum(total(split([1 2 3 4], 2))))", 30},
        {"fn f(x)\n  z = total(x) + 1\nend\ny = f(2)", 7},
        {"y = total(cols([1 2 3; 4 5 6]) * rows(target))", 9},
        {"param W = [1 2]\nL = sum(W) * rows(target)\nbackward L\ny = sum(total(dW))", 6},
        {"param W = [1 2]\nX = 2 * W\nL = sum(X) * rows(target)\nbackward L\ny = sum(total(dX))",
         6},
        {"param W = [1 2]\nX = 2 * W\nL = sum(X)\nloss = total(L)\nbackward loss\ny = sum(dW)", 12},
        {"L = total(sum(tokens)) / total(rows(target))\ny = 3 * L", 7},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[TEXT];
        engine e;
        snprintf(text, sizeof text, "vocab A B C\n%s%s\n", examples[1], known[i].line);
        if (!engine_open(&e, text, NULL) || !engine_run(&e, 0) || !engine_double_agrees(&e, 1e-14))
            fail_msg("%s\n%s", e.problem, text);
        const lh_step *y = lh_graph_step(e.graph, "y");
        const double is = lh_exact.get(e.exact, y->node, (lh_cell){0, 0, 0, 0});
        if (is != known[i].value) fail_msg("y is %g and not %g:\n%s", is, known[i].value, text);
        if (!engine_explains(&e, y)) fail_msg("%s\n%s", e.problem, text);
        engine_close(&e);
    }
}

/* A loss that divides by the words of the batch, by hand, whatever the lengths. */
static void models_mean_the_same(void **state) {
    (void)state;
    static const char *const model[] = {"models/micro.lh", "models/classic.lh"};
    static const char *const counted[] = {"tokens", "wanted"};
    static const int lengths[][3] = {{1, 1, 1}, {2, 2, 2}, {1, 4, 2}, {3, 1, 1}};
    static const int token[32] = {1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2};
    for (int k = 0; k < 8; k++) {
        const lh_embedded *f = lh_embedded_find(model[k % 2]);
        const int *rows = lengths[k / 2];
        engine e = {.ctx = lh_context_new()};
        e.program = lh_lesson_parse(e.ctx, f->name, f->text, f->length);
        e.graph = lh_graph_build(e.ctx, e.program, &(lh_build){.without_examples = true});
        if (engine_failed(&e)) fail_msg("%s", e.problem);
        e.exact = lh_exact.plan(e.graph, &(lh_wish){.all = true});
        lh_exact.feed(e.exact, &(lh_batch){.examples = 3,
                                           .rows = (const int *const[]){rows, rows, rows},
                                           .tokens = (const int *const[]){token, token, token}});
        lh_exact.run(e.exact);
        if (engine_failed(&e)) fail_msg("%s", e.problem);
        const lh_node *L = lh_graph_step(e.graph, "L")->node;
        double sum = 0, words = 0;
        ENGINE_EACH_CELL(&lh_exact, e.exact, L, at) sum += lh_exact.get(e.exact, L, at), words++;
        const double loss = lh_exact.get(e.exact, e.graph->loss, (lh_cell){0, 0, 0, 0});
        if (!engine_close_to(loss, sum / words, 1, 1e-12))
            fail_msg("%s: loss %.17g, and the mean over %s is %.17g", f->name, loss, counted[k % 2],
                     sum / words);
        engine_close(&e);
    }
}

/* A start is there before the examples are: it was 0 in silence. */
static void starts_do_not_see_examples(void **state) {
    (void)state;
    static const char *const start[] = {"const c = total(rows(tokens))", "const c = total(2)",
                                        "n = average(rows(tokens))\nparam c = 2 * n",
                                        "param c = rows(tokens)", "state c = total(1) / 2"};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++) {
        char text[TEXT];
        engine e;
        snprintf(text, sizeof text, "vocab A B C\n%s%s\n", examples[1], start[i]);
        assert_false(engine_open(&e, text, NULL));
        assert_non_null(strstr(e.problem, "exists before the first example"));
        engine_close(&e);
    }
}

/* What is counted while it runs is what the formulas say. */
static void costs_are_those_of_one(void **state) {
    (void)state;
    engine e;
    char text[TEXT];
    snprintf(text, sizeof text,
             "vocab A B C\n%sparam W : 2 x 3 = 1\na = total(W)\nb = average(W)\n", examples[1]);
    assert_true(engine_open(&e, text, NULL) && engine_run(&e, 0));
    unsigned long long count[2];
    lh_exact.count(e.exact, count);
    assert_int_equal(count[0], 0);
    assert_int_equal(count[1], 12);
    engine_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_has_one_meaning),
        cmocka_unit_test(it_holds_inside_formulas),
        cmocka_unit_test(models_mean_the_same),
        cmocka_unit_test(starts_do_not_see_examples),
        cmocka_unit_test(costs_are_those_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
