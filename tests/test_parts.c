/* A batch in parts is the batch: gradients, loss and updates for every size of the parts, ragged examples, dropout, clipping. */
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
#include "base/random.h"
#include "learn/lesson.h"
#include "train/floats.h"
#include "train/batch_parts.h"

enum { EXAMPLES = 7, LONGEST = 12, INPUTS = 3 };

/* Texts of programs that a model of the course does not show. */
static const char *const own[] = {
    /* each example its own loss and gradients; := averages */
    "vocab 9\ninput tokens : vocab*\ninput target : vocab*\nparam E : vocab x 4 = normal(1)\nparam "
    "W : 4 x vocab = normal(1)\n"
    "L = mean(crossentropy(E[tokens] @ W, target))\nbackward L\nE := E - 0.1 * average(dE)\nW := W "
    "- 0.1 * total(dW) / 7\n",
    /* examples look at what the whole batch comes to: the seams lie behind each other */
    "vocab 9\ninput tokens : vocab*\ninput target : vocab*\nparam E : vocab x 4 = normal(1)\nparam "
    "W : 4 x vocab = normal(1)\n"
    "X = E[tokens]\nc = average(mean(X))\nw = total(sum((X - c) * (X - c)))\nY = (X - c) / "
    "sqrt(w)\n"
    "loss = average(mean(crossentropy(Y @ W, target)))\nbackward loss\nclip = min(1, 0.1 / "
    "norm(gradients))\n"
    "each V in params\nV := momentum(V, clip * dV, 0.1)\nend\n",
};

typedef struct batch {
    int rows[INPUTS][EXAMPLES], token[INPUTS][EXAMPLES * LONGEST];
    const int *all_rows[INPUTS], *all_tokens[INPUTS];
    lh_batch batch;
} batch;

/* Examples of 1 to LONGEST rows. A source is as long as it likes, all other inputs are equally long. */
static void make_batch(const lh_graph *g, batch *b) {
    *b = (batch){.batch = {.examples = EXAMPLES, .first = 21}};
    for (uint32_t i = 0; i < (uint32_t)g->n_inputs; i++) {
        const bool is_source = strcmp(g->input[i]->name, "source") == 0;
        int n = 0;
        for (uint32_t e = 0; e < EXAMPLES; e++) {
            const lh_random_place of = {.seed = 3, .example = e, .place = is_source};
            b->rows[i][e] = 1 + (int)(lh_random_bits(of) % LONGEST);
            for (int r = 0; r < b->rows[i][e]; r++) {
                const lh_random_place at = {
                    .seed = 4, .example = e, .place = i, .row = (uint32_t)r};
                b->token[i][n++] =
                    (int)(lh_random_bits(at) % (uint64_t)g->input[i]->vocab->n_words);
            }
        }
        b->all_rows[i] = b->rows[i], b->all_tokens[i] = b->token[i];
    }
    b->batch.rows = b->all_rows, b->batch.tokens = b->all_tokens;
}

typedef struct made {
    lh_context *ctx;
    lh_program *program;
    lh_graph *g;
    batch batch;
} made;

static void stop_if_failed(const made *m) {
    if (lh_failed(m->ctx)) fail_msg("%s", lh_context_error(m->ctx)->what);
}

/* The batch points into itself: it is made where it stays. */
static void make(made *m, const char *model, const char *text, const lh_setting *set, int n_set) {
    *m = (made){.ctx = lh_context_new()};
    char name[64];
    snprintf(name, sizeof name, "models/%s.lh", model ? model : "none");
    const lh_embedded *f = model ? lh_embedded_find(name) : NULL;
    assert_true(f || text);
    m->program = f ? lh_lesson_parse(m->ctx, name, f->text, f->length)
                   : lh_program_parse(m->ctx, "test.lh", text ? text : "", text ? strlen(text) : 0);
    stop_if_failed(m);
    m->g = lh_graph_build(m->ctx, m->program,
                          &(lh_build){.set = set, .n_set = n_set, .without_examples = true});
    stop_if_failed(m);
    make_batch(m->g, &m->batch);
}

static void unmake(made *m) {
    lh_graph_free(m->g);
    lh_program_free(m->program);
    lh_context_free(m->ctx);
}

/* How far apart, in norm. */
static double apart(const lh_plan *p, const lh_plan *q, const lh_node *n) {
    const lh_sizes s = lh_fast.sizes(p, n, 0);
    double off = 0, length = 0;
    for (int r = 0; r < s.rows; r++)
        for (int c = 0; c < s.cols; c++) {
            const lh_cell at = {0, 0, r, c};
            const double x = lh_fast.get(p, n, at), y = lh_fast.get(q, n, at);
            off += (x - y) * (x - y);
            length += y * y;
        }
    return sqrt(off) / (sqrt(length) + 1e-12);
}

static double mean_loss(const lh_plan *p, const lh_node *loss) {
    const int n = loss->shape.is_batched ? lh_fast.examples(p) : 1;
    double sum = 0;
    for (int e = 0; e < n; e++) sum += lh_fast.get(p, loss, (lh_cell){e, 0, 0, 0});
    return sum / n;
}

/* All at once, with what parts add up left where it can be seen. */
static lh_plan *whole_plan(const made *m, const lh_parts *parts) {
    lh_node *wanted[512];
    int n = 0;
    wanted[n++] = m->g->loss;
    for (int i = 0; i < parts->n_sums; i++) wanted[n++] = parts->sum[i];
    assert_true(n < 512);
    lh_plan *p = lh_fast.plan(m->g, &(lh_wish){.updates = true,
                                               .node = wanted,
                                               .n_nodes = n,
                                               .own = &(lh_fast_wish){.threads = 2}});
    stop_if_failed(m);
    lh_fast.start(p);
    return p;
}

static void compare(const made *m, const char *model, const lh_parts *parts, const lh_plan *whole) {
    const double loss = mean_loss(whole, m->g->loss), ours = lh_parts_loss(parts);
    if (!(fabs(loss - ours) <= 1e-5 * fabs(loss)))
        fail_msg("%s, %d at a time: the loss is %.9g and not %.9g", model, parts->how.most, ours,
                 loss);
    for (int i = 0; i < parts->n_sums; i++) {
        const double off = apart(parts->whole, whole, parts->sum[i]);
        const lh_step *s = parts->sum[i]->step;
        if (!(off < 2e-5))
            fail_msg("%s, %d at a time: %s is off by %g", model, parts->how.most,
                     s ? s->path : "a seam", off);
    }
}

/* Two steps: states and what they make of params, too. */
static void compare_steps(const made *m, const char *model, int at_a_time) {
    lh_parts *parts = lh_parts_new(m->g, &(lh_parts_how){.most = at_a_time, .threads = 2});
    stop_if_failed(m);
    assert_true(parts->n_sums > 0);
    lh_plan *whole = whole_plan(m, parts);
    lh_fast.start(parts->whole);
    lh_parts_borrow(parts);
    for (int step = 0; step < 2; step++) {
        lh_fast.feed(whole, &m->batch.batch), lh_fast.run(whole);
        lh_parts_run(parts, &m->batch.batch, step);
        stop_if_failed(m);
        compare(m, model, parts, whole);
        lh_fast.commit(whole), lh_fast.commit(parts->whole);
    }
    for (int i = 0; i < m->g->n_givens; i++) {
        const lh_node *n = m->g->given[i]->node;
        if (lh_fast.has(whole, n) && lh_fast.has(parts->whole, n) && n->given->renewed)
            assert_true(apart(parts->whole, whole, n) < 1e-3); /* adam makes much of small ones */
    }
    lh_fast.free(whole);
    lh_parts_free(parts);
}

static void every_size_is_the_whole_batch(void **state) {
    (void)state;
    const lh_setting drop[] = {{"drop", "0.3"}, {"dim", "16"}, {"heads", "2"}};
    const char *model[] = {"gpt", "micro", "adder", "classic", NULL, NULL};
    const char *text[] = {NULL, NULL, NULL, NULL, own[0], own[1]};
    for (int k = 0; k < 6; k++) {
        const bool has_drop = k == 0 || k == 3;
        made m;
        make(&m, model[k], text[k], drop, has_drop ? 3 : 0);
        for (int n = 1; n <= EXAMPLES + 1; n++) compare_steps(&m, model[k] ? model[k] : "own", n);
        unmake(&m);
    }
}

/* What no example looks at is added up; what they look at is known before. */
static void seams_are_found(void **state) {
    (void)state;
    const int first[] = {0, 1, 0, -1};
    const char *model[] = {"gpt", "micro", NULL, NULL}, *text[] = {NULL, NULL, own[0], own[1]};
    for (int k = 0; k < 4; k++) {
        made m;
        make(&m, model[k], text[k], NULL, 0);
        lh_parts *p = lh_parts_new(m.g, &(lh_parts_how){.most = 2});
        stop_if_failed(&m);
        if (first[k] >= 0) assert_int_equal(p->n_first, first[k]);
        if (first[k] < 0) assert_true(p->n_first > 1);
        assert_int_equal(p->before != NULL, p->n_first > 0);
        lh_parts_free(p);
        unmake(&m);
    }
}

static void less_memory_is_taken(void **state) {
    (void)state;
    made m;
    make(&m, "gpt", NULL, NULL, 0);
    double bytes[2];
    for (int k = 0; k < 2; k++) {
        lh_parts *p = lh_parts_new(m.g, &(lh_parts_how){.most = k ? EXAMPLES : 1, .threads = 1});
        stop_if_failed(&m);
        lh_fast.start(p->whole);
        lh_parts_borrow(p);
        lh_parts_run(p, &m.batch.batch, 0);
        bytes[k] = lh_floats_memory(p->part);
        assert_true(lh_parts_memory(p) > bytes[k]);
        lh_parts_free(p);
    }
    assert_true(bytes[0] < 0.6 * bytes[1]);
    unmake(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_the_whole_batch),
        cmocka_unit_test(seams_are_found),
        cmocka_unit_test(less_memory_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
