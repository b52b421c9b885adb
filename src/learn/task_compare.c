/* task_compare -- two programs that differ in one line: do they mean the same?
 *
 * Both are run on the lesson's numbers, then on random ones: every given value and every input is drawn anew, in its shape. A draw counts
 * when the right program makes numbers of it. Three manners take turns, since no one manner suits every line:
 *
 *     any sign         tells relu(x) from x
 *     signs kept       for logarithms and roots of what is positive in the lesson
 *     whole numbers    where the lesson's are whole: the number of a token, of a column
 *
 * Compared are the asked step, then the steps after it; gradients and updates on drawn numbers alone, where no kink is hit, and not on whole
 * ones.
 */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "explain/explain.h"
#include "learn/task_internal.h"

enum { MOST_TRIES = 60, SHOWN_CELLS = 12, SHOWN_OPERANDS = 3, MOST_INPUTS = 64 };
static const double near_enough = 1e-9, near_after = 1e-7;

typedef enum manner { ANY_SIGN, SIGNS_KEPT, WHOLE, N_MANNERS, LESSONS } manner;

typedef struct side {
    lh_graph *g;
    lh_plan *plan;
} side;

typedef struct trial {
    lh_arena *a;
    side right, own;
    const char *step;
    int draw;
    manner how;
} trial;

/* ---- drawing ---- */

static double draw(const trial *t, int place, lh_cell at, double old, double most, bool is_whole) {
    lh_random_place where = {.seed = (uint64_t)t->draw,
                             .place = (uint32_t)place,
                             .example = (uint32_t)at.example,
                             .row = (uint32_t)at.row,
                             .col = (uint32_t)(at.col * 64 + at.head)};
    double u = lh_random_uniform(where);
    if (t->how == WHOLE && is_whole) return floor(u * (fmax(most, 1) + 1));
    double size = floor((0.1 + 1.9 * u) * 100 + 0.5) / 100; /* two decimals: it may be shown */
    where.step = 1;
    bool is_negative = t->how == SIGNS_KEPT ? old < 0 : lh_random_uniform(where) < 0.5;
    return is_negative ? -size : size;
}

/* The same numbers on both sides. vocab: tokens. */
static void draw_node(const trial *t, int place, const lh_node *right, const lh_node *own,
                      int examples) {
    double most = 0;
    bool is_whole = true;
    for (int pass = 0; pass < 2; pass++)
        for (int e = 0; e < examples; e++) {
            lh_sizes z = lh_exact.sizes(t->right.plan, right, e);
            for (int i = 0; i < z.heads * z.rows * z.cols; i++) {
                lh_cell at = {e, i / (z.rows * z.cols), i / z.cols % z.rows, i % z.cols};
                double old = lh_exact.get(t->right.plan, right, at);
                if (pass == 0) {
                    is_whole = is_whole && old == floor(old) && old >= 0;
                    most = fmax(most, old);
                    continue;
                }
                double x = draw(t, place, at, old, most, is_whole);
                if (right->vocab) x = floor(fmod(fabs(x) * 100, right->vocab->n_words));
                lh_exact.set(t->right.plan, right, at, x);
                lh_exact.set(t->own.plan, own, at, x);
            }
        }
}

static void draw_all(const trial *t) {
    const lh_graph *g = t->right.g, *own = t->own.g;
    for (int i = 0; i < g->n_givens; i++)
        if (lh_exact.has(t->right.plan, g->given[i]->node) &&
            lh_exact.has(t->own.plan, own->given[i]->node))
            draw_node(t, i, g->given[i]->node, own->given[i]->node, 1);
    for (int i = 0; i < g->n_inputs; i++)
        draw_node(t, g->n_givens + i, g->input[i]->node, own->input[i]->node,
                  lh_exact.examples(t->right.plan));
}

static void begin(side *s) {
    lh_exact.start(s->plan);
    lh_exact.bind(s->plan, NULL, 0);
}

/* ---- comparing ---- */

static bool is_near(double a, double b, double scale, double slack) {
    if (a == b || (isnan(a) && isnan(b))) return true;
    return fabs(a - b) <= slack * fmax(scale, 1e-3);
}

static double largest(const lh_plan *p, const lh_node *n, int examples) {
    double most = 0;
    for (int e = 0; e < examples; e++) {
        lh_sizes z = lh_exact.sizes(p, n, e);
        for (int i = 0; i < z.heads * z.rows * z.cols; i++) {
            lh_cell at = {e, i / (z.rows * z.cols), i / z.cols % z.rows, i % z.cols};
            double x = fabs(lh_exact.get(p, n, at));
            if (isfinite(x)) most = fmax(most, x);
        }
    }
    return most;
}

static int examples_of(const trial *t, const lh_node *n) {
    return n->shape.is_batched ? lh_exact.examples(t->right.plan) : 1;
}

static const char *shape_text(const trial *t, const side *s, const lh_node *n, int example) {
    lh_sizes z = lh_exact.sizes(s->plan, n, example);
    const char *heads = z.heads > 1 ? lh_printf(t->a, " in %d heads", z.heads) : "";
    return z.rows * z.cols == 1 ? lh_printf(t->a, "one number%s", heads)
                                : lh_printf(t->a, "%dx%d%s", z.rows, z.cols, heads);
}

static bool same_shape(const trial *t, const lh_step *right, const lh_step *own,
                       lh_comparison *out) {
    for (int e = 0; e < examples_of(t, right->node); e++) {
        lh_sizes a = lh_exact.sizes(t->right.plan, right->node, e),
                 b = lh_exact.sizes(t->own.plan, own->node, e);
        bool is_batched = right->node->shape.is_batched;
        if (a.rows == b.rows && a.cols == b.cols && a.heads == b.heads &&
            is_batched == own->node->shape.is_batched)
            continue;
        out->cell = right->path;
        out->shape[0] = lh_printf(t->a, "%s%s", shape_text(t, &t->right, right->node, e),
                                  is_batched ? " for each example" : "");
        out->shape[1] = lh_printf(t->a, "%s%s", shape_text(t, &t->own, own->node, e),
                                  own->node->shape.is_batched ? " for each example" : "");
        return false;
    }
    return true;
}

static bool same_numbers(const trial *t, const lh_step *right, const lh_step *own, double slack,
                         lh_comparison *out) {
    int examples = examples_of(t, right->node);
    double scale = largest(t->right.plan, right->node, examples);
    for (int e = 0; e < examples; e++) {
        lh_sizes z = lh_exact.sizes(t->right.plan, right->node, e);
        for (int i = 0; i < z.heads * z.rows * z.cols; i++) {
            lh_cell at = {e, i / (z.rows * z.cols), i / z.cols % z.rows, i % z.cols};
            double a = lh_exact.get(t->right.plan, right->node, at),
                   b = lh_exact.get(t->own.plan, own->node, at);
            if (is_near(a, b, scale, slack)) continue;
            lh_explainer x = {.g = t->right.g, .plan = t->right.plan, .arena = t->a};
            out->cell = lh_cell_text(&x, right->node, at);
            out->right = a;
            out->own = b;
            return false;
        }
    }
    return true;
}

static bool is_after(const trial *t, const lh_step *s) {
    bool is_value = s->kind == LH_STEP_FORWARD && !s->node->is_discrete,
         is_slope = s->kind == LH_STEP_GRADIENT || s->kind == LH_STEP_UPDATE;
    return !s->is_dead && (is_value || (is_slope && (t->how == ANY_SIGN || t->how == SIGNS_KEPT)));
}

static bool same_step(const trial *t, const lh_step *right, double slack, lh_comparison *out) {
    const lh_step *own = lh_graph_step(t->own.g, right->path);
    if (!own || own->is_dead) return true;
    return same_shape(t, right, own, out) && same_numbers(t, right, own, slack, out);
}

static bool same_all(const trial *t, lh_comparison *out) {
    const lh_graph *g = t->right.g;
    const lh_step *asked = lh_graph_step(g, t->step);
    if (!asked || !same_step(t, asked, near_enough, out)) return false;
    for (int i = asked->id + 1; i < g->n_steps; i++)
        if (is_after(t, g->step[i]) && !same_step(t, g->step[i], near_after, out)) return false;
    return true;
}

/* ---- words ---- */

static const char *value_text(const trial *t, const lh_node *n) {
    lh_sizes z = lh_exact.sizes(t->right.plan, n, 0);
    double *cell = lh_alloc_array(t->a, (size_t)(z.rows * z.cols) + 1, sizeof *cell);
    if (!cell) return "";
    for (int i = 0; i < z.rows * z.cols; i++)
        cell[i] = lh_exact.get(t->right.plan, n, (lh_cell){0, 0, i / z.cols, i % z.cols});
    return lh_value_text(t->a, &(lh_value){z.rows, z.cols, cell, NULL}, 4);
}

static void add_operands(const trial *t, const lh_node *n, lh_text *out, int *count, int depth) {
    for (int i = 0; i < n->n_in && depth < 8; i++) {
        const lh_node *in = n->in[i];
        if (!in->step || lh_step_is_inner(in->step)) {
            add_operands(t, in, out, count, depth + 1);
            continue;
        }
        lh_sizes z = lh_exact.sizes(t->right.plan, in, 0);
        const char *label = lh_printf(t->a, "%s = ", in->step->path);
        bool is_new = !strstr(out->s, label);
        if (!is_new || z.rows * z.cols > SHOWN_CELLS || *count >= SHOWN_OPERANDS) continue;
        lh_text_add(out, "%s%s%s", *count ? ", " : "", label, value_text(t, in));
        ++*count;
    }
}

static const char *operands_text(const trial *t) {
    lh_text out = lh_text_new(t->a);
    const lh_step *asked = lh_graph_step(t->right.g, t->step);
    int n = 0;
    if (asked) add_operands(t, asked->node, &out, &n, 0);
    return out.s;
}

/* ---- the whole ---- */

/* No nan, and not infinite all over. */
static bool has_numbers(const trial *t) {
    bool any = false;
    const lh_step *s = lh_graph_step(t->right.g, t->step);
    for (int e = 0; s && e < examples_of(t, s->node); e++) {
        lh_sizes z = lh_exact.sizes(t->right.plan, s->node, e);
        for (int i = 0; i < z.heads * z.rows * z.cols; i++) {
            lh_cell at = {e, i / (z.rows * z.cols), i / z.cols % z.rows, i % z.cols};
            double x = lh_exact.get(t->right.plan, s->node, at);
            if (isnan(x)) return false;
            any |= isfinite(x);
        }
    }
    return any;
}

/* False: they differ. A draw that the right program makes nothing of is passed over. */
static bool try_once(trial *t, lh_comparison *out) {
    lh_context *ctx = t->right.g->ctx;
    begin(&t->right);
    begin(&t->own);
    if (t->how != LESSONS) draw_all(t);
    lh_exact.run(t->right.plan);
    if (lh_failed(ctx) && ctx->error.kind != LH_ERROR_MEMORY && t->how != LESSONS) {
        lh_context_clear(ctx);
        return true;
    }
    lh_exact.run(t->own.plan);
    if (lh_failed(ctx)) return false;
    if (t->how != LESSONS && !has_numbers(t)) return true;
    if (same_all(t, out)) {
        out->n_draws += t->how != LESSONS;
        return true;
    }
    out->draw = t->draw;
    out->operands = operands_text(t);
    return false;
}

lh_comparison lh_task_compare(lh_arena *a, lh_graph *right, lh_graph *own, const char *step) {
    lh_comparison out = {.is_same = true};
    trial t = {.a = a, .right = {.g = right}, .own = {.g = own}, .step = step, .how = LESSONS};
    t.right.plan = lh_exact.plan(right, &(lh_wish){.all = true});
    t.own.plan = lh_exact.plan(own, &(lh_wish){.all = true});
    bool fits = right->n_givens == own->n_givens && right->n_inputs == own->n_inputs;
    if (t.right.plan && t.own.plan && fits) out.is_same = try_once(&t, &out);
    for (t.draw = 1; fits && !lh_failed(right->ctx) && out.is_same; t.draw++) {
        if (t.draw > MOST_TRIES || out.n_draws >= LH_TASK_DRAWS) break;
        t.how = (manner)(t.draw % N_MANNERS);
        out.is_same = try_once(&t, &out);
    }
    lh_exact.free(t.right.plan);
    lh_exact.free(t.own.plan);
    if (lh_failed(right->ctx)) out.is_same = false;
    return out;
}
