/* mark_lines -- any number of sheets in one process: JSON in, a line each; marks out, a line each, in the same order.
 *
 * Memory does not grow with the number of sheets: a line lives in an arena of its own, papers lie in a cache of fixed size,
 * lessons are those that travel inside the program and those named on the command line. A line names no file. */
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "cli/mark_command.h"

enum { LONGEST = 4 << 20 }; /* bytes of a line; the largest sheet has 20,000 numbers */

/* ---- lines ---- */

typedef struct source {
    char *line;
    size_t n, cap;
    bool is_cut; /* it was longer than LONGEST: the rest is skipped */
    int number;
} source;

static bool grow(source *s) {
    size_t cap = s->cap ? s->cap * 2 : 65536;
    char *more = realloc(s->line, cap);
    if (!more) return false;
    s->line = more;
    s->cap = cap;
    return true;
}

/* False at the end. Without memory for it a line counts as too long. */
static bool next_line(source *s) {
    int c;
    s->n = 0;
    s->is_cut = false;
    s->number++;
    while ((c = getc_unlocked(stdin)) != EOF && c != '\n') {
        if (s->n + 1 >= s->cap && (s->cap >= LONGEST || !grow(s)))
            s->is_cut = true;
        else
            s->line[s->n++] = (char)c;
    }
    if (s->cap) s->line[s->n] = 0;
    return c != EOF || s->n > 0;
}

/* ---- lessons ---- */

/* A lesson that was asked for; is_bad: it cannot be opened, which was reported once. */
typedef struct opened {
    lh_sheet_lesson from;
    const char *name;
    bool is_bad;
} opened;

typedef struct service {
    lh_cli *cli;
    const lh_mark_how *how;
    opened **lesson; /* each by itself: papers in the cache point to it */
    int n, n_named;
    source in;
    bool refused;
} service;

static opened *open_lesson(service *v, const char *lesson) {
    opened *x = lh_alloc_array(v->cli->arena, 1, sizeof *x);
    if (!x) return NULL;
    x->is_bad = !lh_sheet_lesson_open(v->cli, lesson, &x->from);
    lh_context_clear(v->cli->ctx);
    x->name = x->is_bad ? lh_printf(v->cli->arena, "%s", lesson) : x->from.name;
    *lh_push(v->cli->arena, v->lesson, v->n) = x;
    return x;
}

static bool travels_along(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "lessons/%.100s.md", name);
    if (lh_embedded_find(path)) return true;
    snprintf(path, sizeof path, "models/%.100s.lh", name);
    return lh_embedded_find(path) != NULL;
}

/* By its name; without one the only lesson of the command line. */
static opened *find_lesson(service *v, lh_arena *a, const char *lesson) {
    if (!lesson) return v->n_named == 1 ? v->lesson[0] : NULL;
    const char *name = lh_short_name(a, lesson);
    for (int i = 0; i < v->n; i++)
        if (strcmp(v->lesson[i]->name, name) == 0) return v->lesson[i];
    return v->n_named == 0 && travels_along(name) ? open_lesson(v, name) : NULL;
}

/* ---- one line ---- */

static void answer_refusal(service *v, const lh_answer_file *f, const lh_refusal *r) {
    lh_json j = lh_json_open(stdout);
    const lh_error *e = lh_context_error(v->cli->ctx);
    j.is_line = true;
    v->refused = true;
    lh_json_begin(&j, NULL, '{');
    lh_json_int(&j, "line", v->in.number);
    lh_json_text(&j, "id", f ? f->id : NULL);
    lh_json_text(&j, "error", r->why ? r->why : e->what);
    lh_json_text(&j, "cure", r->why ? (*r->cure ? r->cure : NULL) : e->cure[0] ? e->cure : NULL);
    lh_json_end(&j, '}');
    lh_json_close(&j);
    lh_context_clear(v->cli->ctx);
}

static void answer(const lh_marked *m) {
    lh_json j = lh_json_open(stdout);
    lh_mark_told told = lh_mark_tell(m);
    j.is_line = true;
    lh_mark_sheet(&j, &told);
    lh_json_close(&j);
}

static void mark_line(service *v, lh_arena *a) {
    lh_refusal r = {0, NULL, ""};
    lh_answer_file *f = lh_answer_file_read(a, v->in.line, v->in.n);
    opened *x = f->problem || !f->is_json ? NULL : find_lesson(v, a, f->lesson);
    lh_learner who = {.file = "-",
                      .line = v->in.number,
                      .answers = f,
                      .name = f->learner ? f->learner : "",
                      .id = f->id ? f->id : ""};
    who.label = *who.name ? who.name : *who.id ? who.id : lh_printf(a, "line %d", who.line);
    if (f->problem)
        r = (lh_refusal){0, f->problem, ""};
    else if (!f->is_json)
        r = (lh_refusal){0, "a line must be a sheet as JSON, starting with {",
                         "man longhand-json describes it"};
    else if (!x)
        r = (lh_refusal){0,
                         f->lesson ? lh_printf(a, "there is no lesson %.60s here", f->lesson)
                                   : "it does not say to which lesson it belongs",
                         "lessons of your own are named on the command line"};
    else if (x->is_bad)
        r = (lh_refusal){0, lh_printf(a, "%.60s cannot be marked", x->name), ""};
    if (r.why) {
        answer_refusal(v, f, &r);
        return;
    }
    lh_marked m = {.from = &x->from, .arena = a, .learner = &who, .answers = f};
    if (lh_mark_answers(&m, v->how, &r))
        answer(&m);
    else
        answer_refusal(v, f, &r);
}

static bool serve_line(service *v) {
    lh_arena *a = lh_arena_new(v->cli->ctx);
    if (!a) return false;
    size_t blank = v->in.cap ? strspn(v->in.line, " \t\r") : 0;
    if (v->in.is_cut)
        answer_refusal(v, NULL,
                       &(lh_refusal){0, "the line is longer than 4 MB: no sheet is that long", ""});
    else if (blank < v->in.n)
        mark_line(v, a);
    lh_arena_free(a);
    return fflush(stdout) == 0; /* whoever sent the line may wait for its answer */
}

int lh_mark_lines(lh_cli *cli, const lh_mark_how *how, int n, char **lessons) {
    service v = {.cli = cli, .how = how};
    int status = LH_EXIT_YES;
    for (int i = 0; i < n && status == LH_EXIT_YES; i++) {
        const opened *x = open_lesson(&v, lessons[i]);
        if (!x || x->is_bad) status = LH_EXIT_FAILED;
        v.n_named++;
    }
    while (status == LH_EXIT_YES && next_line(&v.in))
        if (!serve_line(&v))
            status = LH_EXIT_FAILED; /* nobody reads any more, or there is no memory */
    lh_paper_cache_free(how->cache);
    for (int i = 0; i < v.n; i++)
        if (!v.lesson[i]->is_bad) lh_sheet_lesson_close(&v.lesson[i]->from);
    free(v.in.line);
    return v.refused ? LH_EXIT_FAILED : status;
}
