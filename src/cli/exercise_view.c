/* exercise_view -- what is seen of an exercise: the question, the verdict, the key. */
#include <string.h>

#include "base/number.h"
#include "cli/exercise_command.h"
#include "cli/practice_command.h"

enum { INDENT = 4, LINES = 16 };

static void say(const lh_exercise_state *c, int indent, const char *text) {
    printf("%*s", indent, "");
    lh_wrap(stdout, c->cli->width, indent, text);
}

static void quiet(const lh_exercise_state *c, int indent, const char *text) {
    lh_ink_on(c->cli, stdout, LH_INK_QUIET);
    say(c, indent, text);
    lh_ink_off(c->cli, stdout);
}

/* On a screen the ticks around code are left out, as `longhand read` does. */
static const char *without_ticks(const lh_exercise_state *c, const char *text) {
    char *s = lh_copy(c->cli->arena, text, strlen(text)), *to = s;
    if (!s) return text;
    for (const char *from = s; *from; from++)
        if (*from != '`') *to++ = *from;
    *to = 0;
    return s;
}

/* Paragraphs: an empty line stays one. */
static void say_text(const lh_exercise_state *c, const char *text) {
    if (!text) return;
    text = without_ticks(c, text);
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen(text);
        say(c, 0, lh_copy(c->cli->arena, text, n));
        text += n + (end ? 2 : 0);
        if (*text) putchar('\n');
    }
}

static const char *title_of(const lh_exercise_state *c, const lh_exercise *e) {
    return *e->title ? e->title : lh_printf(c->cli->arena, "line %d", e->at.line);
}

void lh_view_list(const lh_exercise_state *c) {
    const lh_lesson *l = c->lesson;
    int done = 0;
    for (int i = 0; i < l->n_exercises; i++) done += c->is_done[i];
    lh_cli_heading(c->cli, c->source.name, l->title);
    for (int i = 0; i < l->n_exercises; i++) {
        const lh_exercise *e = &l->exercise[i];
        printf("  %s %2d  %-11s ", c->is_done[i] ? "\u2713" : " ", i + 1, e->kind->name);
        lh_wrap(stdout, c->cli->width, 20, title_of(c, e));
    }
    printf("%d of %d done\n", done, l->n_exercises);
}

/* ---- the question ---- */

/* The lines before the missing one, and a gap; or what is experimented with. */
static void print_program(const lh_exercise_state *c, lh_task *t) {
    int n = 0;
    const char **line = lh_task_lines(t, &n);
    int from = n > LINES ? n - LINES : 0;
    if (n == 0) return;
    putchar('\n');
    if (from)
        quiet(c, INDENT, lh_printf(c->cli->arena, "... %d line%s before", from, LH_PLURAL(from)));
    for (int i = from; i < n; i++) {
        bool is_gap = i == n - 1 && lh_task_exercise(t)->kind->has_gap;
        lh_ink_print(c->cli, stdout, is_gap ? LH_INK_BOLD : LH_INK_QUIET, "%*s%s\n", INDENT, "",
                     line[i]);
    }
}

/* P[3] of the step P: what is asked stands before the formula, unless it is the whole step. */
void lh_view_sheet(lh_exercise_state *c, lh_task *t) {
    lh_practice_view d = {
        .cli = c->cli, .p = lh_task_practice(t), .a = c->cli->arena, .instead = ""};
    if (!d.p) return;
    const char *next = lh_task_next(t);
    if (strcmp(next, lh_practice_view_ask(&d, d.p->at)->name) != 0)
        d.instead = lh_printf(d.a, "%s   in ", next);
    lh_practice_view_step(&d);
}

void lh_view_question(lh_exercise_state *c, lh_task *t) {
    const lh_exercise *e = lh_task_exercise(t);
    lh_ink_on(c->cli, stdout, LH_INK_BOLD);
    printf("\nExercise %d of %d   %s: ", e->number, c->lesson->n_exercises, e->kind->name);
    lh_wrap(stdout, c->cli->width, INDENT, title_of(c, e));
    lh_ink_off(c->cli, stdout);
    say_text(c, lh_task_text(t, e->question));
    for (int i = 0; i < lh_task_options(t); i++) {
        printf("  %d. ", i + 1);
        lh_wrap(stdout, c->cli->width, 5, without_ticks(c, lh_task_option(t, i)));
    }
    print_program(c, t);
    lh_view_sheet(c, t);
    if (e->kind->says_form) quiet(c, INDENT, lh_printf(c->cli->arena, "type %s", lh_task_form(t)));
}

/* ---- the answer ---- */

static void print_sign(const lh_exercise_state *c, bool is_right) {
    lh_ink_print(c->cli, stdout, is_right ? LH_INK_GOOD : LH_INK_BAD, "  %s ",
                 is_right ? "\u2713" : "\u2717");
}

/* The error of an answer looks like any other: the line, and a mark under the place. */
static void print_error(const lh_exercise_state *c, const lh_error *e) {
    lh_context *ctx = c->cli->ctx;
    ctx->error = *e;
    ctx->is_failed = true;
    lh_cli_report(c->cli);
    lh_context_clear(ctx);
}

void lh_view_answer(lh_exercise_state *c, const lh_answered *a, FILE *refused) {
    if (a->error) print_error(c, a->error);
    if (a->state == LH_ANSWER_UNREAD) {
        fflush(stdout);
        for (int i = 0; i < a->n_lines; i++) {
            fprintf(refused, "%*s", INDENT, "");
            lh_wrap(refused, c->cli->width, INDENT, a->line[i].text);
        }
        return;
    }
    if (a->state != LH_ANSWER_PARTLY) {
        print_sign(c, a->state == LH_ANSWER_RIGHT);
        printf("%s\n", lh_answer_words[a->state]);
    }
    for (int i = 0; i < a->n_lines; i++) {
        const char *sign =
            a->line[i].verdict == LH_BLANK
                ? ""
                : lh_printf(c->cli->arena, "%s ", lh_verdict_sign(a->line[i].verdict));
        say(c, INDENT, lh_printf(c->cli->arena, "%s%s", sign, a->line[i].text));
    }
}

void lh_view_end(lh_exercise_state *c, lh_task *t) {
    const lh_exercise *e = lh_task_exercise(t);
    const char *because = lh_task_because(t);
    for (int i = 0; i < e->n_shows && !lh_failed(c->cli->ctx); i++)
        c->show(c->cli, c->live, e->show[i]);
    if (*because) say(c, INDENT, without_ticks(c, because));
}

void lh_view_key(lh_exercise_state *c, lh_task *t) {
    int n = 0;
    const char **line = lh_task_working(t, &n);
    for (int i = 0; i < n; i++) printf("%*s%s\n", INDENT, "", line[i]);
    lh_view_end(c, t);
}
