/* Answer files: what is written is what is read, whatever form it has, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/embedded.h"
#include "learn/advice.h"
#include "learn/answers.h"
#include "learn/lesson.h"
#include "learn/variant.h"

/* ---- a sheet to write on ---- */

typedef struct desk {
    lh_context *ctx;
    lh_arena *arena;
    lh_program *lesson;
    lh_mistakes *mistakes;
    lh_paper *paper;
} desk;

static desk desk_of(const char *file, const char *text, size_t length, unsigned long long seed,
                    int digits, bool key) {
    desk d = {.ctx = lh_context_new()};
    d.arena = lh_arena_new(d.ctx);
    d.lesson = lh_lesson_parse(d.ctx, file, text, length);
    d.mistakes = lh_mistakes_load(d.ctx, d.lesson);
    d.paper = d.lesson ? lh_paper_new(d.ctx, d.lesson,
                                      &(lh_paper_how){.lesson = "test",
                                                      .title = "A test",
                                                      .seed = seed,
                                                      .digits = digits,
                                                      .key = key,
                                                      .mistakes = d.mistakes})
                       : NULL;
    if (!d.paper) {
        print_error("%s: %s (%s)\n", file, d.ctx->error.what, d.ctx->error.cure);
        abort();
    }
    return d;
}

static void desk_free(desk *d) {
    lh_paper_free(d->paper);
    lh_mistakes_free(d->mistakes);
    lh_program_free(d->lesson);
    lh_arena_free(d->arena);
    lh_context_free(d->ctx);
}

static const char small[] = "vocab A B\n"
                            "const E = [0.2 0.3; 0.4 0.7]\n"
                            "const W = [1 2 3; 4 5 6]\n"
                            "example A B -> B\n"
                            "X = E[tokens]\n"
                            "P = softmax(X)\n"
                            "wide = X @ W\n"
                            "m = rowsum(P)\n"
                            "row = wide[last]\n"
                            "one = row[0][0]\n";

static const char batch[] = "vocab A B\n"
                            "const E = [0.2 0.3; 0.4 0.7]\n"
                            "example A B -> B\n"
                            "example B -> A\n"
                            "X = E[tokens]\n"
                            "Y = 2 * X\n";

static desk small_desk(void) {
    return desk_of("small.lh", small, strlen(small), 0, 4, false);
}

static lh_filled *read_text(desk *d, const char *text, size_t length) {
    lh_answer_file *f = lh_answer_file_read(d->arena, text, length);
    if (f->problem) print_error("line %d: %s\n", f->problem_line, f->problem);
    assert_null(f->problem);
    lh_filled *r = lh_answers_read(d->arena, d->paper, f);
    assert_non_null(r);
    return r;
}

static int ask_of(const desk *d, const char *name) {
    for (int i = 0; i < d->paper->n_steps; i++)
        if (strcmp(d->paper->step[i].name, name) == 0) return i;
    fail_msg("%s is not asked", name);
    return -1;
}

/* The numbers of a step as they were read: 0.5 _ ?x; rows as in `P = ...`. */
static const char *echo(desk *d, const lh_filled *r, const char *name) {
    int ask = ask_of(d, name);
    const lh_ask *q = &d->paper->sheet->ask[ask];
    lh_text t = lh_text_new(d->arena);
    for (int k = 0; k < q->n_cells; k++) {
        int cell;
        const lh_answer_block *b = lh_paper_block(d->paper, ask, k, &cell);
        const lh_written *w = &r->answers->cell[q->first + k];
        if (k) lh_text_add(&t, cell == 0 ? " | " : cell % b->grid.cols ? " " : "; ");
        if (w->kind == LH_WRITTEN_BLANK)
            lh_text_add(&t, "_");
        else if (w->kind == LH_WRITTEN_UNREAD)
            lh_text_add(&t, "?%s", r->text[q->first + k]);
        else
            lh_text_add(&t, "%s", r->text[q->first + k]);
    }
    return t.s;
}

/* ---- forms ---- */

typedef struct form {
    const char *text, *step, *is;
} form;

static const form forms[] = {
    {"P = 0.498 0.502; 0.4 0.6", "P", "0.498 0.502; 0.4 0.6"},
    {"P=[0.498 0.502;0.4 0.6]", "P", "0.498 0.502; 0.4 0.6"},
    {"  P = [[0.498, 0.502], [0.4, 0.6]]  # as in JSON", "P", "0.498 0.502; 0.4 0.6"},
    {"P =\n0.498 0.502\n0.4 0.6\n", "P", "0.498 0.502; 0.4 0.6"},
    {"P = 0.498 | 0.502 ; 0.4 | 0.6", "P", "0.498 0.502; 0.4 0.6"},
    {"P = | 0.498 | 0.502 |\n    | 0.4 | 0.6 |", "P", "0.498 0.502; 0.4 0.6"},
    {"P =\n\t0.498\t0.502\n\t0.4\t0.6", "P", "0.498 0.502; 0.4 0.6"},
    {"P =\r\n  #     A      B\r\n  A:  0.498  0.502\r\n  B:  0.4  0.6\r\n", "P",
     "0.498 0.502; 0.4 0.6"},
    {"P =\n\n0.498 0.502\n0.4 0.6", "P", "0.498 0.502; 0.4 0.6"},
    {"\xef\xbb\xbfP = 0.498 0.502; 0.4 0.6", "P", "0.498 0.502; 0.4 0.6"},
    {"P = 0,498 0,502; ,4 ,6", "P", "0,498 0,502; ,4 ,6"},
    {"P = 0,498, 0,502; 0,4, 0,6", "P", "0,498 0,502; 0,4 0,6"},
    {"P = 1 / 3 50 %; 1.2 \xc3\x97 10^-3 2*10^(-1)", "P",
     "1 / 3 50 %; 1.2 \xc3\x97 10^-3 2*10^(-1)"},
    {"P = 1/3 2/ 3; \xe2\x88\x92"
     "0.5 .5",
     "P",
     "1/3 2/ 3; \xe2\x88\x92"
     "0.5 .5"},
    {"P = __0.498__ 0.502____; ________ 0.6", "P", "0.498 0.502; _ 0.6"},
    {"P = _ - ; ? ...", "P", "_ _; _ _"},
    {"P = 0.498 o.5; 0.4 1,5,2", "P", "0.498 ?o.5; 0.4 ?1,5,2"},
    {"P = 0.1,-0.2; .3,0.4", "P", "0.1 -0.2; .3 0.4"},
    {"P = \xe2\x89\x88 0.498 ~ 0.502; 0.4 0.6", "P", "0.498 0.502; 0.4 0.6"},
    {"P = 1.2 x 10^-3 1.2x10^-3; 2.5\xc2\xb7"
     "10\xe2\x81\xbb\xc2\xb9 2.5 \xc3\x97 10\xe2\x81\xbb\xc2\xb9",
     "P",
     "1.2 x 10^-3 1.2x10^-3; 2.5\xc2\xb7"
     "10\xe2\x81\xbb\xc2\xb9 2.5 \xc3\x97 10\xe2\x81\xbb\xc2\xb9"},
    {"P \xe2\x89\x88 0.1 0.2\n 0.3 0.4\nrow ~ 1 2 3", "P", "0.1 0.2; 0.3 0.4"},
    {"P \xe2\x89\x88 0.1 0.2\n 0.3 0.4\nrow ~ 1 2 3", "row", "1 2 3"},
    {"P[1][0] = 1 / 1.993 \xe2\x89\x88 0.5018", "P", "_ _; 0.5018 _"},
    {"P[1][0] \xe2\x89\x88 1 / 1.993 = 0.5018", "P", "_ _; 0.5018 _"},
    {"P =\n \xe2\x89\x88 0.1 0.2\n A: \xe2\x89\x88 0.3 0.4", "P", "0.1 0.2; 0.3 0.4"},
    {"P: 0.1 0.2; 0.3 0.4", "P", "0.1 0.2; 0.3 0.4"},
    {"P: 0.1 0.2; 0.3 0.4\nrow: 1 2 3", "row", "1 2 3"},
    {"P =\n P: 0.1 0.2\n row: 0.3 0.4", "P", "0.1 0.2; 0.3 0.4"},
    {"P = A: 0.1 0.2; B: 0.3 0.4", "P", "0.1 0.2; 0.3 0.4"},
    {"P = 0.1 0.2; B: 0.3 0.4", "P", "0.1 0.2; 0.3 0.4"},
    {"row = A: 0.1, B: 0.2, C: 0.3", "row", "0.1 0.2 0.3"},
    {"row = 0: 0.1 1:0.2 2: 0.3", "row", "0.1 0.2 0.3"},
    {"row =\n example 0: the second token: 1 2 3", "row", "1 2 3"},
    {"P =\n| A | B |\n|---|:-:|\n| 0.1 | 0.2 |\n| 0.3 | 0.4 |\n", "P", "0.1 0.2; 0.3 0.4"},
    {"m =\n| 0.5 |\n|---|\n| 0.6 |\n", "m", "_; _"},
    {"P =\n| | A | B |\n|---|---|---|\n| **A** | 9.1 | 9.2 |\n| row B | 9.3 | 9.4 |\n", "P",
     "9.1 9.2; 9.3 9.4"},
    {"m =\nA | 9.5\nB | 9.6", "m", "9.5; 9.6"},
    {"P = inf | 0.2; o.5 | 0.4", "P", "inf 0.2; ?o.5 0.4"},
    {"one = - 1.2", "one", "-1.2"},
    {"one = \xe2\x88\x92 1.2 units", "one", "-1.2"},
    {"one = 0.25 nats", "one", "0.25"},
    {"one = 0.25 e-3", "one", "_"},
    {"one = 1 2", "one", "_"},
    {"row = - 1 2 3", "row", "_ _ _"},
    {"P = \xe2\x89\x88"
     "0.498 ~0.502; 0.4 0.6",
     "P", "0.498 0.502; 0.4 0.6"},
    {"P[1][0] = 0.25", "P", "_ _; 0.25 _"},
    {"P[ 1 ][0 ] = 0.25", "P", "_ _; 0.25 _"},
    {"P [1] [0] = 0.25", "P", "_ _; 0.25 _"},
    {"P[1] = 0.25 0.75", "P", "_ _; 0.25 0.75"},
    {"P[1][0] = 1 / 4 = 0.25", "P", "_ _; 0.25 _"},
    {"P{example 0}[0] = 0.25 0.75", "P", "0.25 0.75; _ _"},
    {"P{head 0} = 1 2; 3 4", "P", "1 2; 3 4"},
    {"m = 1 1", "m", "1; 1"},
    {"m = 1; 1", "m", "1; 1"},
    {"m[1] = 1", "m", "_; 1"},
    {"row = 1 2 3", "row", "1 2 3"},
    {"row = 1; 2; 3", "row", "1 2 3"},
    {"row[2] = 3", "row", "_ _ 3"},
    {"row =  1  2 \\\n 3", "row", "1 2 3"},
    {"row =\n  #  A  B\n  1  2 \\\n  #  C\n  3\n", "row", "1 2 3"},
    {"wide = 1.4 2.4; 3.2 4.3 5.4", "wide", "1.4 _ 2.4; 3.2 4.3 5.4"},
    {"wide = 1.4 1.9 1.9 2.4; 3.2 4.3 5.4", "wide", "1.4 1.9 2.4; 3.2 4.3 5.4"},
    {"wide = 1.4 9; 3.2 9 5.4", "wide", "1.4 _ _; 3.2 9 5.4"},
    {"wide = 1.4 9 8 2.4; 3.2 9 5.4", "wide", "1.4 _ 2.4; 3.2 9 5.4"},
    {"wide = 8 9; 3.2 4.3 5.4", "wide", "_ _ _; 3.2 4.3 5.4"},
    {"wide =\n3.2 4.3 5.4\n", "wide", "_ _ _; 3.2 4.3 5.4"},
    {"wide = 1.4 1.9 2.4 3.2 7 5.4", "wide", "1.4 1.9 2.4; 3.2 7 5.4"},
    {"{\"answers\": {\"wide\": [[1.4, 2.4], [3.2, 4.3, 5.4]]}}", "wide", "1.4 _ 2.4; 3.2 4.3 5.4"},
    {"row = 3.2 5.4", "row", "3.2 _ 5.4"},
    /* two for each cell, and the step again and again: nothing is decided */
    {"wide = 1.4 -1.4 1.9 -1.9 2.4 -2.4; 3.2 -3.2 4.3 -4.3 5.4 -5.4", "wide", "_ _ _; _ _ _"},
    {"wide = 1.4 1.9 2.4 -2.4; 3.2 4.3 5.4 -5.4", "wide", "_ _ _; _ _ _"},
    {"wide = 1.4 1.9 2.4 3.2 4.3 5.4 5.4 5.4", "wide", "_ _ _; _ _ _"},
    {"row = 3.2 4.3\nrow = 4.3 5.4", "row", "3.2 4.3 _"},
    {"row = 1 2\nrow = 3.2 5.4", "row", "_ _ _"},
    {"row = 1 2\nrow = 3.2 4.3 5.4", "row", "3.2 4.3 5.4"},
    {"wide[0] = 1.4 1.9 2.4 2.4\nwide[1] = 3.2 4.3 5.4 -5.4", "wide", "1.4 1.9 2.4; _ _ _"},
    {"one = 3.2 -3.2", "one", "_"},
    {"{\"answers\": {\"wide\": [[\"\\u0031.4\", \"2\\u002e4\"], [\"3.\\u0032\", \"4.\\u0033\", "
     "\"5.\\u0034\"]]}}",
     "wide", "1.4 _ 2.4; 3.2 4.3 5.4"},
    {"one = 1.50", "one", "1.50"},
    {"one =", "one", "_"},
    {"one = 0.000", "one", "0.000"},
    {"# one = 1\none = 2 # not 3", "one", "2"},
    {"one = 1\none = 2", "one", "2"},
    {"one = 1\none = ____", "one", "1"},
    {"# Title\n```answers\nP =\n 1 2\n 3 4\n```\none = 5\n```text\none = 6\n```\n", "one", "_"},
    {"# Title\n```answers\nP =\n 1 2\n 3 4\n```\none = 5\n", "P", "1 2; 3 4"},
    {"{\"answers\": {\"P\": [[\"0.50\", \"0.5\"], [0.50, 5e-1]]}}", "P", "0.50 0.5; 0.50 5e-1"},
    {"{\"answers\": {\"P\": [[null, \"\"], [\"_\", true]]}}", "P", "_ _; _ ?true"},
    {"{\"answers\": {\"P\": \"0.1 0.2; 0.3 0.4\"}}", "P", "0.1 0.2; 0.3 0.4"},
    {"{\"answers\": {\"P\": [[[[1, 2], [3, 4]]]]}}", "P", "1 2; 3 4"},
    {"{\"answers\": {\"row\": [1, 2, 3], \"one\": 7}, \"one\": 8}", "one", "7"},
    {"{\"answers\": {\"row\": [1, 2, 3]}}", "row", "1 2 3"},
    {"{\"answers\": {\"P[1][0]\": \"\\u22120.25\"}}", "P",
     "_ _; \xe2\x88\x92"
     "0.25 _"},
    {"{\"answers\": {\"one\": {\"a\": [1]}}}", "one", "?{\"a\": [1]}"},
};

static void test_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        desk d = small_desk();
        lh_filled *r = read_text(&d, forms[i].text, strlen(forms[i].text));
        const char *is = echo(&d, r, forms[i].step);
        if (strcmp(is, forms[i].is) != 0)
            print_error("%s\n  read as %s\n  wanted  %s\n", forms[i].text, is, forms[i].is);
        assert_string_equal(is, forms[i].is);
        desk_free(&d);
    }
}

static void test_precision_is_kept(void **state) {
    (void)state;
    desk d = small_desk();
    const char text[] = "{\"answers\": {\"P\": [[0.50, 0.5], [\"25%\", 1e-3]]}}";
    lh_filled *r = read_text(&d, text, strlen(text));
    const lh_written *w = &r->answers->cell[d.paper->sheet->ask[ask_of(&d, "P")].first];
    assert_int_equal(w[0].decimals, 2);
    assert_int_equal(w[1].decimals, 1);
    assert_true(w[2].value == 0.25);
    assert_true(w[3].value == 0.001);
    desk_free(&d);
}

/* Values that were not written are blank, in every cell of the sheet. */
static void test_nothing_is_nothing(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "\n\n\n",
                                        "# P = 1 2; 3 4",
                                        "P =\nwide =\n",
                                        "P = ____ ____; ____ ____",
                                        "{\"answers\": {}}",
                                        "name Ada  date 1843\nsheet test, seed 0, digits 4\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        desk d = small_desk();
        lh_filled *r = read_text(&d, texts[i], strlen(texts[i]));
        assert_int_equal(r->n_written + r->n_unread, 0);
        assert_int_equal(r->notes.n, 0);
        lh_marks *m = lh_mark(d.arena, d.paper->sheet, r->answers, d.mistakes);
        assert_non_null(m);
        assert_int_equal(m->credit, 0);
        for (int k = 0; k < m->total; k++) assert_int_equal(m->cell[k], LH_BLANK);
        desk_free(&d);
    }
}

/* ---- what is said ---- */

typedef struct saying {
    const char *text;
    int line;
    const char *part;
} saying;

static const saying notes[] = {
    {"one = 1\nPP = 1 2; 3 4", 2, "did you mean P?"},
    {"nonsense_name = 3", 1, "is not a step of this sheet"},
    {"\n\nP = 1 2 3; 4 5 6", 3, "yours is 2 x 3, but 2 x 2 is asked for"},
    {"P = 1 2 3 4", 1, "yours is 1 x 4, but 2 x 2 is asked for"},
    {"P = 1 2", 1, "yours is 1 x 2, but 2 x 2 is asked for"},
    {"P = 1 2; 3", 1, "P: row 1 has 1 number, but 2 are asked for; _ stands"},
    {"wide =\n1 2 3\n4 5 6 7", 3, "wide: row 1 has 4 numbers, but 3 are asked for"},
    {"wide = 1 2; 3 4; 5 6", 1, "yours is 3 x 2, but 2 x 3 is asked for"},
    {"P =\n1 2\n3 x4", 3, "\"x4\" cannot be read"},
    {"one = 1,5,2", 1, "a space between two numbers"},
    {"row = 1,2, 3", 1, "\"1,2\" is read as one number, with a decimal comma: for two"},
    {"hello there", 1, "belongs to no step"},
    {"hello: there", 1, "belongs to no step"},
    {"P[2][0] = 1", 1, "2 rows and 2 columns"},
    {"P{example 1} = 1 2; 3 4", 1, "no such example"},
    {"P{exmple 0} = 1 2; 3 4", 1, "{example N, head N} is expected"},
    {"one = 1\none = 2", 2, "written twice"},
    {"{\"answers\":\n {\"P\":\n [[1, \"a\"], [3, 4]]}}", 3, "\"a\" cannot be read"},
};

static void test_notes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        desk d = small_desk();
        lh_filled *r = read_text(&d, notes[i].text, strlen(notes[i].text));
        if (r->notes.n != 1 || r->notes.note[0].line != notes[i].line ||
            !strstr(r->notes.note[0].what, notes[i].part))
            print_error("%s: %d notes, line %d: %s\n", notes[i].text, r->notes.n,
                        r->notes.note[0].line, r->notes.note[0].what);
        assert_int_equal(r->notes.n, 1);
        assert_int_equal(r->notes.note[0].line, notes[i].line);
        assert_non_null(strstr(r->notes.note[0].what, notes[i].part));
        desk_free(&d);
    }
}

/* A matrix of another shape is not marked, and said. */
static void test_other_shape(void **state) {
    (void)state;
    desk d = small_desk();
    const char text[] = "P = 1 2 3; 4 5 6\nwide = 1 2 3; 4 5 6";
    lh_filled *r = read_text(&d, text, strlen(text));
    int ask = ask_of(&d, "P"), n;
    assert_non_null(r->answers->other_shape[ask]);
    assert_null(r->answers->other_shape[ask_of(&d, "wide")]);
    lh_marks *m = lh_mark(d.arena, d.paper->sheet, r->answers, d.mistakes);
    const lh_ask *q = &d.paper->sheet->ask[ask];
    for (int k = 0; k < q->n_cells; k++) assert_int_equal(m->cell[q->first + k], LH_BLANK);
    lh_advice *a = lh_advise(&(lh_advisor){d.arena, d.paper, r, m, d.mistakes}, ask, &n);
    assert_int_equal(n, 1);
    assert_non_null(strstr(a[0].text, "2 x 3"));
    desk_free(&d);
}

static const saying problems[] = {
    {"sheet ex1, seed x", 1, "seed"},
    {"\nsheet ex1, seed -3", 2, "seed"},
    {"sheet ex1, seed 99999999999999999999", 1, "seed"},
    {"sheet ex1, digits four", 1, "digits"},
    {"sheet a, seed 1\n\nsheet b, seed 2", 3, "second sheet"},
    {"{", 1, "quotes"},
    {"{\"answers\": ", 1, "must be"},
    {"{\"answers\": {\"P\": [[1, 2}", 1, "expected"},
    {"{\"answers\": {\"P\": [[1, 2]]}} x", 1, "follows"},
    {"{\"answers\": {\"P\": \"1 2}}", 1, "closed"},
    {"{\n\"lesson\": \"ex1\"}", 0, "no \"answers\""},
    {"{\"seed\": 1.5, \"answers\": {}}", 1, "seed"},
    {"{\"seed\": \"a\", \"answers\": {}}", 1, "seed"},
    {"{\"answers\": []}", 1, "must be"},
};

static void test_problems(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        lh_answer_file *f = lh_answer_file_read(a, problems[i].text, strlen(problems[i].text));
        if (!f->problem || !strstr(f->problem, problems[i].part) ||
            f->problem_line != problems[i].line)
            print_error("%s: line %d: %s\n", problems[i].text, f->problem_line,
                        f->problem ? f->problem : "no problem");
        assert_true(f->problem && strstr(f->problem, problems[i].part));
        assert_int_equal(f->problem_line, problems[i].line);
    }
    lh_answer_file *f = lh_answer_file_read(a, "P = 1\n\0 2", 9);
    assert_non_null(f->problem);
    assert_int_equal(f->problem_line, 2);
    lh_arena_free(a);
    lh_context_free(ctx);
}

static void test_header(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    const char text[] =
        "# Title\nsheet my own, seed 70, digits 3, form B, code 0a1b2c, steps Z P\r\n"
        "name  Ada Lovelace____  date ____\n";
    const char json[] =
        "{\"lesson\": \"my own\", \"seed\": 70, \"digits\": \"3\", \"form\": \"B\", "
        "\"code\": \"0a1b2c\", \"steps\": [\"Z\", \"P\"], \"learner\": \"Ada "
        "Lovelace\", \"answers\": {}}";
    const char loud[] = "SHEET: my own, Seed: 70, DIGITS 3, FORM B, Code 0a1b2c, STEPS Z P\n"
                        "NAME: Ada Lovelace  DATE: 3 May\n";
    const char *all[] = {text, json, loud};
    for (int i = 0; i < 3; i++) {
        lh_answer_file *f = lh_answer_file_read(a, all[i], strlen(all[i]));
        assert_null(f->problem);
        assert_string_equal(f->lesson, "my own");
        assert_true(f->has_seed && f->seed == 70);
        assert_int_equal(f->digits, 3);
        assert_string_equal(f->form, "B");
        assert_string_equal(f->code, "0a1b2c");
        assert_string_equal(f->learner, "Ada Lovelace");
        assert_int_equal(f->n_steps, 2);
        assert_string_equal(f->step[1], "P");
    }
    lh_arena_free(a);
    lh_context_free(ctx);
}

static void test_examples(void **state) {
    (void)state;
    desk d = desk_of("batch.lh", batch, strlen(batch), 0, 4, false);
    const char text[] = "Y{example 0} = 1 2; 3 4\nY{example 1} = 5 6\nX = 1 2; 3 4";
    lh_filled *r = read_text(&d, text, strlen(text));
    assert_string_equal(echo(&d, r, "Y"), "1 2; 3 4 | 5 6");
    assert_string_equal(echo(&d, r, "X"), "_ _; _ _ | _ _");
    assert_int_equal(r->notes.n, 1);
    assert_non_null(strstr(r->notes.note[0].what, "write which"));
    desk_free(&d);
}

/* A name that several steps have is not guessed at; the whole path is one step. */
static void test_turns(void **state) {
    (void)state;
    const char program[] =
        "const E = [0.2 0.3]\nrepeat h for 2 with X = E\n  A = 2 * X\n  next X = A\nend\n";
    desk d = desk_of("turns.lh", program, strlen(program), 0, 4, false);
    const char text[] = "h[1].A = 1 2\nh[0].A[1] = 3\nA = 5 6";
    lh_filled *r = read_text(&d, text, strlen(text));
    assert_string_equal(echo(&d, r, "h[1].A"), "1 2");
    assert_string_equal(echo(&d, r, "h[0].A"), "_ 3");
    assert_int_equal(r->notes.n, 1);
    assert_int_equal(r->notes.note[0].line, 3);
    assert_non_null(strstr(r->notes.note[0].what, "several steps"));
    desk_free(&d);
}

static void test_numbers_of_a_key(void **state) {
    (void)state;
    desk d = small_desk();
    lh_paper_step plain = {.decimals = 4}, tiny = {.decimals = 9, .is_scientific = true};
    assert_string_equal(lh_paper_number(d.arena, &plain, 4, -0.00001), "0.0000");
    assert_string_equal(lh_paper_number(d.arena, &plain, 4, -0.00006), "-0.0001");
    assert_string_equal(lh_paper_number(d.arena, &tiny, 4, -1.23456e-7), "-1.235e-07");
    assert_string_equal(lh_paper_number(d.arena, &tiny, 4, -0.0), "0.000e+00");
    desk_free(&d);
}

/* ---- large ---- */

static char *many(const char *head, const char *piece, size_t n, size_t *length) {
    size_t a = strlen(head), b = strlen(piece);
    char *text = malloc(a + n * b + 1);
    assert_non_null(text);
    memcpy(text, head, a);
    for (size_t i = 0; i < n; i++) memcpy(text + a + i * b, piece, b);
    *length = a + n * b;
    text[*length] = 0;
    return text;
}

/* A megabyte of anything: a message or a note, no number where none belongs, and time that is linear, since its square would be
 * minutes. */
static void test_large(void **state) {
    (void)state;
    static const struct {
        const char *head, *piece;
        bool is_silent; /* there is nothing to say of it */
    } texts[] = {
        {"P = ", "1 ", false},
        {"P = ", "1;", false},
        {"P =\n", "1 2\n", false},
        {"", "P = 1 2 3\n", false},
        {"", "Q = 1\n", false},
        {"", "garbage\n", false},
        {"", "[[[[[[[[", false},
        {"P = ", "1 / ", false},
        {"P = ", "(((((", true},
        {"", "P = ", true},
        {"", ":::::", false},
        {"P = ", "____", true},
        {"P = 1 2; 3 ", "4", false},
        {"{", "{{{{", false},
        {"{\"answers\": {\"P\": ", "[[[[", false},
        {"{\"answers\": {\"P\": [", "1, ", false},
        {"{\"answers\": {\"P\": \"", "1 ", false},
        {"sheet a, ", "seed 1, ", true},
        {"sheet a, steps ", "P ", true},
        {"", "```answers\n", true},
        {"P = \"", "\\\\", false},
        {"P = .1", ",.1", false},
        {"P = ", "~", false},
        {"P = ", "~ ", false},
        {"P = 1 ", "\xe2\x89\x88", false},
        {"P ", "~ 1", false},
        {"P = 1", " x ", false},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        desk d = small_desk();
        size_t length;
        char *text = many(texts[i].head, texts[i].piece, 1000000 / strlen(texts[i].piece), &length);
        lh_answer_file *f = lh_answer_file_read(d.arena, text, length);
        lh_filled *r = f->problem ? NULL : lh_answers_read(d.arena, d.paper, f);
        if (r && (r->n_written > 3 || (r->notes.n == 0) != texts[i].is_silent))
            print_error("%s%s...: %d written, %d notes\n", texts[i].head, texts[i].piece,
                        r->n_written, r->notes.n);
        if (r) assert_in_range(r->n_written, 0, 3);
        if (r) assert_int_equal(r->notes.n == 0, texts[i].is_silent);
        assert_false(lh_failed(d.ctx));
        free(text);
        desk_free(&d);
    }
}

/* ---- the key, read back ---- */

static void test_many_entries(void **state) {
    (void)state;
    desk d = small_desk();
    size_t length;
    char *text = many("", "one = 1\n", 200000, &length);
    lh_answer_file *f = lh_answer_file_read(d.arena, text, length);
    assert_non_null(f->problem);
    free(text);
    desk_free(&d);
}

static char *key_as_lines(desk *d) {
    lh_text t = lh_text_new(d->arena);
    for (int i = 0; i < d->paper->n_steps; i++) {
        const lh_paper_step *s = &d->paper->step[i];
        for (int b = 0; b < s->n_blocks; b++) {
            const lh_grid *g = &s->block[b].grid;
            lh_text_add(&t, "%s %s ", s->block[b].address, s->sign);
            for (int k = 0; k < g->rows * g->cols; k++)
                lh_text_add(&t, "%s%s", k == 0 ? "" : k % g->cols ? " " : "; ", g->cell[k]);
            lh_text_add(&t, "\n");
        }
    }
    return t.s;
}

static char *key_as_json(desk *d) {
    lh_text t = lh_text_new(d->arena);
    lh_text_add(&t, "{\"answers\": {");
    for (int i = 0; i < d->paper->n_steps; i++) {
        const lh_paper_step *s = &d->paper->step[i];
        for (int b = 0; b < s->n_blocks; b++) {
            const lh_grid *g = &s->block[b].grid;
            lh_text_add(&t, "%s\"%s\": [[", i + b ? ", " : "", s->block[b].address);
            for (int k = 0; k < g->rows * g->cols; k++)
                lh_text_add(&t, k % 2 ? "%s%s" : "%s\"%s\"",
                            k == 0        ? ""
                            : k % g->cols ? ", "
                                          : "], [",
                            g->cell[k]);
            lh_text_add(&t, "]]");
        }
    }
    lh_text_add(&t, "}}");
    return t.s;
}

enum { LARGE = 2000 }; /* cells: a key of more is read, and not marked, which takes seconds */

static lh_filled *must_read_well(desk *d, const char *what, const char *text) {
    lh_filled *r = read_text(d, text, strlen(text));
    for (int i = 0; i < r->notes.n && i < LH_MAX_NOTES; i++)
        print_error("%s: line %d: %s\n", what, r->notes.note[i].line, r->notes.note[i].what);
    assert_int_equal(r->notes.n, 0);
    return r;
}

static void must_be_all_right(desk *d, const char *what, const lh_filled *r) {
    lh_marks *m = lh_mark(d->arena, d->paper->sheet, r->answers, d->mistakes);
    assert_non_null(m);
    for (int i = 0; i < d->paper->n_steps; i++)
        for (int k = 0; k < d->paper->sheet->ask[i].n_cells; k++) {
            lh_verdict v = m->cell[d->paper->sheet->ask[i].first + k];
            if (v != LH_RIGHT)
                print_error("%s: %s = %s is %s\n", what, lh_paper_cell(d->paper, d->arena, i, k),
                            r->text[d->paper->sheet->ask[i].first + k], lh_verdict_names[v]);
            assert_int_equal(v, LH_RIGHT);
        }
    assert_int_equal(m->credit, m->total);
}

/* Another form of the same key: the same numbers, so the same marks. */
static void must_be_the_same(const desk *d, const char *what, const lh_filled *a,
                             const lh_filled *b) {
    for (int i = 0; i < d->paper->sheet->n_cells; i++) {
        const lh_written *x = &a->answers->cell[i], *y = &b->answers->cell[i];
        if (x->kind != y->kind || x->value != y->value || x->unit != y->unit)
            fail_msg("%s: cell %d is %s and %s", what, i, a->text[i], b->text[i]);
    }
}

/* A lesson whose program is too large for a sheet of all its steps is refused one. */
static bool is_too_large(const lh_embedded *f) {
    lh_context *ctx = lh_context_new();
    lh_program *p = lh_lesson_parse(ctx, f->name, f->text, f->length);
    lh_paper *paper = p ? lh_paper_new(ctx, p, &(lh_paper_how){.lesson = "test"}) : NULL;
    bool is_large = !paper && strstr(ctx->error.what, "are allowed");
    lh_paper_free(paper);
    lh_program_free(p);
    lh_context_free(ctx);
    return is_large;
}

static void must_have_a_key(const lh_embedded *f, unsigned long long seed, int digits) {
    char what[128];
    snprintf(what, sizeof what, "%s seed %llu digits %d", f->name, seed, digits);
    desk d = desk_of(f->name, f->text, f->length, seed, digits, true);
    const lh_filled *lines = must_read_well(&d, what, key_as_lines(&d));
    if (d.paper->sheet->n_cells <= LARGE) must_be_all_right(&d, what, lines);
    must_be_the_same(&d, what, lines, must_read_well(&d, what, key_as_json(&d)));
    desk_free(&d);
}

/* Every lesson has a key that is marked as right; of the examples, in several variants. The digits take turns, since a
 * variant's numbers do not depend on them. */
static void test_key(void **state) {
    (void)state;
    int n_large = 0;
    for (int e = 0; e < lh_n_embedded_files; e++) {
        const lh_embedded *f = &lh_embedded_files[e];
        if (strncmp(f->name, "lessons/", 8) != 0) continue;
        if (is_too_large(f)) {
            n_large++;
            continue;
        }
        bool is_example = strncmp(f->name, "lessons/ex", 10) == 0;
        unsigned long long n_seeds = !is_example ? 1 : getenv("LH_QUICK") ? 2 : 4;
        for (unsigned long long seed = 0; seed < n_seeds; seed++)
            must_have_a_key(f, seed, seed % 2 ? 4 : 3);
        if (is_example) must_have_a_key(f, 0, 4);
    }
    assert_true(n_large <= 1);
}

/* ---- the sheet block of a lesson ---- */

static const char lesson[] =
    "# A lesson\n\n```longhand\nconst A = [1 2; 3 4]\nB = A @ A\nC = B + 1\n"
    "D = C * 2\n```\n\n```sheet\ndigits 3\nB\n  D   # the last\n```\n";

static void test_sheet_block(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_lesson_sheet s = lh_lesson_sheet_read(ctx, a, "a.md", lesson, strlen(lesson));
    assert_false(lh_failed(ctx));
    assert_int_equal(s.digits, 3);
    assert_int_equal(s.n_steps, 2);
    assert_string_equal(s.step[0], "B");
    assert_string_equal(s.step[1], "D");
    assert_int_equal(s.at[1].line, 13);
    assert_int_equal(s.at[1].col, 3);
    lh_program *p = lh_lesson_parse(ctx, "a.md", lesson, strlen(lesson));
    lh_paper *paper = lh_paper_new(
        ctx, p,
        &(lh_paper_how){.lesson = "a", .digits = s.digits, .steps = s.step, .n_steps = s.n_steps});
    assert_non_null(paper);
    assert_int_equal(paper->n_steps, 2);
    assert_string_equal(paper->step[1].name, "D");
    lh_paper_free(paper);
    lh_program_free(p);
    const char bad[] = "```sheet\ndigits many\n```\n";
    lh_lesson_sheet_read(ctx, a, "a.md", bad, strlen(bad));
    assert_true(lh_failed(ctx));
    assert_int_equal(ctx->error.at.line, 2);
    lh_arena_free(a);
    lh_context_free(ctx);
}

/* Another number or another question gives another code; the same sheet the same. */
static void test_code(void **state) {
    (void)state;
    const lh_embedded *f = lh_embedded_find("lessons/ex1.md");
    desk a = desk_of(f->name, f->text, f->length, 1, 4, false),
         b = desk_of(f->name, f->text, f->length, 1, 4, true),
         c = desk_of(f->name, f->text, f->length, 2, 4, false),
         d = desk_of(f->name, f->text, f->length, 1, 3, false);
    assert_string_equal(a.paper->code, b.paper->code);
    assert_string_not_equal(a.paper->code, c.paper->code);
    assert_string_not_equal(a.paper->code, d.paper->code);
    desk_free(&a), desk_free(&b), desk_free(&c), desk_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_precision_is_kept),
        cmocka_unit_test(test_nothing_is_nothing),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_other_shape),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_numbers_of_a_key),
        cmocka_unit_test(test_many_entries),
        cmocka_unit_test(test_key),
        cmocka_unit_test(test_sheet_block),
        cmocka_unit_test(test_code),
    };
    return cmocka_run_group_tests_name("answers", tests, NULL, NULL);
}
