/* The engine as a page calls it: web/web.h. What it says of numbers, sheets and exercises is compared with the program under node, in
 * web.sh; here are errors, changes of givens, and that calls without end take no more memory. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "web.h"

static int fresh(void **state) {
    *state = lh_web_new();
    return *state ? 0 : -1;
}

static int done(void **state) {
    lh_web_free(*state);
    return 0;
}

static const char *call_with(lh_web *w, const char *const *word) {
    static char arguments[65536];
    size_t n = 0;
    for (; *word; word++) {
        size_t length = strlen(*word) + 1;
        assert_true(n + length < sizeof arguments);
        memcpy(arguments + n, *word, length);
        n += length;
    }
    return lh_web_call(w, arguments, n);
}

/* call(w, "explain", "P[1][0]", NULL) */
#define call(w, ...) call_with(w, (const char *const[]){__VA_ARGS__})

static void says(const char *answer, const char *what) {
    if (!strstr(answer, what)) fail_msg("\"%s\" is not in %.600s", what, answer);
}

static void is_well(const char *answer) {
    if (strncmp(answer, "{\"error\"", 8) == 0) fail_msg("%.600s", answer);
}

static void arguments(void **state) {
    lh_web *w = *state;
    says(lh_web_call(w, "", 0), "no arguments");
    says(lh_web_call(w, "open", 4), "no arguments"); /* without its final 0 */
    says(call(w, "nothing", NULL), "there is no function nothing");
    says(call(w, "explain", "P", NULL), "no lesson or program is open");
    says(call(w, "open", NULL), "open takes 1 to 1 arguments, not 0");
    says(call(w, "open", "nowhere", NULL), "there is no lesson or program nowhere");
    for (int i = 0; i < 3; i++) says(call(w, "version", NULL), "\"functions\"");
}

static void opens(void **state) {
    lh_web *w = *state;
    says(call(w, "open", "ex1", NULL), "\"title\": \"Example 1: the forward pass\"");
    says(call(w, "values", "P", NULL), "\"cells\": [[\"0.501768\", \"0.498232\"]");
    says(call(w, "explain", "P[1][0]", NULL), "\"numbers\": \"0.992954 / 1.99295\"");
    says(call(w, "open", "nowhere", NULL), "\"error\"");
    says(call(w, "values", "P", NULL), "0.501768"); /* what was open still is */
    is_well(call(w, "text", "mine.lh", "const a = 2\nb = a * 3\n", NULL));
    says(call(w, "open", "mine.lh", NULL), "\"runs\": true");
    says(call(w, "explain", "b", NULL),
         "\"at\": \"a\", \"text\": \"2\", \"value\": 2, \"given\": true");
    is_well(call(w, "text", "mine.lh", "const a = 2\nb = a @ [1 2; 3]\n", NULL));
    says(call(w, "open", "mine.lh", NULL), "\"line\": 2");
    says(call(w, "values", "b", NULL), "\"error\"");
}

static void sets(void **state) {
    lh_web *w = *state;
    is_well(call(w, "open", "ex1", NULL));
    is_well(call(w, "set", "E[0][1]", "0.5", NULL));
    is_well(call(w, "set", "E[1][0]", "1/4", NULL));
    says(call(w, "values", "E", NULL), "[\"1\", \"0.5\"], [\"0.25\", \"1\"]");
    is_well(call(w, "set", "E[0][1]", "0.75", NULL));
    says(call(w, "values", "E", NULL), "[\"1\", \"0.75\"], [\"0.25\", \"1\"]");
    says(call(w, "settings", NULL), "{\"settings\": [{\"what\": \"E[1][0]\", \"value\": \"1/4\"}, "
                                    "{\"what\": \"E[0][1]\", \"value\": \"0.75\"}]}");
    is_well(call(w, "unset", "E[1][0]", NULL));
    says(call(w, "values", "E", NULL), "[\"1\", \"0.75\"], [\"0\", \"1\"]");
    is_well(call(w, "unset", NULL));
    says(call(w, "values", "P", NULL), "0.501768");
}

/* A mistake that the lesson's own sheet block adds is known by its name. */
static void names_own_mistakes(void **state) {
    lh_web *w = *state;
    is_well(call(w, "text", "own.md",
                 "# Own\n\n```longhand\nconst a = [1 2; 3 4]\nb = a * 2\n```\n\n```sheet\nb\n"
                 "mistake single forward \"it was not doubled\" see matrices  w * 2 => w\n```\n",
                 NULL));
    is_well(call(w, "open", "own.md", NULL));
    says(call(w, "mark", "sheet own, seed 0, digits 4\nb = 1 2; 3 4\n", NULL),
         "it was not doubled");
}

/* After a value that cannot be, everything is as before. */
static void refuses(void **state) {
    static const struct {
        const char *what, *value, *says;
    } bad[] = {
        {"E[0][1]", "one", "one"},
        {"E[0][1]", "1; 2", "\"error\""},
        {"E[0][1]", "1/0", "is not a number"},
        {"E[0][1]", "E", "one number is expected"},
        {"E[0][1]", "", "a number is missing"},
        {"E[9][1]", "1", "there is no row 9"},
        {"E", "[1 2 3]", "too few"},
        {"P", "1", "only what is given can be set"},
        {"nobody", "1", "\"error\""},
        {"tokens[1]", "Z", "is not in the vocabulary"},
        {"tokens[1]", "A B", "one word is expected"},
        {"example 7", "A -> B", "example 7 has no line"},
        {"example 0", "A -> B\nconst b = 1", "an example is one line"},
        {"other:E[0][0]", "1", "no program other"},
    };
    lh_web *w = *state;
    is_well(call(w, "open", "ex1", NULL));
    is_well(call(w, "set", "E[0][1]", "0.5", NULL));
    char *before = strdup(call(w, "values", "P", NULL));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *answer = call(w, "set", bad[i].what, bad[i].value, NULL);
        assert_non_null(strstr(answer, "\"error\""));
        says(answer, bad[i].says);
        assert_string_equal(call(w, "values", "P", NULL), before);
    }
    free(before);
}

static void sets_examples(void **state) {
    lh_web *w = *state;
    is_well(call(w, "open", "ex4", NULL));
    is_well(call(w, "set", "tokens{example 1}[0]", "C", NULL));
    says(call(w, "givens", NULL), "\"examples\": [\"A B -> C\", \"C A -> D\", \"B A -> C\"]");
    is_well(call(w, "set", "example 0", "A B C -> D", NULL));
    says(call(w, "values", "P{example 0}", NULL), "\"rows\": 3");
    says(call(w, "givens", NULL), "\"examples\": [\"A B C -> D\", \"C A -> D\", \"B A -> C\"]");
}

/* One turn of a repeat has its own. */
static void sets_turns(void **state) {
    lh_web *w = *state;
    is_well(call(w, "open", "ex6", NULL));
    is_well(call(w, "set", "h[0].WQ[0][1]", "0.7", NULL));
    says(call(w, "values", "h[0].WQ", NULL), "[\"0.1\", \"0.7\"]");
    says(call(w, "values", "h[1].WQ", NULL), "[\"0.1\", \"0\"]");
    is_well(call(w, "set", "layers", "3", NULL));
    says(call(w, "values", "h[2].WQ", NULL), "[\"0.1\", \"0\"]");
}

static void trains(void **state) {
    lh_web *w = *state;
    is_well(call(w, "open", "ex4", NULL));
    says(call(w, "explain", "WO[0][1]@3", NULL),
         "\"at\": \"WO[0][1]@2\", \"text\": \"-0.00328995\"");
    says(call(w, "step", "3", NULL), "{\"step\": 3}");
    says(call(w, "explain", "WO[0][1]", NULL), "\"text\": \"-0.00488468\"");
    says(call(w, "explain", "WO[0][1]", NULL), "\"at\": \"rate\""); /* which no update changes */
    says(call(w, "step", "-1", NULL), "a number of updates");
    says(call(w, "step", "3000000", NULL), "a number of updates");
    says(call(w, "losses", "0", "2", NULL), "\"steps\": [0, 1, 2], \"loss\": [1.385");
    is_well(call(w, "open", "ex1", NULL));
    says(call(w, "step", "1", NULL), "has no update");
}

/* Memory that is in use, by way of the context's own allocator. */
static size_t in_use;

static void *counted(size_t n) {
    size_t *p = malloc(n + 16);
    if (!p) return NULL;
    *p = n;
    in_use += n;
    return p + 2;
}

static void uncounted(void *p) {
    if (!p) return;
    in_use -= ((size_t *)p)[-2];
    free((size_t *)p - 2);
}

static void grows_not(void **state) {
    (void)state;
    lh_web *w = lh_web_new();
    char value[32];
    size_t before = 0;
    assert_null(w->arena);
    w->ctx->alloc = counted;
    w->ctx->release = uncounted;
    in_use = 0;
    w->remains = 1 << 20;
    is_well(call(w, "open", "ex4", NULL));
    for (int i = 0; i < 600; i++) {
        snprintf(value, sizeof value, "0.%d", i % 7);
        is_well(call(w, "set", "E[0][1]", value, NULL));
        is_well(call(w, "values", "P", "WO", NULL));
        is_well(call(w, "explain", "P{example 1}[1][0]", "deep", NULL));
        is_well(call(w, "trace", NULL));
        says(call(w, "set", "E", "[1", NULL), "error");
        is_well(call(w, "version", NULL)); /* the answer before it is freed */
        if (i == 99) before = in_use;
    }
    for (int i = 0; i < 3000; i++)
        is_well(call(w, "explain", "dWO{example 1}[0][1]", "deep", NULL));
    is_well(call(w, "version", NULL));
    if (in_use > before + 2 * w->remains) fail_msg("%zu bytes, and %zu before", in_use, before);
    lh_web_free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arguments, fresh, done),
        cmocka_unit_test_setup_teardown(opens, fresh, done),
        cmocka_unit_test_setup_teardown(sets, fresh, done),
        cmocka_unit_test_setup_teardown(names_own_mistakes, fresh, done),
        cmocka_unit_test_setup_teardown(refuses, fresh, done),
        cmocka_unit_test_setup_teardown(sets_examples, fresh, done),
        cmocka_unit_test_setup_teardown(sets_turns, fresh, done),
        cmocka_unit_test_setup_teardown(trains, fresh, done),
        cmocka_unit_test(grows_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
