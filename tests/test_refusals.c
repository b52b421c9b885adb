/* Programs that are refused with a message that says why, and programs that are not refused. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "engine.h"

#define FN   "fn f(x)\n  y = x * x\nend\n"
#define FN2  "fn f(x, z)\n  y = x * z\nend\n"
#define USED "param W = 3\nL = f(W)\nbackward L\n"

/* A rule that can never serve was left aside, and the body differentiated in silence. */
static void rules_are_looked_at(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {FN "grad f(x, z)\n  dx = dy\nend\n" USED, "grad f: the rule has 2 arguments for f"},
        {FN "grad f(x)\n  dq = dy\nend\n" USED, "grad f: no line defines the gradient of x"},
        {FN "grad f(x)\n  dx = dy\nend\ngrad f(a)\n  da = dy\nend\n" USED,
         "grad f: there is already such a rule, in line 4"},
        {FN "grad f(x)\n  dx = dy\n  dx = 2 * dy\nend\n" USED, "grad f defines dx twice"},
        {FN2 "grad f(a, a)\n  da = dy\nend\nparam W = 3\n", "grad f: a names two arguments"},
        {"grad nosuch(x)\n  dx = dy\nend\nparam W = 3\n", "grad nosuch: there is no fn nosuch"},
        {"grad nll(softmax(x, y), t)\n  dx = dy\nend\nparam W = 3\n",
         "grad nll: the rule has 2 arguments for softmax"},
        {"grad nll(softmax(x), t)\n  dp = dy\nend\nparam W = 3\n",
         "grad nll: no line defines the gradient of x or another argument"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        engine e;
        if (engine_open(&e, wrong[i][0], NULL)) fail_msg("taken:\n%s", wrong[i][0]);
        if (!strstr(e.problem, wrong[i][1])) fail_msg("%s\n%s", e.problem, wrong[i][0]);
        engine_close(&e);
    }
}

static double gradient_of(const char *text) {
    engine e;
    if (!engine_open(&e, text, NULL) || !engine_run(&e, 0)) fail_msg("%s\n%s", e.problem, text);
    const double d =
        lh_exact.get(e.exact, lh_graph_step(e.graph, "dW")->node, (lh_cell){0, 0, 0, 0});
    engine_close(&e);
    return d;
}

/* A rule for the function, one for a call inside it, another for a function of the prelude, arguments with a default left out. */
static void good_rules_serve(void **state) {
    (void)state;
    assert_true(gradient_of(FN "grad f(x)\n  dx = 5 * dy\nend\n" USED) == 5);
    assert_true(
        gradient_of("fn f(x, z = 2)\n  y = x * z\nend\ngrad f(x)\n  dx = 7 * dy\nend\n" USED) == 7);
    assert_true(
        gradient_of("grad relu(x)\n  dx = 9 * dy\nend\nfn f(x)\n  y = relu(x)\nend\n" USED) == 9);
    assert_true(gradient_of(FN "grad f(x)\n  dx = 5 * dy\nend\ngrad f(relu(x))\n  dx = 11 * "
                               "dy\nend\nparam W = 3\nL = f(relu(W))\nbackward L\n") == 11);
}

static void seeds_have_an_end(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"seed numpy 4294967296\n", "the largest is 4294967295"},
        {"seed 18446744073709551616\n", "the largest is 18446744073709551615"},
        {"seed torch 4\n", "there is no random number generator torch"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        engine e;
        assert_false(engine_open(&e, wrong[i][0], NULL));
        if (!strstr(e.problem, wrong[i][1])) fail_msg("%s\n%s", e.problem, wrong[i][0]);
        engine_close(&e);
    }
    engine e;
    assert_true(engine_open(&e, "seed numpy 4294967295\nparam W : 1 x 2 = normal()\n", NULL));
    engine_close(&e);
}

/* The line that is named, or 0: all is well. */
static int line_of_trouble(const char *text) {
    engine e;
    if (!engine_open(&e, text, NULL) || !engine_run(&e, 0)) fail_msg("%s\n%s", e.problem, text);
    const lh_trouble t = lh_exact.trouble(e.exact);
    const int line = t.node ? t.node->at.line : 0;
    engine_close(&e);
    return line;
}

/* Infinity on the way to a number is no trouble; a step that is none is, and the place where it began. */
static void trouble_is_what_a_step_shows(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int line;
    } known[] = {
        {"x = sigmoid(-800)\ny = silu(-900)\nz = sigmoid([-800 0 800])\n", 0},
        {"param W = [1 2]\nL = sum([0 0] * W)\nbackward L\nclip = min(1, 5 / norm(gradients))\n",
         0},
        {"x = [1 -1]\ny = where(x > 0, log(x), 0)\n", 0},
        {"x = where([1 0], -inf, [2 3])\ny = softmax(x)\n", 0},
        {"const c = 1 / (1 + exp(800))\ny = c + 1\n", 0},
        {"x = 2\ny = exp(800)\nz = 1 / y\n", 2},
        {"x = log(-1)\ny = x + 1\n", 1},
        {"x = 0\ny = 1 + 2 / x\n", 2},
        {"fn f(x)\n  a = 1 / x\n  y = a - a\nend\nz = f(0)\n", 5},
        {"const c = 1 / 0\ny = c + 1\n", 1},
        {"param W = [0 4]\nL = sum(where(W > 0, sqrt(W), 0))\nbackward L\n", 3},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const int line = line_of_trouble(known[i].text);
        if (line != known[i].line)
            fail_msg("line %d and not %d:\n%s", line, known[i].line, known[i].text);
    }
}

/* Twice as many columns as there are tokens are as many in each of two heads. */
static void lengths_are_counted(void **state) {
    (void)state;
    static const char *const line[] = {
        "H = split(beside(A, B), 2)\ny = headsum(mean(H * H))\n",
        "H = split(beside(beside(A, B), A), 3)\ny = headsum(mean(H * H))\n",
        "H = split(beside(beside(A, B), beside(B, A)), 2)\ny = headsum(mean(H * H))\n",
        "H = join(split(beside(A, B), 2)) - beside(A, A)\ny = mean(H * H)\n",
        "H = split(above(A, B)^T, 2)\ny = headsum(mean(H * H))\n",
        "H = beside(A, X) * 2\ny = mean(H * H)\n",
    };
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        char text[1024];
        engine e;
        snprintf(text, sizeof text,
                 "vocab a b c\nseed 2\nparam E : 3 x 2 = normal(1)\nparam U : 3 x 2 = "
                 "normal(1)\nexample a "
                 "b -> c\nexample b a c -> b\nexample c -> c\nX = E[tokens]\nA = X @ X^T\nB = X @ "
                 "U[tokens]^T\n%sL = average(y)\nbackward L\n",
                 line[i]);
        if (!engine_open(&e, text, NULL) || !engine_run(&e, 0) || !engine_check(&e, 0, 1e-12))
            fail_msg("%s\n%s", e.problem, text);
        engine_close(&e);
    }
    engine e;
    assert_false(engine_open(&e,
                             "vocab a b\ninput s : vocab*\ninput t : vocab*\nH = split(beside(s^T, "
                             "t^T), 2)\n",
                             NULL));
    assert_non_null(strstr(e.problem, "cannot be split into 2 equal heads"));
    engine_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_looked_at), cmocka_unit_test(good_rules_serve),
        cmocka_unit_test(seeds_have_an_end),   cmocka_unit_test(trouble_is_what_a_step_shows),
        cmocka_unit_test(lengths_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
