/* Regular expressions of tokenisers, and the normal forms of Unicode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text/pattern.h"
#include "base/unicode_forms.h"

/* All matches of a pattern in a text, with | between them. */
static const struct {
    const char *pattern, *text, *matches;
} cases[] = {
    {"a+", "baab a", "aa|a"},
    {"a|ab", "abab", "a|a"},
    {"ab|a", "aba", "ab|a"},
    {"(?:ab){2,3}c?", "ababababc", "ababab"},
    {"a{2}", "aaaaa", "aa|aa"},
    {"a{2,}?b?", "aaab", "aa"},
    {"a+?b", "aab", "aab"},
    {"a*?b*?c", "aabbc", "aabbc"},
    {"a+b*?c", "aabbc", "aabbc"},
    {"(?>a+)b|a", "aaab", "aaab"},
    {"(?>a|ab)c", "abc", ""},
    {"a++b|a", "aa", "a|a"},
    {"(?:a|b)++c", "abac", "abac"},
    {"x(?=y)", "xxy", "x"},
    {"x(?!y)", "xyxx", "x|x"},
    {"(?<=a)b", "abb", "b"},
    {"(?<!a)b", "abb", "b"},
    {"(?i:'s|'ll)", "'S'ſ'LL's", "'S|'ſ|'LL|'s"},
    {"(?i)k", "kKK", "k|K|K"},
    {"[^\\s\\p{L}]+", "a1! b", "1!"},
    {"\\p{Lu}\\p{Ll}+", "Ab ÄÖü Ж", "Ab|Öü"},
    {"[а-я]+|\\P{L}", "да1", "да|1"},
    {"\\s+(?!\\S)|\\s+", "a   b ", "  | | "},
    {"\\d{1,3}", "12345", "123|45"},
    {"^a|b$", "a\nab", "a|a|b"},
    {"\\bfoo\\b", "foo food", "foo"},
    {"\\u00e9|\\x{1F600}", "é😀", "é|😀"},
    {"[a\\]b-]+", "a-]bc", "a-]b"},
    {"a{,2}b", "aab", "aab"},
    {"{a}", "{a}", "{a}"},
    {".", "a\nb", "a|b"},
};

static void matches_are_those_that_are_meant(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lh_context *ctx = lh_context_new();
        lh_arena *a = lh_arena_new(ctx);
        lh_pattern *p = lh_pattern_new(ctx, a, cases[i].pattern);
        if (!p) fail_msg("%s: %s", cases[i].pattern, lh_context_error(ctx)->what);
        lh_scan s = lh_scan_new(ctx, a, p, cases[i].text, strlen(cases[i].text));
        lh_text found = lh_text_new(a);
        size_t start, end;
        while (lh_scan_next(&s, &start, &end)) {
            if (found.n) lh_text_add(&found, "|");
            lh_text_add_n(&found, cases[i].text + start, end - start);
        }
        lh_text_add(&found, "%s", "");
        if (strcmp(found.s, cases[i].matches) != 0)
            fail_msg("%s in %s: %s, not %s", cases[i].pattern, cases[i].text, found.s,
                     cases[i].matches);
        lh_arena_free(a), lh_context_free(ctx);
    }
}

static void what_is_not_known_is_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"(a)\\1", "back reference"},  {"[[:alpha:]]", "[ or &&"},
        {"[a&&b]", "[ or &&"},         {"(?<name>a)", "begins with (?"},
        {"(?<=ab)c", "one character"}, {"\\p{Han}", "general category"},
        {"\\q", "means nothing"},      {"(a", "a ( without )"},
        {"a)", "a ) without ("},       {"*a", "after nothing"},
        {"(a*)*", "may be empty"},     {"[b-a]", "ends before"},
        {"a{3,2}", "m below n"},       {"a{5000}", "above 1000"},
        {"[a", "end too early"},       {"\\u12", "hexadecimal"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lh_context *ctx = lh_context_new();
        lh_arena *a = lh_arena_new(ctx);
        assert_null(lh_pattern_new(ctx, a, bad[i][0]));
        if (!strstr(lh_context_error(ctx)->what, bad[i][1]))
            fail_msg("%s: %s", bad[i][0], lh_context_error(ctx)->what);
        lh_arena_free(a), lh_context_free(ctx);
    }
}

/* A run of a million is one match and little memory; what would never end is given up. */
static void long_runs_take_little_and_hostile_patterns_end(void **state) {
    (void)state;
    enum { N = 1000000 };
    static char text[N + 1];
    static const struct {
        const char *pattern;
        bool ends;
    } tried[] = {{"\\p{L}+|\\s+(?!\\S)|\\s+", true}, {"(a+)+b", false}, {"(?:a|aa)+b", false}};
    memset(text, 'a', N);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        lh_context *ctx = lh_context_new();
        lh_arena *a = lh_arena_new(ctx);
        lh_pattern *p = lh_pattern_new(ctx, a, tried[i].pattern);
        assert_non_null(p);
        size_t start = 0, end = 0, n = tried[i].ends ? N : 100;
        lh_scan s = lh_scan_new(ctx, a, p, text, n);
        bool found = lh_scan_next(&s, &start, &end);
        assert_int_equal(found, tried[i].ends);
        assert_int_equal(lh_failed(ctx), !tried[i].ends);
        if (tried[i].ends) assert_int_equal(end, N);
        if (tried[i].ends) assert_true(lh_arena_used(a) < 100000);
        lh_arena_free(a), lh_context_free(ctx);
    }
}

static void normal_forms(void **state) {
    (void)state;
    static const char *const form[][5] = {
        /* text, NFC, NFD, NFKC, NFKD */
        {"é", "é", "e\u0301", "é", "e\u0301"},
        {"a\u0323\u0302", "ậ", "a\u0323\u0302", "ậ", "a\u0323\u0302"},
        {"a\u0302\u0323", "ậ", "a\u0323\u0302", "ậ", "a\u0323\u0302"},
        {"ﬁ", "ﬁ", "ﬁ", "fi", "fi"},
        {"각", "각", "\u1100\u1161\u11A8", "각", "\u1100\u1161\u11A8"},
        {"\u1100\u1161\u11A8x", "각x", "\u1100\u1161\u11A8x", "각x", "\u1100\u1161\u11A8x"},
        {"Å", "Å", "A\u030A", "Å", "A\u030A"},
        {"\u0958", "\u0915\u093C", "\u0915\u093C", "\u0915\u093C", "\u0915\u093C"},
        {"x\xffy\u0301", "x\xffý", "x\xffy\u0301", "x\xffý", "x\xffy\u0301"},
        {"\u0301\u0301", "\u0301\u0301", "\u0301\u0301", "\u0301\u0301", "\u0301\u0301"},
        /* a mark of the same class stands between */
        {"a\u0305\u0301", "a\u0305\u0301", "a\u0305\u0301", "a\u0305\u0301", "a\u0305\u0301"},
    };
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    for (size_t i = 0; i < sizeof form / sizeof *form; i++)
        for (int k = 0; k < 4; k++) {
            lh_text out = lh_text_new(a);
            lh_unicode_normalize(&out, form[i][0], strlen(form[i][0]), (lh_unicode_form)k);
            if (strcmp(out.s, form[i][k + 1]) != 0)
                fail_msg("%s, form %d: %s, not %s", form[i][0], k, out.s, form[i][k + 1]);
        }
    lh_arena_free(a), lh_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_are_those_that_are_meant),
        cmocka_unit_test(what_is_not_known_is_refused),
        cmocka_unit_test(long_runs_take_little_and_hostile_patterns_end),
        cmocka_unit_test(normal_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
