/* Several processes where one has no memory: the others must not wait for it. Each side is played alone, with a record that knows what the other says. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "train/ranks.h"

enum { LONG = 100000 }; /* more than the reserve of an arena */
static const char no_memory[] = "out of memory";

static bool failed[2]; /* as the sum over both ranks has it */
static bool other_fails;
static bool is_parted;

static void add_ints(int *x, size_t n) {
    assert_int_equal(n, 2);
    if (other_fails) x[1] = 1;
    failed[0] = x[0], failed[1] = x[1];
}

static __attribute__((noreturn)) void abort_all(int status) {
    fail_msg("aborted with %d", status);
    abort();
}

static void told_by_root(void *bytes, size_t n, int from) {
    const uint64_t length = LONG;
    if (from == 0 && n == sizeof length) memcpy(bytes, &length, n);
}

static void told_by_other(void *bytes, size_t n, int from) {
    (void)n;
    if (from == 1) strcpy(bytes, no_memory);
}

static void *alloc_none(size_t n) {
    (void)n;
    return NULL;
}

static lh_ranks rank(int i, void (*tell)(void *bytes, size_t n, int from)) {
    is_parted = failed[0] = failed[1] = false;
    return (lh_ranks){.rank = i,
                      .n = 2,
                      .carrier = {.tell = tell},
                      .add_ints = add_ints,
                      .is_parted = &is_parted,
                      .abort = abort_all};
}

static void one_without_memory_says_so(void **state) {
    (void)state;
    const lh_ranks r = rank(1, told_by_root);
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    ctx->alloc = alloc_none;
    assert_null(lh_ranks_tell_text(&r, ctx, a, NULL));
    assert_true(lh_failed(ctx) && failed[1] && !failed[0] && is_parted);
    assert_int_equal(lh_context_error(ctx)->kind, LH_ERROR_MEMORY);
    lh_arena_free(a);
    lh_context_free(ctx);
}

static void the_others_do_not_wait_for_it(void **state) {
    (void)state;
    const lh_ranks r = rank(0, told_by_other);
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    other_fails = true;
    assert_null(lh_ranks_tell_text(&r, ctx, a, "text"));
    assert_true(is_parted);
    assert_string_equal(lh_context_error(ctx)->what, "rank 1: out of memory");
    other_fails = false;
    lh_arena_free(a);
    lh_context_free(ctx);
}

static void a_text_is_told(void **state) {
    (void)state;
    const lh_ranks r = rank(0, told_by_other);
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    assert_string_equal(lh_ranks_tell_text(&r, ctx, a, "text"), "text");
    assert_false(lh_failed(ctx) || is_parted);
    lh_arena_free(a);
    lh_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_without_memory_says_so),
        cmocka_unit_test(the_others_do_not_wait_for_it),
        cmocka_unit_test(a_text_is_told),
    };
    return cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
}
