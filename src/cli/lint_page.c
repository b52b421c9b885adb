/* lint_page -- a lesson as `read` and `book` lay it out: every formula is parsed, every link followed. */
#include "base/ascii.h"
#include "cli/lint_command.h"

#include <string.h>

#include "graph/build.h"
#include "learn/contents.h"
#include "learn/formula.h"
#include "learn/page.h"

typedef struct checker {
    lh_lesson *l;
    lh_arena *arena;
    const lh_contents *course;
    const lh_page *page; /* of the lesson itself: its anchors */
    lh_place from;       /* where the text that is looked at begins in the file */
} checker;

/* What will be put in is a number; which one is of no matter here. */
static void insert(void *who, int i, lh_span *s) {
    (void)who, (void)i;
    s->text = "0";
}

static lh_page *read_page(lh_context *ctx, lh_arena *a, const lh_lesson *l, const char *text,
                          lh_problems *problems) {
    lh_page_how how = {.file = l->file,
                       .text = text,
                       .length = strlen(text),
                       .insert = insert,
                       .n_inserts = l->n_inserts,
                       .problems = problems};
    return lh_page_read(ctx, a, &how);
}

/* A place in a part of the file (a question, a caption) as one of the file. */
static lh_place moved(const checker *k, lh_place at) {
    if (at.line == 0) return k->from;
    if (at.line == 1) at.col += k->from.col - 1;
    at.line += k->from.line - 1;
    return at;
}

/* ---- links ---- */

static bool has_anchor(const lh_piece *p, const char *anchor) {
    for (; p; p = p->next)
        if ((p->kind == LH_PIECE_HEADING && strcmp(p->anchor, anchor) == 0) ||
            has_anchor(p->child, anchor))
            return true;
    return false;
}

static bool lesson_has(checker *k, const lh_found *found, const char *anchor) {
    lh_context *ctx = k->l->ctx;
    lh_lesson *other = lh_lesson_read(ctx, found->file, found->text, found->length, &k->l->finder);
    const lh_page *page =
        other ? read_page(ctx, k->arena, other, other->markdown, other->problems) : NULL;
    bool has = page && has_anchor(page->piece, anchor);
    if (lh_failed(ctx) && lh_context_error(ctx)->kind != LH_ERROR_MEMORY) lh_context_clear(ctx);
    lh_lesson_free(other);
    return has;
}

static void no_lesson(checker *k, const lh_span *s, const char *name) {
    lh_problems *all = k->l->problems;
    const char *known[256];
    int n = 0;
    size_t length = strlen(name);
    for (int i = 0; i < k->course->n && n < 256; i++) known[n++] = k->course->item[i].name;
    const char *near = lh_nearest(name, known, n);
    lh_problem_add(all, LH_ERROR_NAME, moved(k, s->at), "the link to \"%.80s\" leads to no lesson",
                   s->to);
    if (length > 3 && lh_ends_in(name, ".md"))
        lh_problem_cure(all, "a link names the lesson alone: [words](%.*s)", (int)length - 3, name);
    else if (near)
        lh_problem_cure(all, "did you mean %s?", near);
    else
        lh_problem_cure(all, "ex2, ex2#part, #part, or an address with https://");
}

static void check_link(checker *k, const lh_span *s) {
    const char *to = s->to ? s->to : "";
    size_t n = strcspn(to, "#");
    const char *name = lh_copy(k->arena, to, n), *anchor = to[n] ? to + n + 1 : "";
    lh_found found = {0};
    if (strstr(to, "://")) return;
    bool is_here = n == 0 || strcmp(name, k->l->name) == 0;
    if (!is_here && !k->l->finder.find(k->l->finder.who, name, &found)) {
        no_lesson(k, s, name);
        return;
    }
    if (n == 0 && !*anchor)
        lh_problem_add(k->l->problems, LH_ERROR_NAME, moved(k, s->at), "the link has no target");
    if (!*anchor || strcmp(anchor, "top") == 0) return;
    if (is_here ? k->page && has_anchor(k->page->piece, anchor) : lesson_has(k, &found, anchor))
        return;
    lh_problem_add(k->l->problems, LH_ERROR_NAME, moved(k, s->at),
                   "the link to \"%.80s\": there is no heading #%.60s", to, anchor);
    lh_problem_cure(k->l->problems, "the words of the heading, small, with - for spaces");
}

/* ---- formulas ---- */

static void check_formula(checker *k, const lh_span *s) {
    lh_context *ctx = k->l->ctx;
    lh_formula_parse(ctx, k->arena, s->text ? s->text : "", s->text ? strlen(s->text) : 0, s->at);
    if (!lh_failed(ctx) || lh_context_error(ctx)->kind == LH_ERROR_MEMORY) return;
    lh_error e = *lh_context_error(ctx);
    lh_context_clear(ctx);
    lh_problem_add(k->l->problems, e.kind, moved(k, e.at), "%s", e.what);
    lh_problem_cure(k->l->problems, "%s", e.cure);
}

/* ---- the tree ---- */

static void check_spans(checker *k, const lh_span *s) {
    for (; s; s = s->next) {
        if (s->kind == LH_SPAN_LINK) check_link(k, s);
        if (s->kind == LH_SPAN_MATH || s->kind == LH_SPAN_DISPLAY) check_formula(k, s);
        check_spans(k, s->child);
    }
}

static void check_pieces(checker *k, const lh_piece *p) {
    for (; p; p = p->next) {
        check_spans(k, p->span);
        check_pieces(k, p->child);
    }
}

/* A question, a hint, a caption: a small page of its own. */
static void check_part(checker *k, const char *text, lh_place at) {
    lh_problems *all = k->l->problems;
    int before = all->n;
    if (!text || !*text) return;
    k->from = at;
    const lh_page *p = read_page(k->l->ctx, k->arena, k->l, text, all);
    for (int i = before; i < all->n; i++)
        all->problem[i]->error.at = moved(k, all->problem[i]->error.at);
    if (p) check_pieces(k, p->piece);
    lh_problems_take(all, k->l->ctx, at);
}

static void check_parts(checker *k) {
    lh_lesson *l = k->l;
    for (int i = 0; i < l->n_shows; i++) check_part(k, l->show[i].caption, l->show[i].caption_at);
    for (int i = 0; i < l->n_exercises; i++) {
        const lh_exercise *e = &l->exercise[i];
        check_part(k, e->question, e->question_at);
        for (int f = 0; f < e->n_fields; f++) {
            const lh_field *x = &e->field[f];
            bool is_prose = strcmp(x->name, "title") == 0 || strcmp(x->name, "choice") == 0 ||
                            strcmp(x->name, "hint") == 0 || strcmp(x->name, "because") == 0;
            if (is_prose) check_part(k, x->right ? x->left : x->value, x->value_at);
        }
    }
}

void lh_lint_page(lh_lesson *l) {
    size_t n = strlen(l->file);
    if (n < 3 || strcmp(l->file + n - 3, ".md") != 0) return;
    checker k = {.l = l, .arena = lh_arena_new(l->ctx), .from = {1, 1, 0}};
    if (!k.arena) return;
    k.course = lh_contents_read(l->ctx, k.arena);
    k.page = read_page(l->ctx, k.arena, l, l->markdown, l->problems);
    if (k.page) check_pieces(&k, k.page->piece);
    lh_problems_take(l->problems, l->ctx, k.from);
    check_parts(&k);
    lh_arena_free(k.arena);
}
