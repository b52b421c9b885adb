/* The course as a whole: every lesson that the contents name is written, every row of the inventory is taught somewhere, the programs
 * hold, the sheets can be marked, there is enough to do, and the words are spelt one way.
 *
 * tests/course_map holds, for each part of the course, lines `ROW lesson#anchor`: where a row of the inventory is taught or run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/file.h"
#include "explain/bill.h"
#include "explain/check.h"
#include "learn/advice.h"
#include "learn/contents.h"
#include "learn/fence.h"
#include "learn/live.h"
#include "learn/mistakes.h"
#include "learn/paper.h"

/* ---- the course, read once ---- */

enum { MOST_LESSONS = 80 };

static struct course {
    lh_context *ctx;
    lh_arena *arena;
    lh_contents *contents;
    lh_lesson *lesson[MOST_LESSONS];
    int n_lessons;
} course;

static bool is_lesson(const lh_embedded *e) {
    size_t n = strlen(e->name);
    return strncmp(e->name, "lessons/", 8) == 0 && strcmp(e->name + n - 3, ".md") == 0;
}

static int read_course(void **state) {
    (void)state;
    course.ctx = lh_context_new();
    course.arena = lh_arena_new(course.ctx);
    course.contents = lh_contents_read(course.ctx, course.arena);
    for (int i = 0; i < lh_n_embedded_files; i++) {
        const lh_embedded *e = &lh_embedded_files[i];
        if (!is_lesson(e) || course.n_lessons == MOST_LESSONS) continue;
        lh_lesson *l = lh_lesson_open(course.ctx, e->name, e->text, e->length, NULL);
        if (!l) return print_error("%s: %s\n", e->name, course.ctx->error.what), -1;
        course.lesson[course.n_lessons++] = l;
    }
    return 0;
}

static int close_course(void **state) {
    (void)state;
    for (int i = 0; i < course.n_lessons; i++) lh_lesson_free(course.lesson[i]);
    lh_arena_free(course.arena);
    lh_context_free(course.ctx);
    return 0;
}

static const lh_lesson *lesson_named(const char *name, size_t n) {
    for (int i = 0; i < course.n_lessons; i++)
        if (strlen(course.lesson[i]->name) == n && memcmp(course.lesson[i]->name, name, n) == 0)
            return course.lesson[i];
    return NULL;
}

/* ---- the contents ---- */

static void every_lesson_of_the_contents_is_written(void **state) {
    (void)state;
    int missing = 0;
    for (int i = 0; i < course.contents->n; i++) {
        const lh_contents_item *item = &course.contents->item[i];
        if (item->file) continue;
        print_error("lessons/%s.md is in the contents and not written\n", item->name);
        missing++;
    }
    assert_int_equal(missing, 0);
}

/* Each lesson says how long it takes, and leads to the one that follows it in the contents. */
static void each_lesson_leads_to_the_next(void **state) {
    (void)state;
    const lh_lesson *before = NULL;
    for (int i = 0; i < course.contents->n; i++) {
        const lh_contents_item *item = &course.contents->item[i];
        if (item->is_variation) break;
        const lh_lesson *l = lesson_named(item->name, strlen(item->name));
        assert_non_null(l);
        if (l->minutes < 10 || l->minutes > 30)
            fail_msg("%s takes %d minutes, not 10 to 30", l->name, l->minutes);
        if (before && (!before->next.text || strcmp(before->next.text, l->name) != 0))
            fail_msg("after %s comes %s, and it says: next %s", before->name, l->name,
                     before->next.text ? before->next.text : "nothing");
        before = l;
    }
}

/* What a lesson says must be read before it comes before it in the contents. */
static void what_is_needed_comes_before(void **state) {
    (void)state;
    for (int i = 0; i < course.contents->n; i++) {
        const lh_contents_item *item = &course.contents->item[i];
        const lh_lesson *l = lesson_named(item->name, strlen(item->name));
        assert_non_null(l);
        for (int k = 0; k < l->n_needs; k++) {
            const lh_contents_item *need = lh_contents_find(course.contents, l->needs[k].text);
            if (!need || need >= item)
                fail_msg("%s needs %s, which does not come before it", l->name, l->needs[k].text);
        }
    }
}

/* ---- the inventory ---- */

/* Rows 1.1 to 1.11, 2.1 to 2.16 ... 13.14: 170. */
static const int rows_of[] = {0, 11, 16, 5, 14, 6, 18, 11, 13, 19, 18, 8, 17, 14};
enum { N_SECTIONS = sizeof rows_of / sizeof *rows_of, MOST_ROWS = 32 };

static bool is_taught[N_SECTIONS][MOST_ROWS];

static bool has_anchor(const lh_lesson *l, const char *anchor, size_t n) {
    for (int i = 0; i < l->n_headings; i++)
        if (strlen(l->heading[i].anchor) == n && memcmp(l->heading[i].anchor, anchor, n) == 0)
            return true;
    return false;
}

/* 4.12 ex3#through-the-softmax */
static void take_line(const char *file, lh_text_row row) {
    row = lh_row_trim(row);
    if (!row.n || row.s[0] == '#') return;
    char line[200];
    assert_true(row.n < sizeof line);
    memcpy(line, row.s, row.n);
    line[row.n] = 0;
    char *end;
    long section = strtol(line, &end, 10), number = *end == '.' ? strtol(end + 1, &end, 10) : 0;
    bool is_row = section >= 1 && section < N_SECTIONS && number >= 1 && number <= rows_of[section];
    char *name = end, *sign = strchr(line, '#');
    while (*name == ' ') name++;
    if (!is_row || !sign || sign < name) fail_msg("%s: ROW lesson#anchor, not \"%s\"", file, line);
    const lh_lesson *l = lesson_named(name, (size_t)(sign - name));
    if (!l) fail_msg("%s: %s: there is no such lesson", file, line);
    if (!has_anchor(l, sign + 1, strlen(sign + 1)))
        fail_msg("%s: %s: the lesson has no such heading", file, line);
    is_taught[section][number] = true;
}

static void every_row_of_the_inventory_is_taught(void **state) {
    (void)state;
    static const char *const parts[] = {"part1", "part2", "part3", "part4", "appendices"};
    const char *root = getenv("LH_SOURCE_ROOT");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t n;
        const char *file = lh_printf(course.arena, "tests/course_map/%s.def", parts[i]);
        const char *path = lh_printf(course.arena, "%s/%s", root ? root : ".", file);
        const char *text = lh_file_read(course.ctx, course.arena, path, &n);
        if (!text) fail_msg("%s", course.ctx->error.what);
        for (lh_text_row row = {0}; lh_text_row_next(text, n, 1, &row);) take_line(file, row);
    }
    int missing = 0, rows = 0;
    for (int s = 1; s < N_SECTIONS; s++)
        for (int r = 1; r <= rows_of[s]; r++, rows++) {
            if (is_taught[s][r]) continue;
            print_error("row %d.%d of the inventory is taught nowhere\n", s, r);
            missing++;
        }
    assert_int_equal(rows, 170);
    assert_int_equal(missing, 0);
}

/* ---- programs ---- */

static bool is_own_text(const lh_lesson_program *p) {
    return p->text && !p->is_elsewhere && p->of < 0 && !p->of_name.text;
}

/* The largest are left out unless LH_LONG is set: they take most of the time. */
static bool is_left_out(lh_live *v, int number) {
    lh_graph *g = !getenv("LH_LONG") ? lh_live_graph(v, number) : NULL;
    lh_bill *b = g ? lh_bill_new(g, NULL, 0) : NULL;
    bool is_large = b && lh_polynomial_value(&b->parameters) > 1000;
    lh_bill_free(b);
    return is_large;
}

static void check_program(const lh_lesson *l, const lh_lesson_program *p, lh_live *v, int number) {
    const lh_program *program = lh_live_program_of(v, number);
    if (!program) fail_msg("%s %s: %s", l->name, p->name, course.ctx->error.what);
    lh_check *c = lh_check_program(course.ctx, program, &(lh_build){0});
    if (!c) fail_msg("%s %s: %s", l->name, p->name, course.ctx->error.what);
    for (int i = 0; i < c->n_findings; i++) {
        const lh_finding *f = &c->finding[i];
        if (!f->ok)
            print_error("%s %s: %s: %g should be %g (%s)\n", l->name, p->name,
                        f->where ? f->where : f->step, f->got, f->want, f->why ? f->why : "");
    }
    assert_true(c->ok);
    lh_check_free(c);
}

/* The lesson's own and its named ones; what a `use` line makes of them may have a mistake in it. */
static void every_program_passes_its_checks(void **state) {
    (void)state;
    int n = 0;
    for (int i = 0; i < course.n_lessons; i++) {
        lh_lesson *l = course.lesson[i];
        lh_live *v = lh_live_new(l);
        assert_non_null(v);
        for (int k = 0; k < l->n_programs; k++)
            if (is_own_text(&l->program[k]) && !is_left_out(v, k))
                check_program(l, &l->program[k], v, k), n++;
        lh_live_free(v);
    }
    print_message("# %d programs\n", n);
    assert_true(n >= 60);
}

/* ---- sheets ---- */

typedef struct desk {
    lh_arena *arena;
    lh_program *program;
    lh_mistakes *mistakes;
    lh_paper *paper;
} desk;

static desk desk_new(const lh_lesson *l) {
    desk d = {.arena = lh_arena_new(course.ctx)};
    d.program = lh_lesson_parse(course.ctx, l->file, l->source, l->length);
    d.mistakes = lh_mistakes_load(course.ctx, d.program);
    d.paper = lh_paper_new(course.ctx, d.program,
                           &(lh_paper_how){.lesson = l->name,
                                           .digits = l->sheet.digits,
                                           .steps = l->sheet.step,
                                           .at = l->sheet.at,
                                           .n_steps = l->sheet.n_steps,
                                           .mistakes = d.mistakes});
    if (!d.paper) fail_msg("%s: %s", l->name, course.ctx->error.what);
    return d;
}

static void desk_free(desk *d) {
    lh_paper_free(d->paper);
    lh_mistakes_free(d->mistakes);
    lh_program_free(d->program);
    lh_arena_free(d->arena);
}

/* The key as an answer file: P = 0.5018 0.4982; ... */
static const char *key_of(const desk *d) {
    lh_text t = lh_text_new(d->arena);
    for (int i = 0; i < d->paper->n_steps; i++) {
        const lh_paper_step *s = &d->paper->step[i];
        for (int b = 0; b < s->n_blocks; b++) {
            const lh_answer_block *k = &s->block[b];
            lh_text_add(&t, "%s %s", k->address, s->sign);
            for (int c = 0; c < k->grid.rows * k->grid.cols; c++)
                lh_text_add(&t, "%s%s", c && c % k->grid.cols == 0 ? "; " : " ",
                            lh_paper_number(d->arena, s, d->paper->digits,
                                            lh_sheet_exact(d->paper->sheet, i, k->first + c)));
            lh_text_add(&t, "\n");
        }
    }
    return t.s;
}

static const lh_marks *marks_of(const desk *d, const char *text) {
    lh_answer_file *f = lh_answer_file_read(d->arena, text, strlen(text));
    assert_null(f->problem);
    lh_filled *r = lh_answers_read(d->arena, d->paper, f);
    lh_marks *m = lh_mark(d->arena, d->paper->sheet, r->answers, d->mistakes);
    if (!m) fail_msg("%s: %s", d->paper->lesson, course.ctx->error.what);
    return m;
}

static void expect_all(const desk *d, const lh_marks *m, lh_verdict verdict) {
    for (int i = 0; i < d->paper->sheet->n_asks; i++) {
        const lh_ask *q = &d->paper->sheet->ask[i];
        for (int c = 0; c < q->n_cells; c++)
            if (m->cell[q->first + c] != verdict)
                fail_msg("%s: %s is %s, not %s", d->paper->lesson,
                         lh_paper_cell(d->paper, d->arena, i, c),
                         lh_verdict_names[m->cell[q->first + c]], lh_verdict_names[verdict]);
        assert_int_equal(m->step[i].n_wrong, 0);
        assert_int_equal(m->step[i].n_diagnoses, 0);
    }
    assert_int_equal(m->credit, verdict == LH_RIGHT ? m->total : 0);
}

static void every_sheet_can_be_marked(void **state) {
    (void)state;
    int n = 0;
    for (int i = 0; i < course.n_lessons; i++) {
        const lh_lesson *l = course.lesson[i];
        if (!l->sheet.n_steps) continue;
        desk d = desk_new(l);
        expect_all(&d, marks_of(&d, key_of(&d)), LH_RIGHT);
        expect_all(&d, marks_of(&d, ""), LH_BLANK);
        desk_free(&d);
        n++;
    }
    print_message("# %d sheets\n", n);
    assert_true(n >= 25);
}

/* ---- exercises: test_exercise tries each with its key; here they are counted ---- */

/* A kind that the course uses is used often. */
static void there_is_enough_to_do(void **state) {
    (void)state;
    int n = 0;
    for (int m = 0; lh_task_kinds[m]; m++) {
        int of_kind = 0;
        for (int i = 0; i < course.n_lessons; i++)
            for (int k = 0; k < course.lesson[i]->n_exercises; k++)
                of_kind += course.lesson[i]->exercise[k].kind == lh_task_kinds[m];
        if (of_kind && of_kind < 10)
            fail_msg("%s: %d exercises are few", lh_task_kinds[m]->name, of_kind);
        n += of_kind;
    }
    assert_true(n >= 100);
}

/* ---- spelling ---- */

/* How the words begin in American spelling, and how this course writes them. */
static const char *const spellings[][2] = {
    {"color", "colour"},        {"behavior", "behaviour"},   {"neighbor", "neighbour"},
    {"favor", "favour"},        {"center", "centre"},        {"meter", "metre"},
    {"gray", "grey"},           {"normaliz", "normalis"},    {"optimiz", "optimis"},
    {"initializ", "initialis"}, {"generaliz", "generalis"},  {"regulariz", "regularis"},
    {"memoriz", "memoris"},     {"minimiz", "minimis"},      {"maximiz", "maximis"},
    {"summariz", "summaris"},   {"recogniz", "recognis"},    {"organiz", "organis"},
    {"realiz", "realis"},       {"visualiz", "visualis"},    {"tokeniz", "tokenis"},
    {"specializ", "specialis"}, {"factoriz", "factoris"},    {"vectoriz", "vectoris"},
    {"analyz", "analys"},       {"modeling", "modelling"},   {"labeled", "labelled"},
    {"labeling", "labelling"},  {"canceled", "cancelled"},   {"canceling", "cancelling"},
    {"traveled", "travelled"},  {"signaling", "signalling"}, {"defense", "defence"},
    {"fulfill", "fulfil"},      {"skillful", "skilful"},     {"catalog ", "catalogue"},
    {"gotten", "got"},          {"spelled", "spelt"},        {"toward ", "towards"},
};

/* Names of others are theirs: `color` in code, "Optimizer" in a source. Code is left out. */
static void look_at_prose(const lh_lesson *l, const lh_prose *p) {
    char *text = lh_copy(course.arena, p->s, p->n);
    bool is_code = false;
    for (size_t i = 0; i < p->n; i++) {
        if (text[i] == '`') is_code = !is_code;
        text[i] = is_code ? ' ' : (char)tolower((unsigned char)text[i]);
    }
    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++)
        for (const char *at = strstr(text, spellings[k][0]); at;
             at = strstr(at + 1, spellings[k][0]))
            if (at == text || !isalpha((unsigned char)at[-1]))
                fail_msg("%s, near line %d: \"%.20s\": here it is %s", l->file, p->at.line, at,
                         spellings[k][1]);
}

static void words_are_spelt_one_way(void **state) {
    (void)state;
    for (int i = 0; i < course.n_lessons; i++)
        for (int k = 0; k < course.lesson[i]->n_proses; k++)
            look_at_prose(course.lesson[i], &course.lesson[i]->prose[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lesson_of_the_contents_is_written),
        cmocka_unit_test(each_lesson_leads_to_the_next),
        cmocka_unit_test(what_is_needed_comes_before),
        cmocka_unit_test(every_row_of_the_inventory_is_taught),
        cmocka_unit_test(every_program_passes_its_checks),
        cmocka_unit_test(every_sheet_can_be_marked),
        cmocka_unit_test(there_is_enough_to_do),
        cmocka_unit_test(words_are_spelt_one_way),
    };
    return cmocka_run_group_tests_name("course", tests, read_course, close_course);
}
