/* web_lesson -- the lesson that is open as its page shows it: what has changed since it was written, or all of it. */
#include <string.h>

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
