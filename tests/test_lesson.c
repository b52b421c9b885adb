/* Lessons: read with everything in them, their numbers computed, their claims checked, everything wrong with them found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/embedded.h"
#include "base/file.h"
#include "learn/contents.h"
#include "learn/digits.h"
#include "learn/fence.h"
#include "learn/lint.h"
#include "scarce.h"

/* ---- a lesson at hand ---- */

typedef struct opened {
    lh_context *ctx;
    lh_arena *arena;
    lh_lesson *lesson;
    lh_live *live;
} opened;

static opened open_text(const char *file, const char *text) {
    opened o = {.ctx = lh_context_new()};
    o.arena = lh_arena_new(o.ctx);
    o.lesson = lh_lesson_read(o.ctx, file, text, strlen(text), NULL);
    assert_non_null(o.lesson);
    o.live = lh_live_new(o.lesson);
    assert_non_null(o.live);
    return o;
}

static void close_lesson(opened *o) {
    lh_live_free(o->live);
    lh_lesson_free(o->lesson);
    lh_arena_free(o->arena);
    lh_context_free(o->ctx);
}

static const char *shown(opened *o, int insert) {
    const lh_shown_insert *x = lh_live_insert(o->live, insert);
    if (!x) fail_msg("%s: %s", o->lesson->insert[insert].text, o->ctx->error.what);
    return x ? x->text : "";
}

static double number(opened *o, const char *expr, int program) {
    lh_value x = {0};
    if (!lh_live_value(o->live, expr, (lh_where){.program = program}, &x))
        fail_msg("%s: %s", expr, o->ctx->error.what);
    return x.cell ? x.cell[0] : NAN;
}

static char *read_source(opened *o, const char *path) {
    const char *root = getenv("LH_SOURCE_ROOT");
    size_t n;
    char *text =
        lh_file_read(o->ctx, o->arena, lh_printf(o->arena, "%s/%s", root ? root : ".", path), &n);
    assert_non_null(text);
    return text;
}

static void expect_clean(const char *name, const lh_lesson *l) {
    for (int i = 0; i < l->problems->n; i++) {
        const lh_problem *p = l->problems->problem[i];
        if (!p->is_warning)
            fail_msg("%s:%d:%d: %s (%s)", name, p->error.at.line, p->error.at.col, p->error.what,
                     p->error.cure);
    }
}

static const char small[] = "# One weight\n"
                            "\n"
                            "```longhand\n"
                            "const x = 1.5\n"
                            "const t = 3\n"
                            "const rate = 0.1\n"
                            "param w = 0.5\n"
                            "y = w * x\n"
                            "e = y - t\n"
                            "loss = e * e\n"
                            "backward loss\n"
                            "w := w - rate * dw\n"
                            "```\n"
                            "\n";

/* ---- the course ---- */

static bool is_lesson(const lh_embedded *e) {
    size_t n = strlen(e->name);
    return strncmp(e->name, "lessons/", 8) == 0 && strcmp(e->name + n - 3, ".md") == 0;
}

static void every_lesson_is_sound(void **state) {
    (void)state;
    int n = 0;
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *e = &lh_embedded_files[i];
        if (!is_lesson(e)) continue;
        lh_context *ctx = lh_context_new();
        lh_lesson *l = lh_lesson_open(ctx, e->name, e->text, e->length, NULL);
        if (!l) fail_msg("%s:%d: %s", e->name, ctx->error.at.line, ctx->error.what);
        lh_lesson_lint(l);
        assert_false(lh_failed(ctx));
        expect_clean(e->name, l);
        if (l->problems->n) /* a warning: a name before its block, a setting that nothing reads */
            fail_msg("%s:%d: %s", e->name, l->problems->problem[0]->error.at.line,
                     l->problems->problem[0]->error.what);
        lh_lesson_free(l);
        lh_context_free(ctx);
        n++;
    }
    assert_true(n >= 12);
}

/* Each lesson is in the contents once. (That each one named there is written is asked when the course is whole.) */
static void the_contents_have_every_lesson(void **state) {
    (void)state;
    opened o = open_text("small.md", small);
    lh_contents *c = lh_contents_read(o.ctx, o.arena);
    assert_true(c->n > 40);
    assert_string_equal(c->item[0].part, "I. Foundations");
    assert_true(lh_contents_find(c, "ex6-wide")->is_variation);
    assert_false(lh_contents_find(c, "ex6")->is_variation);
    for (int i = 0; i < c->n; i++)
        for (int k = i + 1; k < c->n; k++)
            assert_string_not_equal(c->item[i].name, c->item[k].name);
    for (int i = 0; i < lh_n_embedded_files; i++) {
        bool is_there = false;
        for (int k = 0; k < c->n; k++) is_there |= c->item[k].file == &lh_embedded_files[i];
        if (is_lesson(&lh_embedded_files[i]) && !is_there)
            fail_msg("%s is not in lessons/contents.txt", lh_embedded_files[i].name);
    }
    close_lesson(&o);
}

/* ---- docs/writing-lessons.md ---- */

/* Its blocks stand indented, so that they are not blocks of the page. */
static void add_pieces(lh_text *out, const char *page) {
    bool inside = false, skip = false;
    for (lh_text_row row = {0}; lh_text_row_next(page, strlen(page), 1, &row);) {
        bool is_fence = row.n >= 7 && strncmp(row.s, "    ```", 7) == 0;
        if (is_fence && !inside) { /* what ex4 has already is not added again */
            lh_text_row word = {row.s + 7, row.n - 7, 0};
            skip = word.n == 8 && strncmp(word.s, "longhand", 8) == 0;
            inside = true;
        } else if (is_fence) {
            inside = false;
        } else if (!inside) {
            continue;
        }
        if (!skip && row.n >= 4) lh_text_add_n(out, row.s + 4, row.n - 4);
        if (!skip) lh_text_add_n(out, "\n", 1);
        if (is_fence && !inside) lh_text_add(out, "\n");
    }
}

/* The program of ex4 alone: the lesson has a head, shows and exercises of its own. */
static void add_program(lh_text *out, const lh_embedded *lesson) {
    lh_text_add(out, "# The program of a lesson\n\n");
    for (lh_segment s = {0}; lh_segment_next(lesson->text, lesson->length, &s);)
        if (lh_segment_is(&s, "longhand"))
            lh_text_add(out, "```longhand\n%.*s```\n\n", (int)s.n, s.s);
}

static void the_pieces_of_the_page_are_a_lesson(void **state) {
    (void)state;
    opened o = open_text("small.md", small);
    const lh_embedded *ex4 = lh_embedded_find("lessons/ex4.md");
    lh_text text = lh_text_new(o.arena);
    add_program(&text, ex4);
    lh_text_add(&text, "\n");
    add_pieces(&text, read_source(&o, "docs/writing-lessons.md"));
    lh_lesson *l = lh_lesson_read(o.ctx, "page.md", text.s, text.n, NULL);
    lh_lesson_lint(l);
    expect_clean("docs/writing-lessons.md", l);
    assert_int_equal(l->minutes, 20);
    assert_int_equal(l->n_needs, 2);
    assert_string_equal(l->next.text, "ex2");
    assert_int_equal(l->n_shows, 27);
    assert_int_equal(l->n_exercises, 5);
    assert_int_equal(l->sheet.n_steps, 3);
    lh_lesson_free(l);
    close_lesson(&o);
}

/* | `{{...}}` | what is seen | ... in the table of the page */
static int add_rows(lh_text *text, lh_arena *a, const char *page, const char **wanted) {
    int n = 0;
    for (lh_text_row row = {0}; lh_text_row_next(page, strlen(page), 1, &row);) {
        if (row.n < 8 || strncmp(row.s, "| `{{", 5) != 0) continue;
        const char *end = strstr(row.s, "}}` |");
        assert_non_null(end);
        const char *cell = end + 5, *stop = strchr(cell, '|');
        lh_text_add(text, "%.*s\n\n", (int)(end + 2 - (row.s + 3)), row.s + 3);
        lh_text_row seen = lh_row_trim((lh_text_row){cell, (size_t)(stop - cell), 0});
        wanted[n++] = lh_copy(a, seen.s, seen.n);
        assert_true(n < 64);
    }
    return n;
}

static void the_table_of_the_page_is_true(void **state) {
    (void)state;
    opened o = open_text("small.md", small);
    const lh_embedded *ex4 = lh_embedded_find("lessons/ex4.md");
    lh_text text = lh_text_new(o.arena);
    add_program(&text, ex4);
    lh_text_add(&text, "\n```use\nfast = this --set rate=1\n```\n\n");
    const char *wanted[64];
    int n = add_rows(&text, o.arena, read_source(&o, "docs/writing-lessons.md"), wanted);
    opened page = open_text("page.md", text.s);
    assert_int_equal(page.lesson->n_inserts, n);
    assert_true(n >= 19);
    for (int i = 0; i < n; i++) {
        const char *is = shown(&page, i);
        if (strcmp(is, wanted[i]) != 0)
            fail_msg("{{%s}} is %s, and the page says %s", page.lesson->insert[i].text, is,
                     wanted[i]);
    }
    close_lesson(&page);
    close_lesson(&o);
}

static void the_whole_lesson_of_the_page(void **state) {
    (void)state;
    opened o = open_text("small.md", small);
    const char *page = read_source(&o, "docs/writing-lessons.md");
    int found = 0;
    for (lh_segment s = {0}; lh_segment_next(page, strlen(page), &s);) {
        if (!lh_segment_is(&s, "markdown")) continue;
        lh_lesson *l = lh_lesson_open(o.ctx, "whole.md", s.s, s.n, NULL);
        if (!l) fail_msg("line %d: %s", o.ctx->error.at.line, o.ctx->error.what);
        lh_lesson_lint(l);
        assert_int_equal(l->problems->n, 0);
        lh_lesson_free(l);
        found++;
    }
    assert_int_equal(found, 1);
    close_lesson(&o);
}

/* ---- reading ---- */

static int lines_of(const char *s) {
    int n = 0;
    for (; *s; s++) n += *s == '\n';
    return n;
}

static void markdown_keeps_lines(void **state) {
    (void)state;
    static const char text[] =
        "# T {{1 + 1}}\n\n```lesson\nminutes 5\n\nnext ex1\n```\n\nA {{1 +\n1}} b.\n\n"
        "## Two, parts\n\n````text\n```\n{{code}}\n````\n\n```exercise find\nline: 1 = 1 | 1\n"
        "line: 2 = 3 | 2\n\nWhich {{3}}?\n```\nEnd {{4}}\n";
    opened o = open_text("t.md", text);
    expect_clean("t.md", o.lesson);
    assert_int_equal(lines_of(o.lesson->markdown), lines_of(text));
    assert_int_equal(o.lesson->n_inserts, 4);
    assert_non_null(strstr(o.lesson->markdown, "A \xEE\x80\x81\n b."));
    assert_non_null(strstr(o.lesson->markdown, "{{code}}"));
    assert_non_null(strstr(o.lesson->markdown, "End \xEE\x80\x83\n"));
    assert_int_equal(lh_insert_at("\xEE\x80\x83"), 3);
    assert_int_equal(lh_insert_at("abc"), -1);
    assert_int_equal(o.lesson->insert[3].at.line, 25);
    assert_int_equal(o.lesson->insert[3].at.col, 5);
    assert_int_equal(o.lesson->n_blocks, 2);
    assert_non_null(strstr(o.lesson->markdown, "```longhand-block\n1\n"));
    assert_int_equal(o.lesson->n_headings, 1);
    assert_string_equal(o.lesson->heading[0].anchor, "two-parts");
    assert_string_equal(shown(&o, 1), "2");
    assert_int_equal(o.lesson->insert[2].exercise, 1);
    close_lesson(&o);
}

/* A number has no vocabulary of its own: it is looked up in that of the program that it comes from. */
static void words_are_of_their_program(void **state) {
    (void)state;
    opened o =
        open_text("t.md", "# T\n\n```longhand\nvocab A B\na = 1\n```\n\n"
                          "```longhand other\nvocab red blue\nx = [0 1]\nb = argmax(x)\n```\n\n"
                          "{{word a}} {{word other:b}} {{word argmax(other:x)}}\n");
    expect_clean("t.md", o.lesson);
    assert_string_equal(shown(&o, 0), "B");
    assert_string_equal(shown(&o, 1), "blue");
    assert_string_equal(shown(&o, 2), "blue");
    close_lesson(&o);
}

static void exercises_have_fields(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text,
             "%s```exercise predict\ntitle: Up\nuse: up = this --mistake uphill\n"
             "choice: It falls by {{e | 2}}. | up:loss@1 < up:loss@0   # no\n"
             "choice: It rises. | up:loss@1 > up:loss@0\nhint: one\nhint: two\nshow: up: loss 5 # "
             "a caption\n\n"
             "What {{up:loss}}?\n\nThink.\n```\n\n```exercise write\nline: y\n\nWrite it.\n```\n",
             small);
    opened o = open_text("t.md", text);
    expect_clean("t.md", o.lesson);
    assert_int_equal(o.lesson->n_exercises, 2);
    const lh_exercise *e = &o.lesson->exercise[0];
    assert_string_equal(e->kind->name, "predict");
    assert_string_equal(e->title, "Up");
    assert_string_equal(lh_exercise_field(e, "hint", 1)->value, "two");
    assert_null(lh_exercise_field(e, "hint", 2));
    const lh_field *f = lh_exercise_field(e, "choice", 0);
    assert_string_equal(f->left, "It falls by \xEE\x80\x80.");
    assert_string_equal(f->right, "up:loss@1 < up:loss@0");
    lh_where where = {.exercise = 1, .at = f->right_at};
    lh_claim claim;
    assert_true(lh_live_claim(o.live, f->right, where, 0, &claim));
    assert_false(claim.holds);
    assert_true(lh_live_claim(o.live, lh_exercise_field(e, "choice", 1)->right, where, 0, &claim));
    assert_true(claim.holds);
    assert_int_equal(e->n_shows, 1);
    assert_string_equal(o.lesson->show[e->show[0]].caption, "a caption");
    assert_string_equal(shown(&o, 1), "5.062");
    assert_non_null(strstr(e->question, "Think."));
    assert_int_equal(lh_lesson_program_named(o.lesson, "up", 0), -1);
    assert_int_equal(lh_lesson_program_named(o.lesson, "up", 1), 1);
    close_lesson(&o);
}

/* ---- numbers ---- */

/* A weight is changed in the text, and every number that comes from it is another. */
static void numbers_follow_the_weights(void **state) {
    (void)state;
    static const char asks[] =
        "{{w}} {{y}} {{loss@1}} {{dw}} {{w@3}} {{y * 2 - e}} {{formula y}}\n";
    char text[2048], other[2048];
    snprintf(text, sizeof text, "%s%s", small, asks);
    snprintf(other, sizeof other, "%s", text);
    memcpy(strstr(other, "w = 0.5"), "w = 0.7", 7);
    opened a = open_text("a.md", text), b = open_text("b.md", other);
    for (int i = 0; i < 6; i++) assert_string_not_equal(shown(&a, i), i == 5 ? "" : shown(&b, i));
    assert_string_equal(shown(&a, 0), "0.5");
    assert_string_equal(shown(&b, 1), "1.05");
    assert_string_equal(shown(&b, 5), "4.05");
    assert_string_equal(shown(&b, 6), "w * x");
    close_lesson(&a);
    close_lesson(&b);
}

/* By hand: d/dw (wx - t)^2 = 2x(wx - t). */
static double weight_after(double w, double rate, int steps) {
    for (int i = 0; i < steps; i++) w -= rate * 2 * 1.5 * (w * 1.5 - 3);
    return w;
}

static void steps_are_those_of_training(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text,
             "%s```use\nfast = this --set rate=0.3\nlate = fast --mistake uphill\n```\n{{w@5}} "
             "{{w@2}} {{fast:w@4}}\n",
             small);
    opened o = open_text("t.md", text);
    int order[] = {7, 2, 5, 0, 3};
    for (size_t i = 0; i < 5; i++) {
        char expr[32];
        snprintf(expr, sizeof expr, "w@%d", order[i]);
        assert_true(fabs(number(&o, expr, 0) - weight_after(0.5, 0.1, order[i])) < 1e-12);
        snprintf(expr, sizeof expr, "fast:w@%d", order[i]);
        assert_true(fabs(number(&o, expr, 0) - weight_after(0.5, 0.3, order[i])) < 1e-12);
    }
    assert_true(fabs(number(&o, "late:w@2", 0) - weight_after(0.5, -0.3, 2)) < 1e-12);
    const double *loss = lh_live_losses(o.live, 0, 6);
    assert_non_null(loss);
    for (int i = 0; i <= 6; i++) {
        double e = weight_after(0.5, 0.1, i) * 1.5 - 3;
        assert_true(fabs(loss[i] - e * e) < 1e-12);
    }
    close_lesson(&o);
}

/* What training with batches does is read from all examples. */
static void batches_are_those_of_run(void **state) {
    (void)state;
    opened o = open_text(
        "t.md", "# T\n\n```use\na = ex4 --batch 1 --shuffle 3\nb = ex4\n```\n"
                "{{a:loss@6}} {{b:loss@6}} {{a:loss@6 != b:loss@6}}{{a:loss@0 == b:loss@0}}\n");
    for (int i = 0; i < o.lesson->n_inserts; i++) shown(&o, i);
    assert_true(number(&o, "a:loss@6", 0) < number(&o, "a:loss@0", 0));
    close_lesson(&o);
}

static void lines_can_be_replaced(void **state) {
    (void)state;
    opened o = open_text("t.md", small);
    const lh_program *p = lh_live_program_of(o.live, 0);
    char *text = lh_lesson_with_line(o.arena, p, "y", "y = x * w + 1");
    assert_non_null(text);
    assert_null(lh_lesson_with_line(o.arena, p, "nothing", ""));
    assert_int_equal(lines_of(text), lines_of(p->source));
    lh_lesson_program with = {.name = "",
                              .text = text,
                              .length = strlen(text),
                              .of = -1,
                              .shuffle = -1,
                              .file = "answer"};
    int changed = lh_lesson_program_add(o.lesson, &with);
    assert_true(fabs(number(&o, "y", changed) - 1.75) < 1e-12);
    assert_true(fabs(number(&o, "y", 0) - 0.75) < 1e-12);
    text = lh_lesson_with_line(o.arena, p, "w:=", "w := w");
    with.text = text;
    with.length = strlen(text);
    assert_true(fabs(number(&o, "w@3", lh_lesson_program_add(o.lesson, &with)) - 0.5) < 1e-12);
    lh_setting set = {"rate", "0.2"};
    lh_lesson_program faster = {.name = "", .of = 0, .shuffle = -1, .set = &set, .n_set = 1};
    assert_true(fabs(number(&o, "w@1", lh_lesson_program_add(o.lesson, &faster)) -
                     weight_after(0.5, 0.2, 1)) < 1e-12);
    assert_null(lh_lesson_with_line(o.arena, p, "y:=", ""));
    close_lesson(&o);
}

/* ---- digits ---- */

static void digits_in_prose(void **state) {
    (void)state;
    static const struct {
        const char *text, *found; /* the words found, in order */
    } cases[] = {
        {"The loss is 0.4982 here.", "0.4982"},
        {"Twelve, 12 and 13.", "13"},
        {"A 2x2 matrix, 4-6-4, 128x256, 2xn, nx768.", ""},
        {"GPT-2, ex4, Example 13, Table 14, steps 20, h17, Examples 31.", ""},
        {"In 2017, not in 2117 nor 1899.", "2117 1899"},
        {"`0.77` and $x = 0.77$ and {{y | 3}} and [17](a-19.html#20).", "17"},
        {"1.5 and 0.1 are given, 1.50 too; 10% is the rate, 11% is not.", "11%"},
        {"13. A list\n14) of things\n\n### 15. A part\n", ""},
        {"10,000 words; 1/2; 1/200; 3rd, 33rd; -0.25, \u22120.25.", "10,000 1/200 33rd 0.25 0.25"},
        {"64-bit, 12-fold, 1e-9, 50:50.", "64-bit 1e-9 50:50"},
        {"**0.33** _0.34_ (0.35) \"0.36\" 0.37\u20140.38", "0.33 0.34 0.35 0.36 0.37 0.38"},
        {"$5 is a price, 0.39 a number.\n\nAnd $2.", "0.39"},
        {"after 40 updates {{w@40}}, after 41", "41"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048], all[512] = "";
        snprintf(text, sizeof text, "%s%s\n", small, cases[i].text);
        opened o = open_text("t.md", text);
        int n;
        lh_mention *found = lh_digits_find(o.lesson, o.arena, &n);
        for (int k = 0; k < n; k++) {
            if (k) strcat(all, " ");
            strcat(all, found[k].text);
            const char *line = text;
            for (int l = 1; l < found[k].at.line; l++) line = strchr(line, '\n') + 1;
            if (strncmp(line + found[k].at.col - 1, found[k].text, 2) != 0 &&
                found[k].text[0] != '0')
                fail_msg("%s: %s is not in column %d", cases[i].text, found[k].text,
                         found[k].at.col);
        }
        if (strcmp(all, cases[i].found) != 0)
            fail_msg("%s: found \"%s\", not \"%s\"", cases[i].text, all, cases[i].found);
        close_lesson(&o);
    }
}

/* ---- what is wrong ---- */

typedef struct bad {
    const char *text; /* behind the small lesson, from its line 15 on */
    int line;
    const char *what, *cure;
    bool is_warning;
} bad;

static const bad wrong[] = {
    {"```show\ngraph\n", 15, "has no end", "three backticks", false},
    {"a\n\n{{y\n\nb", 17, "{{y has no }}", "before the next empty line", false},
    {"{{}}", 15, "is empty", "{{P[1][0]}}", false},
    {"It is {{losss}}.", 15, "there is no step named losss", "did you mean loss?", false},
    {"{{y[3]}}", 15, "there is no column 3 in y: it has 1", "", false},
    {"\n{{loss@1 > loss}}", 16, "the claim loss@1 > loss is false: 1.53141 is not > 5.0625", "",
     false},
    {"{{y == 0.75 and e < t and loss < 0}}", 15, "5.0625 is not < 0", "", false},
    {"{{[1 2; 3 4] < 4}}", 15, "4 is not < 4 in row 1, column 1", "", false},
    {"{{y | 99}}", 15, "a number cannot be written as \"99\"", "1 to 17 digits", false},
    {"{{y > 0 | 3}}", 15, "a claim cannot be written as", "| show", false},
    {"{{y @ [1 2; 3 4; 5 6]}}", 15, "inner sizes differ", "", false},
    {"{{[1 2 3] < [1 2]}}", 15, "1x3 cannot be compared with 1x2", "", false},
    {"{{y > 0 and t}}", 15, "compares nothing", "loss@1 < loss@0", false},
    {"{{1 / (y - y) * 0}}", 15, "not a number", "", false},
    {"{{slow:y}}", 15, "there is no program named slow", "slow = this", false},
    {"{{fact 2017}}", 15, "a fact says where it is from", "Vaswani", false},
    {"{{word y}}", 15, "not a token of a vocabulary", "", false},
    {"{{formula x}}", 15, "is given", "", false},
    {"{{cost money}}", 15, "cost has no \"money\"", "parameters", false},
    {"{{count stars}}", 15, "count has no \"stars\"", "operations", false},
    {"{{y == \"C\"}}", 15, "no vocabulary has the word \"C\"", "", false},
    {"```longhand a\nb = 1\n```\n\n```longhand a\nb = 2\n```\n", 19,
     "two programs are called a: here and in line 15", "another name", false},
    {"```longhand a\nb = 1\n```\n\n```use\na = this\n```\n", 20, "two programs are called a", "",
     false},
    {"```use\na = thiss\n```\n", 16, "there is no program named thiss", "did you mean this?",
     false},
    {"```use\na = b\nb = a\n```\n", 16, "a is made from itself", "", false},
    {"```use\na = this --sett rate=1\n```\n", 16, "use has no option --sett", "did you mean --set?",
     false},
    {"```use\na = this --set rte=1\n```\n", 16, "set rte: the program has no such name",
     "did you mean rate?", false},
    {"```use\na = this --mistake uphil\n```\n", 16, "there is no mistake named uphil", "", false},
    {"```use\na = this --mistake no_mask\n```\n", 16, "no_mask cannot be made here", "", false},
    {"```use\na = this --batch none\n```\n", 16, "--batch takes", "", false},
    {"```use\nthis\n```\n", 16, "a use line names a program", "fast = this", false},
    {"```longhand\nz = yy + 1\n```\n", 16, "yy", "", false},
    {"```longhand a\nz = [1 2] @ [3 4]\n```\n", 16, "inner sizes differ", "", false},
    {"```lesson\nminute 5\n```\n", 16, "but not \"minute\"", "did you mean minutes?", false},
    {"```lesson\nminutes ten\n```\n", 16, "minutes is a whole number", "", false},
    {"```lesson\nneeds matrixes ex1\n```\n", 16, "needs: there is no lesson matrixes",
     "did you mean matrices?", false},
    {"```lesson\nnext nowhere\n```\n", 16, "next: there is no lesson nowhere", "", false},
    {"```longand\nx\n```\n", 15, "there is no kind of block \"longand\"", "did you mean longhand?",
     false},
    {"```show\nheet y\n```\n", 16, "a show block has no \"heet\"", "did you mean heat?", false},
    {"```show\nheat\n```\n", 16, "heat takes one step", "", false},
    {"```show\nheat Y\n```\n", 16, "there is no step named Y", "", false},
    {"```show\nloss many\n```\n", 16, "loss takes the number of updates", "", false},
    {"```show\nloss 10 slow\n```\n", 16, "there is no program named slow", "", false},
    {"```show\nslow: trace y\n```\n", 16, "there is no program named slow", "", false},
    {"```show\njacobian y\n```\n", 16, "not made by a call", "", false},
    {"```show\nmatrix y[0]\n```\n", 16, "matrix shows whole steps, not y[0]", "{{P[1]}}", false},
    {"```use\nmany = ex4\n```\n\n```show\nmany: trace L{example 1}\n```\n", 20,
     "of the first example, not L{example 1}", "matrix P{example 1}", false},
    {"```use\nmany = ex4\n```\n\n{{average(many:L)}}", 19, "average goes over all examples",
     "mean = average(...)", false},
    {"2 times\n\n2*3 + 3*4, and `2*3`", 17, "Markdown takes * between numbers", "0.1 * 1", false},
    {"```sheet\ndigits 12\n```\n", 16, "2 to 9 digits", "", false},
    {"```sheet\nyyy\n```\n", 16, "there is no step named yyy", "", false},
    {"```sheet\n```\n", 15, "the block is empty", "", false},
    {"```exercise guess\na: b\n\nc\n```\n", 15, "no kind of exercise \"guess\"", "", false},
    {"```exercise write\nlnie: y\n\nWrite it.\n```\n", 16, "no field \"lnie\"",
     "did you mean line?", false},
    {"```exercise write\nline: y\n```\n", 15, "asks nothing", "empty line", false},
    {"```exercise write\nWrite it.\n```\n", 16, "begins with fields", "", false},
    {"```exercise predict\nchoice:\n\nWhat?\n```\n", 16, "has no value", "", false},
    {"```exercise predict\nuse: a = b\n\nWhat?\n```\n", 16, "no program named b", "", false},
    {"## A\n\n## a\n", 17, "two headings have the anchor #a: here and in line 15", "", false},
    {"The loss is 5.06.", 15, "5.06 is typed", "{{fact 5.06", false},
    {"A \xEE\x80\x80 b", 15, "no meaning of its own", "", false},
    {"`q` now.\n\n## A part\n\n```longhand\nq = 1\n```\n", 15,
     "q is used here and introduced in line 20", "", true},
    {"`q` now.\n\n## A part\n\n```longhand other\nq = 1\n```\n", 15,
     "q is used here and introduced in line 20", "", true},
    {"`q` now.\n\n## A part\n\n```longhand other\nrepeat h for 2 with X = 1\n  q = X\n  next X = "
     "q\nend\n```\n",
     15, "q is used here and introduced in line 21", "", true},
};

static void wrong_lessons_say_where(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[4096];
        snprintf(text, sizeof text, "%s%s\n", small, wrong[i].text);
        opened o = open_text("t.md", text);
        lh_lesson_lint(o.lesson);
        assert_false(lh_failed(o.ctx));
        bool found = false;
        for (int k = 0; k < o.lesson->problems->n; k++) {
            const lh_problem *p = o.lesson->problems->problem[k];
            found |= p->error.at.line == wrong[i].line && strstr(p->error.what, wrong[i].what) &&
                     strstr(p->error.cure, wrong[i].cure) && p->is_warning == wrong[i].is_warning;
        }
        for (int k = 0; !found && k < o.lesson->problems->n; k++) {
            const lh_problem *p = o.lesson->problems->problem[k];
            print_message("#   %d:%d: %s (%s)\n", p->error.at.line, p->error.at.col, p->error.what,
                          p->error.cure);
        }
        if (!found)
            fail_msg("%s: no problem \"%s\" in line %d", wrong[i].text, wrong[i].what,
                     wrong[i].line);
        close_lesson(&o);
    }
}

/* A name is introduced by the first block that makes it, whichever program that belongs to. */
static void names_are_introduced_once(void **state) {
    (void)state;
    char text[4096];
    snprintf(text, sizeof text, "%s%s", small,
             "```longhand first\nq = 2\n```\n\n`q` and `w`.\n\n## A part\n\n"
             "```longhand second\nw = 1\nq = 1\n```\n");
    opened o = open_text("t.md", text);
    lh_lesson_lint(o.lesson);
    for (int i = 0; i < o.lesson->problems->n; i++)
        assert_null(strstr(o.lesson->problems->problem[i]->error.what, "introduced"));
    close_lesson(&o);
}

/* All of them, each once, in the order of the text; a broken program is told once and not by every number. */
static void all_problems_are_told(void **state) {
    (void)state;
    static const char text[] = "No title, 0.77.\n\n```longhand\ny = z + 1\n```\n\n{{y}} {{y + 1}} "
                               "{{1 > 2}}\n\n```show\nheet y\nmatrix y\n```\n";
    static const int lines[] = {1, 1, 1, 4, 7, 10};
    opened o = open_text("t.md", text);
    lh_lesson_lint(o.lesson);
    for (int i = 0; i < o.lesson->problems->n; i++) {
        const lh_error *e = &o.lesson->problems->problem[i]->error;
        if (i >= 6 || e->at.line != lines[i])
            fail_msg("problem %d: line %d: %s", i, e->at.line, e->what);
    }
    assert_int_equal(o.lesson->problems->n, 6);
    assert_int_equal(o.lesson->problems->n_errors, 5);
    lh_lesson *l = lh_lesson_open(o.ctx, "t.md", text, strlen(text), NULL);
    assert_null(l);
    assert_int_equal(o.ctx->error.at.line, 10);
    assert_string_equal(o.ctx->error.source, "heet y");
    close_lesson(&o);
}

/* ---- memory ---- */

static void each_piece_of_memory_fails_once(void **state) {
    (void)state;
    char text[4096];
    snprintf(text, sizeof text,
             "%s```use\nup = this --mistake uphill --set rate=0.2\n```\n\n## A {{w@2}}\n\n{{loss@1 "
             "< loss and [1 2] > 0 | show}} {{up:y + w}} {{0.7777}} 0.3333\n\n"
             "{{formula dw}} {{cost flops}} {{count mistakes}} {{false > true}}\n\n```show\nloss 3 "
             "up # a\nbars w\nheet\n```\n\n"
             "```exercise predict\nuse: down = this\nchoice: a {{y}} | y > 0\nshow: down: loss "
             "2\n\nWhat?\n```\n\n```sheet\ny\n```\n",
             small);
    for (refused = 1;; refused++) {
        lh_context *ctx = lh_context_new();
        ctx->alloc = alloc_but_one;
        ctx->release = release_counted;
        asked = live = 0;
        lh_lesson *l = lh_lesson_read(ctx, "t.md", text, strlen(text), NULL);
        if (l) lh_lesson_lint(l);
        bool was_refused = asked >= refused;
        if (was_refused && lh_context_error(ctx)->kind != LH_ERROR_MEMORY)
            fail_msg("piece %d was refused, and nobody noticed", refused);
        if (!was_refused && (!l || l->problems->n < 3)) fail_msg("nothing was found");
        lh_lesson_free(l);
        lh_context_free(ctx);
        if (live) fail_msg("piece %d: %d pieces did not come back", refused, live);
        if (!was_refused) break;
    }
    assert_true(refused > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lesson_is_sound),
        cmocka_unit_test(the_contents_have_every_lesson),
        cmocka_unit_test(the_pieces_of_the_page_are_a_lesson),
        cmocka_unit_test(the_table_of_the_page_is_true),
        cmocka_unit_test(the_whole_lesson_of_the_page),
        cmocka_unit_test(markdown_keeps_lines),
        cmocka_unit_test(words_are_of_their_program),
        cmocka_unit_test(exercises_have_fields),
        cmocka_unit_test(numbers_follow_the_weights),
        cmocka_unit_test(steps_are_those_of_training),
        cmocka_unit_test(batches_are_those_of_run),
        cmocka_unit_test(lines_can_be_replaced),
        cmocka_unit_test(digits_in_prose),
        cmocka_unit_test(wrong_lessons_say_where),
        cmocka_unit_test(names_are_introduced_once),
        cmocka_unit_test(all_problems_are_told),
        cmocka_unit_test(each_piece_of_memory_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
