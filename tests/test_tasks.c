/* Tasks and pairs: examples that are made, what is held out, sentences that know their words, batches of pairs. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/pairs.h"

static void stop_if_failed(lh_context *ctx, const char *what) {
    if (lh_failed(ctx)) fail_msg("%s: %s", what, lh_context_error(ctx)->what);
}

/* ---- examples ---- */

static bool is_sorted(const char *question, const char *answer) {
    int left[10] = {0};
    for (const char *c = question; *c; c++) left[*c - '0']++;
    for (const char *c = answer; *c; c++) left[*c - '0']--;
    for (int i = 0; i < 10; i++)
        if (left[i]) return false;
    for (size_t i = 1; i < strlen(answer); i++)
        if (answer[i - 1] > answer[i]) return false;
    return true;
}

static bool is_reversed(const char *question, const char *answer) {
    const size_t n = strlen(question);
    if (strlen(answer) != n) return false;
    for (size_t i = 0; i < n; i++)
        if (question[i] != answer[n - 1 - i]) return false;
    return true;
}

static bool is_right(const char *task, const lh_case *c) {
    int a, b;
    if (strcmp(task, "copy") == 0) return strcmp(c->question, c->answer) == 0;
    if (strcmp(task, "reverse") == 0) return is_reversed(c->question, c->answer);
    if (strcmp(task, "sort") == 0) return is_sorted(c->question, c->answer);
    if (strcmp(task, "addition") == 0)
        return sscanf(c->question, "%d+%d", &a, &b) == 2 && a > 9 && a < 100 && b > 9 && b < 100 &&
               a + b == atoi(c->answer);
    return *c->answer != 0;
}

static void answers_are_right(void **state) {
    (void)state;
    for (const lh_train_task *t = lh_train_tasks; t->name; t++)
        for (uint64_t i = 0; i < 1000; i++) {
            lh_case c;
            lh_train_task_example(t, 3, i, i % 7 == 0, &c);
            if (!is_right(t->name, &c)) fail_msg("%s: %s gives %s", t->name, c.question, c.answer);
        }
}

static void an_example_is_always_the_same(void **state) {
    (void)state;
    int same_number = 0;
    for (const lh_train_task *t = lh_train_tasks; t->name; t++) {
        lh_case a, b, other;
        lh_train_task_example(t, 5, 77, false, &a);
        lh_train_task_example(t, 5, 78, false, &other);
        lh_train_task_example(t, 5, 77, false, &b);
        assert_memory_equal(&a, &b, sizeof a);
        lh_train_task_example(t, 6, 77, false, &b);
        same_number += memcmp(&a, &b, sizeof a) == 0;
        same_number += memcmp(&a, &other, sizeof a) == 0;
        lh_train_task_example(t, 5, 77 + ((uint64_t)1 << 32), false, &b);
        same_number += memcmp(&a, &b, sizeof a) == 0;
    }
    assert_int_equal(same_number, 0);
}

/* A tenth, give or take, and never one that is learned from, whatever the seeds. */
static void what_is_held_out_is_never_learned(void **state) {
    (void)state;
    enum { MANY = 2000 };
    for (const lh_train_task *t = lh_train_tasks; t->name; t++) {
        int held = 0;
        for (uint64_t i = 0; i < MANY; i++) {
            lh_case c, h;
            lh_train_task_example(t, i, i, false, &c);
            lh_train_task_example(t, 0, i, true, &h);
            const char *q = *c.question ? c.question : c.answer;
            const char *k = *h.question ? h.question : h.answer;
            if (!c.is_idiom && lh_question_is_held_out(q, strlen(q)))
                fail_msg("%s: %s is learned", t->name, q);
            if (!lh_question_is_held_out(k, strlen(k))) fail_msg("%s: %s is not", t->name, k);
            lh_dice d = {.seed = 9, .number = i};
            memset(&c, 0, sizeof c);
            t->make(&d, &c);
            q = *c.question ? c.question : c.answer;
            held += lh_question_is_held_out(q, strlen(q));
        }
        if (held < MANY / 14 || held > MANY / 7) fail_msg("%s: %d are held out", t->name, held);
    }
}

static int count_words(const char *s) {
    int n = *s != 0;
    for (; *s; s++) n += *s == ' ';
    return n;
}

/* Every Spanish word comes from some English word, the same sentence is read as it was made, all its words are known. */
static void sentences_know_their_words(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    const lh_train_task *t = lh_train_task_find("translate");
    lh_tokenizer *k = lh_train_task_tokenizer(ctx, t);
    stop_if_failed(ctx, "tokeniser");
    int id[LH_CASE_WORDS], longest = 0, crossing = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        lh_case c, read;
        lh_train_task_example(t, 1, i, i % 4 == 0, &c);
        const int n = count_words(c.question);
        assert_int_equal(c.n_from, count_words(c.answer));
        for (int w = 0; w < c.n_from; w++) {
            if (!c.from[w] || c.from[w] >> n)
                fail_msg("%s: word %d of %s", c.question, w, c.answer);
            crossing += w > 0 && c.from[w] < c.from[w - 1];
        }
        if (!lh_grammar_read(c.question, &read)) fail_msg("cannot read: %s", c.question);
        assert_string_equal(read.answer, c.answer);
        assert_memory_equal(read.from, c.from, sizeof c.from);
        assert_int_equal(lh_pairs_encode(ctx, k, c.question, strlen(c.question), id, LH_CASE_WORDS),
                         n);
        assert_int_equal(lh_pairs_encode(ctx, k, c.answer, strlen(c.answer), id, LH_CASE_WORDS),
                         c.n_from);
        if (n > longest) longest = n;
        if (c.n_from > longest) longest = c.n_from;
    }
    stop_if_failed(ctx, "words");
    assert_true(longest <= t->longest && longest >= 12);
    assert_true(crossing > 1000); /* an order that differs is what there is to learn */
    lh_tokenizer_free(k);
    lh_context_free(ctx);
}

static void other_sentences_are_not_read(void **state) {
    (void)state;
    static const char *const other[] = {
        "",
        " ",
        "the",
        "the cat",
        "cat the sees a house",
        "the cat see a house",
        "a apple sees a house",
        "the cats sees a house",
        "a cat sees an house",
        "the cat does see a house",
        "the cat does",
        "i sees a house",
        "thank",
        "thank you my",
        "thank you the cat",
        "the cat sees a house in",
        "today the cat sees a house today",
        "the  cat sees a house",
        "the cat sees a house ",
        "thank you so",
        "the cat sees a house a house a house a house a house a house a house "
        "a house a house a house a house"};
    static const char *const good[][2] = {
        {"an old cat sees a house", "un gato viejo ve una casa"},
        {"the old women do not buy an apple today",
         "las mujeres viejas no compran una manzana hoy"},
        {"i want the red keys", "quiero las llaves rojas"},
        {"you are welcome", "de nada"},
        {"thank you my small friends", "gracias mis amigos pequeños"}};
    lh_case c;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (lh_grammar_read(other[i], &c)) fail_msg("was read: \"%s\"", other[i]);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(lh_grammar_read(good[i][0], &c));
        assert_string_equal(c.answer, good[i][1]);
    }
}

/* las from the, mujeres from women, viejas from old, no from do and not, compran from buy ...; veo from i and see. */
static void words_come_from_their_words(void **state) {
    (void)state;
    static const uint32_t third[] = {1, 4, 2, 8 + 16, 32, 64, 128, 256},
                          dropped[] = {1 + 2, 4, 16, 8};
    static const uint32_t idiom[] = {7, 7, 8, 32, 16};
    lh_case c;
    assert_true(lh_grammar_read("the old women do not buy an apple today", &c));
    assert_int_equal(c.n_from, 8);
    assert_memory_equal(c.from, third, sizeof third);
    assert_true(lh_grammar_read("i see this red house", &c));
    assert_int_equal(c.n_from, 4);
    assert_memory_equal(c.from, dropped, sizeof dropped);
    assert_true(lh_grammar_read("you are welcome my old friends", &c));
    assert_int_equal(c.n_from, 5);
    assert_memory_equal(c.from, idiom, sizeof idiom);
}

/* ---- pairs ---- */

static void pairs_as_batches(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    const lh_train_task *task = lh_train_task_find("addition");
    lh_tokenizer *k = lh_train_task_tokenizer(ctx, task);
    for (int has_source = 0; has_source < 2; has_source++) {
        const lh_pairs_how how = {.task = task, .context = 16, .has_source = has_source};
        lh_pairs *p = lh_pairs_new(ctx, k, &how);
        stop_if_failed(ctx, "pairs");
        lh_feed f = lh_pairs_feed(p);
        lh_drawn_batch *b = f.make(f.from, 4);
        f.draw(f.from, 7, 3, b);
        stop_if_failed(ctx, "batch");
        assert_int_equal(b->batch.examples, 4);
        const int *token = b->token, *target = b->target, *source = b->source;
        for (int e = 0; e < 4; e++) {
            lh_case c;
            lh_train_task_example(task, 7, 12 + (uint64_t)e, false, &c);
            const int q = (int)strlen(c.question), a = (int)strlen(c.answer),
                      at = has_source ? 0 : q;
            assert_int_equal(b->rows[e], at + a + 1);
            if (has_source) assert_int_equal(b->source_rows[e], q);
            for (int i = 0; i < q; i++) {
                const int id = has_source ? source[i] : token[i];
                assert_int_equal(k->token[id].bytes[0], c.question[i]);
                if (!has_source) assert_int_equal(target[i], p->pad);
            }
            assert_int_equal(token[at], p->start);
            for (int i = 0; i < a; i++) {
                assert_int_equal(k->token[target[at + i]].bytes[0], c.answer[i]);
                assert_int_equal(token[at + 1 + i], target[at + i]);
            }
            assert_int_equal(target[at + a], p->end);
            token += b->rows[e], target += b->rows[e];
            if (has_source) source += q;
        }
        lh_drawn_free(b);
        lh_pairs_free(p);
    }
    lh_tokenizer_free(k);
    lh_context_free(ctx);
}

/* A file: what has no tab is passed over, what is too long is counted, and a held-out question is never drawn. */
static void pairs_of_a_file(void **state) {
    (void)state;
    static char text[20000];
    lh_context *ctx = lh_context_new();
    size_t n = 0;
    for (int i = 0; i < 300; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "say %d now\tdi %d\t0-0\r\n", i, i);
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "no pair\n\n\tx\ny\t\na b c d e f g h i j\tlong");
    lh_pairs_how how = {
        .name = "f.txt", .text = text, .length = n, .context = 6, .has_source = true};
    lh_tokenizer *k = lh_pairs_tokenizer(ctx, &how, NULL);
    lh_pairs *p = lh_pairs_new(ctx, k, &how);
    stop_if_failed(ctx, "file");
    assert_int_equal(p->n_lines[0] + p->n_lines[1], 300);
    assert_int_equal(p->n_cut, 1);
    assert_int_equal(p->pad, 0);
    assert_true(p->n_lines[1] > 15 && p->n_lines[1] < 50);
    lh_feed f = lh_pairs_feed(p);
    lh_drawn_batch *b = f.make(f.from, 8);
    lh_arena *a = lh_arena_new(ctx);
    int held = 0;
    for (int i = 0; f.held_out(f.from, i, 100, b); i++) held += b->batch.examples;
    assert_int_equal(held, p->n_lines[1]);
    for (uint32_t step = 0; step < 50; step++) {
        f.draw(f.from, 1, step, b);
        lh_text q = lh_text_new(a);
        lh_pairs_decode(k, b->source, b->source_rows[0], &q);
        assert_false(lh_question_is_held_out(q.s, q.n));
    }
    lh_arena_free(a);
    lh_drawn_free(b), lh_pairs_free(p), lh_tokenizer_free(k);
    static const char *const bad[] = {"", "no tab\n", "\tx\n", "a b c d e f g h\ti\n"};
    for (int i = 0; i < 4; i++) {
        how.text = bad[i], how.length = strlen(bad[i]);
        k = lh_pairs_tokenizer(ctx, &how, NULL);
        p = k ? lh_pairs_new(ctx, k, &how) : NULL;
        assert_null(p);
        assert_true(lh_failed(ctx));
        lh_tokenizer_free(k);
        lh_context_clear(ctx);
    }
    lh_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_right),
        cmocka_unit_test(an_example_is_always_the_same),
        cmocka_unit_test(what_is_held_out_is_never_learned),
        cmocka_unit_test(sentences_know_their_words),
        cmocka_unit_test(other_sentences_are_not_read),
        cmocka_unit_test(words_come_from_their_words),
        cmocka_unit_test(pairs_as_batches),
        cmocka_unit_test(pairs_of_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
