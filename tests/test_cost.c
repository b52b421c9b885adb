/* What a program costs: the formulas, worked out, are what a run really counts. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/embedded.h"
#include "eval/exact.h"
#include "explain/bill.h"
#include "learn/lesson.h"
#include "scarce.h"

typedef struct opened {
    lh_context *ctx;
    lh_program *program;
    lh_graph *graph;
    lh_bill *bill;
} opened;

static void fail_with(const char *name, const lh_context *ctx) {
    fail_msg("%s:%d: %s", name, lh_context_error(ctx)->at.line, lh_context_error(ctx)->what);
}

static opened open_text(const char *name, const char *text, size_t length, const lh_setting *set,
                        int n_set) {
    opened o = {.ctx = lh_context_new()};
    o.program = lh_lesson_parse(o.ctx, name, text, length);
    o.graph = lh_graph_build(o.ctx, o.program, &(lh_build){.set = set, .n_set = n_set});
    if (!o.graph) fail_with(name, o.ctx);
    o.bill = o.graph ? lh_bill_new(o.graph, NULL, 0) : NULL;
    if (!o.bill) fail_with(name, o.ctx);
    return o;
}

static opened open_program(const char *text) {
    return open_text("test.lh", text, strlen(text), NULL, 0);
}

static opened open_model(const char *name, const lh_setting *set, int n_set) {
    const lh_embedded *e = lh_embedded_find(name);
    assert_non_null(e);
    return open_text(name, e->text, e->length, set, n_set);
}

static void close_all(opened *o) {
    lh_bill_free(o->bill);
    lh_graph_free(o->graph);
    lh_program_free(o->program);
    lh_context_free(o->ctx);
}

static double sum_of(const lh_polynomial *each, const lh_polynomial *once, int examples) {
    double n = lh_polynomial_value(once);
    for (int e = 0; e < examples; e++) n += lh_polynomial_value_at(each, e);
    return n;
}

/* The whole by formula and by counting; the rows and the phases add up to it. */
static void agrees(const char *name, const opened *o) {
    const lh_bill *b = o->bill;
    lh_plan *p = lh_exact.plan(o->graph, &(lh_wish){.all = true, .as_written = true});
    unsigned long long count[2];
    if (!p) fail_with(name, o->ctx);
    lh_exact.start(p);
    lh_exact.bind(p, NULL, 0);
    lh_exact.count(p, count);
    if (lh_failed(o->ctx)) fail_with(name, o->ctx);
    lh_exact.free(p);
    int examples = o->graph->n_inputs ? o->graph->n_examples : 0;
    const lh_cost *whole = b->sum[LH_WHOLE];
    double madds = sum_of(&whole[LH_EACH].multiply_adds, &whole[LH_ONCE].multiply_adds, examples);
    double others = sum_of(&whole[LH_EACH].operations, &whole[LH_ONCE].operations, examples);
    if (madds != (double)count[0] || others != (double)count[1])
        fail_msg("%s: formulas say %.0f and %.0f, a run counts %llu and %llu", name, madds, others,
                 count[0], count[1]);
    double rows = 0, phases = 0, all = 0;
    for (int w = 0; w < LH_N_WHEN; w++) {
        all += lh_polynomial_value(&whole[w].multiply_adds) +
               lh_polynomial_value(&whole[w].operations);
        for (int i = 0; i < b->n_rows; i++)
            rows += b->row[i].times * (lh_polynomial_value(&b->row[i].cost[w].multiply_adds) +
                                       lh_polynomial_value(&b->row[i].cost[w].operations));
        for (int i = 0; i < LH_WHOLE; i++)
            phases += lh_polynomial_value(&b->sum[i][w].multiply_adds) +
                      lh_polynomial_value(&b->sum[i][w].operations);
    }
    if (rows != all || phases != all)
        fail_msg("%s: rows %.0f, phases %.0f, whole %.0f", name, rows, phases, all);
}

static void every_lesson_and_model(void **state) {
    (void)state;
    int n = 0;
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *e = &lh_embedded_files[i];
        if (strncmp(e->name, "lessons/", 8) != 0 && strncmp(e->name, "models/", 7) != 0) continue;
        opened o = open_text(e->name, e->text, e->length, NULL, 0);
        if (o.graph->n_inputs == 0 || o.graph->n_examples > 0) agrees(e->name, &o), n++;
        close_all(&o);
    }
    assert_true(n >= 20);
}

/* Ragged examples, heads, masks, calls without a rule, updates, nested repeats, lengths that are sums. */
static const char *const programs[] = {
    "x = [1 2; 3 4] @ [1; 2]\ny = x + 1\n",
    "param W = [1 2]\nc = softmax([1 2; 3 4])\nd = c * 2\ny = d * W\nW := W - colsum(y)\n",
    "fn first(a, b)\n  y = a * 2\nend\nparam W = [1 2]\nc = first([3 4], W)\nd = c + 1\n"
    "W := W * d\n",
    "vocab A B C D\nparam E : vocab x 6 = normal(1)\nexample A B C -> D\nexample A -> B\n"
    "example C C A A B -> A\nX = E[tokens]\nS = X @ X^T\nP = softmax(S / sqrt(cols(X)))\n"
    "H = P @ X\nlogits = H[last] @ E^T\nL = nll(softmax(logits), target)\nbackward L\n"
    "E := E - 0.1 * average(dE)\n",
    "vocab A B C D\nsize dim = 6, heads = 3\nparam E : vocab x dim = normal(1)\n"
    "param W : dim x dim = normal(1)\nexample A B C -> D\nexample A B -> B\n"
    "X = E[tokens]\nQ = split(X @ W, heads)\nH = attention(Q, Q, Q, hide = later(Q, Q))\n"
    "Y = X + join(H)\nL = crossentropy(Y[last] @ E^T, target)\nloss = average(L)\n"
    "backward loss\nclip = min(1, 1 / norm(gradients))\n"
    "each W in params\n  W := adam(W, clip * dW, 0.01)\nend\n",
    "vocab A B C\ninput a : vocab*\ninput b : vocab*\nexample a = A B, b = C\n"
    "example a = C, b = A B C\nparam E : vocab x 4 = normal(1)\nX = above(E[a], E[b])\n"
    "S = softmax(X @ X^T)\ny = sum(gelu(S @ X))\nbackward y\nE := E - average(dE)\n",
    "vocab A B C\nsize n = 2, m = 3, dim = 4\nparam E : vocab x dim = normal(1)\n"
    "example A B -> C\nexample A B C A -> C\n"
    "repeat h for n with X = E[tokens]\n  param W : dim x dim = normal(1)\n"
    "  repeat k for m with Y = X @ W\n    param V : dim x dim = normal(1)\n"
    "    Z = Y @ V\n    next Y = gelu(Z) + Y\n  end\n  next X = layernorm(Y)\nend\n"
    "L = nll(softmax(X[last] @ E^T), target)\nloss = average(L)\nbackward loss\n"
    "each W in params\n  W := momentum(W, dW, 0.1)\nend\n",
    "vocab A B C\nsize heads = 2\nparam E : vocab x 4 = normal(1)\nexample A B C -> C\n"
    "example A -> C\nH = split(E[tokens], heads)\nT = H^T\nJ = join(T^T)\nR = join(reverse(H))\n"
    "L = sum(J * R) + sum(headsum(H))\nbackward L\nE := E - average(dE)\n",
};

static void inline_programs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char name[32];
        snprintf(name, sizeof name, "program %zu", i);
        opened o = open_program(programs[i]);
        agrees(name, &o);
        close_all(&o);
    }
}

static const lh_cost_row *find_row(const lh_bill *b, const char *name) {
    for (int i = 0; i < b->n_rows; i++)
        if (strcmp(b->row[i].name, name) == 0) return &b->row[i];
    fail_msg("no row %s", name);
    return NULL;
}

static void madds_are(const lh_bill *b, const char *name, const char *formula) {
    assert_string_equal(lh_polynomial_text(&find_row(b, name)->cost[LH_EACH].multiply_adds),
                        formula);
}

static void others_are(const lh_bill *b, const char *name, lh_cost_when when, const char *formula) {
    assert_string_equal(lh_polynomial_text(&find_row(b, name)->cost[when].operations), formula);
}

static const char attention_program[] =
    "vocab A B C D\nsize dim = 6, heads = 3\nparam E : vocab x dim = normal(1)\n"
    "param W : dim x 2*dim = normal(1)\nexample A B C -> D\nexample A B -> B\n"
    "X = E[tokens]\nY = X @ W\nQ = split(X, heads)\nS = Q @ Q^T\nP = softmax(S)\n"
    "V = above(X, X)\nC = sum(V)\nL = crossentropy(X @ E^T, tokens)\nloss = average(mean(L))\n"
    "backward loss\nE := E - 0.1 * dE\n";

static void formulas_read_as_on_paper(void **state) {
    (void)state;
    opened o = open_program(attention_program);
    const lh_bill *b = o.bill;
    madds_are(b, "Y", "2*tokens*dim^2");
    madds_are(b, "S", "tokens^2*dim");
    madds_are(b, "Q", "0");
    others_are(b, "Q", LH_EACH, "0");
    others_are(b, "P", LH_EACH, "5*tokens^2*heads");
    others_are(b, "C", LH_EACH, "2*tokens*dim");
    others_are(b, "E :=", LH_ONCE, "2*vocab*dim");
    assert_string_equal(lh_polynomial_text(&b->parameters), "2*dim^2 + vocab*dim");
    assert_int_equal(lh_polynomial_value(&b->parameters), 72 + 24);
    assert_int_equal(lh_polynomial_value(&b->gradients), 24);
    assert_int_equal(lh_polynomial_value(&find_row(b, "S")->cost[LH_EACH].multiply_adds), 9 * 6);
    assert_int_equal(lh_polynomial_value_at(&find_row(b, "S")->cost[LH_EACH].multiply_adds, 1),
                     4 * 6);
    assert_int_equal(find_row(b, "E :=")->phase, LH_UPDATE);
    assert_int_equal(find_row(b, "dX")->phase, LH_BACKWARD);
    close_all(&o);
}

static void lengths_can_be_set(void **state) {
    (void)state;
    opened o = open_program(attention_program);
    lh_bill *b = lh_bill_new(o.graph, &(lh_length){"tokens", 1024}, 1);
    assert_non_null(b);
    assert_int_equal(lh_polynomial_value(&find_row(b, "S")->cost[LH_EACH].multiply_adds),
                     1024 * 1024 * 6);
    lh_bill_free(b);
    assert_null(lh_bill_new(o.graph, &(lh_length){"target", 2}, 1)); /* one word */
    assert_string_equal(lh_context_error(o.ctx)->what,
                        "set target: this input has no length that could differ");
    lh_context_clear(o.ctx);
    assert_null(lh_bill_new(o.graph, &(lh_length){"nobody", 2}, 1));
    lh_context_clear(o.ctx);
    close_all(&o);
}

static void turns_of_a_repeat_are_one_row(void **state) {
    (void)state;
    opened o = open_model("models/gpt.lh", (lh_setting[]){{"layers", "12"}}, 1);
    const lh_bill *b = o.bill;
    assert_int_equal(find_row(b, "A")->times, 12);
    assert_int_equal(find_row(b, "next X")->times, 12);
    assert_int_equal(find_row(b, "dA")->times, 12);
    assert_int_equal(find_row(b, "WA :=")->times, 12);
    assert_int_equal(find_row(b, "h[0].X")->times, 1);
    assert_int_equal(find_row(b, "h[12].dX")->times, 1); /* what comes back from behind the last */
    assert_int_equal(find_row(b, "dX")->times, 12);
    assert_int_equal(find_row(b, "X.dropout.dx")->times, 12); /* h[10].X.dropout.dx too */
    /* norm(gradients) runs over all of them: so does its formula */
    assert_non_null(
        strstr(lh_polynomial_text(&find_row(b, "clip")->cost[LH_ONCE].operations), "3*vocab*dim"));
    int named = 0;
    for (int i = 0; i < b->sum[LH_WHOLE][LH_EACH].multiply_adds.n_terms; i++)
        named += strstr(lh_monomial_text(&b->sum[LH_WHOLE][LH_EACH].multiply_adds, i), "layers*") !=
                 NULL;
    assert_true(named >= 2); /* layers*tokens*dim^2 and layers*tokens^2*dim */
    close_all(&o);
}

/* The first turn has nothing to multiply: all turns but one do the same. */
static void one_turn_may_differ(void **state) {
    (void)state;
    opened o = open_program("size n = 5\nconst U = [0.1 0.2; 0.3 0.4]\nvocab A B\nexample A -> B\n"
                            "repeat t for n with h = zeros(1, 2)\n"
                            "  next h = tanh(h @ U + sum(tokens))\nend\n");
    const lh_bill *b = o.bill;
    assert_int_equal(b->n_rows, 3);
    assert_int_equal(b->row[1].times, 1);
    assert_int_equal(b->row[2].times, 4);
    assert_string_equal(lh_polynomial_text(&b->sum[LH_FORWARD][LH_EACH].multiply_adds), "4*n - 4");
    close_all(&o);
}

/* target is always as long as tokens: one name for both, and setting one sets the other. */
static void lengths_that_agree_have_one_name(void **state) {
    (void)state;
    opened o = open_model("models/gpt.lh", NULL, 0);
    for (int w = 0; w < LH_N_WHEN; w++) {
        assert_null(strstr(lh_polynomial_text(&o.bill->sum[LH_WHOLE][w].operations), "target"));
        assert_null(strstr(lh_polynomial_text(&o.bill->values[w]), "target"));
    }
    lh_bill *b = lh_bill_new(o.graph, &(lh_length){"target", 7}, 1);
    assert_non_null(b);
    const lh_polynomial *madds = &find_row(b, "H")->cost[LH_EACH].multiply_adds;
    assert_string_equal(lh_polynomial_text(madds), "2*tokens^2*dim");
    assert_int_equal(lh_polynomial_value(madds), 2 * 7 * 7 * 8);
    lh_bill_free(b);
    assert_null(lh_bill_new(o.graph, (lh_length[]){{"tokens", 8}, {"target", 7}}, 2));
    lh_context_clear(o.ctx);
    close_all(&o);
}

/* The published numbers of parameters. */
static void gpt2_has_its_parameters(void **state) {
    (void)state;
    lh_setting small[] = {
        {"layers", "12"}, {"heads", "12"}, {"dim", "768"}, {"context", "1024"}, {"vocab", "50257"}};
    lh_setting xl[] = {{"layers", "48"},
                       {"heads", "25"},
                       {"dim", "1600"},
                       {"context", "1024"},
                       {"vocab", "50257"}};
    opened o = open_model("models/gpt.lh", small, 5);
    assert_true(lh_polynomial_value(&o.bill->parameters) == 124439808);
    assert_true(lh_polynomial_value(&o.bill->gradients) == 124439808);
    assert_string_equal(lh_polynomial_text(&o.bill->parameters),
                        "12*layers*dim^2 + vocab*dim + dim*context + 13*layers*dim + 2*dim");
    close_all(&o);
    o = open_model("models/gpt.lh", xl, 5);
    assert_true(lh_polynomial_value(&o.bill->parameters) == 1557611200);
    close_all(&o);
}

/* What counting merges, the formula does not: more is written than is done, never less. */
static void a_plan_does_no_more(void **state) {
    (void)state;
    opened o = open_model("models/gpt.lh", NULL, 0);
    unsigned long long as_written[2] = {0}, merged[2] = {0};
    for (int i = 0; i < 2; i++) {
        lh_plan *p = lh_exact.plan(o.graph, &(lh_wish){.all = true, .as_written = i == 0});
        lh_exact.count(p, i == 0 ? as_written : merged);
        lh_exact.free(p);
    }
    assert_true(merged[0] <= as_written[0] && merged[1] < as_written[1]);
    close_all(&o);
}

static void words_cannot_be_counted_anew(void **state) {
    (void)state;
    const char *text = "vocab A B C\nexample A -> B\nx = onehot(target, vocab)\n";
    lh_context *ctx = lh_context_new();
    lh_program *p = lh_program_parse(ctx, "test.lh", text, strlen(text));
    assert_null(
        lh_graph_build(ctx, p, &(lh_build){.set = &(lh_setting){"vocab", "9"}, .n_set = 1}));
    assert_non_null(strstr(lh_context_error(ctx)->what, "a list of words"));
    lh_program_free(p);
    lh_context_free(ctx);
}

static void memory_may_end(void **state) {
    (void)state;
    opened o = open_program(programs[6]);
    o.ctx->alloc = alloc_but_one;
    bool whole = false;
    for (refused = 1; !whole && refused < 10000; refused++) {
        asked = 0;
        lh_bill *b = lh_bill_new(o.graph, NULL, 0);
        whole = b && asked < refused;
        assert_true(b ? !lh_failed(o.ctx) : lh_failed(o.ctx));
        lh_bill_free(b);
        lh_context_clear(o.ctx);
    }
    assert_true(whole);
    o.ctx->alloc = malloc;
    close_all(&o);
}

/* ---- the command ---- */

static int command(const char *arguments, char *out, size_t n) {
    char line[1024];
    const char *root = getenv("LH_BUILD_ROOT");
    snprintf(line, sizeof line, "%s/longhand %s 2>&1", root ? root : ".", arguments);
    FILE *f = popen(line, "r");
    assert_non_null(f);
    size_t got = fread(out, 1, n - 1, f);
    out[got] = 0;
    while (fgetc(f) != EOF) {}
    int status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void the_command_speaks(void **state) {
    (void)state;
    static char out[200000];
    assert_int_equal(command("cost gpt --set layers=12 heads=12 dim=768 context=1024 vocab=50257 "
                             "tokens=1024",
                             out, sizeof out),
                     0);
    assert_non_null(strstr(out, "124,439,808"));
    assert_non_null(strstr(out, "tokens = 1,024"));
    assert_int_equal(command("cost gpt --json", out, sizeof out), 0);
    assert_non_null(strstr(out, "\"parameters\""));
    assert_int_equal(command("cost gpt --set tokens=0", out, sizeof out), 2);
    assert_int_equal(command("cost gpt --set tokens=many", out, sizeof out), 2);
    assert_int_equal(command("cost gpt --set nobody=3", out, sizeof out), 2);
    assert_int_equal(command("cost ex1 --set vocab=7", out, sizeof out), 2);
}

/* No line is wider than the screen. */
static void lines_fit(void **state) {
    (void)state;
    static char out[400000];
    static const char *const names[] = {"ex1", "ex3", "ex6", "gpt", "translator", "sine"};
    for (int width = 60; width <= 120; width += 20)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char arguments[128];
            snprintf(arguments, sizeof arguments, "cost %s", names[i]);
            char columns[8];
            snprintf(columns, sizeof columns, "%d", width);
            setenv("COLUMNS", columns, 1);
            assert_int_equal(command(arguments, out, sizeof out), 0);
            for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
                if ((int)strlen(line) > width) fail_msg("%s at %d: %s", names[i], width, line);
        }
    unsetenv("COLUMNS");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lesson_and_model),
        cmocka_unit_test(inline_programs),
        cmocka_unit_test(formulas_read_as_on_paper),
        cmocka_unit_test(lengths_can_be_set),
        cmocka_unit_test(turns_of_a_repeat_are_one_row),
        cmocka_unit_test(one_turn_may_differ),
        cmocka_unit_test(lengths_that_agree_have_one_name),
        cmocka_unit_test(gpt2_has_its_parameters),
        cmocka_unit_test(a_plan_does_no_more),
        cmocka_unit_test(words_cannot_be_counted_anew),
        cmocka_unit_test(memory_may_end),
        cmocka_unit_test(the_command_speaks),
        cmocka_unit_test(lines_fit),
    };
    return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
