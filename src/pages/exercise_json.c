#include "pages/exercise_json.h"

#include "learn/task.h"

static void put_head(lh_json *j, const char *lesson, const lh_exercise *e) {
    lh_json_text(j, "lesson", lesson);
    lh_json_int(j, "exercise", e->number);
    lh_json_text(j, "kind", e->kind->name);
    lh_json_text(j, "title", e->title);
}

void lh_exercise_list(lh_json *j, const char *lesson, const lh_lesson *l, const bool *is_done) {
    lh_json_text(j, "lesson", lesson);
    lh_json_text(j, "title", l->title);
    lh_json_begin(j, "exercises", '[');
    for (int i = 0; i < l->n_exercises; i++) {
        const lh_exercise *e = &l->exercise[i];
        lh_json_begin(j, NULL, '{');
        lh_json_int(j, "exercise", e->number);
        lh_json_text(j, "kind", e->kind->name);
        lh_json_text(j, "title", e->title);
        lh_json_int(j, "line", e->at.line);
        if (is_done) lh_json_bool(j, "done", is_done[i]);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

void lh_exercise_question(lh_json *j, const char *lesson, lh_task *t, bool is_done) {
    const lh_exercise *e = lh_task_exercise(t);
    int n = 0, hints = 0;
    put_head(j, lesson, e);
    const char **line = lh_task_lines(t, &n);
    while (lh_exercise_field(e, "hint", hints)) hints++;
    lh_json_text(j, "question", lh_task_text(t, e->question));
    lh_json_text(j, "form", lh_task_form(t));
    lh_json_begin(j, "choices", '[');
    for (int i = 0; i < lh_task_options(t); i++) lh_json_text(j, NULL, lh_task_option(t, i));
    lh_json_end(j, ']');
    lh_json_begin(j, "program", '[');
    for (int i = 0; i < n; i++) lh_json_text(j, NULL, line[i]);
    lh_json_end(j, ']');
    lh_json_int(j, "hints", hints);
    lh_json_bool(j, "done", is_done);
}

void lh_exercise_verdict(lh_json *j, const char *lesson, lh_task *t, const lh_answered *a) {
    put_head(j, lesson, lh_task_exercise(t));
    lh_json_text(j, "verdict", lh_answer_words[a->state]);
    lh_json_begin(j, "lines", '[');
    for (int i = 0; i < a->n_lines; i++) lh_json_text(j, NULL, a->line[i].text);
    lh_json_end(j, ']');
    lh_json_text(j, "error", a->error ? a->error->what : NULL);
    lh_json_int(j, "column", a->error ? a->error->at.col : 0);
    lh_json_text(j, "because", a->state == LH_ANSWER_RIGHT ? lh_task_because(t) : NULL);
}

void lh_exercise_key(lh_json *j, const char *lesson, lh_task *t) {
    int n = 0;
    const char **line = lh_task_working(t, &n);
    put_head(j, lesson, lh_task_exercise(t));
    lh_json_text(j, "key", lh_task_key(t));
    lh_json_begin(j, "working", '[');
    for (int i = 0; i < n; i++) lh_json_text(j, NULL, line[i]);
    lh_json_end(j, ']');
    lh_json_text(j, "because", lh_task_because(t));
}
