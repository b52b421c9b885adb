/* practice: entries of every form, verdicts at once, hints in their order, corrections, a sheet left and taken up again. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/entry.h"
#include "learn/lesson.h"
#include "learn/practice.h"
#include "scarce.h"

#define ATTENTION                                                                                  \
    "const Q = [0.5 -0.3; 0.2 0.9]       # given\n"                                                \
    "const K = [0.4 0.8; -0.6 0.7]\n"                                                              \
    "const V = [0.3 0.1; 0.5 -0.2]\n"                                                              \
    "S = Q @ K^T                         # scores\n"                                               \
    "Z = S / sqrt(cols(K))               # scaled\n"                                               \
    "P = softmax(Z)\n"                                                                             \
    "H = P @ V\n"

#define BATCH                                                                                      \
    "vocab A B C\n"                                                                                \
    "const E = [0.5 -0.3; 0.2 0.9; -0.4 0.7]\n"                                                    \
    "const W = [0.3 0.1; 0.5 -0.2]\n"                                                              \
    "example A B -> C\n"                                                                           \
    "example C A -> B\n"                                                                           \
    "X = E[tokens]\n"                                                                              \
    "Y = X @ W\n"

typedef struct desk {
    lh_context *ctx;
    lh_arena *a;
    lh_program *program;
    lh_mistakes *mistakes;
    lh_paper *paper;
    lh_practice *p;
} desk;

static void close_desk(desk *d) {
    lh_practice_free(d->p);
    lh_paper_free(d->paper);
    lh_mistakes_free(d->mistakes);
    lh_program_free(d->program);
    lh_arena_free(d->a);
    lh_context_free(d->ctx);
}

static bool open_desk(desk *d, const char *text) {
    *d = (desk){.ctx = lh_context_new()};
    d->ctx->alloc = alloc_but_one;
    d->ctx->release = release_counted;
    d->a = lh_arena_new(d->ctx);
    d->program = lh_program_parse(d->ctx, "test.lh", text, strlen(text));
    d->mistakes = d->program ? lh_mistakes_load(d->ctx, d->program) : NULL;
    lh_paper_how how = {.lesson = "test", .title = "Test", .digits = 4, .mistakes = d->mistakes};
    d->paper = d->mistakes ? lh_paper_new(d->ctx, d->program, &how) : NULL;
    d->p = d->paper ? lh_practice_new(d->paper, d->mistakes) : NULL;
    return d->p != NULL;
}

static int setup(void **state) {
    desk *d = malloc(sizeof *d);
    asked = refused = live = 0;
    *state = d;
    return open_desk(d, ATTENTION) ? 0 : -1;
}

static int setup_batch(void **state) {
    desk *d = malloc(sizeof *d);
    asked = refused = live = 0;
    *state = d;
    return open_desk(d, BATCH) ? 0 : -1;
}

static int teardown(void **state) {
    desk *d = *state;
    close_desk(d);
    free(d);
    return live;
}

/* The answers of a step as somebody would type them, each cell changed by `by`. */
static const char *answer(desk *d, const char *name, double by) {
    int ask = lh_practice_find(d->p, name);
    assert_true(ask >= 0);
    const lh_paper_step *s = &d->paper->step[ask];
    lh_text t = lh_text_new(d->a);
    for (int b = 0, k = 0; b < s->n_blocks; b++)
        for (int r = 0; r < s->block[b].grid.rows; r++)
            for (int c = 0; c < s->block[b].grid.cols; c++, k++)
                lh_text_add(&t, "%s%s",
                            k == 0 ? ""
                            : c    ? " "
                            : r    ? "; "
                                   : " | ",
                            lh_paper_number(d->a, s, 4, lh_practice_answer(d->p, ask, k) * by));
    return t.s;
}

static lh_entered enter(desk *d, const char *text) {
    lh_entered e = lh_practice_enter(d->p, text);
    if (e.kind != LH_ENTERED_MARKED) fail_msg("%s: %s", text, e.problem ? e.problem : "more");
    return e;
}

static lh_step_state state_of(desk *d, const char *name) {
    return lh_practice_state(d->p, lh_practice_find(d->p, name));
}

static lh_verdict verdict_of(desk *d, const char *name) {
    return d->p->step[lh_practice_find(d->p, name)].verdict;
}

static const char *at(desk *d) {
    return d->paper->step[d->p->at].path;
}

/* ---- the way through ---- */

static void right_answers_lead_to_the_end(void **state) {
    desk *d = *state;
    static const char *const steps[] = {"S", "Z", "P", "H"};
    assert_int_equal(d->paper->n_steps, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(at(d), steps[i]);
        assert_false(lh_practice_is_finished(d->p));
        lh_entered e = enter(d, answer(d, steps[i], 1));
        assert_int_equal(e.ask, i);
        assert_int_equal(e.n, 4);
        assert_int_equal(state_of(d, steps[i]), LH_STATE_DONE);
        assert_int_equal(d->p->n_changes, 0);
        assert_int_equal(lh_practice_done(d->p), i + 1);
        assert_int_equal(lh_practice_advance(d->p), i < 3);
    }
    assert_true(lh_practice_is_finished(d->p));
    assert_int_equal(d->p->marks->credit, d->p->marks->total);
}

static void a_known_mistake_is_named_and_stays(void **state) {
    desk *d = *state;
    enter(d, answer(d, "S", 1));
    lh_practice_advance(d->p);
    lh_entered e = enter(d, answer(d, "S", 1)); /* Z = S: not scaled */
    assert_string_equal(at(d), "Z");
    assert_int_equal(state_of(d, "Z"), LH_STATE_WRONG);
    assert_false(lh_practice_advance(d->p));
    lh_attempt a = lh_practice_attempt(d->p, d->a, &e, 1000);
    assert_string_equal(a.verdict, "known mistake");
    assert_string_equal(a.mistake, "unscaled");
    assert_true(a.is_wrong);
    assert_false(a.is_right);
    assert_string_equal(a.step, "Z");
    assert_string_equal(a.raw, e.raw);
    assert_int_equal(a.time, 1000);
    enter(d, answer(d, "Z", 1 / sqrt(2))); /* the answer offered follows S: put it right */
    lh_practice_reset(d->p);
    assert_string_equal(at(d), "S");
    assert_int_equal(state_of(d, "S"), LH_STATE_OPEN);
    assert_int_equal(lh_practice_done(d->p), 0);
}

static void what_follows_has_credit_until_the_slip_is_corrected(void **state) {
    desk *d = *state;
    enter(d, answer(d, "S", 1));
    const char *right = answer(d, "Z", 1);
    enter(d, "Z = 0.25 0.75; 0.5 0.125");
    assert_int_equal(verdict_of(d, "Z"), LH_WRONG);
    const char *follows = answer(d, "P", 1); /* from these own numbers */
    lh_entered e = enter(d, lh_printf(d->a, "P = %s", follows));
    assert_int_equal(verdict_of(d, "P"), LH_FOLLOWS);
    assert_int_equal(state_of(d, "P"), LH_STATE_DONE);
    assert_int_equal(d->p->marks->step[e.ask].origin, lh_practice_find(d->p, "Z"));
    lh_attempt a = lh_practice_attempt(d->p, d->a, &e, 0);
    assert_true(a.is_right);
    assert_string_equal(a.verdict, "follows");

    /* the working of H is on the learner's own P */
    lh_explanation *x = lh_practice_explain(d->p, lh_practice_find(d->p, "H"), 0, 6);
    assert_non_null(x);
    assert_non_null(strstr(x->line[x->n_lines - 1].numbers, "0.3775 *"));
    lh_explanation_free(x);

    enter(d, lh_printf(d->a, "Z = %s", right));
    assert_int_equal(state_of(d, "Z"), LH_STATE_DONE);
    assert_int_equal(d->p->n_changes, 1);
    assert_int_equal(d->p->change[0].ask, lh_practice_find(d->p, "P"));
    assert_int_equal(d->p->change[0].before, LH_FOLLOWS);
    assert_false(lh_verdict_has_credit(d->p->change[0].after));
    enter(d, lh_printf(d->a, "P = %s", answer(d, "P", 1)));
    assert_int_equal(verdict_of(d, "P"), LH_RIGHT);
}

static void hints_come_one_at_a_time(void **state) {
    desk *d = *state;
    for (int i = 1; i <= LH_HINTS; i++) assert_int_equal(lh_practice_hint(d->p), i);
    assert_int_equal(lh_practice_hint(d->p), LH_HINTS);
    lh_entered e = enter(d, answer(d, "S", 1));
    assert_int_equal(lh_practice_attempt(d->p, d->a, &e, 0).hints, LH_HINTS);
    lh_practice_advance(d->p);
    assert_int_equal(lh_practice_hint(d->p), 1); /* of the next step */
}

static void moving_about(void **state) {
    desk *d = *state;
    assert_false(lh_practice_back(d->p));
    assert_true(lh_practice_skip(d->p));
    assert_int_equal(state_of(d, "S"), LH_STATE_SKIPPED);
    assert_string_equal(at(d), "Z");
    assert_true(lh_practice_next(d->p));
    assert_string_equal(at(d), "P");
    enter(d, answer(d, "P", 1));
    assert_true(lh_practice_advance(d->p));
    assert_string_equal(at(d), "H");
    enter(d, answer(d, "H", 1));
    assert_true(lh_practice_advance(d->p));
    assert_string_equal(at(d), "Z"); /* open, and so before the skipped one */
    enter(d, answer(d, "Z", 1));
    assert_true(lh_practice_advance(d->p));
    assert_string_equal(at(d), "S");
    enter(d, answer(d, "S", 1));
    assert_false(lh_practice_advance(d->p));
    assert_true(lh_practice_is_finished(d->p));
    lh_practice_go(d->p, 3);
    assert_true(lh_practice_back(d->p));
    assert_string_equal(at(d), "P");
}

static void one_step_alone(void **state) {
    desk *d = *state;
    d->p->only = lh_practice_find(d->p, "P");
    lh_practice_go(d->p, d->p->only);
    assert_false(lh_practice_next(d->p));
    assert_false(lh_practice_back(d->p));
    assert_int_equal(lh_practice_enter(d->p, "S = 1 2; 3 4").kind, LH_ENTERED_NAME);
    enter(d, answer(d, "P", 1));
    assert_true(lh_practice_is_finished(d->p));
    assert_false(lh_practice_advance(d->p));
    assert_string_equal(lh_practice_save(d->p, d->a, 0).only, "P");
}

/* ---- what can be typed ---- */

typedef struct typed {
    const char *text;
    lh_entered_kind kind;
    const char *cells; /* of S, after it; NULL: nothing has changed */
} typed;

static const typed forms[] = {
    {"0.1 0.2; 0.3 0.4", LH_ENTERED_MARKED, "0.1 0.2 0.3 0.4"},
    {"[0.1 0.2; 0.3 0.4]", LH_ENTERED_MARKED, "0.1 0.2 0.3 0.4"},
    {"S = [0.1 0.2; 0.3 0.4]", LH_ENTERED_MARKED, "0.1 0.2 0.3 0.4"},
    {"  S=0.1 0.2;0.3 0.4;", LH_ENTERED_MARKED, "0.1 0.2 0.3 0.4"},
    {"0.1 0.2 0.3 0.4", LH_ENTERED_MARKED, "0.1 0.2 0.3 0.4"},
    {"0,1 -0,2; ,3 \u22120.4", LH_ENTERED_MARKED, "0,1 -0,2 ,3 \u22120.4"},
    {"0.1, 0.2; 0.3, 0.4", LH_ENTERED_MARKED, "0.1 0.2 0.3 0.4"},
    {"1/3 1 / 3; 25% 25 %", LH_ENTERED_MARKED, "1/3 1/3 25% 25%"},
    {"1.2 \u00b7 10^-3 1e-3; .5 +.5", LH_ENTERED_MARKED, "1.2\u00b710^-3 1e-3 .5 +.5"},
    {"_ 0.2; ? 0.4", LH_ENTERED_MARKED, "_ 0.2 _ 0.4"},
    {"[1][0] = 0.25", LH_ENTERED_MARKED, "_ _ 0.25 _"},
    {"S[1][0] = 0.25", LH_ENTERED_MARKED, "_ _ 0.25 _"},
    {"[1] = 0.2 0.3", LH_ENTERED_MARKED, "_ _ 0.2 0.3"},
    {"1: 0.2 0.3", LH_ENTERED_MARKED, "_ _ 0.2 0.3"},
    {"0 : 0.2 0.3", LH_ENTERED_MARKED, "0.2 0.3 _ _"},
    {"0.1 0.2", LH_ENTERED_MORE, NULL},
    {"0.1 0.2;", LH_ENTERED_MORE, NULL},
    {"[", LH_ENTERED_MORE, NULL},
    {"S = ", LH_ENTERED_SHAPE, NULL},
    {"", LH_ENTERED_SHAPE, NULL},
    {"0.1", LH_ENTERED_SHAPE, NULL},
    {"0.1 0.2 0.3", LH_ENTERED_SHAPE, NULL},
    {"0.1 0.2; 0.3", LH_ENTERED_SHAPE, NULL},
    {"0.1 0.2; 0.3 0.4; 0.5 0.6", LH_ENTERED_SHAPE, NULL},
    {"0.1 0.2 | 0.3 0.4", LH_ENTERED_SHAPE, NULL},
    {"[1][0] = 0.1 0.2", LH_ENTERED_SHAPE, NULL},
    {"1: 0.1", LH_ENTERED_SHAPE, NULL},
    {"0.1 x; 0.3 0.4", LH_ENTERED_UNREAD, NULL},
    {"0.1 0,2,3; 0.3 0.4", LH_ENTERED_UNREAD, NULL},
    {"[0][0] = 0.1.2", LH_ENTERED_UNREAD, NULL},
    {"[0][0] = infinite", LH_ENTERED_UNREAD, NULL},
    {"[2][0] = 1", LH_ENTERED_NAME, NULL},
    {"[0][2] = 1", LH_ENTERED_NAME, NULL},
    {"2: 1 2", LH_ENTERED_NAME, NULL},
    {"99999999999999999999: 1 2", LH_ENTERED_NAME, NULL},
    {"Y[0][0] = 1", LH_ENTERED_NAME, NULL},
    {"Q = 1 2; 3 4", LH_ENTERED_NAME, NULL},
    {"S[0 = 1", LH_ENTERED_NAME, NULL},
    {"S{example 3}[0][0] = 1", LH_ENTERED_NAME, NULL},
    {"S[0][0]@1 = 1", LH_ENTERED_NAME, NULL},
    {"= 1 2; 3 4", LH_ENTERED_MARKED, "1 2 3 4"},
    {"{} = 1", LH_ENTERED_SHAPE, NULL},
};

static void every_form_of_an_entry(void **state) {
    desk *d = *state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const typed *f = &forms[i];
        lh_practice_reset(d->p);
        lh_entered e = lh_practice_enter(d->p, f->text);
        if (e.kind != f->kind)
            fail_msg("%s: %d, not %d (%s)", f->text, (int)e.kind, (int)f->kind,
                     e.problem ? e.problem : "");
        lh_saved s = lh_practice_save(d->p, d->a, 0);
        if (f->cells) {
            assert_int_equal(s.n_steps, 1);
            assert_string_equal(s.step[0].cells, f->cells);
        } else {
            assert_int_equal(s.n_steps, 0);
        }
        if (e.kind >= LH_ENTERED_UNREAD) assert_true(e.problem && *e.problem);
        assert_false(lh_failed(d->ctx));
    }
}

static void a_matrix_over_several_lines(void **state) {
    desk *d = *state;
    lh_entered e = lh_practice_enter(d->p, "[0.1 0.2");
    assert_int_equal(e.kind, LH_ENTERED_MORE);
    assert_int_equal(e.row, 1);
    e = lh_practice_enter(d->p, "0.3 0.4]");
    assert_int_equal(e.kind, LH_ENTERED_MARKED);
    assert_string_equal(e.raw, "[0.1 0.2; 0.3 0.4]");
    assert_null(d->p->pending);

    e = lh_practice_enter(d->p, "0.5 0.6");
    assert_int_equal(e.kind, LH_ENTERED_MORE);
    e = lh_practice_stop(d->p); /* the first row is taken */
    assert_int_equal(e.kind, LH_ENTERED_MARKED);
    assert_int_equal(e.n, 2);
    assert_string_equal(lh_practice_save(d->p, d->a, 0).step[0].cells, "0.5 0.6 0.3 0.4");

    lh_practice_enter(d->p, "0.7 0.8");
    lh_practice_drop(d->p);
    assert_int_equal(lh_practice_enter(d->p, "1 2; 3 4").kind, LH_ENTERED_MARKED);

    char *long_text = malloc(LH_ENTRY_MAX + 10);
    memset(long_text, '1', LH_ENTRY_MAX + 9);
    long_text[LH_ENTRY_MAX + 9] = 0;
    assert_int_equal(lh_practice_enter(d->p, long_text).kind, LH_ENTERED_SHAPE);
    memset(long_text, '[', LH_ENTRY_MAX - 9);
    long_text[LH_ENTRY_MAX - 9] = 0;
    assert_true(lh_practice_enter(d->p, long_text).kind >= LH_ENTERED_UNREAD);
    free(long_text);
}

static void numbers_and_commands_differ(void **state) {
    (void)state;
    static const char *const numbers[] = {"0.1", "-1 2",  ".5",    ",5",        "[1",
                                          "_ 1", "S = x", "? 0.1", "\u22120.1", "{example 1} = 1"};
    static const char *const others[] = {"", "n", "h", "go 6", "?", "help", "quit", "P"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!lh_entry_is_numbers(numbers[i])) fail_msg("%s", numbers[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (lh_entry_is_numbers(others[i])) fail_msg("%s", others[i]);
}

/* ---- several examples ---- */

static void examples_are_asked_one_after_another(void **state) {
    desk *d = *state;
    assert_int_equal(d->paper->step[0].n_blocks, 2);
    lh_entered e = enter(d, "0.5 -0.3; 0.2 0.9");
    assert_int_equal(e.block, 0);
    assert_int_equal(state_of(d, "X"), LH_STATE_PARTLY);
    assert_string_equal(lh_practice_attempt(d->p, d->a, &e, 0).verdict, "partly");
    assert_true(lh_practice_advance(d->p));
    assert_int_equal(d->p->block, 1);
    assert_true(lh_practice_back(d->p));
    assert_int_equal(d->p->block, 0);
    e = enter(d, "X{example 1} = -0.4 0.7; 0.5 -0.3");
    assert_int_equal(e.block, 1);
    assert_int_equal(state_of(d, "X"), LH_STATE_DONE);
    e = enter(d, lh_printf(d->a, "Y = %s", answer(d, "Y", 1))); /* all with | between them */
    assert_int_equal(e.n, 8);
    assert_true(lh_practice_is_finished(d->p));
}

static void a_wrong_block_is_not_blamed_on_the_next(void **state) {
    desk *d = *state;
    lh_entered e = enter(d, "0.5 -0.3; 0.2 0.7");
    assert_true(lh_practice_attempt(d->p, d->a, &e, 0).is_wrong);
    assert_true(lh_practice_next(d->p));
    assert_int_equal(d->p->block, 1);
    e = enter(d, "-0.4 0.7; 0.5 -0.3");
    lh_attempt a = lh_practice_attempt(d->p, d->a, &e, 0);
    assert_false(a.is_wrong);
    assert_false(a.is_right);
    assert_string_equal(a.verdict, "partly");
}

/* ---- another day ---- */

static void a_sheet_is_taken_up_where_it_was(void **state) {
    desk *d = *state, other;
    lh_store *store = lh_store_memory(d->ctx);
    enter(d, answer(d, "S", 1));
    lh_practice_advance(d->p);
    enter(d, "Z = 0.25 0.75; 0.5 0,125");
    lh_practice_hint(d->p);
    lh_practice_hint(d->p);
    lh_practice_next(d->p);
    lh_practice_skip(d->p);
    lh_entered e = enter(d, "[0][0] = 1/3");
    assert_string_equal(at(d), "H");
    lh_attempt a = lh_practice_attempt(d->p, d->a, &e, 7);
    lh_saved s = lh_practice_save(d->p, d->a, 7);
    assert_true(store->record(store, &a, &s));

    if (!open_desk(&other, ATTENTION)) {
        fail();
        return;
    }
    lh_saved *list;
    int n;
    assert_true(store->sessions(store, d->a, &list, &n));
    assert_int_equal(n, 1);
    lh_saved left = *lh_saved_find(list, n, "test", "", -1, 0);
    assert_true(store->load(store, d->a, &left));
    lh_practice_restore(other.p, &left);
    assert_int_equal(other.p->at, d->p->at);
    for (int i = 0; i < d->p->sheet->n_asks; i++) {
        assert_int_equal(lh_practice_state(other.p, i), lh_practice_state(d->p, i));
        assert_int_equal(other.p->step[i].hints, d->p->step[i].hints);
        assert_int_equal(other.p->step[i].tries, d->p->step[i].tries);
        assert_int_equal(other.p->step[i].verdict, d->p->step[i].verdict);
    }
    for (int i = 0; i < d->p->sheet->n_cells; i++) {
        assert_string_equal(other.p->text[i], d->p->text[i]);
        assert_int_equal(other.p->marks->cell[i], d->p->marks->cell[i]);
    }
    close_desk(&other);
    store->close(store);
}

static void what_no_longer_fits_is_left_out(void **state) {
    desk *d = *state;
    lh_saved_step steps[] = {{"gone", "1 2", 1, 1, false},
                             {"S", "1 2 3", 2, 9, false},
                             {"Z", "1 x 3 4", 1, -3, false},
                             {"P", "", 0, 0, true}};
    lh_saved s = {.at = "gone", .step = steps, .n_steps = 4};
    lh_practice_restore(d->p, &s);
    assert_int_equal(d->p->at, 0);
    assert_int_equal(state_of(d, "S"), LH_STATE_OPEN);
    assert_int_equal(d->p->step[0].hints, LH_HINTS);
    assert_int_equal(d->p->step[1].hints, 0);
    assert_string_equal(lh_practice_save(d->p, d->a, 0).step[1].cells, "1 _ 3 4");
    assert_int_equal(state_of(d, "P"), LH_STATE_SKIPPED);
}

/* ---- no memory ---- */

/* Matrices that take a piece of memory each. */
#define LARGE                                                                                      \
    "size n = 30\n"                                                                                \
    "param W : n x n = normal(0.1)\n"                                                              \
    "X = W * 2\n"                                                                                  \
    "Y = X @ W\n"                                                                                  \
    "Z = rowsum(Y)\n"

/* The first n are given. */
static bool uses_more_than(const char *text, int n) {
    desk d;
    asked = live = 0;
    refused = n + 1;
    if (open_desk(&d, text)) {
        lh_practice_enter(d.p, "0.1 0.2; 0.3 0.4");
        lh_practice_enter(d.p, "Z = 0.1 0.2; 0.3 0.4");
        lh_saved s = lh_practice_save(d.p, d.a, 0);
        lh_practice_restore(d.p, &s);
        lh_explanation_free(lh_practice_explain(d.p, 2, 0, 6));
    }
    bool was_refused = asked >= refused;
    close_desk(&d);
    assert_int_equal(live, 0);
    return was_refused;
}

static void each_allocation_fails_once(void **state) {
    (void)state;
    for (int n = 0; uses_more_than(ATTENTION, n); n++) continue;
    for (int n = 0; uses_more_than(LARGE, n); n++) continue;
    refused = 0;
}

int main(void) {
#define ON(test)       cmocka_unit_test_setup_teardown(test, setup, teardown)
#define ON_BATCH(test) cmocka_unit_test_setup_teardown(test, setup_batch, teardown)
    const struct CMUnitTest tests[] = {
        ON(right_answers_lead_to_the_end),
        ON(a_known_mistake_is_named_and_stays),
        ON(what_follows_has_credit_until_the_slip_is_corrected),
        ON(hints_come_one_at_a_time),
        ON(moving_about),
        ON(one_step_alone),
        ON(every_form_of_an_entry),
        ON(a_matrix_over_several_lines),
        cmocka_unit_test(numbers_and_commands_differ),
        ON_BATCH(examples_are_asked_one_after_another),
        ON_BATCH(a_wrong_block_is_not_blamed_on_the_next),
        ON(a_sheet_is_taken_up_where_it_was),
        ON(what_no_longer_fits_is_left_out),
        cmocka_unit_test(each_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
