/* command_mark -- longhand mark LESSON FILE...: what was handed in, judged step by step on the learner's own numbers. */
#include "cli/mark_command.h"

#include <string.h>

#include "base/embedded.h"

static struct {
    bool json, csv, echo, lines, table, summary, answers;
    int digits, seed;
    const char *class_file, *roster, *out, *few_digits;
} options = {.seed = -1};

static const lh_option mark_options[] = {
    {"echo", 0, LH_OPTION_FLAG, &options.echo, NULL, "first show what was read", 0, 0},
    {"class", 0, LH_OPTION_TEXT, &options.class_file, "FILE",
     "the secret that the sheets were made with: see longhand class", 0, 0},
    {"roster", 0, LH_OPTION_TEXT, &options.roster, "FILE",
     "the list of the class: who is missing, who is not on it", 0, 0},
    {"out", 'o', LH_OPTION_TEXT, &options.out, "FOLDER", "write a feedback page for each learner",
     0, 0},
    {"answers", 0, LH_OPTION_FLAG, &options.answers, NULL, "with -o: show the right numbers, too",
     0, 0},
    {"summary", 0, LH_OPTION_FLAG, &options.summary, NULL,
     "the class on one screen, without the list", 0, 0},
    {"table", 0, LH_OPTION_FLAG, &options.table, NULL, "a column for each step", 0, 0},
    {"seed", 0, LH_OPTION_INT, &options.seed, "N", "for files that do not name their seed (0)", 0,
     2147483647},
    {"digits", 0, LH_OPTION_INT, &options.digits, "N", "for files that do not name their digits", 2,
     9},
    {"few-digits", 0, LH_OPTION_TEXT, &options.few_digits, "WORTH",
     "what right numbers with too few digits are worth: full (default), half or none", 0, 0},
    {"csv", 0, LH_OPTION_FLAG, &options.csv, NULL, "a table for a spreadsheet", 0, 0},
    LH_OPTION_JSON(options.json),
    {"lines", 0, LH_OPTION_FLAG, &options.lines, NULL,
     "read sheets as JSON from standard input, one per line; write marks the same way", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- one sheet ---- */

static bool refuse(lh_refusal *r, int line, const char *why, const char *cure) {
    *r = (lh_refusal){line, why, cure};
    return false;
}

/* A class has numbers that its secret makes: a sheet with a seed of its own is one whose key anybody can make. */
static bool class_seed(const lh_marked *m, const lh_mark_how *how, unsigned long long *seed,
                       lh_refusal *r) {
    const lh_answer_file *f = m->answers;
    const lh_secret *s = how->secret;
    if (f->class_code && strcmp(f->class_code, s->code) != 0)
        return refuse(r, 0,
                      lh_printf(m->arena,
                                "the sheet was made with another secret: it carries the code %s, "
                                "and %s has %s",
                                f->class_code, s->file, s->code),
                      "--class names the file that the sheet was made with");
    if (!f->class_code && f->has_seed)
        return refuse(r, 0,
                      lh_printf(m->arena,
                                "this sheet is not of the class: anybody can make seed %llu",
                                f->seed),
                      "without --class it can be marked");
    if (!f->form)
        return refuse(r, 0, "it does not say which form it is",
                      "give it in the first line, in a column 'form', or by a name on the roster");
    *seed = lh_secret_seed(s, m->from->name, f->form);
    return true;
}

static bool find_seed(lh_marked *m, const lh_mark_how *how, unsigned long long *seed,
                      lh_refusal *r) {
    const lh_answer_file *f = m->answers;
    int number;
    if (how->secret) return class_seed(m, how, seed, r);
    if (f->class_code)
        return refuse(r, 0,
                      lh_printf(m->arena, "the sheet was made with the secret of a class (code %s)",
                                f->class_code),
                      "--class FILE names it");
    *seed = f->has_seed ? f->seed : how->seed;
    /* a code is compared with that of the paper */
    m->is_assumed = !f->has_seed && !f->form && !f->code && !how->has_seed;
    if (f->has_seed || !f->form) return true;
    if (!lh_form_number(f->form, &number))
        return refuse(r, 0, lh_printf(m->arena, "no seed is known for form %s", f->form),
                      "add a column 'seed' or 'sheet'; forms of a class need --class FILE");
    *seed = (how->seed ? how->seed : 1) + (unsigned long long)number; /* as sheet --forms */
    return true;
}

/* -1: no such word. */
static int few_digits_worth(void) {
    if (!options.few_digits) return LH_WORTH_FULL;
    for (int i = 0; lh_worth_names[i]; i++)
        if (strcmp(options.few_digits, lh_worth_names[i]) == 0) return i;
    return -1;
}

/* The sheet names its steps: the mistake is there, not in the lesson. */
static bool refuse_steps(const lh_marked *m, lh_refusal *r) {
    lh_context *ctx = m->from->cli->ctx;
    const lh_error *e = lh_context_error(ctx);
    if (e->kind == LH_ERROR_MEMORY) return false;
    refuse(r, 0, lh_printf(m->arena, "%s", e->what), lh_printf(m->arena, "%s", e->cure));
    lh_context_clear(ctx);
    return false;
}

static bool find_paper(lh_marked *m, const lh_mark_how *how, lh_refusal *r) {
    lh_sheet_lesson *s = m->from;
    const lh_answer_file *f = m->answers;
    lh_sheet_wish w = {.steps = f->step, .n_steps = f->n_steps, .form = f->form};
    w.digits = f->digits ? f->digits : how->digits ? how->digits : s->asks.digits;
    if (w.digits == 0) w.digits = 4;
    if (!find_seed(m, how, &w.seed, r)) return false;
    m->has_seed = !how->secret;
    m->paper = lh_paper_cache_paper(how->cache, s, &w);
    if (!m->paper) return f->n_steps ? refuse_steps(m, r) : false;
    if (!f->code || strcmp(f->code, m->paper->code) == 0) return true;
    return refuse(r, 0,
                  lh_printf(m->arena,
                            "the sheet was made from other numbers than %s has now "
                            "(code %s, now %s)",
                            s->name, f->code, m->paper->code),
                  "make the sheet again, or mark it with the lesson it was made from");
}

/* A sheet bears the short name of its lesson; only of the course's own is that what `mark` is given. */
static const char *who_marks_it(lh_arena *a, const char *lesson) {
    const int n = (int)strcspn(lesson, ":");
    if (lh_embedded_find(lh_printf(a, "lessons/%.*s.md", n, lesson)) ||
        lh_embedded_find(lh_printf(a, "models/%.*s.lh", n, lesson)))
        return lh_printf(a, "longhand mark %s FILE marks it", lesson);
    return "longhand mark LESSON FILE marks it, with the lesson that it was made from";
}

bool lh_mark_answers(lh_marked *m, const lh_mark_how *how, lh_refusal *r) {
    lh_sheet_lesson *s = m->from;
    const lh_answer_file *f = m->answers;
    *r = (lh_refusal){0, NULL, ""};
    if (f->problem) return refuse(r, f->problem_line, f->problem, "");
    if (f->lesson && strcmp(lh_short_name(m->arena, f->lesson), s->name) != 0)
        return refuse(r, 0,
                      lh_printf(m->arena, "this is a sheet of %s, not of %s", f->lesson, s->name),
                      who_marks_it(m->arena, f->lesson));
    if (!find_paper(m, how, r)) return false;
    m->filled = lh_answers_read(m->arena, m->paper, f);
    m->paper->sheet->few_digits = how->few_digits;
    if (m->filled) m->marks = lh_mark(m->arena, m->paper->sheet, m->filled->answers, s->mistakes);
    return m->marks && !lh_failed(s->cli->ctx);
}

lh_mark_told lh_mark_tell(const lh_marked *m) {
    const lh_learner *x = m->learner;
    return (lh_mark_told){.arena = m->arena,
                          .lesson = m->from->name,
                          .label = x->label,
                          .file = x->file,
                          .line = x->line,
                          .name = x->name,
                          .id = x->id,
                          .has_seed = m->has_seed,
                          .mistakes = m->from->mistakes,
                          .paper = m->paper,
                          .filled = m->filled,
                          .marks = m->marks};
}

/* ---- all of them ---- */

/* Of learners about whom the same is to be said: how many, and the first few. */
typedef struct places {
    int n, first[4];
} places;

/* What one run is about. */
typedef struct job {
    lh_hall hall;
    lh_mark_how how;
    lh_class *class;
    lh_pages pages;
    lh_json json;
    int refused, wrong;
    const char *why; /* of the last refusal; the same of others is said once */
    places same;
    places assumed; /* who do not say which sheet it is */
} job;

static void add_place(places *p, int learner) {
    if (p->n < (int)(sizeof p->first / sizeof *p->first)) p->first[p->n] = learner;
    p->n++;
}

static void put_places(const job *b, const places *p) {
    const int named = sizeof p->first / sizeof *p->first;
    for (int i = 0; i < p->n && i < named; i++)
        fprintf(stderr, "%s%s", i ? ", " : "",
                lh_learner_where(&b->hall, &b->hall.learner[p->first[i]]));
    if (p->n > named) fprintf(stderr, " and %d more", p->n - named);
}

static bool is_same(const job *b, const lh_refusal *r) {
    return b->why && r->why && strcmp(b->why, r->why) == 0;
}

static void report_same(job *b) {
    if (b->same.n == 0) return;
    fputs("the same applies to ", stderr);
    put_places(b, &b->same);
    putc('\n', stderr);
    b->same.n = 0;
}

static void report_assumed(const job *b) {
    const places *p = &b->assumed;
    if (p->n == 0) return;
    put_places(b, p);
    fprintf(stderr,
            " %s which sheet it is, and %s marked with the numbers of the lesson itself (seed 0); "
            "--seed N names others\n",
            p->n > 1 ? "do not say" : "does not say", p->n > 1 ? "are" : "is");
}

static void report(job *b, int i, const lh_refusal *r) {
    lh_cli *cli = b->hall.from->cli;
    const lh_learner *x = &b->hall.learner[i];
    int line = r->line ? r->line : x->answers->line;
    if (is_same(b, r)) {
        add_place(&b->same, i);
        return;
    }
    report_same(b);
    b->why = r->why ? lh_printf(cli->arena, "%s", r->why) : NULL;
    if (!r->why)
        lh_cli_report(cli);
    else if (line && !x->line)
        lh_cli_fail(cli, "%s:%d: %s", x->file, line, r->why);
    else
        lh_cli_fail(cli, "%s: %s", lh_learner_where(&b->hall, x), r->why);
    if (r->why && *r->cure) fprintf(stderr, "%s\n", r->cure);
    lh_context_clear(cli->ctx);
}

static void keep_row(job *b, const lh_marked *m) {
    lh_class_row *row = lh_class_add(b->class, m->paper, m->filled, m->marks);
    const lh_learner *x = m->learner;
    row->learner = x->label;
    row->name = x->name;
    row->id = x->id;
    row->file = x->file;
    row->line = x->line;
    row->has_seed = m->has_seed;
}

static bool mark_one(job *b, int i, bool is_alone) {
    lh_sheet_lesson *s = b->hall.from;
    const lh_learner *x = &b->hall.learner[i];
    lh_refusal r;
    lh_marked m = {
        .from = s, .arena = lh_arena_new(s->cli->ctx), .learner = x, .answers = x->answers};
    if (!m.arena) return false;
    bool ok = true;
    if (lh_mark_answers(&m, &b->how, &r)) {
        b->wrong += m.marks->credit < m.marks->total;
        if (m.is_assumed && !m.filled->is_absent) add_place(&b->assumed, i);
        keep_row(b, &m);
        lh_mark_told told = lh_mark_tell(&m);
        if (options.json)
            lh_mark_sheet(&b->json, &told);
        else if (is_alone)
            lh_mark_show(&m, options.echo);
        if (options.out) ok = lh_pages_write(&b->pages, &m, i);
    } else {
        report(b, i, &r);
        b->refused++;
    }
    lh_arena_free(m.arena);
    return ok;
}

static void show_class(const job *b) {
    const lh_hall *h = &b->hall;
    const lh_cli *cli = h->from->cli;
    if (!options.summary) {
        lh_ink_print(cli, stdout, LH_INK_BOLD, "%s", h->from->name);
        printf("   %s\n", h->from->source.title);
        if (options.table)
            lh_mark_table(cli, b->class);
        else
            lh_mark_list(cli, b->class);
        putchar('\n');
    }
    lh_mark_summary(h, b->class, b->refused);
}

static bool mark_each(job *b) {
    lh_hall *h = &b->hall;
    bool is_alone =
        h->n == 1 && !h->learner[0].line && !options.csv && !options.table && !options.summary;
    if (options.json) {
        b->json = lh_json_open(stdout);
        lh_json_begin(&b->json, NULL, '{');
        lh_json_text(&b->json, "lesson", h->from->name);
        lh_json_begin(&b->json, "sheets", '[');
    }
    bool ok = true;
    for (int i = 0; i < h->n && ok; i++) ok = mark_one(b, i, is_alone);
    report_same(b);
    report_assumed(b);
    if (options.json) {
        lh_json_end(&b->json, ']');
        lh_mark_class(&b->json, b->class);
        lh_json_end(&b->json, '}');
        lh_json_close(&b->json);
    } else if (options.csv) {
        lh_mark_csv(h->from, b->class, stdout);
    } else if (!is_alone && b->class->n_rows) {
        show_class(b);
    }
    fflush(stdout);
    if (ok && options.out)
        fprintf(stderr, "%s: %d feedback page%s\n", options.out, b->class->n_rows,
                b->class->n_rows == 1 ? "" : "s");
    return ok;
}

static int mark_all(job *b, int n, char **files) {
    lh_hall *h = &b->hall;
    lh_cli *cli = h->from->cli;
    if (options.roster && !(h->roster = lh_cli_roster(cli, options.roster))) return LH_EXIT_FAILED;
    lh_hall_read(h, n, files);
    if (lh_failed(cli->ctx)) return lh_cli_report(cli);
    if (h->n == 0) return LH_EXIT_FAILED;
    b->class = lh_class_new(cli->arena, h->from->mistakes);
    b->pages = (lh_pages){.folder = options.out, .answers = options.answers};
    if (options.out && !lh_pages_open(&b->pages, h)) return LH_EXIT_FAILED;
    bool ok = mark_each(b);
    if (lh_failed(cli->ctx)) return lh_cli_report(cli);
    return !ok || h->failed || b->refused ? LH_EXIT_FAILED : b->wrong ? LH_EXIT_NO : LH_EXIT_YES;
}

static const char *clash(int argc) {
    if (options.json && options.csv) return "--json or --csv, not both";
    if (options.answers && !options.out) return "--answers is for the pages that -o FOLDER writes";
    if (options.table && options.summary) return "--table or --summary, not both";
    if (options.lines && (options.csv || options.table || options.summary || options.out ||
                          options.echo || options.roster))
        return "--lines reads standard input and writes JSON: --class, --seed and --digits go with "
               "it, "
               "and lessons";
    if (!options.lines && argc < 2)
        return "an argument is missing: longhand mark LESSON|FILE ANSWERS...";
    return NULL;
}

static int mark_run(lh_cli *cli, int argc, char **argv) {
    lh_sheet_lesson s;
    job b = {.how = {.cache = lh_paper_cache_new(cli->arena),
                     .seed = options.seed > 0 ? (unsigned long long)options.seed : 0,
                     .has_seed = options.seed >= 0,
                     .digits = options.digits,
                     .few_digits = (lh_worth)few_digits_worth()}};
    if (few_digits_worth() < 0)
        return lh_cli_fail(cli, "--few-digits is \"%s\", but must be full, half or none",
                           options.few_digits);
    if (clash(argc)) return lh_cli_fail(cli, "%s", clash(argc));
    if (options.class_file && !(b.how.secret = lh_cli_secret(cli, options.class_file)))
        return LH_EXIT_FAILED;
    if (!b.how.cache) return lh_cli_report(cli);
    int status = LH_EXIT_FAILED;
    if (options.lines) {
        status = lh_mark_lines(cli, &b.how, argc, argv);
    } else if (lh_sheet_lesson_open(cli, argv[0], &s)) {
        b.hall = (lh_hall){.from = &s, .secret = b.how.secret, .arena = cli->arena};
        status = mark_all(&b, argc - 1, argv + 1);
        lh_paper_cache_free(b.how.cache);
        lh_sheet_lesson_close(&s);
    }
    return status;
}

const lh_command lh_command_mark = {
    .name = "mark",
    .synopsis = "LESSON|FILE ANSWERS... [options]",
    .summary = "Marks answers: right, rounded early, follows from a slip, a known mistake.",
    .examples = "longhand mark ex1 ex1.txt\ta sheet that was filled in\n"
                "longhand mark ex4 class/*.txt\ta class: a line for each learner, and a summary\n"
                "longhand mark ex3 answers.csv --class physics.class -o feedback\ta table of "
                "answers; a feedback page for each learner\n"
                "longhand mark ex4 class/*.txt --csv\tfor a spreadsheet\n"
                "longhand mark ex1 mine.txt --echo\twhat was read, then the marks\n"
                "longhand mark --lines <sheets.jsonl >marks.jsonl\tany number of sheets\n",
    .notes =
        "An answer file is the text of the sheet filled in, or lines such as P = 0.498 0.502; "
        "_ 0.4, or JSON: {\"lesson\": \"ex1\", \"seed\": 7, \"digits\": 4, \"answers\": {\"P\": "
        "[[\"0.498\", \"0.502\"], [null, 0.4]]}}; or a table (.csv) with a row for each learner, "
        "as "
        "sheet --format csv writes it. A blank is never zero. Learners are told apart by the name "
        "on "
        "the sheet, or by the path. Exit status: 0 when every number has full credit, 1 when not, "
        "2 "
        "when something cannot be read.",
    .options = mark_options,
    .run = mark_run,
    .min_args = 0,
    .max_args = 1000000,
};
