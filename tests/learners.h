/* learners -- lessons in some numbers, and simulated learners who work their sheets out: what test_mark.c marks. */
#ifndef LH_TESTS_LEARNERS_H
#define LH_TESTS_LEARNERS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/embedded.h"
#include "base/random.h"
#include "explain/trace.h"
#include "learn/lesson.h"
#include "learn/mark.h"
#include "learn/reach.h"
#include "learn/variant.h"

/* ---- chance ---- */

static lh_random_place chance_at;

static double chance(void) {
    chance_at.col++;
    return lh_random_uniform(chance_at);
}

static int below(int n) {
    return (int)(chance() * n);
}

static int number_from(const char *name, int standard) {
    const char *s = getenv(name);
    return s && *s ? atoi(s) : standard;
}

/* ---- a lesson in some numbers, with everything that marking needs ---- */

typedef struct desk {
    lh_context *ctx;
    lh_program *lesson, *program;
    lh_graph *g;
    lh_mistakes *mistakes;
    lh_sheet *sheet;
    lh_sheet *desk; /* every step, and every line inside one */
    lh_reach *pen;  /* the learner's calculator: the right steps, from the learner's numbers */
    lh_arena *arena;
} desk;

static void desk_free(desk *d) {
    lh_reach_free(d->pen);
    lh_sheet_free(d->desk);
    lh_sheet_free(d->sheet);
    lh_mistakes_free(d->mistakes);
    lh_graph_free(d->g);
    if (d->program != d->lesson) lh_program_free(d->program);
    lh_program_free(d->lesson);
    lh_arena_free(d->arena);
    lh_context_free(d->ctx);
}

static void must(desk *d, bool ok, const char *what) {
    if (ok && !lh_failed(d->ctx)) return;
    print_error("%s: %s (%s)\n", what, d->ctx->error.what, d->ctx->error.cure);
    fail();
}

/* Programs that lead to the edge of what numbers say. */
static const struct {
    const char *name, *text;
} edges[] = {
    {"saturated", /* scores of 30 to 1000, one of them tied */
     "const Z = [1000 970 965; 30 0 -30; 500 500 12; 35 36 37]\nconst V = [1 2; 3 -4; 0.5 6]\n"
     "P = softmax(Z)\nH = P @ V\nQ = softmax(H)\nR = Q @ [1 2; 3 4]\n"},
    {"kink", /* before ReLU: exactly 0, and what rounds to 0 from either side */
     "param W = [0.5 -0.25 0.00001; 0.25 0.5 -0.00002]\nconst X = [1 2; -0.5 1; 2 1]\n"
     "param V = [1 0.5; -1 0.25; 100 200]\nN = X @ W\nR = relu(N)\nY = R @ V\n"
     "L = sum(Y)\nbackward L\nW := W - 0.1 * dW\nV := V - 0.1 * dV\n"},
    {"narrow", /* a layer norm of width 2: 1 and -1, but for near ties */
     "param g = [1 1]\nparam b = [0 0]\nparam W = [0.2 0.1; 0.1 0.2]\n"
     "const X = [1 0; 0.3 0.34; -2 2; 0.5 0.6]\nN = layernorm(X, g, b)\nF = N @ W\n"
     "Y = layernorm(F + N, g, b)\nL = sum(Y * [1 2])\nbackward L\nW := W - 0.1 * dW\n"},
};
enum { N_EDGES = sizeof edges / sizeof *edges };

static lh_program *program_named(lh_context *ctx, const char *name) {
    for (int i = 0; i < N_EDGES; i++)
        if (strcmp(edges[i].name, name) == 0)
            return lh_program_parse(ctx, name, edges[i].text, strlen(edges[i].text));
    char path[64];
    snprintf(path, sizeof path, "lessons/%s.md", name);
    const lh_embedded *e = lh_embedded_find(path);
    assert_non_null(e);
    return lh_lesson_parse(ctx, e->name, e->text, e->length);
}

/* A sheet that asks for every step and for every line inside one. */
static lh_sheet *sheet_of_all(desk *d, int digits) {
    const char **names = NULL;
    int n = 0;
    lh_trace *t = lh_trace_new(d->g, &(lh_trace_how){NULL, true});
    for (int i = 0; i < t->n_items; i++) {
        if (t->item[i].section == LH_SECTION_GIVEN) continue;
        for (int k = 0; k <= t->item[i].n_inner; k++) {
            const lh_step *s = k < t->item[i].n_inner ? t->item[i].inner[k] : t->item[i].step;
            if (k == t->item[i].n_inner || (!s->node->is_known && s->node->kind != LH_OP_number &&
                                            s->node->kind != LH_OP_given))
                *lh_push(d->arena, names, n) = s->path;
        }
    }
    lh_trace_free(t);
    return lh_sheet_new(d->g, &(lh_sheet_how){.digits = digits, .steps = names, .n_steps = n});
}

static desk desk_new(const char *name, unsigned long long seed, int digits) {
    desk d = {.ctx = lh_context_new()};
    d.arena = lh_arena_new(d.ctx);
    d.lesson = program_named(d.ctx, name);
    must(&d, d.lesson != NULL, name);
    d.mistakes = lh_mistakes_load(d.ctx, d.lesson);
    d.program = seed
                    ? lh_variant_program(
                          d.ctx, d.lesson,
                          &(lh_variant_how){.seed = seed, .digits = digits, .mistakes = d.mistakes})
                    : d.lesson;
    must(&d, d.program != NULL, name);
    d.g = lh_graph_build(d.ctx, d.program, NULL);
    d.sheet = d.g ? lh_sheet_new(d.g, &(lh_sheet_how){.digits = digits}) : NULL;
    d.desk = d.sheet ? sheet_of_all(&d, digits) : NULL;
    d.pen = d.desk ? lh_reach_new(d.desk) : NULL;
    must(&d, d.pen != NULL, name);
    return d;
}

/* Another choice of asked steps on the same desk. */
static void ask_some(desk *d, int digits, double share) {
    const char *names[512];
    int n = 0;
    const lh_sheet *from = chance() < 0.5 ? d->desk : d->sheet;
    for (int i = 0; i < from->n_asks && n < 512; i++)
        if (chance() < share && from->ask[i].decimals <= 9) names[n++] = from->ask[i].step->path;
    if (n == 0) return;
    lh_sheet *before = d->sheet;
    d->sheet = lh_sheet_new(d->g, &(lh_sheet_how){.digits = digits, .steps = names, .n_steps = n});
    lh_sheet_free(before);
    must(d, d->sheet != NULL, "some steps");
}

static lh_written as_written(double x, int decimals) {
    char text[64];
    snprintf(text, sizeof text, "%.*f", decimals, x);
    return lh_written_read(text, strlen(text));
}

static int ask_of(const lh_sheet *s, const lh_step *step) {
    for (int i = 0; i < s->n_asks; i++)
        if (s->ask[i].step == step) return i;
    return -1;
}

/* ---- learners ---- */

typedef enum carry { ROUNDED, UNROUNDED, MIXED } carry;

typedef struct learner {
    carry carry;
    bool cuts_off;            /* instead of rounding */
    bool rounds_inside;       /* lines inside a step, too */
    double blank;             /* share of asked steps left out */
    int slip_unit, slip_cell; /* where a wrong number is written, or -1 */
    double slip_value;
} learner;

static double rounded(double x, int decimals, bool cut) {
    double unit = pow(10, -decimals);
    if (isinf(x)) return x;
    return cut ? trunc(x / unit + (x > 0 ? 1e-9 : -1e-9)) * unit
               : (double)as_written(x, decimals).value;
}

/* Works the whole sheet, step by step, from the learner's own numbers. False: they lead nowhere. */
static bool work(desk *d, const learner *who, lh_answers *out) {
    lh_reach_box *box = calloc(100000, sizeof *box);
    bool ok = true;
    for (int i = 0; i < lh_reach_count(d->pen) && ok; i++) {
        lh_unit *u = lh_reach_unit(d->pen, i);
        int ask = ask_of(d->sheet, u->step),
            decimals = ask >= 0 ? d->sheet->ask[ask].decimals : u->decimals;
        bool is_blank = chance() < who->blank;
        ok = lh_reach_of(d->pen, 0, i, NULL, box);
        for (int c = 0; c < u->n_cells && ok; c++) {
            double x = box[c].at, r = rounded(x, decimals, who->cuts_off);
            bool slips = i == who->slip_unit && c == who->slip_cell;
            if (slips) r = x = who->slip_value;
            if (isnan(x))
                ok = false; /* the root of a negative number: nobody can go on from here */
            if (ask >= 0 && (!is_blank || slips))
                out->cell[d->sheet->ask[ask].first + c] = as_written(r, decimals);
            bool goes_on_rounded = who->carry == ROUNDED || (who->carry == MIXED && chance() < 0.5);
            if (ask < 0 && lh_step_is_inner(u->step) && !who->rounds_inside)
                goes_on_rounded = slips;
            double next = goes_on_rounded ? r : x;
            u->box[c] = lh_box_at(next);
        }
    }
    free(box);
    return ok;
}

/* Those in front have numbers that show mistakes; a norm of width 2 hides too many. Behind those that are drawn in other
 * numbers stand the programs above, and then every other lesson that has a sheet. */
enum { N_SHOWING = 7, N_DRAWN = 12, MOST_LESSONS = 80, MOST_CELLS = 2000 };
static const char *lessons[MOST_LESSONS] = {"ex1",        "ex2",       "ex3",         "ex4",
                                            "ex5",        "ex6-wide",  "ex6-pre",     "ex6",
                                            "ex6-causal", "ex6-three", "ex2-partial", "ex5-plain"};
static int n_lessons = N_DRAWN;

static bool is_listed(const char *name) {
    for (int i = 0; i < n_lessons; i++)
        if (strcmp(lessons[i], name) == 0) return true;
    return false;
}

/* Somebody with a pen works them out: not the whole of a translator. */
static bool is_small(const char *name) {
    desk d = desk_new(name, 0, 4);
    bool is = d.desk->n_cells <= MOST_CELLS;
    desk_free(&d);
    return is;
}

static int list_lessons(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    for (int i = 0; i < N_EDGES; i++) lessons[n_lessons++] = edges[i].name;
    for (int i = 0; i < lh_n_embedded_files && n_lessons < MOST_LESSONS; i++) {
        const lh_embedded *e = &lh_embedded_files[i];
        size_t n = strlen(e->name);
        if (strncmp(e->name, "lessons/", 8) != 0 || strcmp(e->name + n - 3, ".md") != 0) continue;
        lh_lesson *l = lh_lesson_open(ctx, e->name, e->text, e->length, NULL);
        char *name = l && l->sheet.n_steps ? strndup(e->name + 8, n - 11) : NULL;
        lh_lesson_free(l);
        if (name && !is_listed(name) && is_small(name))
            lessons[n_lessons++] = name;
        else
            free(name);
    }
    print_message("# %d lessons and programs\n", n_lessons);
    bool ok = !lh_failed(ctx) && n_lessons > N_DRAWN + N_EDGES + 20;
    lh_context_free(ctx);
    return ok ? 0 : -1;
}

static int forget_lessons(void **state) {
    (void)state;
    for (int i = N_DRAWN + N_EDGES; i < n_lessons; i++) free((char *)lessons[i]);
    return 0;
}

static bool is_fixed(int lesson) {
    return lesson >= N_DRAWN;
}

/* Small lessons in several numbers, Example 6 in one: it has as many steps as all of them. */
static unsigned long long seeds_for(int lesson) {
    return is_fixed(lesson) ? 0 : lesson < 5 ? 3 : 1;
}

static lh_marks *marks_of(desk *d, const lh_answers *a, bool with_mistakes) {
    lh_marks *m = lh_mark(d->arena, d->sheet, a, with_mistakes ? d->mistakes : NULL);
    must(d, m != NULL, "marking");
    return m;
}

static void print_cell(const desk *d, const lh_answers *a, const lh_marks *m, int ask, int c) {
    const lh_ask *q = &d->sheet->ask[ask];
    int k = q->first + c;
    print_message("#   %s cell %d: written %.10g (unit %g), exact %.10g, own %.10g: %s\n",
                  q->step->path, c, a->cell[k].value, a->cell[k].unit,
                  lh_sheet_exact(d->sheet, ask, c), m->own[k], lh_verdict_names[m->cell[k]]);
}

/* ---- could an honest one write this? ---- */

/* How somebody carries a number on: unrounded, as it was written or would have been, or with more digits than were asked. */
enum { UNROUNDED_ON, AS_ASKED, N_KEEPS = AS_ASKED + 4, CHOICES = 8192 };

typedef struct way {
    char keep[CHOICES]; /* for each cell before: one of N_KEEPS */
    int used;           /* cells that there are */
    bool cuts_off;
    double off; /* how far from the number looked for it leads */
} way;

/* Where this way leads, for somebody who writes the numbers of these answers up to a cell. NaN: nowhere. */
static double carried_on(desk *d, const lh_answers *a, int unit, int cell, way *w) {
    static lh_reach_box box[4096];
    int at = 0;
    for (int i = 0; i <= unit; i++) {
        lh_unit *u = lh_reach_unit(d->pen, i);
        int ask = ask_of(d->sheet, u->step);
        if (u->n_cells > 4096 || !lh_reach_of(d->pen, 0, i, NULL, box)) return NAN;
        for (int c = 0; c < u->n_cells && i < unit; c++) {
            const int keep = w->keep[at++ % CHOICES],
                      decimals = ask >= 0 ? d->sheet->ask[ask].decimals : u->decimals;
            double x = box[c].at;
            if (ask >= 0) {
                lh_written n = a->cell[d->sheet->ask[ask].first + c];
                if (keep == AS_ASKED || fabs(x - n.value) > n.unit) x = n.value;
            }
            if (keep > AS_ASKED || (keep == AS_ASKED && ask < 0))
                x = rounded(x, decimals + keep - AS_ASKED, w->cuts_off);
            u->box[c] = lh_box_at(x);
        }
    }
    w->used = at < CHOICES ? at : CHOICES;
    return box[cell].at;
}

static double off_by(desk *d, const lh_answers *a, int unit, int cell, double x, way *w) {
    const double y = carried_on(d, a, unit, cell, w);
    return w->off = isnan(y) ? INFINITY : fabs(y - x);
}

/* Could somebody who writes the same numbers up to here write x in this cell without a slip? Looked for from several
 * beginnings: one choice after the other, as long as that leads nearer, then a few at a time. */
static bool is_honest(desk *d, const lh_answers *a, int unit, int cell, double x, double width,
                      double *nearest) {
    enum { BEGINNINGS = 16, PASSES = 3, JUMPS = 6000 };
    static way w, next;
    static int matters[CHOICES];
    int n = 0;
    *nearest = INFINITY;
    for (int b = 0; b<BEGINNINGS && * nearest> width; b++) {
        for (int k = 0; k < CHOICES; k++)
            w.keep[k] = (char)(b % 4 == 0   ? UNROUNDED_ON
                               : b % 4 == 1 ? AS_ASKED
                               : b % 4 == 2 ? below(2)
                                            : below(N_KEEPS));
        w.cuts_off = b >= BEGINNINGS / 2;
        off_by(d, a, unit, cell, x, &w);
        for (int k = 0; b == 0 && k < w.used; k++) matters[n++] = k;
        for (int pass = 0; pass < PASSES && w.off > width; pass++) {
            int kept = 0;
            const double begun = w.off;
            for (int m = 0; m < n && w.off > width; m++) {
                bool any = false;
                for (int keep = 0; keep < N_KEEPS && w.off > width; keep++) {
                    next = w;
                    next.keep[matters[m]] = (char)keep;
                    any |= off_by(d, a, unit, cell, x, &next) != w.off;
                    if (next.off < w.off) w = next;
                }
                if (any || b > 0) matters[kept++] = matters[m];
            }
            if (w.off > width) n = kept;
            if (w.off == begun) break;
        }
        for (int jump = 0; jump < JUMPS && w.off > width && n > 0; jump++) {
            next = w;
            for (int k = 0; k < 2 + jump % 3; k++)
                next.keep[matters[below(n)]] = (char)below(N_KEEPS);
            if (off_by(d, a, unit, cell, x, &next) < w.off) w = next;
        }
        *nearest = fmin(*nearest, w.off);
    }
    return *nearest <= width;
}

#endif
