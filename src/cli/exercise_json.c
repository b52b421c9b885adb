/* exercise_json -- exercises for programs: longhand-json(5) has the fields. */
#include "cli/exercise_command.h"
#include "cli/json_stream.h"

static lh_json open_json(const lh_exercise_state *c, const lh_exercise *e) {
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_json_text(&j, "lesson", c->source.name);
    if (!e) return j;
    lh_json_int(&j, "exercise", e->number);
    lh_json_text(&j, "kind", e->kind->name);
    lh_json_text(&j, "title", e->title);
    return j;
}

static void end_json(lh_json *j) {
    lh_json_end(j, '}');
    lh_json_close(j);
}

void lh_json_list(const lh_exercise_state *c) {
    lh_json j = open_json(c, NULL);
    lh_json_text(&j, "title", c->lesson->title);
    lh_json_begin(&j, "exercises", '[');
    for (int i = 0; i < c->lesson->n_exercises; i++) {
        const lh_exercise *e = &c->lesson->exercise[i];
        lh_json_begin(&j, NULL, '{');
        lh_json_int(&j, "exercise", e->number);
        lh_json_text(&j, "kind", e->kind->name);
        lh_json_text(&j, "title", e->title);
        lh_json_int(&j, "line", e->at.line);
        lh_json_bool(&j, "done", c->is_done[i]);
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    end_json(&j);
}

void lh_json_question(const lh_exercise_state *c, lh_task *t) {
    const lh_exercise *e = lh_task_exercise(t);
    lh_json j = open_json(c, e);
    int n = 0, hints = 0;
    const char **line = lh_task_lines(t, &n);
    while (lh_exercise_field(e, "hint", hints)) hints++;
    lh_json_text(&j, "question", lh_task_text(t, e->question));
    lh_json_text(&j, "form", lh_task_form(t));
    lh_json_begin(&j, "choices", '[');
    for (int i = 0; i < lh_task_options(t); i++) lh_json_text(&j, NULL, lh_task_option(t, i));
    lh_json_end(&j, ']');
    lh_json_begin(&j, "program", '[');
    for (int i = 0; i < n; i++) lh_json_text(&j, NULL, line[i]);
    lh_json_end(&j, ']');
    lh_json_int(&j, "hints", hints);
    lh_json_bool(&j, "done", c->is_done[e->number - 1]);
    end_json(&j);
}

void lh_json_answer(const lh_exercise_state *c, lh_task *t, const lh_answered *a) {
    lh_json j = open_json(c, lh_task_exercise(t));
    lh_json_text(&j, "verdict", lh_answer_words[a->state]);
    lh_json_begin(&j, "lines", '[');
    for (int i = 0; i < a->n_lines; i++) lh_json_text(&j, NULL, a->line[i].text);
    lh_json_end(&j, ']');
    lh_json_text(&j, "error", a->error ? a->error->what : NULL);
    lh_json_int(&j, "column", a->error ? a->error->at.col : 0);
    lh_json_text(&j, "because", a->state == LH_ANSWER_RIGHT ? lh_task_because(t) : NULL);
    end_json(&j);
}

void lh_json_key(const lh_exercise_state *c, lh_task *t) {
    int n = 0;
    const char **line = lh_task_working(t, &n);
    lh_json j = open_json(c, lh_task_exercise(t));
    lh_json_text(&j, "key", lh_task_key(t));
    lh_json_begin(&j, "working", '[');
    for (int i = 0; i < n; i++) lh_json_text(&j, NULL, line[i]);
    lh_json_end(&j, ']');
    lh_json_text(&j, "because", lh_task_because(t));
    end_json(&j);
}
