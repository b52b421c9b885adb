/* Every function of the prelude: its value in two number types, and its gradient three times: by its
 * rule, through its lines, by differences. A function without a recipe here fails: add a line to
 * `recipes`, as trial.h says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/embedded.h"
#include "trial.h"

#define STRETCHED "RxC 1xC Rx1 1x1"

static const trial recipes[] = {
    {"softmax", "softmax(a)", {"RxC"}, 0},
    {"softmax", "softmax(3 * a * b) @ c", {"RxC", "RxC 1xC Rx1 1x1", "CxK"}, 0},
    {"softmax", "softmax(a + where(colindex(a) > rowindex(a), -inf, 0)) * b", {"RxC", "RxC"}, 0},
    {"logsoftmax", "logsoftmax(2 * a)", {"RxC"}, 0},
    {"nll", "nll(a, t)", {"+RxC"}, 0},
    {"nll", "nll(softmax(a * b), t)", {"RxC", STRETCHED}, 0},
    {"crossentropy", "crossentropy(a * b, t) * c", {"RxC", STRETCHED, "Rx1 1x1"}, 0},
    {"rowmean", "rowmean(a) * b", {"RxC", "RxC Rx1"}, 0},
    {"mean", "mean(a) * b", {"RxC", "RxC 1x1"}, 0},
    {"mse", "mse(a, b)", {"RxC", STRETCHED}, 0},
    {"mse", "mse(b, a) * a", {"RxC", STRETCHED}, 0},
    {"relu", "relu(a)", {"RxC"}, 0},
    {"relu", "relu(a @ b) * c", {"RxK", "KxC", "RxC 1xC"}, 0},
    {"leakyrelu", "leakyrelu(a)", {"RxC"}, 0},
    {"leakyrelu", "leakyrelu(a, slope = b) * a", {"RxC", "+1x1"}, 0},
    {"elu", "elu(a) + elu(a, 0.5)", {"RxC"}, 0},
    {"elu", "elu(a, b)", {"RxC", "+1x1"}, 0},
    {"softplus", "softplus(3 * a)", {"RxC"}, 0},
    {"sigmoid", "sigmoid(a)", {"RxC"}, 0},
    {"silu", "silu(a)", {"RxC"}, 0},
    {"swiglu", "swiglu(a, b)", {"RxC", STRETCHED}, 0},
    {"swiglu", "swiglu(a, a * 2) * b", {"RxC", "RxC"}, 0},
    {"mod", "mod(a, 0.3)", {"RxC"}, 0},
    {"mod", "mod(a, b) * a", {"RxC", "+1x1"}, 0},
    {"gelu", "gelu(a)", {"RxC"}, 0},
    {"geluexact", "geluexact(a)", {"RxC"}, 0},
    {"layernorm", "layernorm(a, b, c)", {"RxC", "1xC RxC 1x1 Rx1", "1xC RxC Rx1 1x1"}, 0},
    {"layernorm", "layernorm(a)", {"RxC"}, 0},
    {"layernorm", "layernorm(b, a)", {"RxC", "RxC 1xC"}, TRIAL_C_MANY},
    {"layernorm", "layernorm(a, eps = abs(b))", {"RxC", "1x1"}, 0},
    {"layernormstd", "layernormstd(a, b, c)", {"RxC", "1xC 1x1", "1xC RxC 1x1"}, TRIAL_C_MANY},
    {"rmsnorm", "rmsnorm(a, b)", {"RxC", "1xC RxC 1x1 Rx1"}, 0},
    {"rmsnorm", "rmsnorm(a) * b", {"RxC", "RxC"}, 0},
    {"rmsnorm", "rmsnorm(a, 1 + b, eps = abs(c))", {"RxC", "1xC", "1x1"}, 0},
    {"norm", "norm(a) * b", {"RxC", "RxC 1x1"}, 0},
    {"cosine", "cosine(a, b)", {"RxC", "KxC 1xC"}, 0},
    {"cosine", "cosine(a, a) @ b", {"RxC", "RxK"}, 0},
    {"later", "later(a, b)", {"RxC", "KxC RxC"}, TRIAL_DISCRETE | TRIAL_HEADS_END},
    {"attention", "attention(a, b, c)", {"RxC", "KxC RxC", "Kx2 RxK"}, 0},
    {"attention", "attention(a, a, a, hide = later(a, a))", {"RxC"}, 0},
    {"attention", "attention(a, b, b, later(a, b))", {"RxC", "RxC"}, 0},
    {"attention", "attention(a, b, c, hide = [0 1 0])", {"RxC", "KxC", "KxK"}, 0},
    {"beyond", "beyond(a, b, 2)", {"RxC", "KxC RxC"}, TRIAL_DISCRETE | TRIAL_HEADS_END},
    {"beyond", "beyond(a, b, 1, sinks = 1)", {"RxC", "RxC"}, TRIAL_DISCRETE | TRIAL_HEADS_END},
    {"attentionwith", "attentionwith(a, b, c)", {"RxC", "KxC RxC", "Kx2 RxK"}, 0},
    {"attentionwith",
     "attentionwith(a, a, a, beyond(a, a, 2, 1), scale = 0.7, cap = 1.5)",
     {"RxC"},
     0},
    {"attentionwith", "attentionwith(a, b, b, bias = 0.3 * (b @ a^T)^T)", {"RxC", "RxC"}, 0},
    {"softcap", "softcap(3 * a, 2)", {"RxC"}, 0},
    {"softcap", "softcap(a, b)", {"RxC", "+1x1"}, 0},
    {"turns", "turns(a) * a", {"RxC"}, TRIAL_C_EVEN},
    {"turns", "turns(a, 100, apart = 1) * a", {"RxC"}, TRIAL_C_EVEN},
    {"turnslonger", "turnslonger(turns(a), 8, 1, 4, 16) * a", {"RxC"}, TRIAL_C_EVEN},
    {"turnsyarn", "turnsyarn(a, 1000, 4, 8) * a", {"RxC"}, TRIAL_C_EVEN},
    {"rope", "rope(a)", {"RxC"}, TRIAL_C_EVEN},
    {"rope", "rope(a * b, turns(a, 50, 1), 1) * b", {"RxC", "RxC 1xC"}, TRIAL_C_EVEN},
    {"rope", "rope(a, b)", {"RxC", "1xC"}, TRIAL_C_EVEN},
    {"expert",
     "expert(a, [0.5; 0; 0.25], b, b * 2, c)",
     {"3xC", "KxC", "CxK"},
     TRIAL_NO_HEADS | TRIAL_NO_LENGTHS},
    {"expert", "expert(a, b, c, c * 0.5, c^T)", {"RxC", "+Rx1", "KxC"}, 0},
    {"sinusoid", "sinusoid(a) * a", {"RxC"}, 0},
    {"dropout", "dropout(a, 0.25)", {"RxC"}, 0},
    {"decayed", "decayed(a, b, 0.1)", {"RxC", "RxC"}, 0},
    {"decayed", "decayed(a, b, c)", {"RxC", "RxC", "+1x1"}, 0},
    {"sgd", "sgd(a, b, 0.1)", {"RxC", "RxC"}, 0},
    {"momentum", "momentum(A, B, 0.1)", {"RxC", "RxC"}, TRIAL_NO_BATCH | TRIAL_COMMIT},
    {"rmsprop", "rmsprop(A, B, 0.1)", {"RxC", "RxC"}, TRIAL_NO_BATCH | TRIAL_COMMIT},
    {"adam", "adam(A, B, 0.1)", {"RxC", "RxC"}, TRIAL_NO_BATCH | TRIAL_COMMIT},
    {"adamw", "adamw(A, B, 0.1, 0.01)", {"RxC", "RxC"}, TRIAL_NO_BATCH | TRIAL_COMMIT},
};

/* What one expression cannot say. Each has `backward`; rule and lines must agree in each. */
#define WEIGHTS                                                                                    \
    "param A = [0.3 -0.7 0.2; 1.1 0.4 -0.9]\nparam B = [0.5 0.1; -0.3 0.8; 0.6 -0.2]\n"            \
    "const t = [2; 0]\nconst w = [0.7 -1.3 0.4; 0.2 0.9 -0.6]\n"
static const char *const programs[] = {
    WEIGHTS "p = softmax(A)\nL = sum(nll(p, t))\nbackward L\n",
    WEIGHTS "p = softmax(A)\nL = sum(nll(p, t)) + sum(p * w)\nbackward L\n",
    WEIGHTS "x = A * w\np = softmax(x)\nq = p * p\nL = sum(nll(p, t) * [0.3; 2]) + sum(q * w) + "
            "sum(x * x)\n"
            "backward L\n",
    WEIGHTS "p = softmax(A)\nL = sum(nll(p, t)) + 2 * sum(nll(p, t) * [1; 3])\nbackward L\n",
    WEIGHTS "q = softmax(A)\np = q\nL = sum(nll(p, t) * [0.3; 2]) + sum(p * w)\nbackward L\n",
    WEIGHTS "L = sum(nll(softmax(softmax(A) * w), t))\nbackward L\n",
    WEIGHTS "h = attention(A, A, A @ B, hide = later(A, A))\nL = sum(nll(softmax(h @ B^T), t))\n"
            "backward L\n",
    /* a function of the program's own is not the prelude's, whatever its name */
    WEIGHTS "fn relu(x)\n  y = max(x, 0.3 * x)\nend\nL = sum(relu(A) * w)\nbackward L\n",
    WEIGHTS
    "fn softmax(x)\n  e = exp(2 * x)\n  y = e / rowsum(e)\nend\nL = sum(nll(softmax(A), t))\n"
    "backward L\n",
    WEIGHTS
    "fn nll(p, t)\n  y = -log(pick(p, t))^3\nend\nL = sum(nll(softmax(A), t))\nbackward L\n",
    WEIGHTS "fn sigmoid(x)\n  y = x * x\nend\ngrad sigmoid(x)\n  dx = dy * 2 * x\nend\n"
            "L = sum(sigmoid(A) * w)\nbackward L\n",
    /* rules that leave something out, use lines of the body, give back what is larger */
    WEIGHTS "fn f(x, g)\n  s = x * x\n  y = s * g\nend\ngrad f(x, g)\n  dg = dy * s\n  dx = 2 * dy "
            "* x * g\nend\n"
            "L = sum(f(A[0], A) * w) + sum(f(A, A[][1]))\nbackward L\n",
    WEIGHTS
    "fn f(x, g)\n  y = x * g\nend\ngrad f(x)\n  dx = dy * g\nend\nL = sum(f(A, w)) + sum(f(w, A))\n"
    "backward L\n",
    WEIGHTS "fn f(x)\n  y = x^3\nend\ngrad f(x)\n  dx = dy * 3 * x^2\nend\n"
            "fn g(x)\n  a = f(x) + x\n  y = f(a * x)\nend\nL = sum(g(A) * w) + "
            "sum(g(g(A[0])))\nbackward L\n",
    WEIGHTS "fn f(x)\n  y = exp(x)\nend\nfn g(a)\n  y = log(a)\nend\ngrad g(f(x))\n  dx = dy\nend\n"
            "z = f(A)\nL = sum(g(z) * w) + sum(g(f(A * w))) + sum(z)\nbackward L\n",
    WEIGHTS "repeat k for 3 with X = A\n  next X = layernorm(X @ B @ B^T + X)\nend\n"
            "L = sum(crossentropy(X, t) * [1; 2])\nbackward L\n",
};

static bool same_gradients(engine *e, engine *by_lines) {
    for (int i = 0; i < e->graph->n_givens; i++) {
        const lh_step *a = e->graph->given[i]->gradient, *b = by_lines->graph->given[i]->gradient;
        if (!a && !b) continue;
        if (a && b && engine_same(&lh_wide, e->wide, a->node, by_lines->wide, b->node, 1e-13))
            continue;
        snprintf(e->problem, sizeof e->problem, "d%s differs by rule and by lines",
                 e->graph->given[i]->node->step->path);
        return false;
    }
    return true;
}

static bool rule_is_body(engine *e, const char *text, int commits) {
    engine by_lines;
    bool good = engine_open(&by_lines, text, &(lh_build){.ignore_rules = true}) &&
                engine_run(&by_lines, commits) && engine_check(&by_lines, 0, 1e-12);
    if (!good)
        snprintf(e->problem, sizeof e->problem, "by its lines: %.1900s", by_lines.problem);
    else
        good = same_gradients(e, &by_lines);
    engine_close(&by_lines);
    return good;
}

static bool case_rule_is_body(engine *e, const trial_case *c) {
    return rule_is_body(e, e->program->source, c->of->flags & TRIAL_COMMIT ? 1 : 0) &&
           (c->turn % 7 || engine_explains(e, lh_graph_step(e->graph, "y")));
}

static void recipes_agree(void **state) {
    (void)state;
    static char problem[16384];
    int wrong = 0;
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        if (trial_run_all(&recipes[i], problem, sizeof problem, case_rule_is_body) > 0) continue;
        fprintf(stderr, "%s\n", problem);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void programs_agree(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        engine e;
        if (!engine_open(&e, programs[i], NULL) || !engine_run(&e, 0) ||
            !engine_check(&e, 0, 1e-12) || !rule_is_body(&e, programs[i], 0))
            fprintf(stderr, "%s\n%s\n", e.problem, programs[i]), wrong++;
        engine_close(&e);
    }
    assert_int_equal(wrong, 0);
}

static bool has_recipe(const char *name) {
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (strcmp(recipes[i].of, name) == 0) return true;
    return false;
}

static void every_function_has_a_recipe(void **state) {
    (void)state;
    const lh_embedded *f = lh_embedded_find("prelude.lh");
    lh_context *ctx = lh_context_new();
    lh_program *p = lh_program_parse(ctx, f->name, f->text, f->length);
    assert_non_null(p);
    int missing = 0;
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind != LH_S_FN || has_recipe(s->name)) continue;
        fprintf(stderr, "%s has no recipe\n", s->name);
        missing++;
    }
    lh_program_free(p);
    lh_context_free(ctx);
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_has_a_recipe),
        cmocka_unit_test(recipes_agree),
        cmocka_unit_test(programs_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
