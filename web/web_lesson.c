/* web_lesson -- the lesson that is open as its page shows it: what has changed since it was written, or all of it. */
#include <string.h>

#include "learn/lint.h"
#include "pages/lesson_html.h"
#include "web.h"

/* A reading of what is open; its arena is the call's. */
static lh_reading reading_of(lh_web *w) {
    return (lh_reading){.ctx = w->ctx,
                        .arena = w->arena,
                        .name = w->lesson->name,
                        .title = w->lesson->title,
                        .lesson = w->lesson,
                        .live = w->live,
                        .step = w->step};
}

/* What went wrong with one part of the page: it says so in its place, and the others are new all the same. */
static bool take_error(lh_web *w, const char *name) {
    if (!lh_failed(w->ctx)) return false;
    lh_error e = w->ctx->error;
    if (e.kind == LH_ERROR_MEMORY) return true;
    lh_context_clear(w->ctx);
    lh_web_error(&w->json, name, &e);
    return true;
}

/* ---- inserts ---- */

static void write_claim(lh_web *w, const lh_insert *x) {
    lh_claim claim;
    lh_where where = {0, x->exercise, x->expr_at};
    if (lh_live_claim(w->live, x->expr, where, x->digits, &claim)) {
        lh_json_bool(&w->json, "holds", claim.holds);
        lh_json_text(&w->json, "shown", claim.shown);
        lh_json_text(&w->json, "text", x->is_shown ? claim.shown : "");
    }
}

static void write_insert(lh_web *w, int i) {
    const lh_insert *x = &w->lesson->insert[i];
    if (x->kind >= LH_INSERT_COUNT) return;
    lh_json_begin(&w->json, NULL, '{');
    lh_json_int(&w->json, "insert", i);
    if (x->kind == LH_INSERT_CLAIM) {
        write_claim(w, x);
    } else {
        const lh_shown_insert *shown = lh_live_insert(w->live, i);
        if (shown) lh_json_text(&w->json, "text", shown->text);
    }
    take_error(w, "error");
    lh_json_end(&w->json, '}');
}

/* ---- figures ---- */

static void write_show(lh_web *w, lh_reading *r, int i) {
    lh_text html = lh_text_new(w->arena);
    lh_writer writer = {.r = r, .out = &html, .prefix = "", .styles = w->arena};
    bool ok = lh_lesson_shown(&writer, i);
    if (ok && !html.n) return; /* what a command prints: it stays as the book has it */
    lh_json_begin(&w->json, NULL, '{');
    lh_json_int(&w->json, "show", i);
    if (ok) lh_json_text(&w->json, "html", html.s);
    take_error(w, "error");
    lh_json_end(&w->json, '}');
}

/* Everything on the page that the reader's numbers may have changed. */
void lh_web_refresh(lh_web *w, int n, const char *const *argument) {
    lh_reading r = reading_of(w);
    (void)n, (void)argument;
    lh_json_begin(&w->json, "inserts", '[');
    for (int i = 0; i < w->lesson->n_inserts && !lh_failed(w->ctx); i++) write_insert(w, i);
    lh_json_end(&w->json, ']');
    lh_json_begin(&w->json, "shows", '[');
    for (int i = 0; i < w->lesson->n_shows && !lh_failed(w->ctx); i++) write_show(w, &r, i);
    lh_json_end(&w->json, ']');
}

/* ---- a lesson of a teacher's own ---- */

/* Its links lead to pages of the course that it is dropped on. */
static bool has_lesson(void *who, const char *name) {
    (void)who;
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

static const char *markdown_of(lh_web *w) {
    const char *file = w->lesson->file, *dot = strrchr(file, '.');
    if (!dot || strcmp(dot, ".lh") != 0) return w->lesson->markdown;
    return lh_printf(w->arena, "# %s\n\n```longhand\n%s\n```\n",
                     *w->lesson->title ? w->lesson->title : w->lesson->name, w->lesson->source);
}

/* What the text has that a page does not show as it was meant: HTML, images. */
static void write_problems(lh_web *w, int first) {
    lh_problems *all = w->lesson->problems;
    lh_json_begin(&w->json, "problems", '[');
    for (int i = first; i < all->n; i++) lh_web_write_problem(&w->json, all->problem[i]);
    lh_json_end(&w->json, ']');
    all->n = first;
}

/* The whole article. What cannot be worked out says so in its place. */
void lh_web_lesson(lh_web *w, int n, const char *const *argument) {
    lh_reading r = reading_of(w);
    lh_text html = lh_text_new(w->arena);
    const int n_before = w->lesson->problems->n;
    (void)n, (void)argument;
    r.goes_on = true;
    r.read = lh_page_read;
    r.page = lh_reading_page(&r, markdown_of(w), NULL);
    lh_writer writer = {
        .r = &r, .out = &html, .prefix = "", .has_lesson = has_lesson, .styles = w->arena};
    if (r.page && lh_lesson_body(&writer)) lh_json_text(&w->json, "html", html.s);
    write_problems(w, n_before);
}

/* Everything that is wrong with the text, as `longhand lint` says it. The lesson is read for it once more: what is open stays. */
void lh_web_lint(lh_web *w, int n, const char *const *argument) {
    (void)n, (void)argument;
    lh_lesson *l = lh_lesson_read(w->ctx, w->lesson->file, w->lesson->source, w->lesson->length,
                                  &w->lesson->finder);
    if (l) lh_lesson_lint(l);
    lh_json_begin(&w->json, "problems", '[');
    for (int i = 0; l && i < l->problems->n; i++)
        lh_web_write_problem(&w->json, l->problems->problem[i]);
    lh_json_end(&w->json, ']');
    lh_lesson_free(l);
}
