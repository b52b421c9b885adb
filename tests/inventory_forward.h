/* Rows 1 to 7 of the inventory that no single number proves: the way forward. */
#ifndef LH_TESTS_INVENTORY_FORWARD_H
#define LH_TESTS_INVENTORY_FORWARD_H

#include "inventory.h"

#include "base/number.h"

/* ---- 1: linear algebra ---- */

static void matrix_has_name_and_shape(void) {
    course *c = course_open("ex1");
    const lh_step *s = course_step(c, "WQ");
    assert_string_equal(s->name, "WQ");
    assert_string_equal(lh_shape_text(c->g, s->node->shape), "2x2");
    lh_exact.set(c->plan, s->node, (lh_cell){0, 0, 1, 0}, 0.25);
    assert_true(course_at(c, "WQ[1][0]") == 0.25);
    lh_exact.run(c->plan);
    assert_true(course_at(c, "Q[1][0]") == 0.25);
    course_close(c);
}

static void product_is_explained(void) {
    course *c = course_open("ex1");
    assert_explained(c, "Q[1][1]", "X[1][0] * WQ[0][1] + X[1][1] * WQ[1][1]", "0 * 0 + 1 * 0.1");
    course_close(c);
}

static void misfit_is_refused(void) {
    const char *both[] = {"2x4", "1x2", NULL}, *cure[] = {"2x3 by 2x3", "K^T", NULL};
    assert_refused("P = [1 2 3 4; 5 6 7 8] @ [1 2]\n", both);
    assert_refused("const Q = [1 2 3; 4 5 6]\nconst K = [7 8 9; 1 2 3]\nS = Q @ K\n", cure);
}

static void product_gradients(void) {
    const char *product = "param A = [1 -2 3; 0.5 4 -1]\nparam B = [2 1; -1 3; 0.5 -2]\n"
                          "C = A @ B\nL = sum(C * [1 -2; 3 0.5])\nbackward L\n";
    const char *turned = "param B = [2 1; -1 3; 0.5 -2]\nC = B^T\nL = sum(C * [1 2 3; 4 5 6])\n"
                         "backward L\n";
    course *c = course_open(product);
    assert_formula(c, "dA", "dC @ B^T");
    assert_formula(c, "dB", "A^T @ dC");
    course_close(c);
    c = course_open(turned);
    assert_formula(c, "dB", "dC^T");
    course_expect(c, "dB", "[1 4; 2 5; 3 6]");
    course_close(c);
    assert_differences(product);
    assert_differences(turned);
}

static void calculus_by_differences(void) {
    assert_differences("param x = 0.7\ny = 3 * x\nbackward y\n");
    assert_differences("param x = 0.7\ny = x * x * sin(x)\nbackward y\n");
    assert_differences("param x = 0.7\ny = exp(2 * x)\nbackward y\n");
}

/* ---- 2, 3: tokens, embeddings, positions ---- */

static void words_and_numbers(void) {
    course *c = course_open("ex1");
    const lh_vocab *v = c->g->vocab[0];
    assert_int_equal(v->n_words, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(v->word[i], ((const char *[]){"A", "B", "C", "D"})[i]);
    const lh_node *tokens = course_step(c, "tokens")->node;
    assert_string_equal(v->word[(int)cell_of(c, tokens, 0, 0, 0)], "A");
    assert_string_equal(v->word[(int)cell_of(c, tokens, 0, 1, 0)], "B");
    course_close(c);
}

static void fixed_embeddings(void) {
    course *c = course_open("ex4");
    copy before = copy_of(c, "E");
    course_train(c, 100);
    copy after = copy_of(c, "E");
    assert_true(same_bits(&before, &after));
    course_close(c);
}

static void embeddings_learn(void) {
    course *c = course_open("ex6-pre +E");
    const lh_node *dE = course_step(c, "dE")->node, *dX = course_step(c, "h[0].dX")->node,
                  *tokens = course_step(c, "tokens")->node;
    for (int e = 0; e < 3; e++)
        for (int word = 0; word < 4; word++)
            for (int k = 0; k < 2; k++) {
                double sum = 0;
                for (int r = 0; r < 2; r++)
                    if (cell_of(c, tokens, e, r, 0) == word) sum += cell_of(c, dX, e, r, k);
                assert_true(is_close(cell_of(c, dE, e, word, k), sum));
            }
    copy before = copy_of(c, "E");
    course_train(c, 1);
    copy after = copy_of(c, "E");
    assert_true(before.cell[0] != after.cell[0]);
    assert_true(before.cell[4] == after.cell[4]); /* C is never seen */
    course_close(c);
}

static void unknown_word_is_refused(void) {
    const char *name[] = {"welcome", NULL};
    assert_refused("vocab You are\nexample You are welcome\nX = tokens + 0\n", name);
}

static void widths(void) {
    for (int i = 0; i < 4; i++) {
        double d = ((double[]){2, 4, 768, 12288})[i];
        char what[64];
        snprintf(what, sizeof what, "gpt dim=%.0f", d);
        assert_true(params(what) == 65 * d + 16 * d + 2 * (12 * d * d + 13 * d) + 2 * d);
    }
    assert_true(params("gpt layers=12 heads=12 dim=768 context=1024|vocab 65|vocab 50257") ==
                124439808);
}

static void order_matters(void) {
    course *c = course_open("ex1|example A B -> C|example A B B -> C\nexample B A B -> C");
    assert_near(course_at(c, "logits[0]"), course_at(c, "logits{example 1}[0]"), 1e-17);
    assert_near(course_at(c, "logits[2]"), course_at(c, "logits{example 1}[2]"), 1e-17);
    course_close(c);
    c = course_open("ex1|example A B -> C|example A B B -> C\nexample B A B -> C|"
                    "X = E[tokens]|X = E[tokens] + sinusoid(E[tokens])");
    assert_true(fabs(course_at(c, "logits[0]") - course_at(c, "logits{example 1}[0]")) > 1e-5);
    course_close(c);
}

/* ---- 4, 5: attention ---- */

static void variance_grows(void) {
    for (int d = 4; d <= 64; d *= 4) {
        char text[MAX_TEXT];
        snprintf(
            text, sizeof text,
            "size d = %d\nseed 4\nconst q : 2000 x d = normal(1)\nconst k : 2000 x d = normal(1)\n"
            "s = rowsum(q * k)\nz = s / sqrt(d)\nplain = mean(s * s)\nscaled = mean(z * z)\n"
            "const Q : 20 x d = normal(1)\nconst K : 20 x d = normal(1)\nS = Q @ K^T\n"
            "hard = mean(rowmax(softmax(S)))\nsoft = mean(rowmax(softmax(S / sqrt(d))))\n",
            d);
        course *c = course_open(text);
        assert_near(course_at(c, "plain") / d, 1, 0.15);
        assert_near(course_at(c, "scaled"), 1, 0.15);
        if (d == 64) assert_true(course_at(c, "hard") > 0.7 && course_at(c, "soft") < 0.4);
        course_close(c);
    }
}

static void softmax_of_huge(void) {
    course *c = course_open("P = softmax([1000 0 -1000; -1000 -1000 -1000])\n");
    assert_null(lh_exact.trouble(c->plan).node);
    course_expect(c, "P", "[1 0 0; 0.3333333333333333 0.3333333333333333 0.3333333333333333]");
    course_close(c);
    c = course_open("e = exp([1000 0])\nP = e / rowsum(e)\n");
    lh_trouble t = lh_exact.trouble(c->plan);
    assert_non_null(t.node);
    assert_true(t.node->kind == LH_OP_exp && isinf(t.value));
    course_close(c);
}

static void sum_rows(course *c, const lh_node *n) {
    for (int e = 0; e < (n->shape.is_batched ? lh_exact.examples(c->plan) : 1); e++) {
        lh_sizes s = lh_exact.sizes(c->plan, n, e);
        for (int i = 0; i < s.heads * s.rows; i++) {
            double sum = 0;
            for (int k = 0; k < s.cols; k++)
                sum += lh_exact.get(c->plan, n, (lh_cell){e, i / s.rows, i % s.rows, k});
            assert_near(sum, 1, s.cols <= 6 ? 1e-15 : 1e-14);
        }
    }
}

static void rows_sum_to_one(void) {
    static const char *const what[] = {"ex1",        "ex3", "ex4",  "ex5",        "ex6-three",
                                       "ex6-causal", "gpt", "bert", "translator", "whitepaper"};
    int found = 0;
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        course *c = course_open(what[i]);
        for (int k = 0; k < c->g->n_nodes; k++) {
            const lh_node *n = c->g->node[k];
            if (n->kind != LH_OP_call || strcmp(n->call->fn->name, "softmax") != 0) continue;
            if (!lh_exact.has(c->plan, n)) continue;
            sum_rows(c, n);
            found++;
        }
        course_close(c);
    }
    assert_true(found >= 20);
}

static void attention_in_full(void) {
    static const char *const wanted[] = {"context", "H", "P", "m", "e", "s",
                                         "Z",       "S", "Q", "K", "V", "X"};
    course *c = course_open("ex1");
    lh_explanation *e = lh_explain(c->g, "context[1]", &(lh_explain_how){.deep = true});
    course_check(c);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int found = 0;
        for (int k = 0; k < e->n_lines; k++)
            found += strcspn(e->line[k].label, "[") == strlen(wanted[i]) &&
                     strncmp(e->line[k].label, wanted[i], strlen(wanted[i])) == 0;
        if (!found) fail_msg("the explanation of context[1] has no line for %s", wanted[i]);
    }
    lh_explanation_free(e);
    course_close(c);
}

static void causal_is_exact(void) {
    course *c = course_open("whitepaper-document");
    assert_true(course_at(c, "told.P[0][1]") == 0 && course_at(c, "told.P[0][2]") == 0);
    assert_true(course_at(c, "told.P[1][2]") == 0 && course_at(c, "told.P[0][0]") == 1);
    course_close(c);
}

static void padding_weighs_nothing(void) {
    course *c = course_open("vocab <pad> A B\nexample A B <pad>\nexample B <pad> <pad>\n"
                            "X = onehot(tokens, vocab)\nnone = (tokens == \"<pad>\")^T\n"
                            "H = attention(X, X, X, hide = none)\n");
    const lh_node *P = course_step(c, "H.P")->node;
    sum_rows(c, P);
    for (int r = 0; r < 3; r++) {
        assert_true(cell_of(c, P, 0, r, 2) == 0 && cell_of(c, P, 0, r, 1) > 0);
        assert_true(cell_of(c, P, 1, r, 0) == 1 && cell_of(c, P, 1, r, 1) == 0);
    }
    course_close(c);
    c = course_open("translator"); /* "thank you <pad>": what <pad> is made of changes nothing */
    double before = course_at(c, "logits{example 1}[1][2]");
    lh_exact.set(c->plan, course_step(c, "Ex")->node, (lh_cell){0, 0, 0, 3}, 7);
    lh_exact.set(c->plan, course_step(c, "Ey")->node, (lh_cell){0, 0, 0, 3}, 7);
    lh_exact.run(c->plan);
    assert_true(course_at(c, "logits{example 1}[1][2]") == before);
    course_close(c);
}

static void one_head_is_attention(void) {
    course *c =
        course_open("seed 2\nconst Q : 3 x 4 = normal(1)\nconst K : 3 x 4 = normal(1)\n"
                    "const V : 3 x 4 = normal(1)\nplain = attention(Q, K, V)\n"
                    "one = join(attention(split(Q, 1), split(K, 1), split(V, 1)))\n"
                    "two = attention(split(Q, 2), split(K, 2), split(V, 2))\n"
                    "left = attention(columns(Q, 0, 2), columns(K, 0, 2), columns(V, 0, 2))\n"
                    "right = attention(columns(Q, 2, 4), columns(K, 2, 4), columns(V, 2, 4))\n"
                    "both = join(two)\nbeside = beside(left, right)\n");
    assert_same_bits(c, "plain", c, "one");
    assert_same_bits(c, "both", c, "beside");
    assert_true(course_at(c, "two.P{head 1}[2][0]") == course_at(c, "right.P[2][0]"));
    assert_true(course_at(c, "two{head 0}[2][1]") == course_at(c, "left[2][1]"));
    course_close(c);
}

static void heads_share_the_width(void) {
    const char *none[] = {"3", NULL};
    for (int h = 1; h <= 8; h *= 2) {
        char what[64];
        snprintf(what, sizeof what, "gpt heads=%d", h);
        course *c = course_open(what);
        lh_sizes s = lh_exact.sizes(c->plan, course_step(c, "h[0].Q")->node, 0);
        assert_int_equal(s.heads, h);
        assert_int_equal(s.cols, 8 / h);
        lh_sizes a = lh_exact.sizes(c->plan, course_step(c, "h[0].WA")->node, 0),
                 p = lh_exact.sizes(c->plan, course_step(c, "h[0].WP")->node, 0);
        assert_int_equal(a.rows * a.cols + p.rows * p.cols, 4 * 8 * 8);
        course_close(c);
    }
    assert_refused("gpt heads=3", none);
}

/* ---- 6: feed-forward, activations, residual, norm ---- */

static void activations(void) {
    static const struct {
        const char *name;
        double at, value;
    } known[] = {{"tanh", 1, 0.761594155955765},
                 {"sigmoid", 1, 0.731058578630005},
                 {"relu", 1, 1},
                 {"gelu", 1, 0.841191990608277},
                 {"geluexact", 1, 0.841344746068543},
                 {"silu", 1, 0.731058578630005},
                 {"elu", -1, -0.632120558828558},
                 {"leakyrelu", -1, -0.01},
                 {"softplus", 1, 1.31326168751822},
                 {"softplus", 800, 800},
                 {"silu", -2, -0.238405844044235},
                 {"gelu", -1, -0.158808009391723}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[MAX_TEXT];
        snprintf(text, sizeof text,
                 "param x = [-2 -0.7 -0.1; 0.3 1.9 %g]\ny = %s(x)\n"
                 "L = sum(y * [0.3 -0.8 1.1; 0.5 -0.4 0.9])\nbackward L\n",
                 known[i].at, known[i].name);
        course *c = course_open(text);
        if (!is_close(course_at(c, "y[1][2]"), known[i].value))
            fail_msg("%s(%g) is %.17g", known[i].name, known[i].at, course_at(c, "y[1][2]"));
        course_close(c);
        if (known[i].at < 100) assert_differences(text);
    }
}

static double length_of(course *c, const char *path) {
    copy x = copy_of(c, path);
    double sum = 0;
    for (int i = 0; i < x.n; i++) sum += x.cell[i] * x.cell[i];
    return sqrt(sum);
}

static void residual_keeps_gradient(void) {
    course *with = course_open("ex5"), *without = course_open("ex5-plain");
    assert_true(is_close(length_of(with, "dWV") / length_of(without, "dWV"), 24.886135644731));
    course_close(with);
    course_close(without);
}

static void residual_is_identity(void) {
    course *c = course_open("ex5 W2=[0,0;0,0]");
    assert_same_bits(c, "Y", c, "H");
    course_close(c);
}

static void norm_before_or_after(void) {
    course *pre = course_open("ex6-pre"), *post = course_open("ex6-three");
    course_train(pre, 200);
    course_train(post, 200);
    assert_true(is_learned(pre));
    assert_false(is_learned(post));
    assert_true(course_at(pre, "loss@200") < 0.01 && course_at(post, "loss@200") > 0.4);
    course_close(pre);
    course_close(post);
}

static void stacked_blocks(void) {
    for (int layers = 1; layers <= 8; layers++) {
        char what[64], path[64];
        snprintf(what, sizeof what, "ex6 layers=%d", layers);
        course *c = course_open(what);
        for (int i = 0; i <= layers; i++) {
            snprintf(path, sizeof path, "h[%d].X", i);
            lh_sizes s = lh_exact.sizes(c->plan, course_step(c, path)->node, 0);
            assert_true(s.rows == 2 && s.cols == 2);
        }
        course_close(c);
        assert_true(params(what) == 8 + 32 * layers);
    }
}

static void dropout_rules(void) {
    course *c =
        course_open("seed 3\nconst x : 100 x 100 = 1\nconst z : 3 x 3 = 2\ny = dropout(x, 0.3)\n"
                    "none = dropout(z, 0)\nm = mean(y)\nleft = mean(y == 0)\n");
    assert_near(course_at(c, "m"), 1, 0.02);
    assert_near(course_at(c, "left"), 0.3, 0.02);
    assert_same_bits(c, "none", c, "z");
    double first = course_at(c, "m");
    lh_exact.run(c->plan);
    assert_true(course_at(c, "m") == first); /* the same step: the same cells */
    lh_exact.at_step(c->plan, 1);
    lh_exact.run(c->plan);
    assert_true(course_at(c, "m") != first);
    lh_exact.training(c->plan, false);
    lh_exact.run(c->plan);
    assert_true(course_at(c, "m") == 1 && course_at(c, "left") == 0);
    course_close(c);
}

/* ---- 7: output and loss ---- */

static void probabilities_as_text(void) {
    course *c = course_open("ex1");
    char number[LH_NUMBER_MAX];
    assert_string_equal(lh_number_text(number, sizeof number, course_at(c, "probs[2]"), 4),
                        "0.2506");
    course_close(c);
    const char *text = printed("run ex1 --digits 4", NULL);
    assert_part(text, "0.2506");
    assert_part(text, "25.06%");
}

static void ties_are_seen(void) {
    course *c = course_open("g = argmax([1 3 2; 5 5 1])\n");
    lh_explanation *e = lh_explain(c->g, "g[0]", NULL);
    assert_null(e->line[e->n_lines - 1].note);
    lh_explanation_free(e);
    e = lh_explain(c->g, "g[1]", NULL);
    course_check(c);
    assert_part(e->line[e->n_lines - 1].note, "tie");
    assert_true(e->value == 0);
    lh_explanation_free(e);
    course_close(c);
}

static void ten_thousand_words(void) {
    course *c =
        course_open("vocab 10000\nseed 1\nexample -> t17\nparam x = [0.5 -1 2 0.25]\n"
                    "param W : 4 x vocab = normal(0.5)\nlogits = x @ W\nP = softmax(logits)\n"
                    "L = nll(P, target)\nguess = argmax(P)\nbackward L\n"
                    "W := W - 10 * average(dW)\n");
    lh_sizes s = lh_exact.sizes(c->plan, course_step(c, "P")->node, 0);
    assert_int_equal(s.cols, 10000);
    double sum = 0;
    for (int k = 0; k < 10000; k++) sum += cell_of(c, course_step(c, "P")->node, 0, 0, k);
    assert_near(sum, 1, 1e-12);
    assert_true(course_at(c, "guess@3") == 17);
    course_close(c);
}

#endif
