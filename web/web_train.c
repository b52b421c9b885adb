/* web_train -- how a program learns: the moment that a page shows, and curves over the updates. */
#include <string.h>

#include "base/number.h"
#include "explain/chart_show.h"
#include "pages/page_address.h"
#include "web.h"

static bool read_count(lh_web *w, const char *text, int *n) {
    if (lh_number_whole(text, 0, w->lesson->most_updates, n)) return true;
    return lh_web_fail(w, LH_ERROR_VALUE,
                       "a number of updates from 0 to %d is expected, not \"%.40s\"",
                       w->lesson->most_updates, text);
}

/* The first program that learns: it says whether there is such a moment. */
static int learner(lh_web *w) {
    for (int i = 0; i < w->lesson->n_programs; i++) {
        const lh_lesson_program *p = &w->lesson->program[i];
        if ((!p->text && p->of < 0) || p->exercise) continue;
        const lh_graph *g = lh_live_graph(w->live, i);
        if (!g && w->ctx->error.kind != LH_ERROR_MEMORY) lh_context_clear(w->ctx);
        if (g && lh_loop_learns(g)) return i;
    }
    return 0;
}

/* Programs that do not learn stay as they are. */
void lh_web_step(lh_web *w, int n, const char *const *argument) {
    int step, before = w->step;
    (void)n;
    if (!read_count(w, argument[0], &step)) return;
    w->step = step;
    if (!lh_live_moment(w->live, learner(w), step)) w->step = before;
    lh_json_int(&w->json, "step", w->step);
}

/* Every stride-th update, so that a curve has no more points than a screen shows. */
typedef struct span {
    int from, to, stride, n;
} span;

static span span_of(int from, int to) {
    span s = {from, to, 1, 0};
    while ((to - from) / s.stride + 1 > LH_WEB_POINTS) s.stride++;
    s.n = (to - from) / s.stride + 1;
    return s;
}

static double read_cell(lh_web *w, const lh_web_address *a, int step) {
    const lh_plan *plan = lh_live_moment(w->live, a->program, step);
    lh_cell at;
    if (!plan || !lh_address_cell(a->g, plan, &a->at, a->step->node, &at)) return 0;
    return lh_exact.get(plan, a->step->node, at);
}

/* All addresses at one moment before the next moment: training goes forward once. */
static void write_values(lh_web *w, const span *s, int n, const char *const *address) {
    lh_web_address *a = lh_alloc_array(w->arena, (size_t)n + 1, sizeof *a);
    double *value = lh_alloc_array(w->arena, (size_t)n * (size_t)s->n + 1, sizeof *value);
    for (int i = 0; a && i < n && !lh_failed(w->ctx); i++) lh_web_find(w, address[i], &a[i]);
    for (int k = 0; a && value && k < s->n && !lh_failed(w->ctx); k++)
        for (int i = 0; i < n && !lh_failed(w->ctx); i++)
            value[i * s->n + k] = read_cell(w, &a[i], s->from + k * s->stride);
    lh_json_begin(&w->json, "values", '{');
    for (int i = 0; value && i < n && !lh_failed(w->ctx); i++) {
        lh_json_begin(&w->json, address[i], '[');
        for (int k = 0; k < s->n; k++) lh_json_number(&w->json, NULL, value[i * s->n + k]);
        lh_json_end(&w->json, ']');
    }
    lh_json_end(&w->json, '}');
}

/* The address of the loss before the first update; null where losses are of batches, or a mean that no step has. */
static void write_loss_address(lh_web *w, int program) {
    const lh_graph *g = lh_live_graph(w->live, program);
    const lh_plan *start = g ? lh_live_moment(w->live, program, 0) : NULL;
    const bool has_batches = lh_live_has_batches(w->live, program);
    const lh_node *loss = start && !has_batches ? lh_loss_shown(g, start) : NULL;
    lh_addressed from = {lh_web_prefix(w, program), g, start, 0, NULL};
    lh_json_text(&w->json, "at",
                 loss ? lh_address_of(w->arena, &from, loss, (lh_cell){0, 0, 0, 0}) : NULL);
}

/* losses FROM TO [PROGRAM [ADDRESS...]] */
void lh_web_losses(lh_web *w, int n, const char *const *argument) {
    int from, to, program = 0;
    if (!read_count(w, argument[0], &from) || !read_count(w, argument[1], &to)) return;
    if (from > to) {
        lh_web_fail(w, LH_ERROR_VALUE, "from %d to %d goes back", from, to);
        return;
    }
    if (n > 2 && !lh_web_program(w, argument[2], &program)) return;
    const span s = span_of(from, to);
    const double *loss = lh_live_losses(w->live, program, to);
    if (!loss) return;
    lh_json_begin(&w->json, "steps", '[');
    for (int k = 0; k < s.n; k++) lh_json_int(&w->json, NULL, from + k * s.stride);
    lh_json_end(&w->json, ']');
    lh_json_begin(&w->json, "loss", '[');
    for (int k = 0; k < s.n; k++) lh_json_number(&w->json, NULL, loss[from + k * s.stride]);
    lh_json_end(&w->json, ']');
    write_loss_address(w, program);
    if (n > 3) write_values(w, &s, n - 3, argument + 3);
}
