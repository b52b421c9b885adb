/* sheet -- which steps are asked, to how many decimals, and the right numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "explain/trace.h"
#include "learn/limits.h"
#include "learn/mark.h"
#include "learn/reach.h"

/* Tokens, positions and comparisons are counted, not measured; what is worked out from them alone need not be whole. */
int lh_decimals_below(double most, int digits) {
    int decimals = most > 0 ? digits - 1 - (int)floor(log10(most)) : digits;
    return decimals < 0                     ? 0
           : decimals > 15                  ? 15
           : decimals < digits && most < 10 ? digits
                                            : decimals;
}

int lh_decimals_for(const lh_plan *p, const lh_node *n, int digits) {
    double most = 0;
    bool is_whole = n->is_discrete;
    int examples = n->shape.is_batched ? lh_exact.examples(p) : 1;
    for (int e = 0; e < examples; e++) {
        lh_sizes s = lh_exact.sizes(p, n, e);
        for (int h = 0; h < s.heads; h++)
            for (int r = 0; r < s.rows; r++)
                for (int c = 0; c < s.cols; c++) {
                    double x = fabs(lh_exact.get(p, n, (lh_cell){e, h, r, c}));
                    if (isfinite(x) && x > most) most = x;
                    is_whole &= isfinite(x) && x == floor(x);
                }
    }
    return is_whole ? 0 : lh_decimals_below(most, digits);
}

/* ---- what is given, as it is printed ---- */

enum { TYPED_DIGITS = 9, DRAWN_DIGITS = 6 };

const char *lh_given_text(char *text, size_t n, double x) {
    lh_number_text(text, n, x, TYPED_DIGITS);
    return lh_number_read(text, NULL) == x ? text : lh_number_text(text, n, x, DRAWN_DIGITS);
}

/* Up to three decimals and six digits before them: typed, and printed as it is. */
static bool is_short(double x) {
    return fabs(x) < 1e6 && rint(x * 1000) / 1000 == x;
}

static void start_cells(lh_plan *p, const lh_node *n) {
    char text[LH_NUMBER_MAX];
    lh_sizes z = lh_exact.sizes(p, n, 0);
    for (int r = 0; r < z.rows; r++)
        for (int c = 0; c < z.cols; c++) {
            lh_cell at = {0, 0, r, c};
            double x = lh_exact.get(p, n, at);
            if (is_short(x)) continue;
            double printed = lh_number_read(lh_given_text(text, sizeof text, x), NULL);
            if (isfinite(x) && printed != x) lh_exact.set(p, n, at, printed);
        }
}

void lh_sheet_start(const lh_graph *g, lh_plan *p) {
    lh_exact.start(p);
    for (int i = 0; i < g->n_givens && !lh_failed(g->ctx); i++)
        if (lh_exact.has(p, g->given[i]->node)) start_cells(p, g->given[i]->node);
}

/* ---- what is asked ---- */

enum { SEEN = 6, PEN = 7 };

/* How far the numbers of a step moved in the last update. */
static double moved(const lh_sheet *s, const lh_node *n, int moment) {
    double most = 0;
    const lh_plan *p = s->at[moment], *before = s->at[moment - 1];
    int examples = n->shape.is_batched ? lh_exact.examples(p) : 1;
    for (int e = 0; e < examples; e++) {
        lh_sizes z = lh_exact.sizes(p, n, e);
        for (int k = 0; k < z.heads * z.rows * z.cols; k++) {
            lh_cell at = {e, k / (z.rows * z.cols), k / z.cols % z.rows, k % z.cols};
            double d = fabs(lh_exact.get(p, n, at) - lh_exact.get(before, n, at));
            if (isfinite(d) && d > most) most = d;
        }
    }
    return most;
}

bool lh_ask_shows_update(const lh_sheet *s, const lh_ask *q) {
    return moved(s, q->step->node, q->moment) >= SEEN * pow(10, -q->decimals);
}

/* After an update so many that old numbers are told from new ones; what a pen cannot write is not asked. */
static int decimals_after(const lh_sheet *s, const lh_node *n, int moment, int decimals) {
    double d = moment > 0 && decimals > 0 ? moved(s, n, moment) : 0;
    int enough = decimals;
    while (d > 0 && enough < PEN && d < SEEN * pow(10, -enough)) enough++;
    return d >= SEEN * pow(10, -enough) ? enough : decimals;
}

/* Cells of a const in another place: X = E[tokens]. */
static bool takes_given(const lh_node *n) {
    switch (n->kind) {
    case LH_OP_given: return n->given->kind == LH_CONST;
    case LH_OP_lookup:
    case LH_OP_transpose:
    case LH_OP_row:
    case LH_OP_last:
    case LH_OP_column:
    case LH_OP_columns: return takes_given(n->in[0]);
    default: return false;
    }
}

static bool is_taken(const lh_sheet *s, int ask) {
    const lh_ask *q = &s->ask[ask];
    bool is = takes_given(q->step->node);
    for (int i = 0; is && i < q->n_cells; i++) {
        const double units = lh_sheet_exact(s, ask, i) * pow(10, q->decimals);
        is = fabs(units - round(units)) < LH_DUST;
    }
    return is;
}

static void ask(lh_sheet *s, lh_step *step, int moment) {
    int n = lh_count_cells(s->at[moment], step->node);
    int decimals = lh_decimals_for(s->at[moment], step->node, s->digits);
    for (int i = 0; i < s->n_asks; i++)
        if (s->ask[i].step == step && s->ask[i].moment == moment) return;
    *lh_push(s->arena, s->ask, s->n_asks) =
        (lh_ask){.step = step,
                 .moment = moment,
                 .decimals = decimals_after(s, step->node, moment, decimals),
                 .digits = s->digits,
                 .is_whole = step->node->is_discrete,
                 .first = s->n_cells,
                 .n_cells = n};
    if (lh_failed(s->g->ctx)) return;
    s->ask[s->n_asks - 1].is_whole &= s->ask[s->n_asks - 1].decimals == 0;
    s->ask[s->n_asks - 1].is_taken = is_taken(s, s->n_asks - 1);
    s->n_cells += n;
}

enum { MOST_DECIMALS = 9 };

/* Asked are steps with numbers that a person works out: not tokens, not the 1 that a gradient begins with, and not what is
 * too small for a pen (Example 6 at width 2 has gradients of 1e-25). */
static bool is_work(const lh_sheet *sheet, const lh_sheet_how *how, const lh_step *s) {
    return s->node->kind != LH_OP_number && !s->node->is_discrete &&
           (how->with_tiny ||
            lh_decimals_for(sheet->plan, s->node, sheet->digits) <= MOST_DECIMALS);
}

/* ---- names ---- */

/* The moment of L@1; n: how long the name before it is. -1: what follows the @ is no number. */
static int moment_of(const char *name, size_t *n) {
    const char *at = strchr(name, '@');
    *n = at ? (size_t)(at - name) : strlen(name);
    if (!at) return 0;
    if (at[1] < '0' || at[1] > '9' || at[1 + strspn(at + 1, "0123456789")]) return -1;
    return strlen(at + 1) > 4 ? LH_MAX_MOMENTS : atoi(at + 1);
}

static bool is_text(const char *text, const char *name, size_t n) {
    return strncmp(text, name, n) == 0 && text[n] == 0;
}

/* Of a line inside a call a tail with a dot is enough: P.e for h[0].A.P.e. */
static bool has_tail(const char *path, const char *name, size_t n) {
    size_t k = strlen(path);
    return memchr(name, '.', n) && k > n && path[k - n - 1] == '.' &&
           memcmp(path + k - n, name, n) == 0;
}

static bool is_step(const lh_step *s, const char *name, size_t n) {
    if (is_text(s->path, name, n)) return true;
    if (lh_step_is_inner(s)) return has_tail(s->path, name, n);
    if (s->kind == LH_STEP_UPDATE && s->of)
        return is_text(s->of->path, name, n) || is_text(s->of->name, name, n);
    return is_text(s->name, name, n);
}

bool lh_ask_is_named(const lh_ask *q, const char *name) {
    size_t n;
    return moment_of(name, &n) == q->moment && is_step(q->step, name, n);
}

/* `all` stands for what is asked when no step is named. */
static bool is_all(const char *name) {
    return strcmp(name, "all") == 0;
}

static bool has_all(const lh_sheet_how *how) {
    for (int i = 0; i < how->n_steps; i++)
        if (is_all(how->steps[i])) return true;
    return how->n_steps == 0;
}

static bool is_wanted(const lh_sheet_how *how, lh_step *s, int moment) {
    for (int i = 0; i < how->n_steps; i++)
        if (lh_ask_is_named(&(lh_ask){.step = s, .moment = moment}, how->steps[i])) return true;
    return false;
}

/* ---- the sheet ---- */

/* How many moments the names reach; 0 and the context failed when one makes no sense. */
static int count_moments(lh_graph *g, const lh_sheet_how *how) {
    int most = 0;
    for (int i = 0; i < how->n_steps; i++) {
        size_t n;
        int moment = moment_of(how->steps[i], &n);
        if (moment < 0 || moment >= LH_MAX_MOMENTS) {
            lh_fail(g->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0},
                    "%.80s: a number from 0 to %d is expected after the @", how->steps[i],
                    LH_MAX_MOMENTS - 1);
            lh_cure(g->ctx, "L@1 is L after one update");
            return 0;
        }
        if (moment > most) most = moment;
    }
    return most + 1;
}

/* The right numbers of each moment: a plan each, run from the start. */
static void run_moments(lh_sheet *s) {
    for (int m = 0; m < s->n_moments && !lh_failed(s->g->ctx); m++) {
        lh_plan *p = s->at[m] = lh_exact.plan(s->g, &(lh_wish){.all = true});
        if (!p) return;
        lh_sheet_start(s->g, p), lh_exact.bind(p, NULL, 0), lh_exact.run(p);
        for (int i = 0; i < m; i++) lh_exact.commit(p), lh_exact.run(p);
    }
    s->plan = s->at[0];
}

static bool is_shown(const lh_trace *t, const lh_step *s) {
    for (int i = 0; t && i < t->n_items; i++)
        if (t->item[i].step == s) return true;
    return false;
}

/* t: all steps; plain: those that a trace shows without being asked for more, or NULL. */
static void ask_moment(lh_sheet *s, const lh_sheet_how *how, const lh_trace *t,
                       const lh_trace *plain, int moment) {
    for (int i = 0; i < t->n_items; i++) {
        const lh_trace_item *item = &t->item[i];
        if (item->section == LH_SECTION_GIVEN) continue;
        for (int k = 0; k < item->n_inner; k++)
            if (is_wanted(how, item->inner[k], moment)) ask(s, item->inner[k], moment);
        bool is_plain = moment == 0 && is_shown(plain, item->step) && is_work(s, how, item->step);
        if (is_plain || is_wanted(how, item->step, moment)) ask(s, item->step, moment);
    }
}

/* A name that no asked step has: not there at all, not unique, or nothing that can be asked (the caller's to say). */
static void check_names(const lh_sheet *s, const lh_sheet_how *how) {
    for (int i = 0; i < how->n_steps && !lh_failed(s->g->ctx); i++) {
        bool any = is_all(how->steps[i]);
        size_t n;
        moment_of(how->steps[i], &n);
        for (int k = 0; k < s->n_asks && !any; k++)
            any = lh_ask_is_named(&s->ask[k], how->steps[i]);
        if (!any) lh_graph_find(s->g, lh_copy(s->arena, how->steps[i], n));
    }
}

lh_sheet *lh_sheet_new(lh_graph *g, const lh_sheet_how *how) {
    lh_arena *arena = lh_failed(g->ctx) ? NULL : lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_sheet *s = lh_alloc(arena, sizeof *s);
    *s = (lh_sheet){.g = g, .arena = arena, .digits = how->digits ? how->digits : 4};
    s->n_moments = count_moments(g, how);
    run_moments(s);
    lh_trace *t = lh_failed(g->ctx) ? NULL : lh_trace_new(g, &(lh_trace_how){NULL, true}),
             *plain = t && has_all(how) ? lh_trace_new(g, &(lh_trace_how){NULL, false}) : NULL;
    for (int m = 0; t && m < s->n_moments; m++) ask_moment(s, how, t, plain, m);
    lh_trace_free(plain);
    lh_trace_free(t);
    check_names(s, how);
    if (!lh_failed(g->ctx)) return s;
    lh_sheet_free(s);
    return NULL;
}

void lh_sheet_free(lh_sheet *s) {
    if (!s) return;
    lh_reach_free(s->truth);
    lh_reach_free(s->reach);
    for (int m = 0; m < LH_MAX_MOMENTS; m++) lh_exact.free(s->at[m]);
    lh_arena_free(s->arena);
}

lh_cell lh_sheet_cell(const lh_sheet *s, int i, int k) {
    const lh_node *n = s->ask[i].step->node;
    for (int e = 0;; e++) {
        lh_sizes z = lh_exact.sizes(s->plan, n, e);
        int cells = z.heads * z.rows * z.cols;
        if (k < cells) return (lh_cell){e, k / (z.rows * z.cols), k / z.cols % z.rows, k % z.cols};
        k -= cells;
    }
}

double lh_sheet_exact(const lh_sheet *s, int i, int k) {
    return lh_exact.get(s->at[s->ask[i].moment], s->ask[i].step->node, lh_sheet_cell(s, i, k));
}

lh_answers *lh_answers_new(lh_arena *a, const lh_sheet *s) {
    lh_answers *x = lh_alloc(a, sizeof *x);
    x->cell = lh_alloc_array(a, (size_t)s->n_cells + 1, sizeof *x->cell);
    x->other_shape = lh_alloc_array(a, (size_t)s->n_asks + 1, sizeof *x->other_shape);
    return x;
}
