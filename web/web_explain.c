/* web_explain -- one number, down to the numbers that made it, each with its address: so that a page can show where it stands. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "learn/chosen.h"
#include "pages/operands.h"
#include "web.h"

typedef struct telling {
    lh_web *w;
    const lh_explanation *e;
    lh_addressed from;
    int digits;
} telling;

static const char *number_text(const telling *t, double x) {
    char text[LH_NUMBER_MAX];
    return lh_printf(t->w->arena, "%s", lh_number_text(text, sizeof text, x, t->digits));
}

/* After the first update a param is no longer what was given. */
static bool is_given(const lh_node *n, int moment) {
    if (n->kind == LH_OP_given) return moment == 0 || !n->given->renewed;
    return n->kind == LH_OP_input || n->kind == LH_OP_size;
}

static void write_operands(const telling *t, const lh_term *term) {
    lh_json *j = &t->w->json;
    int n = 0;
    const lh_operand *list = lh_operands_of(t->w->arena, &t->from, term, t->digits, &n);
    lh_json_begin(j, "operands", '[');
    for (int i = 0; i < n; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "at", list[i].at);
        lh_json_text(j, "text", list[i].text);
        lh_json_number(j, "value", list[i].value);
        lh_json_bool(j, "given", is_given(list[i].node, t->from.step));
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static void write_line(const telling *t, const lh_line *l) {
    lh_json *j = &t->w->json;
    lh_json_begin(j, NULL, '{');
    lh_json_int(j, "depth", l->depth);
    lh_json_text(j, "label", l->label);
    lh_json_text(j, "at", lh_address_of(t->w->arena, &t->from, l->shown, l->at));
    lh_json_text(j, "formula", l->formula);
    lh_json_text(j, "numbers", l->numbers);
    lh_json_number(j, "value", l->value);
    lh_json_text(j, "text", number_text(t, l->value));
    lh_json_text(j, "note", l->note);
    lh_json_bool(j, "given", strcmp(l->formula, "given") == 0);
    write_operands(t, l->term);
    lh_json_end(j, '}');
}

/* dP[1][0] beside P[1][0], and back; whether training changes it. */
static void write_neighbours(const telling *t, const lh_addressed *from) {
    const lh_step *s = t->e->step;
    const lh_step *of = s->kind == LH_STEP_GRADIENT ? s->of : NULL;
    const lh_given *given = s->node->given;
    lh_arena *a = t->w->arena;
    lh_json_text(&t->w->json, "gradient",
                 s->gradient ? lh_address_of_step(a, from, s->gradient, t->e->at) : NULL);
    lh_json_text(&t->w->json, "gradient_of", of ? lh_address_of_step(a, from, of, t->e->at) : NULL);
    lh_json_bool(&t->w->json, "learns", given && given->renewed);
}

static void write_explanation(const telling *t, const char *address) {
    lh_json *j = &t->w->json;
    const lh_explanation *e = t->e;
    lh_addressed whole = t->from;
    whole.step = e->address.has_step ? e->address.step : whole.step;
    lh_json_text(j, "lesson", t->w->lesson ? t->w->lesson->name : NULL);
    lh_json_text(j, "address", address);
    lh_json_text(j, "at", lh_address_of_step(t->w->arena, &whole, e->step, e->at));
    lh_json_text(j, "step", e->step->path);
    lh_json_number(j, "value", e->value);
    lh_json_text(j, "text", number_text(t, e->value));
    lh_json_text(j, "where", e->where);
    lh_json_text(j, "comment", e->step->comment);
    lh_json_bool(j, "given", is_given(e->step->node, whole.step));
    write_neighbours(t, &whole);
    lh_json_begin(j, "lines", '[');
    for (int i = 0; i < e->n_lines; i++) write_line(t, &e->line[i]);
    lh_json_end(j, ']');
}

void lh_web_write_explanation(lh_web *w, const lh_explanation *e, const lh_addressed *from,
                              int digits, const char *address) {
    telling t = {w, e, *from, digits};
    write_explanation(&t, address);
}

/* The numbers of the moment are there already, unless an update saw a batch of its own. */
static const lh_plan *plan_for(lh_web *w, const lh_web_address *a, int moment) {
    lh_lesson_program all = {.shuffle = -1};
    bool is_update =
        a->step->node->kind == LH_OP_given && a->moment > 0 && a->step->node->given->renewed;
    lh_lesson_gather(w->lesson, w->arena, a->program, &all);
    return is_update && all.batch ? NULL : lh_live_moment(w->live, a->program, moment);
}

static void explain(lh_web *w, const lh_web_address *a, const char *address, lh_explain_how *how) {
    const lh_node *n = a->step->node;
    bool is_update = n->kind == LH_OP_given && a->moment > 0 && n->given->renewed;
    int moment = a->moment - is_update;
    const char *with_step =
        a->at.has_step || !a->moment ? a->rest : lh_printf(w->arena, "%s@%d", a->rest, a->moment);
    how->plan = plan_for(w, a, moment);
    if (lh_failed(w->ctx)) return;
    lh_explanation *e = lh_explain(a->g, with_step, how);
    const lh_plan *plan = e ? lh_live_moment(w->live, a->program, moment) : NULL;
    lh_addressed from = {lh_web_prefix(w, a->program), a->g, plan, moment, NULL};
    if (plan) lh_web_write_explanation(w, e, &from, how->digits, address);
    lh_explanation_free(e);
}

void lh_web_explain(lh_web *w, int n, const char *const *argument) {
    lh_explain_how how = {.digits = 6};
    lh_web_address a;
    for (int i = 1; i < n; i++) {
        if (strcmp(argument[i], "deep") == 0) how.deep = true;
        if (strcmp(argument[i], "all") == 0) how.all_terms = true;
        if (strncmp(argument[i], "digits=", 7) == 0) how.digits = atoi(argument[i] + 7);
    }
    if (how.digits < 1 || how.digits > 17) how.digits = 6;
    if (lh_web_explain_mistake(w, argument[0], &how) || lh_failed(w->ctx)) return;
    if (lh_web_find(w, argument[0], &a)) explain(w, &a, argument[0], &how);
}
