/* web_open -- texts, what is open, and what the reader has changed in it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/number.h"
#include "graph/build.h"
#include "learn/task.h"
#include "web.h"

bool lh_web_take(char **to, const char *text) {
    char *copy = strdup(text);
    if (!copy) return false;
    free(*to);
    *to = copy;
    return true;
}

/* ---- texts ---- */

static lh_web_text *find_text(lh_web *w, const char *name) {
    for (int i = 0; i < w->n_texts; i++)
        if (strcmp(w->text[i].name, name) == 0) return &w->text[i];
    return NULL;
}

static lh_web_text *add_text(lh_web *w, const char *name) {
    lh_web_text *more = realloc(w->text, (size_t)(w->n_texts + 1) * sizeof *more);
    if (!more) return NULL;
    w->text = more;
    lh_web_text *x = &more[w->n_texts];
    *x = (lh_web_text){0};
    if (!lh_web_take(&x->name, name)) return NULL;
    w->n_texts++;
    return x;
}

void lh_web_text_put(lh_web *w, int n, const char *const *argument) {
    (void)n;
    lh_web_text *x = find_text(w, argument[0]);
    if (!x) x = add_text(w, argument[0]);
    if (!x || !lh_web_take(&x->text, argument[1]))
        lh_web_fail(w, LH_ERROR_MEMORY, "there is no memory left");
    else
        x->length = strlen(x->text);
}

/* ex1 is lessons/ex1.md, gpt is models/gpt.lh; what the page gave goes before what travels in the module. */
static bool find_source(void *who, const char *name, lh_found *out) {
    lh_web *w = who;
    static const char *const form[] = {"%s", "lessons/%s.md", "models/%s.lh", "%s.md", "%s.lh"};
    char path[300];
    for (size_t i = 0; i < sizeof form / sizeof *form && strlen(name) < 256; i++) {
        lh_format(path, sizeof path, form[i], name);
        const lh_web_text *x = find_text(w, path);
        const lh_embedded *e = x ? NULL : lh_embedded_find(path);
        if (!x && !e) continue;
        *out =
            x ? (lh_found){x->name, x->text, x->length} : (lh_found){e->name, e->text, e->length};
        return true;
    }
    return false;
}

/* ---- settings ---- */

static void drop_setting(lh_web_setting *s) {
    free(s->what), free(s->value), free(s->name), free(s->whole);
    *s = (lh_web_setting){0};
}

static void drop_settings(lh_web *w) {
    for (int i = 0; i < w->n_settings; i++) drop_setting(&w->setting[i]);
    free(w->setting);
    w->setting = NULL;
    w->n_settings = 0;
}

/* The line that makes example k of a program; -1: examples that no line of their own makes. */
static int example_line(lh_web *w, int program, int k) {
    const lh_lesson_program *p = &w->lesson->program[program];
    lh_program *parsed = p->text ? lh_program_parse(w->ctx, p->file, p->text, p->length) : NULL;
    int line = -1, n = 0;
    for (int i = 0; parsed && i < parsed->n_statements; i++) {
        const lh_statement *s = parsed->statement[i];
        if (s->kind == LH_S_EXAMPLES || s->kind == LH_S_TEXT) break;
        if (s->kind == LH_S_EXAMPLE && n++ == k) line = s->at.line;
    }
    lh_program_free(parsed);
    return line;
}

/* The program's text with that line replaced: lines keep their numbers. */
static void change_example(lh_web *w, const lh_web_setting *s) {
    lh_lesson_program *p = &w->lesson->program[s->program];
    int line = example_line(w, s->program, s->example);
    if (lh_failed(w->ctx)) return;
    if (line < 0) {
        lh_web_fail(w, LH_ERROR_NAME, "example %d has no line of its own", s->example);
        return;
    }
    lh_text t = lh_text_new(w->lesson->arena);
    const char *from = p->text, *end = p->text + p->length;
    for (int i = 1; i < line && from < end; i++)
        from = memchr(from, '\n', (size_t)(end - from)) + 1;
    const char *rest = memchr(from, '\n', (size_t)(end - from));
    lh_text_add_n(&t, p->text, (size_t)(from - p->text));
    lh_text_add(&t, "example %s", s->whole);
    if (rest) lh_text_add_n(&t, rest, (size_t)(end - rest));
    p->text = t.s;
    p->length = t.n;
}

static void apply(lh_web *w, const lh_web_setting *s) {
    lh_lesson *l = w->lesson;
    if (s->program >= l->n_programs) return;
    if (!s->name) {
        change_example(w, s);
        return;
    }
    lh_lesson_program *p = &l->program[s->program];
    lh_setting *set = lh_alloc_array(l->arena, (size_t)p->n_set + 1, sizeof *set);
    if (!set) return;
    if (p->n_set) memcpy(set, p->set, (size_t)p->n_set * sizeof *set);
    set[p->n_set] = (lh_setting){lh_copy(l->arena, s->name, strlen(s->name)),
                                 lh_copy(l->arena, s->whole, strlen(s->whole))};
    p->set = set;
    p->n_set++;
}

/* ---- open ---- */

static void close_lesson(lh_web *w) {
    lh_web_drop_paper(w);
    lh_live_free(w->live);
    lh_lesson_free(w->lesson);
    w->live = NULL;
    w->lesson = NULL;
}

void lh_web_close(lh_web *w) {
    close_lesson(w);
    drop_settings(w);
    free(w->name);
    w->name = NULL;
    w->step = 0;
}

bool lh_web_reopen(lh_web *w) {
    lh_found found;
    lh_finder finder = {find_source, w};
    close_lesson(w);
    if (!find_source(w, w->name, &found))
        return lh_web_fail(w, LH_ERROR_NAME, "there is no lesson or program %.100s", w->name);
    w->lesson = lh_lesson_read(w->ctx, found.file, found.text, found.length, &finder);
    for (int i = 0; w->lesson && i < w->n_settings; i++) apply(w, &w->setting[i]);
    if (w->lesson && !lh_failed(w->ctx)) w->live = lh_live_of_text(w->lesson);
    return w->live && !lh_failed(w->ctx);
}

void lh_web_write_problem(lh_json *j, const lh_problem *p) {
    lh_json_begin(j, NULL, '{');
    lh_json_bool(j, "is_warning", p->is_warning);
    lh_json_int(j, "line", p->error.at.line);
    lh_json_int(j, "column", p->error.at.col);
    lh_json_int(j, "length", p->error.at.len);
    lh_json_text(j, "what", p->error.what);
    lh_json_text(j, "cure", p->error.cure);
    lh_json_end(j, '}');
}

/* The lesson's own program is built; where that fails it is a problem of the text, and what else there is can be read all the same. */
static void write_programs(lh_web *w) {
    lh_json *j = &w->json;
    lh_json_begin(j, "programs", '[');
    for (int i = 0; i < w->lesson->n_programs; i++) {
        const lh_lesson_program *p = &w->lesson->program[i];
        if ((!p->text && p->of < 0) || p->exercise) continue;
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "name", p->name);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
    lh_graph *own = w->lesson->program[0].text ? lh_live_graph(w->live, 0) : NULL;
    lh_problems_take(w->lesson->problems, w->ctx, w->lesson->program[0].at);
    lh_json_bool(j, "learns", own && lh_loop_learns(own));
    lh_json_bool(j, "runs", own != NULL);
}

static void write_lesson(lh_web *w) {
    const lh_lesson *l = w->lesson;
    lh_json *j = &w->json;
    lh_json_text(j, "lesson", l->name);
    lh_json_text(j, "file", l->file);
    lh_json_text(j, "title", l->title);
    write_programs(w);
    lh_json_begin(j, "exercises", '[');
    for (int i = 0; i < l->n_exercises; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_int(j, "exercise", l->exercise[i].number);
        lh_json_text(j, "kind", l->exercise[i].kind->name);
        lh_json_text(j, "title", l->exercise[i].title);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
    lh_json_begin(j, "problems", '[');
    for (int i = 0; i < l->problems->n; i++) lh_web_write_problem(j, l->problems->problem[i]);
    lh_json_end(j, ']');
}

/* What was open stays open where the new one is not there at all. */
void lh_web_open(lh_web *w, int n, const char *const *argument) {
    lh_found found;
    char *name = NULL;
    (void)n;
    if (!find_source(w, argument[0], &found)) {
        lh_web_fail(w, LH_ERROR_NAME, "there is no lesson or program %.100s", argument[0]);
        return;
    }
    if (!lh_web_take(&name, argument[0])) {
        lh_web_fail(w, LH_ERROR_MEMORY, "there is no memory left");
        return;
    }
    lh_web_close(w);
    w->name = name;
    if (lh_web_reopen(w)) write_lesson(w);
}

/* ---- set ---- */

bool lh_web_program(lh_web *w, const char *name, int *program) {
    *program = lh_lesson_program_named(w->lesson, name, 0);
    for (int i = 1; *program < 0 && i <= w->lesson->n_exercises; i++)
        *program = lh_lesson_program_named(w->lesson, name, i);
    if (*program >= 0) return true;
    return lh_web_fail(w, LH_ERROR_NAME, "the lesson has no program %.60s", name);
}

const char *lh_web_prefix(lh_web *w, int program) {
    const char *name = w->lesson->program[program].name;
    return *name ? lh_printf(w->arena, "%s:", name) : "";
}

static bool is_name(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", s[i]))
            return false;
    return n > 0;
}

/* fast:P is of the program fast. WO:= is no program. */
static const char *behind_colon(lh_web *w, const char *what, int *program) {
    size_t n = strcspn(what, ":");
    *program = 0;
    if (!what[n] || what[n + 1] == '=' || !is_name(what, n)) return what;
    return lh_web_program(w, lh_copy(w->arena, what, n), program) ? what + n + 1 : NULL;
}

int lh_web_moment(lh_web *w, int program) {
    const lh_graph *g = w->step ? lh_live_graph(w->live, program) : NULL;
    return g && lh_loop_learns(g) ? w->step : 0;
}

bool lh_web_find(lh_web *w, const char *address, lh_web_address *out) {
    *out = (lh_web_address){0};
    out->rest = behind_colon(w, address, &out->program);
    if (!out->rest || !lh_address_parse(w->ctx, out->rest, &out->at)) return false;
    out->g = lh_live_graph(w->live, out->program);
    out->step = out->g ? lh_address_find(out->g, &out->at) : NULL;
    out->moment = out->at.has_step ? out->at.step : lh_web_moment(w, out->program);
    return out->step != NULL;
}

/* A matrix holds numbers alone: 1/4, or an expression with other values in it, is worked out first. */
static bool read_number(lh_web *w, int program, const char *value, double *x) {
    lh_value v;
    if (!lh_live_value(w->live, value, (lh_where){.program = program}, &v)) return false;
    if (v.rows != 1 || v.cols != 1)
        return lh_web_fail(w, LH_ERROR_SHAPE, "one number is expected here, not %dx%d", v.rows,
                           v.cols);
    *x = v.cell[0];
    return isfinite(*x) || lh_web_fail(w, LH_ERROR_VALUE, "%.60s is not a number", value);
}

/* The value of a given at the start, with one number replaced, in the notation. */
static const char *with_cell(lh_web *w, const lh_web_address *a, double value) {
    const lh_plan *plan = lh_live_moment(w->live, a->program, 0);
    lh_text t = lh_text_new(w->arena);
    lh_cell at;
    char number[LH_NUMBER_MAX];
    if (!plan || !lh_address_cell(a->g, plan, &a->at, a->step->node, &at)) return NULL;
    lh_sizes z = lh_exact.sizes(plan, a->step->node, 0);
    if ((double)z.rows * z.cols > LH_WEB_CELLS) {
        lh_web_fail(w, LH_ERROR_LIMIT, "%s has %d x %d numbers: too many to change one by one",
                    a->at.path, z.rows, z.cols);
        return NULL;
    }
    lh_text_add(&t, "[");
    for (int r = 0; r < z.rows; r++)
        for (int c = 0; c < z.cols; c++) {
            double x = lh_exact.get(plan, a->step->node, (lh_cell){0, 0, r, c});
            bool is_it = r == at.row && c == at.col;
            lh_text_add(&t, "%s%s",
                        c   ? " "
                        : r ? "; "
                            : "",
                        lh_number_exact(number, sizeof number, is_it ? value : x));
        }
    lh_text_add(&t, "]");
    return t.s;
}

/* tokens{example 1}[0]: the words of the example, with one replaced. */
static const char *with_word(lh_web *w, const lh_web_address *a, const char *value, int *example) {
    const lh_graph *g = a->g;
    lh_text t = lh_text_new(w->arena);
    *example = a->at.has_example ? a->at.example : 0;
    int place = a->at.n_indices ? a->at.index[0] : 0;
    if (*example >= g->n_examples) {
        lh_web_fail(w, LH_ERROR_NAME, "there is no example %d", *example);
        return NULL;
    }
    for (int k = 0; k < g->n_inputs; k++) {
        const lh_input *in = g->input[k];
        const lh_example_value *v = &g->example[*example]->value[k];
        if (!v->cells) {
            lh_web_fail(w, LH_ERROR_NAME, "%s is made by a formula", in->name);
            return NULL;
        }
        bool is_short = g->n_inputs <= 2 && strcmp(g->input[0]->name, "tokens") == 0;
        lh_text_add(&t, is_short ? "%s" : "%s%s =",
                    k == 0     ? ""
                    : is_short ? " -> "
                               : ", ",
                    in->name);
        int cells = in->vocab ? v->rows : v->rows * (int)g->axis[in->node->shape.cols].n;
        for (int i = 0; i < cells; i++) {
            char number[LH_NUMBER_MAX];
            bool is_it = in->node == a->step->node && i == place;
            lh_text_add(&t, "%s%s", i || !is_short ? " " : "",
                        is_it       ? value
                        : in->vocab ? in->vocab->word[(int)v->cells[i]]
                                    : lh_number_exact(number, sizeof number, v->cells[i]));
        }
    }
    return t.s;
}

/* A number, or an expression that makes one: what could not stand in the notation is refused before it is put there. */
static bool is_expression(lh_web *w, const char *value) {
    if (strlen(value) > 100000) return lh_web_fail(w, LH_ERROR_LIMIT, "this is too long");
    if (!*value) return lh_web_fail(w, LH_ERROR_TEXT, "a number is missing");
    if (lh_expr_parse(w->ctx, w->arena, value, strlen(value))) return true;
    lh_fail_in(w->ctx, value, value, strlen(value));
    return false;
}

static bool is_one_word(lh_web *w, const char *value) {
    if (*value && !strpbrk(value, " \t\n#") && strlen(value) < 200) return true;
    return lh_web_fail(w, LH_ERROR_TEXT, "one word is expected here, not \"%.60s\"", value);
}

/* What is meant by `what`: fills in name or example, and whole. */
static bool resolve(lh_web *w, lh_web_setting *s, const char *what, const char *value) {
    lh_web_address a;
    const char *rest = behind_colon(w, what, &s->program), *whole = value;
    if (!rest) return false;
    if (strncmp(rest, "example ", 8) == 0) {
        s->example = atoi(rest + 8);
        if (strpbrk(value, "\n#") || strlen(value) > 2000)
            return lh_web_fail(w, LH_ERROR_TEXT, "an example is one line");
        return lh_web_take(&s->whole, value);
    }
    if (!lh_web_find(w, what, &a)) return false;
    if (a.step->node->kind == LH_OP_input) {
        whole = is_one_word(w, value) ? with_word(w, &a, value, &s->example) : NULL;
        return whole && lh_web_take(&s->whole, whole);
    }
    if (a.step->kind != LH_STEP_GIVEN)
        return lh_web_fail(w, LH_ERROR_NAME, "%s is computed: only what is given can be set",
                           a.at.path);
    if (!is_expression(w, value)) return false;
    double x = 0;
    if (a.at.n_indices) whole = read_number(w, a.program, value, &x) ? with_cell(w, &a, x) : NULL;
    return whole && lh_web_take(&s->name, a.step->path) && lh_web_take(&s->whole, whole);
}

/* An empty one at the end of the list; NULL and the context failed. */
static lh_web_setting *new_setting(lh_web *w) {
    lh_web_setting *more = realloc(w->setting, (size_t)(w->n_settings + 1) * sizeof *more);
    if (!more) {
        lh_web_fail(w, LH_ERROR_MEMORY, "there is no memory left");
        return NULL;
    }
    w->setting = more;
    more[w->n_settings] = (lh_web_setting){0};
    return &more[w->n_settings++];
}

/* The program with it can be built and run, as one that the reader wrote. Other programs of the lesson keep their numbers; what
 * was made of the old ones stays in the lesson's arena, and when that is large all is opened anew. */
static bool can_run(lh_web *w, const lh_web_setting *s) {
    if (lh_arena_used(w->lesson->arena) > w->remains) {
        if (!lh_web_reopen(w)) return false;
    } else {
        lh_web_drop_paper(w);
        apply(w, s);
        lh_live_forget(w->live, s->program);
    }
    return !lh_failed(w->ctx) && lh_live_moment(w->live, s->program, 0);
}

/* A second value for the same takes the place of the first. */
static void forget(lh_web *w, const char *what) {
    for (int i = 0; i < w->n_settings - 1; i++) {
        if (strcmp(w->setting[i].what, what) != 0) continue;
        drop_setting(&w->setting[i]);
        memmove(&w->setting[i], &w->setting[i + 1],
                (size_t)(w->n_settings - i - 1) * sizeof *w->setting);
        w->n_settings--;
        return;
    }
}

static bool set_one(lh_web *w, const char *what, const char *value) {
    lh_web_setting *s = new_setting(w);
    if (!s) return false;
    if (!resolve(w, s, what, value) || !lh_web_take(&s->what, what) ||
        !lh_web_take(&s->value, value)) {
        drop_setting(&w->setting[--w->n_settings]);
        return false;
    }
    if (can_run(w, s)) return true;
    lh_error why = w->ctx->error;
    lh_context_clear(w->ctx);
    drop_setting(&w->setting[--w->n_settings]);
    lh_web_reopen(w);
    w->ctx->error = why;
    w->ctx->is_failed = true;
    return false;
}

/* Of two values for one cell the later holds, of two cells of one matrix both: the later value has the earlier in it. */
void lh_web_set(lh_web *w, int n, const char *const *argument) {
    (void)n;
    if (set_one(w, argument[0], argument[1])) forget(w, argument[0]);
}

/* The others are made again from the start: a cell lies in the whole value of the one before it. */
void lh_web_unset(lh_web *w, int n, const char *const *argument) {
    lh_web_setting *old = w->setting;
    const int n_old = w->n_settings;
    w->setting = NULL;
    w->n_settings = 0;
    bool ok = lh_web_reopen(w);
    for (int i = 0; i < n_old; i++) {
        if (ok && n && strcmp(old[i].what, argument[0]) != 0)
            ok = set_one(w, old[i].what, old[i].value);
        drop_setting(&old[i]);
    }
    free(old);
}

void lh_web_list_settings(lh_web *w, int n, const char *const *argument) {
    (void)n, (void)argument;
    lh_json_begin(&w->json, "settings", '[');
    for (int i = 0; i < w->n_settings; i++) {
        lh_json_begin(&w->json, NULL, '{');
        lh_json_text(&w->json, "what", w->setting[i].what);
        lh_json_text(&w->json, "value", w->setting[i].value);
        lh_json_end(&w->json, '}');
    }
    lh_json_end(&w->json, ']');
}
