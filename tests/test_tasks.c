/* Tasks, pairs and beams: examples that are made, what is held out, batches of pairs, answers greedy and by search; and models
 * that differ from GPT-2 in one line. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "eval/fast/grow.h"
#include "eval/plan.h"
#include "learn/lesson.h"
#include "train/beam.h"
#include "train/cross.h"
#include "train/data.h"
#include "train/floats.h"
#include "train/match.h"
#include "train/pairs.h"
#include "train/trainer.h"

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
    for (const lh_task *t = lh_tasks; t->name; t++)
        for (uint64_t i = 0; i < 1000; i++) {
            lh_case c;
            lh_task_example(t, 3, i, i % 7 == 0, &c);
            if (!is_right(t->name, &c)) fail_msg("%s: %s gives %s", t->name, c.question, c.answer);
        }
}

static void an_example_is_always_the_same(void **state) {
    (void)state;
    int same_number = 0;
    for (const lh_task *t = lh_tasks; t->name; t++) {
        lh_case a, b, other;
        lh_task_example(t, 5, 77, false, &a);
        lh_task_example(t, 5, 78, false, &other);
        lh_task_example(t, 5, 77, false, &b);
        assert_memory_equal(&a, &b, sizeof a);
        lh_task_example(t, 6, 77, false, &b);
        same_number += memcmp(&a, &b, sizeof a) == 0;
        same_number += memcmp(&a, &other, sizeof a) == 0;
        lh_task_example(t, 5, 77 + ((uint64_t)1 << 32), false, &b);
        same_number += memcmp(&a, &b, sizeof a) == 0;
    }
    assert_int_equal(same_number, 0);
}

/* A tenth, give or take, and never one that is learned from, whatever the seeds. */
static void what_is_held_out_is_never_learned(void **state) {
    (void)state;
    enum { MANY = 2000 };
    for (const lh_task *t = lh_tasks; t->name; t++) {
        int held = 0;
        for (uint64_t i = 0; i < MANY; i++) {
            lh_case c, h;
            lh_task_example(t, i, i, false, &c);
            lh_task_example(t, 0, i, true, &h);
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
    const lh_task *t = lh_task_find("translate");
    lh_tokenizer *k = lh_task_tokenizer(ctx, t);
    stop_if_failed(ctx, "tokeniser");
    int id[LH_CASE_WORDS], longest = 0, crossing = 0;
    for (uint64_t i = 0; i < 3000; i++) {
        lh_case c, read;
        lh_task_example(t, 1, i, i % 4 == 0, &c);
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

/* ---- pairs ---- */

static void pairs_as_batches(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    const lh_task *task = lh_task_find("addition");
    lh_tokenizer *k = lh_task_tokenizer(ctx, task);
    for (int has_source = 0; has_source < 2; has_source++) {
        const lh_pairs_how how = {.task = task, .context = 16, .has_source = has_source};
        lh_pairs *p = lh_pairs_new(ctx, k, &how);
        stop_if_failed(ctx, "pairs");
        lh_feed f = lh_pairs_feed(p);
        lh_drawn *b = f.make(f.from, 4);
        f.draw(f.from, 7, 3, b);
        stop_if_failed(ctx, "batch");
        assert_int_equal(b->batch.examples, 4);
        const int *token = b->token, *target = b->target, *source = b->source;
        for (int e = 0; e < 4; e++) {
            lh_case c;
            lh_task_example(task, 7, 12 + (uint64_t)e, false, &c);
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
    lh_drawn *b = f.make(f.from, 8);
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

/* ---- a small model ---- */

typedef struct model {
    lh_context *ctx;
    lh_program *program;
    lh_graph *g, *open; /* for the fast and for the exact evaluator */
    lh_plan *exact;
} model;

static model open_model(const char *name, const char *text, size_t length, const lh_setting *set,
                        int n) {
    model m = {.ctx = lh_context_new()};
    m.program = lh_lesson_parse(m.ctx, name, text, length);
    lh_build how = {.set = set, .n_set = n, .without_examples = true};
    m.open = lh_graph_build(m.ctx, m.program, &how);
    how.is_whole = lh_kernel_is_whole;
    m.g = lh_graph_build(m.ctx, m.program, &how);
    stop_if_failed(m.ctx, name);
    return m;
}

static model open_file(const char *name, const lh_setting *set, int n) {
    const lh_embedded *f = lh_embedded_find(name);
    return open_model(name, f->text, f->length, set, n);
}

static void close_model(model *m) {
    lh_exact.free(m->exact);
    lh_graph_free(m->g), lh_graph_free(m->open);
    lh_program_free(m->program);
    lh_context_free(m->ctx);
}

/* The same numbers in both, larger than a start's: answers that differ from question to question. */
static void fill(model *m, lh_plan *fast) {
    const lh_node *from = m->open->generate->from;
    m->exact = lh_exact.plan(m->open, &(lh_wish){.node = (lh_node *const *)&from, .n_nodes = 1});
    lh_exact.start(m->exact);
    lh_exact.training(m->exact, false);
    unsigned k = 12345;
    for (int i = 0; i < m->g->n_givens; i++) {
        if (m->g->given[i]->kind != LH_PARAM) continue;
        const lh_node *a = m->g->given[i]->node, *b = m->open->given[i]->node;
        const lh_sizes s = lh_exact.sizes(m->exact, b, 0);
        for (int r = 0; r < s.rows; r++)
            for (int c = 0; c < s.cols; c++) {
                k = k * 1664525u + 1013904223u;
                const float x = (float)(k >> 8) / (1 << 23) - 1;
                lh_fast.set(fast, a, (lh_cell){0, 0, r, c}, x);
                lh_exact.set(m->exact, b, (lh_cell){0, 0, r, c}, x);
            }
    }
    stop_if_failed(m->ctx, "weights");
}

/* log probabilities of what follows given[0..n), by the definition and all at once. */
static void exact_scores(model *m, const int *source, int n_source, const int *given, int n,
                         double *out) {
    const lh_node *from = m->open->generate->from;
    const int *rows[3] = {&n, &n, &n}, *tokens[3] = {given, given, given};
    if (n_source) rows[0] = &n_source, tokens[0] = source;
    lh_exact.feed(m->exact, &(lh_batch){.examples = 1, .rows = rows, .tokens = tokens});
    lh_exact.run(m->exact);
    stop_if_failed(m->ctx, "exact");
    const int words = lh_exact.sizes(m->exact, from, 0).cols,
              row = lh_exact.sizes(m->exact, from, 0).rows - 1;
    double sum = 0;
    for (int c = 0; c < words; c++) {
        out[c] = lh_exact.get(m->exact, from, (lh_cell){0, 0, row, c});
        sum += exp(out[c]);
    }
    for (int c = 0; c < words; c++) out[c] -= log(sum);
}

enum { WORDS = 5, LONGEST = 4, END = 2, START = 1 };

typedef struct best {
    int token[LONGEST], n;
    double score;
} best;

/* All rows of up to LONGEST tokens that end with END, and those of LONGEST that do not: the likeliest. */
static void exhaust(model *m, const int *source, int n_source, int *row, int n_row, int n_given,
                    double so_far, best *b) {
    double score[WORDS];
    exact_scores(m, source, n_source, row, n_row, score);
    for (int c = 0; c < WORDS; c++) {
        row[n_row] = c;
        const int n = n_row + 1 - n_given;
        if (c != END && n < LONGEST) {
            exhaust(m, source, n_source, row, n_row + 1, n_given, so_far + score[c], b);
        } else if (so_far + score[c] > b->score) {
            b->score = so_far + score[c];
            b->n = n;
            memcpy(b->token, row + n_given, (size_t)n * sizeof *row);
        }
    }
}

static void greedy(model *m, const int *source, int n_source, const int *given, int n_given,
                   best *b) {
    int row[16];
    double score[WORDS];
    memcpy(row, given, (size_t)n_given * sizeof *row);
    *b = (best){.n = 0};
    while (b->n < LONGEST && (b->n == 0 || b->token[b->n - 1] != END)) {
        exact_scores(m, source, n_source, row, n_given + b->n, score);
        int top = 0;
        for (int c = 1; c < WORDS; c++)
            if (score[c] > score[top]) top = c;
        row[n_given + b->n] = top;
        b->token[b->n++] = top;
        b->score += score[top];
    }
}

static void same_answer(const lh_answer *found, const best *b, const char *what) {
    if (found->n != b->n || memcmp(found->token, b->token, (size_t)b->n * sizeof *b->token) != 0)
        fail_msg("%s: another answer of %d tokens (%g), not of %d (%g)", what, found->n,
                 found->log_probability, b->n, b->score);
    if (!(fabs(found->log_probability - b->score) < 1e-4))
        fail_msg("%s: worth %.8f, by the definition %.8f", what, found->log_probability, b->score);
}

static int power(int x, int n) {
    return n ? x * power(x, n - 1) : 1;
}

/* Greedy is width 1, everything is width V^n; what an answer is worth is its own log probability by the definition; a wider beam
 * finds nothing worse than the greedy answer here. */
static void search_all(const char *name, model *m, bool has_source) {
    static const int question[][4] = {{3, 4, 3}, {4, 0}, {0, 0, 4, 3}, {3}, {1, 2}, {4, 4, 4}};
    static const int length[] = {3, 2, 4, 1, 2, 3};
    const int width[] = {1, 3, power(WORDS, LONGEST)};
    int differ = 0;
    for (int k = 0; k < 3; k++) {
        lh_beam *b = lh_beam_new(
            m->g, &(lh_beam_how){.width = width[k], .longest = LONGEST, .given = 5, .end = END});
        stop_if_failed(m->ctx, name);
        lh_exact.free(m->exact);
        fill(m, b->plan);
        for (int i = 0; i < 6; i++) {
            int given[16];
            const int n_source = has_source ? length[i] : 0,
                      n_given = has_source ? 1 : length[i] + 1;
            memcpy(given, question[i], (size_t)length[i] * sizeof *given);
            given[n_given - 1] = START;
            best g, all = {.score = -INFINITY};
            if (!lh_beam_search(b, question[i], n_source, given, n_given))
                stop_if_failed(m->ctx, name);
            greedy(m, question[i], n_source, given, n_given, &g);
            exhaust(m, question[i], n_source, given, n_given, n_given, 0, &all);
            differ += all.score > g.score + 1e-6;
            if (k == 0) same_answer(&b->found[0], &g, name);
            if (k == 2) same_answer(&b->found[0], &all, name);
            for (int a = 1; a < b->n_found; a++)
                assert_true(b->found[a - 1].log_probability >= b->found[a].log_probability);
        }
        lh_beam_free(b);
    }
    if (!differ) fail_msg("%s: greedy finds everything: nothing was tested", name);
}

static void beams_of_an_encoder_and_decoder(void **state) {
    (void)state;
    const lh_setting set[] = {
        {"vocab", "5"}, {"layers", "1"}, {"heads", "2"}, {"dim", "8"}, {"hidden", "8"}};
    model m = open_file("models/classic.lh", set, 5);
    search_all("classic", &m, true);
    close_model(&m);
}

static void beams_of_a_decoder(void **state) {
    (void)state;
    const lh_setting set[] = {
        {"vocab", "5"}, {"layers", "2"}, {"heads", "2"}, {"dim", "8"}, {"context", "16"}};
    model m = open_file("models/gpt.lh", set, 5);
    search_all("gpt", &m, false);
    close_model(&m);
}

/* A step that needs all rows: everything is fed again each time. */
static void beams_where_rows_cannot_grow(void **state) {
    (void)state;
    const char *text =
        "vocab 5\ninput tokens : vocab*\ninput target : vocab*\ngenerate tokens from logits\n"
        "param E : vocab x 4 = normal(1)\nparam W : 4 x vocab = normal(1)\nX = E[tokens]\n"
        "Y = X + colsum(X) / rows(X)\nlogits = tanh(Y) @ W\n";
    model m = open_model("t.lh", text, strlen(text), NULL, 0);
    search_all("all rows", &m, false);
    close_model(&m);
}

/* ---- no memory ---- */

static int asked, refused_at;

static void *alloc_but_one(size_t size) {
    return ++asked == refused_at ? NULL : malloc(size);
}

/* Pairs, a search and a look at answers, while the k-th piece of memory is refused: a message, and nothing is lost. */
static bool search_short(lh_context *ctx, lh_graph *g) {
    const lh_task *task = lh_task_find("copy");
    const int given[] = {4, 5, 1};
    lh_tokenizer *k = lh_task_tokenizer(ctx, task);
    lh_pairs *p = k ? lh_pairs_new(ctx, k, &(lh_pairs_how){.task = task, .context = 24}) : NULL;
    lh_matcher *m = p ? lh_matcher_new(g, lh_pairs_feed(p), 4, p->pad, 1) : NULL;
    lh_beam *b =
        m ? lh_beam_new(
                g, &(lh_beam_how){.width = 3, .longest = 4, .given = 3, .end = END, .threads = 1})
          : NULL;
    if (b) lh_beam_search(b, NULL, 0, given, 3);
    if (b) lh_matcher_count(m, b->plan, 4);
    const bool is_done = b && !lh_failed(ctx);
    lh_beam_free(b), lh_matcher_free(m), lh_pairs_free(p), lh_tokenizer_free(k);
    return is_done;
}

static void each_allocation_fails_once(void **state) {
    (void)state;
    const lh_setting set[] = {{"layers", "1"}, {"heads", "1"}, {"dim", "4"}};
    model m = open_file("models/sorter.lh", set, 3);
    bool is_done = false;
    int failed = 0;
    m.ctx->alloc = alloc_but_one;
    for (refused_at = 1; !is_done; refused_at++) {
        asked = 0;
        is_done = search_short(m.ctx, m.g) && asked < refused_at;
        if (asked >= refused_at && !lh_failed(m.ctx))
            fail_msg("piece %d was not missed", refused_at);
        failed += lh_failed(m.ctx);
        lh_context_clear(m.ctx);
    }
    assert_true(failed > 20);
    refused_at = 0;
    close_model(&m);
}

/* ---- trained ---- */

typedef struct lesson {
    model m;
    lh_tokenizer *tokens;
    lh_pairs *pairs;
    lh_trainer *t;
} lesson;

static lesson open_lesson(const char *name, const char *task, const lh_setting *set, int n,
                          bool has_source) {
    lesson l = {.m = open_file(name, set, n)};
    lh_pairs_how how = {.task = lh_task_find(task), .context = 64, .has_source = has_source};
    l.tokens = lh_task_tokenizer(l.m.ctx, how.task);
    l.pairs = lh_pairs_new(l.m.ctx, l.tokens, &how);
    l.t = lh_trainer_new(l.m.g, lh_pairs_feed(l.pairs), &(lh_trainer_how){.batch = 16, .seed = 2});
    stop_if_failed(l.m.ctx, name);
    return l;
}

static void close_lesson(lesson *l) {
    lh_trainer_free(l->t);
    lh_pairs_free(l->pairs);
    lh_tokenizer_free(l->tokens);
    close_model(&l->m);
}

/* What one run says about a batch of answers is what writing them token by token says. */
static void a_match_is_a_greedy_answer(void **state) {
    (void)state;
    const lh_setting set[] = {
        {"layers", "1"}, {"heads", "2"}, {"dim", "32"}, {"rate", "0.01"}, {"steps", "200"}};
    lesson l = open_lesson("models/sorter.lh", "sort", set, 5, false);
    const lh_feed feed = lh_pairs_feed(l.pairs);
    lh_matcher *m = lh_matcher_new(l.m.g, feed, 25, l.pairs->pad, 1);
    lh_beam *b = lh_beam_new(
        l.m.g, &(lh_beam_how){.width = 1, .longest = 12, .given = 12, .end = l.pairs->end});
    double first = 0;
    for (int i = 0; i < 200; i++) {
        assert_true(lh_trainer_step(l.t));
        if (i == 0) first = l.t->loss;
    }
    assert_true(l.t->loss < 0.7 * first);
    const lh_matched found = lh_matcher_count(m, l.t->plan, 100);
    assert_int_equal(found.all, 100);
    lh_floats_copy(b->plan, l.t->plan, l.m.g);
    int right = 0;
    for (int i = 0; i < 100; i++) {
        lh_case c;
        int given[16];
        lh_task_example(lh_task_find("sort"), 0, (uint64_t)i, true, &c);
        int n = lh_pairs_encode(l.m.ctx, l.tokens, c.question, strlen(c.question), given, 16);
        given[n++] = l.pairs->start;
        assert_true(lh_beam_search(b, NULL, 0, given, n));
        lh_arena *a = lh_arena_new(l.m.ctx);
        lh_text said = lh_text_new(a);
        lh_pairs_decode(l.tokens, b->found[0].token, b->found[0].n, &said);
        right += b->found[0].is_ended && strcmp(said.s, c.answer) == 0;
        lh_arena_free(a);
    }
    if (right == 0 || right == 100) fail_msg("%d of 100 are right: nothing is compared", right);
    assert_int_equal(found.right, right);
    lh_beam_free(b);
    lh_matcher_free(m);
    close_lesson(&l);
}

/* Where it looked, from a folder: shares that add up to 1; and the answer is worth what the search said. */
static void look_across(lesson *l) {
    char path[] = "/tmp/longhand-tasks-XXXXXX", command[64];
    int id[LH_CASE_WORDS];
    const char *text = "the old cat sees a house";
    assert_non_null(mkdtemp(path));
    lh_folder_writer *w = lh_folder_create(l->m.ctx, path, &(lh_folder_files){0});
    assert_true(lh_trainer_save(l->t, w, &(lh_save){.program = "#"}));
    lh_folder_end(w);
    lh_folder *f = lh_folder_open(l->m.ctx, path);
    lh_beam *b =
        lh_beam_new(l->m.g, &(lh_beam_how){.width = 2, .longest = 20, .end = l->pairs->end});
    lh_floats_copy(b->plan, l->t->plan, l->m.g);
    const int n = lh_pairs_encode(l->m.ctx, l->tokens, text, strlen(text), id, LH_CASE_WORDS);
    assert_true(lh_beam_search(b, id, n, &l->pairs->start, 1));
    lh_arena *a = lh_arena_new(l->m.ctx);
    const lh_answer *found = &b->found[0];
    const lh_asked q = {id, &l->pairs->start, found->token, n, 1, found->n};
    const lh_cross *c = lh_cross_new(a, l->m.open, f->weights, &q);
    stop_if_failed(l->m.ctx, "cross");
    assert_int_equal(c->layers, 1);
    assert_int_equal(c->heads, 2);
    assert_int_equal(c->rows, found->n);
    assert_int_equal(c->cols, 6);
    for (int r = 0; r < c->rows; r++) {
        double sum = 0, apart = 0;
        for (int k = 0; k < c->cols; k++) {
            sum += lh_cross_mean(c, 0, r, k);
            apart += fabs(c->weight[r * c->cols + k] - c->weight[(c->rows + r) * c->cols + k]);
        }
        assert_true(fabs(sum - 1) < 1e-9);
        assert_true(apart > 1e-6); /* two heads are two */
    }
    if (!(fabs(c->log_probability - found->log_probability) < 1e-4))
        fail_msg("worth %g, by the definition %g", found->log_probability, c->log_probability);
    lh_arena_free(a);
    lh_beam_free(b);
    lh_folder_close(f);
    snprintf(command, sizeof command, "rm -r %s", path);
    assert_int_equal(system(command), 0);
}

static void a_translator_learns(void **state) {
    (void)state;
    char vocab[16];
    lh_context *ctx = lh_context_new();
    lh_tokenizer *k = lh_task_tokenizer(ctx, lh_task_find("translate"));
    snprintf(vocab, sizeof vocab, "%d", lh_tokenizer_count(k));
    lh_tokenizer_free(k);
    lh_context_free(ctx);
    const lh_setting set[] = {{"vocab", vocab}, {"layers", "1"},  {"heads", "2"}, {"dim", "16"},
                              {"hidden", "32"}, {"rate", "0.01"}, {"warm", "5"}, {"drop", "0.1"}};
    lesson l = open_lesson("models/classic.lh", "translate", set, 8, true);
    double first = 0;
    for (int i = 0; i < 40; i++) {
        assert_true(lh_trainer_step(l.t));
        if (i == 0) first = l.t->loss;
    }
    if (!(l.t->loss < 0.85 * first)) fail_msg("from %g to %g", first, l.t->loss);
    look_across(&l);
    close_lesson(&l);
}

/* ---- GPT-2, changed in one place ---- */

/* Lines are taken out of the program and others put in: from, to, from, to. */
typedef struct edit {
    const char *name;
    const char *change[6];
} edit;

static const edit edits[] = {
    {"as it is", {NULL}},
    {"relu", {"gelu(", "relu("}},
    {"silu", {"gelu(", "silu("}},
    {"exact gelu", {"gelu(", "geluexact("}},
    {"waves for positions", {"U[positions(tokens)]", "sinusoid(E[tokens])"}},
    {"no positions", {" + U[positions(tokens)]", ""}},
    {"a head of its own",
     {"logits = layernorm(X, g, b) @ E^T",
      "param WH : dim x vocab = normal(0.02)\nlogits = layernorm(X, g, b) @ WH"}},
    {"norm behind",
     {"A = layernorm(X, g1, b1) @ WA", "A = X @ WA", "Y = X + dropout(join(H) @ WP + bP, drop)",
      "Y = layernorm(X + dropout(join(H) @ WP + bP, drop), g1, b1)"}},
    {"no last norm", {"layernorm(X, g, b) @ E^T", "X @ E^T"}},
    {"side by side", {"layernorm(Y, g2, b2)", "layernorm(X, g2, b2)"}},
    {"both ways", {", hide = later(Q, K))", ")"}},
    {"adam",
     {"adamw(W, clip * dW, now, decay * (rows(W) > 1), 0.9, 0.95)", "adam(W, clip * dW, now)"}},
    {"momentum",
     {"adamw(W, clip * dW, now, decay * (rows(W) > 1), 0.9, 0.95)",
      "momentum(W, clip * dW, 3 * now)"}},
    {"a constant rate", {" * 0.5 * (1 + cos(pi * step / steps))", ""}},
};

static char *replaced(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    if (!at) fail_msg("gpt.lh has no %s", from);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static int count_kernels(const lh_plan *p, const char *name) {
    int n = 0;
    for (int i = 0; i < p->n_run; i++) {
        const lh_match *m = p->each_run[i].match;
        n += m && strcmp(m->kernel->name, name) == 0;
    }
    return n;
}

static void try_edit(const edit *e, const lh_data *data, const lh_setting *set, int n) {
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    char *text = malloc(f->length + 1);
    memcpy(text, f->text, f->length);
    text[f->length] = 0;
    for (int i = 0; i < 6 && e->change[i]; i += 2) {
        char *next = replaced(text, e->change[i], e->change[i + 1]);
        free(text);
        text = next;
    }
    model m = open_model(e->name, text, strlen(text), set, n);
    lh_trainer *t =
        lh_trainer_new(m.g, lh_data_feed(data), &(lh_trainer_how){.batch = 8, .seed = 1});
    stop_if_failed(m.ctx, e->name);
    if (count_kernels(t->plan, "attention") != 2)
        fail_msg("%s: %d attentions run by a kernel", e->name, count_kernels(t->plan, "attention"));
    const double first = lh_trainer_validate(t, 4);
    for (int i = 0; i < 30; i++)
        if (!lh_trainer_step(t)) fail_msg("%s: step %d", e->name, i + 1);
    const double last = lh_trainer_validate(t, 4);
    if (!(last < 0.93 * first)) fail_msg("%s: from %g to %g", e->name, first, last);
    lh_trainer_free(t);
    free(text);
    close_model(&m);
}

static void one_line_makes_another_model(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    size_t length;
    const char *text = lh_task_text(a, lh_task_find("names"), 0, 500, &length);
    lh_tokenizer *k = lh_data_tokenizer(ctx, "char", "names", text, length);
    lh_data *d = lh_data_new(ctx, k, &(lh_data_how){.name = "names", .context = 16}, text, length);
    char vocab[16];
    stop_if_failed(ctx, "names");
    snprintf(vocab, sizeof vocab, "%d", lh_tokenizer_count(k));
    const lh_setting set[] = {
        {"vocab", vocab}, {"dim", "16"}, {"rate", "0.02"}, {"warm", "3"}, {"steps", "40"}};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) try_edit(&edits[i], d, set, 5);
    lh_data_free(d);
    lh_tokenizer_free(k);
    lh_arena_free(a);
    lh_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_right),
        cmocka_unit_test(an_example_is_always_the_same),
        cmocka_unit_test(what_is_held_out_is_never_learned),
        cmocka_unit_test(sentences_know_their_words),
        cmocka_unit_test(other_sentences_are_not_read),
        cmocka_unit_test(pairs_as_batches),
        cmocka_unit_test(pairs_of_a_file),
        cmocka_unit_test(beams_of_an_encoder_and_decoder),
        cmocka_unit_test(beams_of_a_decoder),
        cmocka_unit_test(beams_where_rows_cannot_grow),
        cmocka_unit_test(each_allocation_fails_once),
        cmocka_unit_test(a_match_is_a_greedy_answer),
        cmocka_unit_test(a_translator_learns),
        cmocka_unit_test(one_line_makes_another_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
