/* web_check -- a program looked at as a whole: its gradients against differences, its cost, a picture of its values. */
#include <math.h>
#include <string.h>

#include "explain/chart_show.h"
#include "pages/bill_text.h"
#include "pages/page_address.h"
#include "web.h"

/* ---- check ---- */

enum { CELLS = 64 }; /* of one param that are tried: the first, and others evenly apart */

typedef struct trial {
    lh_web *w;
    lh_graph *g;
    lh_plan *plan;
    int program;
} trial;

/* One number for the whole batch: what the gradients of all examples together belong to. */
static double sum_of(const trial *t, const lh_node *n, lh_cell at) {
    const int examples = n->shape.is_batched ? lh_exact.examples(t->plan) : 1;
    double sum = 0;
    for (at.example = 0; at.example < examples; at.example++) sum += lh_exact.get(t->plan, n, at);
    return sum;
}

static double loss_with(const trial *t, const lh_node *n, lh_cell at, double x) {
    lh_exact.set(t->plan, n, at, x);
    lh_exact.run(t->plan);
    return sum_of(t, t->g->loss, (lh_cell){0, 0, 0, 0});
}

/* What the loss does when one number moves a little to both sides. */
static double difference(const trial *t, const lh_node *n, lh_cell at) {
    const double x = lh_exact.get(t->plan, n, at), step = 1e-5 * fmax(1, fabs(x));
    const double above = loss_with(t, n, at, x + step), below = loss_with(t, n, at, x - step);
    lh_exact.set(t->plan, n, at, x);
    return (above - below) / (2 * step);
}

static void check_param(const trial *t, const lh_given *given, bool *agrees) {
    lh_json *j = &t->w->json;
    const lh_node *n = given->node, *d = given->gradient->node;
    const lh_sizes z = lh_exact.sizes(t->plan, n, 0);
    const int cells = z.rows * z.cols, stride = cells > CELLS ? cells / CELLS : 1;
    double worst = -1, by_rule = 0, by_difference = 0;
    lh_cell where = {0, 0, 0, 0};
    int tried = 0;
    for (int i = 0; i < cells && !lh_failed(t->w->ctx); i += stride, tried++) {
        const lh_cell at = {0, 0, i / z.cols, i % z.cols};
        const double moved = difference(t, n, at);
        lh_exact.run(t->plan);
        const double rule = sum_of(t, d, at), off = fabs(rule - moved) / (1 + fabs(rule));
        if (!(off <= worst)) worst = off, where = at, by_rule = rule, by_difference = moved;
    }
    lh_addressed from = {lh_web_prefix(t->w, t->program), t->g, t->plan, 0, NULL};
    const bool is_good = worst < 1e-6;
    *agrees &= is_good;
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "name", n->step->path);
    lh_json_int(j, "numbers", cells);
    lh_json_int(j, "tried", tried);
    lh_json_bool(j, "agrees", is_good);
    lh_json_text(j, "worst", lh_address_of(t->w->arena, &from, n, where));
    lh_json_text(j, "at", lh_address_of(t->w->arena, &from, d, where));
    lh_json_number(j, "gradient", by_rule);
    lh_json_number(j, "difference", by_difference);
    lh_json_end(j, '}');
}

static void check_all(const trial *t) {
    bool agrees = true;
    int n = 0;
    lh_exact.start(t->plan);
    lh_exact.bind(t->plan, NULL, 0);
    lh_exact.run(t->plan);
    lh_json_begin(&t->w->json, "params", '[');
    for (int i = 0; i < t->g->n_givens && !lh_failed(t->w->ctx); i++) {
        const lh_given *given = t->g->given[i];
        if (!given->gradient || !given->node->step) continue;
        check_param(t, given, &agrees);
        n++;
    }
    lh_json_end(&t->w->json, ']');
    lh_json_bool(&t->w->json, "agrees", agrees && n > 0);
}

/* check [PROGRAM]: each gradient against the change of the loss, in double. */
void lh_web_check(lh_web *w, int n, const char *const *argument) {
    trial t = {.w = w};
    if (n && !lh_web_program(w, argument[0], &t.program)) return;
    t.g = lh_live_graph(w->live, t.program);
    if (!t.g) return;
    if (!t.g->loss) {
        lh_web_fail(w, LH_ERROR_NAME, "the program has no loss: there is no `backward`");
        return;
    }
    t.plan = lh_exact.plan(t.g, &(lh_wish){.all = true});
    if (t.plan) check_all(&t);
    lh_exact.free(t.plan);
}

/* ---- cost ---- */

/* cost [PROGRAM]: the bill as tables, as a show block has it. */
void lh_web_cost(lh_web *w, int n, const char *const *argument) {
    lh_text html = lh_text_new(w->arena);
    int program = 0;
    if (n && !lh_web_program(w, argument[0], &program)) return;
    lh_graph *g = lh_live_graph(w->live, program);
    lh_bill *b = g ? lh_bill_new(g, NULL, 0) : NULL;
    if (!b) return;
    lh_put_bill(&html, b, lh_web_prefix(w, program));
    lh_json_text(&w->json, "html", html.s);
    lh_bill_free(b);
}

/* ---- plot ---- */

/* Of which program a picture is. */
typedef struct drawing {
    lh_web *w;
    int program;
} drawing;

static const lh_plan *moment_of(void *who, int updates) {
    const drawing *d = who;
    return lh_live_moment(d->w->live, d->program, updates);
}

static const double *losses_of(void *who, int updates) {
    const drawing *d = who;
    return lh_live_losses(d->w->live, d->program, updates);
}

static const char *address_of(void *who, const lh_plan *p, const lh_node *n, lh_cell at,
                              int updates) {
    const drawing *d = who;
    lh_addressed from = {lh_web_prefix(d->w, d->program), lh_live_graph(d->w->live, d->program), p,
                         updates, NULL};
    return lh_address_of(d->w->arena, &from, n, at);
}

/* plot "heat P" or "fast: heat P": a chart as in a show block. */
void lh_web_plot(lh_web *w, int n, const char *const *argument) {
    const size_t colon = strcspn(argument[0], " :");
    const bool has_name = argument[0][colon] == ':';
    const char *what = argument[0] + (has_name ? colon + 1 : 0);
    drawing d = {w, 0};
    (void)n;
    if (has_name && !lh_web_program(w, lh_copy(w->arena, argument[0], colon), &d.program)) return;
    lh_show_program p = {"", lh_live_graph(w->live, d.program)};
    lh_text svg = lh_text_new(w->arena), words = lh_text_new(w->arena);
    if (!p.g) return;
    lh_chart *c =
        lh_chart_show(w->arena, &p, 1, what,
                      &(lh_show_how){.updates = lh_web_moment(w, d.program),
                                     .moment = moment_of,
                                     .losses = losses_of,
                                     .has_batches = lh_live_has_batches(w->live, d.program),
                                     .address = address_of,
                                     .who = &d});
    if (!c) return;
    lh_chart_svg(c, &(lh_chart_page){.id = "plot"}, &svg);
    lh_chart_describe(c, &words);
    lh_json_text(&w->json, "svg", svg.s);
    lh_json_text(&w->json, "words", words.s);
}
