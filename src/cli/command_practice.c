/* command_practice -- longhand practice LESSON: a worksheet at the prompt, asked and marked step by step. */
#include "cli/practice_command.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/prompt.h"
#include "graph/build.h"
#include "learn/entry.h"
#include "learn/lesson.h"

static struct {
    int seed, digits;
    const char *step;
} options = {.seed = -1};

static const lh_option practice_options[] = {
    {"seed", 0, LH_OPTION_INT, &options.seed, "N",
     "which numbers: 0 the lesson's own (first time), 1, 2 ... others", 0, 2147483647},
    {"step", 0, LH_OPTION_TEXT, &options.step, "NAME", "this step alone; those before it are given",
     0, 0},
    {"digits", 0, LH_OPTION_INT, &options.digits, "N", "digits of the answers (4)", 2, 9},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- which sheet ---- */

typedef struct opener {
    lh_cli *cli;
    lh_source source;
    lh_lesson_sheet asked;
    lh_mistakes *mistakes;
} opener;

static lh_paper *open_paper(opener *o, unsigned long long seed, int digits, bool alone) {
    lh_paper_how how = {.lesson = o->source.name,
                        .title = o->source.title,
                        .seed = seed,
                        .digits = digits,
                        .steps = alone ? &options.step : o->asked.step,
                        .at = alone ? NULL : o->asked.at,
                        .n_steps = alone ? 1 : o->asked.n_steps,
                        .is_named_by_caller = alone,
                        .mistakes = o->mistakes};
    return lh_paper_new(o->cli->ctx, o->source.program, &how);
}

static lh_practice *open_practice(opener *o, unsigned long long seed, int digits, bool alone) {
    lh_paper *paper = open_paper(o, seed, digits, alone);
    lh_practice *p = paper ? lh_practice_new(paper, o->mistakes) : NULL;
    if (!p) lh_paper_free(paper);
    if (p && options.step) p->only = lh_practice_find(p, options.step);
    return p;
}

static void close_practice(lh_practice *p) {
    lh_paper *paper = p ? p->paper : NULL;
    lh_practice_free(p);
    lh_paper_free(paper);
}

/* --step names a step of the lesson's sheet, or one that only this sheet asks for. */
static bool find_step(opener *o, const char **path, bool *alone) {
    *path = "";
    *alone = false;
    if (!options.step) return true;
    lh_practice *p = open_practice(o, 0, options.digits, false);
    if (p && p->only < 0) {
        close_practice(p);
        *alone = true;
        p = open_practice(o, 0, options.digits, true);
    }
    if (p && p->only < 0)
        lh_fail(o->cli->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0}, "%s is not a step to work out",
                options.step);
    if (p && p->only >= 0) *path = lh_printf(o->cli->arena, "%s", p->paper->step[p->only].path);
    close_practice(p);
    return !lh_failed(o->cli->ctx);
}

/* The sheet that was left unfinished, or a new one in numbers that were not there yet. */
static bool open_view(opener *o, lh_practice_view *d) {
    lh_cli *cli = o->cli;
    const char *only;
    bool alone;
    lh_saved *list;
    int n;
    if (!find_step(o, &only, &alone)) return false;
    if (!lh_keep_open(cli, &d->keep)) return false;
    lh_store *store = d->keep.store;
    if (!store->sessions(store, cli->arena, &list, &n)) n = 0;
    const lh_saved *left =
        lh_saved_find(list, n, o->source.name, only, options.seed, options.digits);
    int digits = options.digits    ? options.digits
                 : left            ? left->digits
                 : o->asked.digits ? o->asked.digits
                                   : 4;
    unsigned long long seed = left                ? left->seed
                              : options.seed >= 0 ? (unsigned long long)options.seed
                                                  : lh_saved_seed(list, n, o->source.name);
    d->p = open_practice(o, seed, digits, alone);
    if (!d->p) return false;
    if (d->p->only >= 0) lh_practice_go(d->p, d->p->only);
    lh_saved begun = left ? *left : (lh_saved){0};
    if (left && store->load(store, cli->arena, &begun)) lh_practice_restore(d->p, &begun);
    return true;
}

/* ---- the prompt ---- */

typedef struct talk {
    lh_practice_view *d;
    lh_prompt *prompt;
    bool is_interactive, is_over, has_told;
} talk;

/* In a script the lines that were read stand in what is written, as they would on a screen. */
static const char *next_line(talk *t, const char *sign) {
    const char *line = lh_prompt_line(t->prompt, sign);
    if (!line) return NULL;
    if (!t->is_interactive) printf("%s%s\n", sign, line);
    return line;
}

static void say(const talk *t, const char *text) {
    lh_practice_view_say(t->d, 4, text);
}

static void save(talk *t, const lh_entered *e) {
    lh_practice_view *d = t->d;
    long long now = (long long)time(NULL);
    lh_saved s = lh_practice_save(d->p, d->a, now);
    lh_attempt a;
    if (e) a = lh_practice_attempt(d->p, d->a, e, now);
    lh_keep_record(&d->keep, e ? &a : NULL, &s);
}

static void show_step(talk *t) {
    lh_practice_view_step(t->d);
    save(t, NULL);
}

/* After an entry: on to what is open, or to the end. */
static void go_on(talk *t) {
    lh_practice_view *d = t->d;
    int before = d->p->at;
    if (lh_practice_is_finished(d->p)) {
        t->is_over = true;
    } else if (lh_practice_advance(d->p)) {
        lh_step_state s = lh_practice_state(d->p, d->p->at);
        if (d->p->at < before && s != LH_STATE_OPEN && s != LH_STATE_PARTLY && !t->has_told)
            t->has_told = true, lh_practice_view_left(d);
        show_step(t);
    }
}

static void take(talk *t, lh_entered e) {
    lh_practice_view *d = t->d;
    switch (e.kind) {
    case LH_ENTERED_MORE: return;
    case LH_ENTERED_MARKED:
        lh_practice_view_verdict(d, &e);
        lh_practice_view_changes(d);
        save(t, &e);
        if (e.ask == d->p->at) {
            d->p->block = e.block;
            go_on(t);
        } else if (lh_practice_is_finished(d->p)) {
            t->is_over = true;
        } else {
            show_step(t); /* an operand may be another now */
        }
        return;
    default: say(t, e.problem); save(t, &e);
    }
}

static void reset(talk *t) {
    const char *line = next_line(t, "Begin this sheet again, with nothing on it? y/n ");
    if (!line || (line[0] != 'y' && line[0] != 'Y')) {
        say(t, "nothing has changed");
        return;
    }
    lh_practice_reset(t->d->p);
    t->has_told = false;
    show_step(t);
}

static void move_to(talk *t, bool moved, const char *otherwise) {
    if (moved)
        show_step(t);
    else
        say(t, otherwise);
}

static void go_to(talk *t, const char *where) {
    lh_practice *p = t->d->p;
    char *end;
    long n = strtol(where, &end, 10);
    int ask = end != where && !*end ? (n >= 1 && n <= p->paper->n_steps ? (int)n - 1 : -1)
                                    : lh_practice_find(p, where);
    if (ask < 0) {
        say(t, lh_printf(t->d->a, "there is no step %.60s here; l lists them",
                         *where ? where : "without a name"));
        return;
    }
    if (p->only >= 0 && ask != p->only) {
        say(t, lh_printf(t->d->a, "only %s is asked for here", p->paper->step[p->only].name));
        return;
    }
    lh_practice_go(p, ask);
    t->d->hides_open = p->only < 0; /* where one jumps over steps, they stay questions */
    show_step(t);
}

static void give_hint(talk *t) {
    int level = lh_practice_hint(t->d->p);
    lh_practice_view_hint(t->d, level);
    save(t, NULL);
}

static void next_step(talk *t) {
    lh_practice *p = t->d->p;
    int before = p->at;
    bool moved = lh_practice_next(p);
    if (moved && p->at < before) lh_practice_view_left(t->d);
    t->d->hides_open = false; /* what was passed over is given */
    move_to(t, moved,
            lh_practice_is_finished(p) ? "everything is done; q ends"
                                       : "only this step is left; h gives a hint, q ends");
}

typedef struct word {
    const char *letter, *word;
} word;

enum { NEXT, HINT, LIST, BACK, SKIP, RESET, HELP, QUIT, GO, N_WORDS };
static const word words[N_WORDS] = {
    [NEXT] = {"n", "next"}, [HINT] = {"h", "hint"}, [LIST] = {"l", "list"},
    [BACK] = {"b", "back"}, [SKIP] = {"s", "skip"}, [RESET] = {"x", "reset"},
    [HELP] = {"?", "help"}, [QUIT] = {"q", "quit"}, [GO] = {"go", "g"},
};

static int find_word(const char *text) {
    for (int i = 0; i < N_WORDS; i++)
        if (strcmp(text, words[i].letter) == 0 || strcmp(text, words[i].word) == 0) return i;
    return -1;
}

static void obey(talk *t, const char *text) {
    lh_practice_view *d = t->d;
    size_t n = strcspn(text, " \t");
    const char *first = lh_copy(d->a, text, n), *rest = text + n + strspn(text + n, " \t");
    int which = find_word(first);
    if (*rest && which != GO) which = -1;
    switch (which) {
    case NEXT: next_step(t); return;
    case HINT: give_hint(t); return;
    case LIST: lh_practice_view_list(d); return;
    case BACK: move_to(t, lh_practice_back(d->p), "this is the first step"); return;
    case SKIP:
        d->hides_open = false;
        move_to(t, lh_practice_skip(d->p), "there is no other step to go to; q ends");
        return;
    case RESET: reset(t); return;
    case HELP: lh_practice_view_help(d); return;
    case QUIT: t->is_over = true; return;
    case GO: go_to(t, rest); return;
    default: break;
    }
    if (lh_practice_find(d->p, text) >= 0)
        go_to(t, text);
    else
        say(t, lh_printf(d->a, "\"%.40s\" is neither a number nor a command; ? lists them", text));
}

static const char *trimmed(lh_arena *a, const char *s) {
    s += strspn(s, " \t");
    size_t n = strlen(s);
    while (n && strchr(" \t\r", s[n - 1])) n--;
    return lh_copy(a, s, n);
}

static bool is_row_number(const char *s) {
    size_t n = strspn(s, "0123456789");
    return n && s[n + strspn(s + n, " \t")] == ':';
}

/* A matrix may go over several lines; an empty one, a command or another entry ends it where it is. */
static void answer(talk *t, const char *line) {
    lh_practice *p = t->d->p;
    const char *text = trimmed(t->d->a, line);
    bool is_numbers = lh_entry_is_numbers(text);
    if (p->pending && (!is_numbers || strchr(text, '=') || is_row_number(text)))
        take(t, lh_practice_stop(p));
    if (!*text || t->is_over) return;
    if (is_numbers)
        take(t, lh_practice_enter(p, text));
    else
        obey(t, text);
}

static int pending_rows(const lh_practice_view *d) {
    return d->p->pending ? lh_entry_read(d->a, d->p->pending).n_rows : 0;
}

static bool fresh_arena(lh_practice_view *d) {
    lh_arena *a = lh_arena_new(d->cli->ctx);
    if (!a) return false;
    lh_arena_free(d->a);
    d->a = a;
    return true;
}

static int talk_on(lh_practice_view *d) {
    talk t = {.d = d, .is_interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
    t.prompt = lh_prompt_open(t.is_interactive, "practice-history");
    if (!t.prompt) return lh_cli_fail(d->cli, "out of memory");
    if (lh_practice_is_finished(d->p)) lh_practice_reset(d->p);
    d->hides_open = d->p->only < 0;
    show_step(&t);
    while (!t.is_over && !lh_failed(d->cli->ctx) && fresh_arena(d)) {
        const char *line = next_line(&t, lh_practice_view_sign(d, pending_rows(d)));
        if (lh_prompt_dropped(t.prompt)) { /* Ctrl-C, on an empty line too */
            lh_practice_drop(d->p);
            continue;
        }
        if (!line) {
            if (t.is_interactive) putchar('\n');
            break;
        }
        lh_prompt_remember(t.prompt, line);
        answer(&t, line);
    }
    if (d->p->pending) take(&t, lh_practice_stop(d->p));
    lh_prompt_close(t.prompt);
    if (lh_failed(d->cli->ctx)) return lh_cli_report(d->cli);
    save(&t, NULL);
    lh_practice_view_summary(d);
    return LH_EXIT_YES;
}

static void print_title(lh_practice_view *d) {
    const lh_paper *paper = d->p->paper;
    int done = lh_practice_done(d->p);
    lh_cli_heading(d->cli, paper->lesson, paper->title);
    const char *numbers = paper->seed ? lh_printf(d->a, "the numbers of seed %llu", paper->seed)
                                      : "the lesson's own numbers",
               *so_far = done ? lh_printf(d->a, ", %d done", done) : "";
    lh_practice_view_say(d, 0,
                         lh_printf(d->a, "%d step%s in %s%s.", paper->n_steps,
                                   paper->n_steps == 1 ? "" : "s", numbers, so_far));
    lh_ink_print(d->cli, stdout, LH_INK_QUIET,
                 "? help   h hint   n next   q quit, and continue another day\n");
}

static int practise(opener *o) {
    lh_cli *cli = o->cli;
    lh_practice_view d = {.cli = cli, .a = lh_arena_new(cli->ctx)};
    int status = LH_EXIT_FAILED;
    if (!o->source.chosen) /* what the lesson asks is about its own program */
        o->asked = lh_lesson_sheet_read(cli->ctx, cli->arena, o->source.program->file,
                                        o->source.text, o->source.length);
    o->mistakes = lh_mistakes_load(cli->ctx, o->source.program);
    if (d.a && !lh_failed(cli->ctx) && open_view(o, &d)) {
        print_title(&d);
        status = talk_on(&d);
    } else if (lh_failed(cli->ctx)) {
        lh_fail_in(cli->ctx, o->source.program->file, o->source.program->source,
                   o->source.program->length);
        lh_cli_report(cli);
    }
    lh_keep_close(&d.keep);
    close_practice(d.p);
    lh_mistakes_free(o->mistakes);
    lh_arena_free(d.a);
    return status;
}

static int practice_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    opener o = {.cli = cli};
    if (!lh_cli_load(cli, argv[0], &o.source)) return LH_EXIT_FAILED;
    o.source.name = lh_keep_name(cli, &o.source);
    int status = lh_cli_is_plain(cli, &o.source) ? practise(&o) : LH_EXIT_FAILED;
    lh_program_free(o.source.program);
    return status;
}

const lh_command lh_command_practice = {
    .name = "practice",
    .synopsis = "LESSON|FILE [--seed N] [--step NAME] [--digits N]",
    .summary = "A worksheet at the prompt: asked step by step, marked at once, with hints.",
    .examples = "longhand practice ex1\tbegin, or continue where you left off\n"
                "longhand practice ex3 --seed 7\tother numbers\n"
                "longhand practice ex3 --step Z\tone step; those before it are given\n",
    .notes = "Answers are numbers as you write them: .5 0,5 1/2 50%. A slip is marked once: what "
             "follows from it correctly gets full credit. Everything is saved after each entry, "
             "under LONGHAND_DATA or in the data folder of your account.",
    .options = practice_options,
    .run = practice_run,
    .min_args = 1,
    .max_args = 1,
};
