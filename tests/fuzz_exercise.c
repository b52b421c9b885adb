/* Any text as an answer: the first byte says to which exercise. It is judged or refused with a word, nothing is left behind in the context, and
 * the key still passes afterwards. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exercises.h"
#include "learn/exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 64 << 20 };

static size_t taken;

static void *alloc_some(size_t size) {
    if (size > MEMORY || taken + size > MEMORY) return NULL;
    taken += size;
    return malloc(size);
}

static void check(lh_context *ctx, lh_task *t, const char *text) {
    lh_answered a = lh_task_answer(t, text);
    if (lh_failed(ctx)) {
        if (ctx->error.kind != LH_ERROR_MEMORY) abort();
        return;
    }
    if (a.state == LH_ANSWER_UNREAD && !a.error && !a.n_lines) abort();
    const char *key = lh_task_key(t);
    if (!key) abort();
    a = lh_task_answer(t, key);
    if (a.state != LH_ANSWER_RIGHT && !(lh_failed(ctx) && ctx->error.kind == LH_ERROR_MEMORY))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lh_context *ctx = size ? lh_context_new() : NULL;
    if (!ctx) return 0;
    taken = 0;
    ctx->alloc = alloc_some;
    lh_lesson *l = lh_lesson_open(ctx, "all.md", exercises_lesson, strlen(exercises_lesson), NULL);
    lh_live *v = l ? lh_live_new(l) : NULL;
    lh_task *t = v ? lh_task_open(v, (data[0] & 15) % N_EXERCISES_HERE) : NULL;
    if (!t) abort();
    char *text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    check(ctx, t, text);
    free(text);
    lh_task_close(t);
    lh_live_free(v);
    lh_lesson_free(l);
    lh_context_free(ctx);
    return 0;
}
