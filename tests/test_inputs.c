/* Programs with more inputs than anybody would write: whoever feeds a program has room for all of them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "engine.h"
#include "train/beam.h"
#include "train/generate.h"
#include "train/inside.h"
#include "train/batch_parts.h"

enum { MANY = 150, TEXT = 1 << 14 };

static void write_inputs(char text[TEXT], size_t *n) {
    *n = (size_t)snprintf(text, TEXT, "vocab 5\nseed 3\n");
    for (int i = 0; i < MANY; i++)
        *n += (size_t)snprintf(text + *n, TEXT - *n, "input i%d : vocab*\n", i);
}

static void open(engine *e, const char *rest, const lh_build *how) {
    char text[TEXT];
    size_t n;
    write_inputs(text, &n);
    snprintf(text + n, sizeof text - n, "%s", rest);
    if (!engine_open(e, text, how)) fail_msg("%s", e->problem);
    assert_int_equal(e->graph->n_inputs, MANY + 1 + (strstr(rest, "target") != NULL));
}

static const char writer[] = "input tokens : vocab*\nconst E : vocab x vocab = normal(1)\n"
                             "logits = E[tokens]\ngenerate tokens from logits\n";

static void a_generator_has_room(void **state) {
    (void)state;
    engine e;
    open(&e, writer, NULL);
    lh_generator *w = lh_generator_new(
        e.graph,
        &(lh_generator_how){.context = 8, .end = -1, .threads = 1, .choice = {.top_k = 1}});
    if (engine_failed(&e)) fail_msg("%s", e.problem);
    lh_generator_prompt(w, (const int[]){1, 2}, 2);
    for (int i = 0; i < 12; i++) assert_in_range(lh_generator_next(w), 0, 4);
    assert_false(engine_failed(&e));
    lh_generator_free(w);
    engine_close(&e);
}

static void a_beam_has_room(void **state) {
    (void)state;
    engine e;
    open(&e, writer, NULL);
    lh_beam *b = lh_beam_new(
        e.graph, &(lh_beam_how){.width = 2, .longest = 5, .given = 1, .end = -1, .threads = 1});
    if (engine_failed(&e)) fail_msg("%s", e.problem);
    assert_true(lh_beam_search(b, NULL, 0, (const int[]){1}, 1));
    assert_int_equal(b->found[0].n, 5);
    lh_beam_free(b);
    engine_close(&e);
}

static void looking_inside_has_room(void **state) {
    (void)state;
    engine e;
    open(&e, writer, NULL);
    static const int prompt[] = {1, 4, 2};
    lh_inside *in = lh_inside_new(e.graph, &(lh_weights){0}, prompt, 3, 1);
    if (engine_failed(&e)) fail_msg("%s", e.problem);
    lh_node *logits = lh_graph_step(e.graph, "logits")->node;
    assert_true(lh_inside_run(in, &logits, 1));
    assert_int_equal(lh_inside_sizes(in, logits).rows, 3);
    assert_true(isfinite(lh_inside_get(in, logits, (lh_cell){0, 0, 2, 4})));
    lh_inside_free(in);
    engine_close(&e);
}

/* All examples have one row of each input; what the last two say counts. */
static void parts_have_room(void **state) {
    (void)state;
    engine e;
    open(&e,
         "input tokens : vocab*\ninput target : vocab*\nparam E : vocab x vocab = normal(1)\n"
         "loss = average(mean(crossentropy(E[tokens], target)))\nbackward loss\nE := E - dE\n",
         NULL);
    static const int ones[] = {1, 1, 1}, token[] = {4, 2, 1};
    const int *rows[MANY + 2], *tokens[MANY + 2];
    for (int i = 0; i < MANY + 2; i++) rows[i] = ones, tokens[i] = token;
    const lh_batch batch = {.examples = 3, .rows = rows, .tokens = tokens};
    double loss[3];
    for (int most = 1; most <= 3; most++) {
        lh_parts *p = lh_parts_new(e.graph, &(lh_parts_how){.most = most, .threads = 1});
        if (engine_failed(&e)) fail_msg("%s", e.problem);
        lh_fast.start(p->whole);
        lh_parts_borrow(p);
        lh_parts_run(p, &batch, 0);
        if (engine_failed(&e)) fail_msg("%s", e.problem);
        loss[most - 1] = lh_parts_loss(p);
        lh_parts_free(p);
    }
    assert_true(fabs(loss[0] - loss[2]) < 1e-6 && fabs(loss[1] - loss[2]) < 1e-6);
    engine_close(&e);
}

/* examples i0 = [1; 2], i1 = ...: each of them counts. */
static void examples_have_room(void **state) {
    (void)state;
    char text[TEXT];
    int n = 0;
    for (int i = 0; i < MANY; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "input i%d : 1 x 1\n", i);
    n += snprintf(text + n, sizeof text - (size_t)n, "examples i0 = [0; 0]");
    for (int i = 1; i < MANY; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, ", i%d = [%d; %d]", i, i, 2 * i);
    snprintf(text + n, sizeof text - (size_t)n, "\ny = i%d + i1\n", MANY - 1);
    engine e;
    if (!engine_open(&e, text, NULL) || !engine_run(&e, 0)) fail_msg("%s", e.problem);
    const lh_node *y = lh_graph_step(e.graph, "y")->node;
    assert_true(lh_exact.get(e.exact, y, (lh_cell){0, 0, 0, 0}) == MANY);
    assert_true(lh_exact.get(e.exact, y, (lh_cell){1, 0, 0, 0}) == 2 * MANY);
    engine_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_generator_has_room),    cmocka_unit_test(a_beam_has_room),
        cmocka_unit_test(looking_inside_has_room), cmocka_unit_test(parts_have_room),
        cmocka_unit_test(examples_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
