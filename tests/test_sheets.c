/* What the worksheets owe: every row of the inventory that is marking's, one test each. A row without a test fails, too.
 *
 * A sheet is filled in as a learner would, from the lesson's own numbers, and the marks are compared with what was done.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/embedded.h"
#include "learn/advice.h"
#include "learn/effect.h"
#include "learn/lesson.h"
#include "learn/variant.h"

/* ---- a lesson's sheet, as the program hands it out ---- */

typedef struct desk {
    lh_context *ctx;
    lh_arena *arena;
    lh_program *lesson;
    lh_mistakes *mistakes;
    lh_paper *paper;
    lh_filled *filled;
    lh_marks *marks;
} desk;

static desk desk_new(const char *name, unsigned long long seed, int digits) {
    desk d = {.ctx = lh_context_new()};
    char path[64];
    snprintf(path, sizeof path, "lessons/%s.md", name);
    const lh_embedded *e = lh_embedded_find(path);
    assert_non_null(e);
    d.arena = lh_arena_new(d.ctx);
    d.lesson = lh_lesson_parse(d.ctx, e->name, e->text, e->length);
    d.mistakes = lh_mistakes_load(d.ctx, d.lesson);
    lh_lesson_sheet sheet = lh_lesson_sheet_read(d.ctx, d.arena, e->name, e->text, e->length);
    d.paper = lh_paper_new(d.ctx, d.lesson,
                           &(lh_paper_how){.lesson = name,
                                           .seed = seed,
                                           .digits = digits,
                                           .steps = sheet.step,
                                           .at = sheet.at,
                                           .n_steps = sheet.n_steps,
                                           .mistakes = d.mistakes});
    if (!d.paper) fail_msg("%s: %s", name, d.ctx->error.what);
    return d;
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

static void asks(const desk *d, const char *names) {
    char text[512];
    snprintf(text, sizeof text, "%s", names);
    for (char *s = strtok(text, " "); s; s = strtok(NULL, " ")) ask(d, s);
}

static double exact(const desk *d, const char *name, int cell) {
    return lh_sheet_exact(d->paper->sheet, ask(d, name), cell);
}

static void near(const desk *d, const char *name, int cell, double value) {
    double x = exact(d, name, cell);
    if (!(fabs(x - value) < 6e-11)) fail_msg("%s: %.12g, not %.12g", name, x, value);
}

/* Lines of an answer file, marked. */
static void mark(desk *d, const char *format, ...) {
    char *text = lh_alloc(d->arena, 4096);
    va_list args;
    va_start(args, format);
    vsnprintf(text, 4096, format, args);
    va_end(args);
    lh_answer_file *f = lh_answer_file_read(d->arena, text, strlen(text));
    assert_null(f->problem);
    d->filled = lh_answers_read(d->arena, d->paper, f);
    d->marks = lh_mark(d->arena, d->paper->sheet, d->filled->answers, d->mistakes);
    assert_non_null(d->marks);
}

static lh_verdict verdict(const desk *d, const char *name, int cell) {
    return d->marks->cell[d->paper->sheet->ask[ask(d, name)].first + cell];
}

static bool is_named(const desk *d, const char *step, const char *mistake) {
    const lh_step_mark *m = &d->marks->step[ask(d, step)];
    for (int i = 0; i < m->n_diagnoses; i++)
        if (strcmp(m->diagnosis[i].mistake->name, mistake) == 0) return true;
    return false;
}

/* The first way to make a mistake in a step. */
static const lh_candidate *way_of(desk *d, const char *mistake, const char *step) {
    int n;
    lh_candidate *c = lh_candidates(d->paper->g, d->mistakes, d->arena, &n);
    for (int i = 0; i < n; i++)
        if (strcmp(c[i].mistake->name, mistake) == 0 &&
            (!step || strcmp(c[i].step->path, step) == 0))
            return &c[i];
    fail_msg("%s cannot be made in %s of %s", mistake, step ? step : "any step", d->paper->lesson);
    return NULL;
}

/* A learner makes the mistake in one step, with everything before it right: it is named there. */
static void names(desk *d, const char *mistake, const char *path) {
    const lh_candidate *c = way_of(d, mistake, path);
    lh_effect *e = lh_effect_new(d->paper->g, d->paper->sheet->plan, c);
    lh_step *s = e ? lh_graph_step(e->g, path) : NULL;
    if (!s) fail_msg("%s cannot be worked out", mistake);
    int i = 0;
    while (strcmp(d->paper->step[i].path, path) != 0) i++;
    lh_text t = lh_text_new(d->arena);
    for (int b = 0; b < d->paper->step[i].n_blocks; b++) {
        const lh_answer_block *k = &d->paper->step[i].block[b];
        lh_text_add(&t, "%s =", k->address);
        for (int c2 = 0; c2 < k->grid.rows * k->grid.cols; c2++)
            lh_text_add(
                &t, "%s%.*f", c2 && c2 % k->grid.cols == 0 ? "; " : " ", d->paper->step[i].decimals,
                lh_exact.get(e->plan, s->node,
                             (lh_cell){k->example, k->head, c2 / k->grid.cols, c2 % k->grid.cols}));
        lh_text_add(&t, "\n");
    }
    mark(d, "%s", t.s);
    if (!is_named(d, d->paper->step[i].name, mistake))
        fail_msg("%s in %s of %s is not named:\n%s", mistake, path, d->paper->lesson, t.s);
    lh_effect_free(e);
}

/* ---- the rows ---- */

static void uphill_raises_the_loss(void) {
    desk d = desk_new("ex2", 0, 4);
    lh_effect *e = lh_effect_new(d.paper->g, d.paper->sheet->plan, way_of(&d, "uphill", "WO:="));
    const lh_node *L = lh_graph_step(e->g, "L")->node;
    double before = lh_exact.get(e->plan, L, (lh_cell){0, 0, 0, 0});
    lh_exact.commit(e->plan), lh_exact.run(e->plan);
    assert_true(lh_exact.get(e->plan, L, (lh_cell){0, 0, 0, 0}) > before);
    assert_true(exact(&d, "L@1", 0) < exact(&d, "L", 0));
    lh_effect_free(e);
    desk_free(&d);
}

static void example_1(void) {
    desk d = desk_new("ex1", 0, 3);
    asks(&d, "X Q K V S Z P.m P.e P.s P H context logits probs.m probs.e probs.s probs");
    near(&d, "P.e", 2, 0.9929538734);
    near(&d, "P.s", 1, 1.9929538734);
    mark(&d, "probs = 0.251 0.249 0.251 0.249\nP[1] = 0.498 0.502\n");
    for (int i = 0; i < 4; i++) assert_int_equal(verdict(&d, "probs", i), LH_RIGHT);
    assert_int_equal(verdict(&d, "P", 2), LH_RIGHT);
    desk_free(&d);
    d = desk_new("ex1", 0, 4);
    mark(&d, "probs = 0.250 _ _ _\n");
    assert_false(lh_verdict_has_credit(verdict(&d, "probs", 0)));
    desk_free(&d);
}

static void example_2(void) {
    desk d = desk_new("ex2", 0, 4);
    assert_int_equal(d.paper->n_steps, 27); /* 21 before the update, 6 after it */
    asks(&d, "L dlogits dWO WO logits@1 probs.m@1 probs.e@1 probs.s@1 probs@1 L@1");
    assert_true(exact(&d, "L@1", 0) < exact(&d, "L", 0));
    assert_true(exact(&d, "probs@1", 2) > exact(&d, "probs", 2));
    for (int i = 0; i < 4; i++) assert_true((exact(&d, "dlogits", i) < 0) == (i == 2));
    names(&d, "one_minus", "dlogits");
    names(&d, "no_rate", "WO:=");
    names(&d, "uphill", "WO:=");
    mark(&d, "logits@1 = 0.004982 0 0.005018 0\n");
    assert_true(is_named(&d, "logits@1", "not_recomputed"));
    int i = ask(&d, "logits@1");
    assert_string_equal(d.marks->step[i].diagnosis[0].what, "WO as it was before the update");
    mark(&d, "logits@1 = 0.004857 -0.000125 0.005392 -0.000125\n");
    for (int k = 0; k < 4; k++) assert_int_equal(verdict(&d, "logits@1", k), LH_RIGHT);
    desk_free(&d);
}

static void example_3(void) {
    desk d = desk_new("ex3", 0, 4), two = desk_new("ex2", 0, 4);
    asks(&d, "dcontext dH dP P.grad.dot dZ dS dQ dK dV dWQ dWK dWV dWO WQ WK WV WO L@1");
    near(&d, "L", 0, 1.3837798086);
    near(&d, "L@1", 0, 1.3830839129);
    double fall = exact(&d, "L", 0) - exact(&d, "L@1", 0),
           other = exact(&two, "L", 0) - exact(&two, "L@1", 0);
    assert_true(fabs(fall - 6.9589575e-4) < 1e-11 && fabs(other - 3.7435259e-4) < 1e-11);
    desk_free(&d);
    desk_free(&two);
    d = desk_new("ex3", 1, 4);
    names(&d, "no_coupling", "dZ");
    names(&d, "outer_swapped", "dWQ");
    desk_free(&d);
}

static void example_4(void) {
    desk d = desk_new("ex4", 0, 4);
    asks(&d, "X Q K V Z P context logits probs L loss dlogits dcontext dWO mean WO L@1 loss@1");
    lh_effect *e =
        lh_effect_new(d.paper->g, d.paper->sheet->plan, way_of(&d, "examples_summed", "mean"));
    const lh_node *mean = lh_graph_step(e->g, "mean")->node;
    for (int i = 0; i < 8; i++)
        assert_true(fabs(lh_exact.get(e->plan, mean, (lh_cell){0, 0, i / 4, i % 4}) -
                         3 * exact(&d, "mean", i)) < 1e-15);
    lh_effect_free(e);
    names(&d, "examples_summed", "mean");
    names(&d, "summed", "WO:=");
    desk_free(&d);
}

static void example_5(void) {
    desk d = desk_new("ex5", 0, 4), plain = desk_new("ex5-plain", 0, 4);
    asks(&d, "N R F Y dY dF dR dN dH L dW1 dW2 W1 W2 Y@1 L@1");
    near(&d, "L", 0, 1.3835552196);
    near(&plain, "L", 0, 1.3860692097);
    desk_free(&plain);
    desk_free(&d);
}

static void example_5_checks(void) {
    desk d = desk_new("ex5", 1, 4);
    const char *const steps[] = {"H", "N", "R", "F", "Y"};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        assert_string_equal(d.paper->step[ask(&d, steps[i])].shape, "2 x 2");
    names(&d, "no_relu", "R");
    names(&d, "no_residual", "Y");
    names(&d, "only_residual", "Y");
    names(&d, "relu_not_masked", "dN");
    mark(&d, "R = 1 2 3; 4 5 6\n");
    assert_non_null(d.filled->answers->other_shape[ask(&d, "R")]);
    desk_free(&d);
}

static void example_6(void) {
    desk d = desk_new("ex6", 0, 4);
    asks(&d, "h[0].X h[1].X h[2].X h[0].A.Q h[0].A.S h[0].A.Z h[0].A.P h[0].A h[1].N.m h[1].N.v "
             "h[1].N h[1].F h[1].C logits probs L dlogits dWO WO probs@1 L@1");
    desk_free(&d);
    d = desk_new("ex6-causal", 0, 4); /* a hidden score is -inf, and nothing else is */
    mark(&d, "h[0].A.M = %.4f -inf; 0 %.4f\nh[1].A.M = %.4f 0; 0 _\nlogits = -inf 0 0 0\n",
         exact(&d, "h[0].A.M", 0), exact(&d, "h[0].A.M", 3), exact(&d, "h[1].A.M", 0));
    assert_int_equal(verdict(&d, "h[0].A.M", 1), LH_RIGHT);
    assert_false(lh_verdict_has_credit(verdict(&d, "h[1].A.M", 1)));
    assert_false(lh_verdict_has_credit(verdict(&d, "logits", 0)));
    desk_free(&d);
}

static const char *const lessons[] = {"ex1",     "ex2",      "ex2-partial", "ex3",
                                      "ex4",     "ex5",      "ex5-plain",   "ex6",
                                      "ex6-pre", "ex6-wide", "ex6-causal",  "ex6-three"};
enum { N_LESSONS = sizeof lessons / sizeof *lessons };

static void sheets_and_solutions(void) {
    for (int l = 0; l < N_LESSONS; l++) {
        desk d = desk_new(lessons[l], 0, 4);
        lh_answers *a = lh_answers_new(d.arena, d.paper->sheet);
        for (int i = 0; i < d.paper->n_steps; i++)
            for (int k = 0; k < d.paper->sheet->ask[i].n_cells; k++) {
                const char *text = lh_paper_number(d.arena, &d.paper->step[i], 4,
                                                   lh_sheet_exact(d.paper->sheet, i, k));
                a->cell[d.paper->sheet->ask[i].first + k] = lh_written_read(text, strlen(text));
            }
        lh_marks *m = lh_mark(d.arena, d.paper->sheet, a, d.mistakes);
        assert_int_equal(m->credit, m->total);
        m = lh_mark(d.arena, d.paper->sheet, lh_answers_new(d.arena, d.paper->sheet), d.mistakes);
        assert_int_equal(m->credit, 0);
        desk_free(&d);
    }
}

/* Has every number that is written credit, and is nothing said of them together? */
static bool passes(desk *d, const char *probs, const char *dlogits, const char *after) {
    mark(d, "probs = %s\ndlogits = %s\nL = %s\nL@1 = %s\n", probs, dlogits, "1.3838", after);
    bool ok = d->marks->n_remarks == 0 && lh_verdict_has_credit(verdict(d, "L@1", 0));
    for (int i = 0; i < 4; i++)
        ok &= lh_verdict_has_credit(verdict(d, "probs", i)) &&
              lh_verdict_has_credit(verdict(d, "dlogits", i));
    return ok;
}

static void verification_checks(void) {
    const char *probs = "0.2506 0.2494 0.2506 0.2494", *dlogits = "0.2506 0.2494 -0.7494 0.2494";
    desk d = desk_new("ex2", 0, 4);
    assert_true(passes(&d, probs, dlogits, "1.3834"));
    /* as the documents print them: sums that are not 1, another distribution, a loss that rises, signs turned round */
    assert_false(passes(&d, "0.2506 0.2494 0.2606 0.2494", dlogits, "1.3834"));
    assert_false(passes(&d, "0.9975 0.0008 0.0008 0.0008", dlogits, "1.3834"));
    assert_false(passes(&d, probs, dlogits, "1.384"));
    assert_false(passes(&d, probs, "-0.2506 -0.2494 0.7494 -0.2494", "1.3834"));
    desk_free(&d);
}

static void common_mistakes_show(void) {
    static const struct {
        const char *lesson, *mistake;
    } list[] = {
        {"ex1", "unscaled"},          {"ex1", "shift_after_exp"}, {"ex2", "uphill"},
        {"ex2", "one_minus"},         {"ex1", "wrong_side"},      {"ex1", "k_not_transposed"},
        {"ex3", "no_transpose_left"}, {"ex2", "no_rate"},         {"ex4", "summed"},
        {"ex5", "no_relu"},           {"ex5", "no_residual"},     {"ex1", "wrong_row"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        desk d = desk_new(list[i].lesson, 1, 4);
        lh_effect *e =
            lh_effect_new(d.paper->g, d.paper->sheet->plan, way_of(&d, list[i].mistake, NULL));
        if (!e || !e->step) fail_msg("%s makes no difference", list[i].mistake);
        lh_effect_free(e);
        desk_free(&d);
    }
}

static void hand_and_machine(void) {
    desk d = desk_new("ex1", 0, 4);
    static const struct {
        const char *text;
        lh_verdict verdict;
    } list[] = {{"0.498232240", LH_RIGHT}, {"0.4982", LH_RIGHT}, {"0.498", LH_FEW_DIGITS},
                {"0.4984", LH_LAST_DIGIT}, {"0.4987", LH_WRONG}, {"0.4892", LH_SLIP},
                {"four", LH_UNREAD}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        mark(&d, "P[1][0] = %s\n", list[i].text);
        if (verdict(&d, "P", 2) != list[i].verdict)
            fail_msg("%s: %s", list[i].text, lh_verdict_names[verdict(&d, "P", 2)]);
    }
    mark(&d, "P[1][0] = 0.498\n");
    assert_true(d.marks->step[ask(&d, "P")].few_digits);
    desk_free(&d);
}

/* ---- and what no row says ---- */

static void every_mistake_has_a_lesson(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_mistakes *m = lh_mistakes_load(ctx, NULL);
    for (int i = 0; i < m->n; i++) {
        char path[64];
        if (!m->mistake[i].see) fail_msg("%s names no lesson", m->mistake[i].name);
        snprintf(path, sizeof path, "lessons/%s.md", m->mistake[i].see);
        if (!lh_embedded_find(path))
            fail_msg("%s: there is no lesson %s", m->mistake[i].name, m->mistake[i].see);
    }
    lh_mistakes_free(m);
    lh_context_free(ctx);
}

/* A slip, a blank, then what follows: the slip's step is named behind the blank. */
static void a_blank_passes_the_origin_on(void **state) {
    (void)state;
    desk d = desk_new("ex1", 1, 4);
    mark(&d, "Z = 5 5.5; 6 6.5\n");
    assert_int_equal(d.marks->step[ask(&d, "P")].origin, ask(&d, "Z"));
    assert_int_equal(d.marks->step[ask(&d, "Q")].origin, -1);
    desk_free(&d);
}

/* The mistakes that part V adds, and those of the catalogue that its functions have: each is known by its name. */
static void mistakes_of_today_are_named(void **state) {
    (void)state;
    static const struct {
        const char *lesson, *mistake, *step;
    } list[] = {
        {"rmsnorm", "variance_taken", "ms"},
        {"rmsnorm", "summed_squares", "ms"},
        {"rmsnorm", "no_root", "d"},
        {"rmsnorm", "mean_taken_off", "n"},
        {"rmsnorm", "no_gain", "y"},
        {"rope", "degrees", "c"},
        {"rope", "degrees", "s"},
        {"rope", "minus_lost", "QR"},
        {"rope", "turned_back", "KR"},
        {"rope", "not_turned", "QR"},
        {"gates", "sigmoid_alone", "gate"},
        {"gates", "exponent_sign", "s"},
        {"gates", "gate_added", "h"},
        {"groups", "groups_in_turn", "S"},
        {"groups", "values_in_turn", "A"},
        {"groups", "k_not_transposed", "S"},
        {"groups", "not_normalised", "P"},
        {"windows", "window_one_off", "hide"},
        {"windows", "only_window", "hide"},
        {"windows", "window_ignored", "hide"},
        {"windows", "mask_zero", "P"},
        {"windows", "no_mask", "P"},
        {"experts", "chosen_after", "p"},
        {"experts", "all_experts", "p"},
        {"experts", "equal_shares", "p"},
        {"experts", "zero_for_infinity", "p"},
        {"lora", "no_alpha", "s"},
        {"lora", "only_the_addition", "y"},
        {"lora", "not_added", "y"},
        {"bits", "cut_off", "q"},
        {"bits", "signed_top", "top"},
        {"bits", "sixteen_codes", "s"},
        {"bits", "not_scaled_back", "back"},
        {"minp", "always_divided", "lower"},
        {"minp", "all_penalised", "z"},
        {"minp", "penalty_forgotten", "z"},
        {"minp", "limit_alone", "limit"},
        {"minp", "not_divided_again", "q"},
        {"since-gpt2", "rms_centred", "N"},
        {"since-gpt2", "rms_summed", "N"},
        {"since-gpt2", "rms_no_root", "M"},
        {"since-gpt2", "rope_degrees", "Q"},
        {"since-gpt2", "rope_backwards", "K"},
        {"since-gpt2", "rope_minus_lost", "Q"},
        {"since-gpt2", "gate_sigmoid", "F"},
        {"since-gpt2", "gate_sum", "F"},
        {"since-gpt2", "gate_on_values", "F"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        desk d = desk_new(list[i].lesson, 0, 4);
        names(&d, list[i].mistake, list[i].step);
        desk_free(&d);
    }
}

/* A term left out of a sum of products is no residual connection. */
static void a_sum_is_no_residual(void **state) {
    (void)state;
    desk d = desk_new("experts", 0, 4);
    int n;
    lh_candidate *c = lh_candidates(d.paper->g, d.mistakes, d.arena, &n);
    for (int i = 0; i < n; i++) assert_null(strstr(c[i].mistake->name, "residual"));
    desk_free(&d);
    d = desk_new("since-gpt2", 0, 4);
    names(&d, "no_residual", "out");
    desk_free(&d);
}

typedef struct row {
    const char *number, *what;
    void (*test)(void);
} row;

static const row rows[] = {
    {"9.4", "the gradient added, not subtracted: the loss rises", uphill_raises_the_loss},
    {"10.2", "Example 1: every number, and 0.250 is none of them", example_1},
    {"10.5", "Example 2: tasks, checks, four mistakes", example_2},
    {"10.7", "Example 3: the loss falls further", example_3},
    {"10.11", "Example 4: not averaged is three times as much", example_4},
    {"10.13", "Example 5: with and without the residual", example_5},
    {"10.14", "Example 5: shapes, mistakes", example_5_checks},
    {"10.16", "Example 6: hidden states, hidden scores", example_6},
    {"13.4", "worksheets and their solutions", sheets_and_solutions},
    {"13.6", "checks that the right numbers pass and wrong ones do not", verification_checks},
    {"13.7", "each common mistake makes a difference", common_mistakes_show},
    {"13.13", "a hand's number beside the machine's", hand_and_machine},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* Every row of the inventory that marking owes. */
static const char *const owed[] = {"9.4",   "10.2",  "10.5", "10.7", "10.11", "10.13",
                                   "10.14", "10.16", "13.4", "13.6", "13.7",  "13.13"};

/* Which of two equal numbers is larger depends on rounding: no sheet asks it. */
static void nothing_is_chosen_of_equals(void **state) {
    (void)state;
    const unsigned long long known[] = {52230, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    int n_rows = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        desk d = desk_new("experts", known[i], 4);
        const lh_sheet *s = d.paper->sheet;
        for (int k = 0; k < s->n_asks; k++) {
            if (strcmp(s->ask[k].step->path, "s") != 0) continue;
            const int cols = 3;
            for (int c = 0; c < s->ask[k].n_cells; c += cols, n_rows++)
                for (int a = 0; a < cols; a++)
                    for (int b = 0; b < a; b++)
                        if (fabs(lh_sheet_exact(s, k, c + a) - lh_sheet_exact(s, k, c + b)) < 1e-6)
                            fail_msg("experts, seed %llu: two equal scores in a row", known[i]);
        }
        desk_free(&d);
    }
    assert_true(n_rows > 0);
}

static void every_row_is_proved(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof owed / sizeof *owed; i++) {
        int n = 0;
        for (int k = 0; k < N_ROWS; k++) n += strcmp(rows[k].number, owed[i]) == 0 && rows[k].test;
        if (n != 1) fail_msg("row %s is proved %d times", owed[i], n);
    }
}

static void row_holds(void **state) {
    ((const row *)*state)->test();
}

int main(void) {
    static struct CMUnitTest tests[N_ROWS + 6];
    static char name[N_ROWS][128];
    size_t n = 0;
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_row_is_proved);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_mistake_has_a_lesson);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_blank_passes_the_origin_on);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(mistakes_of_today_are_named);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_sum_is_no_residual);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(nothing_is_chosen_of_equals);
    for (int i = 0; i < N_ROWS; i++) {
        snprintf(name[i], sizeof name[i], "%s %s", rows[i].number, rows[i].what);
        tests[n++] = (struct CMUnitTest){
            .name = name[i], .test_func = row_holds, .initial_state = (void *)&rows[i]};
    }
    return _cmocka_run_group_tests("sheets", tests, n, NULL, NULL);
}
