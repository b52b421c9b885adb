/* exercise_talk -- the exercises of a lesson at the prompt: answers, hints, keys, one after another. */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/exercise_command.h"
#include "cli/prompt.h"

enum { INDENT = 4, TRIES = 2 /* before the key is shown */ };

typedef struct talk {
    lh_exercise_state *c;
    lh_prompt *prompt;
    bool is_interactive, is_over;
    lh_task *task;
    int at;           /* which exercise, from 0 */
    int tries, hints; /* at this one */
    const char *keys; /* as they were shown last */
    bool has_seen;    /* the key */
} talk;

static void say(const talk *t, const char *text) {
    printf("%*s", INDENT, "");
    lh_wrap(stdout, t->c->cli->width, INDENT, text);
}

/* ---- what can be typed ---- */

enum { HINT, ANSWER, NEXT, BACK, LIST, HELP, QUIT, N_KEYS };

static const struct {
    const char *letter, *word;
} keys[N_KEYS] = {{"h", "hint"}, {"a", "answer"}, {"n", "next"}, {"b", "back"},
                  {"l", "list"}, {"?", "help"},   {"q", "quit"}};

/* Among choices a letter is a choice: b is the second one, and back is a word. */
static bool is_choice(const talk *t, const char *text) {
    unsigned letter = ((unsigned char)text[0] | 32u) - 'a';
    return text[0] && !text[1] && letter < (unsigned)lh_task_options(t->task);
}

/* What to type here: the letter, or the word where the letter is a choice. */
static const char *key_text(const talk *t, int key) {
    return is_choice(t, keys[key].letter) ? keys[key].word : keys[key].letter;
}

static const char *key_words(const talk *t, int key) {
    if (is_choice(t, keys[key].letter)) return keys[key].word;
    return lh_printf(t->c->cli->arena, "%s %s", keys[key].letter, keys[key].word);
}

/* "h hint   ", and nothing where there is none left. */
static const char *hint_words(const talk *t) {
    return lh_task_hint(t->task, t->hints)
               ? lh_printf(t->c->cli->arena, "%s   ", key_words(t, HINT))
               : "";
}

static const char *after_tries(const talk *t) {
    return t->tries < TRIES ? " after two tries" : "";
}

/* ---- one after another ---- */

/* Shown at the start, and again where they differ: some exercises have no hint. */
static void show_keys(talk *t) {
    const char *now =
        lh_printf(t->c->cli->arena, "%s   %s%s   %s   %s", key_words(t, HELP), hint_words(t),
                  key_words(t, NEXT), key_words(t, LIST), key_words(t, QUIT));
    if (t->keys && strcmp(now, t->keys) == 0) return;
    lh_ink_print(t->c->cli, stdout, LH_INK_QUIET, "%s%s\n", t->keys ? "\n" : "", now);
    t->keys = now;
}

static bool begin(talk *t, int exercise) {
    lh_task_close(t->task);
    t->at = exercise;
    t->tries = t->hints = 0;
    t->has_seen = false;
    t->task = lh_task_open(t->c->live, exercise);
    if (!t->task) return false;
    show_keys(t);
    lh_view_question(t->c, t->task);
    return !lh_failed(t->c->cli->ctx);
}

/* The next that is not done, round to the first; where all are done, the end. */
static void go_on(talk *t) {
    int n = t->c->lesson->n_exercises;
    for (int i = 1; i <= n; i++) {
        int k = (t->at + i) % n;
        if (t->c->is_done[k]) continue;
        if (k == t->at)
            say(t, lh_printf(t->c->cli->arena, "Only this exercise is left.   %s%s", hint_words(t),
                             key_words(t, QUIT)));
        else
            begin(t, k);
        return;
    }
    t->is_over = true;
}

static void give_hint(talk *t) {
    const char *hint = lh_task_hint(t->task, t->hints);
    if (!hint) {
        say(t, lh_printf(t->c->cli->arena, "There is no %shint; %s shows the answer%s.",
                         t->hints ? "further " : "", key_text(t, ANSWER), after_tries(t)));
        return;
    }
    t->hints++;
    say(t, hint);
}

static void give_key(talk *t) {
    if (t->tries < TRIES) {
        say(t, lh_printf(t->c->cli->arena, "Try %d times first: you are told what is off.", TRIES));
        return;
    }
    t->has_seen = true;
    lh_view_key(t->c, t->task);
}

static void help(const talk *t) {
    const char *form = lh_task_form(t->task);
    const bool is_open = *form && form[strlen(form) - 1] == '.'; /* dlogits = ... */
    say(t, lh_printf(t->c->cli->arena, "Type %s%s", form, is_open ? "" : "."));
    printf("%*s%s%s%s   %s\n", INDENT, "", hint_words(t), key_words(t, ANSWER), after_tries(t),
           key_words(t, NEXT));
    printf("%*s%s   %s   go 3   %s\n", INDENT, "", key_words(t, BACK), key_words(t, LIST),
           key_words(t, QUIT));
}

static void go_to(talk *t, const char *where) {
    int n;
    if (lh_number_whole(where, 1, t->c->lesson->n_exercises, &n))
        begin(t, n - 1);
    else
        say(t, lh_printf(t->c->cli->arena, "They are numbered 1 to %d; %s lists them.",
                         t->c->lesson->n_exercises, key_text(t, LIST)));
}

static bool obey(talk *t, const char *text) {
    int which = -1, n = t->c->lesson->n_exercises;
    if (is_choice(t, text)) return false;
    for (int i = 0; i < N_KEYS; i++)
        if (strcmp(text, keys[i].letter) == 0 || strcmp(text, keys[i].word) == 0) which = i;
    if (strncmp(text, "go ", 3) == 0) {
        go_to(t, text + 3 + strspn(text + 3, " "));
        return true;
    }
    switch (which) {
    case HINT: give_hint(t); return true;
    case ANSWER: give_key(t); return true;
    case NEXT: go_on(t); return true;
    case BACK: begin(t, (t->at + n - 1) % n); return true;
    case LIST: lh_view_list(t->c); return true;
    case HELP: help(t); return true;
    case QUIT: t->is_over = true; return true;
    default: return false;
    }
}

static void answer(talk *t, const char *text) {
    lh_practice *p = lh_task_practice(t->task);
    int before = p ? p->at : 0;
    lh_answered a = lh_task_answer(t->task, text);
    if (lh_failed(t->c->cli->ctx)) return;
    lh_view_answer(t->c, &a, stdout);
    lh_exercise_record(t->c, t->task, text, &a,
                       t->has_seen               ? LH_HINTS
                       : t->hints < LH_HINTS - 1 ? t->hints
                                                 : LH_HINTS - 1);
    if (a.state == LH_ANSWER_WRONG && ++t->tries == TRIES)
        printf("%*s%s%s   %s\n", INDENT, "", hint_words(t), key_words(t, ANSWER),
               key_words(t, NEXT));
    if (a.state != LH_ANSWER_RIGHT && p && p->at != before) lh_view_sheet(t->c, t->task);
    if (a.state != LH_ANSWER_RIGHT) return;
    lh_view_end(t->c, t->task);
    if (t->has_seen) say(t, "It is not counted, since the answer was shown; it comes up again.");
    if (!lh_failed(t->c->cli->ctx)) go_on(t);
}

static const char *trimmed(lh_arena *a, const char *s) {
    size_t n = strlen(s);
    while (n && isspace((unsigned char)s[n - 1])) n--;
    size_t k = strspn(s, " \t");
    return k < n ? lh_copy(a, s + k, n - k) : "";
}

/* In a script the lines that were read stand in what is written, as they would on a screen. */
static const char *next_line(talk *t) {
    const char *next = lh_task_next(t->task),
               *sign = *next ? lh_printf(t->c->cli->arena, "%s> ", next)
                             : lh_printf(t->c->cli->arena, "%d> ", t->at + 1);
    const char *line = lh_prompt_line(t->prompt, sign);
    if (line && !t->is_interactive) printf("%s%s\n", sign, line);
    return line;
}

static void talk_on(talk *t) {
    lh_cli *cli = t->c->cli;
    while (t->task && !t->is_over && !lh_failed(cli->ctx)) {
        const char *line = next_line(t);
        if (lh_prompt_dropped(t->prompt)) continue;
        if (!line) {
            if (t->is_interactive) putchar('\n');
            return;
        }
        lh_prompt_remember(t->prompt, line);
        const char *text = trimmed(cli->arena, line);
        if (*text && !obey(t, text)) answer(t, text);
    }
}

static void summary(const talk *t) {
    int done = 0, n = t->c->lesson->n_exercises;
    for (int i = 0; i < n; i++) done += t->c->is_done[i];
    printf("%d of %d exercise%s of %s done\n", done, n, LH_PLURAL(n), t->c->source.name);
}

int lh_exercise_talk(lh_exercise_state *c, int from) {
    talk t = {.c = c, .is_interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
    t.prompt = lh_prompt_open(t.is_interactive, "exercise-history");
    if (!t.prompt) return lh_cli_fail(c->cli, "out of memory");
    lh_cli_heading(c->cli, c->source.name, c->lesson->title);
    if (begin(&t, from)) talk_on(&t);
    lh_prompt_close(t.prompt);
    int status = lh_failed(c->cli->ctx) ? lh_cli_report(c->cli) : LH_EXIT_YES;
    lh_task_close(t.task);
    if (status == LH_EXIT_YES) summary(&t);
    return status;
}
