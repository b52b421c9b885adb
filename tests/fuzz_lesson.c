/* Any bytes as a lesson: read, computed, checked. What is wrong has a place inside the text and a message; the Markdown that is left has
 * as many lines as the text, and names only inserts and blocks that there are. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "learn/lint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 48 << 20, UPDATES = 8, MAX_SIZE = 8192 };

static size_t taken;

static void *alloc_some(size_t size) {
    if (size > MEMORY || taken + size > MEMORY) return NULL;
    taken += size;
    return malloc(size);
}

static int count_lines(const char *s, size_t n) {
    int lines = 0;
    for (size_t i = 0; i < n; i++) lines += s[i] == '\n';
    return lines;
}

static void check_problems(const lh_lesson *l) {
    int lines = count_lines(l->source, l->length) + 1;
    for (int i = 0; i < l->problems->n; i++) {
        const lh_error *e = &l->problems->problem[i]->error;
        if (!*e->what || e->at.line > lines || e->at.line < 0) abort();
    }
}

/* Characters of inserts stand in their order: the prose, then what blocks hold, is read from the top down. */
static void check_markdown(const lh_lesson *l) {
    size_t n = strlen(l->markdown);
    for (size_t i = 0; i + 2 < n; i++) {
        int insert = lh_insert_at(l->markdown + i);
        if (insert >= l->n_inserts) abort();
    }
    bool is_whole = strlen(l->source) == l->length && l->length && l->problems->n == 0;
    if (is_whole && count_lines(l->markdown, n) < count_lines(l->source, l->length)) abort();
}

/* No sheet of other numbers: finding kind ones takes its time. */
static bool is_quick(const lh_lesson *l) {
    for (int i = 0; i < l->n_programs; i++)
        if (l->program[i].seed || l->program[i].is_elsewhere) return false;
    for (int i = 0; i < l->n_exercises; i++)
        if (lh_exercise_field(&l->exercise[i], "seed", 0)) return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lh_context *ctx = lh_context_new();
    if (!ctx || size > MAX_SIZE) {
        lh_context_free(ctx);
        return 0;
    }
    taken = 0;
    ctx->alloc = alloc_some;
    lh_lesson *l = lh_lesson_read(ctx, "fuzz.md", (const char *)data, size, NULL);
    if (!l && !lh_failed(ctx)) abort();
    if (l) check_markdown(l);
    if (l && is_quick(l)) {
        l->most_updates = UPDATES;
        lh_lesson_lint(l);
        check_problems(l);
        if (lh_failed(ctx) && ctx->error.kind != LH_ERROR_MEMORY) abort();
    }
    lh_lesson_free(l);
    lh_context_free(ctx);
    return 0;
}
