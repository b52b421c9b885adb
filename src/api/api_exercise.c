/* api_exercise -- the public interface: the exercises of a lesson, and what an answer is worth. */
#include <string.h>

#include "api/api.h"
#include "base/ascii.h"
#include "base/file.h"
#include "learn/exercise.h"

static const lh_place nowhere;

struct lh_api_lesson {
    lh_lesson *lesson;
    lh_live *live;
    lh_task *task; /* the exercise that is open, or NULL */
    int number;    /* ... which, from 0 */
    longhand_exercise shown;
    longhand_answered answered;
};

void lh_api_lesson_free(struct lh_api_lesson *l) {
    if (!l) return;
    lh_task_close(l->task);
    lh_live_free(l->live);
    lh_lesson_free(l->lesson);
}

/* A lesson that another names travels along, or lies beside it. */
static bool find_beside(void *who, const char *name, lh_found *out) {
    const longhand *lh = who;
    if (lh_lesson_find(NULL, name, out)) return true;
    if (!lh->ctx->read_file || strchr(name, '/')) return false;
    for (int i = 0; i < 2; i++) {
        char *path = lh_printf(lh->arena, "%s%s%s", lh->beside, name, i ? ".lh" : ".md");
        *out = (lh_found){.file = path};
        out->text = lh_file_read_plain(lh->ctx, lh->arena, path, &out->length);
        if (out->text) return true;
        lh_context_clear(lh->ctx);
    }
    return false;
}

/* The whole lesson, whichever of its programs is open. */
static struct lh_api_lesson *lesson_of(longhand *lh) {
    if (!lh_api_program(lh)) return NULL;
    if (lh->lesson) return lh->lesson;
    if (!lh->opened.text || !lh_ends_in(lh->opened.file, ".md")) {
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere,
                "exercises are in lessons, and this is a program");
        lh_cure(lh->ctx, "longhand_open_lesson(lh, \"softmax\") opens a lesson");
        return NULL;
    }
    struct lh_api_lesson *l = lh_alloc(lh->arena, sizeof *l);
    const lh_finder finder = {find_beside, lh};
    l->lesson =
        lh_lesson_open(lh->ctx, lh->opened.file, lh->opened.text, lh->opened.length, &finder);
    l->live = l->lesson ? lh_live_new(l->lesson) : NULL;
    if (l->live) return lh->lesson = l;
    lh_api_lesson_free(l);
    return NULL;
}

int longhand_exercises(longhand *lh) {
    struct lh_api_lesson *l = lesson_of(lh);
    return l ? l->lesson->n_exercises : 0;
}

static lh_task *open_task(longhand *lh, int i) {
    struct lh_api_lesson *l = lesson_of(lh);
    if (!l) return NULL;
    if (i < 0 || i >= l->lesson->n_exercises) {
        lh_fail(lh->ctx, LH_ERROR_NAME, nowhere,
                "there is no exercise %d: the lesson has %d, counted from 0", i,
                l->lesson->n_exercises);
        return NULL;
    }
    if (l->task && l->number == i) return l->task;
    lh_task_close(l->task);
    l->task = lh_task_open(l->live, i);
    l->number = i;
    return l->task;
}

static const char *or_nothing(const char *s) {
    return s ? s : "";
}

static const char *const *choices_of(lh_arena *a, lh_task *t, int n) {
    const char **list = lh_alloc_array(a, (size_t)n + 1, sizeof *list);
    for (int i = 0; list && i < n; i++) list[i] = or_nothing(lh_task_option(t, i));
    return list;
}

static const char *const *hints_of(lh_arena *a, lh_task *t, int *n) {
    const char **list = NULL;
    *n = 0;
    for (const char *hint; (hint = lh_task_hint(t, *n));) *lh_push(a, list, *n) = hint;
    return list;
}

const longhand_exercise *longhand_exercise_at(longhand *lh, int i) {
    lh_task *t = open_task(lh, i);
    lh_arena *a = t ? lh_api_text(lh, LH_API_EXERCISE) : NULL;
    if (!a) return NULL;
    const lh_exercise *e = lh_task_exercise(t);
    longhand_exercise *x = &lh->lesson->shown;
    *x = (longhand_exercise){.kind = e->kind->name,
                             .title = or_nothing(e->title),
                             .question = or_nothing(lh_task_text(t, e->question)),
                             .form = or_nothing(lh_task_form(t)),
                             .n_choices = lh_task_options(t),
                             .key = or_nothing(lh_task_key(t)),
                             .because = lh_task_because(t)};
    x->choice = choices_of(a, t, x->n_choices);
    x->hint = hints_of(a, t, &x->n_hints);
    return lh_failed(lh->ctx) ? NULL : x;
}

_Static_assert((int)LONGHAND_RIGHT == LH_ANSWER_RIGHT && (int)LONGHAND_PARTLY == LH_ANSWER_PARTLY &&
                   (int)LONGHAND_WRONG == LH_ANSWER_WRONG &&
                   (int)LONGHAND_UNREAD == LH_ANSWER_UNREAD,
               "verdicts");

const longhand_answered *longhand_answer(longhand *lh, int i, const char *text) {
    if (lh_api_program(lh) && !text)
        lh_fail(lh->ctx, LH_ERROR_VALUE, nowhere, "longhand_answer: the answer is NULL");
    lh_task *t = open_task(lh, i);
    if (!t) return NULL;
    const lh_answered a = lh_task_answer(t, text);
    lh_arena *arena = lh_api_text(lh, LH_API_ANSWER);
    const char **line = arena ? lh_alloc_array(arena, (size_t)a.n_lines + 1, sizeof *line) : NULL;
    if (!line) return NULL;
    for (int k = 0; k < a.n_lines; k++) line[k] = a.line[k].text;
    lh->lesson->answered = (longhand_answered){.verdict = (longhand_verdict)a.state,
                                               .n_lines = a.n_lines,
                                               .line = line,
                                               .error = a.error ? a.error->what : "",
                                               .column = a.error ? a.error->at.col : 0};
    return lh_failed(lh->ctx) ? NULL : &lh->lesson->answered;
}
