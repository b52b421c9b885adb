/* Training: texts as tokens, batches by counter, resuming to the same bits, a loss that is no number, choosing a token. */
#define _XOPEN_SOURCE 700 /* setitimer */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/random.h"
#include "checked.h"
#include "eval/fast/wish.h"
#include "eval/fast/profile.h"
#include "eval/plan.h"
#include "learn/lesson.h"
#include "train/text_data.h"
#include "train/floats.h"
#include "train/generate.h"
#include "train/trainer.h"

static void stop_if_failed(lh_context *ctx) {
    if (lh_failed(ctx)) fail_msg("%s", lh_context_error(ctx)->what);
}

/* ---- data ---- */

static void words(char *text, size_t n) {
    static const char *const word[] = {"the ", "cat ",  "sat ",   "on\n",
                                       "a ",   "mat. ", "naïve ", "\n\n"};
    size_t k = 0;
    for (unsigned i = 0; k + 10 < n; i = i * 7 + 3) {
        const char *w = word[(i >> 3) % 8];
        memcpy(text + k, w, strlen(w));
        k += strlen(w);
    }
    text[k] = 0;
}

typedef struct made {
    lh_context *ctx;
    lh_tokenizer *tokens;
    lh_data *data;
} made;

static made make_data(const char *spec, const char *text, size_t length, int context, bool lines) {
    made m = {.ctx = lh_context_new()};
    lh_data_how how = {.name = "text", .context = context, .is_lines = lines};
    m.tokens = lh_data_tokenizer(m.ctx, spec, "text", text, length);
    if (m.tokens) m.data = lh_data_new(m.ctx, m.tokens, &how, text, length);
    return m;
}

static void free_data(made *m) {
    lh_data_free(m->data);
    lh_tokenizer_free(m->tokens);
    lh_context_free(m->ctx);
}

/* In pieces of a megabyte: the same tokens as in one. */
static void tokens_are_those_of_the_whole_text(void **state) {
    (void)state;
    const size_t n = 3 << 20;
    const char *spec[] = {"char", "word", "bpe:300"};
    char *text = malloc(n);
    words(text, n);
    const size_t length = strlen(text);
    int *id = malloc(length * sizeof *id);
    for (int i = 0; i < 3; i++) {
        made m = make_data(spec[i], text, length, 8, false);
        stop_if_failed(m.ctx);
        const size_t count = lh_tokenizer_encode(m.tokens, text, length, false, id, length);
        assert_int_equal(m.data->n, count);
        for (size_t k = 0; k < count; k++)
            if (lh_data_token(m.data, k) != id[k]) fail_msg("%s: token %zu differs", spec[i], k);
        free_data(&m);
    }
    free(id), free(text);
}

/* More kinds than two bytes can count. */
static void many_kinds_of_tokens(void **state) {
    (void)state;
    enum { WORDS = 70000 };
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_text t = lh_text_new(a);
    for (int i = 0; i < WORDS; i++) { /* letters alone: digits would be words of their own */
        char word[8] = " aaaaaa";
        for (int k = 1, n = i; k < 7; k++, n /= 26) word[k] = (char)('a' + n % 26);
        lh_text_add(&t, "%s", word);
    }
    made m = make_data("word", t.s, t.n, 8, false);
    stop_if_failed(m.ctx);
    assert_null(m.data->narrow);
    assert_int_equal(m.data->n, WORDS);
    for (size_t i = 0; i < WORDS; i += 997) {
        size_t n;
        const char *piece = lh_tokenizer_piece(m.tokens, lh_data_token(m.data, i), &n);
        assert_int_equal(n, 7);
        assert_memory_equal(piece, t.s + 7 * i, 7);
    }
    free_data(&m);
    lh_arena_free(a), lh_context_free(ctx);
}

static void a_tenth_is_held_out(void **state) {
    (void)state;
    char text[2000];
    words(text, sizeof text);
    made m = make_data("char", text, strlen(text), 8, false);
    stop_if_failed(m.ctx);
    const lh_data *d = m.data;
    assert_int_equal(d->n_train, d->n - d->n / 10);
    lh_drawn_batch *b = lh_drawn_new(d, 5);
    size_t first = d->n, last = 0;
    for (uint32_t step = 0; step < 400; step++) {
        lh_data_draw(d, 7, step, b);
        assert_int_equal(b->batch.examples, 5);
        for (int e = 0; e < 5; e++) {
            lh_random_place at = {.seed = 7, .step = step, .place = 0xDA7A, .example = (uint32_t)e};
            const size_t from = (size_t)(lh_random_bits(at) % (d->n_train - 8));
            if (from < first) first = from;
            if (from + 8 > last) last = from + 8;
            for (size_t i = 0; i < 8; i++) {
                assert_int_equal(b->token[e * 8 + (int)i], lh_data_token(d, from + i));
                assert_int_equal(b->target[e * 8 + (int)i], lh_data_token(d, from + i + 1));
            }
        }
    }
    assert_int_equal(first, 0);
    assert_int_equal(last, d->n_train - 1); /* the last target is the last token learned from */
    int seen = 0;
    for (int i = 0, n; (n = lh_data_held_out(d, i, 1000, b)) > 0; i++) {
        assert_int_equal(b->token[0], lh_data_token(d, d->n_train + (size_t)seen * 8));
        seen += n;
    }
    assert_int_equal(seen, lh_data_held_out_count(d));
    assert_int_equal(seen, (d->n - d->n_train - 1) / 8);
    lh_drawn_free(b);
    free_data(&m);
}

/* emma is \n e m m a and then e m m a \n; every tenth line is held out. */
static void lines_are_examples(void **state) {
    (void)state;
    lh_text t;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    t = lh_text_new(a);
    for (int i = 0; i < 40; i++)
        lh_text_add(&t, "%c%s\n%s", 'a' + i % 26, i < 26 ? "" : "!", i % 7 ? "" : "\n");
    lh_text_add(&t, "too long a line");
    made m = make_data("char", t.s, t.n, 6, true);
    stop_if_failed(m.ctx);
    const lh_data *d = m.data;
    assert_int_equal(d->n_lines, 41);
    assert_int_equal(d->train_lines, 37);
    assert_int_equal(d->n_cut, 1);
    lh_drawn_batch *b = lh_drawn_new(d, 1);
    bool is_seen[41] = {false};
    for (uint32_t step = 0; step < 2000; step++) {
        size_t n;
        lh_data_draw(d, 1, step, b);
        assert_int_equal(b->token[0], d->newline);
        const int letter = *lh_tokenizer_piece(m.tokens, b->target[0], &n);
        const int line = b->rows[0] == 6 ? 40 : letter - 'a' + (b->rows[0] == 3 ? 26 : 0);
        assert_int_equal(b->target[b->rows[0] - 1] == d->newline, line != 40);
        is_seen[line] = true;
    }
    for (int i = 0; i < 41; i++) assert_int_equal(is_seen[i], i % 10 != 9);
    assert_int_equal(lh_data_held_out(d, 3, 4, b), 1);
    assert_int_equal(lh_data_held_out(d, 4, 5, b), 0);
    lh_data_held_out(d, 0, 4, b);
    size_t n;
    assert_int_equal(*lh_tokenizer_piece(m.tokens, b->target[0], &n), 'j');
    lh_drawn_free(b);
    free_data(&m);
    lh_arena_free(a), lh_context_free(ctx);
}

static void bad_texts_are_refused(void **state) {
    (void)state;
    char noise[4000], zero[] = "abc\0abcabcabc";
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (char)(1 + i * 97 % 31);
    const struct {
        const char *text, *spec, *says;
        size_t length;
        bool lines;
    } bad[] = {
        {"", "char", "empty", 0, false},
        {zero, "char", "not text", sizeof zero, false},
        {noise, "char", "control characters", sizeof noise, false},
        {"short", "char", "5 tokens, but an example takes 9", 5, false},
        {"\n\n\n\n", "char", "every line", 4, true},
        {"one line", "char", "no token for the end of a line", 8, true},
        {"text", "bpe:1x", "not a vocabulary", 4, false},
        {"text", "no-such-folder", "not a vocabulary", 4, false},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        made m = make_data(bad[i].spec, bad[i].text, bad[i].length, 8, bad[i].lines);
        assert_null(m.data);
        if (!strstr(lh_context_error(m.ctx)->what, bad[i].says))
            fail_msg("\"%s\" and not \"%s\"", lh_context_error(m.ctx)->what, bad[i].says);
        free_data(&m);
    }
    made m = make_data("char", "abcabcabcabc", 12, 4, false); /* a vocabulary without d */
    lh_data *d =
        lh_data_new(m.ctx, m.tokens, &(lh_data_how){.name = "other", .context = 4}, "abcdabcd", 8);
    assert_null(d);
    assert_non_null(strstr(lh_context_error(m.ctx)->what, "\"d\""));
    free_data(&m);
}

/* ---- training ---- */

typedef struct run {
    made m;
    lh_program *program;
    lh_graph *g;
    lh_trainer *t;
} run;

static const char *const small[][2] = {{"layers", "2"},  {"dim", "16"},   {"heads", "2"},
                                       {"context", "8"}, {"drop", "0.2"}, {"steps", "30"},
                                       {"rate", "0.01"}};

static run open_run_how(const char *model, bool lines, const lh_trainer_how *how, const char *other,
                        const char *to) {
    static char text[3000];
    static char vocab[16];
    static lh_setting set[8]; /* a graph that is built again looks at it once more */
    char name[64];
    int n = 0;
    words(text, sizeof text);
    run r = {.m = make_data("char", text, strlen(text), 8, lines)};
    snprintf(name, sizeof name, "models/%s.lh", model);
    snprintf(vocab, sizeof vocab, "%d", lh_tokenizer_count(r.m.tokens));
    set[n++] = (lh_setting){"vocab", vocab};
    for (int i = 0; i < 7; i++)
        if (strcmp(small[i][0], "drop") != 0 || strcmp(model, "gpt") == 0)
            set[n++] = (lh_setting){small[i][0], small[i][1]};
    for (int i = 0; other && i < n; i++)
        if (strcmp(set[i].name, other) == 0) set[i].value = to;
    const lh_embedded *f = lh_embedded_find(name);
    r.program = lh_lesson_parse(r.m.ctx, name, f->text, f->length);
    r.g = lh_graph_build(r.m.ctx, r.program,
                         &(lh_build){.set = set, .n_set = n, .without_examples = true});
    stop_if_failed(r.m.ctx);
    assert_int_equal(r.g->n_examples, 0);
    r.t = lh_trainer_new(r.g, lh_data_feed(r.m.data), how);
    stop_if_failed(r.m.ctx);
    return r;
}

static run open_run_with(const char *model, bool lines, int threads, const char *other,
                         const char *to) {
    const lh_trainer_how how = {.batch = 3, .seed = 5, .threads = threads};
    return open_run_how(model, lines, &how, other, to);
}

static run open_run(const char *model, bool lines, int threads) {
    return open_run_with(model, lines, threads, NULL, NULL);
}

static void close_run(run *r) {
    lh_trainer_free(r->t);
    lh_graph_free(r->g);
    lh_program_free(r->program);
    free_data(&r->m);
}

static void steps(run *r, int n) {
    for (int i = 0; i < n; i++)
        if (!lh_trainer_step(r->t)) fail_msg("step %d failed", r->t->step + 1);
}

/* Every param and every state, bit by bit. */
static void same_bits(const run *a, const run *b, const char *when) {
    assert_int_equal(a->t->step, b->t->step);
    for (int i = 0; i < a->g->n_givens; i++) {
        const lh_node *n = a->g->given[i]->node;
        const float *x = lh_floats(a->t->plan, n), *y = lh_floats(b->t->plan, b->g->given[i]->node);
        if (!x || !y) continue;
        lh_sizes s = lh_fast.sizes(a->t->plan, n, 0);
        if (memcmp(x, y, (size_t)s.rows * (size_t)s.cols * sizeof *x) != 0)
            fail_msg("%s: %s differs", when, n->step->path);
    }
    if (memcmp(&a->t->loss, &b->t->loss, sizeof a->t->loss) != 0)
        fail_msg("%s: the loss differs", when);
}

static void save_to(run *r, const char *path) {
    lh_folder_writer *w = lh_folder_create(r->m.ctx, path, &(lh_folder_files){0});
    assert_true(lh_trainer_save(r->t, w, &(lh_save){.program = "#"}));
    lh_folder_end(w);
}

/* Where a batch is cut into pieces there is memory for a step or for a look, not for both: rank 0 looks, and needs no more than the others. */
static void a_step_and_a_look_take_turns(void **state) {
    (void)state;
    const lh_trainer_how how = {.batch = 4, .seed = 5, .threads = 1, .pieces = 4};
    run r = open_run_how("gpt", false, &how, NULL, NULL);
    steps(&r, 1);
    assert_null(r.t->look);
    assert_true(r.t->parts->pieces->copies > 0);
    const double first = lh_trainer_validate(r.t, 2);
    assert_true(first > 0);
    assert_non_null(r.t->look);
    assert_int_equal(r.t->parts->pieces->copies, 0);
    assert_true(lh_trainer_validate(r.t, 2) == first);
    steps(&r, 1);
    assert_null(r.t->look);
    close_run(&r);
}

/* The table of tokens may be more than a rank's part: then it is not rank 0's. */
static void the_first_rank_has_not_the_largest_share(void **state) {
    (void)state;
    const lh_ranks first = {.rank = 0, .n = 3};
    const lh_trainer_how how = {.batch = 3, .seed = 5, .threads = 1};
    run r = open_run_how("gpt", false, &how, NULL, NULL);
    lh_parts *p =
        lh_parts_new(r.g, &(lh_parts_how){.most = 1, .threads = 1, .pieces = 3, .ranks = &first});
    stop_if_failed(r.m.ctx);
    double share[3] = {0};
    for (int i = 0; i < r.g->n_givens; i++)
        if (p->owner[i] >= 0 && r.g->given[i]->renewed)
            share[p->owner[i]] += (double)lh_plan_fixed_cells(r.g, r.g->given[i]->node);
    assert_true(share[0] > 0 && share[1] > 0 && share[2] > 0);
    assert_int_equal(p->owner[r.t->params->weight[0].given->number], 2);
    lh_parts_free(p);
    close_run(&r);
}

static void resumes_to_the_same_bits(void **state) {
    (void)state;
    const char *model[] = {"gpt", "micro"};
    for (int k = 0; k < 4; k++) {
        const bool lines = k >= 2;
        char folder[] = "/tmp/longhand-train-XXXXXX";
        assert_non_null(mkdtemp(folder));
        run whole = open_run(model[k / 2], lines, 1), first = open_run(model[k / 2], lines, 2);
        steps(&whole, 12);
        steps(&first, 7);
        lh_trainer_validate(first.t, 3); /* looking on changes nothing */
        save_to(&first, folder);
        close_run(&first);
        run second = open_run(model[k / 2], lines, 1 + k % 2);
        lh_folder *f = lh_folder_open(second.m.ctx, folder);
        assert_true(lh_trainer_load(second.t, f, LH_LOAD_ALL));
        lh_folder_close(f);
        assert_int_equal(second.t->step, 7);
        steps(&second, 5);
        same_bits(&whole, &second, model[k / 2]);
        close_run(&whole), close_run(&second);
        char command[64];
        snprintf(command, sizeof command, "rm -r %s", folder);
        assert_int_equal(system(command), 0);
    }
}

static volatile sig_atomic_t heard;

static void hear(int number) {
    (void)number;
    volatile char frame[4096];
    for (size_t i = 0; i < sizeof frame; i++) frame[i] = (char)0xee;
    heard = heard + 1;
}

/* An alarm every 50 microseconds, so that one comes in any kind of work; products of 8 x 128 x 512 are those that oneDNN makes with its
 * stack in use. */
static void signals_change_no_bit(void **state) {
    (void)state;
    const lh_trainer_how how = {.batch = 1, .seed = 5, .threads = 1};
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    const struct sigaction action = {.sa_handler = hear, .sa_flags = SA_RESTART};
    struct sigaction was;
    run quiet = open_run_how("gpt", false, &how, "dim", "128"),
        disturbed = open_run_how("gpt", false, &how, "dim", "128");
    steps(&quiet, 100);
    sigaction(SIGALRM, &action, &was);
    setitimer(ITIMER_REAL, &often, NULL);
    steps(&disturbed, 100);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &was, NULL);
    assert_true(heard > 100);
    same_bits(&quiet, &disturbed, "signals");
    close_run(&quiet), close_run(&disturbed);
}

/* Parts add in another order, bf16 rounds: the loss is the same but for that, from step to step. */
static void parts_and_bf16_follow(void **state) {
    (void)state;
    const char *model[] = {"gpt", "micro"};
    for (int k = 0; k < 2; k++) {
        const lh_trainer_how how[] = {
            {.batch = 6, .seed = 5, .threads = 1},
            {.batch = 6, .seed = 5, .threads = 2, .micro = 4},
            {.batch = 6, .seed = 5, .threads = 2, .precision = LH_IN_BF16},
            {.batch = 6, .seed = 5, .threads = 1, .precision = LH_IN_BF16, .micro = 1}};
        run whole = open_run_how(model[k], k == 1, &how[0], NULL, NULL);
        double loss[30];
        for (int i = 0; i < 30; i++) steps(&whole, 1), loss[i] = whole.t->loss;
        const double held_out = lh_trainer_validate(whole.t, 5);
        for (int h = 1; h < (lh_bf16_name() ? 4 : 2); h++) {
            const double most = how[h].precision == LH_IN_BF16 ? 2e-2 : 1e-4;
            run r = open_run_how(model[k], k == 1, &how[h], NULL, NULL);
            for (int i = 0; i < 30; i++) {
                steps(&r, 1);
                if (!(fabs(r.t->loss - loss[i]) < most * loss[i]))
                    fail_msg("%s, way %d, step %d: %g and not %g", model[k], h, i + 1, r.t->loss,
                             loss[i]);
            }
            assert_true(fabs(lh_trainer_validate(r.t, 5) - held_out) < most * held_out);
            if (how[h].precision == LH_IN_BF16 && how[h].micro == 0)
                assert_true(r.t->loss != loss[29]); /* it is another precision */
            close_run(&r);
        }
        close_run(&whole);
    }
}

/* Layers that are computed again for their gradients: dropout, parts, pieces and looks come to the same bits, in less memory. */
static void recomputing_changes_no_bit(void **state) {
    (void)state;
    const char *model[] = {"gpt", "llama"};
    const lh_trainer_how how[] = {{.batch = 6, .seed = 5, .threads = 2},
                                  {.batch = 6, .seed = 5, .threads = 2, .micro = 4},
                                  {.batch = 6, .seed = 5, .threads = 1, .pieces = 3, .micro = 1},
                                  {.batch = 6, .seed = 5, .threads = 2, .precision = LH_IN_BF16}};
    for (int k = 0; k < 2; k++)
        for (int h = 0; h < (lh_bf16_name() ? 4 : 3); h++) {
            lh_trainer_how other = how[h];
            other.recomputes = true, other.threads = 1;
            run kept = open_run_how(model[k], false, &how[h], "layers", "6"),
                again = open_run_how(model[k], false, &other, "layers", "6");
            steps(&kept, 3), steps(&again, 3);
            assert_true(lh_trainer_validate(kept.t, 2) == lh_trainer_validate(again.t, 2));
            steps(&kept, 2), steps(&again, 2);
            same_bits(&kept, &again, model[k]);
            const lh_plan *all = h == 1 || h == 2 ? kept.t->parts->part : kept.t->plan,
                          *less = h == 1 || h == 2 ? again.t->parts->part : again.t->plan;
            assert_true(less->list[LH_STAGE_RUN].n > all->list[LH_STAGE_RUN].n);
            if (how[h].micro != 1) /* one example of 8 tokens is less than the gradients are */
                assert_true(less->cells[LH_MOVING] < all->cells[LH_MOVING]);
            close_run(&kept), close_run(&again);
        }
}

/* A run in parts that goes on: the same bits, with any number of threads. */
static void parts_resume_to_the_same_bits(void **state) {
    (void)state;
    const lh_precision precision = lh_bf16_name() ? LH_IN_BF16 : LH_IN_FLOAT;
    char folder[] = "/tmp/longhand-train-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    lh_trainer_how how = {.batch = 5, .seed = 5, .threads = 1, .micro = 2, .precision = precision};
    run whole = open_run_how("gpt", false, &how, NULL, NULL);
    how.threads = 2;
    run first = open_run_how("gpt", false, &how, NULL, NULL);
    steps(&whole, 9), steps(&first, 4);
    lh_trainer_validate(first.t, 2);
    save_to(&first, folder);
    close_run(&first);
    run second = open_run_how("gpt", false, &how, NULL, NULL);
    lh_folder *f = lh_folder_open(second.m.ctx, folder);
    assert_int_equal(f->micro, 2);
    assert_string_equal(f->precision, precision == LH_IN_BF16 ? "bf16" : "float");
    assert_true(lh_trainer_load(second.t, f, LH_LOAD_ALL));
    lh_folder_close(f);
    steps(&second, 5);
    same_bits(&whole, &second, "in parts");
    close_run(&whole), close_run(&second);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void loads_weights_alone(void **state) {
    (void)state;
    char folder[] = "/tmp/longhand-train-XXXXXX";
    assert_non_null(mkdtemp(folder));
    run a = open_run("gpt", false, 1), b = open_run("gpt", false, 1);
    steps(&a, 5);
    save_to(&a, folder);
    lh_folder *f = lh_folder_open(b.m.ctx, folder);
    assert_true(lh_trainer_load(b.t, f, LH_LOAD_WEIGHTS));
    assert_int_equal(b.t->step, 0);
    const lh_node *n = a.g->given[0]->node, *m = b.g->given[0]->node;
    for (int i = 0; i < a.g->n_givens; i++) {
        n = a.g->given[i]->node, m = b.g->given[i]->node;
        const float *x = lh_floats(a.t->plan, n), *y = lh_floats(b.t->plan, m);
        if (a.g->given[i]->kind == LH_PARAM) assert_true(*x == *y);
        if (a.g->given[i]->kind == LH_STATE) assert_true(*y == 0);
    }
    lh_folder_close(f);
    close_run(&a), close_run(&b);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void the_seed_decides(void **state) {
    (void)state;
    run a = open_run("gpt", false, 1), b = open_run("gpt", false, 2), c = open_run("gpt", false, 1);
    c.t->how.seed = 6;
    steps(&a, 4), steps(&b, 4), steps(&c, 4);
    same_bits(&a, &b, "the same seed");
    assert_true(a.t->loss != c.t->loss);
    close_run(&a), close_run(&b), close_run(&c);
}

static void the_loss_falls(void **state) {
    (void)state;
    const char *model[] = {"gpt", "micro"};
    for (int k = 0; k < 2; k++) {
        run r = open_run(model[k], k == 1, 0);
        const double before = lh_trainer_validate(r.t, 10);
        steps(&r, 30);
        const double after = lh_trainer_validate(r.t, 10), again = lh_trainer_validate(r.t, 10);
        if (!(after < 0.8 * before)) fail_msg("%s: from %g to %g", model[k], before, after);
        assert_true(after == again); /* dropout is off, nothing is drawn */
        close_run(&r);
    }
}

static void dropout_is_for_learning(void **state) {
    (void)state;
    run with = open_run("gpt", false, 1), without = open_run_with("gpt", false, 1, "drop", "0");
    assert_true(lh_trainer_validate(with.t, 3) == lh_trainer_validate(without.t, 3));
    steps(&with, 1), steps(&without, 1);
    assert_true(with.t->loss != without.t->loss);
    close_run(&with), close_run(&without);
}

/* A look makes no gradient, and its loss is that of the plan which trains. */
static void looks_go_forward_alone(void **state) {
    (void)state;
    const char *model[] = {"gpt", "micro"};
    for (int k = 0; k < 2; k++) {
        run r = open_run(model[k], k == 1, 0);
        steps(&r, 3);
        int gradients = 0;
        for (int i = 0; i < r.g->n_givens; i++) {
            const lh_step *d = r.g->given[i]->gradient;
            if (!d) continue;
            gradients++;
            assert_false(lh_fast.has(r.t->look, d->node));
        }
        assert_true(gradients > 0);
        assert_true(lh_floats_memory(r.t->look) < 0.5 * lh_floats_memory(r.t->plan));
        lh_fast.training(r.t->plan, false);
        assert_true(r.t->feed.held_out(r.t->feed.from, 0, 1, r.t->batch) > 0);
        lh_fast.feed(r.t->plan, &r.t->batch->batch);
        lh_fast.run(r.t->plan);
        const double loss = lh_fast.get(r.t->plan, r.g->loss, (lh_cell){0, 0, 0, 0}),
                     seen = lh_trainer_validate(r.t, 1);
        if (!(fabs(seen - loss) < 1e-5 * loss)) fail_msg("%s: %g and not %g", model[k], seen, loss);
        close_run(&r);
    }
}

/* What is made of a param that no update renews follows it when it is set. */
static void set_params_are_noticed(void **state) {
    (void)state;
    const char *text =
        "vocab 40\ninput tokens : vocab*\ninput target : vocab*\nparam S : 1 x 4 = 1\n"
        "param E : vocab x 4 = normal(1)\nT = S * 3\nlogits = (E[tokens] * T) @ E^T\n"
        "loss = average(mean(crossentropy(logits, target)))\nbackward loss\n"
        "E := E - 0.1 * dE\n";
    char words_text[500];
    words(words_text, sizeof words_text);
    run r = {.m = make_data("char", words_text, strlen(words_text), 8, false)};
    r.program = lh_program_parse(r.m.ctx, "test.lh", text, strlen(text));
    r.g = lh_graph_build(r.m.ctx, r.program, NULL);
    stop_if_failed(r.m.ctx);
    r.t = lh_trainer_new(r.g, lh_data_feed(r.m.data), &(lh_trainer_how){.batch = 3, .seed = 5});
    stop_if_failed(r.m.ctx);
    const lh_node *S = lh_graph_step(r.g, "S")->node;
    const double before = lh_trainer_validate(r.t, 1);
    for (int i = 0; i < 4; i++) lh_floats(r.t->plan, S)[i] = 0.1F;
    assert_true(lh_trainer_validate(r.t, 1) < 0.9 * before);
    close_run(&r);
}

/* A rate that throws the params out of range: no update is made with a loss that is no number. */
static void a_lost_loss_stops(void **state) {
    (void)state;
    run r = open_run_with("gpt", false, 1, "rate", "1e38");
    while (lh_trainer_step(r.t) && r.t->step < 50) {}
    assert_true(r.t->is_lost);
    assert_true(!isfinite(r.t->loss));
    const int step = r.t->step;
    assert_false(lh_trainer_step(r.t));
    assert_int_equal(r.t->step, step);
    lh_arena *a = lh_arena_new(r.m.ctx);
    lh_text formula = lh_text_new(a);
    int line = 0;
    assert_true(lh_trainer_trouble(r.t, &formula, &line));
    assert_true(line > 0 && formula.n > 0);
    assert_false(lh_failed(r.m.ctx));
    lh_arena_free(a);
    close_run(&r);
}

/* Training by kernels, a gradient worked out step by step, and the search for what went wrong read one graph. */
static void one_graph_is_enough(void **state) {
    (void)state;
    run r = open_run_with("gpt", false, 1, "rate", "1e38");
    assert_int_equal(r.m.ctx->n_graphs, 1);
    steps(&r, 1);
    assert_true(lh_fast_uses(r.t->plan, "attention, back") > 0);
    const int row = 4, token[] = {1, 2, 3, 4}, *rows[] = {&row, &row}, *tokens[] = {token, token};
    lh_node *dQ = lh_graph_find(r.g, "h[0].dQ")->node;
    lh_plan *exact = lh_exact.plan(r.g, &(lh_wish){.node = &dQ, .n_nodes = 1});
    lh_exact.feed(exact, &(lh_batch){.examples = 1, .rows = rows, .tokens = tokens});
    lh_exact.run(exact);
    stop_if_failed(r.m.ctx);
    assert_true(isfinite(lh_exact.get(exact, dQ, (lh_cell){0, 0, 1, 0})));
    assert_string_equal(lh_step_formula(r.g, dQ->step), "dS @ K");
    lh_exact.free(exact);
    while (lh_trainer_step(r.t) && r.t->step < 50) {}
    lh_arena *a = lh_arena_new(r.m.ctx);
    lh_text formula = lh_text_new(a);
    int line = 0;
    assert_true(lh_trainer_trouble(r.t, &formula, &line));
    lh_arena_free(a);
    assert_int_equal(r.m.ctx->n_graphs, 1);
    close_run(&r);
}

/* A backend that the trainer has never heard of: the same losses, the same weights in a folder, and every access its own. */
static void another_backend_trains(void **state) {
    (void)state;
    lh_trainer_how how = {.batch = 2, .seed = 5, .threads = 1};
    run fast = open_run_how("gpt", false, &how, NULL, NULL);
    how.with = &lh_checked;
    run other = open_run_how("gpt", false, &how, NULL, NULL);
    memset(&checked, 0, sizeof checked);
    for (int i = 0; i < 2; i++) {
        steps(&fast, 1), steps(&other, 1);
        if (fabs(fast.t->loss - other.t->loss) > 1e-5)
            fail_msg("loss %.9g, checked %.9g", fast.t->loss, other.t->loss);
    }
    if (*checked.problem) fail_msg("%s", checked.problem);
    assert_true(checked.works > 100);
    char folder[] = "/tmp/longhand-train-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    save_to(&other, folder);
    lh_folder *f = lh_folder_open(other.m.ctx, folder);
    lh_plan *before = other.t->plan;
    other.t->plan = NULL;
    lh_trainer_free(other.t);
    other.t = lh_trainer_new(other.g, lh_data_feed(other.m.data), &how);
    assert_true(lh_trainer_load(other.t, f, LH_LOAD_ALL));
    for (int i = 0; i < other.g->n_givens; i++) {
        const lh_node *n = other.g->given[i]->node;
        if (!lh_plan_has(before, n)) continue;
        const double a = lh_plan_get(before, n, (lh_cell){0, 0, 0, 0}),
                     b = lh_plan_get(other.t->plan, n, (lh_cell){0, 0, 0, 0});
        if (other.g->given[i]->kind != LH_CONST && (float)a != (float)b)
            fail_msg("%s: %.9g was saved, %.9g loaded", n->step->path, a, b);
    }
    lh_plan_free(before);
    lh_folder_close(f);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    close_run(&fast), close_run(&other);
}

static void sizes_that_cannot_be_had(void **state) {
    (void)state;
    run r = open_run("gpt", false, 1);
    lh_trainer_free(r.t);
    r.m.ctx->memory_limit = 30000;
    r.t = lh_trainer_new(r.g, lh_data_feed(r.m.data), &(lh_trainer_how){.batch = 3, .seed = 5});
    assert_null(r.t);
    assert_int_equal(lh_context_error(r.m.ctx)->kind, LH_ERROR_MEMORY);
    lh_context_clear(r.m.ctx);
    r.m.ctx->memory_limit =
        (size_t)(lh_trainer_least_memory(r.g, NULL) * 1.3); /* not for a batch as well */
    r.t = lh_trainer_new(r.g, lh_data_feed(r.m.data), &(lh_trainer_how){.batch = 300, .seed = 5});
    assert_null(r.t);
    assert_int_equal(lh_context_error(r.m.ctx)->kind, LH_ERROR_MEMORY);
    close_run(&r);
}

/* ---- choosing ---- */

static const float score[7] = {1.0f, 3.0f, -2.0f, 2.5f, 0.0f, 2.9f, -INFINITY};
enum { SCORES = 7 };

static void certain_choices(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_chooser *c = lh_chooser_new(ctx, SCORES);
    const lh_choice certain[] = {{0, 0, 1, 0, 1, 0, 0},   {1e-6, 0, 1, 0, 1, 0, 0},
                                 {5, 1, 1, 0, 1, 0, 0},   {5, 0, 1e-9, 0, 1, 0, 0},
                                 {0, 3, 0.5, 0, 1, 0, 0}, {1, 0, 0, 0, 1, 0, 0}};
    for (size_t k = 0; k < sizeof certain / sizeof *certain; k++)
        for (int i = 0; i < 100; i++)
            assert_int_equal(lh_choose(c, score, &certain[k], i / 100.0), 1);
    const float none[SCORES] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN},
                one[SCORES] = {NAN, NAN, -1, NAN, NAN, NAN, NAN};
    assert_int_equal(lh_choose(c, none, &certain[1], 0.5), -1);
    assert_int_equal(lh_choose(c, one, &(lh_choice){1, 0, 1, 0, 1, 0, 0}, 0.5), 2);
    assert_int_equal(lh_choose(c, score, &(lh_choice){1, 0, 1, 0, 1, 0, 0}, 0.9999999999999999), 5);
    lh_chooser_free(c), lh_context_free(ctx);
}

static void what_was_there_is_less_likely(void **state) {
    (void)state;
    float s[4] = {2, -1, 3, 0};
    const int seen[] = {0, 1, 0, 9, -1, 3};
    lh_context *ctx = lh_context_new();
    lh_chooser *c = lh_chooser_new(ctx, 4);
    lh_penalise(c, s, seen, 6, &(lh_choice){.repetition_penalty = 2});
    assert_true(s[0] == 1 && s[1] == -2 && s[2] == 3 && s[3] == 0); /* each once */
    lh_penalise(c, s, seen, 6, &(lh_choice){.repetition_penalty = 1});
    lh_penalise(c, s, seen, 6, &(lh_choice){.repetition_penalty = 0});
    assert_true(s[0] == 1 && s[1] == -2);
    lh_penalise(c, s, seen, 6, &(lh_choice){.presence_penalty = 0.5});
    assert_true(s[0] == 0.5f && s[1] == -2.5f && s[2] == 3 && s[3] == -0.5f);
    lh_penalise(c, s, seen, 6, &(lh_choice){.frequency_penalty = 0.25}); /* t0 is there twice */
    assert_true(s[0] == 0 && s[1] == -2.75f && s[2] == 3 && s[3] == -0.75f);
    float t[4] = {2, -1, 3, 0}; /* first divided, then less */
    lh_penalise(c, t, seen, 6, &(lh_choice){0, 0, 1, 0, 2, 1, 0.5});
    assert_true(t[0] == -1 && t[1] == -3.5f && t[2] == 3 && t[3] == -1.5f);
    lh_chooser_free(c), lh_context_free(ctx);
}

/* What should be drawn how often, found the plain way: sort, cut, normalise. */
static void expected(const lh_choice *how, double p[SCORES]) {
    int order[SCORES];
    double sum = 0, kept = 0;
    for (int i = 0; i < SCORES; i++) order[i] = i;
    for (int i = 0; i < SCORES; i++)
        for (int k = i + 1; k < SCORES; k++)
            if (score[order[k]] > score[order[i]]) {
                int old = order[i];
                order[i] = order[k], order[k] = old;
            }
    const int most = how->top_k ? how->top_k : SCORES;
    for (int i = 0; i < SCORES; i++) {
        p[order[i]] = i < most ? exp(score[order[i]] / how->temperature) : 0;
        sum += p[order[i]];
    }
    for (int i = 0; i < SCORES; i++) {
        const bool stays = i == 0 || kept < how->top_p;
        kept += p[order[i]] / sum;
        if (!stays || p[order[i]] < how->min_p * p[order[0]]) p[order[i]] = 0;
    }
    sum = 0;
    for (int i = 0; i < SCORES; i++) sum += p[i];
    for (int i = 0; i < SCORES; i++) p[i] /= sum;
}

static void draws_fit(void **state) {
    (void)state;
    enum { DRAWS = 10000 };
    const lh_choice how[] = {{1, 0, 1, 0, 1, 0, 0},     {0.8, 3, 1, 0, 1, 0, 0},
                             {2, 5, 1, 0, 1, 0, 0},     {1, 0, 0.8, 0, 1, 0, 0},
                             {1.5, 4, 0.7, 0, 1, 0, 0}, {1, 2, 0.99, 0, 1, 0, 0},
                             {1, 0, 1, 0.2, 1, 0, 0},   {1.5, 5, 0.9, 0.3, 1, 0, 0}};
    lh_context *ctx = lh_context_new();
    lh_chooser *c = lh_chooser_new(ctx, SCORES);
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        int count[SCORES] = {0};
        double p[SCORES];
        expected(&how[k], p);
        for (uint32_t i = 0; i < DRAWS; i++)
            count[lh_choose(c, score, &how[k],
                            lh_random_uniform((lh_random_place){.seed = 3, .step = i}))]++;
        for (int i = 0; i < SCORES; i++) {
            const double off = fabs(count[i] - DRAWS * p[i]),
                         sigma = sqrt(DRAWS * p[i] * (1 - p[i]));
            if (off > 4 * sigma)
                fail_msg("choice %zu: token %d came %d times, not %g", k, i, count[i],
                         DRAWS * p[i]);
        }
    }
    lh_chooser_free(c), lh_context_free(ctx);
}

/* With a hundred scores in every order, the k highest are those that sorting finds. */
static void the_highest_are_kept(void **state) {
    (void)state;
    enum { N = 100 };
    lh_context *ctx = lh_context_new();
    lh_chooser *c = lh_chooser_new(ctx, N);
    for (uint32_t round = 0; round < 200; round++) {
        float s[N];
        for (uint32_t i = 0; i < N; i++) /* few values: many are equal */
            s[i] =
                (float)(lh_random_bits((lh_random_place){.seed = 9, .step = round, .row = i}) % 20);
        const int k = 1 + (int)(round % 99);
        for (uint32_t i = 0; i < 50; i++) {
            int t = lh_choose(c, s, &(lh_choice){100, k, 1, 0, 1, 0, 0}, (double)i / 50),
                before = 0;
            for (int j = 0; j < N; j++) before += s[j] > s[t] || (j < t && s[j] == s[t]);
            assert_true(before < k);
        }
    }
    lh_chooser_free(c), lh_context_free(ctx);
}

/* ---- generating ---- */

static void the_likeliest_by_rows_and_whole(void **state) {
    (void)state;
    run r = open_run("gpt", false, 1);
    steps(&r, 10);
    lh_generator_how how = {.context = 8, .choice = {0, 0, 1, 0, 1, 0, 0}, .end = -1};
    lh_generator *w = lh_generator_new(r.g, &how), *whole = lh_generator_new(r.g, &how);
    stop_if_failed(r.m.ctx);
    lh_floats_copy(w->plan, r.t->plan, r.g), lh_floats_copy(whole->plan, r.t->plan, r.g);
    int token[40], n = 1;
    token[0] = 3;
    lh_generator_prompt(w, token, 1);
    for (; n < 30; n++) {
        token[n] = lh_generator_next(w);
        assert_true(token[n] >= 0 && token[n] < lh_tokenizer_count(r.m.tokens));
        lh_generator_prompt(whole, w->token, w->n - 1); /* all of it anew gives the same token */
        assert_int_equal(lh_generator_next(whole), token[n]);
    }
    assert_true(w->n_slides >= 4); /* 8, then from 4 to 8 again and again */
    w->how.end = token[1];
    lh_generator_prompt(w, token, 1);
    assert_int_equal(lh_generator_next(w), -1);
    lh_generator_free(w), lh_generator_free(whole);
    close_run(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_those_of_the_whole_text),
        cmocka_unit_test(many_kinds_of_tokens),
        cmocka_unit_test(a_tenth_is_held_out),
        cmocka_unit_test(lines_are_examples),
        cmocka_unit_test(bad_texts_are_refused),
        cmocka_unit_test(a_step_and_a_look_take_turns),
        cmocka_unit_test(the_first_rank_has_not_the_largest_share),
        cmocka_unit_test(resumes_to_the_same_bits),
        cmocka_unit_test(signals_change_no_bit),
        cmocka_unit_test(parts_and_bf16_follow),
        cmocka_unit_test(recomputing_changes_no_bit),
        cmocka_unit_test(parts_resume_to_the_same_bits),
        cmocka_unit_test(loads_weights_alone),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(the_loss_falls),
        cmocka_unit_test(dropout_is_for_learning),
        cmocka_unit_test(looks_go_forward_alone),
        cmocka_unit_test(set_params_are_noticed),
        cmocka_unit_test(a_lost_loss_stops),
        cmocka_unit_test(one_graph_is_enough),
        cmocka_unit_test(another_backend_trains),
        cmocka_unit_test(sizes_that_cannot_be_had),
        cmocka_unit_test(certain_choices),
        cmocka_unit_test(draws_fit),
        cmocka_unit_test(what_was_there_is_less_likely),
        cmocka_unit_test(the_highest_are_kept),
        cmocka_unit_test(the_likeliest_by_rows_and_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
