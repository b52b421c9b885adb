/* task_experiment -- settings are made, and a claim must come to hold.
 *
 * The lesson's program, or the first one that the exercise's use: names, is made again with the learner's settings, for an exercise
 * number that nobody else has: so the claim, which speaks of `mine` or of nobody, finds the new one and all others as they were.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"
#include "learn/task_internal.h"

#define STEPS                                                                                      \
    "steps" /* where the program has no such name: how many updates, for until: loss@steps */

enum { MOST_NAMES = 8 };

typedef struct lh_experiment {
    const char *name[MOST_NAMES]; /* what may be set */
    int n;
    int steps; /* which of them is the number of updates, or -1 */
    int base;  /* the program that is set */
    const lh_field *until, *key;
} lh_experiment;

typedef struct made {
    const char *value[MOST_NAMES]; /* NULL: as it was */
} made;

static lh_experiment *experiment_of(const lh_task *t) {
    return t->own;
}

/* ---- opening ---- */

static bool is_settable(const lh_step *s) {
    if (!s || s->kind != LH_STEP_GIVEN) return false;
    return s->node->kind == LH_OP_size ||
           (s->node->kind == LH_OP_given && s->node->given->kind != LH_STATE);
}

static bool add_name(lh_task *t, lh_graph *g, const char *name, const lh_field *f) {
    lh_experiment *x = experiment_of(t);
    bool is_there = is_settable(lh_graph_step(g, name));
    if (x->n == MOST_NAMES)
        return lh_task_fail(t, f->value_at, "set: at most %d names", MOST_NAMES);
    if (!is_there && strcmp(name, STEPS) != 0) {
        const char *known[64];
        int n = 0;
        for (int i = 0; i < g->n_steps && n < 64; i++)
            if (is_settable(g->step[i])) known[n++] = g->step[i]->path;
        const char *near = lh_nearest(name, known, n);
        lh_task_fail(t, f->value_at, "set: the program has no size or const %.60s", name);
        if (near) lh_cure(t->ctx, "did you mean %s?", near);
        return false;
    }
    if (!is_there) x->steps = x->n;
    x->name[x->n++] = name;
    return true;
}

static bool read_names(lh_task *t) {
    const lh_field *f;
    lh_graph *g = lh_live_graph(t->v, experiment_of(t)->base);
    if (!g) return false;
    if (!lh_task_only(t, "set", &f)) return false;
    if (!f)
        return lh_task_fail(t, t->e->at, "an exercise to experiment says what may be set: set:");
    for (const char *s = f->value; *(s += strspn(s, " ,\t"));) {
        size_t n = strcspn(s, " ,\t");
        if (!add_name(t, g, lh_copy(t->arena, s, n), f)) return false;
        s += n;
    }
    return true;
}

static bool evaluate(lh_task *t, const made *m, lh_claim *claim);

static bool open_experiment(lh_task *t) {
    lh_experiment *x = t->own = lh_alloc(t->arena, sizeof *x);
    lh_claim claim;
    x->steps = -1;
    for (int i = t->l->n_programs - 1; i > 0; i--)
        if (t->l->program[i].exercise == t->e->number) x->base = i;
    if (!read_names(t) || !lh_task_only(t, "until", &x->until) || !lh_task_only(t, "key", &x->key))
        return false;
    if (!x->until || !lh_live_is_claim(x->until->value))
        return lh_task_fail(t, x->until ? x->until->value_at : t->e->at,
                            "until: is a claim, such as loss@10 < 0.1");
    if (!x->key) return lh_task_fail(t, t->e->at, "an exercise to experiment has a key:");
    if (!evaluate(t, &(made){0}, &claim)) return false;
    if (claim.holds)
        return lh_task_fail(t, x->until->value_at, "until: holds before anything is set: %.80s",
                            claim.shown);
    return true;
}

/* ---- what is typed ---- */

/* Numbers and arithmetic, nothing that has a name: no file, no function, no other value. */
static bool is_plain(const lh_expr *e) {
    if (e->kind == LH_E_NUMBER || e->kind == LH_E_MATRIX) return true;
    bool is_sum = e->kind == LH_E_NEG || e->kind == LH_E_ADD || e->kind == LH_E_SUB ||
                  e->kind == LH_E_MUL || e->kind == LH_E_TIMES || e->kind == LH_E_DIV ||
                  e->kind == LH_E_POW;
    for (int i = 0; is_sum && i < e->n_args; i++) is_sum = is_plain(e->arg[i]);
    return is_sum;
}

static int find_name(const lh_experiment *x, const char *name) {
    for (int i = 0; i < x->n; i++)
        if (strcmp(x->name[i], name) == 0) return i;
    return -1;
}

static const char *list_names(lh_task *t) {
    lh_text out = lh_text_new(t->arena);
    const lh_experiment *x = experiment_of(t);
    for (int i = 0; i < x->n; i++)
        lh_text_add(&out, "%s%s", i == 0 ? "" : i + 1 == x->n ? " and " : ", ", x->name[i]);
    return out.s;
}

static bool check_whole(lh_task *t, lh_answered *out, int name, const lh_expr *e, int from,
                        int most) {
    double x = e->kind == LH_E_NUMBER ? e->number : NAN;
    if (x == floor(x) && x >= from && x <= most) return true;
    lh_answered_refuse(t, out, "%s is a whole number from %d to %d here.",
                       experiment_of(t)->name[name], from, most);
    return false;
}

static bool check_value(lh_task *t, lh_answered *out, int name, const char *value) {
    const lh_experiment *x = experiment_of(t);
    lh_graph *g = lh_live_graph(t->v, x->base);
    lh_expr *e = g ? lh_expr_parse(t->ctx, t->arena, value, strlen(value)) : NULL;
    if (!e || lh_failed(t->ctx) || !is_plain(e)) {
        if (lh_failed(t->ctx) && t->ctx->error.kind != LH_ERROR_MEMORY) lh_context_clear(t->ctx);
        lh_answered_refuse(t, out, "%s=%.40s: a number belongs after the =.", x->name[name], value);
        return false;
    }
    if (name == x->steps) return check_whole(t, out, name, e, 0, LH_TASK_UPDATES);
    const lh_step *s = lh_graph_step(g, x->name[name]);
    bool is_size = s && s->node->kind == LH_OP_size;
    return !is_size || check_whole(t, out, name, e, 1, LH_TASK_SIZE);
}

/* A value ends at a space or a comma outside brackets; there, a comma before a digit is a decimal comma. */
static const char *take_value(lh_task *t, const char **s) {
    lh_text out = lh_text_new(t->arena);
    int depth = 0;
    const char *p = *s;
    for (; *p; p++) {
        depth += (*p == '[' || *p == '(') - (*p == ']' || *p == ')');
        bool is_comma = depth <= 0 && *p == ',' && p[1] >= '0' && p[1] <= '9';
        if (depth <= 0 && !is_comma && strchr(" ,;\t\r\n", *p)) break;
        lh_text_add_n(&out, is_comma ? "." : p, 1);
    }
    *s = p;
    return out.s;
}

static bool take_setting(lh_task *t, const char **s, made *m, lh_answered *out) {
    const lh_experiment *x = experiment_of(t);
    size_t n = strcspn(*s, "= \t\r\n,;");
    const char *name = lh_copy(t->arena, *s, n), *after = *s + n;
    after += strspn(after, " \t");
    int i = find_name(x, name);
    bool is_bare = *after != '=' && x->n == 1 && strchr("0123456789.-+[(", **s);
    if (!is_bare && *after != '=') {
        lh_answered_refuse(t, out, "\"%.40s\" sets nothing: type %s", name, lh_task_form(t));
        return false;
    }
    if (!is_bare && i < 0) {
        lh_answered_refuse(t, out, "%.40s cannot be set here, only %s.", *name ? name : "nothing",
                           list_names(t));
        return false;
    }
    if (is_bare)
        i = 0;
    else
        *s = after + 1 + strspn(after + 1, " \t");
    if (m->value[i]) {
        lh_answered_refuse(t, out, "%s is set twice.", x->name[i]);
        return false;
    }
    m->value[i] = take_value(t, s);
    return check_value(t, out, i, m->value[i]);
}

static bool read_settings(lh_task *t, const char *text, made *m, lh_answered *out) {
    *m = (made){0};
    for (const char *s = text; *(s += strspn(s, " \t\r\n,;"));)
        if (!take_setting(t, &s, m, out)) return false;
    return true;
}

/* ---- the program with the settings ---- */

/* They stay with the lesson: a live program lives as long. */
static void add_settings(lh_task *t, const made *m, lh_lesson_program *p) {
    const lh_experiment *x = experiment_of(t);
    lh_setting *old = p->set;
    int n = p->n_set;
    lh_arena *a = t->l->arena;
    p->set = NULL;
    p->n_set = 0;
    for (int i = 0; i < n; i++) *lh_push(a, p->set, p->n_set) = old[i];
    for (int i = 0; i < x->n; i++)
        if (m->value[i] && i != x->steps)
            *lh_push(a, p->set, p->n_set) =
                (lh_setting){lh_copy(a, x->name[i], strlen(x->name[i])),
                             lh_copy(a, m->value[i], strlen(m->value[i]))};
}

/* The copies of what this exercise sees, under another number; returns which one was set. */
static int copy_programs(lh_task *t, const made *m, int number) {
    lh_lesson *l = t->l;
    int n = l->n_programs, base = -1, first = n;
    if (experiment_of(t)->base == 0) {
        lh_lesson_program p = {
            .name = "", .exercise = number, .of = 0, .shuffle = -1, .file = l->file};
        add_settings(t, m, &p);
        base = lh_lesson_program_add(l, &p);
    }
    int *copy = lh_alloc_array(t->arena, (size_t)n + 1, sizeof *copy);
    if (!copy) return -1;
    for (int i = 0; i < n; i++) {
        lh_lesson_program p = l->program[i];
        copy[i] = -1;
        if (p.exercise != t->e->number) continue;
        p.exercise = number;
        if (i == experiment_of(t)->base) add_settings(t, m, &p);
        copy[i] = lh_lesson_program_add(l, &p);
        if (i == experiment_of(t)->base) base = copy[i];
    }
    for (int i = first; i < l->n_programs; i++) {
        int of = l->program[i].of;
        if (of >= 0 && of < n && copy[of] >= 0) l->program[i].of = copy[of];
    }
    return base;
}

static const char *until_text(lh_task *t, const made *m) {
    const lh_experiment *x = experiment_of(t);
    const char *s = x->until->value;
    if (x->steps < 0) return s;
    lh_text out = lh_text_new(t->arena);
    while (*s) {
        size_t n = strlen(STEPS);
        char next = strncmp(s, "@" STEPS, n + 1) == 0 ? s[n + 1] : '_';
        bool is_name = next == '_' || (next >= '0' && next <= '9') ||
                       ((next | 32) >= 'a' && (next | 32) <= 'z');
        if (is_name) {
            lh_text_add_n(&out, s++, 1);
            continue;
        }
        const char *steps = m->value[x->steps];
        lh_text_add(&out, "@%d", steps ? atoi(steps) : 0);
        s += n + 1;
    }
    return out.s;
}

static int largest_step(const char *s) {
    int most = 0;
    while ((s = strchr(s, '@'))) {
        int n = atoi(++s);
        if (n > most) most = n;
    }
    return most;
}

static bool evaluate(lh_task *t, const made *m, lh_claim *claim) {
    int number = t->l->n_exercises + t->l->n_programs + 1;
    const char *until = until_text(t, m);
    int base = copy_programs(t, m, number);
    lh_graph *g = base < 0 ? NULL : lh_live_graph(t->v, base);
    if (!g || !lh_task_bears(t, g, largest_step(until))) return false;
    lh_where where = {experiment_of(t)->base ? 0 : base, number, experiment_of(t)->until->value_at};
    return lh_live_claim(t->v, until, where, 4, claim);
}

static const char *settings_text(lh_task *t, const made *m) {
    lh_text out = lh_text_new(t->arena);
    const lh_experiment *x = experiment_of(t);
    for (int i = 0; i < x->n; i++)
        if (m->value[i]) lh_text_add(&out, "%s%s=%s", out.n ? " " : "", x->name[i], m->value[i]);
    return out.s;
}

static void answer(lh_task *t, const char *text, lh_answered *out) {
    made m;
    lh_claim claim;
    if (!read_settings(t, text, &m, out)) return;
    if (!evaluate(t, &m, &claim)) {
        lh_answered_take(t, out);
        return;
    }
    out->state = claim.holds ? LH_ANSWER_RIGHT : LH_ANSWER_WRONG;
    lh_answered_say(t, out, claim.holds ? "With %s: %s." : "Not yet with %s: %s.",
                    settings_text(t, &m),
                    claim.holds ? claim.shown : lh_task_claim_words(t->arena, &claim));
}

static const char *key(lh_task *t) {
    return experiment_of(t)->key->value;
}

static void work(lh_task *t, lh_text *out) {
    lh_answered a = lh_task_answer(t, key(t));
    lh_text_add(out, "%s\n", key(t));
    for (int i = 0; i < a.n_lines; i++) lh_text_add(out, "%s\n", a.line[i].text);
}

static const lh_program *program(lh_task *t, int *last) {
    (void)last;
    return lh_live_program_of(t->v, experiment_of(t)->base);
}

/* What it is now, where that is one number. */
static const char *now_text(lh_task *t, int name) {
    const lh_experiment *x = experiment_of(t);
    lh_value value;
    lh_where where = {x->base, t->e->number, x->until->value_at};
    if (name == x->steps) return "0";
    if (!lh_live_value(t->v, x->name[name], where, &value) || value.rows * value.cols != 1)
        return NULL;
    return lh_task_number(t->arena, value.cell[0], 6);
}

static const char *form(lh_task *t) {
    lh_text out = lh_text_new(t->arena);
    const lh_experiment *x = experiment_of(t);
    for (int i = 0; i < x->n; i++) lh_text_add(&out, "%s%s=NUMBER", i ? " " : "", x->name[i]);
    for (int i = 0; i < x->n; i++) {
        const char *now = now_text(t, i);
        if (now) lh_text_add(&out, ", %s is %s now", x->name[i], now);
    }
    return out.s;
}

/* Settings that must not do. */
static void check(lh_task *t, lh_problems *problems) {
    const lh_field *f;
    for (int i = 0; (f = lh_exercise_field(t->e, "never", i)); i++) {
        lh_answered a = lh_task_answer(t, f->value);
        if (a.state == LH_ANSWER_RIGHT)
            lh_problem_add(problems, LH_ERROR_TEXT, f->value_at,
                           "never: %.80s must not pass, but it does", f->value);
        else if (a.state == LH_ANSWER_UNREAD)
            lh_problem_add(problems, LH_ERROR_TEXT, f->value_at, "never: %.80s cannot be tried: %s",
                           f->value, lh_answered_why(&a));
    }
}

const lh_task_kind lh_task_experiment = {
    .name = "experiment",
    .summary = "settings, such as rate=0.5, with which a claim must hold",
    .fields = {"set", "until", "key", "never"},
    .says_form = true,
    .open = open_experiment,
    .answer = answer,
    .key = key,
    .work = work,
    .form = form,
    .program = program,
    .check = check,
};
