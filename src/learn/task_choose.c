/* task_choose -- predict and find: one of several is right, and the engine says which. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/written.h"
#include "learn/task_internal.h"

typedef struct lh_task_choice {
    const lh_field *field;
    double exact; /* find: what the expression comes to */
    lh_written printed;
    const char *shown; /* predict: the condition in numbers */
} lh_task_choice;

enum { MOST_CHOICES = 20 };

static bool gather(lh_task *t, const char *name) {
    const lh_field *f;
    for (int i = 0; (f = lh_exercise_field(t->e, name, i)); i++) {
        if (!f->right || !*f->right)
            return lh_task_fail(t, f->at, "%s: has no %s behind a |", name,
                                t->e->kind == LH_EXERCISE_PREDICT ? "condition" : "expression");
        *lh_push(t->arena, t->choice, t->n_choices) = (lh_task_choice){.field = f};
    }
    if (t->n_choices >= 2 && t->n_choices <= MOST_CHOICES) return !lh_failed(t->ctx);
    return lh_task_fail(t, t->e->at, "an exercise to %s has 2 to %d %s: lines, and this has %d",
                        lh_exercise_words[t->e->kind], MOST_CHOICES, name, t->n_choices);
}

/* Which one it is, when it is exactly one. */
static bool settle(lh_task *t, const bool *is_right, const char *none, const char *two) {
    t->right = -1;
    for (int i = 0; i < t->n_choices; i++) {
        if (!is_right[i]) continue;
        if (t->right >= 0)
            return lh_task_fail(t, t->choice[i].field->at, "%s: lines %d and %d", two,
                                t->choice[t->right].field->at.line, t->choice[i].field->at.line);
        t->right = i;
    }
    return t->right >= 0 || lh_task_fail(t, t->e->at, "%s", none);
}

/* ---- predict ---- */

static bool open_predict(lh_task *t) {
    bool holds[MOST_CHOICES];
    if (!gather(t, "choice")) return false;
    for (int i = 0; i < t->n_choices; i++) {
        lh_claim claim;
        const lh_field *f = t->choice[i].field;
        if (!lh_live_claim(t->v, f->right, lh_task_where(t, f->right_at), 4, &claim)) return false;
        holds[i] = claim.holds;
        t->choice[i].shown = claim.shown;
    }
    return settle(t, holds, "of the conditions none holds, and one must",
                  "two conditions hold, and one must");
}

/* ---- find ---- */

/* The number behind the last = of what is printed. */
static bool read_printed(lh_task *t, lh_task_choice *c) {
    const char *equals = strrchr(c->field->left, '=');
    if (!equals)
        return lh_task_fail(t, c->field->value_at, "line: has no = with a number behind it");
    c->printed = lh_written_read(equals + 1, strlen(equals + 1));
    if (c->printed.kind == LH_WRITTEN_NUMBER) return true;
    return lh_task_fail(t, c->field->value_at, "line: \"%.40s\" behind the = is no number",
                        equals + 1 + strspn(equals + 1, " "));
}

/* More than a unit off: one unit may be a number that was cut off. Where the exact number has no more digits than are printed, nothing
 * was cut off, and 2 + 2 = 5 is wrong. The slack is for 0.1 + 0.2. */
static bool is_off(const lh_task_choice *c) {
    double unit = c->printed.unit, slack = 1e-12 * fabs(c->exact), steps = c->exact / unit;
    bool is_whole = unit > 0 && fabs(steps - round(steps)) < 1e-6;
    return !(fabs(c->exact - c->printed.value) <=
             (is_whole ? unit * 1e-3 : unit * (1 + 1e-9)) + slack);
}

static bool open_find(lh_task *t) {
    bool off[MOST_CHOICES];
    if (!gather(t, "line")) return false;
    for (int i = 0; i < t->n_choices; i++) {
        lh_task_choice *c = &t->choice[i];
        lh_value x;
        if (!read_printed(t, c)) return false;
        if (!lh_live_value(t->v, c->field->right, lh_task_where(t, c->field->right_at), &x))
            return false;
        if (x.rows != 1 || x.cols != 1)
            return lh_task_fail(t, c->field->right_at, "line: one number is wanted, not %dx%d",
                                x.rows, x.cols);
        c->exact = x.cell[0];
        off[i] = is_off(c);
    }
    return settle(t, off, "every line is right, and one must be wrong",
                  "two lines are wrong, and one must be");
}

/* ---- answering ---- */

int lh_task_options(const lh_task *t) {
    return t->n_choices;
}

const char *lh_task_option(lh_task *t, int i) {
    if (i < 0 || i >= t->n_choices) return "";
    const char *text = lh_task_text(t, t->choice[i].field->left);
    return text ? text : "";
}

/* 2, 2., (2), b, B): -1 where it is none. */
static int read_choice(const lh_task *t, const char *text) {
    text += strspn(text, " \t\r\n(");
    char *end = NULL;
    long n = strtol(text, &end, 10);
    unsigned letter = ((unsigned char)*text | 32u) - 'a';
    if (end == text && letter < 26) n = (long)letter + 1, end = (char *)text + 1;
    if (end == text || end[strspn(end, " \t\r\n.):")] || n < 1 || n > t->n_choices) return -1;
    return (int)n - 1;
}

static void answer(lh_task *t, const char *text, lh_answered *out) {
    int n = read_choice(t, text);
    if (n < 0)
        lh_answered_refuse(t, out, "\"%.40s\" is none of them: type a number from 1 to %d.", text,
                           t->n_choices);
    else if (n == t->right)
        out->state = LH_ANSWER_RIGHT;
    else if (t->e->kind == LH_EXERCISE_FIND)
        lh_answered_say(
            t, out, "Line %d is right: it comes to %s.", n + 1,
            lh_task_number(t->arena, t->choice[n].exact, t->choice[n].printed.digits + 2));
    else
        lh_answered_say(t, out, "No: it would have to be %s, and here that reads %s.",
                        t->choice[n].field->right, t->choice[n].shown);
}

static const char *key(lh_task *t) {
    return lh_printf(t->arena, "%d", t->right + 1);
}

static void work_predict(lh_task *t, lh_text *out) {
    lh_text_add(out, "%d. %s\n", t->right + 1, lh_task_option(t, t->right));
    lh_text_add(out, "It is computed: %s, here %s\n", t->choice[t->right].field->right,
                t->choice[t->right].shown);
}

static void work_find(lh_task *t, lh_text *out) {
    for (int i = 0; i < t->n_choices; i++) {
        const lh_task_choice *c = &t->choice[i];
        lh_text_add(out, "%d. %s   %s%s\n", i + 1, c->field->left,
                    i == t->right ? "wrong: it is " : "right: ",
                    lh_task_number(t->arena, c->exact, c->printed.digits + 2));
    }
}

const lh_task_kind lh_task_predict = {open_predict, answer, key, work_predict, NULL};
const lh_task_kind lh_task_find = {open_find, answer, key, work_find, NULL};
