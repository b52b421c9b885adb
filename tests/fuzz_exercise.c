/* Any text as an answer: the first byte says to which exercise. It is judged or refused with a word, nothing is left behind in the context, and
 * the key still passes afterwards. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exercises.h"
#include "learn/exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 256 << 20, ANSWERS = 100 };

static size_t taken;
static bool has_run_out; /* from then on anything may be refused */

static void *alloc_some(size_t size) {
    has_run_out |= size > MEMORY || taken + size > MEMORY;
    if (has_run_out) return NULL;
    taken += size;
    return malloc(size);
}

static lh_context *ctx;

static void check(lh_task *t, const char *text) {
    lh_answered a = lh_task_answer(t, text);
    if (has_run_out) return;
    if (lh_failed(ctx)) abort();
    if (a.state == LH_ANSWER_UNREAD && !a.error && !a.n_lines) abort();
    const char *key = lh_task_key(t);
    if (!key) abort();
    a = lh_task_answer(t, key);
    if (a.state != LH_ANSWER_RIGHT && !has_run_out) abort();
}

/* The lesson stays open for a while: most of the time would go into opening it. */
static lh_lesson *lesson;
static lh_live *live;
static int n_answers;

static void close_lesson(void) {
    lh_live_free(live);
    lh_lesson_free(lesson);
    lh_context_free(ctx);
    ctx = NULL;
}

static void open_lesson(void) {
    if (ctx && !has_run_out && ++n_answers < ANSWERS) return;
    if (ctx) close_lesson();
    ctx = lh_context_new();
    if (!ctx) abort();
    n_answers = 0;
    taken = 0;
    has_run_out = false;
    ctx->alloc = alloc_some;
    lesson = lh_lesson_open(ctx, "all.md", exercises_lesson, strlen(exercises_lesson), NULL);
    live = lesson ? lh_live_new(lesson) : NULL;
    if (!live) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    open_lesson();
    lh_task *t = lh_task_open(live, (data[0] & 15) % N_EXERCISES_HERE);
    if (!t && !has_run_out) abort();
    char *text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    if (t) check(t, text);
    free(text);
    lh_task_close(t);
    return 0;
}
