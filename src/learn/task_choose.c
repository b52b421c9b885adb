/* task_choose -- one of several is right, and the engine says which: what predict and find share. */
#include <stdlib.h>
#include <string.h>

#include "learn/task_internal.h"

bool lh_choices_gather(lh_task *t, const char *what) {
    const char *name = t->kind->choices;
    const lh_field *f;
    for (int i = 0; (f = lh_exercise_field(t->e, name, i)); i++) {
        if (!f->right || !*f->right)
            return lh_task_fail(t, f->at, "%s: has no %s after a |", name, what);
        *lh_push(t->arena, t->choice, t->n_choices) = (lh_task_choice){.field = f};
    }
    if (t->n_choices >= 2 && t->n_choices <= LH_MOST_CHOICES) return !lh_failed(t->ctx);
    return lh_task_fail(t, t->e->at, "an exercise to %s has 2 to %d %s: lines, not %d",
                        t->kind->name, LH_MOST_CHOICES, name, t->n_choices);
}

bool lh_choices_settle(lh_task *t, const bool *is_right, const char *none, const char *two) {
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

int lh_choices_answer(lh_task *t, const char *text, lh_answered *out) {
    int n = read_choice(t, text);
    if (n < 0)
        lh_answered_refuse(t, out,
                           "\"%.40s\" is not one of the choices: type a number from 1 to %d.", text,
                           t->n_choices);
    if (n == t->right) out->state = LH_ANSWER_RIGHT;
    return n == t->right ? -1 : n;
}

const char *lh_choices_key(lh_task *t) {
    return lh_printf(t->arena, "%d", t->right + 1);
}
