/* show_chart -- the items of a `show` block that are charts, drawings of a program or diagrams. */
#include <math.h>

#include "explain/chart_show.h"
#include "pages/lesson_html.h"
#include "pages/page_address.h"

bool lh_show_is_chart(lh_show_verb verb) {
    return lh_chart_shows(lh_show_words[verb]);
}

/* Numbers as the page shows them: of the lesson's own training, at the step where the page is. */
typedef struct showing {
    lh_reading *r;
    int program;
} showing;

static const lh_plan *moment_of(void *who, int updates) {
    const showing *x = who;
    return lh_live_moment(x->r->live, x->program, updates);
}

static const char *address_of(void *who, const lh_plan *p, const lh_node *n, lh_cell at,
                              int updates) {
    const showing *x = who;
    lh_addressed from = {lh_program_prefix(x->r, x->program), lh_live_graph(x->r->live, x->program),
                         p, updates, NULL};
    return lh_address_of(x->r->arena, &from, n, at);
}

static void touch_losses(lh_reading *r, const lh_show *s, lh_chart *c) {
    for (int i = 0; i < c->n_series; i++) {
        showing who = {r, s->n_other ? s->other[i] : s->program};
        const lh_graph *g = lh_live_graph(r->live, who.program);
        const lh_plan *start = g ? lh_live_moment(r->live, who.program, 0) : NULL;
        lh_show_how how = {.address = address_of,
                           .has_batches = lh_live_has_batches(r->live, who.program),
                           .who = &who};
        if (start) lh_losses_address(r->arena, &c->series[i], g, start, &how);
    }
}

/* Training is the lesson's business: its programs have batches and an order of their own. */
static lh_chart *loss_chart(lh_reading *r, const lh_show *s) {
    int n = s->n_other ? s->n_other : 1;
    const char **name = lh_alloc_array(r->arena, (size_t)n, sizeof *name);
    const double **loss = lh_alloc_array(r->arena, (size_t)n, sizeof *loss);
    int *length = lh_alloc_array(r->arena, (size_t)n, sizeof *length);
    for (int i = 0; name && loss && length && i < n; i++) {
        int program = s->n_other ? s->other[i] : s->program;
        name[i] = program ? r->lesson->program[program].name : "this";
        length[i] = s->updates + 1;
        loss[i] = lh_live_losses(r->live, program, s->updates);
        if (!loss[i]) return NULL;
    }
    if (!name || !loss || !length) return NULL;
    lh_chart *c = lh_chart_losses(r->arena, s->n_other ? name : NULL, loss, length, n);
    if (c) c->title = "loss", touch_losses(r, s, c);
    return c;
}

static lh_chart *value_chart(lh_reading *r, const lh_show *s) {
    showing who = {r, s->program};
    lh_show_how how = {.updates = lh_reading_moment(r, s->program),
                       .moment = moment_of,
                       .address = address_of,
                       .who = &who};
    lh_show_program p = {"", lh_live_graph(r->live, s->program)};
    lh_text t = lh_text_new(r->arena);
    lh_text_add(&t, "%s", lh_show_words[s->verb]);
    for (int i = 0; i < s->n_operands; i++) lh_text_add(&t, " %s", s->operand[i].text);
    return p.g ? lh_chart_show(r->arena, &p, 1, t.s, &how) : NULL;
}

/* Of bars that are the shares of a whole; 0 of others. */
static double largest_share(const lh_chart *c) {
    double sum = 0, largest = 0;
    if (!c || c->kind != LH_CHART_BARS || !c->n_series) return 0;
    for (int i = 0; i < c->series[0].n; i++) {
        const double y = c->series[0].y[i];
        if (!(y >= 0)) return 0;
        sum += y;
        largest = fmax(largest, y);
    }
    return fabs(sum - 1) < 1e-6 ? largest : 0;
}

/* Probabilities below each other in one block are there to be compared: an equal share is a bar of equal length. */
static void scale_shares(lh_reading *r, int show, lh_chart *c) {
    const lh_lesson *l = r->lesson;
    double most = largest_share(c);
    if (most == 0) return;
    for (int b = 0; b < l->n_blocks; b++) {
        const lh_lesson_block *block = &l->block[b];
        const int first = block->first, end = first + block->n;
        if (block->kind != LH_BLOCK_SHOW || show < first || show >= end) continue;
        for (int i = first; i < end; i++)
            if (i != show && l->show[i].verb == LH_SHOW_BARS)
                most = fmax(most, largest_share(value_chart(r, &l->show[i])));
    }
    c->most = most;
}

lh_chart *lh_show_chart(lh_reading *r, int show) {
    const lh_show *s = &r->lesson->show[show];
    lh_chart *c = s->verb == LH_SHOW_LOSS ? loss_chart(r, s) : value_chart(r, s);
    scale_shares(r, show, c);
    if (c) c->is_captioned = *s->caption || s->exercise; /* an exercise says itself what it shows */
    return c;
}

lh_picture *lh_show_picture(lh_reading *r, int show) {
    const lh_show *s = &r->lesson->show[show];
    lh_graph *g = lh_live_graph(r->live, s->program);
    if (!g) return NULL;
    if (s->verb == LH_SHOW_MODEL) return lh_picture_new(g, LH_PICTURE_FORWARD);
    if (!s->n_operands) return lh_picture_new(g, LH_PICTURE_FOLDED);
    lh_where where = {s->program, s->exercise, s->operand[0].at};
    const lh_step *goal = lh_live_step(r->live, s->operand[0].text, where);
    return goal ? lh_picture_to(g, goal) : NULL;
}

const lh_diagram *lh_show_diagram(lh_reading *r, int show) {
    const lh_show *s = &r->lesson->show[show];
    const lh_diagram *d = lh_diagram_find(s->operand[0].text);
    lh_graph *g = d ? NULL : lh_live_graph(r->live, s->program);
    return g ? lh_diagram_training(r->arena, g) : d;
}
