/* Code points, their classes and GPT-2's pieces, against PCRE2 too. Without PCRE2 its tests pass at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "text/alphabet.h"
#include "text/split.h"
#include "tokens.h"

/* ---- code points ---- */

static void code_points_are_read_as_they_are_written(void **state) {
    (void)state;
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        char s[4];
        uint32_t again = 0;
        size_t n = lh_utf8_write(s, c), m = lh_utf8_read(s, n, &again);
        bool is_surrogate = c >= 0xD800 && c < 0xE000;
        if (is_surrogate ? m != 0 : m != n || again != c) fail_msg("U+%04X", (unsigned)c);
        if (n > 1 && lh_utf8_read(s, n - 1, &again) != 0) fail_msg("U+%04X cut short", (unsigned)c);
    }
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x80\x80",
                                      "\xe0\x9f\xbf",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "\xc3(",
                                      "\xe2\x82("};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t c;
        assert_int_equal(lh_utf8_read(bad[i], strlen(bad[i]), &c), 0);
    }
}

static void the_alphabet_has_every_byte_once(void **state) {
    (void)state;
    bool seen[256] = {false};
    for (int i = 0; i < 256; i++) {
        unsigned char b = lh_alphabet_nth(i);
        assert_false(seen[b]);
        seen[b] = true;
        assert_int_equal(lh_alphabet_byte(lh_alphabet_char(b)), b);
        assert_int_not_equal(lh_unicode_class_of(lh_alphabet_char(b)), LH_SPACE);
    }
    assert_int_equal(lh_alphabet_char(' '), 0x120);
    assert_int_equal(lh_alphabet_char('\n'), 0x10A);
    assert_int_equal(lh_alphabet_char(0xAD), 0x143); /* the last one */
    assert_int_equal(lh_alphabet_byte(0x144), -1);
    assert_int_equal(lh_alphabet_byte(' '), -1);
    assert_int_equal(lh_alphabet_nth(0), '!');
    assert_int_equal(lh_alphabet_nth(220), ' ');
}

/* ---- the splitter ---- */

static void pieces_are(const char *text, const char *wanted) {
    char cut[256] = "";
    size_t n = strlen(text), k;
    for (size_t i = 0; i < n; i += k) {
        k = lh_split(text + i, n - i);
        if (k == 0 || i + k > n) fail_msg("%s: a piece of %zu bytes", text, k);
        snprintf(cut + strlen(cut), sizeof cut - strlen(cut), "%s%.*s", i ? "|" : "", (int)k,
                 text + i);
    }
    assert_string_equal(cut, wanted);
}

static void text_is_cut_as_gpt2_cuts_it(void **state) {
    (void)state;
    assert_int_equal(lh_split("", 0), 0);
    pieces_are("It's 2 cats,\n  really", "It|'s| 2| cats|,|\n | really");
    pieces_are("they'll we've I'm you're he'd isn't",
               "they|'ll| we|'ve| I|'m| you|'re| he|'d| isn|'t");
    pieces_are("'S 'street ''s 's", "'|S| '|street| ''|s| '|s");
    pieces_are("a  b   c", "a| | b|  | c");
    pieces_are("a\n\nb", "a|\n|\n|b");
    pieces_are("a \n", "a| \n");
    pieces_are("\tb 12a ½x", "\t|b| 12|a| ½|x");
    pieces_are("é漢 !?\xff\xc2", "é漢| !?\xff\xc2");
    pieces_are("'l 'r", "'|l| '|r");
    pieces_are("'", "'");
}

#ifdef HAVE_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static pcre2_code *compile(const char *pattern) {
    int error;
    PCRE2_SIZE at;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                                     PCRE2_UTF | PCRE2_UCP, &error, &at, NULL);
    assert_non_null(code);
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    return code;
}

/* The length of the match at the beginning, 0 when there is none. */
static size_t match(const pcre2_code *code, pcre2_match_data *found, const char *s, size_t n,
                    size_t at) {
    int k = pcre2_match(code, (PCRE2_SPTR)s, n, at, PCRE2_ANCHORED, found, NULL);
    const PCRE2_SIZE *o = pcre2_get_ovector_pointer(found);
    return k > 0 ? o[1] - o[0] : 0;
}

/* 0 to 3 as lh_unicode_class; -1 where this PCRE2 knows no such character: its Unicode may be older than ours. */
static int their_class(uint32_t c) {
    static pcre2_code *code[4];
    static pcre2_match_data *found;
    static const char *const pattern[] = {"\\p{Cn}", "\\p{L}", "\\p{N}", "\\s"};
    char s[4];
    for (int i = 0; i < 4 && !code[i]; i++) code[i] = compile(pattern[i]);
    if (!found) found = pcre2_match_data_create(8, NULL);
    size_t n = lh_utf8_write(s, c);
    for (int i = 0; i < 4; i++)
        if (match(code[i], found, s, n, 0)) return i ? i : -1;
    return 0;
}

/* Characters that one of the two Unicodes does not have yet are new; those that both know are of one class. */
static void classes_are_those_of_pcre2(void **state) {
    (void)state;
    int agreed = 0, new = 0;
    char version[64] = "";
    pcre2_config(PCRE2_CONFIG_UNICODE_VERSION, version);
    bool ours_is_newer = strtod(lh_unicode_version(), NULL) > strtod(version, NULL);
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        if (c >= 0xD800 && c < 0xE000) continue;
        int ours = (int)lh_unicode_class_of(c), theirs = their_class(c);
        if (c == 0x180E && theirs == LH_SPACE)
            theirs = 0; /* a space until Unicode 6.3, and to PCRE2 */
        if (theirs < 0 ? ours == 0 : ours == theirs)
            agreed++;
        else if (ours_is_newer ? theirs < 0 : ours == 0)
            new ++;
        else
            fail_msg("U+%04X is of class %d here, %d in PCRE2", (unsigned)c, ours, theirs);
    }
    print_message("# Unicode %s here, %s in PCRE2: %d code points agree, %d are new\n",
                  lh_unicode_version(), version, agreed, new);
    /* Unicode grows by some thousand characters in a version, most of them ideographs. */
    assert_true(strcmp(version, lh_unicode_version()) == 0 ? new == 0 : new < 20000);
}

/* Characters that meet the rules, and any that both Unicodes have in one class. */
static size_t random_text(char *s, size_t n) {
    static const char near[] = " '  \n\tsStmdrevl1a!";
    size_t k = 0;
    while (k + 4 < n) {
        uint32_t c = (uint32_t)tokens_chance(tokens_chance(4) ? 0x3000 : 0x110000);
        size_t how = tokens_chance(4);
        if (how < 2) c = (unsigned char)near[tokens_chance(sizeof near - 1)];
        if (how == 2 && tokens_chance(3) == 0) c = 0x2000 + (uint32_t)tokens_chance(12);
        if (c >= 0xD800 && c < 0xE000) continue;
        int theirs = their_class(c);
        if ((int)lh_unicode_class_of(c) == (theirs < 0 ? 0 : theirs)) k += lh_utf8_write(s + k, c);
    }
    return k;
}

static void pieces_are_those_of_pcre2(void **state) {
    (void)state;
    pcre2_code *code = compile("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|"
                               "\\s+(?!\\S)|\\s+");
    pcre2_match_data *found = pcre2_match_data_create_from_pattern(code, NULL);
    for (int seed = 1; seed <= (getenv("LH_QUICK") ? 2000 : 20000); seed++) {
        char s[80];
        tokens_seed((uint64_t)seed);
        size_t n = random_text(s, 5 + tokens_chance(sizeof s - 5));
        for (size_t i = 0, k; i < n; i += k) {
            k = lh_split(s + i, n - i);
            size_t theirs = match(code, found, s, n, i);
            if (k != theirs)
                fail_msg("seed %d at %zu: %zu bytes, not %zu: %.*s", seed, i, k, theirs, (int)n, s);
        }
    }
    pcre2_match_data_free(found);
    pcre2_code_free(code);
}
#else
static void classes_are_those_of_pcre2(void **state) {
    (void)state;
    print_message("# skipped: built without PCRE2\n");
}

static void pieces_are_those_of_pcre2(void **state) {
    (void)state;
    print_message("# skipped: built without PCRE2\n");
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_points_are_read_as_they_are_written),
        cmocka_unit_test(the_alphabet_has_every_byte_once),
        cmocka_unit_test(text_is_cut_as_gpt2_cuts_it),
        cmocka_unit_test(classes_are_those_of_pcre2),
        cmocka_unit_test(pieces_are_those_of_pcre2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
