/* mark -- longhand mark LESSON FILE...: answer files, judged step by step on the learner's own numbers. */
#include "cli/mark.h"

#include <string.h>

#include "base/file.h"

static struct {
    bool json, csv, echo;
    int digits, seed;
} options;

static const lh_option mark_options[] = {
    {"echo", 0, LH_OPTION_FLAG, &options.echo, NULL, "first say what was read", 0, 0},
    {"seed", 0, LH_OPTION_INT, &options.seed, "N", "for files that do not name their seed (0)", 0,
     2147483647},
    {"digits", 0, LH_OPTION_INT, &options.digits, "N", "for files that do not name their digits", 2,
     9},
    {"csv", 0, LH_OPTION_FLAG, &options.csv, NULL, "a table for a spreadsheet", 0, 0},
    {"json", 0, LH_OPTION_FLAG, &options.json, NULL, "for programs: see longhand-json(5)", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* Sheets that files were written on; each is made once. */
typedef struct cupboard {
    lh_paper **paper;
    int n;
} cupboard;

static bool same_steps(const lh_paper *p, const lh_answer_file *f) {
    if (p->n_asked != f->n_steps) return false;
    for (int i = 0; i < f->n_steps; i++)
        if (strcmp(p->asked[i], f->step[i]) != 0) return false;
    return true;
}

static lh_paper *paper_for(lh_stock *s, cupboard *c, const lh_answer_file *f) {
    lh_arena *a = s->cli->arena;
    unsigned long long seed = f->has_seed ? f->seed : (unsigned long long)options.seed;
    int digits = f->digits ? f->digits : options.digits ? options.digits : s->asks.digits;
    if (digits == 0) digits = 4;
    for (int i = 0; i < c->n; i++)
        if (c->paper[i]->seed == seed && c->paper[i]->digits == digits &&
            same_steps(c->paper[i], f))
            return c->paper[i];
    const char **steps = lh_alloc_array(a, (size_t)f->n_steps + 1, sizeof *steps);
    for (int i = 0; steps && i < f->n_steps; i++) steps[i] = lh_printf(a, "%s", f->step[i]);
    lh_sheet_wish w = {.seed = seed, .digits = digits, .steps = steps, .n_steps = f->n_steps};
    lh_paper *p = lh_stock_paper(s, &w);
    if (p) *(lh_paper **)lh_push(a, (void **)&c->paper, &c->n, sizeof(lh_paper *)) = p;
    return p;
}

/* ---- one file ---- */

static bool refuse(const lh_marked *m, int line, const char *why, const char *cure) {
    lh_cli *cli = m->stock->cli;
    if (line)
        lh_cli_fail(cli, "%s:%d: %s", m->file, line, why);
    else
        lh_cli_fail(cli, "%s: %s", m->file, why);
    if (*cure) fprintf(stderr, "%s\n", cure);
    return false;
}

/* False: reported, and the context is as it was. */
static bool mark_file(lh_marked *m, cupboard *c) {
    lh_stock *s = m->stock;
    lh_context *ctx = s->cli->ctx;
    size_t length = 0;
    char *text = lh_file_read(ctx, m->arena, m->file, &length);
    if (text) {
        m->answers = lh_answer_file_read(m->arena, text, length);
        const lh_answer_file *f = m->answers;
        if (f->problem) return refuse(m, f->problem_line, f->problem, "");
        if (f->lesson && strcmp(lh_short_name(m->arena, f->lesson), s->name) != 0)
            return refuse(
                m, 0, lh_printf(m->arena, "this is a sheet of %s, not of %s", f->lesson, s->name),
                lh_printf(m->arena, "longhand mark %s FILE marks it", f->lesson));
        m->paper = paper_for(s, c, f);
        if (m->paper && f->code && strcmp(f->code, m->paper->code) != 0)
            return refuse(m, 0,
                          lh_printf(m->arena,
                                    "the sheet was made from other numbers than %s has now "
                                    "(code %s, now %s)",
                                    s->name, f->code, m->paper->code),
                          "make the sheet anew, or mark it with the lesson it was made from");
    }
    m->filled = m->paper ? lh_answers_read(m->arena, m->paper, m->answers) : NULL;
    m->marks =
        m->filled ? lh_mark(m->arena, m->paper->sheet, m->filled->answers, s->mistakes) : NULL;
    if (m->marks && !lh_failed(ctx)) return true;
    lh_cli_report(s->cli);
    lh_context_clear(ctx);
    return false;
}

/* ---- the class ---- */

static int step_of(lh_mark_class *c, lh_arena *a, const char *name, int guess) {
    if (guess < c->n_steps && strcmp(c->step[guess], name) == 0) return guess;
    for (int i = 0; i < c->n_steps; i++)
        if (strcmp(c->step[i], name) == 0) return i;
    *(const char **)lh_push(a, (void **)&c->step, &c->n_steps, sizeof *c->step) =
        lh_printf(a, "%s", name);
    return c->n_steps - 1;
}

static void keep_row(lh_mark_class *c, const lh_marked *m) {
    lh_arena *a = m->stock->cli->arena;
    const lh_paper *p = m->paper;
    for (int i = 0; i < p->n_steps; i++) step_of(c, a, p->step[i].name, i);
    lh_mark_row *row = lh_push(a, (void **)&c->row, &c->n_rows, sizeof *row);
    *row = (lh_mark_row){.learner = lh_short_name(a, m->file),
                         .file = m->file,
                         .form = lh_printf(a, "%s", m->answers->form ? m->answers->form : ""),
                         .seed = p->seed,
                         .digits = p->digits,
                         .credit = m->marks->credit,
                         .total = m->marks->total,
                         .notes = m->filled->notes.n,
                         .cell = lh_alloc_array(a, (size_t)c->n_steps + 1, sizeof *row->cell),
                         .n_cells = c->n_steps};
    for (int i = 0; row->cell && i < p->n_steps; i++) {
        const lh_step_mark *s = &m->marks->step[i];
        row->cell[step_of(c, a, p->step[i].name, i)] =
            (lh_mark_cell){s->n_right, s->n_blank, p->sheet->ask[i].n_cells,
                           s->n_diagnoses ? s->diagnosis[0].mistake : NULL,
                           m->filled->answers->other_shape[i] != NULL};
    }
}

static int mark_all(lh_stock *s, int n, char **files) {
    lh_mark_class class = {.stock = s};
    cupboard c = {0};
    bool is_table = (n > 1 && !options.json) || options.csv, all_right = true, failed = false;
    lh_json j = lh_json_open(stdout);
    if (options.json) {
        lh_json_begin(&j, NULL, '{');
        lh_json_text(&j, "lesson", s->name);
        lh_json_begin(&j, "sheets", '[');
    }
    for (int i = 0; i < n; i++) {
        lh_marked m = {.stock = s, .arena = lh_arena_new(s->cli->ctx), .file = files[i]};
        if (!m.arena) return lh_cli_report(s->cli);
        if (mark_file(&m, &c)) {
            all_right &= m.marks->credit == m.marks->total;
            keep_row(&class, &m);
            if (options.json)
                lh_mark_json_file(&j, &m);
            else if (!is_table)
                lh_mark_show(&m, options.echo);
        } else {
            failed = true;
        }
        lh_arena_free(m.arena);
    }
    if (options.json) {
        lh_json_end(&j, ']');
        lh_mark_json_mistakes(&j, &class);
        lh_json_end(&j, '}');
        lh_json_close(&j);
    } else if (options.csv) {
        lh_mark_csv(&class, stdout);
    } else if (is_table && class.n_rows) {
        lh_mark_table(&class);
    }
    for (int i = 0; i < c.n; i++) lh_paper_free(c.paper[i]);
    return failed ? LH_EXIT_FAILED : all_right ? LH_EXIT_YES : LH_EXIT_NO;
}

static int mark_run(lh_cli *cli, int argc, char **argv) {
    lh_stock s;
    if (options.json && options.csv) return lh_cli_fail(cli, "--json or --csv, not both");
    if (!lh_stock_open(cli, argv[0], &s)) return LH_EXIT_FAILED;
    int status = mark_all(&s, argc - 1, argv + 1);
    lh_stock_close(&s);
    return status;
}

const lh_command lh_command_mark = {
    .name = "mark",
    .synopsis = "LESSON|FILE ANSWERS... [options]",
    .summary = "Answer files marked: right, rounded early, follows from a slip, a known mistake.",
    .examples = "longhand mark ex1 ex1.txt\ta sheet that was filled in\n"
                "longhand mark ex4 class/*.txt\ta table: a row for each learner\n"
                "longhand mark ex4 class/*.txt --csv\tfor a spreadsheet\n"
                "longhand mark ex1 mine.txt --echo\twhat was read, then the marks\n",
    .notes =
        "An answer file is the text of the sheet filled in, or lines such as P = 0.498 0.502; "
        "_ 0.4, or JSON: {\"lesson\": \"ex1\", \"seed\": 7, \"digits\": 4, \"answers\": {\"P\": "
        "[[\"0.498\", \"0.502\"], [null, 0.4]]}}. A blank is never zero. Exit status: 0 when "
        "every number has full credit, 1 when not, 2 when a file cannot be read.",
    .options = mark_options,
    .run = mark_run,
    .min_args = 2,
    .max_args = 1000000,
};
