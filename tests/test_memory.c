/* Memory that ends: each piece is refused once, in everything that is done with a program. Nothing crashes, nothing half-made
 * is used, every piece goes back, and the error says what it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "engine.h"
#include "scarce.h"

static const char *const programs[] = {
    /* a small one with words, examples and a loss for each */
    "vocab A B C D\nconst E = [1 0; 0 1; 1 1; 0 0]\nconst WQ = [0.1 0; 0 0.1]\n"
    "param WO : 2 x vocab = [0.1 0 0 0; 0 0 0.1 0]\nexample A B -> C\nexample A A -> D\n"
    "X = E[tokens]\nQ = X @ WQ\nS = Q @ Q^T\nZ = S / sqrt(cols(Q))\nP = softmax(Z)\nH = P @ X\n"
    "probs = softmax(H[last] @ WO)\nL = nll(probs, target)\nbackward L\nWO := WO - 0.1 * "
    "average(dWO)\n",
    /* repeats, heads, different lengths, a function with a rule */
    "size dim = 4, heads = 2\nvocab a b c\nexample a b c -> a\nexample b -> c\nexample c c -> b\n"
    "param E : vocab x dim = normal(0.5)\n"
    "fn f(x, g)\n  s = x * x\n  y = s * g\nend\ngrad f(x, g)\n  dg = dy * s\n  dx = 2 * dy * x * "
    "g\nend\n"
    "repeat h for 3 with X = E[tokens]\n  param W : dim x dim = xavier()\n  Q = split(X @ W, "
    "heads)\n"
    "  A = join(attention(Q, Q, Q, hide = later(X, X)))\n  next X = layernorm(X + f(A, X))\nend\n"
    "L = crossentropy((X @ E^T)[last], target)\nloss = average(L)\nbackward loss\n"
    "each W in params\n  m = 0.1 * dW\n  W := W - m\nend\n",
    /* states of an optimiser */
    "input x : 1 x 2\ninput y : 1 x 1\nexamples x = [0 0; 0 1; 1 0; 1 1], y = [0; 1; 1; 0]\n"
    "seed numpy 42\nparam W : 2 x 3 = normal(1)\nparam V : 3 x 1 = normal(1)\n"
    "p = sigmoid(tanh(x @ W) @ V)\nL = mse(p, y)\nbackward L\nn = norm(gradients)\n"
    "each U in params\n  U := adamw(U, average(dU), 0.1, 0.01)\nend\n",
    /* what is wrong needs memory for its message */
    "A = [1 2 3; 4 5 6]\nB = A\nC = A @ B\n",
    "weight = [1 2 3; 4 5 6]\nC = wieght + 1\n",
};

/* Parse, build, print, plan, run, renew, explain. */
static void do_everything(lh_context *ctx, const char *text) {
    lh_program *p = lh_program_parse(ctx, "memory.lh", text, strlen(text));
    if (p) lh_program_print(p);
    lh_graph *g = lh_graph_build(ctx, p, NULL);
    for (int i = 0; g && i < g->n_steps; i++) lh_step_formula(g, g->step[i]);
    lh_plan *plan = g ? lh_exact.plan(g, &(lh_wish){.all = true}) : NULL;
    if (plan) {
        lh_exact.start(plan);
        lh_exact.bind(plan, NULL, 0);
        lh_exact.run(plan);
        lh_exact.commit(plan);
        lh_exact.bind(plan, (int[]){0}, 1);
        lh_exact.run(plan);
        if (!lh_failed(ctx)) lh_exact.trouble(plan);
    }
    const char *const asked_for[] = {"L", "dL", "W:=[0][0]", "P[1][0]", "loss"};
    for (size_t i = 0; g && i < sizeof asked_for / sizeof *asked_for; i++) {
        if (!lh_graph_step(g, "L")) break;
        if (i && strcmp(asked_for[i], "loss") != 0 && !lh_graph_step(g, asked_for[i])) continue;
        if (!lh_graph_step(g, asked_for[i])) continue;
        lh_explanation_free(lh_explain(g, asked_for[i], &(lh_explain_how){.deep = i == 0}));
    }
    lh_exact.free(plan);
    lh_graph_free(g);
    lh_program_free(p);
}

/* Memory is taken in large pieces. A line in front, longer and longer, moves where each of them ends. */
static char *padded(const char *text, int n) {
    static char out[16384];
    size_t at = (size_t)snprintf(out, sizeof out, "pad = 1");
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, sizeof out - at, i % 3 ? " + 1" : " * 1.25");
    snprintf(out + at, sizeof out - at, "\n%s", text);
    return out;
}

static void each_piece_fails_once(void **state) {
    (void)state;
    const size_t n_programs = sizeof programs / sizeof *programs;
    for (int pad = 0; pad < (engine_quick() ? 8 : 20); pad++)
        for (size_t i = 0; i < n_programs; i++) {
            const char *text = padded(programs[i], pad);
            lh_error_kind without = LH_OK;
            refuse_all = pad % 2;
            for (int n = 0;; n++) {
                lh_context *ctx = lh_context_new();
                assert_non_null(ctx);
                ctx->alloc = alloc_but_one;
                ctx->release = release_counted;
                asked = live = 0;
                refused = n;
                do_everything(ctx, text);
                lh_error_kind kind = lh_context_error(ctx)->kind;
                bool was_refused = n > 0 && asked >= n;
                if (n == 0) without = kind;
                if (was_refused && kind != LH_ERROR_MEMORY && kind != without)
                    fail_msg("program %zu, piece %d: error %d (%s)", i, n, (int)kind,
                             lh_context_error(ctx)->what);
                if (was_refused && without == LH_OK && kind != LH_ERROR_MEMORY)
                    fail_msg("program %zu, piece %d was refused, and nobody noticed", i, n);
                lh_context_free(ctx);
                if (live)
                    fail_msg("program %zu, piece %d: %d pieces did not come back", i, n, live);
                if (n > 0 && !was_refused) break;
            }
        }
}

/* After a failure and lh_context_clear the same plan is of use again. */
static void a_plan_outlives_a_refused_batch(void **state) {
    (void)state;
    for (int n = 1; n < 5; n++) {
        engine e;
        asked = refused = live = 0;
        assert_true(engine_open(&e, programs[0], NULL));
        e.exact = lh_exact.plan(e.graph, &(lh_wish){.all = true});
        lh_exact.start(e.exact);
        lh_exact.bind(e.exact, (int[]){1}, 1);
        lh_exact.run(e.exact);
        e.ctx->alloc = alloc_but_one;
        asked = 0, refused = n, refuse_all = false;
        lh_exact.bind(e.exact, NULL, 0);
        bool was_refused = asked >= n;
        assert_int_equal(lh_failed(e.ctx), was_refused);
        lh_exact.run(e.exact);
        lh_context_clear(e.ctx);
        refused = 0;
        lh_exact.run(e.exact);
        lh_exact.bind(e.exact, NULL, 0);
        lh_exact.run(e.exact);
        assert_false(lh_failed(e.ctx));
        const lh_node *loss = lh_graph_step(e.graph, "L")->node;
        assert_true(fabs(lh_exact.get(e.exact, loss, (lh_cell){1, 0, 0, 0}) - 1.38) < 0.1);
        engine_close(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_piece_fails_once),
        cmocka_unit_test(a_plan_outlives_a_refused_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
