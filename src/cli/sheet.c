/* sheet -- longhand sheet LESSON: a worksheet to print or fill in, its key, and forms for a class. */
#include "cli/sheet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/json.h"
#include "graph/build.h"
#include "learn/variant.h"

static struct {
    int seed, digits, forms;
    lh_names steps;
    bool key, why;
    const char *format, *out;
} options;

static const lh_option sheet_options[] = {
    {"seed", 0, LH_OPTION_INT, &options.seed, "N", "other numbers; 0: the lesson's own (0)", 0,
     2147483647},
    {"digits", 0, LH_OPTION_INT, &options.digits, "N", "digits to give (4)", 2, 9},
    {"steps", 0, LH_OPTION_NAMES, &options.steps, "NAMES", "ask these alone: Z,P.e,P,dZ,L@1", 0, 0},
    {"key", 0, LH_OPTION_FLAG, &options.key, NULL, "with the answers and their working", 0, 0},
    {"forms", 0, LH_OPTION_INT, &options.forms, "N",
     "forms A, B, C ... with a key each, in the folder named by -o", 1, 26},
    {"why", 0, LH_OPTION_FLAG, &options.why, NULL,
     "which mistakes these numbers show, and which they hide", 0, 0},
    {"format", 0, LH_OPTION_TEXT, &options.format, "FORMAT", "text, md, html or json (text)", 0, 0},
    {"out", 'o', LH_OPTION_TEXT, &options.out, "FILE", "write it there; with --forms a folder", 0,
     0},
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

bool lh_stock_open(lh_cli *cli, const char *lesson, lh_stock *s) {
    *s = (lh_stock){.cli = cli};
    if (!lh_cli_load(cli, lesson, &s->source)) return false;
    s->name = lh_short_name(cli->arena, s->source.name);
    for (char *c = (char *)s->name; *c;
         c++) /* the header of a sheet has commas between its parts */
        if (*c == ',' || *c == '\n') *c = '_';
    if (!lh_cli_is_plain(cli, &s->source)) {
        lh_stock_close(s);
        return false;
    }
    s->mistakes = lh_mistakes_load(cli->ctx, s->source.program);
    if (!s->source.chosen) /* what the lesson asks is about its own program */
        s->asks = lh_lesson_sheet_read(cli->ctx, cli->arena, s->source.program->file,
                                       s->source.text, s->source.length);
    if (!lh_failed(cli->ctx)) return true;
    lh_cli_report(cli);
    lh_stock_close(s);
    return false;
}

void lh_stock_close(lh_stock *s) {
    lh_mistakes_free(s->mistakes);
    lh_program_free(s->source.program);
}

lh_paper *lh_stock_paper(lh_stock *s, const lh_sheet_wish *w) {
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
                        .mistakes = s->mistakes};
    lh_paper *p = lh_paper_new(s->cli->ctx, s->source.program, &how);
    if (!p) lh_fail_in(s->cli->ctx, s->source.program->file, s->source.text, s->source.length);
    return p;
}

/* ---- which mistakes show ---- */

typedef struct shown {
    lh_shown *row;
    int n, ways, hidden; /* mistakes, each counted once for every step where it can be made */
} shown;

static bool is_first_of(const shown *t, int i) {
    for (int k = 0; k < i; k++)
        if (t->row[k].mistake == t->row[i].mistake) return false;
    return true;
}

static bool is_same_way(const lh_shown *a, const lh_shown *b) {
    return a->mistake == b->mistake && strcmp(a->step, b->step) == 0;
}

/* Where there is a choice (of a row, a word), one that shows will do. */
static void count_ways(shown *t) {
    for (int i = 0; i < t->n; i++) {
        bool again = false, shows = false;
        for (int k = 0; k < t->n; k++) {
            if (!is_same_way(&t->row[k], &t->row[i])) continue;
            again |= k < i;
            shows |= t->row[k].shows;
        }
        t->ways += !again;
        t->hidden += !again && !shows;
    }
}

static shown shown_by(lh_stock *s, const lh_paper *p) {
    shown t = {0};
    lh_variant_how how = {.seed = p->seed, .digits = p->digits, .mistakes = s->mistakes};
    t.row = lh_variant_shown(s->cli->ctx, p->variant, &how, p->arena, &t.n);
    count_ways(&t);
    return t;
}

/* The line that a sheet in the lesson's own numbers carries, or "". */
static const char *hidden_note(lh_stock *s, const lh_paper *p) {
    if (p->seed) return "";
    shown t = shown_by(s, p);
    if (t.hidden == 0) return "";
    return lh_printf(p->arena,
                     "These are the classic numbers. They hide %d of the %d ways to go wrong that "
                     "are known here; --seed 1 draws numbers that show more.",
                     t.hidden, t.ways);
}

/* Steps of one mistake that show, or that do not, each once. */
static char *steps_of(const lh_paper *p, const shown *t, const lh_mistake *m, bool shows) {
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

static void why_text(lh_cli *cli, FILE *out, const lh_paper *p, const shown *t) {
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
}

static void why_json(FILE *out, const lh_paper *p, const shown *t) {
    lh_json j = lh_json_open(out);
    lh_json_begin(&j, NULL, '{');
    lh_json_text(&j, "lesson", p->lesson);
    lh_json_int(&j, "seed", (long long)p->seed);
    lh_json_int(&j, "digits", p->digits);
    lh_json_int(&j, "ways", t->ways);
    lh_json_int(&j, "hidden", t->hidden);
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

typedef enum format { TEXT, MARKDOWN, HTML, JSON, N_FORMATS } format;

static const struct {
    const char *name, *ending;
} formats[N_FORMATS] = {{"text", "txt"}, {"md", "md"}, {"html", "html"}, {"json", "json"}};

static bool read_format(lh_cli *cli, format *f) {
    *f = TEXT;
    if (!options.format) { /* the ending of the file says it, too */
        const char *dot = options.out && !options.forms ? strrchr(options.out, '.') : NULL;
        for (int i = 0; dot && i < N_FORMATS; i++)
            if (strcmp(dot + 1, formats[i].ending) == 0) *f = (format)i;
        return true;
    }
    for (int i = 0; i < N_FORMATS; i++)
        if (strcmp(options.format, formats[i].name) == 0 ||
            strcmp(options.format, formats[i].ending) == 0) {
            *f = (format)i;
            return true;
        }
    lh_cli_fail(cli, "there is no format %s", options.format);
    fprintf(stderr, "formats are text, md, html and json\n");
    return false;
}

static void write_paper(lh_stock *s, FILE *out, const lh_paper *p, format f, const char *hidden) {
    switch (f) {
    case TEXT: lh_sheet_text(s->cli, out, p, hidden); break;
    case MARKDOWN: lh_sheet_markdown(s->cli, out, p, hidden); break;
    case HTML: lh_sheet_html(out, p, hidden); break;
    default: lh_sheet_json(out, p, hidden);
    }
}

static int out_of_memory(lh_cli *cli) {
    return lh_cli_fail(cli, "out of memory");
}

/* One sheet to a file, or to the screen when there is none. */
static int write_to(lh_stock *s, const char *path, const lh_paper *p, format f, const char *hidden,
                    const shown *why) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = path ? open_memstream(&text, &length) : stdout;
    if (!out) return out_of_memory(s->cli);
    if (why && f == JSON)
        why_json(out, p, why);
    else if (why)
        why_text(s->cli, out, p, why);
    else
        write_paper(s, out, p, f, hidden);
    if (!path) return LH_EXIT_YES;
    bool ok = fclose(out) == 0;
    int status = !ok                                             ? out_of_memory(s->cli)
                 : lh_cli_write_file(s->cli, path, text, length) ? LH_EXIT_YES
                                                                 : LH_EXIT_FAILED;
    free(text);
    return status;
}

static lh_sheet_wish wish(unsigned long long seed, const char *form, bool key) {
    return (lh_sheet_wish){.seed = seed,
                           .digits = options.digits,
                           .steps = options.steps.name,
                           .n_steps = options.steps.n,
                           .form = form,
                           .key = key};
}

static int write_one(lh_stock *s, format f) {
    lh_sheet_wish w = wish((unsigned long long)options.seed, NULL, options.key);
    lh_paper *p = lh_stock_paper(s, &w);
    if (!p) return lh_cli_report(s->cli);
    shown t = {0};
    if (options.why) t = shown_by(s, p);
    const char *hidden = options.why ? "" : hidden_note(s, p);
    int status = lh_failed(s->cli->ctx)
                     ? lh_cli_report(s->cli)
                     : write_to(s, options.out, p, f, hidden, options.why ? &t : NULL);
    lh_paper_free(p);
    return status;
}

/* The same numbers twice: a form without answers, and its key. */
static int write_form(lh_stock *s, format f, int number) {
    char form[2] = {(char)('A' + number), 0};
    unsigned long long seed =
        (unsigned long long)(options.seed ? options.seed : 1) + (unsigned long long)number;
    int status = LH_EXIT_YES;
    for (int key = 0; key < 2 && status == LH_EXIT_YES; key++) {
        lh_sheet_wish w = wish(seed, form, key);
        lh_paper *p = lh_stock_paper(s, &w);
        if (!p) return lh_cli_report(s->cli);
        const char *path = lh_printf(p->arena, "%s/%s-%s%s.%s", options.out, s->name, form,
                                     key ? "-key" : "", formats[f].ending);
        status = write_to(s, path, p, f, "", NULL);
        lh_paper_free(p);
    }
    return status;
}

static int write_forms(lh_stock *s, format f) {
    lh_cli *cli = s->cli;
    struct stat info;
    int status = LH_EXIT_YES;
    if (!options.out) return lh_cli_fail(cli, "--forms wants a folder: -o FOLDER");
    if (options.key || options.why)
        return lh_cli_fail(cli, "--forms makes the keys too: leave --%s away",
                           options.key ? "key" : "why");
    if (mkdir(options.out, 0777) && errno != EEXIST)
        return lh_cli_fail(cli, "%s cannot be made: %s", options.out, strerror(errno));
    if (stat(options.out, &info) || !S_ISDIR(info.st_mode))
        return lh_cli_fail(cli, "%s is no folder", options.out);
    for (int i = 0; i < options.forms && status == LH_EXIT_YES; i++) status = write_form(s, f, i);
    if (status == LH_EXIT_YES)
        fprintf(stderr, "%s/%s-A.%s and so on: %d form%s, each with its key\n", options.out,
                s->name, formats[f].ending, options.forms, options.forms > 1 ? "s" : "");
    return status;
}

static int sheet_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    lh_stock s;
    format f;
    if (!read_format(cli, &f) || !lh_stock_open(cli, argv[0], &s)) return LH_EXIT_FAILED;
    int status = options.forms ? write_forms(&s, f) : write_one(&s, f);
    lh_stock_close(&s);
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
                "longhand sheet ex3 --why\twhich mistakes the numbers show\n",
    .notes = "The text filled in is an answer file. Its first line says which sheet it is, so that "
             "longhand mark needs no seed. A lesson may name the steps to ask, a line each, in a "
             "block that begins with ```sheet.",
    .options = sheet_options,
    .run = sheet_run,
    .min_args = 1,
    .max_args = 1,
};
