/* command_sheet -- longhand sheet LESSON: a worksheet to print or fill in, its key, and forms for a class. */
#include "cli/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/json_stream.h"
#include "graph/build.h"
#include "learn/variant.h"

static struct {
    int seed, digits, forms;
    lh_names steps;
    bool key, why, short_form;
    const char *format, *out, *class_file, *form, *roster;
} options;

static const lh_option sheet_options[] = {
    {"seed", 0, LH_OPTION_INT, &options.seed, "N", "other numbers; 0: the lesson's own (0)", 0,
     2147483647},
    {"digits", 0, LH_OPTION_INT, &options.digits, "N", "digits to give (4)", 2, 9},
    {"steps", 0, LH_OPTION_NAMES, &options.steps, "NAMES", "ask only for these: Z,P.e,P,dZ,L@1", 0,
     0},
    {"key", 0, LH_OPTION_FLAG, &options.key, NULL,
     "include the answers and how they are worked out", 0, 0},
    {"forms", 0, LH_OPTION_INT, &options.forms, "N",
     "forms A, B, C ... with a key each, in the folder named by -o", 1, 10000},
    {"class", 0, LH_OPTION_TEXT, &options.class_file, "FILE",
     "numbers and keys that only the owner of this secret can make: see longhand class", 0, 0},
    {"form", 0, LH_OPTION_TEXT, &options.form, "NAME", "with --class: only this form (A)", 0, 0},
    {"roster", 0, LH_OPTION_TEXT, &options.roster, "FILE",
     "a sheet for each student of this list, in the folder named by -o", 0, 0},
    {"two-pages", 0, LH_OPTION_FLAG, &options.short_form, NULL,
     "no space for the working: two pages, in text or html", 0, 0},
    {"why", 0, LH_OPTION_FLAG, &options.why, NULL,
     "which mistakes these numbers show, and which they hide", 0, 0},
    {"format", 0, LH_OPTION_TEXT, &options.format, "FORMAT",
     "text, md, html, json or csv (text); moodle or qti for a learning management system", 0, 0},
    {"out", 'o', LH_OPTION_TEXT, &options.out, "FILE",
     "write it there; with --forms or --roster a folder", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- a lesson, and papers of it ---- */

/* mine of a/mine.md, mine:fit of a/mine.md:fit. */
const char *lh_short_name(lh_arena *a, const char *path) {
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path,
               *dot = strrchr(start, '.'), *colon = dot ? strchr(dot, ':') : NULL;
    size_t n = dot && dot > start ? (size_t)(dot - start) : strlen(start);
    return lh_printf(a, "%.*s%s", (int)n, start, colon && dot > start ? colon : "");
}

bool lh_sheet_lesson_open(lh_cli *cli, const char *lesson, lh_sheet_lesson *s) {
    *s = (lh_sheet_lesson){.cli = cli};
    if (!lh_cli_load(cli, lesson, &s->source)) return false;
    s->name = lh_short_name(cli->arena, s->source.name);
    for (char *c = (char *)s->name; *c;
         c++) /* the header of a sheet has commas between its parts */
        if (*c == ',' || *c == '\n') *c = '_';
    if (!lh_cli_is_plain(cli, &s->source)) {
        lh_sheet_lesson_close(s);
        return false;
    }
    /* A sheet is made from the program written anew: what is wrong with it is told here, while its lines are the file's. */
    lh_graph_free(lh_graph_build(cli->ctx, s->source.program, NULL));
    s->mistakes = lh_failed(cli->ctx) ? NULL : lh_mistakes_load(cli->ctx, s->source.program);
    if (!s->source.chosen) /* what the lesson asks is about its own program */
        s->asks = lh_lesson_sheet_read(cli->ctx, cli->arena, s->source.program->file,
                                       s->source.text, s->source.length);
    if (!lh_failed(cli->ctx)) return true;
    lh_cli_report(cli);
    lh_sheet_lesson_close(s);
    return false;
}

void lh_sheet_lesson_close(lh_sheet_lesson *s) {
    lh_mistakes_free(s->mistakes);
    lh_program_free(s->source.program);
}

lh_paper *lh_sheet_lesson_paper(lh_sheet_lesson *s, const lh_sheet_wish *w) {
    bool own = w->n_steps > 0;
    lh_paper_how how = {.lesson = s->name,
                        .title = *s->source.title ? s->source.title : s->name,
                        .form = w->form,
                        .seed = w->seed,
                        .digits = w->digits ? w->digits : s->asks.digits,
                        .steps = own ? w->steps : s->asks.step,
                        .at = own ? NULL : s->asks.at,
                        .n_steps = own ? w->n_steps : s->asks.n_steps,
                        .is_named_by_caller = own,
                        .key = w->key,
                        .with_tiny = w->with_tiny,
                        .mistakes = s->mistakes};
    lh_paper *p = lh_paper_new(s->cli->ctx, s->source.program, &how);
    if (!p) lh_fail_in(s->cli->ctx, s->source.program->file, s->source.text, s->source.length);
    return p;
}

/* ---- which mistakes show ---- */

static bool is_first_of(const lh_sheet_shown *t, int i) {
    for (int k = 0; k < i; k++)
        if (t->row[k].mistake == t->row[i].mistake) return false;
    return true;
}

/* Steps of one mistake that show, or that do not, each once. */
static char *steps_of(const lh_paper *p, const lh_sheet_shown *t, const lh_mistake *m, bool shows) {
    lh_text out = lh_text_new(p->arena);
    for (int i = 0; i < t->n; i++) {
        if (t->row[i].mistake != m || t->row[i].shows != shows) continue;
        bool again = false, mixed = false;
        for (int k = 0; k < t->n; k++) {
            if (t->row[k].mistake != m || strcmp(t->row[k].step, t->row[i].step) != 0) continue;
            again |= k < i && t->row[k].shows == shows;
            mixed |= !shows && t->row[k].shows; /* one way to make it shows: that will do */
        }
        if (!again && !mixed) lh_text_add(&out, "%s%s", out.n ? " " : "", t->row[i].step);
    }
    return out.s;
}

static void why_text(lh_cli *cli, FILE *out, const lh_paper *p, const lh_sheet_shown *t) {
    fprintf(out, "%s   seed %llu, %d digits: which mistakes the numbers show\n\n", p->lesson,
            p->seed, p->digits);
    for (int i = 0; i < t->n; i++) {
        if (!is_first_of(t, i)) continue;
        const lh_mistake *m = t->row[i].mistake;
        const char *yes = steps_of(p, t, m, true), *no = steps_of(p, t, m, false);
        fprintf(out, "  %-22s ", m->name);
        if (*yes) {
            fputs("\342\234\223 shows in  ", out);
            lh_wrap(out, cli->width, 37, yes);
        }
        if (*no) {
            fprintf(out, "%*s\302\267 hidden in ", *yes ? 25 : 0, "");
            lh_wrap(out, cli->width, 37, no);
        }
    }
    fprintf(out,
            "\n%d ways to go wrong, a mistake counted once for each step: %d show, %d hidden\n",
            t->ways, t->ways - t->hidden, t->hidden);
    if (t->untried)
        fprintf(out, "The program is large: %d more ways were not tried.\n", t->untried);
}

static void why_json(FILE *out, const lh_paper *p, const lh_sheet_shown *t) {
    lh_json j = lh_json_open(out);
    lh_json_begin(&j, NULL, '{');
    lh_json_text(&j, "lesson", p->lesson);
    lh_json_int(&j, "seed", (long long)p->seed);
    lh_json_int(&j, "digits", p->digits);
    lh_json_int(&j, "ways", t->ways);
    lh_json_int(&j, "hidden", t->hidden);
    lh_json_int(&j, "untried", t->untried);
    lh_json_begin(&j, "table", '[');
    for (int i = 0; i < t->n; i++) {
        lh_json_begin(&j, NULL, '{');
        lh_json_text(&j, "mistake", t->row[i].mistake->name);
        lh_json_text(&j, "step", t->row[i].step);
        lh_json_text(&j, "line", t->row[i].line);
        lh_json_int(&j, "choice", t->row[i].chosen);
        lh_json_bool(&j, "shows", t->row[i].shows);
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

/* ---- writing ---- */

const char *const lh_sheet_endings[LH_N_SHEET_FORMATS] = {"txt", "md",     "html", "json",
                                                          "csv", "moodle", "qti"};

static bool read_format(lh_cli *cli, lh_sheet_format *f) {
    bool is_folder = options.forms || (options.roster && !options.format);
    const char *dot = options.out ? strrchr(options.out, '.') : NULL,
               *word = options.format ? options.format
                       : dot && !strchr(dot, '/') && (!is_folder || strcmp(dot, ".csv") == 0)
                           ? dot + 1 /* the ending of the file says it, too */
                           : "";
    *f = LH_SHEET_TEXT;
    for (int i = 0; i < LH_N_SHEET_FORMATS; i++)
        if (strcmp(word, lh_sheet_endings[i]) == 0) *f = (lh_sheet_format)i;
    if (!options.format || *f != LH_SHEET_TEXT || strcmp(word, "text") == 0 ||
        strcmp(word, "txt") == 0)
        return true;
    lh_cli_fail(cli, "there is no format %s", options.format);
    fprintf(stderr, "formats are text, md, html, json, csv, moodle and qti\n");
    return false;
}

static void write_json(FILE *out, const lh_handout *h) {
    lh_json j = lh_json_open(out);
    lh_json_begin(&j, NULL, '{');
    lh_sheet_members(&j, h);
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

void lh_sheet_write(const lh_cli *cli, FILE *out, const lh_handout *h, lh_sheet_format f) {
    lh_text t;
    switch (f) {
    case LH_SHEET_TEXT: lh_sheet_text(out, cli->width, h); break;
    case LH_SHEET_MARKDOWN: lh_sheet_markdown(out, cli->width, h); break;
    case LH_SHEET_HTML: lh_sheet_html(out, h); break;
    case LH_SHEET_JSON: write_json(out, h); break;
    case LH_SHEET_MOODLE: lh_sheet_moodle(out, h); break;
    case LH_SHEET_QTI: lh_sheet_qti(out, h); break;
    default:
        t = lh_text_new(h->paper->arena);
        lh_sheet_csv(&t, h);
        fwrite(t.s, 1, t.n, out);
    }
}

static int out_of_memory(lh_cli *cli) {
    return lh_cli_fail(cli, "out of memory");
}

/* One sheet to a file, or to the screen when there is none. */
static int write_to(lh_sheet_lesson *s, const char *path, const lh_handout *h, lh_sheet_format f,
                    const lh_sheet_shown *why) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = path ? open_memstream(&text, &length) : stdout;
    if (!out) return out_of_memory(s->cli);
    if (why && f == LH_SHEET_JSON)
        why_json(out, h->paper, why);
    else if (why)
        why_text(s->cli, out, h->paper, why);
    else
        lh_sheet_write(s->cli, out, h, f);
    if (!path) return LH_EXIT_YES;
    bool ok = fclose(out) == 0;
    int status = !ok                                             ? out_of_memory(s->cli)
                 : lh_cli_write_file(s->cli, path, text, length) ? LH_EXIT_YES
                                                                 : LH_EXIT_FAILED;
    free(text);
    return status;
}

static lh_sheet_wish wish(void) {
    return (lh_sheet_wish){.seed = (unsigned long long)options.seed,
                           .digits = options.digits,
                           .steps = options.steps.name,
                           .n_steps = options.steps.n,
                           .key = options.key};
}

static int too_long(lh_sheet_lesson *s) {
    lh_cli_fail(s->cli, "%s has too many numbers for two pages", s->name);
    fprintf(stderr, "--steps names the steps to ask, as in --steps Z,P,dlogits\n");
    return LH_EXIT_FAILED;
}

static bool is_quiz(lh_sheet_format f) {
    return f == LH_SHEET_MOODLE || f == LH_SHEET_QTI;
}

static int write_one(lh_sheet_lesson *s, lh_sheet_format f, const lh_secret *secret) {
    lh_sheet_wish w = wish();
    w.key |= is_quiz(f); /* such a system knows the answers */
    if (secret) {
        w.form = options.form ? options.form : "A";
        w.seed = lh_secret_seed(secret, s->name, w.form);
    }
    lh_paper *p = lh_sheet_lesson_paper(s, &w);
    if (!p) return lh_cli_report(s->cli);
    lh_sheet_shown t = {0};
    if (options.why) t = lh_sheet_shown_by(s->mistakes, p);
    lh_handout h = {.paper = p,
                    .file = lh_shell_word(s->cli->arena, s->source.name),
                    .hidden = options.why ? "" : lh_sheet_note(s->mistakes, p),
                    .learner = "",
                    .id = "",
                    .class_code = secret ? secret->code : "",
                    .is_short = options.short_form};
    int status = lh_failed(s->cli->ctx) ? lh_cli_report(s->cli)
                 : h.is_short && f == LH_SHEET_HTML && !lh_sheet_html_fits(p)
                     ? too_long(s)
                     : write_to(s, options.out, &h, f, options.why ? &t : NULL);
    lh_paper_free(p);
    return status;
}

/* ---- a class ---- */

lh_secret *lh_cli_secret(lh_cli *cli, const char *file) {
    size_t length;
    const char *text = lh_file_read(cli->ctx, cli->arena, file, &length);
    lh_secret *s = text ? lh_secret_read(cli->ctx, cli->arena, file, text, length) : NULL;
    if (s) return s;
    lh_cli_report(cli);
    if (!text) fprintf(stderr, "longhand class %s makes a new secret\n", file);
    return NULL;
}

lh_roster *lh_cli_roster(lh_cli *cli, const char *file) {
    size_t length;
    const char *text = lh_file_read(cli->ctx, cli->arena, file, &length);
    lh_roster *r = text ? lh_roster_read(cli->ctx, cli->arena, file, text, length) : NULL;
    if (!r) lh_cli_report(cli);
    for (int i = 1; r && i < r->n; i++) {
        const lh_student *s = &r->student[r->by_name[i - 1]], *t = &r->student[r->by_name[i]];
        if (strcmp(lh_name_key(cli->arena, s->name), lh_name_key(cli->arena, t->name)) == 0)
            fprintf(stderr,
                    "%s:%d: %s is also in line %d, with another id: these are two students\n", file,
                    t->line, t->name, s->line);
    }
    return r;
}

/* Options that would do nothing, or two that say the same. */
static const char *clash(lh_sheet_format f) {
    bool is_class = options.forms || options.roster;
    if (options.seed && options.class_file)
        return "--seed and --class: the secret of the class makes the numbers";
    if (options.form && !options.class_file)
        return "--form is for a class: --class FILE, or --seed N for numbers that anybody can make";
    if (options.form && is_class) return "--form makes one sheet: leave out --forms and --roster";
    if (is_class && options.why) return "--why is about one sheet: leave out --forms and --roster";
    if (options.forms && !options.roster && options.key)
        return "--forms makes the keys too: leave out --key";
    if (is_quiz(f) && is_class)
        return "moodle and qti make one sheet: --seed N, or --form X of a class, for each form";
    if (is_quiz(f) && options.why) return "--why is text or json";
    if (options.short_form && f != LH_SHEET_TEXT && f != LH_SHEET_HTML)
        return "--two-pages is for text and html";
    if (is_class && !options.out && f != LH_SHEET_CSV)
        return options.roster ? "--roster needs a folder: -o FOLDER"
                              : "--forms needs a folder: -o FOLDER";
    return NULL;
}

static bool fits_two_pages(lh_sheet_lesson *s) {
    lh_sheet_wish w = wish();
    w.seed = 0;
    lh_paper *p = lh_sheet_lesson_paper(s, &w);
    bool fits = p && lh_sheet_html_fits(p);
    if (!p) lh_cli_report(s->cli);
    if (p && !fits) too_long(s);
    lh_paper_free(p);
    return fits;
}

static int write_class(lh_sheet_lesson *s, lh_sheet_format f, const lh_secret *secret) {
    lh_cli *cli = s->cli;
    lh_sheet_class c = {.from = s,
                        .secret = secret,
                        .forms = options.forms,
                        .wish = wish(),
                        .format = f,
                        .is_short = options.short_form,
                        .wants_key = options.key || !options.roster,
                        .out = options.out};
    if (options.roster && !(c.roster = lh_cli_roster(cli, options.roster))) return LH_EXIT_FAILED;
    if (c.is_short && f == LH_SHEET_HTML && !fits_two_pages(s)) return LH_EXIT_FAILED;
    return lh_sheet_class_write(&c);
}

static int sheet_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    lh_sheet_lesson s;
    lh_sheet_format f;
    const lh_secret *secret = NULL;
    if (!read_format(cli, &f)) return LH_EXIT_FAILED;
    if (clash(f)) return lh_cli_fail(cli, "%s", clash(f));
    if (options.class_file && !(secret = lh_cli_secret(cli, options.class_file)))
        return LH_EXIT_FAILED;
    if (!lh_sheet_lesson_open(cli, argv[0], &s)) return LH_EXIT_FAILED;
    int status =
        options.forms || options.roster ? write_class(&s, f, secret) : write_one(&s, f, secret);
    lh_sheet_lesson_close(&s);
    return status;
}

const lh_command lh_command_sheet = {
    .name = "sheet",
    .synopsis = "LESSON|FILE [options]",
    .summary = "A worksheet: the lesson's steps with blanks in place of the numbers.",
    .examples = "longhand sheet ex1 -o ex1.txt\tto fill in, then to mark\n"
                "longhand sheet ex3 --seed 7 -o ex3.html\tother numbers, to print\n"
                "longhand sheet ex3 --seed 7 --key\tits answers, with the working\n"
                "longhand sheet ex2 --steps Z,P,dlogits\ta short one\n"
                "longhand sheet ex4 --forms 26 --format html -o class\tforms A to Z\n"
                "longhand sheet ex1 --seed 7 --format moodle -o ex1.xml\tquestions for Moodle\n"
                "longhand sheet ex3 --class physics.class --roster names.csv -o sheets\ta sheet "
                "for each student, each with different numbers\n"
                "longhand sheet ex3 --why\twhich mistakes the numbers show\n",
    .notes = "The text filled in is an answer file. Its first line says which sheet it is, so that "
             "longhand mark needs no seed. A lesson may name the steps to ask, a line each, in a "
             "block that begins with ```sheet.",
    .options = sheet_options,
    .run = sheet_run,
    .min_args = 1,
    .max_args = 1,
};
