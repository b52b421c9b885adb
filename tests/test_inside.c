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

#include "base/embedded.h"
#include "eval/kernel.h"
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cell_alone_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
