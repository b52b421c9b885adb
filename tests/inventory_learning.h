/* Rows 8 to 12 of the inventory that no single number proves: the way back, training, the examples. */
#ifndef LH_TESTS_INVENTORY_LEARNING_H
#define LH_TESTS_INVENTORY_LEARNING_H

#include "inventory.h"

/* ---- 8: the way back ---- */

static void softmax_jacobian(void) {
    for (int i = 0; i < 3; i++) {
        char text[MAX_TEXT];
        snprintf(text, sizeof text,
                 "param x = [0.2 -0.4 0.9]\nP = softmax(x)\nL = P[0][%d]\nbackward L\n", i);
        course *c = course_open(text);
        copy P = copy_of(c, "P"), dx = copy_of(c, "dx");
        for (int k = 0; k < 3; k++)
            assert_near(dx.cell[k], P.cell[i] * ((i == k) - P.cell[k]), 1e-16);
        course_close(c);
    }
}

static void input_gradient(void) {
    course *c = course_open("ex3 +E");
    assert_formula(c, "dX.Q", "dQ @ WQ^T");
    assert_formula(c, "dX.K", "dK @ WK^T");
    assert_formula(c, "dX.V", "dV @ WV^T");
    assert_formula(c, "dX", "dX.Q + dX.K + dX.V");
    course_close(c);
    assert_differences("ex3 +E");
}

static void graph_is_a_dag(void) {
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const char *name = lh_embedded_files[i].name, *slash = strchr(name, '/');
        if (!slash) continue;
        char what[128];
        snprintf(what, sizeof what, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
        course *c = course_build(what);
        for (int k = 0; k < c->g->n_nodes; k++) {
            const lh_node *n = c->g->node[k];
            assert_int_equal(n->id, k);
            for (int j = 0; j < n->n_in; j++) assert_true(n->in[j]->id < k);
        }
        for (int k = 0; k < c->g->n_steps; k++) {
            const lh_step *s = c->g->step[k];
            if (s->kind == LH_STEP_GRADIENT && s->of) assert_true(s->node->id > s->of->node->id);
        }
        course_close(c);
    }
}

static void gradients_by_differences(void) {
    double h = lh_wide.epsilon < 1e-30 ? 1e-9 : 1e-6,
           slack = lh_wide.epsilon < 1e-30 ? 1e-15 : 1e-11;
    for (int i = 0; i < N_LEARNERS; i++) {
        assert_differences(learners[i]);
        course *c = course_build(learners[i]);
        double worst = course_differences(c, &lh_wide, h);
        if (!(worst < slack)) fail_msg("%s: a gradient is off by %g", learners[i], worst);
        course_close(c);
    }
}

/* ---- 9: training ---- */

static void assert_moved(const char *what, const char *path, bool moves) {
    course *c = course_open(what);
    copy before = copy_of(c, path);
    course_train(c, 50);
    copy after = copy_of(c, path);
    if (same_bits(&before, &after) == moves)
        fail_msg("%s: %s %s", what, path, moves ? "stays" : "moves");
    course_close(c);
}

static void frozen_bits(void) {
    assert_moved("ex4 -WQ,WV", "WQ", false);
    assert_moved("ex4 -WQ,WV", "WV", false);
    assert_moved("ex4 -WQ,WV", "WK", true);
    assert_moved("ex4 -WQ,WV", "WO", true);
    assert_moved("ex4 +E", "E", true);
    assert_moved("ex6-pre -h[0].W1", "h[0].W1", false);
    assert_moved("ex6-pre -h[0].W1", "h[1].W1", true);
    assert_moved("ex6-pre -W1", "h[1].W1", false);
    assert_moved("ex2 -WO", "WO", false); /* its own line of update is passed over */
    const char *const_stays[] = {"w is a const", NULL};
    assert_refused("const w = 1\nw := w + 1\n", const_stays);
}

static void better_only_if_true(void) {
    assert_part(printed("run ex2", NULL), "the loss fell");
    assert_part(printed("run ex4 --set rate=-1", NULL), "the loss did not fall");
}

static void six_digits(void) {
    char a[32], b[32], d[32];
    course *all = course_open("ex4"), *one = course_open("ex4 -WQ,WK,WV");
    snprintf(a, sizeof a, "%.6f", course_at(all, "loss"));
    snprintf(b, sizeof b, "%.6f", course_at(one, "loss@1"));
    snprintf(d, sizeof d, "%.6f", course_at(all, "loss@1"));
    assert_string_equal(a, "1.385466");
    assert_string_equal(b, "1.385272");
    assert_string_equal(d, "1.385146");
    course_close(all);
    course_close(one);
}

static void batches_of_one(void) {
    assert_int_equal(first_right("ex4 -WQ,WK,WV", 1, 100), 10);
    assert_int_equal(first_right("ex4 -WQ,WK,WV rate=1", 1, 100), 1);
    assert_int_equal(first_right("ex4", 1, 100), 54);
    assert_int_equal(first_right("ex4 rate=1", 1, 100), 7);
    assert_int_equal(first_right("ex4 -WQ,WK,WV", 3, 100), 30); /* all in one batch */
}

static void table_of_patterns(void) {
    course *c = course_open("ex4");
    assert_true(course_at(c, "guess{example 0}") == 2 && course_at(c, "guess{example 1}") == 0);
    assert_true(course_at(c, "guess{example 2}") == 0 && !is_learned(c));
    course_train(c, 158);
    assert_true(is_learned(c));
    course_close(c);
    int status;
    assert_part(printed("run ex4 --steps 158 --table", &status), "3 of 3 right");
    assert_int_equal(status, 0);
    assert_part(printed("run ex4 --steps 157 --table", &status), "2 of 3 right");
    assert_int_equal(status, 1);
}

/* Of all params together, averaged over the examples as the update has them. */
static double gradient_length(course *c) {
    double sum = 0;
    for (int i = 0; i < c->g->n_givens; i++) {
        if (!c->g->given[i]->gradient) continue;
        const lh_node *d = c->g->given[i]->gradient->node;
        EACH_CELL(c, d, 0, r, k) {
            double mean = 0;
            for (int e = 0; e < 3; e++) mean += cell_of(c, d, e, r, k) / 3;
            sum += mean * mean;
        }
    }
    return sqrt(sum);
}

static void gradients_shrink(void) {
    course *c = course_open("ex4 rate=1");
    double last = INFINITY;
    for (int epochs = 30; epochs <= 3000; epochs *= 10) {
        course_train(c, epochs - c->step);
        assert_true(gradient_length(c) < last / 5);
        last = gradient_length(c);
    }
    course_close(c);
}

static void adam_and_rmsprop(void) {
    static const char *const text =
        "param w = [1 -2 0]\nconst a = [0.5 -3 0]\nL = sum(a * w * w) / 2 + sum(w * [1 1 0])\n"
        "backward L\nw := %s(w, dw, 0.01)\n";
    char adam[MAX_TEXT], rms[MAX_TEXT];
    snprintf(adam, sizeof adam, text, "adam");
    snprintf(rms, sizeof rms, text, "rmsprop");
    course *a = course_open(adam), *b = course_open(rms);
    const double curve[] = {0.5, -3, 0}, slope[] = {1, 1, 0};
    for (int i = 0; i < 3; i++) {
        double w = ((double[]){1, -2, 0})[i], u = w, m = 0, v = 0, q = 0;
        for (int t = 1; t <= 3; t++) {
            char address[32];
            double g = curve[i] * w + slope[i], k = curve[i] * u + slope[i];
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            w -= 0.01 * (m / (1 - pow(0.9, t))) / (sqrt(v / (1 - pow(0.999, t))) + 1e-8);
            q = 0.9 * q + 0.1 * k * k;
            u -= 0.01 * k / (sqrt(q) + 1e-8);
            snprintf(address, sizeof address, "w[%d]@%d", i, t);
            assert_true(is_close(course_at(a, address), w));
            assert_true(is_close(course_at(b, address), u));
        }
    }
    assert_near(fabs(course_at(a, "w[0]@1") - 1), 0.01, 1e-9);
    assert_near(fabs(course_at(a, "w[1]@1") + 2), 0.01, 1e-9);
    assert_true(course_at(a, "w[2]@1") == 0);
    course_close(a);
    course_close(b);
}

static void random_starts(void) {
    static const char *const text =
        "seed %d\nparam A : 200 x 300 = xavier()\nparam B : 200 x 300 = he()\n"
        "ma = mean(A)\nva = mean(A * A)\nmb = mean(B)\nvb = mean(B * B)\n";
    char five[MAX_TEXT], six[MAX_TEXT];
    snprintf(five, sizeof five, text, 5);
    snprintf(six, sizeof six, text, 6);
    course *a = course_open(five), *b = course_open(five), *c = course_open(six);
    assert_near(course_at(a, "va") / (2.0 / 500), 1, 0.03);
    assert_near(course_at(a, "vb") / (2.0 / 200), 1, 0.03);
    assert_near(course_at(a, "ma"), 0, 0.002);
    assert_near(course_at(a, "mb"), 0, 0.002);
    assert_true(course_at(a, "A[7][7]") == course_at(b, "A[7][7]"));
    assert_true(course_at(a, "A[7][7]") != course_at(c, "A[7][7]"));
    course_close(a);
    course_close(b);
    course_close(c);
}

static void weight_decay(void) {
    course *c =
        course_open("param w = [1 2]\nparam u = [1 2]\nL = sum((w + u) * [1 0])\nbackward L\n"
                    "w := sgd(w, decayed(w, dw, 0.5), 0.1)\nu := adamw(u, du, 0.1, 0.5)\n");
    course_expect(c, "w@1", "[0.85 1.9]");
    course_expect(c, "u@1", "[0.850000001 1.9]");
    course_expect(c, "w[1]@3", "1.71475");
    course_expect(c, "u[1]@3", "1.71475");
    course_close(c);
}

/* ---- 10, 11: the examples ---- */

static void epochs_until_learned(void) {
    assert_int_equal(first_right("ex4 -WQ,WK,WV", 0, 200), 30);
    assert_int_equal(first_right("ex4 -WQ,WK,WV rate=1", 0, 200), 3);
    assert_int_equal(first_right("ex4 -WQ,WK,WV rate=10", 0, 200), 1);
    assert_int_equal(first_right("ex4", 0, 200), 158);
    assert_int_equal(first_right("ex4 rate=1", 0, 200), 17);
    assert_int_equal(first_right("ex4 rate=10", 0, 200), 3);
    course *c = course_open("ex4 rate=10");
    for (int epoch = 1; epoch <= 30; epoch++) {
        course_train(c, 1);
        if (epoch >= 4) assert_true(is_learned(c) == (epoch >= 9));
    }
    course_close(c);
}

static void wide_example_learns(void) {
    assert_int_equal(first_right("ex6-wide", 0, 300), 6);
    course *c = course_open("ex6-wide");
    course_train(c, 300);
    assert_true(is_learned(c) && course_at(c, "loss@300") < 0.005);
    course_close(c);
}

static bool has_line(const char *text, char sign, int n) {
    for (const char *s = text; s && *s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL) {
        size_t k = strspn(s, (char[]){sign, 0});
        if (k == (size_t)n && s[k] == '\n') return true;
    }
    return false;
}

static void trace_has_its_lines(void) {
    static const char *const steps[] = {
        "X = E[tokens]",          "Q = X @ WQ", "S = Q @ K^T",       "Z = S / sqrt(cols(K))",
        "P = softmax(Z)",         "H = P @ V",  "context = H[last]", "logits = context @ WO",
        "probs = softmax(logits)"};
    int status;
    const char *text = printed("run ex1", &status), *at = text;
    assert_int_equal(status, 0);
    assert_true(has_line(text, '=', 70) && has_line(text, '-', 70));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const char *next = strstr(at, steps[i]);
        if (next)
            at = next;
        else
            fail_msg("`run ex1` does not show %s in its place", steps[i]);
    }
    assert_part(at, "Next:");
}

static void trace_marks_the_target(void) {
    const char *line = strstr(printed("run ex1", NULL), "probs = softmax(logits)");
    static const char *const share[] = {"25.06%", "24.94%", "25.06%", "24.94%"};
    assert_non_null(line);
    for (int word = 0; word < 4; word++) {
        char start[] = {'\n', ' ', ' ', ' ', ' ', (char)('A' + word), ' ', 0};
        const char *row = strstr(line, start);
        if (!row) fail_msg("the token %c has no line of its own", 'A' + word);
        char text[256];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(row + 1, "\n"), row + 1);
        assert_part(text, share[word]);
        assert_true((strstr(text, "<- target") != NULL) == (word == 2));
    }
}

static void width_two_gets_stuck(void) {
    course *c = course_open("ex6-three");
    double apart =
        course_at(c, "h[2].X{example 1}[1][0]") - course_at(c, "h[2].X{example 2}[1][0]");
    assert_near(apart, 8.4517e-12, 5e-16);
    course_train(c, 3000);
    assert_near(course_at(c, "L{example 0}@3000"), 0.000335168689, 1e-9);
    assert_near(course_at(c, "L{example 1}@3000"), log(2), 5e-4);
    assert_near(course_at(c, "L{example 2}@3000"), log(2), 5e-4);
    assert_false(is_learned(c));
    course_close(c);
}

static void pre_norm_learns(void) {
    assert_int_equal(first_right("ex6-pre", 0, 100), 6);
    assert_int_equal(first_right("ex6-pre rate=1", 0, 100), 2);
}

static void causal_answers_alike(void) {
    course *a = course_open("ex6"), *b = course_open("ex6-causal");
    assert_near(course_at(b, "L"), course_at(a, "L"), 1e-13);
    for (int k = 0; k < 2; k++) {
        const lh_node *x = course_step(a, "h[2].X")->node, *y = course_step(b, "h[2].X")->node;
        assert_near(cell_of(b, y, 0, 1, k), cell_of(a, x, 0, 1, k), 1e-13);
        assert_true(fabs(cell_of(b, y, 0, 0, k) - cell_of(a, x, 0, 0, k)) > 1e-13);
    }
    course_close(a);
    course_close(b);
}

/* ---- 12: demonstrations ---- */

static void line_and_network(void) {
    course *c = course_open("sine");
    for (int step = 0; step < 4000; step++) {
        int batch[32];
        for (int i = 0; i < 32; i++) batch[i] = (step * 32 + i) * 37 % 100;
        lh_exact.bind(c->plan, batch, 32);
        lh_exact.run(c->plan);
        lh_exact.commit(c->plan);
    }
    lh_exact.bind(c->plan, NULL, 0);
    lh_exact.run(c->plan);
    course_check(c);
    assert_near(course_at(c, "lossline"), 0.4604533573582322, 1e-3);
    assert_near(course_at(c, "a"), 0.02115492731187829, 5e-3);
    assert_true(course_at(c, "lossnet") < 0.3);
    course_close(c);
}

#endif
