/* exercise -- what all kinds have in common: opening, texts with numbers, and the check that a lesson's exercises can be done. */
#include "learn/exercise.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "learn/fence.h"
#include "learn/task_internal.h"

const char *const lh_answer_words[LH_ANSWER_UNREAD + 1] = {"right", "partly", "wrong", "not read"};

#define TASK(name) extern const lh_task_kind lh_task_##name;
#include "learn/tasks.def"
#undef TASK

const lh_task_kind *const lh_task_kinds[] = {
#define TASK(name) &lh_task_##name,
#include "learn/tasks.def"
#undef TASK
    NULL,
};

/* ---- what is wrong with a block ---- */

bool lh_task_fail(lh_task *t, lh_place at, const char *what, ...) {
    char text[sizeof t->ctx->error.what];
    va_list args;
    va_start(args, what);
    lh_vformat(text, sizeof text, what, args);
    va_end(args);
    lh_fail(t->ctx, LH_ERROR_TEXT, at, "%s", text);
    lh_fail_in(t->ctx, t->l->file, t->l->source, t->l->length);
    return false;
}

bool lh_task_only(lh_task *t, const char *name, const lh_field **out) {
    const lh_field *second = lh_exercise_field(t->e, name, 1);
    *out = lh_exercise_field(t->e, name, 0);
    if (!second) return true;
    return lh_task_fail(t, second->at, "%s: occurs twice, but an exercise has only one", name);
}

lh_where lh_task_where(const lh_task *t, lh_place at) {
    return (lh_where){0, t->e->number, at};
}

/* ---- what is said of an answer ---- */

void lh_answered_say(lh_task *t, lh_answered *out, const char *what, ...) {
    char text[1000];
    va_list args;
    va_start(args, what);
    lh_vformat(text, sizeof text, what, args);
    va_end(args);
    *lh_push(t->arena, out->line, out->n_lines) =
        (lh_advice){LH_BLANK, lh_printf(t->arena, "%s", text)};
}

void lh_answered_refuse(lh_task *t, lh_answered *out, const char *what, ...) {
    char text[1000];
    va_list args;
    va_start(args, what);
    lh_vformat(text, sizeof text, what, args);
    va_end(args);
    out->state = LH_ANSWER_UNREAD;
    lh_answered_say(t, out, "%s", text);
}

/* Sizes that do not fit and numbers that lead nowhere are wrong answers; what cannot be read is none. */
bool lh_answered_take(lh_task *t, lh_answered *out) {
    if (!lh_failed(t->ctx)) return false;
    const lh_error *e = lh_context_error(t->ctx);
    bool is_wrong = e->kind == LH_ERROR_SHAPE || e->kind == LH_ERROR_VALUE;
    lh_error *kept = lh_alloc_array(t->arena, 1, sizeof *kept);
    if (kept) *kept = *e;
    out->state = is_wrong ? LH_ANSWER_WRONG : LH_ANSWER_UNREAD;
    out->error = kept;
    if (e->kind != LH_ERROR_MEMORY) lh_context_clear(t->ctx);
    return true;
}

const char *lh_task_number(lh_arena *a, double x, int digits) {
    char text[LH_NUMBER_MAX];
    return lh_printf(a, "%s", lh_number_text(text, sizeof text, x, digits));
}

/* ---- how much is too much ---- */

enum { LENGTH = 32 };                /* taken for an axis that differs from example to example */
static const double most_work = 5e8; /* multiply-adds and other operations, roughly */

static double axis_size(const lh_graph *g, int axis) {
    return g->axis[axis].n ? (double)g->axis[axis].n : LENGTH;
}

/* Refused before a number of it is computed. */
bool lh_task_bears(lh_task *t, const lh_graph *g, int updates) {
    double cells = 0, work = 0, examples = g->n_examples > 1 ? g->n_examples : 1;
    for (int i = 0; i < g->n_nodes; i++) {
        const lh_node *n = g->node[i];
        double one = axis_size(g, n->shape.rows) * axis_size(g, n->shape.cols) *
                     axis_size(g, n->shape.heads) * (n->shape.is_batched ? examples : 1);
        cells += one;
        work += n->kind == LH_OP_matmul ? one * axis_size(g, n->in[0]->shape.cols) : one;
    }
    work *= updates + 1;
    if (cells <= LH_TASK_CELLS && work <= most_work) return true;
    lh_fail(t->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
            "this is too large to try: %.0f numbers, about %.2g operations", cells, work);
    lh_cure(t->ctx, "smaller sizes will do");
    return false;
}

/* ---- opening ---- */

lh_task *lh_task_open(lh_live *v, int exercise) {
    lh_lesson *l = v ? lh_live_lesson(v) : NULL;
    if (!l || lh_failed(l->ctx) || exercise < 0 || exercise >= l->n_exercises) return NULL;
    lh_arena *a = lh_arena_new(l->ctx);
    if (!a) return NULL;
    lh_task *t = lh_alloc(a, sizeof *t);
    *t = (lh_task){.v = v,
                   .l = l,
                   .ctx = l->ctx,
                   .arena = a,
                   .e = &l->exercise[exercise],
                   .kind = l->exercise[exercise].kind};
    bool good = t->kind->open(t);
    if (good && !lh_failed(t->ctx)) return t;
    if (!lh_failed(t->ctx)) lh_task_fail(t, t->e->at, "the exercise cannot be opened");
    lh_task_close(t);
    return NULL;
}

void lh_task_close(lh_task *t) {
    if (!t) return;
    if (t->kind->close) t->kind->close(t);
    lh_arena_free(t->arena);
}

const lh_exercise *lh_task_exercise(const lh_task *t) {
    return t->e;
}

/* ---- texts ---- */

const char *lh_task_text(lh_task *t, const char *text) {
    lh_text out = lh_text_new(t->arena);
    while (*text) {
        int insert = lh_insert_at(text);
        if (insert < 0) {
            lh_text_add_n(&out, text++, 1);
            continue;
        }
        const lh_shown_insert *x = lh_live_insert(t->v, insert);
        if (!x) return NULL;
        lh_text_add(&out, "%s", x->text);
        text += 3;
    }
    return out.s;
}

const char *lh_task_hint(lh_task *t, int i) {
    const lh_field *f = lh_exercise_field(t->e, "hint", i);
    return f ? lh_task_text(t, f->value) : NULL;
}

const char *lh_task_because(lh_task *t) {
    const lh_field *f = lh_exercise_field(t->e, "because", 0);
    const char *text = f ? lh_task_text(t, f->value) : "";
    return text ? text : "";
}

const char *lh_task_form(lh_task *t) {
    return t->kind->form ? t->kind->form(t)
                         : lh_printf(t->arena, "a number from 1 to %d", t->n_choices);
}

lh_practice *lh_task_practice(lh_task *t) {
    return t->kind->practice ? t->kind->practice(t) : NULL;
}

const char *lh_task_next(lh_task *t) {
    return t->kind->next ? t->kind->next(t) : "";
}

const char **lh_task_lines(lh_task *t, int *n) {
    int last = INT_MAX;
    const char **line = NULL;
    const lh_program *p = t->kind->program ? t->kind->program(t, &last) : NULL;
    *n = 0;
    for (lh_text_row row = {0}; p && lh_text_row_next(p->source, p->length, 1, &row);) {
        lh_text_row code = lh_row_trim(lh_row_code(row));
        if (!code.n || row.number > last) continue;
        *lh_push(t->arena, line, *n) = lh_copy(t->arena, row.s, (size_t)(code.s - row.s) + code.n);
    }
    if (t->kind->has_gap) *lh_push(t->arena, line, *n) = lh_task_form(t);
    return line;
}

int lh_exercise_count(const char *text, size_t length) {
    int n = 0;
    for (lh_segment s = {0}; lh_segment_next(text, length, &s);) n += lh_segment_is(&s, "exercise");
    return n;
}

/* ---- answers ---- */

static bool is_empty(const char *s) {
    return s[strspn(s, " \t\r\n")] == 0;
}

lh_answered lh_task_answer(lh_task *t, const char *text) {
    lh_answered out = {.state = LH_ANSWER_WRONG};
    if (is_empty(text))
        lh_answered_say(t, &out, "There is no answer yet: type %s", lh_task_form(t));
    else if (strlen(text) > LH_TASK_TEXT)
        lh_answered_refuse(t, &out, "That is too long: an answer has at most %d characters.",
                           LH_TASK_TEXT);
    else
        t->kind->answer(t, text, &out);
    return out;
}

const char *lh_task_key(lh_task *t) {
    return t->kind->key(t);
}

const char **lh_task_working(lh_task *t, int *n) {
    lh_text all = lh_text_new(t->arena);
    const char **line = NULL;
    *n = 0;
    t->kind->work(t, &all);
    for (char *s = all.s; *s;) {
        size_t k = strcspn(s, "\n");
        *lh_push(t->arena, line, *n) = lh_copy(t->arena, s, k);
        s += k + (s[k] == '\n');
    }
    return line;
}

/* ---- the check ---- */

static void take(lh_task *t, lh_problems *problems) {
    lh_problems_take(problems, t->ctx, t->e->at);
}

const char *lh_answered_why(const lh_answered *a) {
    return a->error ? a->error->what : a->n_lines ? a->line[0].text : "";
}

static void check_texts(lh_task *t, lh_problems *problems) {
    lh_task_text(t, t->e->question);
    take(t, problems);
    for (int i = 0; i < t->e->n_fields && !lh_failed(t->ctx); i++) {
        const lh_field *f = &t->e->field[i];
        bool is_number = strcmp(f->name, "hint") == 0 || strcmp(f->name, "because") == 0;
        if (is_number) lh_task_text(t, f->value);
        take(t, problems);
    }
}

void lh_exercise_check(lh_live *v, int exercise, lh_problems *problems) {
    lh_task *t = lh_task_open(v, exercise);
    const lh_exercise *e = &lh_live_lesson(v)->exercise[exercise];
    if (!t) {
        lh_problems_take(problems, lh_live_lesson(v)->ctx, e->at);
        return;
    }
    check_texts(t, problems);
    lh_answered a = lh_task_answer(t, "");
    if (a.state == LH_ANSWER_RIGHT)
        lh_problem_add(problems, LH_ERROR_TEXT, e->at, "the exercise is done without an answer");
    if (t->kind->check) t->kind->check(t, problems);
    const char *key = lh_failed(t->ctx) ? NULL : lh_task_key(t);
    take(t, problems);
    if (key) a = lh_task_answer(t, key);
    const lh_field *f = lh_exercise_field(e, "key", 0);
    if (key && a.state != LH_ANSWER_RIGHT)
        lh_problem_add(problems, LH_ERROR_TEXT, f ? f->value_at : e->at,
                       "the key %.80s does not pass: %s", key, lh_answered_why(&a));
    take(t, problems);
    lh_task_close(t);
}
