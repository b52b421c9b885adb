/* inventory -- programs by a short description, and their numbers by address.
 *
 *     course *c = course_open("ex4 rate=1 -WQ,WK,WV");
 *     double x = course_at(c, "loss@3");                 trained for 3 steps with all examples
 *     course_close(c);
 *
 * A description: see inventory.def. Whatever goes wrong fails the test with the engine's message.
 */
#ifndef LH_TESTS_INVENTORY_H
#define LH_TESTS_INVENTORY_H

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
#include "eval/exact.h"
#include "explain/explain.h"
#include "learn/lesson.h"

typedef struct course {
    char what[512]; /* its description */
    lh_context *ctx;
    lh_arena *arena;
    lh_program *program;
    lh_graph *g;
    lh_plan *plan;
    int step; /* steps of training done */
} course;

static inline void course_check(const course *c) {
    const lh_error *e = lh_context_error(c->ctx);
    if (lh_failed(c->ctx))
        fail_msg("%s: %s:%d:%d: %s %s", c->what, e->file, e->at.line, e->at.col, e->what, e->cure);
}

static inline void course_close(course *c) {
    if (!c) return;
    lh_exact.free(c->plan);
    lh_graph_free(c->g);
    lh_program_free(c->program);
    lh_arena_free(c->arena);
    lh_context_free(c->ctx);
    free(c);
}

/* ---- descriptions ---- */

static inline char *replaced(course *c, char *text, const char *old, const char *new) {
    char *at = strstr(text, old);
    if (!at) fail_msg("%s: there is no \"%s\" in it", c->what, old);
    return lh_printf(c->arena, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

typedef struct options {
    lh_setting set[8];
    const char *train[8], *freeze[8];
    lh_build how;
} options;

static inline void option_add(options *o, char *word) {
    char *sign = strchr(word, '=');
    if (word[0] == '+') {
        o->train[o->how.n_train++] = word + 1;
    } else if (word[0] == '-') {
        for (char *name = strtok(word + 1, ","); name; name = strtok(NULL, ","))
            o->freeze[o->how.n_freeze++] = name;
    } else if (sign) {
        *sign = 0;
        o->set[o->how.n_set++] = (lh_setting){word, sign + 1};
    } else {
        fail_msg("%s is no option", word);
    }
}

/* The words behind the name; cuts the name off. */
static inline void options_read(options *o, char *words) {
    *o = (options){0};
    char *next = strchr(words, ' ');
    while (next) {
        char *word = next + 1;
        *next = 0;
        next = strchr(word, ' ');
        if (next) *next = 0;
        option_add(o, word);
        if (next) *next = ' ';
    }
    o->how.set = o->set;
    o->how.train = o->train;
    o->how.freeze = o->freeze;
}

static inline const lh_embedded *find_program(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "lessons/%s.md", name);
    const lh_embedded *e = lh_embedded_find(path);
    snprintf(path, sizeof path, "models/%s.lh", name);
    return e ? e : lh_embedded_find(path);
}

/* Parsed and built; what fails stays in c->ctx. */
static inline course *course_try(const char *what) {
    course *c = calloc(1, sizeof *c);
    snprintf(c->what, sizeof c->what, "%s", what);
    c->ctx = lh_context_new();
    c->arena = lh_arena_new(c->ctx);
    options o = {0};
    const char *file = "inline.lh", *bar = strchr(what, '|');
    char *text = lh_copy(c->arena, what, strlen(what));
    if (bar || !strchr(what, '\n')) {
        char *head = lh_copy(c->arena, what, bar ? (size_t)(bar - what) : strlen(what));
        options_read(&o, head);
        const lh_embedded *e = find_program(head);
        if (!e) fail_msg("there is no program %s", head);
        file = e->name;
        text = lh_copy(c->arena, e->text, e->length);
    }
    while (bar) {
        const char *middle = strchr(bar + 1, '|'), *end = strchr(middle + 1, '|');
        size_t n = end ? (size_t)(end - middle - 1) : strlen(middle + 1);
        text = replaced(c, text, lh_copy(c->arena, bar + 1, (size_t)(middle - bar - 1)),
                        lh_copy(c->arena, middle + 1, n));
        bar = end;
    }
    c->program = lh_lesson_parse(c->ctx, file, text, strlen(text));
    c->g = lh_graph_build(c->ctx, c->program, &o.how);
    return c;
}

static inline course *course_build(const char *what) {
    course *c = course_try(what);
    course_check(c);
    return c;
}

static inline void course_restart(course *c) {
    lh_exact.start(c->plan);
    lh_exact.bind(c->plan, NULL, 0);
    lh_exact.run(c->plan);
    c->step = 0;
    course_check(c);
}

/* Every step is computed; the numbers are those before any training. */
static inline course *course_open(const char *what) {
    course *c = course_build(what);
    c->plan = lh_exact.plan(c->g, &(lh_wish){.all = true, .updates = true});
    course_check(c);
    course_restart(c);
    return c;
}

/* ---- training ---- */

/* Numbers of the last step stay; those after it are there after course_run. */
static inline void course_train(course *c, int steps) {
    for (int i = 0; i < steps; i++) {
        lh_exact.commit(c->plan);
        lh_exact.run(c->plan);
        c->step++;
    }
    course_check(c);
}

/* An epoch of batches of n examples in their order; then all examples are run without an update. */
static inline void course_epoch(course *c, int n) {
    int batch[128];
    for (int first = 0; first < c->g->n_examples; first += n) {
        int k = 0;
        for (; k < n && first + k < c->g->n_examples; k++) batch[k] = first + k;
        lh_exact.bind(c->plan, batch, k);
        lh_exact.run(c->plan);
        lh_exact.commit(c->plan);
    }
    lh_exact.bind(c->plan, NULL, 0);
    lh_exact.run(c->plan);
    course_check(c);
}

/* ---- numbers ---- */

static inline lh_step *course_step(course *c, const char *path) {
    lh_step *s = lh_graph_find(c->g, path);
    course_check(c);
    return s;
}

static inline double cell_of(const course *c, const lh_node *n, int example, int row, int col) {
    return lh_exact.get(c->plan, n, (lh_cell){example, 0, row, col});
}

/* Where an address points, with the program trained as far as it says. */
static inline const lh_node *course_find(course *c, const char *address, lh_address *a,
                                         lh_cell *at) {
    lh_address_parse(c->ctx, address, a);
    course_check(c);
    const lh_step *s = lh_address_find(c->g, a);
    course_check(c);
    if (a->step < c->step) course_restart(c);
    course_train(c, a->step - c->step);
    lh_address_cell(c->g, c->plan, a, s->node, at);
    course_check(c);
    return s->node;
}

static inline double course_at(course *c, const char *address) {
    lh_address a;
    lh_cell at;
    const lh_node *n = course_find(c, address, &a, &at);
    return lh_exact.get(c->plan, n, at);
}

/* ---- comparing ---- */

static inline bool is_close(double got, double want) {
    if (want == 0) return fabs(got) <= 1e-15;
    return got == want || fabs(got - want) <= 1e-10 * fabs(want);
}

/* "0.5", "[1 2]", "[1 2; 3 4]": numbers by rows; returns how many rows. */
static inline int read_matrix(const char *text, double *cell, int *cols) {
    int rows = 0, n = 0;
    for (const char *s = text + (*text == '['); *s && *s != ']';) {
        char *end;
        cell[n++] = strtod(s, &end);
        if (end == s) fail_msg("%s is no matrix", text);
        for (s = end; *s == ' '; s++) continue;
        if (*s == ';' || *s == ']' || !*s) rows++;
        if (*s == ';') s++;
    }
    *cols = n / rows;
    if (*cols * rows != n) fail_msg("%s has rows of different lengths", text);
    return rows;
}

/* The whole value, a row of it or one cell: as much as `want` has. */
static inline void course_expect(course *c, const char *address, const char *want) {
    static double cell[4096];
    int cols, rows = read_matrix(want, cell, &cols);
    lh_address a;
    lh_cell at;
    const lh_node *n = course_find(c, address, &a, &at);
    lh_sizes s = lh_exact.sizes(c->plan, n, at.example);
    bool is_row = a.n_indices == 1 && s.rows > 1 && s.cols > 1, is_whole = a.n_indices == 0;
    if (rows != (is_whole ? s.rows : 1) || cols != (is_whole || is_row ? s.cols : 1))
        fail_msg("%s: %s is %dx%d, and %dx%d numbers are wanted", c->what, address, s.rows, s.cols,
                 rows, cols);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < cols; k++) {
            lh_cell here = {at.example, at.head, at.row + r, at.col + k};
            double got = lh_exact.get(c->plan, n, here), wanted = cell[r * cols + k];
            if (!is_close(got, wanted))
                fail_msg("%s: %s, row %d, column %d is %.17g, and %.17g is right", c->what, address,
                         here.row, here.col, got, wanted);
        }
}

#define EACH_CELL(c, n, example, r, k)                                                             \
    for (int r = 0; r < lh_exact.sizes((c)->plan, n, example).rows; r++)                           \
        for (int k = 0; k < lh_exact.sizes((c)->plan, n, example).cols; k++)

/* ---- gradients against differences ---- */

/* With h at each cell of every param up and down: the largest difference from the gradient, summed over examples. */
static inline double course_differences(course *c, const lh_evaluator *with, double h) {
    lh_graph *g = c->g;
    lh_node *loss[] = {g->loss};
    lh_plan *plan = with->plan(g, &(lh_wish){.all = true}),
            *up = with->plan(g, &(lh_wish){.node = loss, .n_nodes = 1}),
            *down = with->plan(g, &(lh_wish){.node = loss, .n_nodes = 1});
    lh_plan *each[] = {plan, up, down};
    for (int i = 0; i < 3; i++) with->start(each[i]), with->bind(each[i], NULL, 0);
    with->run(plan);
    course_check(c);
    double worst = 0;
    int examples = g->loss->shape.is_batched ? with->examples(plan) : 1;
    for (int i = 0; i < g->n_givens; i++) {
        const lh_node *n = g->given[i]->node;
        if (!g->given[i]->gradient) continue;
        lh_sizes s = with->sizes(plan, n, 0);
        for (int k = 0; k < s.rows * s.cols; k++) {
            lh_cell at = {0, 0, k / s.cols, k % s.cols};
            with->add(up, n, at, h);
            with->add(down, n, at, -h);
            with->run(up), with->run(down);
            for (int e = 0; e < examples; e++) {
                double slope = with->difference(up, g->loss, (lh_cell){e, 0, 0, 0}, down) / (2 * h);
                at.example = e;
                double d = with->get(plan, g->given[i]->gradient->node, at);
                if (!(fabs(slope - d) <= worst)) worst = fabs(slope - d);
            }
            at.example = 0;
            with->add(up, n, at, -h);
            with->add(down, n, at, h);
        }
    }
    for (int i = 0; i < 3; i++) with->free(each[i]);
    course_check(c);
    return worst;
}

enum { MAX_TEXT = 4096 };

static inline void assert_part(const char *text, const char *part) {
    if (!strstr(text, part)) fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static inline void assert_near(double got, double want, double slack) {
    if (!(fabs(got - want) <= slack)) fail_msg("%.17g is not within %g of %.17g", got, slack, want);
}

/* ---- sets of programs, copies of values ---- */

static const char *const learners[] = {"ex2", "ex3", "ex4", "ex5", "ex6", "ex6-pre", "ex6-wide"};
enum { N_LEARNERS = sizeof learners / sizeof *learners };

typedef struct copy {
    double cell[256];
    int n;
} copy;

static inline copy copy_of(course *c, const char *path) {
    const lh_node *n = course_step(c, path)->node;
    copy x = {.n = 0};
    EACH_CELL(c, n, 0, r, k) x.cell[x.n++] = cell_of(c, n, 0, r, k);
    return x;
}

static inline bool same_bits(const copy *a, const copy *b) {
    return a->n == b->n && memcmp(a->cell, b->cell, (size_t)a->n * sizeof *a->cell) == 0;
}

static inline void assert_same_bits(course *a, const char *path, course *b, const char *other) {
    copy x = copy_of(a, path), y = copy_of(b, other);
    if (!same_bits(&x, &y)) fail_msg("%s: %s is not %s of %s", a->what, path, other, b->what);
}

static inline double params(const char *what) {
    course *c = course_build(what);
    double sum = 0;
    for (int i = 0; i < c->g->n_givens; i++) {
        const lh_given *given = c->g->given[i];
        lh_shape s = given->node->shape;
        if (given->kind == LH_PARAM)
            sum += (double)c->g->axis[s.rows].n * (double)c->g->axis[s.cols].n;
    }
    course_close(c);
    return sum;
}

static inline void assert_explained(course *c, const char *address, const char *formula,
                                    const char *numbers) {
    lh_explanation *e = lh_explain(c->g, address, NULL);
    course_check(c);
    assert_string_equal(e->line[e->n_lines - 1].formula, formula);
    assert_string_equal(e->line[e->n_lines - 1].numbers, numbers);
    lh_explanation_free(e);
}

static inline void assert_formula(course *c, const char *path, const char *formula) {
    assert_string_equal(lh_step_formula(c->g, course_step(c, path)), formula);
}

static inline void assert_refused(const char *what, const char *const *parts) {
    course *c = course_try(what);
    assert_true(lh_failed(c->ctx));
    const lh_error *e = lh_context_error(c->ctx);
    for (char text[1024]; *parts; parts++) {
        snprintf(text, sizeof text, "%s; %s", e->what, e->cure);
        assert_part(text, *parts);
    }
    course_close(c);
}

static inline void assert_differences(const char *what) {
    course *c = course_build(what);
    double worst = course_differences(c, &lh_exact, 1e-5);
    if (!(worst < 1e-9)) fail_msg("%s: a gradient is off by %g", what, worst);
    course_close(c);
}

/* Every guess is the target's. */
static inline bool is_learned(course *c) {
    const lh_node *guess = course_step(c, "guess")->node, *target = course_step(c, "target")->node;
    for (int e = 0; e < c->g->n_examples; e++)
        if (cell_of(c, guess, e, 0, 0) != cell_of(c, target, e, 0, 0)) return false;
    return true;
}

/* The first epoch after which all is right; -1 when it is not in `most`. */
static inline int first_right(const char *what, int batch, int most) {
    course *c = course_open(what);
    int epoch = 0;
    for (; epoch <= most && !is_learned(c); epoch++)
        if (batch)
            course_epoch(c, batch);
        else
            course_train(c, 1);
    course_close(c);
    return epoch <= most ? epoch : -1;
}

/* What the program `longhand` prints; "" where it is not at hand. */
static const char *printed(const char *arguments, int *status) {
    static char text[1 << 16];
    char command[1024];
    const char *root = getenv("LH_BUILD_ROOT");
    snprintf(command, sizeof command, "'%s/longhand' %s 2>&1", root ? root : ".", arguments);
    FILE *f = popen(command, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    int ended = f ? pclose(f) : -1;
    if (status) *status = ended < 0 ? -1 : (ended >> 8) & 255;
    return text;
}

#endif
