/* web -- one call: its arguments taken apart, its function found, its answer or error written. */
#include "web.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/version.h"

void lh_web_version(lh_web *w, int n, const char *const *argument) {
    (void)n, (void)argument;
    lh_json_text(&w->json, "version", lh_version());
    lh_json_begin(&w->json, "functions", '[');
    for (const lh_web_function *f = lh_web_functions; f->name; f++)
        lh_json_text(&w->json, NULL, f->name);
    lh_json_end(&w->json, ']');
}

/* ---- errors ---- */

bool lh_web_fail(lh_web *w, lh_error_kind kind, const char *what, ...) {
    char text[400];
    va_list args;
    va_start(args, what);
    lh_vformat(text, sizeof text, what, args);
    va_end(args);
    lh_fail(w->ctx, kind, (lh_place){0, 0, 0}, "%s", text);
    return false;
}

void lh_web_error(lh_json *j, const char *name, const lh_error *e) {
    static const char *const kind[] = {"",      "text",  "name", "shape",
                                       "value", "limit", "file", "memory"};
    lh_json_begin(j, name, '{');
    lh_json_text(j, "kind", kind[e->kind]);
    lh_json_text(j, "file", e->file);
    lh_json_int(j, "line", e->at.line);
    lh_json_int(j, "column", e->at.col);
    lh_json_int(j, "length", e->at.len);
    lh_json_text(j, "source", e->source);
    lh_json_int(j, "source_column", e->source_col);
    lh_json_text(j, "what", e->what);
    lh_json_text(j, "cure", e->cure);
    lh_json_end(j, '}');
}

/* ---- a call ---- */

static void begin_answer(lh_web *w) {
    w->out = lh_text_new(w->arena);
    w->json = lh_json_into(&w->out);
    w->json.is_line = true;
    lh_json_begin(&w->json, NULL, '{');
}

static int take_apart(const char *s, size_t length, const char **argument) {
    int n = 0;
    for (const char *end = s + length; s < end && n <= LH_WEB_ARGUMENTS; s += strlen(s) + 1)
        argument[n++] = s;
    return n;
}

static const lh_web_function *find_function(lh_web *w, const char *name, int n) {
    for (const lh_web_function *f = lh_web_functions; f->name; f++) {
        if (strcmp(f->name, name) != 0) continue;
        if (f->needs_lesson && !w->live)
            return lh_web_fail(w, LH_ERROR_NAME, "%s: no lesson or program is open", name), NULL;
        if (n >= f->least && n <= f->most) return f;
        lh_web_fail(w, LH_ERROR_VALUE, "%s takes %d to %d arguments, not %d", name, f->least,
                    f->most, n);
        return NULL;
    }
    lh_web_fail(w, LH_ERROR_NAME, "there is no function %.60s", name);
    return NULL;
}

/* The error has a file and a line where it came from the text that is open. */
static const char *answer_error(lh_web *w) {
    lh_error e = w->ctx->error;
    lh_context_clear(w->ctx);
    begin_answer(w);
    lh_web_error(&w->json, "error", &e);
    lh_json_end(&w->json, '}');
    return w->out.n ? w->out.s
                    : "{\"error\": {\"kind\": \"memory\", \"what\": \"there is no memory left\"}}";
}

const char *lh_web_call(lh_web *w, const char *arguments, size_t length) {
    const char *argument[LH_WEB_ARGUMENTS + 1];
    lh_arena_free(w->arena);
    lh_context_clear(w->ctx);
    w->arena = lh_arena_new(w->ctx);
    if (!w->arena || length == 0 || arguments[length - 1])
        return "{\"error\": {\"kind\": \"value\", \"what\": \"no arguments\"}}";
    int n = take_apart(arguments, length, argument);
    begin_answer(w);
    const lh_web_function *f = find_function(w, argument[0], n - 1);
    if (f) f->run(w, n - 1, argument + 1);
    if (lh_failed(w->ctx)) {
        if (w->lesson) lh_fail_in(w->ctx, w->lesson->file, w->lesson->source, w->lesson->length);
        return answer_error(w);
    }
    lh_json_end(&w->json, '}');
    return lh_failed(w->ctx) ? answer_error(w) : w->out.s;
}

/* ---- the whole ---- */

/* file() in a program reads what the page has given, and nothing else. */
static void read_text(void *who, lh_context *ctx, lh_arena *arena, const char *path,
                      const char **text, size_t *length) {
    const lh_web *w = who;
    for (int i = 0; i < w->n_texts; i++) {
        if (strcmp(w->text[i].name, path) != 0) continue;
        *text = lh_copy(arena, w->text[i].text, w->text[i].length);
        *length = w->text[i].length;
        return;
    }
    lh_fail(ctx, LH_ERROR_FILE, (lh_place){0, 0, 0}, "the page has no file %.100s", path);
}

lh_web *lh_web_new(void) {
    lh_web *w = calloc(1, sizeof *w);
    if (w) w->ctx = lh_context_new();
    if (w && !w->ctx) free(w), w = NULL;
    if (!w) return NULL;
    w->remains = LH_WEB_REMAINS;
    w->ctx->memory_limit = LH_WEB_MEMORY;
    w->ctx->read_file = read_text;
    w->ctx->read_file_who = w;
    return w;
}

void lh_web_free(lh_web *w) {
    if (!w) return;
    lh_web_close(w);
    for (int i = 0; i < w->n_texts; i++) free(w->text[i].name), free(w->text[i].text);
    free(w->text);
    lh_arena_free(w->arena);
    lh_context_free(w->ctx);
    free(w);
}
