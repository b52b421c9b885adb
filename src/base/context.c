#include "base/context.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

lh_context *lh_context_new(void) {
    lh_context *ctx = calloc(1, sizeof *ctx);
    if (!ctx) return NULL;
    ctx->alloc = malloc;
    ctx->release = free;
    ctx->memory_limit = (size_t)lh_memory_most();
    return ctx;
}

void lh_context_free(lh_context *ctx) {
    if (ctx && ctx->kept) ctx->free_kept(ctx->kept);
    free(ctx);
}

bool lh_failed(const lh_context *ctx) {
    return ctx->is_failed;
}

void lh_context_clear(lh_context *ctx) {
    memset(&ctx->error, 0, sizeof ctx->error);
    ctx->is_failed = ctx->wants_cure = false;
}

const lh_error *lh_context_error(const lh_context *ctx) {
    return &ctx->error;
}

void lh_fail(lh_context *ctx, lh_error_kind kind, lh_place at, const char *what, ...) {
    ctx->wants_cure = !ctx->is_failed;
    if (ctx->is_failed) return;
    ctx->is_failed = true;
    ctx->error.kind = kind;
    ctx->error.at = at;
    va_list args;
    va_start(args, what);
    lh_vformat(ctx->error.what, sizeof ctx->error.what, what, args);
    va_end(args);
}

void lh_warn(lh_context *ctx, lh_place at, const char *what, ...) {
    if (ctx->warning[0]) return;
    va_list args;
    va_start(args, what);
    vsnprintf(ctx->warning, sizeof ctx->warning, what, args);
    va_end(args);
    ctx->warned_at = at;
}

void lh_cure(lh_context *ctx, const char *cure, ...) {
    if (!ctx->wants_cure) return;
    ctx->wants_cure = false;
    va_list args;
    va_start(args, cure);
    lh_vformat(ctx->error.cure, sizeof ctx->error.cure, cure, args);
    va_end(args);
}

/* The line of the text where the error is; of a very long line the piece around the column. */
void lh_fail_in(lh_context *ctx, const char *file, const char *text, size_t length) {
    lh_error *e = &ctx->error;
    if (!ctx->is_failed || e->file[0]) return;
    snprintf(e->file, sizeof e->file, "%s", file);
    if (e->at.line < 1 || !text) return;
    const char *line = text, *end = text + length;
    for (int i = 1; i < e->at.line && line < end; i++) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        line = next ? next + 1 : end;
    }
    const char *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
    if (!stop) stop = end;
    size_t col = e->at.col > 0 ? (size_t)e->at.col - 1 : 0;
    size_t from = col > 120 ? col - 60 : 0;
    if (from > (size_t)(stop - line)) from = 0;
    size_t n = (size_t)(stop - line) - from;
    if (n > sizeof e->source - 1) n = sizeof e->source - 1;
    memcpy(e->source, line + from, n);
    e->source[n] = 0;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)e->source[i] < ' ') e->source[i] = ' ';
    e->source_col = (int)(col - from) + 1;
}

/* An arena is a chain of chunks, newest first:
 *
 *     arena -> chunk [ used ...... | free ] -> chunk [ used ] -> reserve
 *           -> spare chunks, which were given back by lh_arena_back
 */
typedef struct chunk {
    struct chunk *next;
    size_t size, used;
    max_align_t data[];
} chunk;

enum { FIRST_CHUNK = 16 * 1024, RESERVE = 64 * 1024 };

struct lh_arena {
    lh_context *ctx;
    chunk *chunks, *spare, *reserve;
    size_t next_size, total;
};

static chunk *chunk_new(lh_context *ctx, size_t size) {
    chunk *c = size > SIZE_MAX - sizeof *c ? NULL : ctx->alloc(sizeof *c + size);
    if (!c) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0},
                "out of memory: %zu bytes could not be allocated", size);
        return NULL;
    }
    c->next = NULL;
    c->size = size;
    c->used = 0;
    return c;
}

lh_arena *lh_arena_new(lh_context *ctx) {
    lh_arena *a = ctx->alloc(sizeof *a);
    chunk *reserve = chunk_new(ctx, RESERVE);
    if (!a || !reserve) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory");
        ctx->release(a);
        ctx->release(reserve);
        return NULL;
    }
    *a = (lh_arena){.ctx = ctx, .reserve = reserve, .next_size = FIRST_CHUNK};
    return a;
}

static void release_all(lh_context *ctx, chunk *c) {
    while (c) {
        chunk *next = c->next;
        ctx->release(c);
        c = next;
    }
}

void lh_arena_free(lh_arena *a) {
    if (!a) return;
    lh_context *ctx = a->ctx;
    release_all(ctx, a->chunks);
    release_all(ctx, a->spare);
    ctx->release(a->reserve);
    ctx->release(a);
}

static void *take(chunk *c, size_t size) {
    void *p = (char *)c->data + c->used;
    c->used += size;
    return memset(p, 0, size);
}

/* The first spare chunk that has room, or a new one. */
static chunk *next_chunk(lh_arena *a, size_t need) {
    for (chunk **at = &a->spare; *at; at = &(*at)->next)
        if ((*at)->size >= need) {
            chunk *c = *at;
            *at = c->next;
            return c;
        }
    chunk *c = chunk_new(a->ctx, need > a->next_size ? need : a->next_size);
    if (c && a->next_size < (1u << 20)) a->next_size *= 2;
    return c;
}

void *lh_alloc(lh_arena *a, size_t size) {
    const size_t step = sizeof(max_align_t);
    size_t need = size > SIZE_MAX - step ? SIZE_MAX : (size + step - 1) / step * step;
    if (need == 0) need = step;
    chunk *c = a->chunks;
    if (!c || c->size - c->used < need) {
        c = next_chunk(a, need);
        if (!c) {
            if (need > LH_SMALL) return NULL;
            if (a->reserve->size - a->reserve->used < need) a->reserve->used = 0;
            return take(a->reserve, need);
        }
        c->next = a->chunks;
        a->chunks = c;
    }
    a->total += need;
    return take(c, need);
}

void *lh_alloc_array(lh_arena *a, size_t n, size_t size) {
    return lh_alloc(a, size && n > SIZE_MAX / size ? SIZE_MAX : n * size);
}

size_t lh_arena_used(const lh_arena *a) {
    return a->total;
}

lh_arena_mark lh_arena_here(const lh_arena *a) {
    return (lh_arena_mark){a->chunks, a->chunks ? a->chunks->used : 0};
}

void lh_arena_back(lh_arena *a, lh_arena_mark to) {
    while (a->chunks && a->chunks != to.chunk) {
        chunk *c = a->chunks;
        a->chunks = c->next;
        c->next = a->spare;
        c->used = 0;
        a->spare = c;
    }
    if (a->chunks) a->chunks->used = to.used;
}

char *lh_copy(lh_arena *a, const char *s, size_t n) {
    char *copy = lh_alloc(a, n + 1);
    if (!copy) return lh_alloc(a, 1);
    if (n) memcpy(copy, s, n); /* s may be NULL for none */
    return copy;
}

char *lh_printf(lh_arena *a, const char *format, ...) {
    char room[128]; /* most texts are short: formatted once, then copied */
    va_list args;
    va_start(args, format);
    int n = lh_vformat(room, sizeof room, format, args);
    va_end(args);
    char *s = n < 0 ? NULL : lh_alloc(a, (size_t)n + 1);
    if (!s) return lh_alloc(a, 1);
    if ((size_t)n < sizeof room) return memcpy(s, room, (size_t)n + 1);
    va_start(args, format);
    lh_vformat(s, (size_t)n + 1, format, args);
    va_end(args);
    return s;
}

/* Room doubles at 4, 8, 16 ...: a list is full exactly when n is 0 or such a power. */
void *lh_push_bytes(lh_arena *a, void **list, int *n, size_t size) {
    size_t count = (size_t)*n;
    bool full = count == 0 || (count >= 4 && (count & (count - 1)) == 0);
    if (full) {
        void *more = lh_alloc_array(a, count ? count * 2 : 4, size);
        if (!more || a->ctx->error.kind == LH_ERROR_MEMORY) return lh_alloc(a, size);
        if (count) memcpy(more, *list, count * size);
        *list = more;
    }
    (*n)++;
    return (char *)*list + count * size;
}

lh_text lh_text_new(lh_arena *a) {
    lh_text t = {.arena = a, .cap = 256};
    t.s = lh_alloc(a, t.cap);
    return t;
}

void lh_text_add_n(lh_text *t, const char *s, size_t n) {
    if (t->cap - t->n <= n) {
        size_t cap = (t->n + n + 1) * 2;
        char *more = lh_alloc(t->arena, cap);
        if (!more) return;
        if (t->arena->ctx->error.kind == LH_ERROR_MEMORY && cap > LH_SMALL) return;
        memcpy(more, t->s, t->n);
        t->s = more;
        t->cap = cap;
    }
    memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = 0;
}

void lh_text_add(lh_text *t, const char *format, ...) {
    char small[512];
    va_list args;
    va_start(args, format);
    int n = lh_vformat(small, sizeof small, format, args);
    va_end(args);
    if (n < 0) return;
    if ((size_t)n < sizeof small) {
        lh_text_add_n(t, small, (size_t)n);
        return;
    }
    char *big = lh_alloc(t->arena, (size_t)n + 1);
    if (!big) return;
    va_start(args, format);
    lh_vformat(big, (size_t)n + 1, format, args);
    va_end(args);
    lh_text_add_n(t, big, (size_t)n);
}
