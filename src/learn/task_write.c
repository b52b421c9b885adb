/* task_write -- a line of notation that is missing. The answer takes its place, and the program must mean the same. */
#include <string.h>

#include "learn/lesson_internal.h"
#include "learn/task_internal.h"

typedef struct lh_writing {
    lh_program *own;           /* of given: and key: lines, or NULL */
    const lh_program *program; /* the right one, and below its graph */
    lh_graph *g;
    bool owns_graph;
    const lh_statement *line; /* the one that is asked for */
    const char *step;         /* its path in the graph: Z, WO:= */
    const char *key;          /* its text */
} lh_writing;

#define WHO "your line" /* stands where a file's name stands in messages */

static lh_writing *writing_of(const lh_task *t) {
    return t->own;
}

/* ---- opening ---- */

static const char *line_name(lh_task *t, const lh_statement *s) {
    return s->kind == LH_S_UPDATE ? lh_printf(t->arena, "%s:=", s->name) : s->name;
}

static const char *sign(const lh_statement *s) {
    return s->kind == LH_S_UPDATE ? ":=" : "=";
}

static const lh_statement *find_statement(lh_task *t, const lh_program *p, const char *name) {
    for (int i = 0; i < p->n_statements; i++) {
        const lh_statement *s = p->statement[i];
        if (s->kind != LH_S_STEP && s->kind != LH_S_UPDATE) continue;
        if (strcmp(line_name(t, s), name) == 0) return s;
    }
    return NULL;
}

/* The line as it stands, without its comment. */
static const char *line_text(lh_task *t, const lh_program *p, const lh_statement *s) {
    for (lh_text_row row = {0}; lh_text_row_next(p->source, p->length, 1, &row);)
        if (row.number == s->at.line) {
            lh_text_row code = lh_row_trim(lh_row_code(row));
            return lh_copy(t->arena, code.s, code.n);
        }
    return "";
}

/* line: Z, or fit:loss for a named program as it stands. */
static bool take_line(lh_task *t, const lh_field *f) {
    lh_writing *w = writing_of(t);
    const char *colon = strchr(f->value, ':'), *name = f->value;
    int program = 0;
    if (colon && colon[1] != '=') {
        const char *of = lh_copy(t->arena, f->value, (size_t)(colon - f->value));
        program = lh_lesson_program_named(t->l, of, t->e->number);
        name = colon + 1;
        if (program < 0)
            return lh_task_fail(t, f->value_at, "line: there is no program named %.60s", of);
        if (t->l->program[program].of >= 0 || t->l->program[program].is_elsewhere)
            return lh_task_fail(t, f->value_at, "line: %.60s has no lines of its own here", of);
    }
    w->program = lh_live_program_of(t->v, program);
    w->g = lh_live_graph(t->v, program);
    if (!w->g) return false;
    w->line = find_statement(t, w->program, name);
    if (!w->line) {
        lh_task_fail(t, f->value_at, "line: the program has no line that makes %.60s", name);
        lh_cure(t->ctx, "a line of the program itself: Z, or WO:= for an update");
        return false;
    }
    return true;
}

static bool take_given(lh_task *t, const lh_field *key) {
    lh_writing *w = writing_of(t);
    lh_text text = lh_text_new(t->arena);
    int n = 0;
    for (const lh_field *f; (f = lh_exercise_field(t->e, "given", n)); n++)
        lh_text_add(&text, "%s\n", f->value);
    lh_text_add(&text, "%s\n", key->value);
    w->own = lh_program_parse(t->ctx, t->l->file, text.s, text.n);
    w->program = w->own;
    w->g = w->own ? lh_graph_build(t->ctx, w->own, NULL) : NULL;
    w->owns_graph = true;
    if (!w->g) { /* the line of the small program is that of a field */
        int line = t->ctx->error.at.line;
        const lh_field *at =
            line >= 1 && line <= n ? lh_exercise_field(t->e, "given", line - 1) : key;
        lh_error *e = &t->ctx->error;
        if (e->kind == LH_ERROR_MEMORY) return false;
        if (e->at.line) e->at.col += at->value_at.col - 1;
        e->at.line = at->value_at.line;
        if (!e->at.col) e->at.col = at->value_at.col;
        e->file[0] = e->source[0] = 0;
        lh_fail_in(t->ctx, t->l->file, t->l->source, t->l->length);
        return false;
    }
    const lh_statement *last =
        w->own->n_statements ? w->own->statement[w->own->n_statements - 1] : NULL;
    if (!last || (last->kind != LH_S_STEP && last->kind != LH_S_UPDATE))
        return lh_task_fail(t, key->value_at, "key: is a line such as scores = Q @ K^T");
    w->line = last;
    return true;
}

static bool open_write(lh_task *t) {
    lh_writing *w = t->own = lh_alloc(t->arena, sizeof *w);
    const lh_field *line, *key, *given = lh_exercise_field(t->e, "given", 0);
    if (!lh_task_only(t, "line", &line) || !lh_task_only(t, "key", &key)) return false;
    if (line && (key || given))
        return lh_task_fail(t, line->at,
                            "line: takes a line of the lesson's program; given: and "
                            "key: make one of the exercise's own");
    if (!line && !key)
        return lh_task_fail(t, t->e->at, "an exercise to write has line:, or given: and key:");
    if (!(line ? take_line(t, line) : take_given(t, key))) return false;
    w->step = line_name(t, w->line);
    w->key = line_text(t, w->program, w->line);
    if (!lh_graph_step(w->g, w->step))
        return lh_task_fail(t, (line ? line : key)->value_at, "%.60s is not a step of the program",
                            w->step);
    lh_comparison c = lh_task_compare(t->arena, w->g, w->g, w->step);
    if (c.is_same && c.n_draws < LH_TASK_DRAWS - 1)
        return lh_task_fail(t, t->e->at,
                            "the line cannot be tried on random numbers: %s gives none for them",
                            w->key);
    return !lh_failed(t->ctx);
}

static void close_write(lh_task *t) {
    lh_writing *w = writing_of(t);
    if (!w) return;
    if (w->owns_graph) lh_graph_free(w->g);
    lh_program_free(w->own);
}

/* ---- reading the answer ---- */

static bool has_sign(const char *s) {
    for (; *s && *s != '#'; s++) {
        bool is_compared = s[0] == '=' && s[1] == '=';
        bool is_half = strchr("<>!", *s) && s[1] == '=';
        if (is_compared || is_half)
            s++;
        else if (*s == '=')
            return true;
        else if (*s == '(' || *s == '[')
            return false; /* a name comes first, with neither */
    }
    return false;
}

/* The formula alone will do: Z = is put before it. */
static const char *whole_line(lh_task *t, const char *text) {
    const lh_statement *s = writing_of(t)->line;
    lh_text_row row = lh_row_trim((lh_text_row){text, strlen(text), 1});
    const char *bare = lh_copy(t->arena, row.s, row.n);
    return has_sign(bare) ? bare : lh_printf(t->arena, "%s %s %s", s->name, sign(s), bare);
}

/* By itself first: a bracket left open must not swallow the lesson's next line. */
static bool reads_well(lh_task *t, const char *line, lh_answered *out) {
    const lh_statement *asked = writing_of(t)->line;
    lh_program *p = lh_program_parse(t->ctx, WHO, line, strlen(line));
    if (!p) {
        lh_answered_take(t, out);
        return false;
    }
    const lh_statement *s = p->n_statements ? p->statement[0] : NULL;
    bool is_one = p->n_statements == 1 && (s->kind == LH_S_STEP || s->kind == LH_S_UPDATE);
    bool is_it = is_one && s->kind == asked->kind && strcmp(s->name, asked->name) == 0;
    if (!is_one)
        lh_answered_refuse(t, out, "One line is asked for: %s %s ...", asked->name, sign(asked));
    else if (!is_it)
        lh_answered_refuse(t, out, "Your line defines %.40s, but %s %s ... is asked for.", s->name,
                           asked->name, sign(asked));
    lh_program_free(p);
    return is_it;
}

/* ---- trying it ---- */

/* An error in the answer's own line is shown there; one further down is told as what came of it. */
static void place_error(lh_task *t, const char *line, lh_answered *out) {
    lh_error *e = &t->ctx->error;
    int at = writing_of(t)->line->at.line;
    if (e->kind == LH_ERROR_MEMORY || e->at.line == 0 || e->at.line == at) {
        e->file[0] = e->source[0] = 0;
        if (e->at.line == at) e->at.line = 1;
        lh_fail_in(t->ctx, WHO, line, strlen(line));
        lh_answered_take(t, out);
        return;
    }
    lh_answered_say(t, out, "With your line, line %d of the lesson does not work: %s", e->at.line,
                    e->what);
    out->state = LH_ANSWER_WRONG;
    lh_context_clear(t->ctx);
}

static void say_difference(lh_task *t, const lh_comparison *c, lh_answered *out) {
    const char *where = c->draw ? lh_printf(t->arena, "on random numbers (draw %d)", c->draw)
                                : "on the lesson's numbers";
    if (!c->cell) {
        lh_answered_say(t, out, "Your line changes what the program is given.");
        return;
    }
    if (c->shape[0]) {
        lh_answered_say(t, out, "%s is %s with your line, and should be %s.", c->cell, c->shape[1],
                        c->shape[0]);
        return;
    }
    int digits = 4;
    const char *own = "", *right = own;
    for (; digits <= 12 && strcmp(own, right) == 0; digits++) {
        own = lh_task_number(t->arena, c->own, digits);
        right = lh_task_number(t->arena, c->right, digits);
    }
    lh_answered_say(t, out, "%s is %s with your line, and should be %s, %s%s%s.", c->cell, own,
                    right, where, *c->operands ? ": " : "", c->operands);
}

static void try_line(lh_task *t, const char *line, lh_answered *out) {
    lh_writing *w = writing_of(t);
    const char *text = lh_lesson_with_line(t->arena, w->program, w->step, line);
    lh_program *p = text ? lh_program_parse(t->ctx, w->program->file, text, strlen(text)) : NULL;
    lh_graph *g = p ? lh_graph_build(t->ctx, p, &w->g->how) : NULL;
    lh_comparison c = {0};
    if (g && lh_task_bears(t, g, 0)) c = lh_task_compare(t->arena, w->g, g, w->step);
    if (lh_failed(t->ctx))
        place_error(t, line, out);
    else if (c.is_same)
        out->state = LH_ANSWER_RIGHT;
    else
        say_difference(t, &c, out);
    if (c.is_same)
        lh_answered_say(t, out, "The same numbers as the lesson's line, also on %d random inputs.",
                        c.n_draws);
    lh_graph_free(g);
    lh_program_free(p);
}

static void answer(lh_task *t, const char *text, lh_answered *out) {
    const char *line = whole_line(t, text);
    if (strpbrk(line, "\n\r"))
        lh_answered_refuse(t, out, "Only one line is asked for, but this is more than one.");
    else if (reads_well(t, line, out))
        try_line(t, line, out);
}

static const char *key(lh_task *t) {
    return writing_of(t)->key;
}

static void work(lh_task *t, lh_text *out) {
    lh_text_add(out, "%s\n", writing_of(t)->key);
}

static const char *form(lh_task *t) {
    const lh_statement *s = writing_of(t)->line;
    return lh_printf(t->arena, "%s %s ...", s->name, sign(s));
}

static const lh_program *program(lh_task *t, int *last) {
    *last = writing_of(t)->line->at.line - 1;
    return writing_of(t)->program;
}

const lh_task_kind lh_task_write = {
    .name = "write",
    .summary = "a line of the program, tried on its numbers and on random ones",
    .fields = {"line", "given", "key"},
    .has_gap = true,
    .open = open_write,
    .close = close_write,
    .answer = answer,
    .key = key,
    .work = work,
    .form = form,
    .program = program,
};
