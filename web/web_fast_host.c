/* web_fast_host -- what the fast evaluator asks of its host, in a page: one thread, one process. */
#include <stdlib.h>
#include <string.h>

#include "eval/fast/signals.h"
#include "eval/fast/threads.h"
#include "files/tensors.h"
#include "train/ranks.h"

void lh_signals_hold(void) {}

void lh_signals_let(void) {}

struct lh_pool {
    void *room;
    size_t bytes;
};

int lh_pool_processors(void) {
    return 1;
}

lh_pool *lh_pool_new(int threads) {
    (void)threads;
    return calloc(1, sizeof(lh_pool));
}

void lh_pool_free(lh_pool *pool) {
    if (pool) free(pool->room);
    free(pool);
}

int lh_pool_threads(const lh_pool *pool) {
    (void)pool;
    return 1;
}

void lh_pool_run(lh_pool *pool, int pieces, lh_pool_piece piece, void *what) {
    (void)pool;
    for (int i = 0; i < pieces; i++) piece(what, i, 0);
}

void lh_pool_use_bf16(lh_pool *pool, bool is_on) {
    (void)pool, (void)is_on;
}

bool lh_pool_uses_bf16(const lh_pool *pool) {
    (void)pool;
    return false;
}

void *lh_pool_room(lh_pool *pool, size_t bytes) {
    if (!pool) return NULL;
    if (bytes <= pool->bytes) return pool->room;
    free(pool->room);
    pool->room = malloc(bytes);
    pool->bytes = pool->room ? bytes : 0;
    return pool->room;
}

size_t lh_pool_room_bytes(const lh_pool *pool) {
    return pool ? pool->bytes : 0;
}

void lh_pool_count(lh_pool *pool, lh_pool_counts *counts) {
    (void)pool, (void)counts;
}

/* ---- files: they are read, and none is written ---- */

bool lh_tensors_write(lh_context *ctx, const char *path, const lh_tensor_entry *entry, int n,
                      const lh_pair *metadata, int n_metadata) {
    (void)entry, (void)n, (void)metadata, (void)n_metadata;
    lh_fail(ctx, LH_ERROR_FILE, (lh_place){0, 0, 0}, "%s: a page writes no files", path);
    return false;
}

/* A file lies in memory of the module's own here, and its numbers are nowhere else. */
int madvise(void *at, size_t bytes, int advice);
int madvise(void *at, size_t bytes, int advice) {
    (void)at, (void)bytes, (void)advice;
    return 0;
}

/* ---- ranks: this process is alone ---- */

void lh_ranks_tell(const lh_ranks *r, void *bytes, size_t n) {
    (void)r, (void)bytes, (void)n;
}

bool lh_ranks_all(const lh_ranks *r, bool is_so, int *how_many) {
    (void)r;
    if (how_many) *how_many = is_so;
    return is_so;
}

int lh_ranks_first(const lh_ranks *r, lh_arena *a, bool is_so) {
    (void)r, (void)a;
    return is_so ? 0 : 1;
}

bool lh_ranks_well(const lh_ranks *r, lh_context *ctx, lh_arena *a) {
    (void)r, (void)a;
    return !lh_failed(ctx);
}

char *lh_ranks_tell_text(const lh_ranks *r, lh_context *ctx, lh_arena *a, const char *text) {
    (void)r, (void)ctx;
    return text ? lh_copy(a, text, strlen(text)) : NULL;
}
