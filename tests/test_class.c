/* A class: tables as spreadsheets write them, names, rosters, secrets; and that lessons do not grow while they serve one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/decode.h"
#include "base/sha256.h"
#include "learn/answer_table.h"
#include "learn/csv.h"
#include "learn/lesson.h"
#include "learn/names.h"
#include "learn/roster.h"
#include "learn/secret.h"
#include "learn/variant.h"

static lh_context *own;

static int begin(void **state) {
    own = lh_context_new();
    *state = own ? lh_arena_new(own) : NULL;
    return *state == NULL;
}

static int end(void **state) {
    lh_arena_free(*state);
    lh_context_free(own);
    return 0;
}

/* Clear of what was refused before. */
static lh_context *fresh(void) {
    lh_context_clear(own);
    return own;
}

static const char *hex_of(lh_arena *a, const unsigned char *s) {
    lh_text t = lh_text_new(a);
    for (int i = 0; i < LH_SHA256; i++) lh_text_add(&t, "%02x", s[i]);
    return t.s;
}

/* The examples of FIPS 180-4 and RFC 4231. */
static void sha256_is_the_standard(void **state) {
    lh_arena *a = *state;
    unsigned char print[LH_SHA256];
    lh_sha256("", 0, print);
    assert_string_equal(hex_of(a, print),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    lh_sha256("abc", 3, print);
    assert_string_equal(hex_of(a, print),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    lh_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, print);
    assert_string_equal(hex_of(a, print),
                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    lh_hmac("Jefe", 4, "what do ya want for nothing?", 28, print);
    assert_string_equal(hex_of(a, print),
                        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    char key[131];
    memset(key, 0xaa, sizeof key);
    const char *words = "Test Using Larger Than Block-Size Key - Hash Key First";
    lh_hmac(key, sizeof key, words, strlen(words), print);
    assert_string_equal(hex_of(a, print),
                        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void every_encoding_becomes_utf8(void **state) {
    lh_arena *a = *state;
    static const struct {
        const char *bytes;
        size_t n;
        const char *text;
    } tries[] = {
        {"Müller", 7, "Müller"},
        {"\xef\xbb\xbfM\xc3\xbcller", 10, "Müller"},
        {"M\xfcller", 6, "Müller"},                    /* Latin-1 */
        {"M\xc3\xbcller \x80 \xe9", 11, "Müller € é"}, /* both in one file */
        {"\xff\xfe"
         "A\0\xfc\0",
         6, "Aü"}, /* UTF-16, little end first */
        {"\xfe\xff"
         "\0A\0\xfc",
         6, "Aü"},
        {"\xff\xfe"
         "\x3d\xd8\x00\xde"
         "A\0",
         8,
         "\xf0\x9f\x98\x80"
         "A"}, /* a pair */
        {"\xff\xfe"
         "\x3d\xd8"
         "A\0",
         6,
         "\xef\xbf\xbd"
         "A"}, /* half of one */
        {"", 0, ""},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        size_t n;
        const char *text = lh_decode(a, tries[i].bytes, tries[i].n, &n);
        if (n != strlen(tries[i].text) || memcmp(text, tries[i].text, n) != 0)
            fail_msg("%zu: %.*s is not %s", i, (int)n, text, tries[i].text);
    }
}

static void tables_are_read_as_spreadsheets_write_them(void **state) {
    lh_arena *a = *state;
    static const struct {
        const char *text, *cells; /* cells of all rows: | between cells, / between rows */
    } tries[] = {
        {"a,b\n1,2\n", "a|b/1|2/"},
        {"a;b\r\n1,5;2\r\n", "a|b/1,5|2/"},
        {"a\tb\r1\t2\r", "a|b/1|2/"},
        {"sep=;\na;b\n", "a|b/"},
        {"7B, physics\na;b\n1;2\n", "7B, physics/a|b/1|2/"},
        {"7B, physics\na\tb\n1,5\t2\n3,5\t4\n", "7B, physics/a|b/1,5|2/3,5|4/"},
        {"a,b\n1 2; 3 4,5\n6; 7,8\n", "a|b/1 2; 3 4|5/6; 7|8/"},
        {"\"a,b\",c\n", "a,b|c/"},
        {"\"say \"\"hi\"\"\",2\n", "say \"hi\"|2/"},
        {"\"two\nlines\",2\n3,4", "two\nlines|2/3|4/"},
        {" a , \"b\" ,c\n", "a|b|c/"},
        {"a,b\n\n,,\n1,2", "a|b/1|2/"},
        {"a,b,\n1\n", "a|b|/1/"},
        {"'=1+1,'-x,'tis\n", "=1+1|-x|'tis/"},
        {"", ""},
        {"\n\n", ""},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        lh_csv *t = lh_csv_read(fresh(), a, "t", tries[i].text, strlen(tries[i].text));
        lh_text all = lh_text_new(a);
        for (int r = 0; r < t->n_rows; r++) {
            for (int c = 0; c < t->row[r].n_cells; c++)
                lh_text_add(&all, "%s%s", c ? "|" : "", t->row[r].cell[c]);
            lh_text_add(&all, "/");
        }
        if (strcmp(all.s, tries[i].cells) != 0)
            fail_msg("%s: %s, not %s", tries[i].text, all.s, tries[i].cells);
    }
}

/* What is written is read back, and no cell is a formula. */
static void cells_come_back(void **state) {
    lh_arena *a = *state;
    static const char *const cells[] = {"=1+1",       "+49",  "-x",    "@me",  "a,b",  "a;b",
                                        "say \"hi\"", "x\ny", "plain", "-0.5", "a\tb", "Müller"};
    int n = sizeof cells / sizeof *cells;
    lh_text t = lh_text_new(a);
    lh_csv_row_put(&t, cells, n);
    lh_csv *back = lh_csv_read(fresh(), a, "t", t.s, t.n);
    assert_int_equal(back->n_rows, 1);
    assert_int_equal(back->row[0].n_cells, n);
    for (int i = 0; i < n; i++) {
        lh_text one = lh_text_new(a);
        assert_string_equal(back->row[0].cell[i], cells[i]);
        lh_csv_put(&one, cells[i]);
        const char *first = one.s + (*one.s == '"');
        assert_null(strchr("=+-@", *first));
    }
}

static void names_have_a_natural_order(void **state) {
    static const char *const sorted[] = {"Anna 1", "anna 2", "Anna 10", "Ödön", "Ole",
                                         "öz 007", "Öz 8",   "Weiß",    "Zoë",  "日本"};
    (void)state;
    int n = sizeof sorted / sizeof *sorted;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            int order = lh_name_order(sorted[i], sorted[k]);
            if ((order < 0) != (i < k) || (order > 0) != (i > k))
                fail_msg("%s and %s: %d", sorted[i], sorted[k], order);
        }
}

static void names_become_files(void **state) {
    lh_arena *a = *state;
    assert_string_equal(lh_name_key(a, "  Anna \t MÜLLER "), "anna müller");
    assert_string_equal(lh_name_key(a, "ŁUKASZ ÉMILE"), "łukasz émile");
    assert_string_equal(lh_name_file(a, "Müller, Anna/7B"), "Müller-Anna-7B");
    assert_string_equal(lh_name_file(a, "../../etc/passwd"), "etc-passwd");
    assert_string_equal(lh_name_file(a, "-rf *"), "rf");
    assert_string_equal(lh_name_file(a, "///"), "nameless");
    const char *twins[] = {"Anna", "Bo", "anna", "ANNA"};
    lh_names_apart(a, twins, 4);
    assert_string_equal(twins[0], "Anna");
    assert_string_equal(twins[2], "anna-2");
    assert_string_equal(twins[3], "ANNA-3");
}

static void a_roster_knows_its_students(void **state) {
    lh_arena *a = *state;
    const char *text =
        "First name,Last name,Email\nAnna,Müller,a@x\nBen,Schmidt,b@x\nBen,Schmidt,c@x\n";
    lh_roster *r = lh_roster_read(fresh(), a, "r", text, strlen(text));
    int same;
    assert_non_null(r);
    assert_int_equal(r->n, 3);
    assert_ptr_equal(lh_roster_find(r, a, " anna MÜLLER", "", &same), &r->student[0]);
    assert_null(lh_roster_find(r, a, "Ben Schmidt", "", &same));
    assert_int_equal(same, 2);
    assert_ptr_equal(lh_roster_find(r, a, "Ben Schmidt", "C@X", &same), &r->student[2]);
    assert_null(lh_roster_find(r, a, "Nobody", "", &same));
    assert_int_equal(same, 0);
}

static void a_secret_is_one(void **state) {
    lh_arena *a = *state;
    unsigned char bytes[LH_SECRET_BYTES] = {1, 2, 3}, other[LH_SECRET_BYTES] = {1, 2, 4};
    const char *text = lh_secret_text(a, "Physics", bytes), *more = lh_secret_text(a, "", other);
    lh_secret *s = lh_secret_read(fresh(), a, "f", text, strlen(text)),
              *t = lh_secret_read(fresh(), a, "g", more, strlen(more));
    assert_string_equal(s->name, "Physics");
    assert_memory_equal(s->key, bytes, sizeof bytes);
    assert_string_not_equal(s->code, t->code);
    assert_true(lh_secret_seed(s, "ex3", "A") == lh_secret_seed(s, "ex3", "a"));
    assert_true(lh_secret_seed(s, "ex3", "A") != lh_secret_seed(s, "ex3", "B"));
    assert_true(lh_secret_seed(s, "ex3", "A") != lh_secret_seed(s, "ex2", "A"));
    assert_true(lh_secret_seed(s, "ex3", "A") != lh_secret_seed(t, "ex3", "A"));
    assert_true(lh_secret_seed(s, "ex3", "A") >> 32 != 0); /* no seed that can be tried */
    assert_string_equal(lh_secret_form(s, a, "anna"), lh_secret_form(s, a, "anna"));
    assert_string_not_equal(lh_secret_form(s, a, "anna"), lh_secret_form(s, a, "ben"));
    assert_null(lh_secret_read(fresh(), a, "f", "secret 12\n", 10));
    fresh();
}

/* Of ten thousand students no more than a few share a form. */
static void forms_seldom_meet(void **state) {
    lh_arena *a = *state;
    enum { N = 10000 };
    unsigned char bytes[LH_SECRET_BYTES] = {7};
    const char *text = lh_secret_text(a, "", bytes);
    const lh_secret *s = lh_secret_read(fresh(), a, "f", text, strlen(text));
    const char **form = lh_alloc_array(a, N, sizeof *form);
    for (int i = 0; i < N; i++) form[i] = lh_secret_form(s, a, lh_printf(a, "student %d", i));
    lh_names_apart(a, form, N);
    int met = 0;
    for (int i = 0; i < N; i++) met += strchr(form[i], '-') != NULL;
    assert_in_range(met, 0, 5);
}

/* A process that marks a million sheets draws a million variants. */
static void a_lesson_does_not_grow(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_found found;
    assert_true(lh_lesson_find(NULL, "ex1", &found));
    lh_program *p = lh_lesson_parse(ctx, found.file, found.text, found.length);
    assert_non_null(p);
    size_t before = lh_arena_used(p->arena);
    for (unsigned long long seed = 0; seed < 3; seed++)
        lh_program_free(lh_variant_program(ctx, p, &(lh_variant_how){.seed = seed, .digits = 4}));
    assert_int_equal(lh_arena_used(p->arena), before);
    assert_false(lh_failed(ctx));
    lh_program_free(p);
    lh_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_is_the_standard),
        cmocka_unit_test(every_encoding_becomes_utf8),
        cmocka_unit_test(tables_are_read_as_spreadsheets_write_them),
        cmocka_unit_test(cells_come_back),
        cmocka_unit_test(names_have_a_natural_order),
        cmocka_unit_test(names_become_files),
        cmocka_unit_test(a_roster_knows_its_students),
        cmocka_unit_test(a_secret_is_one),
        cmocka_unit_test(forms_seldom_meet),
        cmocka_unit_test(a_lesson_does_not_grow),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
