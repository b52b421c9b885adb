/* The public interface where it meets files and the fast evaluator: folders, weights, training, prompts. Through the shared
 * library alone, as tests/test_api.c, which sees that every function of the header is called in one of the two. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <longhand.h>

#include "api_asserts.h"

static char folder[64]; /* of this run; removed at the end */

static const char *path_of(const char *name) {
    static char path[4][128];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static const char notes[] = "the cat sat on the mat. the dog sat on the log. a cat and a dog sat. "
                            "the mat is red and the log is old. the old dog ran. the red cat ran. ";

/* A text that is long enough to hold a tenth out. */
static const char *long_text(void) {
    static char text[8 * sizeof notes];
    if (!*text)
        for (int i = 0; i < 7; i++) strcat(text, notes);
    return text;
}

static void open_small(longhand *lh) {
    longhand_open_lesson(lh, "gpt");
    longhand_set(lh, "layers", "2");
    longhand_set(lh, "dim", "16");
    longhand_set(lh, "heads", "2");
    longhand_set(lh, "context", "16");
}

typedef struct seen {
    int calls, last, looks, stop_at;
    double loss, held_out;
} seen;

static bool note(void *who, const longhand_progress *now) {
    seen *s = who;
    s->calls++;
    s->last = now->step;
    s->loss = now->loss;
    if (!isnan(now->held_out)) s->looks++, s->held_out = now->held_out;
    assert_true(now->seconds >= 0 && now->step <= now->steps);
    return now->step != s->stop_at;
}

static int learn(longhand *lh, seen *s, int steps) {
    return longhand_learn(lh, &(longhand_learn_how){.text = long_text(),
                                                    .steps = steps,
                                                    .batch = 4,
                                                    .threads = 2,
                                                    .every = 5,
                                                    .progress = note,
                                                    .who = s});
}

/* ---- training ---- */

static void learns_and_goes_on(void **state) {
    longhand *lh = *state, *other = longhand_new();
    seen s = {0}, t = {0};
    open_small(lh);
    assert_int_equal(learn(lh, &s, 20), 20);
    is_well(lh);
    assert_int_equal(s.calls, 20);
    assert_int_equal(s.looks, 4);
    assert_true(s.loss < 3.5 && s.held_out < 3.5);
    assert_int_equal(
        longhand_learn(lh, &(longhand_learn_how){.steps = 10, .progress = note, .who = &s}), 10);
    assert_int_equal(s.last, 30);
    open_small(
        other); /* in one go: the const steps of the program is another, and its rate does not fall */
    longhand_set(other, "steps", "20");
    assert_int_equal(learn(other, &t, 30), 30);
    is_well(other);
    assert_true(s.loss == t.loss);
    assert_true(longhand_value(lh, "E[3][2]") == longhand_value(other, "E[3][2]"));
    is_well(lh);
    longhand_free(other);
}

/* Another rate, batch or setting is no other text. */
static void learns_from_the_same_text(void **state) {
    longhand *lh = *state, *other = longhand_new();
    seen s = {0}, t = {0};
    open_small(lh), open_small(other);
    for (int i = 0; i < 2; i++) {
        longhand *one = i ? other : lh;
        longhand_learn_how how = {
            .text = long_text(), .steps = 3, .batch = 4, .progress = note, .who = i ? &t : &s};
        assert_int_equal(longhand_learn(one, &how), 3);
        if (!i) how.text = NULL;
        how.rate = "0.01";
        assert_int_equal(longhand_learn(one, &how), 3);
        longhand_set(one, "rate", "0.02");
        how.rate = NULL;
        how.batch = 5;
        assert_int_equal(longhand_learn(one, &how), 3);
        is_well(one);
    }
    assert_true(s.loss == t.loss && s.held_out == t.held_out);
    assert_true(longhand_value(lh, "E[3][2]") == longhand_value(other, "E[3][2]"));
    longhand_free(other);
}

/* Layers that are computed again change no bit; a program that has none is told so. */
static void recomputes_layers(void **state) {
    longhand *lh = *state, *other = longhand_new();
    seen s = {0}, t = {0};
    open_small(lh), open_small(other);
    for (int i = 0; i < 2; i++) {
        const longhand_learn_how how = {.text = long_text(),
                                        .steps = 6,
                                        .batch = 4,
                                        .progress = note,
                                        .who = i ? &t : &s,
                                        .recompute = i};
        assert_int_equal(longhand_learn(i ? other : lh, &how), 6);
        is_well(i ? other : lh);
    }
    assert_true(s.loss == t.loss && s.held_out == t.held_out);
    assert_true(longhand_value(lh, "E[3][2]") == longhand_value(other, "E[3][2]"));
    longhand_free(other);
}

static void stops_when_told(void **state) {
    longhand *lh = *state;
    seen s = {.stop_at = 7};
    open_small(lh);
    assert_int_equal(learn(lh, &s, 20), 7);
    assert_int_equal(s.last, 7);
    is_well(lh);
}

static void learns_pairs_and_lines(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "adder");
    assert_int_equal(
        longhand_learn(lh, &(longhand_learn_how){.task = "addition", .steps = 3, .batch = 4}), 3);
    is_well(lh);
    longhand_open_lesson(lh, "micro");
    assert_int_equal(
        longhand_learn(lh, &(longhand_learn_how){.task = "names", .steps = 3, .batch = 4}), 3);
    is_well(lh);
    assert_true(strlen(longhand_sample(lh, "a", &(longhand_sample_how){.number = 5})) <= 20);
    is_well(lh);
}

/* What cannot be trained is said, and the program is what it was. */
static void training_is_refused(void **state) {
    longhand *lh = *state;
    longhand_learn(lh, NULL);
    is_wrong(lh, LONGHAND_VALUE, "no program is open");
    longhand_open_lesson(lh, "ex1");
    longhand_learn(lh, NULL);
    is_wrong(lh, LONGHAND_VALUE, "learns neither from");
    assert_true(fabs(longhand_value(lh, "P[1][0]") - 0.498232) < 1e-6);
    open_small(lh);
    longhand_learn(lh, &(longhand_learn_how){.task = "cooking"});
    is_wrong(lh, LONGHAND_NAME, "cooking is not a task");
    longhand_learn(lh, &(longhand_learn_how){.text = ""});
    is_wrong(lh, LONGHAND_VALUE, "empty");
    longhand_learn(lh, &(longhand_learn_how){.file = "/nowhere/notes.txt"});
    is_wrong(lh, LONGHAND_FILE, "/nowhere/notes.txt");
    longhand_learn(lh, &(longhand_learn_how){.text = "a b", .file = "notes.txt"});
    is_wrong(lh, LONGHAND_VALUE, "one of the two");
    longhand_learn(lh, &(longhand_learn_how){.text = long_text(), .tokens = "bpf"});
    is_wrong(lh, LONGHAND_VALUE, "bpf");
    longhand_learn(lh, &(longhand_learn_how){.text = long_text(), .precision = "half"});
    is_wrong(lh, LONGHAND_VALUE, "float or bf16");
    longhand_learn(lh, &(longhand_learn_how){.text = long_text(), .steps = -1});
    is_wrong(lh, LONGHAND_VALUE, "steps is -1");
    longhand_learn(lh, &(longhand_learn_how){.text = long_text(), .rate = "fast"});
    is_wrong(lh, LONGHAND_NAME, "fast");
    assert_true(longhand_size_of(lh, "E", 0).cols == 16); /* what was set before is still set */
    is_well(lh);
    seen s = {0};
    assert_int_equal(learn(lh, &s, 2), 2);
    is_well(lh);
}

static void a_lost_loss_is_an_error(void **state) {
    longhand *lh = *state;
    open_small(lh);
    const int done = longhand_learn(
        lh, &(longhand_learn_how){.text = long_text(), .steps = 50, .batch = 4, .rate = "1e30"});
    assert_true(done < 50);
    is_wrong(lh, LONGHAND_VALUE, "the loss of step");
}

/* ---- folders and weights ---- */

static void folders_are_written_and_read(void **state) {
    longhand *lh = *state, *other = longhand_new();
    seen s = {0};
    open_small(lh);
    learn(lh, &s, 10);
    longhand_save(lh, path_of("model"));
    is_well(lh);
    longhand_open_folder(other, path_of("model"));
    is_well(other);
    assert_string_equal(longhand_title(other), longhand_title(lh));
    assert_true(longhand_value(other, "E[3][2]") == longhand_value(lh, "E[3][2]"));
    assert_true(longhand_find(other, "E")->learns && longhand_find(other, "E")->may_be_set);
    const longhand_sample_how how = {.number = 20, .seed = 3};
    char text[256];
    snprintf(text, sizeof text, "%s", longhand_sample(lh, "the ", &how));
    assert_true(strlen(text) >= 20);
    assert_string_equal(longhand_sample(other, "the ", &how), text);
    is_well(other);
    longhand_run(other);
    is_wrong(other, LONGHAND_VALUE, "no examples of its own");
    longhand_value(other, "logits[0][0]");
    is_wrong(other, LONGHAND_VALUE, "no examples of its own");
    assert_int_equal(
        longhand_learn(other, &(longhand_learn_how){.text = long_text(), .steps = 2, .batch = 4}),
        2);
    is_well(other);
    longhand_open_folder(other, path_of("nothing"));
    is_wrong(other, LONGHAND_FILE, "not a folder");
    longhand_open_folder(other, folder);
    is_wrong(other, LONGHAND_FILE, "program.lh");
    longhand_open_folder(other, NULL);
    is_wrong(other, LONGHAND_VALUE, "NULL");
    longhand_free(other);
}

static void weights_are_loaded_and_saved(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "ex4");
    for (int i = 0; i < 5; i++) longhand_update(lh);
    const double w = longhand_value(lh, "WO[0][3]");
    longhand_save(lh, path_of("ex4.safetensors"));
    is_well(lh);
    longhand_reset(lh);
    assert_true(longhand_value(lh, "WO[0][3]") != w);
    longhand_load(lh, path_of("ex4.safetensors"));
    assert_true(longhand_value(lh, "WO[0][3]") == w); /* to the bit */
    longhand_update(lh);
    longhand_reset(lh);
    assert_true(longhand_value(lh, "WO[0][3]") == w); /* where it starts from now on */
    is_well(lh);
    longhand_load(lh, path_of("none.safetensors"));
    is_wrong(lh, LONGHAND_FILE, "none.safetensors");
    assert_true(longhand_value(lh, "WO[0][3]") == w);
    longhand_load(lh, NULL);
    is_wrong(lh, LONGHAND_VALUE, "NULL");
    longhand_open_lesson(lh, "ex6");
    longhand_load(lh, path_of("ex4.safetensors"));
    assert_non_null(longhand_error(lh));
    longhand_clear_error(lh);
    longhand_open_lesson(lh, "ex1");
    longhand_save(lh, path_of("ex1.safetensors"));
    is_wrong(lh, LONGHAND_VALUE, "no params");
    longhand_save(lh, "/nowhere/model");
    is_wrong(lh, LONGHAND_FILE, "/nowhere");
    longhand_save(lh, NULL);
    is_wrong(lh, LONGHAND_VALUE, "NULL");
}

/* What is set by hand is what is saved, sampled and trained. */
static void what_is_set_counts(void **state) {
    longhand *lh = *state;
    seen s = {0};
    open_small(lh);
    learn(lh, &s, 5);
    longhand_set_value(lh, "E[3][2]", 0.5);
    longhand_save(lh, path_of("set"));
    is_well(lh);
    longhand_prompt(lh, "the cat");
    is_near(longhand_value(lh, "E[3][2]"), 0.5);
    longhand_prompt(lh, NULL);
    assert_int_equal(
        longhand_learn(lh, &(longhand_learn_how){.text = long_text(), .steps = 1, .batch = 4}), 1);
    assert_true(fabs(longhand_value(lh, "E[3][2]") - 0.5) < 0.1);
    is_well(lh);
    longhand_open_folder(lh, path_of("set"));
    is_near(longhand_value(lh, "E[3][2]"), 0.5);
    is_well(lh);
}

/* A param without the name of a weights file, frozen in a trained model, is a weight that does not learn. */
static void what_is_frozen_stays(void **state) {
    static const char text[] = "vocab 4\nseed 4\ninput tokens : vocab*\ninput target : vocab*\n"
                               "generate tokens from logits\nparam A : 4 x 4 = normal(1)\n"
                               "param E : vocab x 4 = normal(1)\nlogits = E[tokens] @ A @ E^T\n"
                               "loss = average(mean(crossentropy(logits, target)))\nbackward loss\n"
                               "A := A - 0.1 * dA\nE := E - 0.1 * dE\n";
    longhand *lh = *state;
    const longhand_learn_how how = {.text = long_text(), .steps = 3, .batch = 4};
    longhand_open_text(lh, "frozen.lh", text, sizeof text - 1);
    assert_int_equal(longhand_learn(lh, &how), 3);
    longhand_save(lh, path_of("frozen"));
    const double a = longhand_value(lh, "A[1][2]"), e = longhand_value(lh, "E[1][2]");
    longhand_open_folder(lh, path_of("frozen"));
    longhand_freeze(lh, "A");
    assert_true(longhand_value(lh, "A[1][2]") == a && longhand_value(lh, "E[1][2]") == e);
    assert_int_equal(longhand_learn(lh, &how), 3);
    assert_true(longhand_value(lh, "A[1][2]") == a && longhand_value(lh, "E[1][2]") != e);
    longhand_save(lh, path_of("frozen"));
    longhand_open_folder(lh, path_of("frozen"));
    assert_true(longhand_value(lh, "A[1][2]") == a && longhand_value(lh, "E[1][2]") != e);
    is_well(lh);
}

/* ---- a prompt ---- */

static void prompts_are_read(void **state) {
    longhand *lh = *state;
    seen s = {0};
    int n = 0;
    size_t bytes;
    open_small(lh);
    learn(lh, &s, 5);
    longhand_prompt(lh, "the cat");
    is_well(lh);
    const int *id = longhand_prompt_tokens(lh, &n);
    assert_int_equal(n, 7);
    assert_string_equal(longhand_piece(lh, id[4], &bytes), "c");
    assert_int_equal(bytes, 1);
    assert_null(longhand_piece(lh, -1, NULL));
    const size_t all = longhand_logits(lh, NULL, 0);
    const longhand_size z = longhand_size_of(lh, "logits", 0);
    assert_true(z.rows == 7 && all == (size_t)z.rows * (size_t)z.cols);
    float *score = calloc(all, sizeof *score);
    double *exact = calloc(all, sizeof *exact);
    assert_int_equal(longhand_logits(lh, score, all), all);
    assert_int_equal(longhand_read(lh, "logits", (longhand_part){0}, exact, all), all);
    for (size_t i = 0; i < all; i++) assert_true(fabs((double)score[i] - exact[i]) < 1e-5);
    assert_true(fabs(longhand_value(lh, "logits[6][3]") - exact[6 * z.cols + 3]) < 1e-5);
    const longhand_explanation *e = longhand_explain(lh, "logits[6][3]", NULL);
    is_well(lh);
    assert_true(strstr(e->where, "row 6 (t)") != NULL && e->n_lines > 0);
    assert_null(longhand_view(lh, "logits", &(longhand_part){0}));
    is_well(lh);
    longhand_logits(lh, score, all - 1);
    is_wrong(lh, LONGHAND_LIMIT, "room for");
    longhand_read(lh, "logits", (longhand_part){.example = 1}, exact, all);
    is_wrong(lh, LONGHAND_NAME, "no example 1");
    longhand_value(lh, "loss");
    is_wrong(lh, LONGHAND_VALUE, "depends on the input target");
    longhand_set_value(lh, "E[0][0]", 1);
    is_wrong(lh, LONGHAND_VALUE, "while a prompt is read");
    longhand_prompt(lh, "the cat sat on the mat and on the log");
    is_wrong(lh, LONGHAND_LIMIT, "context");
    longhand_logits(lh, NULL, 0);
    is_wrong(lh, LONGHAND_VALUE, "no prompt");
    free(score);
    free(exact);
}

static void models_are_looked_into(void **state) {
    longhand *lh = *state;
    seen s = {0};
    const longhand_look_how json = {.form = LONGHAND_AS_JSON}, svg = {.form = LONGHAND_AS_SVG};
    open_small(lh);
    learn(lh, &s, 2);
    longhand_look(lh, &json);
    is_wrong(lh, LONGHAND_VALUE, "no prompt");
    longhand_prompt(lh, "the cat");
    assert_non_null(strstr(longhand_look(lh, &json), "\"attention\""));
    assert_non_null(strstr(longhand_look(lh, &svg), "</svg>"));
    const size_t all = strlen(longhand_look(lh, &json));
    assert_true(strlen(longhand_look(
                    lh, &(longhand_look_how){.form = LONGHAND_AS_JSON, .layer = 1})) < all);
    assert_true(
        strlen(longhand_look(lh, &(longhand_look_how){.form = LONGHAND_AS_JSON, .head = 2})) < all);
    is_well(lh);
    longhand_look(lh, &(longhand_look_how){.form = LONGHAND_AS_JSON, .layer = 3});
    is_wrong(lh, LONGHAND_NAME, "there is no layer 2");
    longhand_look(lh, &(longhand_look_how){.form = LONGHAND_AS_JSON, .head = 3});
    is_wrong(lh, LONGHAND_NAME, "there is no head 2");
    longhand_look(lh, &(longhand_look_how){.form = LONGHAND_AS_JSON, .head = -1});
    is_wrong(lh, LONGHAND_VALUE, "counted from 1");
    longhand_look(lh, NULL);
    is_wrong(lh, LONGHAND_VALUE, "no form text");
}

static bool count(void *who, int token, const char *piece, size_t n) {
    int *left = who;
    assert_true(token >= 0 && piece && strlen(piece) == n);
    return --*left > 0;
}

static void samples_are_drawn(void **state) {
    longhand *lh = *state;
    seen s = {0};
    char greedy[64];
    int left = 4;
    open_small(lh);
    learn(lh, &s, 20);
    snprintf(greedy, sizeof greedy, "%s",
             longhand_sample(lh, "the", &(longhand_sample_how){.number = 12, .greedy = true}));
    is_well(lh);
    assert_int_equal(strlen(greedy), 12);
    assert_string_equal(
        longhand_sample(lh, "the", &(longhand_sample_how){.number = 12, .top_k = 1, .seed = 9}),
        greedy);
    assert_int_equal(
        strlen(longhand_sample(lh, NULL,
                               &(longhand_sample_how){.number = 30, .token = count, .who = &left})),
        4);
    longhand_sample(lh, "the", &(longhand_sample_how){.temperature = -1});
    is_wrong(lh, LONGHAND_VALUE, "temperature");
    longhand_sample(lh, "the", &(longhand_sample_how){.top_p = 2});
    is_wrong(lh, LONGHAND_VALUE, "top_p");
    assert_non_null(
        longhand_sample(lh, "the", &(longhand_sample_how){.number = 5, .precision = "int8"}));
    longhand_sample(lh, "the", &(longhand_sample_how){.precision = "half"});
    is_wrong(lh, LONGHAND_VALUE, "float, bf16, int8 or int4");
    longhand_open_lesson(lh, "ex1");
    longhand_sample(lh, "the", NULL);
    is_wrong(lh, LONGHAND_VALUE, "no tokeniser");
    longhand_prompt(lh, "the");
    is_wrong(lh, LONGHAND_VALUE, "no tokeniser");
}

/* ---- options of another version ---- */

static void options_grow(void **state) {
    longhand *lh = *state;
    struct {
        longhand_sample_how how;
        int later;
    } newer = {.how = {.size = sizeof newer, .number = 3}};
    seen s = {0};
    open_small(lh);
    learn(lh, &s, 2);
    assert_int_equal(strlen(longhand_sample(lh, "t", &newer.how)), 3);
    newer.later = 1;
    longhand_sample(lh, "t", &newer.how);
    is_wrong(lh, LONGHAND_VALUE, "does not know");
    longhand_sample_how older = {.size = offsetof(longhand_sample_how, greedy),
                                 .number = 4,
                                 .greedy = true,
                                 .temperature = -5};
    assert_int_equal(strlen(longhand_sample(lh, "t", &older)),
                     4); /* what is behind its size is not read */
    is_well(lh);
}

static int begin(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/longhand-api-model-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(learns_and_goes_on),
        TEST(learns_from_the_same_text),
        TEST(recomputes_layers),
        TEST(stops_when_told),
        TEST(learns_pairs_and_lines),
        TEST(training_is_refused),
        TEST(a_lost_loss_is_an_error),
        TEST(folders_are_written_and_read),
        TEST(weights_are_loaded_and_saved),
        TEST(what_is_set_counts),
        TEST(what_is_frozen_stays),
        TEST(prompts_are_read),
        TEST(models_are_looked_into),
        TEST(samples_are_drawn),
        TEST(options_grow),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
