/* check: right programs pass, and each kind of wrong one is found at the step where it is wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/check.h"
#include "scarce.h"

static lh_check *checked(lh_context *ctx, const char *text) {
    lh_program *p = lh_program_parse(ctx, "test.lh", text, strlen(text));
    lh_check *c = lh_check_program(ctx, p, NULL);
    const lh_error *e = lh_context_error(ctx);
    if (!c) fail_msg("%d:%d: %s\n%s", e->at.line, e->at.col, e->what, text);
    lh_program_free(p);
    return c;
}

static const lh_finding *first_wrong(const lh_check *c, lh_check_kind kind) {
    for (int i = 0; i < c->n_findings; i++)
        if (c->finding[i].kind == kind && !c->finding[i].ok) return &c->finding[i];
    return NULL;
}

static int count(const lh_check *c, lh_check_kind kind) {
    int n = 0;
    for (int i = 0; i < c->n_findings; i++) n += c->finding[i].kind == kind;
    return n;
}

static long kinks(const lh_check *c, lh_check_kind kind) {
    long n = 0;
    for (int i = 0; i < c->n_findings; i++)
        if (c->finding[i].kind == kind) n += c->finding[i].kinks;
    return n;
}

/* All is well, something was looked at everywhere, and there are just so many kinks. */
static void passes_with(lh_context *ctx, const char *text, long n_kinks) {
    lh_check *c = checked(ctx, text);
    for (int i = 0; i < c->n_findings; i++) {
        const lh_finding *f = &c->finding[i];
        assert_true(f->checked > 0 && f->cells >= f->checked);
        if (!f->ok)
            fail_msg("%s (%d): %g and %g: %s\n%s", f->where ? f->where : f->step, (int)f->kind,
                     f->got, f->want, f->why ? f->why : "", text);
    }
    assert_true(c->ok);
    assert_int_equal(kinks(c, LH_CHECK_DIFFERENCES), n_kinks);
    lh_check_free(c);
}

static void passes(lh_context *ctx, const char *text) {
    passes_with(ctx, text, 0);
}

/* The first wrong finding of a kind is this step, and its words contain `why`. */
static void fails(lh_context *ctx, lh_check_kind kind, const char *step, const char *why,
                  const char *text) {
    lh_check *c = checked(ctx, text);
    const lh_finding *f = first_wrong(c, kind);
    assert_false(c->ok);
    if (!f) {
        fail_msg("nothing wrong was found in\n%s", text);
        return;
    }
    if (!f->step || strcmp(f->step, step) != 0) fail_msg("%s, not %s\n%s", f->step, step, text);
    assert_true(f->error > f->limit);
    if (!f->why || !strstr(f->why, why)) fail_msg("%s, without %s\n%s", f->why, why, text);
    lh_check_free(c);
}

/* ---- programs that are right ---- */

#define ATTENTION                                                                                  \
    "vocab A B C D\n"                                                                              \
    "const E = [1 0; 0 1; 1 1; 0 0]\n"                                                             \
    "param WQ = [0.1 0.2; -0.3 0.1]\n"                                                             \
    "param WK = [0.1 0; 0.5 0.1]\n"                                                                \
    "param WV = [0.1 0; 0 0.1]\n"                                                                  \
    "param WO : 2 x vocab = [0.1 0 0 0; 0 0 0.1 0]\n"                                              \
    "example A B -> C\n"                                                                           \
    "example B A C -> D\n"                                                                         \
    "X = E[tokens]\n"                                                                              \
    "A = attention(X @ WQ, X @ WK, X @ WV, hide = later(X, X))\n"                                  \
    "probs = softmax(A[last] @ WO)\n"                                                              \
    "L = nll(probs, target)\n"

static void test_right(void **state) {
    lh_context *ctx = *state;
    static const char *const programs[] = {
        /* a loss for each example, and one for all */
        ATTENTION "backward L\neach W in params\n  W := W - 0.1 * average(dW)\nend\n",
        ATTENTION
        "loss = average(L)\nbackward loss\neach W in params\n  W := adam(W, dW, 0.1)\nend\n",
        /* gradients of 1e-25: four saturated layer norms, one behind the other */
        "param W = [0.3 0.1; 0.2 -0.4]\nX0 = [1 0; 0 1] @ W\n"
        "X1 = layernorm(X0)\nX2 = layernorm(X1 @ W)\nX3 = layernorm(X2 @ W)\nX4 = layernorm(X3 @ "
        "W)\n"
        "L = sum(X4 * [1 2; 3 5])\nbackward L\n",
        /* heads, random numbers, a stretched row */
        "size heads = 2\nseed 4\nparam W : 4 x 4 = normal(1)\nparam b : 1 x 4 = normal(1)\n"
        "Q = split(dropout([1 2 3 4; 0 1 0 2] @ W + b, 0.3), heads)\n"
        "L = sum(join(attention(Q, Q, Q)) * [1 2 3 4])\nbackward L\nW := sgd(W, dW, 0.1)\n",
        /* a root of small numbers: the usual step is too long */
        "param W = [0.0000001 4]\nL = sum(sqrt(W))\nbackward L\n",
        /* a gradient that lies behind the last digit of a double */
        "param a = 0.1\nX = a * a\nd = X - 0.010000000000000002\nL = d * d\nbackward L\n",
        /* odd powers at 0 */
        "param W = [0 0.5 -1]\nL = sum(W * W * W * W * W)\nbackward L\n",
        /* a rule that goes past a step which has another user */
        "param z = [1 2 3]\nprobs = softmax(z)\nL = nll(probs, 1) + sum(probs * probs)\nbackward "
        "L\n",
        /* a gradient that is the same for every example, of a value that is not */
        "input x : 1 x 2\ninput y : 1 x 1\nexamples x = [0 1; 1 0; 1 1], y = [1; 1; 0]\n"
        "param w = [0.3; -0.2]\nL = mse(x @ w, y)\nbackward L\nw := w - average(dw)\n",
        /* no gradients at all */
        "x = softmax([1 2 3])\n",
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) passes(ctx, programs[i]);
}

static void test_everything_is_checked(void **state) {
    lh_check *c =
        checked(*state, ATTENTION "backward L\neach W in params\n  W := W - average(dW)\nend\n");
    int params = 0, forward = 0;
    for (int i = 0; i < c->n_findings; i++) {
        const lh_finding *f = &c->finding[i];
        if (f->kind != LH_CHECK_DIFFERENCES || f->moment) continue;
        assert_int_equal(f->checked, f->cells);
        params += strncmp(f->step, "dW", 2) == 0;
        forward += strcmp(f->step, "dA") == 0 || strcmp(f->step, "dX") == 0;
    }
    assert_int_equal(params, 4);
    assert_int_equal(forward, 2);
    assert_string_equal(c->loss, "L");
    assert_string_equal(c->rules, "softmax, nll(softmax)");
    assert_true(c->learns);
    assert_int_equal(count(c, LH_CHECK_RULES), 2 * 4);
    assert_int_equal(count(c, LH_CHECK_SOFTMAX), 2 * 2);
    assert_true(count(c, LH_CHECK_WIDE) > 2 * 30);
    lh_check_free(c);
}

/* Too many cells: a sample, and all of them along one direction. A wrong corner far from the sample is found too. */
#define LARGE(rule)                                                                                \
    "fn f(x)\n  y = x * x\nend\ngrad f(x)\n  dx = " rule "\nend\n"                                 \
    "seed 1\nparam W : 90 x 90 = normal(1)\nB = f(W)\nL = sum(B * B)\nbackward L\n"

static void test_sample(void **state) {
    lh_check *c = checked(*state, LARGE("dy * 2 * x"));
    bool seen = false;
    for (int i = 0; i < c->n_findings; i++) {
        const lh_finding *f = &c->finding[i];
        if (f->kind != LH_CHECK_DIFFERENCES || strcmp(f->step, "dW") != 0) continue;
        assert_int_equal(f->cells, 8100);
        assert_true(f->checked >= 1 && f->checked < 1000);
        seen = true;
    }
    assert_true(seen && c->ok);
    assert_true(c->evaluations <= 2100);
    lh_check_free(c);
    fails(*state, LH_CHECK_DIFFERENCES, "dW", "by grad f (line 4)",
          LARGE("dy * (2 * x + (rowindex(x) == 71) * (colindex(x) == 3))"));
}

static void test_kinks(void **state) {
    passes_with(*state, "param W = [0 1; -1 2]\nH = relu(W)\nL = sum(H * H + H)\nbackward L\n", 1);
    passes_with(*state, "param W = [1 1 0]\nM = rowmax(W)\nL = M * M\nbackward L\n", 2);
    /* the slopes of |x| at 0 are 1 and -1, and the middle of them, 0, is what abs says */
    passes(*state, "param W = [0 1]\nL = sum(abs(W))\nbackward L\n");
    /* two slopes are no excuse elsewhere */
    fails(*state, LH_CHECK_DIFFERENCES, "dW", "by grad f",
          "fn f(x)\n  y = max(x, 0)\nend\ngrad f(x)\n  dx = dy * (x > 0) * 2\nend\n"
          "param W = [0 1]\nL = sum(f(W))\nbackward L\n");
}

/* ---- programs that are wrong ---- */

#define SQUARE(rule)                                                                               \
    "fn f(x)\n  y = x * x\nend\n"                                                                  \
    "grad f(x)\n  dx = " rule "\nend\n"                                                            \
    "param W = [1 2; 3 4]\nA = W @ [1; -2]\nB = f(A)\nC = B * 3\nL = sum(C)\nbackward L\n"

static void test_wrong_rule(void **state) {
    lh_context *ctx = *state;
    fails(ctx, LH_CHECK_DIFFERENCES, "dA", "by grad f (line 4)", SQUARE("dy * x"));
    fails(ctx, LH_CHECK_RULES, "dW", "disagree", SQUARE("dy * x"));
    fails(ctx, LH_CHECK_DIFFERENCES, "dA", "by grad f", SQUARE("dy * 2 * x * 1.0000001"));
    fails(ctx, LH_CHECK_RULES, "dW", "disagree", SQUARE("dy * 2 * x * 1.00000000001"));
    passes(ctx, SQUARE("dy * 2 * x"));
}

/* Wrong only after a step of training: at the start x is 0. */
static void test_wrong_later(void **state) {
    const char *text = "fn f(x)\n  y = x * x + x\nend\ngrad f(x)\n  dx = dy * (1 + x)\nend\n"
                       "param w = 0\nL = f(w)\nbackward L\nw := w - 0.5 * dw\n";
    lh_check *c = checked(*state, text);
    const lh_finding *f = first_wrong(c, LH_CHECK_DIFFERENCES);
    assert_non_null(f);
    assert_int_equal(f->moment, 1);
    assert_true(fabs(f->got - 0.5) < 1e-12 && fabs(f->want) < 1e-12);
    lh_check_free(c);
}

#define BY_HAND(kind, dW)                                                                          \
    "const X = [1 2; 3 4]\n" kind " W = [0.1 0.2; 0.3 -0.4]\nz = X @ W\np = softmax(z[last])\n"    \
    "L = nll(p, 1)\ndp = -onehot(1, 2) / p\ndz = above(zeros(1, 2), p - onehot(1, 2))\n"           \
    "dW = " dW "\n"

#define EXAMPLES                                                                                   \
    "vocab A B C\nconst E = [1 0; 0 1; 1 1]\nparam W : 2 x vocab = [0.1 0.2 0.3; 0 0.1 -0.2]\n"    \
    "example A B -> C\nexample B C A -> A\nx = E[tokens[last]]\nz = x @ W\np = softmax(z)\n"       \
    "L = nll(p, target)\nloss = average(L)\n"

static void test_by_hand(void **state) {
    lh_context *ctx = *state;
    passes(ctx, BY_HAND("param", "X^T @ dz"));
    passes(ctx, BY_HAND("const", "X^T @ dz"));
    fails(ctx, LH_CHECK_BY_HAND, "dW", "the true one is X^T @ dz'", BY_HAND("param", "X @ dz"));
    fails(ctx, LH_CHECK_BY_HAND, "dW", "dW is 1x2, and W is 2x2", BY_HAND("param", "colsum(dz)"));
    /* of L for each example, brought together for W; of loss */
    passes(ctx, EXAMPLES "dz = p - onehot(target, 3)\ndW = average(x^T @ dz)\nW := W - dW\n");
    passes(ctx, EXAMPLES "dz = (p - onehot(target, 3)) / 2\ndW = total(x^T @ dz)\n");
    fails(ctx, LH_CHECK_BY_HAND, "dz", "true one", EXAMPLES "dz = p + onehot(target, 3)\n");
    fails(ctx, LH_CHECK_BY_HAND, "dY", "Y does not affect L: its gradient is 0",
          "param W = [1 2]\nY = W * 2\nL = sum(W)\ndY = Y\n");
    passes(ctx, "param W = [1 2]\nY = W * 2\nL = sum(W)\ndY = Y * 0\n");
    /* relu at exactly 0: the body's gradient is 1, by hand it is 0, and neither is wrong */
    passes(ctx, "param W = [0 1]\nL = sum(relu(W))\ndW = 1 * (W > 0)\n");

    lh_check *c = checked(ctx, BY_HAND("param", "X @ dz"));
    const lh_finding *f = first_wrong(c, LH_CHECK_BY_HAND);
    assert_string_equal(f->where, "dW[0][0]");
    assert_true(fabs(f->got - 1.8482836) < 1e-6 && fabs(f->want - 2.7724255) < 1e-6);
    assert_int_equal(count(c, LH_CHECK_BY_HAND), 3);
    assert_int_equal(f->at.line, 8);
    lh_check_free(c);
}

static void test_numbers(void **state) {
    lh_context *ctx = *state;
    fails(ctx, LH_CHECK_NUMBERS, "q", "log(b): the logarithm of a negative number",
          "param a = -1\nb = a * 2\nq = log(b)\nL = q + 1\nbackward L\n");
    fails(ctx, LH_CHECK_NUMBERS, "q", "negative", "const a = -1\nb = a * 2\nq = log(b)\n");
    fails(ctx, LH_CHECK_NUMBERS, "q", "negative", "param b = -1\nq = 1 + 2 * log(b)\nr = q + 1\n");
    fails(ctx, LH_CHECK_NUMBERS, "q", "division by 0", "const a = 0\nq = 1 / a\nr = q + 1\n");
    fails(ctx, LH_CHECK_NUMBERS, "E", "709",
          "param W = [800 1]\nE = exp(W)\nL = sum(E)\nbackward L\n");
    fails(ctx, LH_CHECK_NUMBERS, "A.P", "row 1 of A.P is masked completely",
          "param K = [1 0; 0 1]\nA = attention(K, K, K, hide = [0 1; 1 1])\n"
          "L = sum(A)\nbackward L\n");
    /* only after one step of training */
    fails(ctx, LH_CHECK_NUMBERS, "L", "logarithm",
          "param w = 1\nL = log(w)\nbackward L\nw := w - 3 * dw\n");
    /* a mask that is meant */
    passes(ctx, "param K = [1 0; 0 1]\nA = attention(K, K, K, hide = [0 1; 0 0])\n"
                "L = sum(A * A)\nbackward L\n");
}

static void test_softmax_and_rounding(void **state) {
    lh_context *ctx = *state;
    fails(ctx, LH_CHECK_SOFTMAX, "P", "sum to 1",
          "fn softmax(x)\n  e = exp(x)\n  y = e / (rowsum(e) + 0.0000001)\nend\nP = softmax([1 "
          "2])\n");
    fails(ctx, LH_CHECK_WIDE, "r", "digits",
          "param a = 0.1\nb = 1000000000000 * a\nq = b + 0.01 - b\nr = exp(q * 1000)\n");
    passes(ctx, "param a = 0.1\nb = a * 3 - 0.3\nc = b * 1\n"); /* 0 but for rounding */
}

static void test_cannot_run(void **state) {
    lh_context *ctx = *state;
    const char *text = "a = [1 2] @ [1 2]\n";
    lh_program *p = lh_program_parse(ctx, "test.lh", text, strlen(text));
    assert_null(lh_check_program(ctx, p, NULL));
    assert_true(lh_failed(ctx));
    lh_program_free(p);
}

/* Every piece of memory is refused once: an error each time, and nothing is lost. */
static void test_memory(void **state) {
    lh_context *ctx = *state;
    const char *text = BY_HAND("param", "X^T @ dz");
    for (int i = 1;; i++) {
        asked = 0;
        refused = i;
        lh_program *p = lh_program_parse(ctx, "test.lh", text, strlen(text));
        lh_check *c = p ? lh_check_program(ctx, p, NULL) : NULL;
        bool done = asked < refused;
        assert_true(done ? c != NULL : (c == NULL) == lh_failed(ctx));
        lh_check_free(c);
        lh_program_free(p);
        lh_context_clear(ctx);
        if (done) break;
    }
    refused = 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, with_context, without_context)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_right),      TEST(test_everything_is_checked),
        TEST(test_sample),     TEST(test_kinks),
        TEST(test_wrong_rule), TEST(test_wrong_later),
        TEST(test_by_hand),    TEST(test_numbers),
        TEST(test_cannot_run), TEST(test_softmax_and_rounding),
        TEST(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
