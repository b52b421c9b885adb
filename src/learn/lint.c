#include "learn/lint.h"

#include <string.h>

#include "graph/build.h"
#include "learn/contents.h"
#include "learn/digits.h"
#include "learn/exercise.h"
#include "learn/fence.h"
#include "learn/lesson.h"
#include "learn/mark.h"
#include "learn/mistakes.h"
#include "learn/paper.h"

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
                       "%.40s is typed, but no program here has it as a given", typed[i].text);
        lh_problem_cure(l->problems,
                        "a computed number is written {{P[1][0]}}, one from elsewhere {{fact %.40s "
                        "| where it is "
                        "from}}",
                        typed[i].text);
    }
}

/* ---- symbols before they are introduced ---- */

/* A name is introduced in the first block of the lesson that makes it, in whichever of its programs; inside `repeat` and `fn` too. */
static const lh_statement *find_statement(lh_statement *const *statement, int n, const char *name) {
    for (int i = 0; i < n; i++) {
        if (statement[i]->name && strcmp(statement[i]->name, name) == 0) return statement[i];
        const lh_statement *inside = find_statement(statement[i]->body, statement[i]->n_body, name);
        if (inside) return inside;
    }
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
    for (int i = 0; i < l->n_headings; i++)
        if (l->heading[i].at.line > line && l->heading[i].at.line < piece->line) return true;
    for (int k = 0; k < l->n_programs; k++)
        for (int i = 0; i < l->program[k].n_pieces; i++)
            if (l->program[k].piece[i].line > line && l->program[k].piece[i].line < piece->line)
                return true;
    return false;
}

typedef struct symbols {
    lh_lesson *l;
    const lh_program **program; /* parsed; NULL where its text does not stand in this lesson */
    const char **told;          /* each is told once */
    int n_told;
} symbols;

/* The first line that makes the name, and its block; 0 when none does. */
static int introduced(const symbols *x, const char *name, const lh_lesson_piece **block) {
    int first = 0;
    for (int k = 0; k < x->l->n_programs; k++) {
        const lh_program *p = x->program[k];
        const lh_statement *made = p ? find_statement(p->statement, p->n_statements, name) : NULL;
        const lh_lesson_piece *piece = made ? piece_at(&x->l->program[k], made->at.line) : NULL;
        if (!piece || (first && made->at.line >= first)) continue;
        first = made->at.line;
        *block = piece;
    }
    return first;
}

static void check_span(symbols *x, const char *s, size_t n, lh_place at) {
    lh_lesson *l = x->l;
    size_t k = 0;
    while (k < n && !strchr("[.{@ ", s[k])) k++;
    const char *name = lh_copy(l->arena, s, k);
    const lh_lesson_piece *block = NULL;
    int line = k ? introduced(x, name, &block) : 0;
    if ((k < n && s[k] == ' ') || !block || at.line >= block->line || !is_apart(l, at.line, block))
        return;
    for (int i = 0; i < x->n_told; i++)
        if (strcmp(x->told[i], name) == 0) return;
    *lh_push(l->arena, x->told, x->n_told) = name;
    lh_problem_warn(l->problems, at, "%s is used here and introduced in line %d", name, line);
    lh_problem_cure(l->problems, "say what it is first, or move the block up");
}

static void check_spans(symbols *x, lh_text_row row) {
    const char *end = row.s + row.n, *from = memchr(row.s, '`', row.n);
    while (from && from + 1 < end) {
        const char *to = memchr(from + 1, '`', (size_t)(end - from) - 1);
        if (!to) break;
        check_span(x, from + 1, (size_t)(to - from) - 1,
                   (lh_place){row.number, (int)(from - row.s) + 1, (int)(to - from) + 1});
        from = memchr(to + 1, '`', (size_t)(end - to) - 1);
    }
}

static void check_symbols(lh_lesson *l, lh_live *v) {
    symbols x = {.l = l, .program = lh_alloc(l->arena, (size_t)l->n_programs * sizeof *x.program)};
    for (int k = 0; k < l->n_programs; k++) {
        const lh_lesson_program *p = &l->program[k];
        x.program[k] = p->text && p->n_pieces ? lh_live_program_of(v, k) : NULL;
        lh_problems_take(l->problems, l->ctx, p->at);
    }
    for (int i = 0; i < l->n_proses; i++)
        for (lh_text_row row = {0};
             lh_text_row_next(l->prose[i].s, l->prose[i].n, l->prose[i].at.line, &row);)
            check_spans(&x, row);
}

/* ---- products that Markdown would swallow ---- */

static bool is_between(const char *s, size_t i, size_t n) {
    bool is_left = i > 0 && (strchr("0123456789)]", s[i - 1]) != NULL);
    return is_left && i + 1 < n && strchr("0123456789([-", s[i + 1]) != NULL;
}

/* 0.1*1 + 1.2*0: two such signs make the text between them italic, and are gone. Code, formulas and inserts are left out. */
static void check_row(lh_lesson *l, lh_text_row row) {
    char inside = 0;
    for (size_t i = 0; i < row.n; i++) {
        char c = row.s[i];
        bool is_insert = c == '{' && i + 1 < row.n && row.s[i + 1] == '{';
        if (inside == '{' ? c == '}' : inside && c == inside)
            inside = 0;
        else if (!inside && (c == '`' || c == '$' || is_insert))
            inside = c;
        if (inside || c != '*' || !is_between(row.s, i, row.n)) continue;
        lh_problem_add(l->problems, LH_ERROR_TEXT, (lh_place){row.number, (int)i + 1, 1},
                       "Markdown takes * between numbers for emphasis");
        lh_problem_cure(l->problems, "leave a space on both sides: 0.1 * 1");
        return;
    }
}

static void check_products(lh_lesson *l) {
    for (int i = 0; i < l->n_proses; i++)
        for (lh_text_row row = {0};
             lh_text_row_next(l->prose[i].s, l->prose[i].n, l->prose[i].at.line, &row);)
            check_row(l, row);
}

/* ---- the sheet ---- */

/* Each line by itself, as a sheet would ask it: P.e, `all`, N.v of every block, L@1. */
static void check_sheet(lh_lesson *l, lh_live *v) {
    lh_graph *g = l->sheet.n_steps ? lh_live_graph(v, 0) : NULL;
    for (int i = 0; g && i < l->sheet.n_steps && !lh_failed(l->ctx); i++) {
        const char *step = l->sheet.step[i];
        lh_sheet *s = lh_sheet_new(g, &(lh_sheet_how){.steps = &step, .n_steps = 1});
        if (s && !s->n_asks && !lh_failed(l->ctx))
            lh_fail(l->ctx, LH_ERROR_NAME, l->sheet.at[i], "a sheet cannot ask for %.60s", step);
        lh_sheet_free(s);
        lh_problems_take(l->problems, l->ctx, l->sheet.at[i]);
    }
}

/* As `sheet` would make it. A lesson that names no step may be one of which no sheet is wanted. */
static void check_paper(lh_lesson *l, lh_live *v) {
    bool is_wanted = l->sheet.n_steps > 0;
    int before = l->problems->n_errors;
    const lh_program *p = l->program[0].text ? lh_live_program_of(v, 0) : NULL;
    if (!p || lh_failed(l->ctx)) return;
    lh_paper_how how = {.lesson = l->name,
                        .digits = l->sheet.digits,
                        .steps = l->sheet.step,
                        .at = l->sheet.at,
                        .n_steps = l->sheet.n_steps};
    lh_paper_free(lh_paper_new(l->ctx, p, &how));
    if (!lh_failed(l->ctx) || lh_context_error(l->ctx)->kind == LH_ERROR_MEMORY) return;
    lh_place at = is_wanted ? l->sheet.at[0] : (lh_place){l->program[0].piece[0].line, 1, 0};
    lh_error e = *lh_context_error(l->ctx);
    if (e.at.line == 0) e.at = at;
    lh_context_clear(l->ctx);
    if (is_wanted && before == l->problems->n_errors)
        lh_problem_add(l->problems, e.kind, e.at, "no sheet can be made: %.400s", e.what);
    else if (!is_wanted)
        lh_problem_warn(l->problems, at, "no sheet can be made: %.400s", e.what);
    lh_problem_cure(l->problems, "%s", e.cure);
}

/* Can the mistake be made somewhere in the lesson's own program? */
static bool is_made(const lh_candidate *c, int n, const lh_mistake *m) {
    for (int i = 0; i < n; i++)
        if (c[i].mistake == m) return true;
    return false;
}

/* The mistakes that the lesson adds: each can be read, the lesson that explains it exists, and there is a line in which it
 * can be made. */
static void check_mistakes(lh_lesson *l, lh_live *v, lh_arena *a) {
    const lh_contents *c = lh_contents_read(l->ctx, a);
    lh_program *p = lh_lesson_parse(l->ctx, l->file, l->source, l->length);
    lh_mistakes *m = p ? lh_mistakes_load(l->ctx, p) : NULL;
    lh_graph *g = m ? lh_live_graph(v, 0) : NULL;
    int n = 0, own = m ? m->n : 0;
    const lh_candidate *made = g ? lh_candidates(g, m, a, &n) : NULL;
    for (int i = p ? p->n_statements - 1 : -1; made && i >= 0; i--) {
        const lh_statement *s = p->statement[i];
        if (s->kind != LH_S_MISTAKE) continue;
        if (s->see) check_lesson_name(l, c, (lh_mention){.text = s->see, .at = s->at}, "see");
        if (is_made(made, n, &m->mistake[--own])) continue;
        lh_problem_warn(l->problems, s->at, "%.60s cannot be made in any line of this lesson",
                        s->name);
        lh_problem_cure(l->problems,
                        "w b g stand for given matrices, a c d x y for computed values");
    }
    lh_problems_take(l->problems, l->ctx, (lh_place){1, 1, 0});
    lh_mistakes_free(m);
    lh_program_free(p);
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
        int before = l->problems->n_errors;
        if (is_lesson && good) check_sheet(l, v);
        if (is_lesson && good && before == l->problems->n_errors) check_paper(l, v);
        if (is_lesson && good && l->sheet.n_steps) check_mistakes(l, v, a);
        if (is_lesson && good) check_symbols(l, v);
        if (is_lesson && good) check_exercises(l, v);
    }
    if (is_lesson && a) check_head(l, a);
    if (is_lesson && a) check_digits(l, a);
    if (is_lesson) check_products(l);
    lh_live_free(v);
    lh_arena_free(a);
    lh_problems_sort(l->problems);
}
