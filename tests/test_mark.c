/* Marking, by properties: learners are simulated, and what the marks say of them is compared with what they did.
 *
 * LH_SEED sets the first seed, LH_SHEETS how many honest sheets are marked (10,000 before a release), LH_LESSON of which
 * lesson alone, LH_ONLY which tests are run.
 */
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
                *(const char **)lh_push(d->arena, (void **)&names, &n, sizeof *names) = s->path;
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
    d.program =
        seed ? lh_variant_program(d.ctx, d.lesson, &(lh_variant_how){seed, digits, d.mistakes})
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
    lh_box *box = calloc(100000, sizeof *box);
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
            if (ask >= 0 && (!is_blank || slips))
                out->cell[d->sheet->ask[ask].first + c] = as_written(r, decimals);
            bool goes_on_rounded = who->carry == ROUNDED || (who->carry == MIXED && chance() < 0.5);
            if (ask < 0 && lh_step_is_inner(u->step) && !who->rounds_inside)
                goes_on_rounded = slips;
            double next = goes_on_rounded ? r : x;
            u->box[c] = (lh_box){next, next, next};
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

/* ---- the properties ---- */

static void key_is_all_right(void **state) {
    (void)state;
    for (int l = 0; l < n_lessons; l++)
        for (int digits = 3; digits <= 4; digits++)
            for (unsigned long long seed = 0; seed < (is_fixed(l) ? 1 : 2); seed++) {
                desk d = desk_new(lessons[l], seed, digits);
                lh_answers *a = lh_answers_new(d.arena, d.sheet);
                for (int i = 0; i < d.sheet->n_asks; i++)
                    for (int c = 0; c < d.sheet->ask[i].n_cells; c++)
                        a->cell[d.sheet->ask[i].first + c] =
                            as_written(lh_sheet_exact(d.sheet, i, c), d.sheet->ask[i].decimals);
                lh_marks *m = marks_of(&d, a, true);
                for (int i = 0; i < d.sheet->n_cells; i++) assert_int_equal(m->cell[i], LH_RIGHT);
                for (int i = 0; i < d.sheet->n_asks; i++)
                    assert_int_equal(m->step[i].n_diagnoses, 0);
                assert_int_equal(m->credit, m->total);
                desk_free(&d);
            }
}

static void empty_is_neither_right_nor_wrong(void **state) {
    (void)state;
    for (int l = 0; l < n_lessons; l++) {
        desk d = desk_new(lessons[l], 0, 4);
        lh_marks *m = marks_of(&d, lh_answers_new(d.arena, d.sheet), true);
        assert_int_equal(m->credit, 0);
        for (int i = 0; i < d.sheet->n_cells; i++) assert_int_equal(m->cell[i], LH_BLANK);
        for (int i = 0; i < d.sheet->n_asks; i++) assert_int_equal(m->step[i].n_wrong, 0);
        desk_free(&d);
    }
}

/* Sheets of honest learners, of one lesson or (NULL) of all in turn; returns how many were called wrong anywhere. */
static int honest_sheets(int count, bool cuts_off, const char *only) {
    int done = 0, bad_sheets = 0;
    for (int round = 0; done < count; round++) {
        int digits = 3 + round % 2;
        int lesson = round / 2 % n_lessons;
        if (only && strcmp(lessons[lesson], only) != 0) continue;
        unsigned long long seed =
            is_fixed(lesson) ? 0 : (unsigned long long)(round / (2 * n_lessons));
        desk d = desk_new(lessons[lesson], seed, digits);
        for (int k = 0; k < 6 && done < count; k++, done++) {
            if (k % 3 == 2) {
                desk_free(&d);
                d = desk_new(lessons[lesson], seed, digits);
                ask_some(&d, digits, 0.2 + 0.8 * chance());
            }
            learner who = {.carry = (carry)below(3),
                           .cuts_off = cuts_off,
                           .rounds_inside = below(2),
                           .blank = k % 2 ? chance() * 0.6 : 0,
                           .slip_unit = -1};
            lh_answers *a = lh_answers_new(d.arena, d.sheet);
            if (!work(&d, &who, a)) continue;
            lh_marks *m = marks_of(&d, a, false);
            int bad = 0;
            for (int i = 0; i < d.sheet->n_asks; i++)
                for (int c = 0; c < d.sheet->ask[i].n_cells; c++) {
                    lh_verdict v = m->cell[d.sheet->ask[i].first + c];
                    if (v == LH_BLANK || lh_verdict_has_credit(v)) continue;
                    if (bad++ == 0 && bad_sheets < 12) {
                        print_message("# %s seed %llu digits %d carry %d%s blank %.2f:\n",
                                      lessons[lesson], seed, digits, who.carry,
                                      who.rounds_inside ? " inside" : "", who.blank);
                        print_cell(&d, a, m, i, c);
                    }
                }
            bad_sheets += bad > 0;
        }
        desk_free(&d);
    }
    return bad_sheets;
}

static void honest_learner_is_never_wrong(void **state) {
    (void)state;
    int count = number_from("LH_SHEETS", 600),
        bad = honest_sheets(count, false, getenv("LH_LESSON"));
    print_message("# %d honest sheets, %d with a number called wrong\n", count, bad);
    assert_int_equal(bad, 0);
}

static void cutting_off_costs_nothing(void **state) {
    (void)state;
    int count = number_from("LH_SHEETS", 600),
        bad = honest_sheets(count, true, getenv("LH_LESSON"));
    print_message("# %d sheets cut off, %d with a number called wrong\n", count, bad);
    assert_int_equal(bad, 0);
}

/* Where formulas are bent, chance needs more tries; these programs are small. */
static void edges_are_fair(void **state) {
    (void)state;
    for (int i = 0; i < N_EDGES; i++)
        for (int cuts_off = 0; cuts_off < 2; cuts_off++) {
            int count = 300, bad = honest_sheets(count, cuts_off, edges[i].name);
            print_message("# %d sheets of %s%s, %d with a number called wrong\n", count,
                          edges[i].name, cuts_off ? " cut off" : "", bad);
            assert_int_equal(bad, 0);
        }
}

/* ---- what is wrong is not waved through ---- */

static lh_answers *key_of(desk *d) {
    lh_answers *a = lh_answers_new(d->arena, d->sheet);
    for (int i = 0; i < d->sheet->n_asks; i++)
        for (int c = 0; c < d->sheet->ask[i].n_cells; c++)
            a->cell[d->sheet->ask[i].first + c] =
                as_written(lh_sheet_exact(d->sheet, i, c), d->sheet->ask[i].decimals);
    return a;
}

/* A number that is surely not the one it should be: another digit, the sign, the point, anything. The last digit off by one
 * does not count. */
static double spoiled(lh_written w, int how) {
    double unit = w.unit;
    int at = below(w.digits > 1 ? w.digits - 1 : 1) + 1; /* any digit but the last */
    switch (how) {
    case 0: return w.value + (chance() < 0.5 ? -1 : 1) * unit * pow(10, at) * (1 + below(4));
    case 1: return -w.value;
    case 2: return chance() < 0.5 ? w.value * 10 : w.value / 10;
    default: return (chance() * 2 - 1) * (fabs(w.value) + 10 * unit) * 3;
    }
}

typedef struct caught {
    int caught, total, diagnosed, random;
} caught;

/* One number of the key spoiled, again and again. */
static void spoil(desk *d, int times, caught *n) {
    for (int k = 0; k < times; k++) {
        lh_answers *a = key_of(d);
        int ask = below(d->sheet->n_asks), c = below(d->sheet->ask[ask].n_cells),
            at = d->sheet->ask[ask].first + c, how = k % 4;
        lh_written old = a->cell[at];
        double x = spoiled(old, how);
        a->cell[at] = as_written(x, d->sheet->ask[ask].decimals);
        if (fabs(a->cell[at].value - old.value) < 2.5 * old.unit) continue;
        lh_marks *m = marks_of(d, a, true);
        n->total++;
        bool ok = !lh_verdict_has_credit(m->cell[at]);
        n->caught += ok;
        if (!ok && n->total - n->caught < 20) print_cell(d, a, m, ask, c);
        if (how == 3) n->random++, n->diagnosed += m->step[ask].n_diagnoses > 0;
    }
}

static void expect_caught(const caught *n) {
    print_message("# %d of %d spoiled numbers caught; %d of %d random numbers diagnosed\n",
                  n->caught, n->total, n->diagnosed, n->random);
    assert_true(n->caught >= 0.95 * n->total);
    assert_true(n->diagnosed <= 0.01 * n->random + 1);
}

static void wrong_is_caught(void **state) {
    (void)state;
    caught n = {0};
    for (int l = 0; l < N_SHOWING; l++)
        for (unsigned long long seed = 1; seed <= seeds_for(l); seed++) {
            desk d = desk_new(lessons[l], seed, 4);
            spoil(&d, 60, &n);
            desk_free(&d);
        }
    expect_caught(&n);
}

/* What lies between the asked steps may have been rounded; that must not excuse everything. */
static void wrong_is_caught_where_little_is_asked(void **state) {
    (void)state;
    caught n = {0};
    for (int l = 0; l < N_DRAWN; l++)
        for (int k = 0; k < 2; k++) {
            desk d = desk_new(lessons[l], (unsigned long long)k, 4);
            ask_some(&d, 4, 0.1 + 0.6 * chance());
            spoil(&d, 12, &n);
            desk_free(&d);
        }
    expect_caught(&n);
}

/* P(A) = 0.250 where 0.2506 is asked for; and a quarter for every word, where it might have been cut off. */
static void the_classic_quarter_is_wrong(void **state) {
    (void)state;
    for (int digits = 3; digits <= 4; digits++) {
        desk d = desk_new("ex1", 0, digits);
        lh_answers *a = key_of(&d);
        int probs = ask_of(d.sheet, lh_graph_step(d.g, "probs")), at = d.sheet->ask[probs].first;
        for (int c = 0; c < (digits == 3 ? 4 : 1); c++)
            a->cell[at + c] = lh_written_read("0.250", 5);
        lh_marks *m = marks_of(&d, a, true);
        for (int c = 0; c < (digits == 3 ? 4 : 1); c++)
            assert_false(lh_verdict_has_credit(m->cell[at + c]));
        desk_free(&d);
    }
}

/* Before ReLU stands 0: its gradient is that behind it, or none, and nothing in between. */
static void what_a_jump_leaves_out_is_wrong(void **state) {
    (void)state;
    static const struct {
        double x;
        bool has_credit;
    } tries[] = {{0, true},       {-0.75, true}, {-0.3, false},
                 {-0.002, false}, {-0.6, false}, {0.75, false}};
    desk d = desk_new("kink", 0, 4);
    int dn = ask_of(d.sheet, lh_graph_step(d.g, "dN")), at = d.sheet->ask[dn].first + 7;
    assert_true(lh_sheet_exact(d.sheet, dn, 7) == 0);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        lh_answers *a = key_of(&d);
        a->cell[at] = as_written(tries[i].x, d.sheet->ask[dn].decimals);
        lh_marks *m = marks_of(&d, a, true);
        if (lh_verdict_has_credit(m->cell[at]) != tries[i].has_credit) {
            print_cell(&d, a, m, dn, 7);
            fail();
        }
    }
    desk_free(&d);
}

static bool is_blame(lh_verdict v) {
    return v == LH_WRONG || v == LH_MISTAKE || v == LH_SLIP || v == LH_UNREAD;
}

/* What a cell comes to for somebody who wrote these numbers up to it, and carried each on as it stands, unrounded, or (lines
 * inside a step) rounded or not, as choices say. NaN: it leads nowhere. */
static double carried_on(desk *d, const lh_answers *a, int unit, int cell, const bool *rounds,
                         int n_choices, bool cuts_off, int *used) {
    static lh_box box[4096];
    int at = 0;
    for (int i = 0; i <= unit; i++) {
        lh_unit *u = lh_reach_unit(d->pen, i);
        int ask = ask_of(d->sheet, u->step);
        if (u->n_cells > 4096 || !lh_reach_of(d->pen, 0, i, NULL, box)) return NAN;
        for (int c = 0; c < u->n_cells && i < unit; c++) {
            bool is_rounded = rounds[at++ % n_choices];
            double x = box[c].at;
            if (ask >= 0) {
                lh_written w = a->cell[d->sheet->ask[ask].first + c];
                if (is_rounded || fabs(x - w.value) > w.unit) x = w.value;
            } else if (is_rounded) {
                x = rounded(x, u->decimals, cuts_off);
            }
            u->box[c] = (lh_box){x, x, x};
        }
    }
    *used = at < n_choices ? at : n_choices;
    return box[cell].at;
}

/* Could somebody who writes the same numbers up to here write x in this cell without a slip? Looked for by chance, and from
 * the nearest on. Chance does not find the last corner: half as far again is believed. */
static bool is_honest(desk *d, const lh_answers *a, int unit, int cell, double x, double width) {
    enum { TRIES = 4000, CHOICES = 8192 };
    static bool best[CHOICES], next[CHOICES];
    double least = INFINITY, most = -INFINITY, nearest = INFINITY;
    int used = CHOICES;
    for (int try = 0; try < TRIES && !(least - width <= x && x <= most + width); try++) {
        const double share = try % 4 == 0 ? 1 : try % 4 == 1 ? 0 : chance();
        if (try % 800 == 0) nearest = INFINITY;
        memcpy(next, best, sizeof next);
        for (int k = 0; k < CHOICES && try % 800 < 40; k++) next[k] = chance() < share;
        for (int k = 0; k < 1 + try % 3; k++) next[below(used)] ^= true;
        double y = carried_on(d, a, unit, cell, next, CHOICES, try % 1600 >= 800, &used);
        if (isnan(y)) continue;
        if (fabs(y - x) < nearest) memcpy(best, next, sizeof best), nearest = fabs(y - x);
        least = fmin(least, y);
        most = fmax(most, y);
    }
    width += fmax(0, most - least) / 2;
    return least - width <= x && x <= most + width;
}

/* One slip, then correct work: the slip is marked, and nothing else. A slip may be credited only where an honest learner can
 * come to the same number; or it is a few units and the cells before it are taken for independent, which they are not quite. */
static void one_slip_is_one_mark(void **state) {
    (void)state;
    int sheets = 0, honest = 0, near = 0, waved = 0, blamed = 0;
    for (int l = 0; l < n_lessons; l++)
        for (unsigned long long seed = is_fixed(l) ? 0 : 1; seed <= seeds_for(l); seed++) {
            desk d = desk_new(lessons[l], seed, 4);
            for (int k = 0; k < 40; k++) {
                int unit = below(lh_reach_count(d.pen)),
                    ask = ask_of(d.sheet, lh_reach_unit(d.pen, unit)->step);
                if (ask < 0) continue;
                int c = below(d.sheet->ask[ask].n_cells);
                lh_written w =
                    as_written(lh_sheet_exact(d.sheet, ask, c), d.sheet->ask[ask].decimals);
                learner who = {.carry = (carry)below(3),
                               .slip_unit = unit,
                               .slip_cell = c,
                               .slip_value = spoiled(w, k % 4)};
                who.slip_value = as_written(who.slip_value, d.sheet->ask[ask].decimals).value;
                if (fabs(who.slip_value - w.value) < 2.5 * w.unit) continue;
                lh_answers *a = lh_answers_new(d.arena, d.sheet);
                if (!work(&d, &who, a)) continue;
                lh_marks *m = marks_of(&d, a, true);
                sheets++;
                if (lh_verdict_has_credit(m->cell[d.sheet->ask[ask].first + c])) {
                    bool is = is_honest(&d, a, unit, c, who.slip_value, w.unit);
                    bool is_near = !is && fabs(who.slip_value - w.value) < 30 * w.unit;
                    honest += is, near += is_near, waved += !is && !is_near;
                    print_message("# %s seed %llu: %s\n", lessons[l], seed,
                                  is        ? "an honest learner may write this:"
                                  : is_near ? "near:"
                                            : "waved through:");
                    print_cell(&d, a, m, ask, c);
                }
                int others = 0;
                for (int i = 0; i < d.sheet->n_asks; i++)
                    for (int e = 0; e < d.sheet->ask[i].n_cells; e++)
                        if ((i != ask || e != c) && is_blame(m->cell[d.sheet->ask[i].first + e])) {
                            if (others++ == 0 && blamed < 8) {
                                print_message("# %s seed %llu: slip in %s cell %d (%g for %g)\n",
                                              lessons[l], seed, d.sheet->ask[ask].step->path, c,
                                              who.slip_value, w.value);
                                print_cell(&d, a, m, i, e);
                            }
                        }
                blamed += others > 0;
            }
            desk_free(&d);
        }
    print_message("# %d sheets with one slip: credited %d that an honest learner may write, %d "
                  "near, %d others; %d "
                  "with something else blamed\n",
                  sheets, honest, near, waved, blamed);
    assert_true(waved <=
                0.001 * sheets); /* between two roundings of an operand that has fewer digits */
    assert_true(near <= 0.003 * sheets + 1);
    assert_true(honest <= 0.01 * sheets);
    assert_int_equal(blamed, 0);
}

/* ---- known mistakes ---- */

/* The sheet of somebody who makes these mistakes and works on consistently. False: it leads nowhere, or has another shape. */
static bool work_wrongly(desk *d, const lh_rewrite *rewrite, int n, lh_answers *out) {
    lh_context *ctx = lh_context_new();
    lh_build how = {.rewrite = rewrite, .n_rewrites = n};
    lh_graph *g = lh_graph_build(ctx, d->program, &how);
    lh_plan *p = g ? lh_exact.plan(g, &(lh_wish){.all = true}) : NULL;
    if (p) lh_exact.start(p), lh_exact.bind(p, NULL, 0), lh_exact.run(p);
    bool ok = p && !lh_failed(ctx);
    for (int i = 0; i < d->sheet->n_asks && ok; i++) {
        const lh_ask *q = &d->sheet->ask[i];
        lh_step *s = lh_graph_step(g, q->step->path);
        ok = s && lh_count_cells(p, s->node) == q->n_cells;
        for (int c = 0; c < q->n_cells && ok; c++) {
            double x = lh_exact.get(p, s->node, lh_sheet_cell(d->sheet, i, c));
            ok = isfinite(x) && fabs(x) < 1e9;
            out->cell[q->first + c] = as_written(x, q->decimals);
        }
    }
    lh_exact.free(p);
    lh_graph_free(g);
    lh_context_free(ctx);
    return ok;
}

/* Does the step where it is made show it, beyond rounding? */
static bool is_visible(const desk *d, const lh_answers *a, int ask) {
    const lh_ask *q = &d->sheet->ask[ask];
    for (int c = 0; c < q->n_cells; c++)
        if (fabs(a->cell[q->first + c].value - lh_sheet_exact(d->sheet, ask, c)) >
            6 * a->cell[q->first + c].unit)
            return true;
    return false;
}

static bool is_named(const lh_marks *m, int ask, const lh_mistake *mistake) {
    for (int i = 0; i < m->step[ask].n_diagnoses; i++)
        if (m->step[ask].diagnosis[i].mistake == mistake ||
            strcmp(m->step[ask].diagnosis[i].mistake->says, mistake->says) == 0)
            return true;
    return false;
}

static void known_mistakes_are_named(void **state) {
    (void)state;
    int visible = 0, named = 0, blamed = 0;
    for (int l = 0; l < N_SHOWING; l++)
        for (unsigned long long seed = 1; seed <= seeds_for(l); seed++) {
            desk d = desk_new(lessons[l], seed, 3 + (int)(seed % 2));
            int n;
            lh_candidate *c = lh_candidates(d.g, d.mistakes, NULL, d.arena, &n);
            for (int i = 0; i < n; i++) {
                int ask = ask_of(d.sheet, c[i].step);
                lh_answers *a = lh_answers_new(d.arena, d.sheet);
                if (c[i].mistake->is_same || ask < 0 ||
                    !work_wrongly(&d, c[i].rewrite, c[i].n_rewrites, a) || !is_visible(&d, a, ask))
                    continue;
                lh_marks *m = marks_of(&d, a, true);
                visible++;
                bool ok = is_named(m, ask, c[i].mistake);
                named += ok;
                int others = 0, first = -1;
                for (int q = 0; q < d.sheet->n_asks; q++)
                    for (int e = 0; e < d.sheet->ask[q].n_cells; e++)
                        if (q != ask && is_blame(m->cell[d.sheet->ask[q].first + e]))
                            others++, first = first < 0 ? q : first;
                blamed += others > 0;
                if ((!ok || others) && visible - named + blamed < 12)
                    print_message("# %s seed %llu: %s in %s (choice %d): %s%s%s\n", lessons[l],
                                  seed, c[i].mistake->name, c[i].line->path, c[i].chosen,
                                  ok ? "named" : "NOT NAMED", others ? ", blamed too: " : "",
                                  others ? d.sheet->ask[first].step->path : "");
            }
            desk_free(&d);
        }
    print_message("# %d visible mistakes: %d named, %d with something else blamed\n", visible,
                  named, blamed);
    assert_int_equal(named, visible);
    assert_int_equal(blamed, 0);
}

/* Two mistakes may undo each other: is what stands there the right step from the numbers before it? */
static bool is_right_on_own(desk *d, const lh_answers *a, int ask) {
    lh_box box[4096];
    const lh_ask *q = &d->sheet->ask[ask];
    for (int i = 0; i < lh_reach_count(d->pen); i++) {
        lh_unit *u = lh_reach_unit(d->pen, i);
        int k = ask_of(d->sheet, u->step);
        if (k == ask) {
            bool same = lh_reach_of(d->pen, 0, i, NULL, box);
            for (int c = 0; c < q->n_cells && same; c++)
                same =
                    fabs(box[c].at - a->cell[q->first + c].value) < 8 * a->cell[q->first + c].unit;
            return same;
        }
        if (k < 0) lh_reach_of(d->pen, 0, i, NULL, u->box);
        for (int c = 0; k >= 0 && c < u->n_cells; c++) {
            double x = a->cell[d->sheet->ask[k].first + c].value;
            u->box[c] = (lh_box){x, x, x};
        }
    }
    return false;
}

static void two_mistakes_are_both_named(void **state) {
    (void)state;
    int pairs = 0, both = 0;
    for (int l = 0; l < N_SHOWING; l++) {
        desk d = desk_new(lessons[l], 1, 4);
        int n;
        lh_candidate *c = lh_candidates(d.g, d.mistakes, NULL, d.arena, &n);
        for (int k = 0; k < 150; k++) {
            const lh_candidate *x = &c[below(n)], *y = &c[below(n)];
            int ax = ask_of(d.sheet, x->step), ay = ask_of(d.sheet, y->step);
            if (ax < 0 || ay <= ax || x->mistake->is_same || y->mistake->is_same) continue;
            lh_rewrite r[2 * LH_MAX_REWRITES];
            memcpy(r, x->rewrite, (size_t)x->n_rewrites * sizeof *r);
            memcpy(r + x->n_rewrites, y->rewrite, (size_t)y->n_rewrites * sizeof *r);
            lh_answers *a = lh_answers_new(d.arena, d.sheet),
                       *one = lh_answers_new(d.arena, d.sheet);
            if (!work_wrongly(&d, x->rewrite, x->n_rewrites, one) || !is_visible(&d, one, ax))
                continue;
            if (!work_wrongly(&d, r, x->n_rewrites + y->n_rewrites, a)) continue;
            bool shows = false; /* the second one, beside the sheet with the first alone */
            for (int e = 0; e < d.sheet->ask[ay].n_cells; e++)
                shows |= fabs(a->cell[d.sheet->ask[ay].first + e].value -
                              one->cell[d.sheet->ask[ay].first + e].value) >
                         6 * a->cell[d.sheet->ask[ay].first + e].unit;
            if (!shows || !is_visible(&d, a, ax) || !is_visible(&d, a, ay) ||
                is_right_on_own(&d, a, ay))
                continue;
            lh_marks *m = marks_of(&d, a, true);
            bool ok = is_named(m, ax, x->mistake) && is_named(m, ay, y->mistake);
            pairs++;
            both += ok;
            if (!ok && pairs - both < 8)
                print_message("# %s: %s in %s %s, %s in %s %s\n", lessons[l], x->mistake->name,
                              x->line->path, is_named(m, ax, x->mistake) ? "named" : "NOT NAMED",
                              y->mistake->name, y->line->path,
                              is_named(m, ay, y->mistake) ? "named" : "NOT NAMED");
        }
        desk_free(&d);
    }
    print_message("# %d sheets with two mistakes, both named in %d\n", pairs, both);
    assert_int_equal(both, pairs);
}

static void variants_show_mistakes(void **state) {
    (void)state;
    int shown = 0, total = 0;
    for (int l = 0; l < N_SHOWING; l++) {
        desk own = desk_new(lessons[l], 0, 4);
        /* what no variant shows is an identity of this lesson, not a hidden mistake */
        enum { SEEDS = 4, MOST = 2000 };
        bool seen[SEEDS][MOST] = {{false}};
        int n = 0;
        for (int s = 0; s < SEEDS; s++) {
            lh_variant_how how = {(unsigned long long)s + 1, 4, own.mistakes};
            lh_program *p = lh_variant_program(own.ctx, own.lesson, &how);
            must(&own, p != NULL, lessons[l]);
            lh_shown *t = lh_variant_shown(own.ctx, p, &how, own.arena, &n);
            for (int i = 0; i < n && i < MOST; i++) seen[s][i] = t[i].shows;
            lh_program_free(p);
        }
        for (int i = 0; i < n && i < MOST; i++) {
            bool can = seen[0][i] || seen[1][i] || seen[2][i] || seen[3][i];
            for (int s = 0; s < SEEDS && can; s++) total++, shown += seen[s][i];
        }
        desk_free(&own);
    }
    print_message("# %d of %d (mistake, variant) pairs show\n", shown, total);
    assert_true(shown >= 0.98 * total);
}

int main(void) {
    chance_at.seed = (uint64_t)number_from("LH_SEED", 1);
    print_message("# seed %d\n", (int)chance_at.seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_is_all_right),
        cmocka_unit_test(empty_is_neither_right_nor_wrong),
        cmocka_unit_test(honest_learner_is_never_wrong),
        cmocka_unit_test(cutting_off_costs_nothing),
        cmocka_unit_test(edges_are_fair),
        cmocka_unit_test(wrong_is_caught),
        cmocka_unit_test(wrong_is_caught_where_little_is_asked),
        cmocka_unit_test(the_classic_quarter_is_wrong),
        cmocka_unit_test(what_a_jump_leaves_out_is_wrong),
        cmocka_unit_test(one_slip_is_one_mark),
        cmocka_unit_test(known_mistakes_are_named),
        cmocka_unit_test(two_mistakes_are_both_named),
        cmocka_unit_test(variants_show_mistakes),
    };
    if (getenv("LH_ONLY")) cmocka_set_test_filter(getenv("LH_ONLY"));
    return cmocka_run_group_tests_name("mark", tests, list_lessons, forget_lessons);
}
