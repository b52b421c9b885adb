/* Numbers of a model, one at a time: computed from those they need alone, and from a run in float. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/embedded.h"
#include "explain/cells.h"
#include "learn/lesson.h"
#include "train/inside.h"

typedef struct model {
    lh_context *ctx;
    lh_program *program;
    lh_graph *g;
    lh_plan *exact;
    lh_node *asked; /* what is not known, with all that stands inside it */
} model;

static void stop_if_failed(const model *m, const char *name) {
    const lh_error *e = lh_context_error(m->ctx);
    if (lh_failed(m->ctx))
        fail_msg("%s:%d:%d: %s (%s)", name, e->at.line, e->at.col, e->what, e->cure);
}

static void model_open(model *m, const char *name, const char *text, size_t length,
                       const lh_build *how) {
    *m = (model){.ctx = lh_context_new()};
    m->program = lh_lesson_parse(m->ctx, name, text, length);
    stop_if_failed(m, name);
    m->g = lh_graph_build(m->ctx, m->program, how);
    stop_if_failed(m, name);
}

static void model_close(model *m) {
    lh_exact.free(m->exact);
    lh_graph_free(m->g);
    lh_program_free(m->program);
    lh_context_free(m->ctx);
}

static bool near(double a, double b, double slack, double scale) {
    if (a == b || (isnan(a) && isnan(b))) return true;
    return fabs(a - b) <= slack * fmax(scale, fmax(fabs(a), fabs(b)));
}

/* ---- single cells against the exact evaluator ---- */

static bool known_exactly(void *who, const lh_node *n, lh_cell at, double *x) {
    const model *m = who;
    const bool is_step =
        n->kind == LH_OP_given || n->kind == LH_OP_input || (n->step && !lh_step_is_inner(n->step));
    const bool is_leaf = n->kind == LH_OP_given || n->kind == LH_OP_input;
    if (!is_step || (n == m->asked && !is_leaf) || !lh_exact.has(m->exact, n)) return false;
    *x = lh_exact.get(m->exact, n, at);
    return true;
}

static lh_sizes sizes_exactly(void *who, const lh_node *n, int example) {
    return lh_exact.sizes(((const model *)who)->exact, n, example);
}

/* The corners and a few cells between: every row and column in small values. */
static int stride(int n) {
    return n < 6 ? 1 : n / 5;
}

static int compare_step(model *m, const lh_step *s) {
    const lh_node *n = s->node;
    int seen = 0;
    m->asked = s->node;
    lh_cells *c = lh_cells_new(m->g, &(lh_cells_from){.who = m,
                                                      .known = known_exactly,
                                                      .sizes = sizes_exactly,
                                                      .examples = lh_exact.examples(m->exact),
                                                      .training = 1});
    assert_non_null(c);
    for (int e = 0; e < (n->shape.is_batched ? lh_exact.examples(m->exact) : 1); e++) {
        const lh_sizes z = lh_exact.sizes(m->exact, n, e);
        for (int h = 0; h < z.heads; h++)
            for (int r = 0; r < z.rows; r += stride(z.rows))
                for (int k = 0; k < z.cols; k += stride(z.cols), seen++) {
                    const lh_cell at = {e, h, r, k};
                    const double x = lh_exact.get(m->exact, n, at), y = lh_cells_get(c, n, at);
                    if (!near(x, y, 1e-12, 1e-300))
                        fail_msg("%s{%d, %d}[%d][%d]: %.17g, and alone %.17g", s->path, e, h, r, k,
                                 x, y);
                }
    }
    lh_cells_free(c);
    return seen;
}

/* Forward, backward and updates of every lesson and every model: lines inside calls and rules, too. */
static void each_cell_alone_is_the_same(void **state) {
    (void)state;
    int programs = 0, cells = 0;
    for (const lh_embedded *f = lh_embedded_files; f < lh_embedded_files + lh_n_embedded_files;
         f++) {
        const bool is_program =
            strncmp(f->name, "lessons/ex", 10) == 0 || strncmp(f->name, "models/", 7) == 0;
        if (!is_program) continue;
        if (getenv("LH_QUICK") && strcmp(f->name, "models/gpt.lh") != 0 && programs > 3) continue;
        model m;
        model_open(&m, f->name, f->text, f->length, NULL);
        m.exact = lh_exact.plan(m.g, &(lh_wish){.all = true});
        lh_exact.run(m.exact);
        stop_if_failed(&m, f->name);
        for (int i = 0; i < m.g->n_steps; i++) {
            const lh_step *s = m.g->step[i];
            if (!s->is_dead && lh_exact.has(m.exact, s->node)) cells += compare_step(&m, s);
        }
        stop_if_failed(&m, f->name);
        model_close(&m);
        programs++;
    }
    assert_true(programs >= 4);
    assert_true(cells > 10000);
}

/* ---- a model with weights in a file, run in float ---- */

typedef struct trained {
    model m; /* its exact plan has the file's weights and the prompt */
    lh_arena *arena;
    lh_tensors *file;
    lh_inside *in;
} trained;

static const int prompt[] = {3, 14, 15, 9, 2, 6, 5};
enum { N_PROMPT = sizeof prompt / sizeof *prompt };

/* The start of the program as a file of weights, in a type: F32 is read in place, BF16 is copied. */
static void write_weights(trained *t, const char *path, lh_dtype type) {
    lh_plan *p = lh_exact.plan(t->m.g, &(lh_wish){.all = true});
    lh_exact.start(p);
    lh_weights *w = lh_weights_of(t->m.ctx, t->arena, t->m.g, LH_PARAM);
    const lh_tensor_entry *e = lh_weights_get(t->m.ctx, w, &lh_exact, p, type);
    assert_true(lh_tensors_write(t->m.ctx, path, e, w->n, NULL, 0));
    lh_exact.free(p);
}

static void run_exactly(trained *t, const lh_weights *w) {
    const int n = N_PROMPT, *rows[] = {&n, &n}, *tokens[] = {prompt, prompt};
    t->m.exact = lh_exact.plan(t->m.g, &(lh_wish){.all = true});
    lh_exact.start(t->m.exact);
    lh_weights_set(w, &lh_exact, t->m.exact);
    lh_exact.training(t->m.exact, false);
    lh_exact.feed(t->m.exact, &(lh_batch){.examples = 1, .rows = rows, .tokens = tokens});
    lh_exact.run(t->m.exact);
}

static void trained_open(trained *t, const char *path, lh_dtype type) {
    const lh_embedded *gpt = lh_embedded_find("models/gpt.lh");
    const lh_setting set[] = {{"layers", "3"}, {"heads", "2"}, {"dim", "8"}, {"drop", "0.1"}};
    assert_non_null(gpt);
    *t = (trained){0};
    model_open(&t->m, gpt->name, gpt->text, gpt->length,
               &(lh_build){.set = set, .n_set = 4, .without_examples = true});
    t->arena = lh_arena_new(t->m.ctx);
    write_weights(t, path, type);
    t->file = lh_tensors_open(t->m.ctx, path);
    stop_if_failed(&t->m, path);
    lh_weights *w = lh_weights_of(t->m.ctx, t->arena, t->m.g, LH_PARAM);
    assert_true(lh_weights_match(t->m.ctx, w, t->file));
    run_exactly(t, w);
    t->in = lh_inside_new(t->m.g, w, prompt, N_PROMPT, 2);
    stop_if_failed(&t->m, path);
}

static void trained_close(trained *t) {
    lh_inside_free(t->in);
    lh_tensors_close(t->file);
    lh_arena_free(t->arena);
    model_close(&t->m);
}

static const char *weights_path(void) {
    static char path[512];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/longhand-inside-%d.safetensors", folder ? folder : "/tmp",
             (int)getpid());
    return path;
}

/* Is it a number of the forward pass for which the tokens are enough? */
static bool is_asked_for(trained *t, const lh_step *s) {
    if (s->is_dead || s->kind == LH_STEP_GIVEN || !lh_exact.has(t->m.exact, s->node)) return false;
    const bool can = lh_inside_can(t->in, s->node);
    lh_context_clear(t->m.ctx);
    return can;
}

static void explain_cell(trained *t, const lh_step *s, lh_cell at, double scale) {
    char address[400];
    snprintf(address, sizeof address, "%s{head %d}[%d][%d]", s->path, at.head, at.row, at.col);
    lh_explanation *e = lh_inside_explain(t->in, address, &(lh_explain_how){.digits = 6});
    stop_if_failed(&t->m, address);
    const double x = lh_exact.get(t->m.exact, s->node, at);
    if (!near(e->value, x, 1e-4, scale)) fail_msg("%s: %.9g, exact %.9g", address, e->value, x);
    assert_true(e->n_lines > 0);
    if (e->line[e->n_lines - 1].value != e->value)
        fail_msg("%s: the last line says %.17g, not %.17g", address, e->line[e->n_lines - 1].value,
                 e->value);
    lh_explanation_free(e);
}

/* Every step, body line and unnamed call of the forward pass: the last row and one before it. */
static void explain_all(lh_dtype type, int least) {
    trained t;
    int steps = 0;
    trained_open(&t, weights_path(), type);
    for (int i = 0; i < t.m.g->n_steps; i++) {
        const lh_step *s = t.m.g->step[i];
        if (!is_asked_for(&t, s)) continue;
        const lh_sizes z = lh_exact.sizes(t.m.exact, s->node, 0);
        double scale = 0;
        for (int k = 0; k < z.cols; k++)
            scale = fmax(scale,
                         fmin(1e30, fabs(lh_exact.get(t.m.exact, s->node,
                                                      (lh_cell){0, z.heads - 1, z.rows - 1, k}))));
        explain_cell(&t, s, (lh_cell){0, z.heads - 1, z.rows - 1, z.cols - 1}, scale);
        explain_cell(&t, s, (lh_cell){0, 0, z.rows / 2, 0}, scale);
        steps++;
    }
    if (steps < least) fail_msg("%d steps were explained, and there are at least %d", steps, least);
    trained_close(&t);
    remove(weights_path());
}

static void every_step_of_a_model_is_explained(void **state) {
    (void)state;
    explain_all(LH_F32, 100);
}

static void weights_of_16_bits_are_explained(void **state) {
    (void)state;
    explain_all(LH_BF16, 100);
}

static void fails_with(trained *t, const char *address, const char *what) {
    assert_null(lh_inside_explain(t->in, address, &(lh_explain_how){.digits = 6}));
    if (!strstr(lh_context_error(t->m.ctx)->what, what) &&
        !strstr(lh_context_error(t->m.ctx)->cure, what))
        fail_msg("%s: %s (%s)", address, lh_context_error(t->m.ctx)->what,
                 lh_context_error(t->m.ctx)->cure);
    lh_context_clear(t->m.ctx);
}

static void what_a_prompt_cannot_answer_is_said(void **state) {
    (void)state;
    trained t;
    trained_open(&t, weights_path(), LH_F32);
    fails_with(&t, "L[0]", "depends on the input target");
    fails_with(&t, "h[1].dX[0][0]", "depends on the input target");
    fails_with(&t, "h[1].Px[0][0]", "h[1]");
    fails_with(&t, "h[1].A[7][0]", "no row 7");
    fails_with(&t, "h[1].A[0][24]", "no column 24");
    fails_with(&t, "h[1].P{head 2}[0][0]", "no head 2");
    fails_with(&t, "h[1].A[0][0]@2", "trained already");
    trained_close(&t);
    remove(weights_path());
}

/* The same file, read by a program of one layer. */
static void compare_shorter(trained *t, const float *score) {
    const lh_setting set[] = {{"layers", "1"}, {"heads", "2"}, {"dim", "8"}};
    const lh_embedded *gpt = lh_embedded_find("models/gpt.lh");
    trained one = {0};
    model_open(&one.m, gpt->name, gpt->text, gpt->length,
               &(lh_build){.set = set, .n_set = 3, .without_examples = true});
    lh_weights *w = lh_weights_of(one.m.ctx, t->arena, one.m.g, LH_PARAM);
    assert_true(lh_weights_match(one.m.ctx, w, t->file));
    run_exactly(&one, w);
    const lh_node *logits = one.m.g->generate->from;
    for (int c = 0; c < lh_exact.sizes(one.m.exact, logits, 0).cols; c++) {
        const double x = lh_exact.get(one.m.exact, logits, (lh_cell){0, 0, N_PROMPT - 1, c});
        assert_true(near(score[c], x, 1e-4, 0.1));
    }
    model_close(&one.m);
}

/* The lens of the last layer is what the model says; of an earlier one, what a model of fewer layers says. */
static void the_lens_is_a_shorter_model(void **state) {
    (void)state;
    trained t;
    trained_open(&t, weights_path(), LH_F32);
    lh_lens lens = lh_inside_lens(t.in);
    assert_int_equal(lens.n, 4);
    lh_node *node[4];
    for (int i = 0; i < 4; i++) node[i] = lens.at[i]->node;
    assert_true(lh_inside_run(t.in, node, 4));
    assert_true(lh_inside_lens_read(t.in, &lens, t.in->n - 1));
    const lh_node *logits = t.m.g->generate->from;
    for (int c = 0; c < lens.scores; c++) {
        const double x = lh_exact.get(t.m.exact, logits, (lh_cell){0, 0, N_PROMPT - 1, c});
        assert_true(near(lens.score[3 * lens.scores + c], x, 1e-4, 0.1));
    }
    compare_shorter(&t, lens.score + lens.scores);
    int n;
    lh_step **P = lh_inside_attention(t.in, &n);
    assert_int_equal(n, 3);
    assert_string_equal(P[1]->path, "h[1].H.P");
    trained_close(&t);
    remove(weights_path());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cell_alone_is_the_same),
        cmocka_unit_test(every_step_of_a_model_is_explained),
        cmocka_unit_test(weights_of_16_bits_are_explained),
        cmocka_unit_test(what_a_prompt_cannot_answer_is_said),
        cmocka_unit_test(the_lens_is_a_shorter_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
