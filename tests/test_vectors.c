/* Files of word vectors: what is read, what is near, compared with the plain way over every word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "files/vectors.h"

typedef struct fixture {
    lh_context *ctx;
    lh_arena *arena;
} fixture;

static fixture start(void) {
    lh_context *ctx = lh_context_new();
    return (fixture){ctx, lh_arena_new(ctx)};
}

static void end(fixture f) {
    lh_arena_free(f.arena);
    lh_context_free(f.ctx);
}

static lh_vectors *read(fixture f, const char *text) {
    return lh_vectors_read(f.ctx, f.arena, "v.txt", text, strlen(text));
}

static void numbers_are_those_that_strtod_reads(void **state) {
    (void)state;
    static const char *const numbers[] = {"0.1",
                                          "-0.25",
                                          "1e-7",
                                          "+3",
                                          "123456789012345",
                                          "0.123456789012345",
                                          "0.1234567890123456789",
                                          "-1.5E+3",
                                          ".5",
                                          "5.",
                                          "-0",
                                          "1234567890123456789",
                                          "0.000001",
                                          "9.99999e99",
                                          "9007199254740.993",
                                          "0.1234567890123456",
                                          "900719925474.0993",
                                          "99999999999.99999"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fixture f = start();
        lh_vectors *v = read(f, lh_printf(f.arena, "a %s", numbers[i]));
        assert_non_null(v);
        assert_memory_equal(&v->cell[0], &(double){strtod(numbers[i], NULL)}, sizeof(double));
        end(f);
    }
}

static void the_head_of_word2vec_is_passed_over_and_no_other_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int n, width;
    } cases[] = {
        {"2 3\na 1 2 3\nb 4 5 6\n", 2, 3},
        {"7 3\na 1 2 3\n", 1, 3}, /* the count is not believed */
        {"2 1\n3 1\n", 1, 1},     /* a head: the next line has one number */
        {"2 3\n3 1\n", 2, 1},     /* no head: words that are numbers */
        {"\n\n  a\t1 \r\nb 2\r\n", 2, 1},
        {"a 1", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f = start();
        lh_vectors *v = read(f, cases[i].text);
        assert_non_null(v);
        assert_int_equal(v->n, cases[i].n);
        assert_int_equal(v->width, cases[i].width);
        end(f);
    }
}

static lh_vectors *random_vectors(fixture f, int n, int width, lh_text *t) {
    for (int i = 0; i < n; i++) {
        lh_text_add(t, "w%d", i);
        for (int c = 0; c < width; c++) /* few different numbers, so that there are ties */
            lh_text_add(t, " %d",
                        (int)(lh_random_uniform((lh_random_place){
                                  .seed = 7, .row = (uint32_t)i, .col = (uint32_t)c}) *
                              3) -
                            1);
        lh_text_add(t, "\n");
    }
    return read(f, t->s);
}

/* How many words come before word i in the list of all. */
static int rank_of(const lh_vectors *v, const double *to, int i) {
    double size = lh_vectors_size(to, v->width), own = lh_vectors_cosine(v, i, to, size);
    int before = 0;
    for (int k = 0; k < v->n; k++) {
        if (v->size[k] == 0 || k == 0) continue;
        double other = lh_vectors_cosine(v, k, to, size);
        before += other > own || (other == own && k < i);
    }
    return before;
}

static void neighbours_are_those_of_a_full_sort(void **state) {
    (void)state;
    for (int k = 1; k <= 200; k = k * 3 + 1) {
        fixture f = start();
        lh_text t = lh_text_new(f.arena);
        lh_vectors *v = random_vectors(f, 150, 4, &t);
        assert_non_null(v);
        double *to = lh_vectors_row(v, f.arena, 0);
        lh_nearby near = lh_vectors_near(v, f.arena, to, &(int){0}, 1, k);
        assert_int_equal(near.n, k < 149 - near.n_nowhere ? k : 149 - near.n_nowhere);
        for (int i = 0; i < near.n; i++) assert_int_equal(rank_of(v, to, near.near[i].word), i);
        int tied = 0;
        for (int i = near.n; i < v->n; i++)
            for (int w = 1; w < v->n && near.n == k; w++)
                tied += v->size[w] > 0 && rank_of(v, to, w) == i &&
                        fabs(lh_vectors_cosine(v, w, to, lh_vectors_size(to, 4)) -
                             near.near[k - 1].cosine) < 1e-12;
        assert_int_equal(near.n_more, tied);
        end(f);
    }
}

static void every_word_is_found_and_no_other(void **state) {
    (void)state;
    fixture f = start();
    lh_text t = lh_text_new(f.arena);
    lh_vectors *v = random_vectors(f, 5000, 1, &t);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(lh_vectors_find(v, lh_printf(f.arena, "w%d", i)), i);
    assert_int_equal(lh_vectors_find(v, "w5000"), -1);
    assert_int_equal(lh_vectors_find(v, ""), -1);
    end(f);
}

static void a_wide_line_before_many_short_ones_takes_no_room(void **state) {
    (void)state;
    fixture f = start();
    lh_text t = lh_text_new(f.arena);
    lh_text_add(&t, "a");
    for (int i = 0; i < 50000; i++) lh_text_add(&t, " 1");
    for (int i = 0; i < 50000; i++) lh_text_add(&t, "\nb");
    size_t before = lh_arena_used(f.arena);
    assert_null(read(f, t.s));
    assert_true(lh_arena_used(f.arena) - before < 8 * t.n);
    assert_non_null(strstr(lh_context_error(f.ctx)->what, "0 numbers, the first word has 50000"));
    end(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_that_strtod_reads),
        cmocka_unit_test(the_head_of_word2vec_is_passed_over_and_no_other_line),
        cmocka_unit_test(neighbours_are_those_of_a_full_sort),
        cmocka_unit_test(every_word_is_found_and_no_other),
        cmocka_unit_test(a_wide_line_before_many_short_ones_takes_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
