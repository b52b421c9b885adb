/* Kinds of sheets that an examiner easily marks unfairly, one test each: more digits than asked, another way, one slip before an
 * update, old numbers after it, the same mistake twice. The sheets are written by code: from the exact numbers of the
 * lesson, or of the lesson with another number in it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/embedded.h"
#include "learn/advice.h"
#include "learn/lesson.h"
#include "learn/reach.h"

typedef struct desk {
    lh_context *ctx;
    lh_arena *arena;
    lh_program *lesson;
    lh_mistakes *mistakes;
    lh_paper *paper;
    lh_filled filled;
    lh_marks *marks;
} desk;

/* only: the one step that is asked for, or NULL: those that the lesson names */
static desk desk_asking(const char *name, const char *text, size_t length, unsigned long long seed,
                        int digits, const char *only) {
    desk d = {.ctx = lh_context_new()};
    d.arena = lh_arena_new(d.ctx);
    const char *file = lh_printf(d.arena, "lessons/%s.md", name);
    d.lesson = lh_lesson_parse(d.ctx, file, text, length);
    d.mistakes = lh_mistakes_load(d.ctx, d.lesson);
    lh_lesson_sheet sheet = lh_lesson_sheet_read(d.ctx, d.arena, file, text, length);
    d.paper = lh_paper_new(d.ctx, d.lesson,
                           &(lh_paper_how){.lesson = name,
                                           .seed = seed,
                                           .digits = digits,
                                           .steps = only ? &only : sheet.step,
                                           .at = only ? NULL : sheet.at,
                                           .n_steps = only ? 1 : sheet.n_steps,
                                           .mistakes = d.mistakes});
    if (!d.paper) fail_msg("%s: %s", name, d.ctx->error.what);
    d.filled = (lh_filled){.answers = lh_answers_new(d.arena, d.paper->sheet)};
    d.filled.text =
        lh_alloc_array(d.arena, (size_t)d.paper->sheet->n_cells + 1, sizeof *d.filled.text);
    return d;
}

static desk desk_of(const char *name, const char *text, size_t length, unsigned long long seed,
                    int digits) {
    return desk_asking(name, text, length, seed, digits, NULL);
}

static desk desk_new(const char *name, unsigned long long seed, int digits) {
    char path[64];
    snprintf(path, sizeof path, "lessons/%s.md", name);
    const lh_embedded *e = lh_embedded_find(path);
    assert_non_null(e);
    return desk_of(name, e->text, e->length, seed, digits);
}

static void desk_free(desk *d) {
    lh_paper_free(d->paper);
    lh_mistakes_free(d->mistakes);
    lh_program_free(d->lesson);
    lh_arena_free(d->arena);
    lh_context_free(d->ctx);
}

static int ask(const desk *d, const char *name) {
    for (int i = 0; i < d->paper->n_steps; i++)
        if (strcmp(d->paper->step[i].name, name) == 0) return i;
    fail_msg("%s does not ask for %s", d->paper->lesson, name);
    return -1;
}

static int at(const desk *d, const char *name, int cell) {
    return d->paper->sheet->ask[ask(d, name)].first + cell;
}

static void put(desk *d, int cell, const char *format, ...) {
    char text[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    d->filled.answers->cell[cell] = lh_written_read(text, strlen(text));
    d->filled.text[cell] = lh_printf(d->arena, "%s", text);
}

/* The right numbers, each written by `format` with so many digits: "%.*f" or "%.*g". 0: as asked. */
static void put_key(desk *d, const char *format, int digits) {
    const lh_sheet *s = d->paper->sheet;
    for (int i = 0; i < s->n_asks; i++)
        for (int c = 0; c < s->ask[i].n_cells; c++) {
            char text[64];
            double x = lh_sheet_exact(s, i, c);
            snprintf(text, sizeof text, digits ? format : "%.*f", /* NOLINT */
                     digits ? digits : s->ask[i].decimals, x);
            put(d, s->ask[i].first + c, "%s", text);
        }
}

static void mark(desk *d) {
    d->marks = lh_mark(d->arena, d->paper->sheet, d->filled.answers, d->mistakes);
    assert_non_null(d->marks);
}

static const char *advice_of(desk *d, int step) {
    int n;
    lh_text t = lh_text_new(d->arena);
    lh_advice *line =
        lh_advise(&(lh_advisor){d->arena, d->paper, &d->filled, d->marks, d->mistakes}, step, &n);
    for (int i = 0; i < n; i++) lh_text_add(&t, "%s\n", line[i].text);
    return t.s ? t.s : "";
}

/* Every number but those of one step (-1: none) has full credit, and no mistake is named elsewhere. */
static void expect_credit_but(desk *d, int step) {
    const lh_sheet *s = d->paper->sheet;
    for (int i = 0; i < s->n_asks; i++) {
        if (i == step) continue;
        if (d->marks->step[i].n_diagnoses)
            fail_msg("%s %s: %s", d->paper->lesson, d->paper->step[i].name, advice_of(d, i));
        for (int c = 0; c < s->ask[i].n_cells; c++)
            if (!lh_verdict_has_credit(d->marks->cell[s->ask[i].first + c]))
                fail_msg("%s %s cell %d: %s is %s", d->paper->lesson, d->paper->step[i].name, c,
                         d->filled.text[s->ask[i].first + c],
                         lh_verdict_names[d->marks->cell[s->ask[i].first + c]]);
    }
}

/* ---- digits ---- */

static void digits_beyond_those_asked_do_not_count(void **state) {
    (void)state;
    static const char *const lessons[] = {"ex1", "ex2", "ex3", "ex5", "layernorm", "softmax"};
    for (size_t l = 0; l < sizeof lessons / sizeof *lessons; l++)
        for (unsigned long long seed = 0; seed < 2; seed++) {
            desk d = desk_new(lessons[l], seed, 4);
            static const int digits[] = {7, 8, 10, 15};
            for (size_t k = 0; k < sizeof digits / sizeof *digits; k++) {
                put_key(&d, "%.*g", digits[k]);
                mark(&d);
                expect_credit_but(&d, -1);
                for (int i = 0; i < d.paper->sheet->n_cells; i++)
                    assert_int_equal(d.marks->cell[i], LH_RIGHT);
            }
            const lh_sheet *s = d.paper->sheet;
            for (int way = 0; way < 3; way++) { /* zeros behind, float32 in full, a fraction */
                for (int i = 0; i < s->n_asks; i++)
                    for (int c = 0; c < s->ask[i].n_cells; c++) {
                        double x = lh_sheet_exact(s, i, c), unit = pow(10, -s->ask[i].decimals);
                        int cell = s->ask[i].first + c;
                        if (way == 0) put(&d, cell, "%.*f0000", s->ask[i].decimals, x);
                        if (way == 1) put(&d, cell, "%.9g", (double)(float)x);
                        if (way == 2) put(&d, cell, "%.0f/%.0f", rint(x / unit), 1 / unit);
                    }
                mark(&d);
                expect_credit_but(&d, -1);
            }
            desk_free(&d);
        }
}

/* A calculator's own rounding in the eighth digit is no mistake, a wrong fourth digit is one, however many follow. */
/* A display of eight digits for a number of twelve, and 1.5e11 for it; where a digit is another, it is wrong. */
static void a_display_is_enough_for_what_is_counted(void **state) {
    (void)state;
    desk d = desk_new("cost", 0, 4);
    const lh_sheet *s = d.paper->sheet;
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < s->n_asks; i++)
            for (int c = 0; c < s->ask[i].n_cells; c++) {
                char text[64];
                double x = lh_sheet_exact(s, i, c);
                snprintf(text, sizeof text, "%.7e", x);
                if (way == 0 && s->ask[i].decimals == 0)
                    snprintf(text, sizeof text, "%.0f", strtod(text, NULL));
                put(&d, s->ask[i].first + c, "%s", text);
            }
        mark(&d);
        expect_credit_but(&d, -1);
    }
    put(&d, at(&d, "linear", 4), "115964220000"); /* 115964116992 */
    put(&d, at(&d, "square", 0), "6291451");      /* 6291456 */
    mark(&d);
    assert_false(lh_verdict_has_credit(d.marks->cell[at(&d, "linear", 4)]));
    assert_false(lh_verdict_has_credit(d.marks->cell[at(&d, "square", 0)]));
    desk_free(&d);
}

/* Nothing is cut off from what is counted: 1 for 0 is no other way. */
static void one_too_many_is_wrong(void **state) {
    (void)state;
    desk d = desk_new("writing", 193305, 4);
    const lh_sheet *s = d.paper->sheet;
    put_key(&d, NULL, 0);
    for (int c = 0; c < s->ask[ask(&d, "K")].n_cells; c++)
        put(&d, at(&d, "K", c), "%.0f", lh_sheet_exact(s, ask(&d, "K"), c) + 1);
    for (int c = 0; c < s->ask[ask(&d, "s")].n_cells; c++)
        put(&d, at(&d, "s", c), "%.4f", lh_sheet_exact(s, ask(&d, "s"), c) + 8);
    mark(&d);
    for (int c = 0; c < s->ask[ask(&d, "K")].n_cells; c++)
        assert_false(lh_verdict_has_credit(d.marks->cell[at(&d, "K", c)]));
    desk_free(&d);
}

/* One digit fewer than is written, carried on: one number is enough where no other could show it. */
static void a_digit_fewer_shows_in_one_number(void **state) {
    (void)state;
    desk d = desk_new("glossary", 0, 4);
    put_key(&d, NULL, 0);
    put(&d, at(&d, "surprise", 0), "%.4f", -log(0.652)); /* of 0.6522 */
    mark(&d);
    expect_credit_but(&d, -1);
    assert_int_equal(d.marks->too_early, ask(&d, "surprise"));
    put(&d, at(&d, "surprise", 0), "0.4284");
    mark(&d);
    assert_false(lh_verdict_has_credit(d.marks->cell[at(&d, "surprise", 0)]));
    desk_free(&d);
}

static void wrong_digits_stay_wrong(void **state) {
    (void)state;
    desk d = desk_new("ex1", 0, 4);
    put_key(&d, "%.*g", 8);
    int cell = at(&d, "P", 2);
    double x = lh_sheet_exact(d.paper->sheet, ask(&d, "P"), 2);
    put(&d, cell, "%.8f", x + 2e-8);
    mark(&d);
    assert_int_equal(d.marks->cell[cell], LH_RIGHT);
    put(&d, cell, "%.8f", x + 6e-4);
    mark(&d);
    assert_false(lh_verdict_has_credit(d.marks->cell[cell]));
    expect_credit_but(&d, ask(&d, "P"));
    desk_free(&d);
}

/* 1.41 for the root of 2 where three digits are asked. */
static void a_root_may_be_short(void **state) {
    (void)state;
    desk d = desk_new("ex1", 0, 3);
    put_key(&d, NULL, 0);
    for (int i = 0; i < 4; i++)
        put(&d, at(&d, "Z", i), "%.5f",
            lh_sheet_exact(d.paper->sheet, ask(&d, "S"), i) / (i % 3 ? 1 : 1.41));
    mark(&d);
    expect_credit_but(&d, -1);
    put(&d, at(&d, "Z", 0), "%.5f", lh_sheet_exact(d.paper->sheet, ask(&d, "S"), 0) / 1.3);
    mark(&d);
    assert_false(lh_verdict_has_credit(d.marks->cell[at(&d, "Z", 0)]));
    desk_free(&d);
}

/* Right numbers with a digit too few have a verdict of their own, and the teacher says what they are worth. */
static void fewer_digits_are_worth_what_the_teacher_says(void **state) {
    (void)state;
    desk d = desk_new("ex1", 1, 4);
    put_key(&d, NULL, 0);
    int cell = -1;
    for (int i = 0; i < 4 && cell < 0; i++) {
        double x = lh_sheet_exact(d.paper->sheet, ask(&d, "P"), i);
        if (fabs(x * 1000 - rint(x * 1000)) > 0.1 && fabs(x * 1000 - rint(x * 1000)) < 0.4)
            put(&d, cell = at(&d, "P", i), "%.3f", x);
    }
    assert_true(cell >= 0);
    const int total = d.paper->sheet->n_cells;
    mark(&d);
    assert_int_equal(d.marks->cell[cell], LH_FEW_DIGITS);
    assert_int_equal(d.marks->credit, total);
    d.paper->sheet->few_digits = LH_WORTH_HALF;
    mark(&d);
    assert_int_equal(d.marks->credit, total - 1);
    assert_true(d.marks->points == total - 0.5);
    d.paper->sheet->few_digits = LH_WORTH_NONE;
    mark(&d);
    assert_int_equal(d.marks->cell[cell], LH_COARSE);
    assert_true(d.marks->points == total - 1);
    for (int i = 0; i < total; i++) assert_false(lh_verdict_is_blame(d.marks->cell[i]));
    desk_free(&d);
}

/* Two right digits of four are worth what the teacher says, too; one is none, and neither are two that are equal everywhere or stand
 * behind an update, which does not show in them. */
static void two_digits_tell_something(void **state) {
    (void)state;
    desk d = desk_new("softmax", 1, 4);
    put_key(&d, NULL, 0);
    put(&d, at(&d, "p", 2), "0.21"); /* of 0.2052 */
    mark(&d);
    assert_int_equal(d.marks->cell[at(&d, "p", 2)], LH_FEW_DIGITS);
    assert_int_equal(d.marks->credit, d.paper->sheet->n_cells);
    put(&d, at(&d, "p", 2), "0.2");
    mark(&d);
    assert_int_equal(d.marks->cell[at(&d, "p", 2)], LH_COARSE);
    desk_free(&d);
    d = desk_new("ex2", 0, 4);
    put_key(&d, NULL, 0);
    for (int c = 0; c < 4; c++) put(&d, at(&d, "probs", c), "0.25"); /* of 0.2506 and 0.2494 */
    put(&d, at(&d, "L@1", 0), "1.38");
    mark(&d);
    for (int c = 0; c < 4; c++) assert_int_equal(d.marks->cell[at(&d, "probs", c)], LH_COARSE);
    assert_int_equal(d.marks->cell[at(&d, "L@1", 0)], LH_COARSE);
    assert_int_equal(d.marks->credit, d.paper->sheet->n_cells - 5);
    desk_free(&d);
}

/* Three digits where four are asked, and 0.1 for 0.100, as a calculator shows it. */
static void zeros_may_be_missing_from_fewer_digits(void **state) {
    (void)state;
    desk d = desk_new("ex2", 21, 4);
    put_key(&d, NULL, 0);
    const lh_sheet *s = d.paper->sheet;
    const int z = ask(&d, "Z"), last = ask(&d, "dlogits");
    for (int i = z; i <= last; i++)
        for (int c = 0; c < s->ask[i].n_cells; c++)
            put(&d, s->ask[i].first + c, "%.3f", lh_sheet_exact(s, i, c));
    put(&d, at(&d, "Z", 1), "0.1"); /* of 0.1004 */
    mark(&d);
    assert_int_equal(d.marks->cell[at(&d, "Z", 1)], LH_FEW_DIGITS);
    assert_int_equal(d.marks->credit, s->n_cells);
    desk_free(&d);
}

/* 0.2 for 0.2052 says too little, but nothing against 0.205 in the next step. */
static void a_coarse_number_does_not_spread_to_right_ones(void **state) {
    (void)state;
    desk d = desk_new("softmax", 1, 4);
    put_key(&d, NULL, 0);
    put(&d, at(&d, "p", 2), "0.2");
    const int q = ask(&d, "dscores");
    for (int c = 0; c < 3; c++)
        put(&d, at(&d, "dscores", c), "%.3f", lh_sheet_exact(d.paper->sheet, q, c));
    mark(&d);
    assert_int_equal(d.marks->cell[at(&d, "p", 2)], LH_COARSE);
    assert_int_equal(d.marks->credit, d.paper->sheet->n_cells - 1);
    desk_free(&d);
}

/* ---- other ways ---- */

static void no_shift_is_another_way(void **state) {
    (void)state;
    desk d = desk_new("ex1", 3, 4);
    put_key(&d, NULL, 0);
    const lh_sheet *s = d.paper->sheet;
    for (int r = 0; r < 2; r++) {
        double sum = 0;
        for (int c = 0; c < 2; c++) {
            double e = exp(lh_sheet_exact(s, ask(&d, "Z"), 2 * r + c));
            put(&d, at(&d, "P.e", 2 * r + c), "%.4f", e);
            sum += e;
        }
        put(&d, at(&d, "P.s", r), "%.4f", sum);
    }
    mark(&d);
    expect_credit_but(&d, -1);
    assert_int_equal(d.marks->cell[at(&d, "P.e", 0)], LH_OTHER_WAY);
    assert_non_null(strstr(advice_of(&d, ask(&d, "P.e")), "overflow"));
    desk_free(&d);
}

/* ---- one slip ---- */

/* Everything that follows from another embedding of A: as if the first row of X had been copied wrongly. */
static void a_slip_does_not_come_back_after_the_update(void **state) {
    (void)state;
    desk d = desk_new("ex2", 0, 4);
    const lh_sheet *s = d.paper->sheet;
    lh_setting set = {"E", "[1 -0.7; 0 1; 0.5 0.5; 0.2 0.8]"};
    lh_graph *g = lh_graph_build(d.ctx, d.lesson, &(lh_build){.set = &set, .n_set = 1});
    if (!g) fail_msg("%s", d.ctx->error.what);
    int slip = ask(&d, "X"), others = 0;
    for (int i = 0; i < s->n_asks; i++) {
        lh_plan *p = lh_exact.plan(g, &(lh_wish){.all = true});
        lh_exact.start(p), lh_exact.bind(p, NULL, 0), lh_exact.run(p);
        for (int m = 0; m < s->ask[i].moment; m++) lh_exact.commit(p), lh_exact.run(p);
        const lh_node *n = lh_graph_step(g, s->ask[i].step->path)->node;
        for (int c = 0; c < s->ask[i].n_cells; c++) {
            double x = lh_exact.get(p, n, lh_sheet_cell(s, i, c));
            put(&d, s->ask[i].first + c, "%.*f", s->ask[i].decimals, x);
            others += i != slip && fabs(x - lh_sheet_exact(s, i, c)) > 1e-3;
        }
        lh_exact.free(p);
    }
    assert_true(others > 10); /* it reaches far */
    mark(&d);
    assert_false(lh_verdict_has_credit(d.marks->cell[at(&d, "X", 1)]));
    expect_credit_but(&d, slip);
    lh_graph_free(g);
    desk_free(&d);
}

/* The gradient of softmax and loss together reads the probabilities as they were written, also where softmax is written out. */
static void a_slip_in_the_probabilities_goes_into_their_rule(void **state) {
    (void)state;
    desk d = desk_new("softmax", 5, 4);
    put_key(&d, NULL, 0);
    put(&d, at(&d, "p", 1), "0.3063");
    put(&d, at(&d, "dscores", 1), "0.3063");
    mark(&d);
    assert_int_equal(d.marks->cell[at(&d, "p", 1)], LH_WRONG);
    assert_int_equal(d.marks->cell[at(&d, "dscores", 1)], LH_OTHER_WAY);
    expect_credit_but(&d, ask(&d, "p"));
    desk_free(&d);
}

/* The log of a negative number is none, and who says so has gone on rightly; who says so of a number that is there has not. */
static void no_number_follows_from_a_slip(void **state) {
    (void)state;
    desk d = desk_new("glossary", 0, 4);
    static const char *const words[] = {"nan", "NaN", "error", "Math ERROR", "undefined"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        put_key(&d, NULL, 0);
        put(&d, at(&d, "surprise", 0), "%s", words[i]);
        mark(&d);
        assert_int_equal(d.marks->cell[at(&d, "surprise", 0)], LH_WRONG);
        put(&d, at(&d, "probs", 0), "-0.6522");
        mark(&d);
        assert_int_equal(d.marks->cell[at(&d, "probs", 0)], LH_SLIP);
        assert_int_equal(d.marks->cell[at(&d, "surprise", 0)], LH_FOLLOWS);
    }
    put(&d, at(&d, "probs", 0), "0.0000");
    put(&d, at(&d, "surprise", 0), "inf");
    mark(&d);
    assert_int_equal(d.marks->cell[at(&d, "surprise", 0)], LH_FOLLOWS);
    desk_free(&d);
}

/* And it is carried on: the root of a negative number, its quotient, their sum; a step in between that nobody wrote down, too. */
static void no_number_is_carried_on(void **state) {
    (void)state;
    static const char lesson[] = "# Roots\n\n```longhand\nconst x = [4 9]\nv = x * 2\nr = sqrt(v)\n"
                                 "q = 1 / r\nt = sum(q)\n```\n\n```sheet\nv\nr\nt\n```\n";
    desk d = desk_of("roots", lesson, sizeof lesson - 1, 0, 4);
    put_key(&d, NULL, 0);
    put(&d, at(&d, "v", 0), "-8");
    put(&d, at(&d, "r", 0), "nan");
    put(&d, at(&d, "t", 0), "nan");
    mark(&d);
    expect_credit_but(&d, ask(&d, "v"));
    desk_free(&d);
}

/* After a slip all numbers are one by right, and who rounds on the way comes to another one: 1.333 * 7 for 4 / 3 * 7. */
static void equal_numbers_may_follow(void **state) {
    (void)state;
    static const char lesson[] = "# Equal\n\n```longhand\nconst x = [1 1.015]\nv = x * 2\n"
                                 "h = v * v / 3\ny = h * 7\n```\n\n```sheet\nv\ny\n```\n";
    desk d = desk_of("equal", lesson, sizeof lesson - 1, 0, 4);
    put_key(&d, NULL, 0);
    put(&d, at(&d, "v", 1), "-2.000");
    for (int c = 0; c < 2; c++) put(&d, at(&d, "y", c), "9.331");
    mark(&d);
    expect_credit_but(&d, ask(&d, "v"));
    desk_free(&d);
}

/* ---- lines that nobody asked for ---- */

/* The gradient of softmax reads its probabilities, and who works by hand has rounded them: 0.0073 / 1.0073 is 0.0072. */
static void what_a_gradient_reads_may_be_rounded(void **state) {
    (void)state;
    static const char lesson[] =
        "# Mixture\n\n```longhand\nfn mix(z, V)\n  P = softmax(z)\n  y = P @ V\nend\n"
        "param z : 1 x 2 = [4.9189 0]\nconst V = [0.4; 30]\ny = mix(z, V)\nbackward y\n```\n\n"
        "```sheet\ndz\n```\n";
    desk d = desk_of("mixture", lesson, sizeof lesson - 1, 0, 4);
    put(&d, at(&d, "dz", 0), "-0.2115"); /* 0.9928 * (0.4 - 0.6131) */
    put(&d, at(&d, "dz", 1), "0.2116");  /* 0.0072 * (30 - 0.6131); exactly it is 0.2132 */
    mark(&d);
    expect_credit_but(&d, -1);
    assert_int_equal(d.marks->too_early, -1);
    put(&d, at(&d, "dz", 1), "0.3016");
    mark(&d);
    assert_false(lh_verdict_has_credit(d.marks->cell[at(&d, "dz", 1)]));
    desk_free(&d);
}

/* ---- after an update ---- */

static void old_numbers_are_named(void **state) {
    (void)state;
    for (unsigned long long seed = 0; seed < 3; seed++) {
        desk d = desk_new("ex2", seed, 4);
        put_key(&d, NULL, 0);
        for (int i = 0; i < 4; i++)
            put(&d, at(&d, "probs@1", i), "%s", d.filled.text[at(&d, "probs", i)]);
        put(&d, at(&d, "L@1", 0), "%s", d.filled.text[at(&d, "L", 0)]);
        mark(&d);
        const lh_step_mark *m = &d.marks->step[ask(&d, "probs@1")];
        if (m->n_diagnoses != 1) fail_msg("seed %llu: %d names", seed, m->n_diagnoses);
        assert_string_equal(m->diagnosis[0].mistake->name, "not_recomputed");
        desk_free(&d);
    }
}

/* Without the shift the exponentials add up to 4.151 before the update and after it: they were worked out again. */
static void the_same_number_by_another_way_is_not_old(void **state) {
    (void)state;
    desk d = desk_new("ex2", 920404, 3);
    static const char *const e[] = {"0.864", "1.174", "0.996", "1.118"}, *const later[] = {
                                                                             "0.862", "1.172",
                                                                             "1.001", "1.115"};
    put_key(&d, NULL, 0);
    for (int c = 0; c < 4; c++) {
        put(&d, at(&d, "probs.e", c), "%s", e[c]);
        put(&d, at(&d, "probs.e@1", c), "%s", later[c]);
    }
    put(&d, at(&d, "probs.s", 0), "4.151");
    put(&d, at(&d, "probs.s@1", 0), "4.151");
    mark(&d);
    expect_credit_but(&d, -1);
    desk_free(&d);
}

/* Four decimals are asked for, because three show nothing of the update: three that stand there once more do not tell. */
static void old_numbers_in_few_digits_do_not_tell(void **state) {
    (void)state;
    desk d = desk_new("ex2", 732506, 3);
    put_key(&d, NULL, 0);
    put(&d, at(&d, "L", 0), "1.448"); /* probs was rounded before */
    put(&d, at(&d, "L@1", 0), "1.448");
    mark(&d);
    assert_int_equal(d.marks->cell[at(&d, "L@1", 0)], LH_COARSE);
    assert_int_equal(d.marks->step[ask(&d, "L@1")].n_diagnoses, 0);
    put(&d, at(&d, "L", 0), "%.4f", lh_sheet_exact(d.paper->sheet, ask(&d, "L"), 0));
    mark(&d); /* other digits than before: they were worked out again, and one is missing */
    assert_int_equal(d.marks->cell[at(&d, "L@1", 0)], LH_FEW_DIGITS);
    desk_free(&d);
}

/* ---- numbers that are copied ---- */

/* Rows of a table: nothing is rounded or cut off on the way. */
static void what_is_copied_has_no_last_digit_off(void **state) {
    (void)state;
    static const char *const off[] = {"1.0001", "0.9999"};
    for (int i = 0; i < 2; i++) {
        desk d = desk_new("ex1", 0, 4);
        put_key(&d, NULL, 0);
        put(&d, at(&d, "X", 0), "%s", off[i]);
        mark(&d);
        assert_int_equal(d.marks->cell[at(&d, "X", 0)], LH_WRONG);
        expect_credit_but(&d, ask(&d, "X"));
        put(&d, at(&d, "X", 0), "1");
        mark(&d);
        expect_credit_but(&d, -1);
        desk_free(&d);
    }
}

/* ---- mistakes ---- */

/* Divided by how many there are, in both softmaxes; everything else as it should be. */
static void the_same_mistake_is_named_once(void **state) {
    (void)state;
    desk d = desk_new("ex1", 1, 4);
    put_key(&d, NULL, 0);
    const lh_sheet *s = d.paper->sheet;
    for (int i = 0; i < 4; i++) {
        put(&d, at(&d, "P", i), "%.4f", lh_sheet_exact(s, ask(&d, "P.e"), i) / 2);
        put(&d, at(&d, "probs", i), "%.4f", lh_sheet_exact(s, ask(&d, "probs.e"), i) / 4);
    }
    mark(&d);
    const lh_step_mark *first = &d.marks->step[ask(&d, "P")],
                       *again = &d.marks->step[ask(&d, "probs")];
    assert_int_equal(first->n_diagnoses, 1);
    assert_int_equal(first->diagnosis[0].again, -1);
    assert_int_equal(again->n_diagnoses, 1);
    assert_int_equal(again->diagnosis[0].again, ask(&d, "P"));
    assert_non_null(strstr(advice_of(&d, ask(&d, "probs")), "the same again"));
    desk_free(&d);
}

/* Not divided by the root of d_k, and one last digit off besides; with a cell that is quite another it has no name. */
static void a_mistake_is_known_beside_a_last_digit(void **state) {
    (void)state;
    desk d = desk_new("ex1", 1, 4);
    put_key(&d, NULL, 0);
    int z = ask(&d, "Z"), decimals = d.paper->sheet->ask[z].decimals;
    for (int i = 0; i < 4; i++)
        put(&d, at(&d, "Z", i), "%.*f", decimals,
            lh_sheet_exact(d.paper->sheet, ask(&d, "S"), i) + (i == 3 ? pow(10, -decimals) : 0));
    mark(&d);
    assert_int_equal(d.marks->step[z].n_diagnoses, 1);
    assert_string_equal(d.marks->step[z].diagnosis[0].mistake->name, "unscaled");
    put(&d, at(&d, "Z", 3), "0.7777");
    mark(&d);
    assert_int_equal(d.marks->step[z].n_diagnoses, 0);
    desk_free(&d);
}

/* X without its positions is also X without the other part: both are named, and neither alone is. */
static void two_names_for_the_same_numbers(void **state) {
    (void)state;
    desk d = desk_new("heads", 0, 4);
    static const double wrong[3][4] = {{0.1781, 0.1523, 0.1887, 0.2146},
                                       {0.2746, 0.2127, 0.1268, 0.1886},
                                       {0.1055, 0.0713, 0.2472, 0.2814}};
    put_key(&d, NULL, 0);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) put(&d, at(&d, "heads", 8 * r + c), "%.4f", wrong[r][c]);
    mark(&d);
    const char *advice = advice_of(&d, ask(&d, "heads"));
    const lh_step_mark *m = &d.marks->step[ask(&d, "heads")];
    if (m->n_diagnoses != 2) fail_msg("%s", advice);
    assert_string_equal(m->diagnosis[0].mistake->name, "only_residual");
    assert_string_equal(m->diagnosis[1].mistake->name, "no_position");
    desk_free(&d);
}

/* These scores add up to 0. Divided by their sum, rounded or not, they may be anything, and so a slip in one of the
 * probabilities is no "divided by their sum without the exponential". */
static void what_may_be_anything_explains_nothing(void **state) {
    (void)state;
    static const char lesson[] = "# Scores\n\n```longhand\n"
                                 "const s = [-0.5 -0.1 -0.8 -0.2 0.7 0.9]\nconst T = 1\nz = s / T\n"
                                 "p = softmax(z)\n```\n\n```sheet\np\n```\n";
    desk d = desk_of("scores", lesson, sizeof lesson - 1, 0, 3);
    put_key(&d, NULL, 0);
    put(&d, at(&d, "p", 0), "0.267");
    mark(&d);
    assert_false(lh_verdict_has_credit(d.marks->cell[at(&d, "p", 0)]));
    assert_int_equal(d.marks->step[ask(&d, "p")].n_diagnoses, 0);
    desk_free(&d);
}

static void expect_name(desk *d, const char *step, const char *name) {
    mark(d);
    const lh_step_mark *m = &d->marks->step[ask(d, step)];
    if (!m->n_diagnoses) fail_msg("%s: %s is not named", step, name);
    assert_string_equal(m->diagnosis[0].mistake->name, name);
}

/* Gate and value added: of the gate as it was written, with the digits asked for, and not of what it comes from. */
static void a_mistake_is_made_with_written_numbers(void **state) {
    (void)state;
    desk d = desk_new("gates", 844233, 3);
    put_key(&d, NULL, 0);
    for (int c = 0; c < 6; c++)
        put(&d, at(&d, "h", c), "%.4f",
            strtod(d.filled.text[at(&d, "gate", c)], NULL) +
                strtod(d.filled.text[at(&d, "v", c)], NULL));
    expect_name(&d, "h", "gate_added");
    desk_free(&d);
}

/* attention(X @ WQ, ...) with the weights transposed shows in Q already. */
static void a_mistake_shows_in_what_a_call_is_given(void **state) {
    (void)state;
    static const char lesson[] =
        "# Given\n\n```longhand\nconst E = [0.5 0.25; 0.15 -0.5]\nX = E + E\nconst WQ = [0.2 0.7; "
        "-0.4 0.5]\n"
        "const WV = [0.9 -0.3; 0.1 0.6]\nA = attention(X @ WQ, X, X @ WV)\n```\n\n"
        "```sheet\nA.Q\nA\n```\n";
    desk d = desk_of("given", lesson, sizeof lesson - 1, 0, 4);
    static const char *const transposed[] = {"0.5500", "-0.1500", "-0.6400", "-0.6200"};
    put_key(&d, NULL, 0);
    for (int c = 0; c < 4; c++) put(&d, at(&d, "A.Q", c), "%s", transposed[c]);
    expect_name(&d, "A.Q", "weights_transposed");
    desk_free(&d);
}

/* A parameter that is not given is worked out from what the others were given: from the wrong one, too. */
static void a_mistake_reaches_what_a_call_was_not_given(void **state) {
    (void)state;
    static const char lesson[] =
        "# Given\n\n```longhand\nconst X = [1 2; 3 -1; 0.5 0.25]\nconst W = [0.1 0.4; 0.25 0.3]\n"
        "fn twice(x, k = softmax(x))\n  p = k * 2\n  y = p + x\nend\n"
        "A = X * 1\nY = twice(A @ W)\n```\n\n```sheet\nY\n```\n";
    desk d = desk_of("given", lesson, sizeof lesson - 1, 0, 4);
    static const char *const transposed[] = {"1.9250", "1.8250", "0.6317",
                                             "1.7183", "1.1250", "1.2250"};
    for (int c = 0; c < 6; c++) put(&d, at(&d, "Y", c), "%s", transposed[c]);
    expect_name(&d, "Y", "weights_transposed");
    desk_free(&d);
}

/* Both moments work O out by one plan, and H says another number at each. W after two updates, which nobody asked for, is worked
 * out from O after one: only then may the plan be given what was written for O after two. */
static void a_formula_is_followed_at_two_moments(void **state) {
    (void)state;
    static const char lesson[] =
        "# Moments\n\n```longhand\nconst x = [1 2]\nconst target = [1 3]\n"
        "param W = [0.5123 -0.2577; 0.7519 1.5113]\nH = x * (step + 1)\nO = H @ W\nD = O - target\n"
        "dW = H^T @ D\nW := W - 0.0173 * dW\n```\n\n```sheet\nH@2\nO@2\n```\n";
    desk d = desk_of("moments", lesson, sizeof lesson - 1, 0, 4);
    put(&d, at(&d, "H@2", 0), "4"), put(&d, at(&d, "H@2", 1), "6");
    put(&d, at(&d, "O@2", 0), "4.6984"), put(&d, at(&d, "O@2", 1), "6.6788");
    mark(&d);
    assert_int_equal(d.marks->cell[at(&d, "H@2", 0)], LH_WRONG);
    assert_int_equal(d.marks->cell[at(&d, "O@2", 0)], LH_FOLLOWS);
    assert_int_equal(d.marks->cell[at(&d, "O@2", 1)], LH_FOLLOWS);
    put(&d, at(&d, "O@2", 0), "2.8681"), put(&d, at(&d, "O@2", 1), "4.6811"); /* from H after one */
    mark(&d);
    assert_false(lh_verdict_has_credit(d.marks->cell[at(&d, "O@2", 0)]));
    desk_free(&d);
}

/* Every number of somebody who took the scores for their exponentials: first with the digits that were written, and after the
 * update once more with all of them. */
static void a_mistake_is_made_again_after_the_update(void **state) {
    (void)state;
    static const struct {
        const char *step, *numbers;
    } wrong[] = {
        {"P.e", "-0.267 0.175 0.341 -0.225"},
        {"P.s", "-0.092 0.116"},
        {"P", "2.902 -1.902 2.940 -1.940"},
        {"H", "0.525 -3.919 0.531 -3.982"},
        {"context", "0.531 -3.982"},
        {"logits", "-0.080 2.495 2.363 3.371"},
        {"probs.m", "3.371"},
        {"probs.e", "0.032 0.416 0.365 1.000"},
        {"probs.s", "1.813"},
        {"probs", "0.018 0.229 0.201 0.552"},
        {"L", "1.604"},
        {"dlogits", "0.018 0.229 -0.799 0.552"},
        {"dWO", "0.010 0.122 -0.424 0.293 -0.072 -0.912 3.182 -2.198"},
        {"WO", "-0.901 0.188 -0.758 -0.429 -0.093 -0.509 -1.018 -0.680"},
        {"logits@1", "-0.1083 2.1169 3.6336 2.4681"},
        {"probs.m@1", "3.6336"},
        {"probs.e@1", "0.024 0.219 1.000 0.312"},
        {"probs.s@1", "1.555"},
        {"probs@1", "0.0154 0.1408 0.6431 0.2006"},
        {"L@1", "0.4415"},
    };
    desk d = desk_new("ex2", 920404, 3);
    put_key(&d, NULL, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *next = wrong[i].numbers;
        for (int c = 0; *next; c++) {
            size_t n = strcspn(next, " ");
            put(&d, at(&d, wrong[i].step, c), "%.*s", (int)n, next);
            next += n + strspn(next + n, " ");
        }
    }
    expect_name(&d, "P.e", "shares_without_exp");
    expect_credit_but(&d, ask(&d, "P.e"));
    desk_free(&d);
}

/* Any rule that makes something small would explain them. */
static void zeros_have_no_name(void **state) {
    (void)state;
    desk d = desk_new("optimisers", 147358, 3);
    put_key(&d, NULL, 0);
    for (int c = 0; c < 3; c++) put(&d, at(&d, "vhat", c), "0.000");
    mark(&d);
    assert_int_equal(d.marks->step[ask(&d, "vhat")].n_diagnoses, 0);
    desk_free(&d);
}

/* The same mistake on both sides of an update may come to the same number: that word's probability hardly moved. */
static void a_mistake_made_again_is_not_an_old_number(void **state) {
    (void)state;
    desk d = desk_new("ex2", 643122, 3);
    const int before = ask(&d, "L"), after = ask(&d, "L@1");
    put_key(&d, NULL, 0);
    for (int i = 0; i < 2; i++) {
        const double p = lh_sheet_exact(d.paper->sheet, ask(&d, i ? "probs@1" : "probs"), 3);
        put(&d, at(&d, i ? "L@1" : "L", 0), "%.3f", -log(rint(1000 * p) / 1000)); /* as written */
    }
    assert_string_equal(d.filled.text[at(&d, "L", 0)], d.filled.text[at(&d, "L@1", 0)]);
    mark(&d);
    assert_int_equal(d.marks->step[before].n_diagnoses, 1);
    assert_string_equal(d.marks->step[before].diagnosis[0].mistake->name, "loss_of_other");
    assert_int_equal(d.marks->step[after].n_diagnoses, 0);
    assert_int_equal(d.marks->cell[at(&d, "L@1", 0)], LH_FOLLOWS);
    assert_int_equal(d.marks->step[after].origin, before);
    /* which it is where the learner's own probabilities lead elsewhere */
    put(&d, at(&d, "probs@1", 3), "%.3f",
        lh_sheet_exact(d.paper->sheet, ask(&d, "probs@1"), 3) + 0.01);
    mark(&d);
    assert_string_equal(d.marks->step[after].diagnosis[0].mistake->name, "not_recomputed");
    desk_free(&d);
}

/* Eight digits were written, and the three asked for typed in again: these are the same on both sides of an update. */
static void the_same_digits_typed_in_are_not_an_old_number(void **state) {
    (void)state;
    desk d = desk_new("ex3", 807587, 3);
    const int before = at(&d, "probs.m", 0), after = at(&d, "probs.m@1", 0);
    put_key(&d, "%.*f", 8);
    for (int i = 0; i < 2; i++) {
        const double m = lh_sheet_exact(d.paper->sheet, ask(&d, i ? "probs.m@1" : "probs.m"), 0);
        put(&d, i ? after : before, "%.8f", rint(1000 * m) / 1000);
    }
    assert_string_equal(d.filled.text[before], d.filled.text[after]);
    mark(&d);
    assert_int_equal(d.marks->step[ask(&d, "probs.m@1")].n_diagnoses, 0);
    assert_true(lh_verdict_has_credit(d.marks->cell[after]));
    desk_free(&d);
}

/* ---- the sheet as a whole ---- */

static void what_cannot_be_is_said(void **state) {
    (void)state;
    desk d = desk_new("ex2", 1, 4);
    put_key(&d, NULL, 0);
    mark(&d);
    assert_int_equal(d.marks->n_remarks, 0);
    put(&d, at(&d, "P", 0), "0.9");
    put(&d, at(&d, "L@1", 0), "9.1234");
    mark(&d);
    assert_non_null(strstr(advice_of(&d, ask(&d, "P")), "probabilities add up to 1"));
    assert_non_null(strstr(advice_of(&d, ask(&d, "L@1")), "the loss rose"));
    desk_free(&d);
}

/* Whatever stands on a sheet, marking ends: by its own count of work, so that it is the same on every machine. */
static void marking_has_a_bound(void **state) {
    (void)state;
    desk d = desk_new("ex6-three", 0, 4);
    put_key(&d, NULL, 0);
    unsigned chance = 1;
    for (int i = 0; i < d.paper->sheet->n_cells; i++) {
        chance = chance * 1664525u + 1013904223u;
        if (chance >> 30) put(&d, i, "%.4f", (double)(chance >> 8) / 4e6 - 2);
    }
    clock_t begin = clock();
    mark(&d);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    print_message("# %.2f s for %d numbers\n", seconds, d.paper->sheet->n_cells);
    assert_true(d.marks->gave_up);
    assert_true(seconds < 20); /* a sanitizer may be at work; without the bound it takes minutes */
    lh_reach *r = d.paper->sheet->reach;
    lh_reach_allow(r, 1);
    assert_true(lh_reach_may(r));
    lh_reach_pay(r, 1);
    assert_false(lh_reach_may(r)); /* long before patience ends */
    assert_true(lh_reach_gave_up(r));
    desk_free(&d);
}

static size_t taken; /* bytes, by count_bytes */

static void *count_bytes(size_t size) {
    taken += size;
    return malloc(size);
}

/* One number far from what is given: every line of ten steps of training may have been rounded on the way to it. */
static void much_between_two_numbers_has_a_bound(void **state) {
    (void)state;
    const lh_embedded *e = lh_embedded_find("lessons/ex6-three.md");
    desk d = desk_asking("ex6-three", e->text, e->length, 3, 4, "loss@9");
    put(&d, 0, "1.2345");
    d.ctx->alloc = count_bytes;
    taken = 0;
    mark(&d);
    print_message("# %.0f MB for one number\n", (double)taken / 1e6);
    assert_true(d.marks->gave_up);
    assert_int_equal(d.marks->cell[0], LH_WRONG);
    assert_true(taken < 3000000000u); /* without the bound several times as much */
    desk_free(&d);
}

/* ---- reading ---- */

static void odd_signs_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
        int decimals;
    } list[] = {{"0.2497...", 0.2497, 4},       {"0.2497\u2026", 0.2497, 4},
                {"0.2497.", 0.2497, 4},         {"\u22120.25", -0.25, 2},
                {"\u2212\u20090.25", -0.25, 2}, {"0.249\u2009731", 0.249731, 6},
                {"12\u00a0345.5", 12345.5, 1},  {"\u202f0.25\u00a0", 0.25, 2}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        lh_written w = lh_written_read(list[i].text, strlen(list[i].text));
        if (w.kind != LH_WRITTEN_NUMBER || w.value != list[i].value ||
            w.decimals != list[i].decimals)
            fail_msg("%s: %.9g, %d decimals", list[i].text, w.value, w.decimals);
    }
    assert_int_equal(lh_written_read("...", 3).kind, LH_WRITTEN_BLANK);
    assert_int_equal(lh_written_read("0.2.5", 5).kind, LH_WRITTEN_UNREAD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_beyond_those_asked_do_not_count),
        cmocka_unit_test(a_display_is_enough_for_what_is_counted),
        cmocka_unit_test(one_too_many_is_wrong),
        cmocka_unit_test(a_digit_fewer_shows_in_one_number),
        cmocka_unit_test(wrong_digits_stay_wrong),
        cmocka_unit_test(a_root_may_be_short),
        cmocka_unit_test(fewer_digits_are_worth_what_the_teacher_says),
        cmocka_unit_test(two_digits_tell_something),
        cmocka_unit_test(zeros_may_be_missing_from_fewer_digits),
        cmocka_unit_test(a_coarse_number_does_not_spread_to_right_ones),
        cmocka_unit_test(no_shift_is_another_way),
        cmocka_unit_test(a_slip_does_not_come_back_after_the_update),
        cmocka_unit_test(a_slip_in_the_probabilities_goes_into_their_rule),
        cmocka_unit_test(no_number_follows_from_a_slip),
        cmocka_unit_test(no_number_is_carried_on),
        cmocka_unit_test(equal_numbers_may_follow),
        cmocka_unit_test(what_a_gradient_reads_may_be_rounded),
        cmocka_unit_test(two_names_for_the_same_numbers),
        cmocka_unit_test(what_may_be_anything_explains_nothing),
        cmocka_unit_test(a_mistake_is_made_with_written_numbers),
        cmocka_unit_test(a_mistake_shows_in_what_a_call_is_given),
        cmocka_unit_test(a_mistake_reaches_what_a_call_was_not_given),
        cmocka_unit_test(a_formula_is_followed_at_two_moments),
        cmocka_unit_test(a_mistake_is_made_again_after_the_update),
        cmocka_unit_test(zeros_have_no_name),
        cmocka_unit_test(old_numbers_are_named),
        cmocka_unit_test(old_numbers_in_few_digits_do_not_tell),
        cmocka_unit_test(the_same_number_by_another_way_is_not_old),
        cmocka_unit_test(what_is_copied_has_no_last_digit_off),
        cmocka_unit_test(the_same_mistake_is_named_once),
        cmocka_unit_test(a_mistake_is_known_beside_a_last_digit),
        cmocka_unit_test(a_mistake_made_again_is_not_an_old_number),
        cmocka_unit_test(the_same_digits_typed_in_are_not_an_old_number),
        cmocka_unit_test(what_cannot_be_is_said),
        cmocka_unit_test(marking_has_a_bound),
        cmocka_unit_test(much_between_two_numbers_has_a_bound),
        cmocka_unit_test(odd_signs_are_read),
    };
    return cmocka_run_group_tests_name("fair", tests, NULL, NULL);
}
