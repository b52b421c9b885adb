/* api_sheet -- the public interface: worksheets of the open program, and answers that are marked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/number.h"
#include "learn/advice.h"
#include "learn/variant.h"
#include "pages/mark_json.h"
#include "pages/sheet_text.h"

static const lh_place nowhere;

enum { WIDTH = 80, DIGITS = 4 };

/* What a sheet is made from. */
typedef struct stock {
    longhand *lh;
    lh_arena *arena;
    const char *name;
    lh_mistakes *mistakes;
    lh_lesson_sheet asks; /* what the lesson wants to be asked */
} stock;

/* A sheet is made from the text of the program: what was changed in it would not be on the sheet. */
static bool is_plain(longhand *lh) {
    const lh_build *how = lh_api_graph(lh) ? &lh->g->how : NULL;
    if (!how) return false;
    if (!how->n_set && !how->n_train && !how->n_freeze && !how->n_rewrites && !how->backward)
        return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere,
            "a sheet is made from a program as it is written, and this one was changed");
    lh_cure(lh->ctx, "longhand_restore(lh) forgets the changes; a seed gives other numbers");
    return false;
}

/* The first line of a sheet has commas between its parts. */
static const char *sheet_name(const longhand *lh, lh_arena *a) {
    const char *name = lh_api_lesson_name(lh, a);
    char *own = lh_copy(a, name, strlen(name));
    for (char *c = own; *c; c++)
        if (*c == ',' || *c == '\n') *c = '_';
    return own;
}

static bool open_stock(longhand *lh, lh_arena *a, stock *s) {
    *s = (stock){.lh = lh, .arena = a};
    if (!is_plain(lh)) return false;
    s->name = sheet_name(lh, a);
    s->mistakes = lh_mistakes_load(lh->ctx, lh->program);
    if (s->mistakes && !lh->chosen && lh->opened.text)
        s->asks =
            lh_lesson_sheet_read(lh->ctx, a, lh->opened.file, lh->opened.text, lh->opened.length);
    return !lh_failed(lh->ctx);
}

static lh_paper *paper_of(const stock *s, lh_paper_how how) {
    const bool own = how.n_steps > 0;
    how.lesson = s->name;
    how.title = *s->lh->title ? s->lh->title : s->name;
    how.digits = how.digits ? how.digits : s->asks.digits ? s->asks.digits : DIGITS;
    how.steps = own ? how.steps : s->asks.step;
    how.at = own ? NULL : s->asks.at;
    how.n_steps = own ? how.n_steps : s->asks.n_steps;
    how.is_named_by_caller = own;
    how.mistakes = s->mistakes;
    return lh_paper_new(s->lh->ctx, s->lh->program, &how);
}

/* ---- a sheet ---- */

static void write_json(lh_text *out, const lh_handout *h) {
    lh_json j = lh_json_into(out);
    lh_json_begin(&j, NULL, '{');
    lh_sheet_members(&j, h);
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

/* Writers of lines have a stream. */
static void write_lines(longhand *lh, lh_text *out, const lh_handout *h, longhand_form form) {
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream && form == LONGHAND_AS_MARKDOWN)
        lh_sheet_markdown(stream, WIDTH, h);
    else if (stream)
        lh_sheet_text(stream, WIDTH, h);
    if (!stream || fclose(stream) != 0)
        lh_fail(lh->ctx, LH_ERROR_MEMORY, nowhere, "out of memory for a sheet");
    else
        lh_text_add_n(out, text, length);
    free(text);
}

static void write_sheet(longhand *lh, lh_text *out, const lh_handout *h, longhand_form form) {
    if (form == LONGHAND_AS_JSON) {
        write_json(out, h);
    } else if (form == LONGHAND_AS_CSV) {
        lh_sheet_csv(out, h);
    } else {
        write_lines(lh, out, h, form);
    }
}

static bool check_digits(longhand *lh, int digits) {
    if (digits == 0 || (digits >= 2 && digits <= 9)) return true;
    lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "%d digit%s: 2 to 9 can be asked for", digits,
            LH_PLURAL(digits));
    return false;
}

const char *longhand_sheet(longhand *lh, const longhand_sheet_how *options) {
    longhand_sheet_how how;
    stock s = {0};
    if (!lh_api_program(lh) || !lh_api_options(lh, options, sizeof how, &how, sizeof how))
        return "";
    if (!lh_api_form(lh, how.form, LH_API_TEXT | LH_API_JSON | LH_API_MARKDOWN | LH_API_CSV,
                     "longhand_sheet") ||
        !check_digits(lh, how.digits))
        return "";
    lh_arena *a = lh_api_text(lh, LH_API_SHEET);
    if (!a) return "";
    lh_text out = lh_text_new(a);
    lh_paper *p = open_stock(lh, a, &s) ? paper_of(&s, (lh_paper_how){.seed = how.seed,
                                                                      .digits = how.digits,
                                                                      .steps = how.steps,
                                                                      .n_steps = how.n_steps,
                                                                      .key = how.key})
                                        : NULL;
    if (p)
        write_sheet(lh, &out,
                    &(lh_handout){.paper = p,
                                  .hidden = lh_sheet_note(s.mistakes, p),
                                  .learner = "",
                                  .id = "",
                                  .class_code = ""},
                    how.form);
    lh_paper_free(p);
    lh_mistakes_free(s.mistakes);
    return lh_failed(lh->ctx) ? "" : out.s;
}

/* ---- marking ---- */

/* What cannot be marked at all is an error with its line. */
static bool is_readable(const stock *s, const lh_answer_file *f) {
    lh_context *ctx = s->lh->ctx;
    const lh_place at = {f->problem_line, f->problem_line ? 1 : 0, 0};
    if (f->problem)
        lh_fail(ctx, LH_ERROR_TEXT, at, "%s", f->problem);
    else if (f->lesson && strcmp(f->lesson, s->name) != 0)
        lh_fail(ctx, LH_ERROR_VALUE, nowhere, "this is a sheet of %s, not of %s", f->lesson,
                s->name);
    else if (f->class_code)
        lh_fail(ctx, LH_ERROR_VALUE, nowhere,
                "the sheet was made with the secret of a class: longhand mark --class marks it");
    if (lh_failed(ctx)) lh_fail_in(ctx, "answers", NULL, 0);
    return !lh_failed(ctx);
}

static bool has_code(const stock *s, const lh_answer_file *f, const lh_paper *p) {
    if (!f->code || strcmp(f->code, p->code) == 0) return true;
    lh_fail(s->lh->ctx, LH_ERROR_VALUE, nowhere,
            "the sheet was made from other numbers than %s has now (code %s, now %s)", s->name,
            f->code, p->code);
    lh_cure(s->lh->ctx, "make the sheet anew, or mark it with the lesson it was made from");
    return false;
}

/* A line for each step where something is to be said, and what it is. */
static void report_text(lh_text *out, const lh_mark_told *m) {
    lh_text_add(out, "%s   %d of %d number%s %s full credit\n", m->lesson, m->marks->credit,
                m->marks->total, LH_PLURAL(m->marks->total), m->marks->total == 1 ? "has" : "have");
    for (int i = 0; i < m->paper->n_steps; i++) {
        int n = 0;
        const lh_advice *line =
            lh_advise(&(lh_advisor){m->arena, m->paper, m->filled, m->marks, m->mistakes}, i, &n);
        lh_text_add(out, "  %-16s %d of %d\n", m->paper->step[i].path, m->marks->step[i].n_right,
                    m->paper->sheet->ask[i].n_cells);
        for (int k = 0; k < n; k++)
            lh_text_add(out, "    %s %s\n", lh_verdict_sign(line[k].verdict), line[k].text);
    }
    for (int i = 0; i < m->filled->notes.n && i < LH_MAX_NOTES; i++)
        lh_text_add(out, "  line %d: %s\n", m->filled->notes.note[i].line,
                    m->filled->notes.note[i].what);
}

static void report(const stock *s, longhand_form form, lh_paper *p, lh_filled *filled,
                   lh_marks *marks) {
    lh_text out = lh_text_new(s->arena);
    const lh_mark_told told = {.arena = s->arena,
                               .lesson = s->name,
                               .label = "",
                               .file = "",
                               .name = "",
                               .id = "",
                               .has_seed = true,
                               .mistakes = s->mistakes,
                               .paper = p,
                               .filled = filled,
                               .marks = marks};
    if (form == LONGHAND_AS_JSON) {
        lh_json j = lh_json_into(&out);
        lh_mark_sheet(&j, &told);
        lh_json_close(&j);
    } else {
        report_text(&out, &told);
    }
    s->lh->marks = (longhand_marks){marks->credit, marks->total, marks->points, out.s};
}

static void mark(const stock *s, const lh_answer_file *f, const longhand_mark_how *how) {
    lh_paper *p = paper_of(s, (lh_paper_how){.seed = f->has_seed ? f->seed : how->seed,
                                             .digits = f->digits ? f->digits : how->digits,
                                             .steps = f->step,
                                             .n_steps = f->n_steps,
                                             .form = f->form});
    if (p && has_code(s, f, p)) {
        lh_filled *filled = lh_answers_read(s->arena, p, f);
        p->sheet->few_digits = (lh_worth)how->few_digits;
        lh_marks *marks = filled ? lh_mark(s->arena, p->sheet, filled->answers, s->mistakes) : NULL;
        if (marks) report(s, how->form, p, filled, marks);
    }
    lh_paper_free(p);
}

const longhand_marks *longhand_mark(longhand *lh, const char *answers, size_t length,
                                    const longhand_mark_how *options) {
    longhand_mark_how how;
    stock s = {0};
    if (!lh_api_program(lh) || !lh_api_options(lh, options, sizeof how, &how, sizeof how))
        return NULL;
    if (!answers) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "longhand_mark: the answers are NULL");
        return NULL;
    }
    if (how.few_digits < 0 || how.few_digits > LH_WORTH_NONE)
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "few_digits is 0, 1 or 2, not %d",
                how.few_digits);
    if (lh_failed(lh->ctx) || !check_digits(lh, how.digits) ||
        !lh_api_form(lh, how.form, LH_API_TEXT | LH_API_JSON, "longhand_mark"))
        return NULL;
    lh_arena *a = lh_api_text(lh, LH_API_MARKS);
    if (!a) return NULL;
    const size_t n = length ? length : strlen(answers);
    if (open_stock(lh, a, &s)) {
        lh_answer_file *f = lh_answer_file_read(a, lh_copy(a, answers, n), n);
        if (f && is_readable(&s, f)) mark(&s, f, &how);
    }
    lh_mistakes_free(s.mistakes);
    return lh_failed(lh->ctx) ? NULL : &lh->marks;
}
