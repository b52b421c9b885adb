/* scarce -- memory that runs short, for tests in which each piece is refused once.
 *
 *     for (refused = 1;; refused++) {
 *         lh_context *ctx = lh_context_new();
 *         scarce_lend(ctx);                    // counts from 0 again
 *         ...                                  // piece number `refused` was not given: an error, no crash
 *         lh_context_free(ctx);
 *         assert_int_equal(live, 0);           // every piece was given back
 *         if (asked < refused) break;          // there were no more
 *     }
 */
#ifndef LH_TESTS_SCARCE_H
#define LH_TESTS_SCARCE_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/context.h"

static int asked;       /* pieces so far */
static int refused;     /* the one that is not given, counted from 1; 0 for none */
static bool refuse_all; /* nor is any after it */
static int live;        /* pieces given and not yet taken back */

static inline void *alloc_but_one(size_t size) {
    asked++;
    bool is_refused = asked == refused || (refuse_all && refused && asked > refused);
    void *p = is_refused ? NULL : malloc(size);
    if (!p) errno = ENOMEM;
    live += p != NULL;
    return p;
}

static inline void release_counted(void *p) {
    live -= p != NULL;
    free(p);
}

/* Pieces of this context are counted from here on; `refused` stays as it is. */
static inline void scarce_lend(lh_context *ctx) {
    ctx->alloc = alloc_but_one;
    ctx->release = release_counted;
    asked = live = 0;
}

/* The next n pieces are given, and none after them. */
static inline void scarce_after(int n) {
    refused = asked + n + 1;
    refuse_all = true;
}

/* cmocka's setup and teardown: a context of which nothing is refused, and every piece must come back. */
static inline int with_context(void **state) {
    lh_context *ctx = lh_context_new();
    if (!ctx) return -1;
    refused = 0;
    refuse_all = false;
    scarce_lend(ctx);
    *state = ctx;
    return 0;
}

static inline int without_context(void **state) {
    lh_context_free(*state);
    return live;
}

#endif
