#include "learn/lint.h"

#include <string.h>

#include "graph/build.h"
#include "learn/contents.h"
#include "learn/digits.h"
#include "learn/exercise.h"
#include "learn/fence.h"
#include "learn/mark.h"

/* ---- the head ---- */

static void check_lesson_name(lh_lesson *l, const lh_contents *c, lh_mention name,
                              const char *word) {
    lh_found found;
    const char *known[256];
    int n = 0;
    if (lh_contents_find(c, name.text) || l->finder.find(l->finder.who, name.text, &found)) return;
    for (int i = 0; i < c->n && n < 256; i++) known[n++] = c->item[i].name;
    const char *near = lh_nearest(name.text, known, n);
    lh_problem_add(l->problems, LH_ERROR_NAME, name.at, "%s: there is no lesson %.60s", word,
                   name.text);
    if (near) lh_problem_cure(l->problems, "did you mean %s?", near);
}

static void check_head(lh_lesson *l, lh_arena *a) {
    static const lh_place top = {1, 1, 0};
    lh_contents *c = lh_contents_read(l->ctx, a);
    if (!*l->title) {
        lh_problem_add(l->problems, LH_ERROR_TEXT, top, "the lesson has no title");
        lh_problem_cure(l->problems, "its first line is like: # Example 1: the forward pass");
    }
    if (!l->minutes) {
        lh_problem_warn(l->problems, top, "the lesson does not say how many minutes it takes");
        lh_problem_cure(l->problems, "a ```lesson block below the title: minutes 20");
    }
    for (int i = 0; i < l->n_needs; i++) check_lesson_name(l, c, l->needs[i], "needs");
    if (l->next.text) check_lesson_name(l, c, l->next, "next");
}

/* ---- digits ---- */

static void check_digits(lh_lesson *l, lh_arena *a) {
    int n = 0;
    lh_mention *typed = lh_digits_find(l, a, &n);
    for (int i = 0; i < n; i++) {
        lh_problem_add(l->problems, LH_ERROR_TEXT, typed[i].at,
                       "%.40s is typed: no program of the lesson is given it", typed[i].text);
        lh_problem_cure(l->problems,
                        "computed: {{P[1][0]}}; from elsewhere: {{fact %.40s | where it is from}}",
                        typed[i].text);
    }
}

/* ---- symbols before they are introduced ---- */

static const lh_statement *find_statement(const lh_program *p, const char *name) {
    for (int i = 0; i < p->n_statements; i++)
        if (p->statement[i]->name && strcmp(p->statement[i]->name, name) == 0)
            return p->statement[i];
    return NULL;
}

static const lh_lesson_piece *piece_at(const lh_lesson_program *p, int line) {
    for (int i = 0; i < p->n_pieces; i++)
        if (line >= p->piece[i].line && line < p->piece[i].line + p->piece[i].n_lines)
            return &p->piece[i];
    return NULL;
}

/* The words right above a block may name what it makes. A heading or another block between them parts them. */
static bool is_apart(const lh_lesson *l, int line, const lh_lesson_piece *piece) {
    const lh_lesson_program *own = &l->program[0];
    for (int i = 0; i < l->n_headings; i++)
        if (l->heading[i].at.line > line && l->heading[i].at.line < piece->line) return true;
    for (int i = 0; i < own->n_pieces; i++)
        if (own->piece[i].line > line && own->piece[i].line < piece->line) return true;
    return false;
}

typedef struct symbols {
    lh_lesson *l;
    const lh_program *p;
    const char **told; /* each is told once */
    int n_told;
} symbols;

static void check_span(symbols *x, const char *s, size_t n, lh_place at) {
    lh_lesson *l = x->l;
    size_t k = 0;
    while (k < n && !strchr("[.{@ ", s[k])) k++;
    const char *name = lh_copy(l->arena, s, k);
    const lh_statement *made = k ? find_statement(x->p, name) : NULL;
    const lh_lesson_piece *piece = made ? piece_at(&l->program[0], made->at.line) : NULL;
    if ((k < n && s[k] == ' ') || !piece || at.line >= piece->line || !is_apart(l, at.line, piece))
        return;
    for (int i = 0; i < x->n_told; i++)
        if (strcmp(x->told[i], name) == 0) return;
    *(const char **)lh_push(l->arena, (void **)&x->told, &x->n_told, sizeof name) = name;
    lh_problem_warn(l->problems, at, "%s is used here and introduced in line %d", name,
                    made->at.line);
    lh_problem_cure(l->problems, "say what it is first, or move the block up");
}

static void check_symbols(lh_lesson *l, lh_live *v) {
    symbols x = {.l = l, .p = l->program[0].text ? lh_live_program_of(v, 0) : NULL};
    lh_problems_take(l->problems, l->ctx, l->program[0].at);
    for (int i = 0; x.p && i < l->n_proses; i++) {
        const lh_prose *p = &l->prose[i];
        for (lh_row row = {0}; lh_row_next(p->s, p->n, p->at.line, &row);) {
            const char *end = row.s + row.n, *from = memchr(row.s, '`', row.n);
            while (from && from + 1 < end) {
                const char *to = memchr(from + 1, '`', (size_t)(end - from) - 1);
                if (!to) break;
                check_span(&x, from + 1, (size_t)(to - from) - 1,
                           (lh_place){row.number, (int)(from - row.s) + 1, (int)(to - from) + 1});
                from = memchr(to + 1, '`', (size_t)(end - to) - 1);
            }
        }
    }
}

/* ---- the sheet ---- */

/* Each line by itself, as a sheet would ask it: P.e, `all`, N.v of every block, L@1. */
static void check_sheet(lh_lesson *l, lh_live *v) {
    lh_graph *g = l->sheet.n_steps ? lh_live_graph(v, 0) : NULL;
    for (int i = 0; g && i < l->sheet.n_steps && !lh_failed(l->ctx); i++) {
        const char *step = l->sheet.step[i];
        lh_sheet *s = lh_sheet_new(g, &(lh_sheet_how){.steps = &step, .n_steps = 1});
        if (s && !s->n_asks && !lh_failed(l->ctx))
            lh_fail(l->ctx, LH_ERROR_NAME, l->sheet.at[i],
                    "%.60s is nothing that a sheet can ask for", step);
        lh_sheet_free(s);
        lh_problems_take(l->problems, l->ctx, l->sheet.at[i]);
    }
}

/* ---- exercises ---- */

static void check_exercises(lh_lesson *l, lh_live *v) {
    int n = l->n_exercises; /* trying a key adds programs, not exercises */
    for (int i = 0; i < n && !lh_failed(l->ctx); i++) lh_exercise_check(v, i, l->problems);
}

void lh_lesson_lint(lh_lesson *l) {
    size_t n = strlen(l->file);
    bool is_lesson = n > 3 && strcmp(l->file + n - 3, ".md") == 0;
    lh_arena *a = lh_arena_new(l->ctx);
    lh_live *v = a ? lh_live_new(l) : NULL;
    if (v) {
        bool good = lh_live_all(v, l->problems);
        if (is_lesson && good) check_sheet(l, v);
        if (is_lesson && good) check_symbols(l, v);
        if (is_lesson && good) check_exercises(l, v);
    }
    if (is_lesson && a) check_head(l, a);
    if (is_lesson && a) check_digits(l, a);
    lh_live_free(v);
    lh_arena_free(a);
    lh_problems_sort(l->problems);
}
