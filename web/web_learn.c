/* web_learn -- worksheets and exercises: asked, marked, explained by the same words as at the prompt. */
#include <stdlib.h>
#include <string.h>

#include "learn/chosen.h"
#include "pages/exercise_json.h"
#include "pages/mark_json.h"
#include "pages/sheet_json.h"
#include "web.h"

/* ---- papers ---- */

/* A sheet that a page asks for: seed=7 digits=4 steps=Z,P. */
typedef struct wish {
    unsigned long long seed;
    int digits;
    const char **step;
    int n_steps;
    bool key, note;
} wish;

static void drop_paper(lh_web *w) {
    lh_paper_free(w->paper);
    lh_arena_free(w->paper_arena);
    w->paper = NULL;
    w->paper_arena = NULL;
}

void lh_web_drop_paper(lh_web *w) {
    drop_paper(w);
    lh_mistakes_free(w->mistakes);
    lh_program_free(w->paper_program);
    w->mistakes = NULL;
    w->paper_program = NULL;
}

static const char *next_name(const char **s, size_t *n) {
    const char *name = *s;
    *n = strcspn(*s, ",");
    *s += *n + ((*s)[*n] == ',');
    return *n ? name : NULL;
}

static bool read_wish(lh_web *w, int n, const char *const *argument, wish *x) {
    char *end = "";
    *x = (wish){0};
    for (int i = 0; i < n && !*end; i++) {
        const char *s = argument[i];
        if (strncmp(s, "seed=", 5) == 0) {
            x->seed = strtoull(s + 5, &end, 10);
        } else if (strncmp(s, "digits=", 7) == 0) {
            x->digits = (int)strtol(s + 7, &end, 10);
        } else if (strcmp(s, "note") == 0) {
            x->note = true;
        } else if (strncmp(s, "steps=", 6) == 0) {
            size_t length;
            s += 6;
            for (const char *name; *s && (name = next_name(&s, &length));)
                *lh_push(w->arena, x->step, x->n_steps) = lh_copy(w->arena, name, length);
        } else {
            end = (char *)s;
        }
    }
    if (*end) return lh_web_fail(w, LH_ERROR_TEXT, "\"%.60s\" is no wish for a sheet", end);
    if (x->digits < 0 || x->digits > 12)
        return lh_web_fail(w, LH_ERROR_VALUE, "%d digits: 1 to 12 can be asked for", x->digits);
    return true;
}

/* What the reader has set stands in the program's lines: a sheet is made from its text. */
static bool put_settings(lh_web *w, lh_program *p) {
    for (int i = 0; i < w->n_settings; i++) {
        const lh_web_setting *x = &w->setting[i];
        lh_statement *s = NULL;
        if (x->program || !x->name) continue;
        for (int k = 0; k < p->n_statements && !s; k++) {
            const lh_statement_kind kind = p->statement[k]->kind;
            bool is_given =
                kind == LH_S_SIZE || kind == LH_S_CONST || kind == LH_S_PARAM || kind == LH_S_STATE;
            if (is_given && strcmp(p->statement[k]->name, x->name) == 0) s = p->statement[k];
        }
        if (!s)
            return lh_web_fail(w, LH_ERROR_NAME,
                               "%s of one layer was changed: a sheet has the same for all",
                               x->name);
        s->expr = lh_expr_parse(w->ctx, p->arena, x->whole, strlen(x->whole));
    }
    return !lh_failed(w->ctx);
}

/* With the mistakes that its sheet block adds: numbers are drawn so that they show, and marking knows them by name. */
static lh_program *program_of(lh_web *w) {
    const lh_lesson *l = w->lesson;
    lh_program *p = lh_lesson_parse(w->ctx, l->file, l->source, l->length);
    if (p && put_settings(w, p)) return p;
    lh_program_free(p);
    return NULL;
}

static bool load_mistakes(lh_web *w) {
    if (!w->paper_program) w->paper_program = program_of(w);
    if (w->paper_program && !w->mistakes) w->mistakes = lh_mistakes_load(w->ctx, w->paper_program);
    return w->mistakes != NULL;
}

/* A paper keeps the names of the steps that were asked for: they live as long as it does. */
static const char **copy_steps(lh_web *w, const wish *x) {
    w->paper_arena = lh_arena_new(w->ctx);
    const char **step = w->paper_arena
                            ? lh_alloc_array(w->paper_arena, (size_t)x->n_steps + 1, sizeof *step)
                            : NULL;
    for (int i = 0; step && i < x->n_steps; i++)
        step[i] = lh_copy(w->paper_arena, x->step[i], strlen(x->step[i]));
    return step;
}

static lh_paper *make_paper(lh_web *w, const wish *x) {
    const lh_lesson_sheet *asks = &w->lesson->sheet;
    bool own = x->n_steps > 0;
    const char **step = load_mistakes(w) ? copy_steps(w, x) : NULL;
    if (!step) return NULL;
    return lh_paper_new(w->ctx, w->paper_program,
                        &(lh_paper_how){.lesson = w->lesson->name,
                                        .title = w->lesson->title,
                                        .seed = x->seed,
                                        .digits = x->digits ? x->digits : asks->digits,
                                        .steps = own ? step : asks->step,
                                        .at = own ? NULL : asks->at,
                                        .n_steps = own ? x->n_steps : asks->n_steps,
                                        .is_named_by_caller = own,
                                        .key = x->key,
                                        .mistakes = w->mistakes});
}

/* The same paper as in the call before, where the same is wished: most calls mark what was just asked. */
static lh_paper *paper_for(lh_web *w, const wish *x) {
    lh_text all = lh_text_new(w->arena);
    lh_text_add(&all, "%llu %d %d", x->seed, x->digits ? x->digits : w->lesson->sheet.digits,
                x->key);
    for (int i = 0; i < x->n_steps; i++) lh_text_add(&all, " %s", x->step[i]);
    if (w->paper && strcmp(w->paper_key, all.s) == 0) return w->paper;
    drop_paper(w);
    w->paper = make_paper(w, x);
    if (w->paper) w->paper_key = lh_copy(w->paper_arena, all.s, all.n);
    return lh_failed(w->ctx) ? NULL : w->paper;
}

static void write_sheet(lh_web *w, const wish *x) {
    lh_paper *p = paper_for(w, x);
    lh_handout h = {.paper = p, .hidden = "", .learner = "", .id = "", .class_code = ""};
    if (p && x->note) h.hidden = lh_sheet_note(w->mistakes, p);
    if (p) lh_sheet_members(&w->json, &h);
}

void lh_web_sheet(lh_web *w, int n, const char *const *argument) {
    wish x;
    if (read_wish(w, n, argument, &x)) write_sheet(w, &x);
}

void lh_web_key(lh_web *w, int n, const char *const *argument) {
    wish x;
    if (!read_wish(w, n, argument, &x)) return;
    x.key = true;
    write_sheet(w, &x);
}

/* ---- marking ---- */

static lh_paper *paper_of(lh_web *w, const lh_answer_file *f) {
    wish x = {.seed = f->seed, .digits = f->digits, .step = f->step, .n_steps = f->n_steps};
    if (f->problem) {
        lh_fail(w->ctx, LH_ERROR_TEXT, (lh_place){f->problem_line, f->problem_line ? 1 : 0, 0},
                "%s", f->problem);
        return NULL;
    }
    if (f->lesson && strcmp(f->lesson, w->lesson->name) != 0) {
        lh_web_fail(w, LH_ERROR_NAME, "this is a sheet of %.60s, not of %.60s", f->lesson,
                    w->lesson->name);
        return NULL;
    }
    if (f->class_code) {
        lh_web_fail(w, LH_ERROR_VALUE, "the sheet was made with the secret of a class (code %.40s)",
                    f->class_code);
        return NULL;
    }
    lh_paper *p = paper_for(w, &x);
    if (!p || !f->code || strcmp(f->code, p->code) == 0) return p;
    lh_web_fail(w, LH_ERROR_VALUE,
                "the sheet was made from other numbers than %s has now (code %.20s, now %s)",
                w->lesson->name, f->code, p->code);
    return NULL;
}

static bool mark_one(lh_web *w, const char *text, int number, lh_class *class) {
    lh_answer_file *f = lh_answer_file_read(w->arena, text, strlen(text));
    lh_mark_told m = {.arena = w->arena, .lesson = w->lesson->name, .has_seed = true};
    m.paper = paper_of(w, f);
    if (!m.paper) return false;
    m.mistakes = w->mistakes;
    m.filled = lh_answers_read(w->arena, m.paper, f);
    m.marks = m.filled ? lh_mark(w->arena, m.paper->sheet, m.filled->answers, w->mistakes) : NULL;
    if (!m.marks || lh_failed(w->ctx)) return false;
    m.name = f->learner ? f->learner : "";
    m.id = f->id ? f->id : "";
    m.file = m.label = *m.name ? m.name : *m.id ? m.id : lh_printf(w->arena, "sheet %d", number);
    lh_class_row *row = lh_class_add(class, m.paper, m.filled, m.marks);
    row->learner = m.label;
    row->name = m.name;
    row->id = m.id;
    row->file = m.file;
    row->has_seed = true;
    lh_mark_sheet(&w->json, &m);
    return true;
}

/* One sheet or those of a class. One that cannot be marked has its error in its place, unless it is the only one. */
void lh_web_mark(lh_web *w, int n, const char *const *argument) {
    lh_class *class = load_mistakes(w) ? lh_class_new(w->arena, w->mistakes) : NULL;
    lh_json_text(&w->json, "lesson", w->lesson->name);
    lh_json_begin(&w->json, "sheets", '[');
    for (int i = 0; class && i < n; i++) {
        if (mark_one(w, argument[i], i + 1, class) || n == 1) continue;
        lh_error e = w->ctx->error;
        if (e.kind == LH_ERROR_MEMORY) break;
        lh_context_clear(w->ctx);
        lh_json_begin(&w->json, NULL, '{');
        lh_web_error(&w->json, "error", &e);
        lh_json_end(&w->json, '}');
    }
    lh_json_end(&w->json, ']');
    if (class && !lh_failed(w->ctx)) lh_mark_class(&w->json, class);
}

/* hint STEP LEVEL [seed=...]: as the prompt gives it where nothing is written yet. */
void lh_web_hint(lh_web *w, int n, const char *const *argument) {
    wish x;
    int level = atoi(argument[1]), n_lines = 0;
    if (!read_wish(w, n - 2, argument + 2, &x)) return;
    lh_paper *paper = paper_for(w, &x);
    lh_practice *p = paper ? lh_practice_new(paper, w->mistakes) : NULL;
    if (!p) return;
    int ask = lh_practice_find(p, argument[0]);
    if (ask < 0 || level < 1 || level > LH_HINTS) {
        lh_web_fail(w, LH_ERROR_NAME, "there is no hint %.20s for %.60s", argument[1], argument[0]);
    } else {
        lh_practice_go(p, ask);
        const lh_hint_line *line = lh_hint_lines(p, w->arena, level, &n_lines);
        lh_json_int(&w->json, "level", level);
        lh_json_int(&w->json, "levels", LH_HINTS);
        lh_json_text(&w->json, "title", lh_hint_titles[level - 1]);
        lh_json_begin(&w->json, "lines", '[');
        for (int i = 0; i < n_lines; i++) lh_json_text(&w->json, NULL, line[i].text);
        lh_json_end(&w->json, ']');
    }
    lh_practice_free(p);
}

/* ---- exercises ---- */

static lh_task *open_task(lh_web *w, const char *number) {
    int n = atoi(number);
    if (n >= 1 && n <= w->lesson->n_exercises) return lh_task_open(w->live, n - 1);
    lh_web_fail(w, LH_ERROR_NAME, "there is no exercise %.20s: they are numbered 1 to %d", number,
                w->lesson->n_exercises);
    return NULL;
}

void lh_web_exercise(lh_web *w, int n, const char *const *argument) {
    lh_task *t = open_task(w, argument[0]);
    (void)n;
    if (!t) return;
    lh_exercise_question(&w->json, w->lesson->name, t, false);
    const lh_practice *p = lh_task_practice(t);
    if (p) {
        lh_handout h = {.paper = p->paper, .hidden = "", .learner = "", .id = "", .class_code = ""};
        lh_json_text(&w->json, "next", lh_task_next(t));
        lh_json_begin(&w->json, "sheet", '{');
        lh_sheet_members(&w->json, &h);
        lh_json_end(&w->json, '}');
    }
    lh_task_close(t);
}

void lh_web_judge(lh_web *w, int n, const char *const *argument) {
    lh_task *t = open_task(w, argument[0]);
    (void)n;
    if (!t) return;
    lh_answered a = lh_task_answer(t, argument[1]);
    lh_exercise_verdict(&w->json, w->lesson->name, t, &a);
    lh_task_close(t);
}

void lh_web_exercise_hint(lh_web *w, int n, const char *const *argument) {
    lh_task *t = open_task(w, argument[0]);
    (void)n;
    if (!t) return;
    lh_json_text(&w->json, "hint", lh_task_hint(t, atoi(argument[1])));
    lh_task_close(t);
}

void lh_web_exercise_key(lh_web *w, int n, const char *const *argument) {
    lh_task *t = open_task(w, argument[0]);
    (void)n;
    if (!t) return;
    lh_exercise_key(&w->json, w->lesson->name, t);
    lh_task_close(t);
}
