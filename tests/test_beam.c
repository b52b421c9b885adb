/* Answers, greedy and by beams, against the definition; answers that are counted; and models that differ from GPT-2 in one line. */
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
#include "eval/plan.h"
#include "learn/lesson.h"
#include "train/beam.h"
#include "train/cross.h"
#include "train/text_data.h"
#include "train/floats.h"
#include "train/matcher.h"
#include "train/pairs.h"
#include "train/trainer.h"
#include "scarce.h"

static void stop_if_failed(lh_context *ctx, const char *what) {
    if (lh_failed(ctx)) fail_msg("%s: %s", what, lh_context_error(ctx)->what);
}

/* ---- a small model ---- */

typedef struct model {
    lh_context *ctx;
    lh_program *program;
    lh_graph *g;
    lh_plan *exact;
} model;

static model open_model(const char *name, const char *text, size_t length, const lh_setting *set,
                        int n) {
    model m = {.ctx = lh_context_new()};
    m.program = lh_lesson_parse(m.ctx, name, text, length);
    lh_build how = {.set = set, .n_set = n, .without_examples = true};
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
    lh_graph_free(m->g);
    lh_program_free(m->program);
    lh_context_free(m->ctx);
}

/* The same numbers in both, larger than a start's: answers that differ from question to question. */
static void fill(model *m, lh_plan *fast) {
    const lh_node *from = m->g->generate->from;
    m->exact = lh_exact.plan(m->g, &(lh_wish){.node = (lh_node *const *)&from, .n_nodes = 1});
    lh_exact.start(m->exact);
    lh_exact.training(m->exact, false);
    unsigned k = 12345;
    for (int i = 0; i < m->g->n_givens; i++) {
        if (m->g->given[i]->kind != LH_PARAM) continue;
        const lh_node *a = m->g->given[i]->node;
        const lh_sizes s = lh_exact.sizes(m->exact, a, 0);
        for (int r = 0; r < s.rows; r++)
            for (int c = 0; c < s.cols; c++) {
                k = k * 1664525u + 1013904223u;
                const float x = (float)(k >> 8) / (1 << 23) - 1;
                lh_fast.set(fast, a, (lh_cell){0, 0, r, c}, x);
                lh_exact.set(m->exact, a, (lh_cell){0, 0, r, c}, x);
            }
    }
    stop_if_failed(m->ctx, "weights");
}

/* log probabilities of what follows given[0..n), by the definition and all at once. */
static void exact_scores(model *m, const int *source, int n_source, const int *given, int n,
                         double *out) {
    const lh_node *from = m->g->generate->from;
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

/* Whatever a search lists is worth its own log probability, one token after another. */
static void check_worth(model *m, const int *source, int n_source, const int *given, int n_given,
                        const lh_answer *a, const char *what) {
    int row[16];
    double score[WORDS], sum = 0;
    memcpy(row, given, (size_t)n_given * sizeof *row);
    for (int i = 0; i < a->n; i++) {
        exact_scores(m, source, n_source, row, n_given + i, score);
        sum += score[a->token[i]];
        row[n_given + i] = a->token[i];
    }
    if (!(fabs(sum - a->log_probability) < 1e-4))
        fail_msg("%s: worth %.8f, by the definition %.8f", what, a->log_probability, sum);
    if (a->is_ended != (a->token[a->n - 1] == END)) fail_msg("%s: ended or not?", what);
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
            for (int a = 0; a < b->n_found && a < 10; a++)
                check_worth(m, question[i], n_source, given, n_given, &b->found[a], name);
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

/* Pairs, a search and a look at answers, while the k-th piece of memory is refused: a message, and nothing is lost. */
static bool search_short(lh_context *ctx, lh_graph *g) {
    const lh_train_task *task = lh_train_task_find("copy");
    const int given[] = {4, 5, 1};
    lh_tokenizer *k = lh_train_task_tokenizer(ctx, task);
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
    for (refused = 1; !is_done; refused++) {
        asked = 0;
        is_done = search_short(m.ctx, m.g) && asked < refused;
        if (asked >= refused && !lh_failed(m.ctx)) fail_msg("piece %d was not missed", refused);
        failed += lh_failed(m.ctx);
        lh_context_clear(m.ctx);
    }
    assert_true(failed > 20);
    refused = 0;
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
    lh_pairs_how how = {.task = lh_train_task_find(task), .context = 64, .has_source = has_source};
    l.tokens = lh_train_task_tokenizer(l.m.ctx, how.task);
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
        lh_train_task_example(lh_train_task_find("sort"), 0, (uint64_t)i, true, &c);
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
    const lh_cross *c = lh_cross_new(a, l->m.g, f->weights, &q);
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
    lh_tokenizer *k = lh_train_task_tokenizer(ctx, lh_train_task_find("translate"));
    snprintf(vocab, sizeof vocab, "%d", lh_tokenizer_count(k));
    lh_tokenizer_free(k);
    lh_context_free(ctx);
    const lh_setting set[] = {{"vocab", vocab}, {"layers", "1"},  {"heads", "2"}, {"dim", "16"},
                              {"hidden", "32"}, {"rate", "0.01"}, {"warm", "5"},  {"drop", "0.1"}};
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
    for (int i = 0; i < p->list[LH_STAGE_RUN].n; i++) {
        const lh_match *m = p->list[LH_STAGE_RUN].work[i].match;
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
    const char *text = lh_train_task_text(a, lh_train_task_find("names"), 0, 500, &length);
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
