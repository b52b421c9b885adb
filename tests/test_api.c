/* The public interface, through include/longhand.h and the shared library alone. The last test reads the header and names
 * every function that is called neither here nor in tests/test_api_model.c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "comma.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <longhand.h>

#include "api_asserts.h"

/* ---- opening ---- */

static void opens_lessons(void **state) {
    longhand *lh = *state;
    int n = 0;
    for (const char *name; (name = longhand_lesson(n)); n++) {
        longhand_open_lesson(lh, name);
        is_well(lh);
        assert_true(strlen(longhand_title(lh)) > 0);
    }
    assert_true(n > 8);
    assert_null(longhand_lesson(-1));
    longhand_open_lesson(lh, "ex1");
    assert_string_equal(longhand_title(lh), "Example 1: the forward pass");
    assert_non_null(strstr(longhand_text(lh), "P = softmax(Z)"));
    assert_null(strstr(longhand_text(lh), "```"));
    longhand_open_lesson(lh, "attention:bag");
    is_near(longhand_value(lh, "W[0][0]"), 0.1);
    assert_non_null(strstr(longhand_text(lh), "const W"));
    longhand_open_lesson(lh, "lessons/attention.md:bag");
    is_well(lh);
    longhand_open_lesson(lh, "ex4:wo1"); /* a use line: --set rate=1 --freeze WQ,WK,WV */
    is_near(longhand_value(lh, "rate"), 1);
    longhand_set(lh, "rate", "0.5");
    is_near(longhand_value(lh, "rate"), 0.5);
    longhand_restore(lh);
    is_near(longhand_value(lh, "rate"), 1);
    longhand_open_lesson(lh, "ex2:up"); /* with a mistake, which restoring keeps */
    double up = longhand_value(lh, "WO[1][2]@1");
    longhand_restore(lh);
    is_near(longhand_value(lh, "WO[1][2]@1"), up);
    assert_true(up < longhand_value(lh, "WO[1][2]"));
    longhand_open_lesson(lh, "attention:bags");
    is_wrong(lh, LONGHAND_NAME, "attention has no program bags");
    longhand_open_lesson(lh, "ex11");
    is_wrong(lh, LONGHAND_NAME, "there is no lesson ex11");
}

/* The text of a program is that program: opened again, it has the same numbers. */
static void text_is_the_program(void **state) {
    longhand *lh = *state, *again = longhand_new();
    longhand_open_lesson(lh, "ex3");
    longhand_set(lh, "rate", "5");
    const char *text = longhand_text(lh);
    longhand_open_text(again, "again.lh", text, 0);
    longhand_restore(lh);
    is_near(longhand_value(again, "dWO[0][1]"), longhand_value(lh, "dWO[0][1]"));
    is_near(longhand_value(again, "rate"), longhand_value(lh, "rate"));
    is_well(again);
    longhand_free(again);
}

static void has_files(void **state) {
    (void)state;
    size_t n = 7;
    const char *lesson = longhand_file("lessons/ex1.md", &n);
    assert_non_null(lesson);
    assert_int_equal(n, strlen(lesson));
    assert_non_null(longhand_file("page.css", NULL));
    assert_null(longhand_file("lessons/nothing.md", &n));
    assert_int_equal(n, 0);
    assert_null(longhand_file(NULL, NULL));
}

static void opens_text(void **state) {
    longhand *lh = *state;
    longhand_open_text(lh, "mine.lh", "# doubled\nx = [1 2; 3 4] * 2\nrest of it", 28);
    assert_string_equal(longhand_text(lh), "# doubled\nx = [1 2; 3 4] * 2\n");
    is_near(longhand_value(lh, "x[1][0]"), 6);
    assert_string_equal(longhand_title(lh), "doubled");
    longhand_open_text(lh, "mine.md", "# A\n\n```longhand\nx = 1 + 1\n```\n", 0);
    is_near(longhand_value(lh, "x"), 2);
    is_well(lh);
    longhand_open_text(lh, "mine.md:two",
                       "# A\n\n```longhand\nx = 1\n```\n\n```longhand two\nx = 2\n```\n", 0);
    is_near(longhand_value(lh, "x"), 2);
    longhand_open_text(lh, "mine.lh", "x = [1 2\n", 0);
    const longhand_message *e = longhand_error(lh);
    assert_non_null(e);
    assert_string_equal(e->file, "mine.lh");
    assert_int_equal(e->line, 1);
    assert_int_equal(e->column, 5);
    assert_string_equal(e->source, "x = [1 2");
    is_wrong(lh, LONGHAND_TEXT, "never closed");
    longhand_open_text(lh, NULL, NULL, 0);
    is_wrong(lh, LONGHAND_VALUE, "NULL");
}

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void opens_files(void **state) {
    longhand *lh = *state;
    char folder[] = "/tmp/longhand-api-XXXXXX", path[64], numbers[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/mine.lh", folder);
    snprintf(numbers, sizeof numbers, "%s/numbers.txt", folder);
    write_file(path, "const w = file(\"numbers.txt\")\ny = w * 10\n");
    write_file(numbers, "1 2\n3 4\n");
    longhand_open_file(lh, path);
    is_near(longhand_value(lh, "y[1][1]"), 40);
    longhand_open_text(lh, "t.lh", "const w = file(\"numbers.txt\")\n", 0);
    longhand_run(lh);
    is_wrong(lh, LONGHAND_FILE, "files cannot be read here");
    longhand_set_folder(lh, folder);
    longhand_open_text(lh, "t.lh", "const w = file(\"numbers.txt\")\n", 0);
    is_near(longhand_value(lh, "w[1][0]"), 3);
    longhand_set_folder(lh, NULL);
    longhand_open_text(lh, "t.lh", "const w = file(\"numbers.txt\")\n", 0);
    longhand_run(lh);
    is_wrong(lh, LONGHAND_FILE, "files cannot be read here");
    remove(path);
    remove(numbers);
    longhand_open_file(lh, path);
    is_wrong(lh, LONGHAND_FILE, "cannot be opened");
    longhand_open_file(lh, folder);
    is_wrong(lh, LONGHAND_FILE, "is a folder");
    remove(folder);
}

/* ---- errors ---- */

static void first_error_stays(void **state) {
    longhand *lh = *state;
    longhand_run(lh);
    longhand_open_lesson(lh, "ex1");
    assert_true(isnan(longhand_value(lh, "P[0][0]")));
    assert_int_equal(longhand_steps(lh), 0);
    assert_string_equal(longhand_find(lh, "P")->path, "");
    assert_null(longhand_explain(lh, "P[0][0]", NULL));
    is_wrong(lh, LONGHAND_VALUE, "no program is open");
    longhand_open_lesson(lh, "ex1");
    longhand_value(lh, "P[7][0]");
    is_wrong(lh, LONGHAND_NAME, "no row 7");
    is_near(longhand_value(lh, "P[0][0]"), 1 / (1 + exp(-0.01 / sqrt(2)))); /* still open */
    longhand_value(lh, "logit");
    assert_string_equal(longhand_error(lh)->cure, "did you mean logits?");
    is_wrong(lh, LONGHAND_NAME, "logit");
    longhand_value(lh, NULL);
    is_wrong(lh, LONGHAND_TEXT, "the address is empty");
    longhand_read(lh, NULL, (longhand_part){0}, NULL, 0);
    is_wrong(lh, LONGHAND_NAME, "NULL");
}

static void shapes_do_not_fit(void **state) {
    longhand *lh = *state;
    longhand_open_text(lh, "t.lh", "const Q = [1 2 3; 4 5 6]\nS = Q @ Q\n", 0);
    longhand_run(lh);
    const longhand_message *e = longhand_error(lh);
    assert_non_null(e);
    assert_int_equal(e->line, 2);
    assert_string_equal(e->source, "S = Q @ Q");
    is_wrong(lh, LONGHAND_SHAPE, "inner sizes differ");
}

static void null_is_allowed(void **state) {
    (void)state;
    longhand_free(NULL);
    assert_int_equal(longhand_error(NULL)->kind, LONGHAND_MEMORY);
    longhand_clear_error(NULL);
    longhand_open_lesson(NULL, "ex1");
    longhand_run(NULL);
    assert_int_equal(longhand_updates(NULL), 0);
    assert_true(isnan(longhand_value(NULL, "P")));
    assert_string_equal(longhand_title(NULL), "");
    assert_string_equal(longhand_text(NULL), "");
    assert_true(strspn(longhand_version(), "0123456789.") == strlen(longhand_version()));
}

/* ---- changing and running ---- */

static void settings_build_anew(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "ex4");
    longhand_update(lh);
    double slow = longhand_value(lh, "WO[0][3]");
    longhand_set(lh, "rate", "1");
    longhand_set(lh, "rate", "0.2");
    assert_int_equal(longhand_updates(lh), 0);
    longhand_update(lh);
    is_near(longhand_value(lh, "WO[0][3]"), 2 * slow);
    longhand_set(lh, "rate", "1 +");
    assert_string_equal(longhand_error(lh)->file, "longhand_set rate");
    is_wrong(lh, LONGHAND_TEXT, "expected a value");
    longhand_set(lh, "rte", "1");
    longhand_run(lh);
    is_wrong(lh, LONGHAND_NAME, "set rte");
    longhand_restore(lh);
    longhand_update(lh);
    is_near(longhand_value(lh, "WO[0][3]"), slow);
    is_well(lh);
}

static void what_learns_is_chosen(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "ex4");
    assert_int_equal(longhand_find(lh, "dWQ")->kind, LONGHAND_GRADIENT);
    longhand_freeze(lh, "WQ");
    longhand_find(lh, "dWQ");
    is_wrong(lh, LONGHAND_NAME, "dWQ");
    longhand_train(lh, "E");
    assert_int_equal(longhand_find(lh, "dE")->kind, LONGHAND_GRADIENT);
    longhand_open_lesson(lh, "ex1");
    longhand_train(lh, "WO");
    longhand_open_text(lh, "t.lh", "param w = [1 2]\nL = sum(w * w)\n", 0);
    longhand_differentiate(lh, "L");
    is_near(longhand_value(lh, "dw[1]"), 4);
    longhand_restore(lh);
    longhand_differentiate(lh, "M");
    is_wrong(lh, LONGHAND_NAME, "there is no step M");
    is_near(longhand_value(lh, "L"), 5);
}

static void batches_are_chosen(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "ex4");
    assert_int_equal(longhand_examples(lh), 3);
    double second = longhand_value(lh, "L{example 1}");
    longhand_batch(lh, (int[]){1}, 1);
    assert_int_equal(longhand_examples(lh), 1);
    is_near(longhand_value(lh, "L"), second);
    is_near(longhand_value(lh, "loss"), second);
    longhand_batch(lh, (int[]){3}, 1);
    is_wrong(lh, LONGHAND_VALUE, "no example 3");
    is_near(longhand_value(lh, "loss"), second); /* the batch is what it was */
    longhand_batch(lh, NULL, 0);
    is_near(longhand_value(lh, "L{example 1}"), second);
    longhand_batch(lh, NULL, 2);
    is_wrong(lh, LONGHAND_VALUE, "longhand_batch");
}

static void training_goes_on(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "ex4");
    double before = longhand_value(lh, "loss");
    for (int i = 0; i < 5; i++) longhand_update(lh);
    assert_int_equal(longhand_updates(lh), 5);
    longhand_run(lh);
    assert_true(longhand_value(lh, "loss") < before);
    is_near(longhand_value(lh, "loss"), longhand_value(lh, "loss@5"));
    is_near(longhand_value(lh, "WO[0][3]"), longhand_value(lh, "WO[0][3]@5"));
    longhand_reset(lh);
    assert_int_equal(longhand_updates(lh), 0);
    is_near(longhand_value(lh, "loss"), before);
}

static void dropout_is_switched_off(void **state) {
    longhand *lh = *state;
    longhand_open_text(lh, "t.lh", "seed 1\nconst x = [1 2 3 4 5 6 7 8]\ny = dropout(x, 0.5)\n", 0);
    double sum = 0;
    longhand_training(lh, false);
    for (int i = 0; i < 8; i++) {
        char address[16];
        snprintf(address, sizeof address, "y[%d]", i);
        is_near(longhand_value(lh, address), i + 1);
    }
    longhand_training(lh, true);
    longhand_run(lh);
    for (int i = 0; i < 8; i++) {
        char address[16];
        snprintf(address, sizeof address, "y[%d]", i);
        sum += fabs(longhand_value(lh, address) - (i + 1));
    }
    assert_true(sum > 1);
}

static void trouble_is_named(void **state) {
    longhand *lh = *state;
    longhand_open_text(lh, "t.lh", "const x = [1 -1]\ny = 2 * log(x)\n", 0);
    const char *s = longhand_trouble(lh);
    assert_non_null(s);
    if (!strstr(s, "y: nan first appears in log(x)") || !strstr(s, "column 1")) fail_msg("%s", s);
    longhand_set_value(lh, "x[1]", 1);
    longhand_run(lh);
    assert_null(longhand_trouble(lh));
    is_well(lh);
}

/* ---- steps and values ---- */

static void steps_are_listed(void **state) {
    longhand *lh = *state;
    bool kind[LONGHAND_INSIDE + 1] = {false};
    longhand_open_lesson(lh, "ex3");
    int n = longhand_steps(lh);
    assert_true(n > 20);
    for (int i = 0; i < n; i++) {
        const longhand_step *s = longhand_step_at(lh, i);
        assert_true(strlen(s->path) > 0 && s->formula && s->comment && strlen(s->shape) > 0);
        assert_string_equal(longhand_find(lh, s->path)->path, s->path);
        kind[s->kind] = true;
    }
    for (int k = 0; k <= LONGHAND_INSIDE; k++) assert_true(kind[k]);
    const longhand_step *p = longhand_find(lh, "P");
    assert_string_equal(p->formula, "softmax(Z)");
    assert_string_equal(p->shape, "tokens x tokens");
    assert_true(p->per_example && p->line > 0 && strlen(p->comment) > 0);
    assert_string_equal(longhand_find(lh, "P.e")->formula, "exp(Z - m)");
    assert_string_equal(longhand_find(lh, "WO")->formula, "");
    assert_false(longhand_find(lh, "WO")->per_example);
    is_well(lh);
    longhand_step_at(lh, n);
    is_wrong(lh, LONGHAND_NAME, "there is no step");
    longhand_step_at(lh, -1);
    is_wrong(lh, LONGHAND_NAME, "there is no step");
}

static void matrices_are_read(void **state) {
    longhand *lh = *state;
    double x[16];
    longhand_open_text(lh, "t.lh", "const x = [1 2 3 4; 5 6 7 8]\ny = split(x, 2) * 10\n", 0);
    longhand_size s = longhand_size_of(lh, "y", 0);
    assert_int_equal(s.examples, 1);
    assert_int_equal(s.heads, 2);
    assert_int_equal(s.rows, 2);
    assert_int_equal(s.cols, 2);
    assert_int_equal(longhand_read(lh, "y", (longhand_part){.head = 1}, NULL, 0), 4);
    assert_int_equal(longhand_read(lh, "y", (longhand_part){.head = 1}, x, 4), 4);
    assert_true(x[0] == 30 && x[1] == 40 && x[2] == 70 && x[3] == 80);
    longhand_part beside = {.head = 1, .row_step = 5, .col_step = 2};
    for (int i = 0; i < 16; i++) x[i] = -1;
    assert_int_equal(longhand_read(lh, "y", beside, x, 8), 8);
    assert_true(x[0] == 30 && x[1] == -1 && x[2] == 40 && x[5] == 70 && x[7] == 80 && x[8] == -1);
    is_well(lh);
    assert_int_equal(longhand_read(lh, "y", beside, x, 7), 0);
    is_wrong(lh, LONGHAND_LIMIT, "room for 7");
    longhand_read(lh, "y", (longhand_part){.head = 2}, x, 16);
    is_wrong(lh, LONGHAND_NAME, "no head 2");
    longhand_read(lh, "y", (longhand_part){.example = -1}, x, 16);
    is_wrong(lh, LONGHAND_NAME, "no example -1");
    longhand_read(lh, "y", (longhand_part){.row_step = (size_t)-1}, x, 16);
    is_wrong(lh, LONGHAND_LIMIT, "row_step");
    assert_int_equal(longhand_size_of(lh, "y", 1).rows, 0);
    is_wrong(lh, LONGHAND_NAME, "no example 1");
}

static void givens_and_inputs_are_set(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "ex1");
    longhand_write(lh, "WQ", (longhand_part){0}, (double[]){1, 2, 3, 4}, 4);
    assert_int_equal(longhand_token(lh, NULL, "D"), 3);
    assert_int_equal(longhand_token(lh, NULL, "E"), -1);
    assert_string_equal(longhand_word(lh, NULL, 2), "C");
    assert_null(longhand_word(lh, NULL, 4));
    longhand_set_value(lh, "tokens[1]", longhand_token(lh, NULL, "C"));
    longhand_run(lh);
    is_near(longhand_value(lh, "Q[1][0]"), 4); /* C is 1 1 */
    is_near(longhand_value(lh, "Q[1][1]"), 6);
    is_well(lh);
    longhand_token(lh, "french", "oui");
    is_wrong(lh, LONGHAND_NAME, "french");
    longhand_set_value(lh, "tokens[1]", 4);
    is_wrong(lh, LONGHAND_VALUE, "is not a token");
    longhand_set_value(lh, "tokens[1]", 0.5);
    is_wrong(lh, LONGHAND_VALUE, "is not a token");
    longhand_set_value(lh, "P[0][0]", 1);
    is_wrong(lh, LONGHAND_VALUE, "P is computed");
    longhand_set_value(lh, "WQ[0][0]@1", 1);
    is_wrong(lh, LONGHAND_VALUE, "numbers of now");
    longhand_write(lh, "WQ", (longhand_part){0}, (double[]){1, 2, 3}, 3);
    is_wrong(lh, LONGHAND_SHAPE, "takes 4 numbers, not 3");
    longhand_open_lesson(lh, "ex6");
    longhand_set_value(lh, "layers", 3);
    is_wrong(lh, LONGHAND_VALUE, "is a size");
    longhand_hold(lh, "layers");
    is_wrong(lh, LONGHAND_VALUE, "is a size");
}

/* What follows uses the held numbers, the way back too. */
static void steps_are_held(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "ex3");
    for (int i = 0; i < 2; i++) longhand_update(lh);
    longhand_run(lh);
    double logit = longhand_value(lh, "logits[0]"), weight = longhand_value(lh, "WO[1][2]");
    longhand_hold(lh, "P");
    is_near(longhand_value(lh, "logits[0]"), logit);
    is_near(longhand_value(lh, "WO[1][2]"), weight); /* training is not lost */
    longhand_write(lh, "P", (longhand_part){0}, (double[]){1, 0, 1, 0}, 4);
    longhand_run(lh);
    is_near(longhand_value(lh, "H[1][0]"), longhand_value(lh, "V[0][0]"));
    double dot = longhand_value(lh, "dP[1][0]") * 1 + longhand_value(lh, "dP[1][1]") * 0;
    is_near(longhand_value(lh, "dZ[1][0]"), 1 * (longhand_value(lh, "dP[1][0]") - dot));
    is_near(longhand_value(lh, "dZ[1][1]"), 0);
    longhand_hold(lh, "P");
    longhand_hold(lh, "WO");
    longhand_set_value(lh, "P[1][1]", 0.25);
    is_near(longhand_value(lh, "P.y[1][1]"), 0.25);
    longhand_release(lh, "P");
    is_near(longhand_value(lh, "logits[0]"), logit);
    longhand_hold(lh, "S");
    longhand_release(lh, NULL);
    longhand_set_value(lh, "S[0][0]", 1);
    is_wrong(lh, LONGHAND_VALUE, "computed");
    longhand_release(lh, "nothing");
    is_wrong(lh, LONGHAND_NAME, "nothing");
}

/* Holding and resetting change what they say and nothing else. */
static void holding_keeps_the_rest(void **state) {
    longhand *lh = *state;
    longhand_open_text(lh, "t.lh",
                       "vocab A B\nstate n = 0\nexample A B -> A\nx = tokens * 10\ny = sum(x)\n"
                       "now = step\nn := n + 1\n",
                       0);
    longhand_update(lh);
    longhand_update(lh);
    longhand_set_value(lh, "tokens[0]", 1);
    longhand_hold(lh, "y");
    is_near(longhand_value(lh, "x[0]"), 10); /* the input as it was set */
    is_near(longhand_value(lh, "now"), 2);
    is_near(longhand_value(lh, "n"), 2);
    longhand_set_value(lh, "y", 5);
    longhand_reset(lh);
    is_near(longhand_value(lh, "y"), 10); /* computed again */
    is_near(longhand_value(lh, "x[0]"), 0);
    is_near(longhand_value(lh, "now"), 0);
    is_well(lh);
}

/* ---- explaining, cost ---- */

static void numbers_are_explained(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "ex1");
    const longhand_explanation *e = longhand_explain(lh, "P[1][0]", NULL);
    is_well(lh);
    is_near(e->value, longhand_value(lh, "P[1][0]"));
    assert_string_equal(e->path, "P");
    assert_string_equal(e->where, "row 1 (B), column 0 (A)");
    assert_int_equal(e->n_lines, 4);
    assert_string_equal(e->line[1]->label, "e[1][0]");
    assert_string_equal(e->line[1]->formula, "exp(Z[1][0] - m[1])");
    assert_string_equal(e->line[1]->numbers, "exp(0 - 0.00707107)");
    assert_string_equal(e->line[1]->note, "");
    is_near(e->line[1]->value, exp(-0.01 / sqrt(2)));
    assert_true(longhand_explain(lh, "P[1][0]", &(longhand_detail){.deep = true})->n_lines > 10);
    e = longhand_explain(lh, "Z[1][1]", &(longhand_detail){.digits = 3, .all_terms = true});
    assert_string_equal(e->line[0]->numbers, "0.01 / sqrt(2)");
    longhand_set_value(lh, "WQ[1][1]", 1); /* the numbers of now, not those of the program */
    longhand_run(lh);
    e = longhand_explain(lh, "Z[1][1]", NULL);
    assert_string_equal(e->line[0]->numbers, "0.1 / sqrt(2)");
    longhand_explain(lh, "Z[1][1]", &(longhand_detail){.digits = 18});
    is_wrong(lh, LONGHAND_VALUE, "18 digits");
    longhand_explain(lh, "Z[x]", NULL);
    is_wrong(lh, LONGHAND_TEXT, "Z[x]");
    longhand_open_lesson(lh, "ex4");
    assert_string_equal(longhand_explain(lh, "X[1][0]", NULL)->where, "row 1 (B)");
    longhand_batch(lh, (int[]){2},
                   1); /* B A: the words of the program's first example are not its */
    assert_string_equal(longhand_explain(lh, "X[1][0]", NULL)->where, "");
    longhand_open_lesson(lh, "ex2");
    is_near(longhand_explain(lh, "WO[1][2]@1", NULL)->value, longhand_value(lh, "WO[1][2]@1"));
}

static void cost_is_counted(void **state) {
    longhand *lh = *state;
    longhand_open_text(lh, "t.lh",
                       "size dim = 3\nparam W : dim x 4 = 1\ninput x : 1 x dim\nexample x = 1 2 3\n"
                       "y = x @ W\nL = sum(y)\nbackward L\nW := momentum(W, average(dW), 0.1)\n",
                       0);
    const longhand_bill *b = longhand_cost(lh);
    is_well(lh);
    is_near(b->parameters.number, 12);
    assert_string_equal(b->parameters.formula, "4*dim");
    is_near(b->states.number, 12);
    assert_true(b->multiply_adds.number >= 12);
    assert_true(b->operations.number > 0 && b->once_operations.number >= 12);
    assert_true(b->once_multiply_adds.number == 0 && b->once_operations.formula[0]);
    assert_ptr_equal(longhand_cost(lh), b);
    longhand_set(lh, "dim", "5");
    longhand_cost(lh);
    is_wrong(lh, LONGHAND_VALUE, "x takes 5 numbers");
}

/* ---- marking ---- */

static void one_step_is_evaluated(void **state) {
    longhand *lh = *state;
    double z[4], before;
    longhand_open_lesson(lh, "ex1");
    before = longhand_value(lh, "Z[0][0]");
    longhand_operand s = {.name = "S", .cell = (double[]){1, 2, 3, 4}, .n = 4};
    assert_int_equal(longhand_evaluate(lh, "Z", &s, 1, (longhand_part){0}, z, 4), 4);
    is_near(z[0], 1 / sqrt(2));
    is_near(z[3], 4 / sqrt(2));
    is_near(longhand_value(lh, "Z[0][0]"), before);
    longhand_operand two[] = {
        {.name = "K", .cell = (double[]){1, 1, 2, 2}, .n = 4},
        {.name = "WQ", .cell = (double[]){1, 0, 0, 1}, .n = 4}, /* a given, further down */
    };
    assert_int_equal(longhand_evaluate(lh, "S", two, 2, (longhand_part){0}, z, 4), 4);
    is_near(z[0], 1);
    is_near(z[1], 2);
    longhand_set_value(lh, "WQ[0][0]", 7); /* what is not among the operands is as it is now */
    longhand_run(lh);
    longhand_evaluate(lh, "S", two, 1, (longhand_part){0}, z, 4);
    is_near(z[1], 14);
    longhand_reset(lh);
    is_well(lh);
    s.n = 3;
    longhand_evaluate(lh, "Z", &s, 1, (longhand_part){0}, z, 4);
    is_wrong(lh, LONGHAND_SHAPE, "takes 4 numbers, not 3");
    s.name = "SS";
    longhand_evaluate(lh, "Z", &s, 1, (longhand_part){0}, z, 4);
    is_wrong(lh, LONGHAND_NAME, "SS");
    is_near(longhand_value(lh, "Z[0][0]"), before);
}

/* An operand of one example leaves the others as they are; an average sees all. */
static void examples_are_evaluated(void **state) {
    longhand *lh = *state;
    double loss, L[3];
    longhand_open_lesson(lh, "ex4");
    for (int i = 0; i < 3; i++) longhand_read(lh, "L", (longhand_part){.example = i}, &L[i], 1);
    longhand_operand other = {.name = "L", .part = {.example = 1}, .cell = (double[]){10}, .n = 1};
    longhand_evaluate(lh, "loss", &other, 1, (longhand_part){0}, &loss, 1);
    is_near(loss, (L[0] + 10 + L[2]) / 3);
    is_well(lh);
}

static void programs_are_rewritten(void **state) {
    longhand *lh = *state;
    longhand_rule unscaled = {.text = "a / sqrt(cols(k)) => a"};
    longhand_open_lesson(lh, "ex3");
    double s = longhand_value(lh, "S[1][1]"), dq = longhand_value(lh, "dQ[1][1]");
    assert_int_equal(longhand_matches(lh, "Z", unscaled), 1);
    assert_int_equal(longhand_matches(lh, "S", unscaled), 0);
    longhand_rewrite(lh, "Z", unscaled);
    is_near(longhand_value(lh, "Z[1][1]"), s);
    assert_string_equal(longhand_find(lh, "Z")->formula, "S");
    assert_true(fabs(longhand_value(lh, "dQ[1][1]")) > 1.2 * fabs(dq)); /* the way back follows */
    longhand_rewrite(lh, "Z", unscaled);
    is_wrong(lh, LONGHAND_VALUE, "fits Z = S in 0 places");
    is_near(longhand_value(lh, "Z[1][1]"), s);
    longhand_restore(lh);
    is_near(longhand_value(lh, "dQ[1][1]"), dq);
    longhand_rewrite(lh, "S", (longhand_rule){.text = "a @ c^T => a @ zeros(5, 5)"});
    is_wrong(lh, LONGHAND_SHAPE, "inner sizes differ");
    is_near(longhand_value(lh, "dQ[1][1]"), dq); /* a rule that cannot be built is forgotten */
    longhand_rewrite(lh, "context", (longhand_rule){.text = "a[last] => a[i]", .letter = "i"});
    is_near(longhand_value(lh, "context[0]"), longhand_value(lh, "H[0][0]"));
    longhand_matches(lh, "Z", (longhand_rule){.text = "a / b"});
    is_wrong(lh, LONGHAND_TEXT, "=>");
    longhand_matches(lh, "Z", (longhand_rule){.text = "a / => a"});
    assert_string_equal(longhand_error(lh)->file, "rule a / => a");
    is_wrong(lh, LONGHAND_TEXT, "expected a value");
}

/* ---- a change that cannot be built ---- */

/* It is an error once, and then the program is what it was. */
static void a_wrong_change_is_dropped(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "ex4");
    longhand_set(lh, "rate", "0.5");
    const double loss = longhand_value(lh, "loss@1");
    longhand_set(lh, "rte", "1");
    longhand_run(lh);
    is_wrong(lh, LONGHAND_NAME, "set rte");
    is_near(longhand_value(lh, "rate"), 0.5);
    is_near(longhand_value(lh, "loss@1"), loss);
    longhand_set(lh, "WO", "[1 2; 3 4]"); /* another shape */
    longhand_run(lh);
    assert_non_null(longhand_error(lh));
    longhand_clear_error(lh);
    is_near(longhand_value(lh, "loss@1"), loss);
    longhand_freeze(lh, "nobody");
    longhand_run(lh);
    is_wrong(lh, LONGHAND_NAME, "nobody");
    longhand_train(lh, "nobody");
    longhand_run(lh);
    is_wrong(lh, LONGHAND_NAME, "nobody");
    longhand_set(lh, "rate", "0.25"); /* a wrong one and a right one: neither holds */
    longhand_set(lh, "rte", "1");
    longhand_value(lh, "loss");
    is_wrong(lh, LONGHAND_NAME, "set rte");
    is_near(longhand_value(lh, "rate"), 0.5);
    is_well(lh);
    longhand_restore(lh);
    is_near(longhand_value(lh, "rate"), 0.1);
}

/* Sizes that fit together only when both are set. */
static void sizes_are_set_together(void **state) {
    longhand *lh = *state;
    longhand_open_text(lh, "t.lh",
                       "size heads = 2\nsize dim = 4\nconst x : 1 x dim = 1\ny = split(x, heads)\n",
                       0);
    longhand_set(lh, "heads", "3");
    longhand_set(lh, "dim", "6");
    assert_int_equal(longhand_size_of(lh, "y", 0).heads, 3);
    is_well(lh);
    longhand_set(lh, "heads", "4");
    longhand_run(lh);
    assert_non_null(longhand_error(lh));
    longhand_clear_error(lh);
    assert_int_equal(longhand_size_of(lh, "y", 0).heads, 3);
    is_well(lh);
}

/* A program of thousands of steps, one made of the other. */
static void deep_explanations_are_long(void **state) {
    enum { STEPS = 5000 };
    longhand *lh = *state;
    char *text = malloc(STEPS * 24 + 32), *end = text;
    assert_non_null(text);
    end += sprintf(end, "const x0 = 1\n");
    for (int i = 1; i <= STEPS; i++) end += sprintf(end, "x%d = x%d + 1\n", i, i - 1);
    longhand_open_text(lh, "long.lh", text, 0);
    const longhand_explanation *e =
        longhand_explain(lh, "x5000", &(longhand_detail){.deep = true, .digits = 9});
    is_well(lh);
    assert_int_equal(e->n_lines, STEPS);
    is_near(e->value, STEPS + 1);
    assert_string_equal(e->line[STEPS - 1]->label, "x1");
    assert_int_equal(e->line[STEPS - 1]->depth, STEPS - 1);
    free(text);
}

/* ---- matrices ---- */

static void matrices_are_float_too(void **state) {
    longhand *lh = *state;
    float x[8];
    longhand_open_lesson(lh, "ex1");
    longhand_write_float(lh, "WQ", (longhand_part){0}, (float[]){1, 2, 3, 4}, 4);
    longhand_run(lh);
    assert_int_equal(longhand_read_float(lh, "WQ", (longhand_part){0}, x, 8), 4);
    assert_true(x[0] == 1 && x[1] == 2 && x[2] == 3 && x[3] == 4);
    assert_int_equal(longhand_read_float(lh, "P", (longhand_part){0}, NULL, 0), 4);
    assert_int_equal(longhand_read_float(lh, "P", (longhand_part){0}, x, 8), 4);
    assert_true(x[2] == (float)longhand_value(lh, "P[1][0]"));
    is_well(lh);
    longhand_write_float(lh, "WQ", (longhand_part){0}, NULL, 4);
    is_wrong(lh, LONGHAND_SHAPE, "takes 4 numbers");
    longhand_write_float(lh, "tokens", (longhand_part){0}, (float[]){0, 9}, 2);
    is_wrong(lh, LONGHAND_VALUE, "is not a token");
    longhand_read_float(lh, "tokens", (longhand_part){0}, x, 8);
    assert_true(x[0] == 0 && x[1] == 1); /* none of the two was set */
}

static void matrices_are_seen_in_place(void **state) {
    longhand *lh = *state;
    longhand_part part = {0};
    double copy[16];
    longhand_open_text(
        lh, "t.lh",
        "const x = [1 2 3 4; 5 6 7 8]\nconst k = [1 2]\ny = split(x, 2) * 10\nz = x^T\n"
        "s = x + [10 20 30 40]\nv = 2\n",
        0);
    static const char *const names[] = {"x", "y", "z", "s", "v"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const longhand_size z = longhand_size_of(lh, names[i], 0);
        is_well(lh);
        for (int h = 0; h < z.heads; h++) {
            part = (longhand_part){.head = h};
            const double *at = longhand_view(lh, names[i], &part);
            is_well(lh);
            longhand_read(lh, names[i], (longhand_part){.head = h}, copy, 16);
            for (int r = 0; at && r < z.rows; r++)
                for (int c = 0; c < z.cols; c++)
                    assert_true(at[(size_t)r * part.row_step + (size_t)c * part.col_step] ==
                                copy[r * z.cols + c]);
            if (i < 2) assert_non_null(at);
        }
    }
    part = (longhand_part){0};
    const double *x = longhand_view(lh, "x", &part);
    longhand_set_value(lh, "x[1][2]", 70);
    assert_true(x[part.row_step + 2 * part.col_step] == 70); /* the memory itself */
    part = (longhand_part){.head = 2};
    assert_null(longhand_view(lh, "y", &part));
    is_wrong(lh, LONGHAND_NAME, "no head 2");
    assert_null(longhand_view(lh, "y", NULL));
    is_wrong(lh, LONGHAND_VALUE, "NULL");
    assert_null(longhand_view(lh, "nothing", &part));
    is_wrong(lh, LONGHAND_NAME, "nothing");
}

/* ---- pictures ---- */

static void pictures_are_drawn(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "ex4");
    const longhand_plot_how svg = {.form = LONGHAND_AS_SVG, .updates = 3};
    assert_true(strncmp(longhand_plot(lh, "heat P", &svg), "<svg", 4) == 0);
    assert_non_null(strstr(longhand_plot(lh, "heat P", &svg), "</svg>"));
    assert_non_null(
        strstr(longhand_plot(lh, "loss 10", &(longhand_plot_how){.width = 60}), "loss"));
    assert_non_null(
        strstr(longhand_plot(lh, "bars probs", &(longhand_plot_how){.in_words = true}), "probs"));
    is_well(lh);
    longhand_plot(lh, "cake P", NULL);
    assert_non_null(longhand_error(lh));
    longhand_clear_error(lh);
    longhand_plot(lh, NULL, NULL);
    assert_non_null(longhand_error(lh));
    longhand_clear_error(lh);
    longhand_plot(lh, "heat Q9", NULL);
    is_wrong(lh, LONGHAND_NAME, "Q9");
    longhand_plot(lh, "heat P", &(longhand_plot_how){.form = LONGHAND_AS_CSV});
    is_wrong(lh, LONGHAND_VALUE, "no form CSV");
    longhand_plot(lh, "heat P", &(longhand_plot_how){.form = (longhand_form)77});
    is_wrong(lh, LONGHAND_VALUE, "no form of that number");
    const size_t all = strlen(longhand_graph(lh, NULL));
    assert_true(all > 1000);
    assert_true(strlen(longhand_graph(lh, &(longhand_graph_how){.forward = true})) < all);
    assert_true(strlen(longhand_graph(lh, &(longhand_graph_how){.to = "S"})) < all);
    assert_true(strlen(longhand_graph(lh, &(longhand_graph_how){.all = true})) >= all);
    longhand_graph(lh, &(longhand_graph_how){.to = "nothing"});
    is_wrong(lh, LONGHAND_NAME, "nothing");
    assert_non_null(strstr(longhand_diagram(lh, "transformer", LONGHAND_AS_SVG), "<svg"));
    assert_non_null(strstr(longhand_diagram(lh, "training", LONGHAND_AS_TEXT), "loss"));
    is_well(lh);
    longhand_diagram(lh, "cnn", LONGHAND_AS_SVG);
    is_wrong(lh, LONGHAND_NAME, "there is no diagram cnn");
    longhand_diagram(lh, NULL, LONGHAND_AS_SVG);
    is_wrong(lh, LONGHAND_NAME, "NULL");
}

/* ---- as text and JSON ---- */

static void numbers_are_told(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "ex1");
    const char *text = longhand_explain_as(lh, "P[1][0]", NULL, LONGHAND_AS_TEXT);
    assert_non_null(strstr(text, "P[1][0] = 0.498232   row 1 (B), column 0 (A)"));
    assert_non_null(strstr(text, "e[1][0] = exp(Z[1][0] - m[1]) = exp(0 - 0.00707107) = 0.992954"));
    const char *json = longhand_explain_as(lh, "P[1][0]", NULL, LONGHAND_AS_JSON);
    assert_non_null(strstr(json, "\"lesson\": \"ex1\""));
    assert_non_null(strstr(json, "\"step\": \"P\""));
    longhand_explain_as(lh, "P[1][0]", NULL, LONGHAND_AS_SVG);
    is_wrong(lh, LONGHAND_VALUE, "no form SVG");
    longhand_explain_as(lh, "Q9", NULL, LONGHAND_AS_TEXT);
    is_wrong(lh, LONGHAND_NAME, "Q9");
    assert_non_null(strstr(longhand_trace(lh, NULL, LONGHAND_AS_JSON), "\"path\": \"logits\""));
    assert_null(strstr(longhand_trace(lh, "P", LONGHAND_AS_JSON), "\"path\": \"logits\""));
    longhand_trace(lh, NULL, LONGHAND_AS_TEXT);
    is_wrong(lh, LONGHAND_VALUE, "no form text");
    longhand_trace(lh, "nothing", LONGHAND_AS_JSON);
    is_wrong(lh, LONGHAND_NAME, "nothing");
    assert_non_null(strstr(longhand_cost_as(lh, LONGHAND_AS_JSON), "\"multiply_adds\""));
    longhand_cost_as(lh, LONGHAND_AS_SVG);
    is_wrong(lh, LONGHAND_VALUE, "no form SVG");
    longhand_open_lesson(lh, "attention:bag");
    assert_non_null(
        strstr(longhand_explain_as(lh, "W[0][0]", NULL, LONGHAND_AS_JSON), "attention:bag"));
    assert_string_equal(longhand_trace(NULL, NULL, LONGHAND_AS_JSON), "");
}

static void programs_are_checked(void **state) {
    longhand *lh = *state;
    const char *report;
    longhand_open_lesson(lh, "ex2");
    assert_true(longhand_check(lh, LONGHAND_AS_TEXT, &report));
    assert_non_null(strstr(report, "all is well"));
    assert_true(longhand_check(lh, LONGHAND_AS_JSON, NULL));
    is_well(lh);
    longhand_open_text(lh, "t.lh", "const x = [1 2]\nL = sum(x * x)\ndx = x\n", 0);
    assert_false(longhand_check(lh, LONGHAND_AS_TEXT, &report));
    is_well(lh); /* that it is wrong is the answer, not an error */
    assert_non_null(strstr(report, "should be"));
    assert_false(longhand_check(lh, LONGHAND_AS_JSON, &report));
    assert_non_null(strstr(report, "\"by hand\""));
    longhand_check(lh, LONGHAND_AS_CSV, &report);
    is_wrong(lh, LONGHAND_VALUE, "no form CSV");
    assert_string_equal(report, "");
}

/* ---- sheets ---- */

static void sheets_are_made_and_marked(void **state) {
    longhand *lh = *state;
    static const char *const steps[] = {"Z", "P"};
    longhand_open_lesson(lh, "ex1");
    assert_non_null(strstr(longhand_sheet(lh, NULL), "sheet ex1"));
    const longhand_sheet_how how = {.seed = 7, .steps = steps, .n_steps = 2, .key = true};
    assert_non_null(strstr(longhand_sheet(lh, &how), "seed 7"));
    static const longhand_form forms[] = {LONGHAND_AS_JSON, LONGHAND_AS_MARKDOWN, LONGHAND_AS_CSV};
    for (int i = 0; i < 3; i++)
        assert_true(strlen(longhand_sheet(lh, &(longhand_sheet_how){.form = forms[i]})) > 100);
    is_well(lh);
    const longhand_marks *m =
        longhand_mark(lh, "P = 0.5018 0.4982; 0.4982 0.5018\nZ = 9 9; 9 9\n", 0, NULL);
    is_well(lh);
    assert_true(m->credit == 4 && m->total > 8 && m->points == 4);
    assert_non_null(strstr(m->report, "4 of"));
    m = longhand_mark(lh, "P[0] = 0.5018 0.4982", 0,
                      &(longhand_mark_how){.form = LONGHAND_AS_JSON});
    assert_non_null(strstr(m->report, "\"verdicts\""));
    assert_int_equal(m->credit, 2);
    is_well(lh);
    longhand_mark(lh, "sheet ex2, seed 7, digits 4\nP = 1", 0, NULL);
    is_wrong(lh, LONGHAND_VALUE, "a sheet of ex2, not of ex1");
    longhand_mark(lh, "{\"answers\": [", 0, NULL);
    assert_non_null(longhand_error(lh));
    longhand_clear_error(lh);
    longhand_mark(lh, NULL, 0, NULL);
    is_wrong(lh, LONGHAND_VALUE, "NULL");
    longhand_mark(lh, "P = 1", 0, &(longhand_mark_how){.few_digits = 3});
    is_wrong(lh, LONGHAND_VALUE, "few_digits");
    longhand_sheet(lh, &(longhand_sheet_how){.digits = 99});
    is_wrong(lh, LONGHAND_VALUE, "99 digits");
    longhand_sheet(lh, &(longhand_sheet_how){.form = LONGHAND_AS_SVG});
    is_wrong(lh, LONGHAND_VALUE, "no form SVG");
    static const char *const none[] = {"Q9"};
    longhand_sheet(lh, &(longhand_sheet_how){.steps = none, .n_steps = 1});
    is_wrong(lh, LONGHAND_NAME, "Q9");
    longhand_open_lesson(lh, "ex4");
    longhand_set(lh, "rate", "1");
    longhand_sheet(lh, NULL);
    is_wrong(lh, LONGHAND_VALUE, "was changed");
}

/* ---- exercises ---- */

static void exercises_are_judged(void **state) {
    longhand *lh = *state;
    longhand_open_lesson(lh, "softmax");
    const int n = longhand_exercises(lh);
    assert_true(n > 2);
    for (int i = 0; i < n; i++) { /* the key of each is right, and nothing is not */
        const longhand_exercise *e = longhand_exercise_at(lh, i);
        is_well(lh);
        assert_true(strlen(e->kind) > 0 && strlen(e->question) > 0 && strlen(e->form) > 0);
        assert_true(strlen(e->key) > 0);
        for (int k = 0; k < e->n_choices; k++) assert_true(strlen(e->choice[k]) > 0);
        for (int k = 0; k < e->n_hints; k++) assert_true(strlen(e->hint[k]) > 0);
        char key[1024];
        snprintf(key, sizeof key, "%s", e->key);
        const longhand_answered *a = longhand_answer(lh, i, key);
        is_well(lh);
        if (a->verdict != LONGHAND_RIGHT) fail_msg("%d %s: %s", i, e->kind, key);
        a = longhand_answer(lh, i, "there is no such answer");
        is_well(lh);
        assert_true(a->verdict == LONGHAND_UNREAD || a->verdict == LONGHAND_WRONG);
        assert_true(a->n_lines > 0 || strlen(a->error) > 0);
    }
    longhand_exercise_at(lh, n);
    is_wrong(lh, LONGHAND_NAME, "there is no exercise");
    longhand_answer(lh, -1, "1");
    is_wrong(lh, LONGHAND_NAME, "there is no exercise");
    longhand_answer(lh, 0, NULL);
    is_wrong(lh, LONGHAND_VALUE, "NULL");
    longhand_open_text(lh, "t.lh", "x = 1\n", 0);
    assert_int_equal(longhand_exercises(lh), 0);
    is_wrong(lh, LONGHAND_VALUE, "exercises are in lessons");
    longhand_open_text(lh, "t.md", "# A\n\n```longhand\nx = 1\n```\n", 0);
    assert_int_equal(longhand_exercises(lh), 0);
    is_well(lh);
}

/* ---- the header ---- */

static char *read_text(const char *path) {
    char full[4096], *text;
    snprintf(full, sizeof full, "%s/%s", getenv("LH_SOURCE_ROOT"), path);
    FILE *f = fopen(full, "r");
    if (!f) fail_msg("%s cannot be opened", full);
    text = calloc(1, 1 << 17);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 17) - 1, f) < (1 << 17) - 1);
    fclose(f);
    return text;
}

/* In a program whose locale writes 1,5. */
static void a_comma_locale_changes_nothing(void **state) {
    static const char text[] = "input x : 1 x 2\nexample x = 1.5 0.25\nY = x * 0.5\n";
    longhand *lh = *state;
    comma_begin();
    longhand_open_text(lh, "comma.lh", text, 0);
    is_well(lh);
    const double y = longhand_value(lh, "Y[0][1]");
    is_well(lh);
    longhand_clear_error(lh);
    longhand_open_lesson(lh, "ex1");
    const double p = longhand_value(lh, "P[1][0]");
    is_well(lh);
    comma_end();
    assert_true(y == 0.125);
    assert_true(fabs(p - 0.498232) < 1e-6);
}

/* Every function of the header is called in one of the two files. */
static void header_is_tested(void **state) {
    (void)state;
    char *header = read_text("include/longhand.h"), *test = read_text("tests/test_api.c"),
         *model = read_text("tests/test_api_model.c");
    int declared = 0;
    for (const char *s = header; (s = strstr(s, "\nLH_API ")); s++) {
        const char *open = strchr(s, '('), *name = open;
        while (name > s && strchr("abcdefghijklmnopqrstuvwxyz_", name[-1])) name--;
        char call[72] = "";
        memcpy(call, name, (size_t)(open - name) + 1);
        if (!strstr(test, call) && !strstr(model, call)) fail_msg("%s...) has no test", call);
        declared++;
    }
    assert_true(declared > 50);
    free(header);
    free(test);
    free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(opens_lessons),
        TEST(text_is_the_program),
        TEST(has_files),
        TEST(opens_text),
        TEST(opens_files),
        TEST(first_error_stays),
        TEST(shapes_do_not_fit),
        TEST(null_is_allowed),
        TEST(settings_build_anew),
        TEST(what_learns_is_chosen),
        TEST(batches_are_chosen),
        TEST(training_goes_on),
        TEST(dropout_is_switched_off),
        TEST(trouble_is_named),
        TEST(steps_are_listed),
        TEST(matrices_are_read),
        TEST(givens_and_inputs_are_set),
        TEST(steps_are_held),
        TEST(holding_keeps_the_rest),
        TEST(numbers_are_explained),
        TEST(cost_is_counted),
        TEST(one_step_is_evaluated),
        TEST(examples_are_evaluated),
        TEST(programs_are_rewritten),
        TEST(a_wrong_change_is_dropped),
        TEST(sizes_are_set_together),
        TEST(deep_explanations_are_long),
        TEST(matrices_are_float_too),
        TEST(matrices_are_seen_in_place),
        TEST(pictures_are_drawn),
        TEST(numbers_are_told),
        TEST(programs_are_checked),
        TEST(sheets_are_made_and_marked),
        TEST(exercises_are_judged),
        TEST(a_comma_locale_changes_nothing),
        TEST(header_is_tested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
