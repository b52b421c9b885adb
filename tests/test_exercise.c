/* Exercises: each one of the course can be done and is not done by itself; answers of every kind; blocks that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "exercises.h"
#include "learn/exercise.h"
#include "learn/lint.h"

/* ---- a lesson at hand ---- */

typedef struct opened {
    lh_context *ctx;
    lh_lesson *lesson;
    lh_live *live;
} opened;

static opened open_lesson(const char *file, const char *text, size_t n) {
    opened o = {.ctx = lh_context_new()};
    o.lesson = lh_lesson_open(o.ctx, file, text, n, NULL);
    if (!o.lesson) fail_msg("%s:%d: %s", file, o.ctx->error.at.line, o.ctx->error.what);
    o.live = lh_live_new(o.lesson);
    assert_non_null(o.live);
    return o;
}

static void close_lesson(opened *o) {
    lh_live_free(o->live);
    lh_lesson_free(o->lesson);
    lh_context_free(o->ctx);
}

static lh_task *open_task(opened *o, int exercise) {
    lh_task *t = lh_task_open(o->live, exercise);
    if (!t) fail_msg("%s:%d: %s", o->lesson->file, o->ctx->error.at.line, o->ctx->error.what);
    return t;
}

static const char *said(const lh_answered *a) {
    return a->error ? a->error->what : a->n_lines ? a->line[0].text : "";
}

static void expect(opened *o, lh_task *t, const char *answer, lh_answer_state state) {
    lh_answered a = lh_task_answer(t, answer);
    if (a.state != state)
        fail_msg("%s exercise %d: \"%s\" is %s, and should be %s: %s", o->lesson->file,
                 lh_task_exercise(t)->number, answer, lh_answer_words[a.state],
                 lh_answer_words[state], said(&a));
    if (lh_failed(o->ctx)) fail_msg("\"%s\": %s", answer, o->ctx->error.what);
}

/* ---- the course ---- */

static bool is_kind(const lh_exercise *e, const char *name) {
    return strcmp(e->kind->name, name) == 0;
}

/* Something of the same kind that is not right. */
static void expect_wrong(opened *o, lh_task *t, lh_arena *a) {
    const lh_exercise *e = lh_task_exercise(t);
    const char *key = lh_task_key(t), *equals = strchr(key, '=');
    for (int i = 1; i <= lh_task_options(t); i++) {
        const char *one = lh_printf(a, "%d", i);
        if (strcmp(one, key) != 0) expect(o, t, one, LH_ANSWER_WRONG);
    }
    if (is_kind(e, "write")) {
        expect(o, t, lh_printf(a, "%.*s= (%s) + 1", (int)(equals - key), key, equals + 1),
               LH_ANSWER_WRONG);
        expect(o, t, lh_printf(a, "%.*s= (%s", (int)(equals - key), key, equals + 1),
               LH_ANSWER_UNREAD);
    }
    if (is_kind(e, "compute")) {
        char *slip = lh_copy(a, key, strlen(key)),
             *digit = strpbrk(strchr(slip, '='), "0123456789");
        *digit = (char)('0' + (*digit - '0' + 5) % 10);
        expect(o, t, slip, LH_ANSWER_WRONG);
    }
    if (lh_exercise_field(e, "never", 0))
        expect(o, t, lh_exercise_field(e, "never", 0)->value, LH_ANSWER_WRONG);
}

static void every_exercise_can_be_done(void **state) {
    (void)state;
    enum { MANY = 64 };
    int n = 0, count[MANY] = {0};
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *f = &lh_embedded_files[i];
        if (strncmp(f->name, "lessons/", 8) != 0 || !strstr(f->name, ".md")) continue;
        opened o = open_lesson(f->name, f->text, f->length);
        lh_arena *a = lh_arena_new(o.ctx);
        assert_int_equal(lh_exercise_count(f->text, f->length), o.lesson->n_exercises);
        for (int k = 0; k < o.lesson->n_exercises; k++, n++) {
            lh_task *t = open_task(&o, k);
            int lines = 0;
            expect(&o, t, "", LH_ANSWER_WRONG);
            expect(&o, t, " \n", LH_ANSWER_WRONG);
            expect_wrong(&o, t, a);
            expect(&o, t, lh_task_key(t), LH_ANSWER_RIGHT);
            lh_task_working(t, &lines);
            assert_true(lines > 0);
            assert_true(*lh_task_form(t));
            for (int m = 0; lh_task_kinds[m]; m++)
                count[m] += lh_task_exercise(t)->kind == lh_task_kinds[m];
            lh_task_close(t);
        }
        lh_arena_free(a);
        close_lesson(&o);
    }
    print_message("# %d exercises:", n);
    for (int m = 0; lh_task_kinds[m]; m++)
        print_message(" %s %d", lh_task_kinds[m]->name, count[m]);
    print_message("\n");
    assert_true(n >= 100);
    assert_true(count[0] >= 5);
}

/* ---- answers ---- */

typedef struct answer_case {
    int exercise;
    const char *text;
    lh_answer_state state;
    const char *says; /* a part of what is said, or NULL */
} answer_case;

static const answer_case answers[] = {
    {PREDICT, "2", LH_ANSWER_RIGHT, NULL},
    {PREDICT, " (b) ", LH_ANSWER_RIGHT, NULL},
    {PREDICT, "B.", LH_ANSWER_RIGHT, NULL},
    {PREDICT, "1", LH_ANSWER_WRONG, "For that, "},
    {PREDICT, "3", LH_ANSWER_UNREAD, "a number from 1 to 2"},
    {PREDICT, "0", LH_ANSWER_UNREAD, NULL},
    {PREDICT, "c", LH_ANSWER_UNREAD, NULL},
    {PREDICT, "2 1", LH_ANSWER_UNREAD, NULL},
    {PREDICT, "99999999999999999999", LH_ANSWER_UNREAD, NULL},
    {FIND, "1", LH_ANSWER_WRONG, "Line 1 is right: it comes to 0.33333"},
    {FIND, "2", LH_ANSWER_WRONG, "0.66667"}, /* cut off, not rounded: one unit is allowed */
    {FIND, "3", LH_ANSWER_RIGHT, NULL},
    {COMPUTE, "y = -0.25; 1.75\nloss = 1.56", LH_ANSWER_RIGHT, NULL},
    {COMPUTE, "y = -0.25; 1.75; loss = 1.5625", LH_ANSWER_RIGHT, NULL},
    {COMPUTE, "-0.25; 1.75\n1.5625", LH_ANSWER_RIGHT, NULL},
    {COMPUTE, "-0,25\n1,75\n1,5625", LH_ANSWER_RIGHT, NULL},
    {COMPUTE, "y = -1/4 175%; loss = 25/16", LH_ANSWER_RIGHT, NULL},
    {COMPUTE, "-0.25; 1.75", LH_ANSWER_PARTLY, "1 number to go: loss comes next"},
    {COMPUTE, "y = 0.25; 1.75; loss = 1.5625", LH_ANSWER_WRONG, "y"},
    {COMPUTE, "y = a b", LH_ANSWER_UNREAD, "not a number"},
    {COMPUTE, "q = 1", LH_ANSWER_UNREAD, "q is not asked"},
    {COMPUTE, "loss = 1 2", LH_ANSWER_UNREAD, "takes one number"},
    {WRITE, "r = relu(y)", LH_ANSWER_RIGHT, "6 random inputs"},
    {WRITE, "max(y, 0)   # the same", LH_ANSWER_RIGHT, NULL},
    {WRITE, "r = where(y > 0, y, 0 * y)", LH_ANSWER_RIGHT, NULL},
    {WRITE, "r = y * (y >= 0)", LH_ANSWER_RIGHT, NULL},
    {WRITE, "r = y", LH_ANSWER_WRONG,
     "r[0] is -0.25 with your line, and should be 0, on the lesson's"},
    {WRITE, "r = [0; 1.75]", LH_ANSWER_WRONG,
     "line 16 of the lesson does not work: dw is not defined here"},
    {WRITE, "r = y * [0; 1]", LH_ANSWER_WRONG, "on random numbers (draw "},
    {WRITE, "r = relu(y)^T", LH_ANSWER_WRONG, "r is 1x2 with your line, and should be 2x1"},
    {WRITE, "r = sum(relu(y))", LH_ANSWER_WRONG,
     "r is one number with your line, and should be 2x1"},
    {WRITE, "r = relu(z)", LH_ANSWER_UNREAD, "z is not defined here"},
    {WRITE, "r = loss", LH_ANSWER_UNREAD, "loss"},
    {WRITE, "r = relu(y", LH_ANSWER_UNREAD, "never closed"},
    {WRITE, "q = relu(y)", LH_ANSWER_UNREAD, "defines q, but r = ... is asked for"},
    {WRITE, "r := relu(y)", LH_ANSWER_UNREAD, "but r = ... is asked for"},
    {WRITE, "const r = 1", LH_ANSWER_UNREAD, "One line"},
    {WRITE, "r = relu(y)\nq = 1", LH_ANSWER_UNREAD, "this is more"},
    {WRITE, "r = file(\"/etc/passwd\")", LH_ANSWER_UNREAD, "file"},
    {WRITE, "param r : 2 x 1 = file(\"/etc/passwd\")", LH_ANSWER_UNREAD, NULL},
    {WRITE, "relu(y) + 0 * sum(onehot([0; 1], 900000000))", LH_ANSWER_UNREAD, "too large to try"},
    {WRITE, "# nothing", LH_ANSWER_UNREAD, NULL},
    {UPDATE, "w := w - rate * dw", LH_ANSWER_RIGHT, NULL},
    {UPDATE, "w - dw * rate", LH_ANSWER_RIGHT, NULL},
    {UPDATE, "w := w + rate * dw", LH_ANSWER_WRONG, "with your line, and should be"},
    {UPDATE, "w := w - 0.01 * dw", LH_ANSWER_WRONG, "on random numbers"},
    {OWN, "p = pick(a, right)", LH_ANSWER_RIGHT, NULL},
    {OWN, "rowsum(a * onehot(right, 2))", LH_ANSWER_RIGHT, NULL},
    {OWN, "p = [2; 3]", LH_ANSWER_WRONG, NULL},
    {OWN, "p = right", LH_ANSWER_WRONG, NULL},
    {OWN, "p = a @ b", LH_ANSWER_UNREAD, "b is not defined here"},
    {EXPERIMENT, "rate=0.05", LH_ANSWER_RIGHT, "With rate=0.05: "},
    {EXPERIMENT, "rate = 0,05", LH_ANSWER_RIGHT, NULL},
    {EXPERIMENT, "rate=1/20, d=2", LH_ANSWER_RIGHT, NULL},
    {EXPERIMENT, "rate=0.021", LH_ANSWER_WRONG, "would have to be less than 0.8, but it is "},
    {EXPERIMENT, "rate=0", LH_ANSWER_WRONG, NULL},
    {EXPERIMENT, "rate=1e300", LH_ANSWER_WRONG, NULL},
    {EXPERIMENT, "rate=(0.05", LH_ANSWER_UNREAD, NULL},
    {EXPERIMENT, "rate=", LH_ANSWER_UNREAD, NULL},
    {EXPERIMENT, "rate", LH_ANSWER_UNREAD, "rate=NUMBER d=NUMBER, rate is 0.02 now, d is 2 now"},
    {EXPERIMENT, "0.05", LH_ANSWER_UNREAD, NULL},
    {EXPERIMENT, "rate=0.05 rate=0.06", LH_ANSWER_UNREAD, "twice"},
    {EXPERIMENT, "rate=x", LH_ANSWER_UNREAD, "a number belongs"},
    {EXPERIMENT, "rate=sum(x)", LH_ANSWER_UNREAD, "a number belongs"},
    {EXPERIMENT, "rate=file(\"/etc/passwd\")", LH_ANSWER_UNREAD, "a number belongs"},
    {EXPERIMENT, "x=1", LH_ANSWER_UNREAD, "x cannot be set here, only rate and d"},
    {EXPERIMENT, "d=2.5", LH_ANSWER_UNREAD, "whole number from 1 to 256"},
    {EXPERIMENT, "d=100000000", LH_ANSWER_UNREAD, "whole number from 1 to 256"},
    {EXPERIMENT, "d=0", LH_ANSWER_UNREAD, "whole number from 1 to 256"},
    {EXPERIMENT, "d=3", LH_ANSWER_WRONG, NULL}, /* x has two columns */
    {STEPS, "steps=9 k=[1 2 3]", LH_ANSWER_RIGHT, NULL},
    {STEPS, "steps=9 k=[1,2,3]", LH_ANSWER_RIGHT, NULL},
    {STEPS, "steps=0 k=[1 2 3]", LH_ANSWER_WRONG, NULL},
    {STEPS, "steps=9", LH_ANSWER_WRONG, NULL},
    {STEPS, "steps=1000000000", LH_ANSWER_UNREAD, "whole number from 0 to 10000"},
    {STEPS, "steps=-1", LH_ANSWER_UNREAD, NULL},
};

static void answers_are_judged(void **state) {
    (void)state;
    opened o = open_lesson("all.md", exercises_lesson, strlen(exercises_lesson));
    assert_int_equal(o.lesson->n_exercises, N_EXERCISES_HERE);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const answer_case *x = &answers[i];
        lh_task *t = open_task(&o, x->exercise);
        lh_answered a = lh_task_answer(t, x->text);
        bool is_said = !x->says || (a.error && strstr(a.error->what, x->says));
        for (int k = 0; k < a.n_lines && !is_said; k++) is_said = strstr(a.line[k].text, x->says);
        if (a.state != x->state || !is_said)
            fail_msg("%d: \"%s\" is %s, should be %s: %s", x->exercise + 1, x->text,
                     lh_answer_words[a.state], lh_answer_words[x->state], said(&a));
        if (a.state == LH_ANSWER_UNREAD) assert_true(a.error || a.n_lines);
        assert_false(lh_failed(o.ctx));
        lh_task_close(t);
    }
    close_lesson(&o);
}

static void the_caret_stands_in_the_answer(void **state) {
    (void)state;
    opened o = open_lesson("all.md", exercises_lesson, strlen(exercises_lesson));
    lh_task *t = open_task(&o, WRITE);
    lh_answered a = lh_task_answer(t, "  r = relu(y) + zz");
    assert_non_null(a.error);
    assert_string_equal(a.error->file, "your line");
    assert_string_equal(a.error->source, "r = relu(y) + zz");
    assert_int_equal(a.error->at.line, 1);
    assert_int_equal(a.error->at.col, 15);
    lh_task_close(t);
    close_lesson(&o);
}

static void too_much_is_refused(void **state) {
    (void)state;
    static const char large[] =
        "# Large\n\n```longhand\nsize n = 2\nsize m = 2\nparam w : n x n = 0.5\nconst c : m x 1 = "
        "1\n"
        "q = w @ w\nz = q @ q\nloss = sum(z)\nbackward loss\nw := w - dw\n```\n\n"
        "```exercise experiment\nset: n\nuntil: loss@1000 > 5 and n > 200\nkey: "
        "n=201\n\nHow?\n```\n";
    opened o = open_lesson("large.md", large, strlen(large));
    lh_task *t = open_task(&o, 0);
    lh_answered a = lh_task_answer(t, "n=256");
    assert_int_equal(a.state, LH_ANSWER_UNREAD);
    assert_non_null(strstr(said(&a), "too large to try"));
    char *text = malloc(LH_TASK_TEXT + 2);
    memset(text, '1', LH_TASK_TEXT + 1);
    text[LH_TASK_TEXT + 1] = 0;
    a = lh_task_answer(t, text);
    assert_int_equal(a.state, LH_ANSWER_UNREAD);
    assert_non_null(strstr(said(&a), "too long"));
    free(text);
    lh_task_close(t);
    close_lesson(&o);
}

/* Numbers may come in pieces, and a slip may be mended. */
static void numbers_come_one_after_another(void **state) {
    (void)state;
    opened o = open_lesson("all.md", exercises_lesson, strlen(exercises_lesson));
    lh_task *t = open_task(&o, COMPUTE);
    assert_string_equal(lh_task_next(t), "y");
    expect(&o, t, "0.25; 1.75", LH_ANSWER_WRONG);
    assert_string_equal(lh_task_next(t), "y");
    expect(&o, t, "y[0] = -0.25", LH_ANSWER_PARTLY);
    assert_string_equal(lh_task_next(t), "loss");
    expect(&o, t, "1.5625", LH_ANSWER_RIGHT);
    assert_string_equal(lh_task_next(t), "");
    lh_task_close(t);
    t = open_task(&o, ROWS);
    assert_string_equal(lh_task_next(t), "dw[1]");
    lh_task_close(t);
    close_lesson(&o);
}

static void texts_have_their_numbers(void **state) {
    (void)state;
    opened o = open_lesson("all.md", exercises_lesson, strlen(exercises_lesson));
    lh_task *t = open_task(&o, PREDICT);
    assert_string_equal(lh_task_hint(t, 0), "Try it.");
    assert_string_equal(lh_task_hint(t, 1), "Again.");
    assert_null(lh_task_hint(t, 2));
    assert_non_null(strstr(lh_task_because(t), "It is 1."));
    assert_non_null(strstr(lh_task_option(t, 1), "rises by 0."));
    assert_int_equal(lh_task_exercise(t)->n_shows, 1);
    lh_task_close(t);
    int n = 0;
    t = open_task(&o, WRITE);
    const char **line = lh_task_lines(t, &n);
    assert_string_equal(line[n - 1], "r = ...");
    assert_string_equal(line[n - 2], "y = x @ w");
    lh_task_close(t);
    close_lesson(&o);
}

/* ---- what is wrong with a block ---- */

typedef struct bad_case {
    const char *block; /* without its fences' end */
    int line;          /* counted from the fence: 0 */
    const char *says;
} bad_case;

static const bad_case bad[] = {
    {"predict\nchoice: a | loss > 0\nchoice: b | loss > 1\n", 2, "two conditions hold"},
    {"predict\nchoice: a | loss < 0\nchoice: b | loss < -1\n", 0, "none of the conditions holds"},
    {"predict\nchoice: a | loss < 0\nchoice: b\n", 2, "no condition"},
    {"predict\nchoice: a | loss > 0\n", 0, "2 to 20 choice: lines"},
    {"predict\nchoice: a | loss > 0\nchoice: b | nothing < 0\n", 2, "nothing"},
    {"predict\nchoice: a | loss > 0\nchoice: b | loss\n", 2, "compares nothing"},
    {"find\nline: 1 + 1 = 2 | 1 + 1\nline: 1 + 2 = 3 | 1 + 2\n", 0, "every line is right"},
    {"find\nline: 1 + 1 = 4 | 1 + 1\nline: 1 + 2 = 5 | 1 + 2\n", 2, "two lines are wrong"},
    {"find\nline: 1 + 1 = 4 | 1 + 1\nline: 1 + 2\n", 2, "no expression"},
    {"find\nline: 1 + 1 = 4 | 1 + 1\nline: 1 + 2 is 3 | 1 + 2\n", 2, "has no ="},
    {"find\nline: 1 + 1 = 4 | 1 + 1\nline: 1 + 2 = three | 1 + 2\n", 2, "is not a number"},
    {"find\nline: 1 + 1 = 4 | 1 + 1\nline: it = 3 | [1 2]\n", 2, "one number is expected, not 1x2"},
    {"compute\ndigits: 3\n", 0, "says what is asked"},
    {"compute\nask: zz\n", 1, "zz"},
    {"compute\nask: y[7]\n", 1, "no row 7"},
    {"compute\nask: x\n", 1, "is given"},
    {"compute\nask: y\ndigits: 40\n", 2, "from 2 to 9"},
    {"compute\nask: y\nseed: many\n", 2, "seed: is a whole number"},
    {"compute\nask: y\nseed: 1\nseed: 2\n", 3, "occurs twice"},
    {"compute\nuse: f = this --set rate=2\nask: f:y\n", 2, "has settings"},
    {"write\nhint: no line\n", 0, "has line:, or given: and key:"},
    {"write\nline: zz\n", 1, "no line that makes zz"},
    {"write\nline: x\n", 1, "no line that makes x"},
    {"write\nline: y\nkey: y = 2\n", 1, "given: and key:"},
    {"write\ngiven: const a = [1 2\nkey: b = a\n", 1, "bracket"},
    {"write\ngiven: const a = 1\nkey: b = c\n", 2, "c is not defined here"},
    {"write\ngiven: const a = 1\nkey: const b = a\n", 2, "key: is a line such as"},
    {"write\ngiven: const a = 1\nkey: b = log(0 - a * a) + log(a * a)\n", 0, "random"},
    {"experiment\nuntil: loss < 1\nkey: rate=2\n", 0, "set:"},
    {"experiment\nset: speed\nuntil: loss@1 < 1\nkey: speed=2\n", 1, "no size or const speed"},
    {"experiment\nset: rate\nkey: rate=2\n", 0, "until: is a claim"},
    {"experiment\nset: rate\nuntil: loss@1\nkey: rate=2\n", 2, "until: is a claim"},
    {"experiment\nset: rate\nuntil: loss@1 < 1\n", 0, "has a key:"},
    {"experiment\nset: rate\nuntil: loss@1 > 0\nkey: rate=2\n", 2, "holds before anything is set"},
    {"experiment\nset: rate\nuntil: loss@2 < 0.8\nkey: rate=0\n", 3, "does not pass"},
    {"experiment\nset: rate\nuntil: loss@2 < 0.8\nkey: x=0.05\n", 3, "cannot be set here"},
    {"experiment\nset: rate\nuntil: loss@2 < 0.8\nkey: rate=0.05\nnever: rate=0.051\n", 4,
     "must not pass, but it does"},
    {"experiment\nset: rate\nuntil: loss@2 < 0.8\nkey: rate=0.05\nnever: rate=fast\n", 4,
     "cannot be tried"},
    {"experiment\nset: rate\nuntil: gain@2 < 0.8\nkey: rate=0.05\n", 2, "gain"},
};

static void bad_blocks_are_found(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[4000];
        int n = snprintf(text, sizeof text, "%s```exercise %s\nWhat?\n```\n", EXERCISES_PROGRAM "",
                         bad[i].block);
        char *body = strstr(text, "\nWhat?");
        memmove(body + 1, body, strlen(body) + 1); /* an empty line before the question */
        (void)n;
        opened o = open_lesson("bad.md", text, strlen(text));
        lh_lesson_lint(o.lesson);
        const lh_problem *found = NULL;
        for (int k = 0; k < o.lesson->problems->n; k++) {
            const lh_problem *p = o.lesson->problems->problem[k];
            if (!p->is_warning && !found) found = p;
        }
        if (!found) fail_msg("nothing is wrong with %s", bad[i].block);
        int fence = o.lesson->exercise[0].at.line;
        if (!strstr(found->error.what, bad[i].says) || found->error.at.line != fence + bad[i].line)
            fail_msg("%s: line %d: %s", bad[i].block, found->error.at.line - fence,
                     found->error.what);
        close_lesson(&o);
    }
}

static void a_good_lesson_is_quiet(void **state) {
    (void)state;
    opened o = open_lesson("all.md", exercises_lesson, strlen(exercises_lesson));
    lh_lesson_lint(o.lesson);
    for (int k = 0; k < o.lesson->problems->n; k++)
        if (!o.lesson->problems->problem[k]->is_warning)
            fail_msg("%s", o.lesson->problems->problem[k]->error.what);
    close_lesson(&o);
}

/* ---- progress ---- */

static void record(lh_store *s, const char *step, bool is_right, int hints) {
    lh_attempt a = {.time = 1000,
                    .lesson = "why",
                    .step = step,
                    .raw = "1",
                    .verdict = "right",
                    .mistake = "",
                    .hints = hints,
                    .is_right = is_right,
                    .is_wrong = !is_right};
    assert_true(s->record(s, &a, NULL));
}

static void done_exercises_are_counted(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_store *s = lh_store_memory(ctx);
    record(s, lh_exercise_step(a, 3), false, 0);
    record(s, lh_exercise_step(a, 3), true, 1);
    record(s, lh_exercise_step(a, 3), true, 0);
    record(s, lh_exercise_step(a, 12), true, LH_HINTS); /* the key was seen */
    record(s, lh_exercise_step(a, 1), false, 0);
    record(s, "Z", true, 0);
    lh_progress *p = lh_progress_new(a, s, 0);
    const lh_lesson_progress *l = lh_progress_lesson(p, "why");
    assert_int_equal(l->n_exercises, 1);
    assert_true(lh_progress_has_done(l, 3));
    assert_false(lh_progress_has_done(l, 12));
    assert_false(lh_progress_has_done(l, 1));
    assert_int_equal(l->done, 1);
    assert_int_equal(p->n_repeats, 0);
    assert_false(lh_progress_has_done(NULL, 3));
    s->close(s);
    lh_arena_free(a);
    lh_context_free(ctx);
}

/* ---- memory ---- */

static int allowed;

static void *alloc_some(size_t size) {
    return allowed-- > 0 ? malloc(size) : NULL;
}

/* Each allocation fails once: an error, never a crash, and never a right answer that is none. */
static void memory_may_run_out(void **state) {
    (void)state;
    for (int kind = 0; kind < N_EXERCISES_HERE; kind++) {
        bool is_enough = false;
        for (int n = 1; !is_enough; n++) {
            lh_context *ctx = lh_context_new();
            allowed = n;
            ctx->alloc = alloc_some;
            lh_lesson *l =
                lh_lesson_open(ctx, "all.md", exercises_lesson, strlen(exercises_lesson), NULL);
            lh_live *v = l ? lh_live_new(l) : NULL;
            lh_task *t = v ? lh_task_open(v, kind) : NULL;
            const char *key = t ? lh_task_key(t) : NULL;
            lh_answered a = {.state = LH_ANSWER_UNREAD};
            if (key) a = lh_task_answer(t, key);
            is_enough = a.state == LH_ANSWER_RIGHT && !lh_failed(ctx);
            if (!is_enough && allowed > 0) fail_msg("%d: %s", kind, ctx->error.what);
            lh_task_close(t);
            lh_live_free(v);
            lh_lesson_free(l);
            ctx->alloc = malloc;
            lh_context_free(ctx);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_exercise_can_be_done),
        cmocka_unit_test(answers_are_judged),
        cmocka_unit_test(the_caret_stands_in_the_answer),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(numbers_come_one_after_another),
        cmocka_unit_test(texts_have_their_numbers),
        cmocka_unit_test(bad_blocks_are_found),
        cmocka_unit_test(a_good_lesson_is_quiet),
        cmocka_unit_test(done_exercises_are_counted),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("exercise", tests, NULL, NULL);
}
