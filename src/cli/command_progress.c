/* command_progress -- longhand progress: lessons, the mistakes made most, what to repeat and when. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/json_stream.h"
#include "cli/keep.h"
#include "learn/mistakes.h"

enum { SHOWN = 8 };

static struct {
    const char *export, *import;
    bool reset, yes, json;
} options;

static const lh_option progress_options[] = {
    {"export", 0, LH_OPTION_TEXT, &options.export, "FILE",
     "every attempt as a line of JSON; - is the screen", 0, 0},
    {"import", 0, LH_OPTION_TEXT, &options.import, "FILE",
     "attempts that were exported here, elsewhere or by a page; those known already count once", 0,
     0},
    LH_OPTION_JSON(options.json),
    {"reset", 0, LH_OPTION_FLAG, &options.reset, NULL, "forget everything; a copy is kept", 0, 0},
    {"yes", 0, LH_OPTION_FLAG, &options.yes, NULL, "with --reset: do not ask", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- the screen ---- */

static const char *day_text(lh_cli *cli, long long days) {
    return days < -1    ? lh_printf(cli->arena, "%lld days ago", -days)
           : days == -1 ? "yesterday"
           : days == 0  ? "today"
           : days == 1  ? "tomorrow"
                        : lh_printf(cli->arena, "in %lld days", days);
}

static void heading(lh_cli *cli, const char *text) {
    lh_ink_print(cli, stdout, LH_INK_BOLD, "%s\n", text);
}

static const char *sign(const lh_lesson_progress *l) {
    return l->total && l->done >= l->total ? "\u2713" : l->begun ? "\u25b8" : " ";
}

static void print_lessons(lh_cli *cli, const lh_progress *p, long long today, long zone) {
    heading(cli, "Lessons");
    for (int i = 0; i < p->n_lessons; i++) {
        const lh_lesson_progress *l = &p->lesson[i];
        printf("  %s ", sign(l));
        lh_ink_print(cli, stdout, LH_INK_NAME, "%-12s", l->lesson);
        if (l->total)
            printf(" %3d of %-3d steps done, %3d mastered", l->done, l->total, l->mastered);
        if (l->n_exercises)
            printf("%s %d exercise%s done", l->total ? "," : "", l->n_exercises,
                   l->n_exercises == 1 ? "" : "s");
        else if (!l->total)
            printf(" an exercise tried");
        printf("   %s\n", day_text(cli, lh_day(l->last, zone) - today));
        if (l->begun && l->begun->done < l->begun->total && lh_keep_is_there(cli, l->lesson))
            printf("      continue with: longhand practice %s\n",
                   lh_shell_word(cli->arena, l->lesson));
    }
}

static void print_mistakes(lh_cli *cli, const lh_progress *p, const lh_mistakes *m) {
    if (!p->n_mistakes) return;
    putchar('\n');
    heading(cli, "Commonest mistakes");
    for (int i = 0; i < p->n_mistakes && i < SHOWN; i++) {
        const lh_mistake *x = m ? lh_mistakes_find(m, p->mistake[i].mistake) : NULL;
        bool is_slip = strcmp(p->mistake[i].mistake, "slip") == 0;
        printf("  %3d x  ", p->mistake[i].n);
        lh_wrap(stdout, cli->width, 9,
                x         ? x->says
                : is_slip ? "a slip of the pen: a sign, a factor of ten, two digits swapped"
                          : p->mistake[i].mistake);
    }
    if (p->n_mistakes > SHOWN) printf("  and %d more\n", p->n_mistakes - SHOWN);
}

/* The name that --step takes: WO for WO:=. */
static const char *step_name(lh_cli *cli, const char *path) {
    size_t n = strlen(path);
    return n > 2 && strcmp(path + n - 2, ":=") == 0 ? lh_copy(cli->arena, path, n - 2) : path;
}

static void print_repeats(lh_cli *cli, const lh_progress *p, long long today) {
    if (!p->n_repeats) return;
    putchar('\n');
    heading(cli, "To repeat, in other numbers");
    for (int i = 0; i < p->n_repeats && i < SHOWN; i++) {
        const lh_repeat *r = &p->repeat[i];
        long long days = r->due < today ? 0 : r->due - today;
        printf("  %-12s longhand practice %s --step %s\n", day_text(cli, days),
               lh_shell_word(cli->arena, r->lesson),
               lh_shell_word(cli->arena, step_name(cli, r->step)));
    }
    if (p->n_repeats > SHOWN) printf("  and %d more\n", p->n_repeats - SHOWN);
}

static void print_text(lh_cli *cli, const lh_progress *p, const lh_mistakes *m, long long today,
                       long zone) {
    print_lessons(cli, p, today, zone);
    print_mistakes(cli, p, m);
    print_repeats(cli, p, today);
}

/* ---- for programs ---- */

static const char *date_text(lh_cli *cli, long long day) {
    time_t t = (time_t)(day * 86400);
    struct tm u;
    char text[32] = "";
    if (gmtime_r(&t, &u)) strftime(text, sizeof text, "%Y-%m-%d", &u);
    return lh_printf(cli->arena, "%s", text);
}

static void time_text(long long time, char text[32]) {
    time_t t = (time_t)time;
    struct tm u;
    text[0] = 0;
    if (gmtime_r(&t, &u)) strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &u);
}

static void print_json(lh_cli *cli, const lh_progress *p, long long today) {
    lh_json j = lh_json_open(stdout);
    char when[32];
    lh_json_begin(&j, NULL, '{');
    lh_json_int(&j, "attempts", p->n_attempts);
    lh_json_begin(&j, "lessons", '[');
    for (int i = 0; i < p->n_lessons; i++) {
        const lh_lesson_progress *l = &p->lesson[i];
        time_text(l->last, when);
        lh_json_begin(&j, NULL, '{');
        lh_json_text(&j, "lesson", l->lesson);
        lh_json_int(&j, "done", l->done);
        lh_json_int(&j, "mastered", l->mastered);
        lh_json_int(&j, "total", l->total);
        lh_json_int(&j, "exercises", l->n_exercises);
        lh_json_int(&j, "attempts", l->attempts);
        lh_json_text(&j, "last", when);
        lh_json_bool(&j, "begun", l->begun != NULL);
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    lh_json_begin(&j, "mistakes", '[');
    for (int i = 0; i < p->n_mistakes; i++) {
        lh_json_begin(&j, NULL, '{');
        lh_json_text(&j, "mistake", p->mistake[i].mistake);
        lh_json_int(&j, "count", p->mistake[i].n);
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    lh_json_begin(&j, "repeat", '[');
    for (int i = 0; i < p->n_repeats; i++) {
        const lh_repeat *r = &p->repeat[i];
        lh_json_begin(&j, NULL, '{');
        lh_json_text(&j, "lesson", r->lesson);
        lh_json_text(&j, "step", r->step);
        lh_json_text(&j, "due", date_text(cli, r->due));
        lh_json_bool(&j, "is_due", r->due <= today);
        lh_json_int(&j, "interval", lh_interval_days[r->stage]);
        lh_json_text(&j, "mistake", r->mistake);
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

/* One attempt, one line. */
static void write_attempt(void *who, const lh_attempt *a) {
    lh_json j = lh_json_open(who);
    char when[32];
    time_text(a->time, when);
    j.depth = 3; /* the writer breaks lines at the outer levels alone */
    lh_json_begin(&j, NULL, '{');
    lh_json_int(&j, "number", a->number);
    lh_json_text(&j, "time", when);
    lh_json_text(&j, "lesson", a->lesson);
    lh_json_int(&j, "seed", (long long)a->seed);
    lh_json_int(&j, "digits", a->digits);
    lh_json_text(&j, "step", a->step);
    lh_json_text(&j, "raw", a->raw);
    lh_json_text(&j, "verdict", a->verdict);
    lh_json_text(&j, "mistake", a->mistake);
    lh_json_int(&j, "hints", a->hints);
    lh_json_bool(&j, "right", a->is_right);
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

static int export(lh_cli *cli, lh_store *s) {
    if (strcmp(options.export, "-") == 0)
        return s->attempts(s, write_attempt, stdout) ? LH_EXIT_YES
                                                     : lh_cli_fail(cli, "%s", s->problem);
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    bool ok = f && s->attempts(s, write_attempt, f);
    if (f && fclose(f)) ok = false;
    int status = LH_EXIT_FAILED;
    if (!ok)
        lh_cli_fail(cli, "%s", f ? s->problem : "out of memory");
    else if (lh_cli_write_file(cli, options.export, text, n))
        status = LH_EXIT_YES;
    free(text);
    return status;
}

/* ---- the command ---- */

/* A file that cannot be read as ours is not emptied: it gets another name. */
static bool forget(lh_cli *cli, lh_store *s, char *where, size_t size) {
    char folder[LH_STORE_PATH];
    if (s && s->reset(s, where, size)) return true;
    if (s)
        lh_cli_fail(cli, "%s", s->problem);
    else if (lh_store_folder(folder, sizeof folder) && lh_store_set_aside(folder, where, size))
        return true;
    else
        lh_cli_fail(cli, "it cannot be renamed: %s", strerror(errno));
    return false;
}

static int reset(lh_cli *cli, lh_store *s) {
    char where[LH_STORE_PATH];
    if (!options.yes && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        return lh_cli_fail(cli, "--reset forgets everything: say --yes where nobody can be asked");
    if (!options.yes && !lh_keep_ask("Forget all attempts and sheets? A copy is kept.")) {
        printf("Nothing has changed.\n");
        return LH_EXIT_NO;
    }
    if (!forget(cli, s, where, sizeof where)) return LH_EXIT_FAILED;
    printf("Forgotten. The copy is %s\n", where);
    return LH_EXIT_YES;
}

static int show(lh_cli *cli, lh_store *s) {
    long zone = lh_keep_zone();
    long long today = lh_day((long long)time(NULL), zone);
    lh_progress *p = lh_progress_new(cli->arena, s, zone);
    if (!p) return lh_cli_fail(cli, "%s", s->problem);
    if (options.json) {
        print_json(cli, p, today);
        return LH_EXIT_YES;
    }
    if (!p->n_lessons) {
        printf("Nothing has been practised yet. Begin with: longhand practice ex1\n");
        return LH_EXIT_YES;
    }
    lh_mistakes *m = lh_mistakes_load(cli->ctx, NULL);
    print_text(cli, p, m, today, zone);
    lh_mistakes_free(m);
    return LH_EXIT_YES;
}

static int progress_run(lh_cli *cli, int argc, char **argv) {
    (void)argc, (void)argv;
    if (options.import) return lh_progress_import(cli, options.import);
    lh_store_state state;
    lh_store *s = lh_keep_read(cli, options.reset, &state);
    if (!s && options.reset && (state == LH_STORE_DAMAGED || state == LH_STORE_NEWER))
        return reset(cli, NULL);
    if (!s && state == LH_STORE_NONE) s = lh_store_memory(cli->ctx);
    if (!s) return LH_EXIT_FAILED;
    int status = options.reset && state == LH_STORE_NONE
                     ? (printf("Nothing has been practised yet.\n"), LH_EXIT_YES)
                 : options.reset  ? reset(cli, s)
                 : options.export ? export(cli, s)
                                  : show(cli, s);
    s->close(s);
    return status;
}

const lh_command lh_command_progress = {
    .name = "progress",
    .synopsis = "[--export FILE] [--import FILE] [--reset] [--json]",
    .summary = "Your progress: steps done, most common mistakes, what to repeat next.",
    .examples = "longhand progress\tlessons, mistakes, what is due\n"
                "longhand progress --export mine.jsonl\tevery attempt, a line each\n"
                "longhand progress --reset\tstart over; a copy is kept\n",
    .notes =
        "A step that went wrong comes back after 1, 3, 7 and 14 days, in other numbers. A right "
        "answer on its day or later moves it on, a wrong one back to the first day. Mastered: "
        "right when last tried, without the answer shown, and nothing left to repeat. The file "
        "is progress.db in LONGHAND_DATA, or XDG_DATA_HOME/longhand, or ~/.local/share/longhand.",
    .options = progress_options,
    .run = progress_run,
    .min_args = 0,
    .max_args = 0,
};
