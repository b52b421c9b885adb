/* lesson_show -- the items of a `show` block as HTML: matrices are tables, pictures are SVG, working is a table of lines. */
#include <string.h>

#include "base/number.h"
#include "explain/chart_show.h"
#include "explain/explain.h"
#include "pages/grid.h"
#include "pages/lesson_html.h"
#include "pages/operands.h"
#include "pages/run_json.h"
#include "pages/run_text.h"

enum { DIGITS = 6 };

typedef struct scene {
    lh_writer *w;
    lh_reading *r;
    lh_text *out;
    const lh_show *show;
    int number;
    lh_graph *g;
    int program; /* of the numbers that are written now, and after how many updates they are */
    int moment;
} scene;

static const lh_step *step_of(scene *s, int program, const lh_mention *m, const lh_plan **plan) {
    lh_address a;
    lh_where where = {program, s->show->exercise, m->at};
    const lh_step *step = lh_live_step(s->r->live, m->text, where);
    if (!step || !lh_address_parse(s->r->ctx, m->text, &a)) return NULL;
    s->program = program;
    s->moment = a.has_step ? a.step : lh_reading_moment(s->r, program);
    *plan = lh_live_moment(s->r->live, program, s->moment);
    return *plan ? step : NULL;
}

/* ---- matrices ---- */

static lh_grid_place place_of(scene *s, const lh_graph *g, const lh_plan *plan, const lh_step *step,
                              int example, int head) {
    return (lh_grid_place){
        {lh_program_prefix(s->r, s->program), g, plan, s->moment, NULL}, step, example, head};
}

/* Behind its name each head of an example: of the first, unless the address names another. */
static void put_value(scene *s, const lh_graph *g, const lh_plan *plan, const lh_step *step,
                      const char *address, const char *name) {
    lh_arena *a = s->r->arena;
    lh_address at;
    if (!lh_address_parse(s->r->ctx, address, &at)) return;
    int example = at.has_example ? at.example : 0;
    int heads = lh_exact.sizes(plan, step->node, example).heads;
    for (int h = 0; h < heads; h++) {
        if (at.has_head && at.head != h) continue;
        lh_grid m = lh_grid_of(
            a,
            &(lh_grid_from){.g = g, .plan = plan, .n = step->node, .example = example, .head = h});
        bool is_one = heads == 1 || at.has_head;
        const char *label = is_one ? name : lh_printf(a, "%s, head %d", name, h);
        size_t n = strlen(label);
        bool is_update = n > 2 && strcmp(label + n - 2, ":=") == 0;
        if (is_update) label = lh_copy(a, label, n - 2);
        lh_put_in(s->out, "<div class=\"value\"><span><code>", label, "</code>");
        lh_text_add(s->out, " %s</span>\n", is_update ? ":=" : "=");
        lh_grid_place place = place_of(s, g, plan, step, example, h);
        lh_put_grid(s->out, &m, label, &place);
        lh_put(s->out, "</div>\n");
    }
}

static void show_matrix(scene *s) {
    for (int i = 0; i < s->show->n_operands; i++) {
        const lh_plan *plan;
        const lh_mention *m = &s->show->operand[i];
        const lh_step *step = step_of(s, s->show->program, m, &plan);
        if (step) put_value(s, s->g, plan, step, m->text, m->text);
    }
}

static void show_compare(scene *s) {
    int other = s->show->other[0];
    const char *name = s->r->lesson->program[other].name;
    lh_graph *g = lh_live_graph(s->r->live, other);
    for (int i = 0; g && i < s->show->n_operands; i++) {
        const lh_mention *m = &s->show->operand[i];
        const lh_plan *plan;
        const lh_step *step = step_of(s, s->show->program, m, &plan);
        lh_put(s->out, "<div class=\"beside\">\n");
        if (step) put_value(s, s->g, plan, step, m->text, m->text);
        step = step ? step_of(s, other, m, &plan) : NULL;
        if (step)
            put_value(s, g, plan, step, m->text, lh_printf(s->r->arena, "%s: %s", name, m->text));
        lh_put(s->out, "</div>\n");
    }
}

static void show_given(scene *s) {
    const lh_plan *plan = lh_live_moment(s->r->live, s->show->program, 0);
    s->program = s->show->program;
    lh_trace *t = plan ? lh_trace_new(s->g, &(lh_trace_how){.all = true}) : NULL;
    const lh_graph *g = s->g;
    lh_put(s->out, "<div class=\"beside\">\n");
    for (int i = 0; t && i < g->n_vocabs; i++) {
        bool is_only = strcmp(g->vocab[i]->name, "vocab") == 0;
        lh_put_in(s->out, "<p><code>vocab", is_only ? "" : " ", "");
        lh_put_xml(s->out, is_only ? "" : g->vocab[i]->name);
        for (int k = 0; k < g->vocab[i]->n_words && k < 40; k++)
            lh_put_in(s->out, " ", g->vocab[i]->word[k], "");
        lh_text_add(s->out, "%s</code></p>\n", g->vocab[i]->n_words > 40 ? " ..." : "");
    }
    for (int i = 0; t && i < g->n_examples && i < 16; i++)
        lh_put_in(s->out, "<p><code>example ", lh_example_text(s->r->arena, g, i), "</code></p>\n");
    for (int i = 0; t && i < t->n_items && t->item[i].section == LH_SECTION_GIVEN; i++)
        put_value(s, g, plan, t->item[i].step, t->item[i].step->path, t->item[i].step->path);
    lh_put(s->out, "</div>\n");
    lh_trace_free(t);
}

/* ---- the trace ---- */

static void put_inner(scene *s, const lh_plan *plan, const lh_trace_item *item) {
    bool is_open = false;
    for (int i = 0; i < item->n_inner; i++) {
        const lh_step *x = item->inner[i];
        if (x->kind == LH_STEP_UPDATE) continue;
        if (!is_open) lh_put(s->out, "<ul class=\"inside\">\n");
        is_open = true;
        lh_put_in(s->out, "<li><code>", lh_step_label(s->g, x, x->node->scope), " = ");
        lh_put_in(s->out, "", lh_step_formula(s->g, x), "</code>\n");
        lh_grid m = lh_grid_of(s->r->arena, &(lh_grid_from){.g = s->g, .plan = plan, .n = x->node});
        lh_grid_place place = place_of(s, s->g, plan, x, 0, 0);
        lh_put_grid(s->out, &m, x->path, &place);
        lh_put(s->out, "</li>\n");
    }
    if (is_open) lh_put(s->out, "</ul>\n");
}

/* One cell worked out; its numbers can be asked as those of the matrices. */
static void put_cell(scene *s, const lh_plan *plan, const lh_step *x) {
    lh_run_worked c = lh_run_work(s->r->arena, s->g, plan, x, 0);
    lh_addressed from = {lh_program_prefix(s->r, s->program), s->g, plan, s->moment, NULL};
    int n = 0;
    if (!c.term) return;
    const lh_operand *list = lh_operands_of(s->r->arena, &from, c.term, LH_RUN_DIGITS, &n);
    lh_put_in(s->out, "<p class=\"quiet\"><code>", c.label, " = ");
    lh_put_operands(s->out, c.numbers, list, n);
    lh_put(s->out, "</code></p>\n");
}

static void put_step(scene *s, const lh_plan *plan, const lh_trace_item *item) {
    const lh_step *x = item->step;
    bool is_update = x->kind == LH_STEP_UPDATE;
    const char *name = is_update ? x->of->path : x->path;
    lh_put(s->out, "<div class=\"step\">\n");
    lh_put_in(s->out, "<p><code>", name, is_update ? " := " : " = ");
    lh_put_in(s->out, "", lh_step_formula(s->g, x), "</code>");
    if (x->comment) lh_put_in(s->out, " <span class=\"quiet\">", x->comment, "</span>");
    lh_put(s->out, "</p>\n");
    put_inner(s, plan, item);
    if (is_update) put_value(s, s->g, plan, x->of, name, "before");
    put_value(s, s->g, plan, x, name, is_update ? "after" : name);
    if (!is_update) put_cell(s, plan, x);
    lh_put(s->out, "</div>\n");
}

static void show_trace(scene *s) {
    lh_trace *t = lh_trace_new(s->g, &(lh_trace_how){.all = true});
    for (int i = 0; t && i < s->show->n_operands; i++) {
        const lh_plan *plan;
        const lh_mention *m = &s->show->operand[i];
        const lh_step *step = step_of(s, s->show->program, m, &plan);
        int k = 0;
        while (step && k < t->n_items && t->item[k].step != step) k++;
        if (step && k < t->n_items)
            put_step(s, plan, &t->item[k]);
        else if (step)
            put_value(s, s->g, plan, step, m->text, m->text);
    }
    lh_trace_free(t);
}

/* ---- one number ---- */

static void put_line(scene *s, const lh_line *l, const lh_addressed *from) {
    char value[LH_NUMBER_MAX];
    lh_number_text(value, sizeof value, l->value, DIGITS);
    lh_text_add(s->out, "<tr><th scope=\"row\" class=\"d%d\">", l->depth > 5 ? 5 : l->depth);
    lh_put_in(s->out, "<code>", l->label, "</code></th>");
    lh_put_in(s->out, "<td><code>", l->formula, "</code></td>");
    int n = 0;
    const lh_operand *list =
        from->plan ? lh_operands_of(s->r->arena, from, l->term, DIGITS, &n) : NULL;
    lh_put(s->out, "<td><code>");
    lh_put_operands(s->out, lh_line_between(l, value), list, n);
    lh_put(s->out, "</code></td>");
    const char *at = from->plan ? lh_address_of(s->r->arena, from, l->shown, l->at) : NULL;
    if (at) lh_put_in(s->out, "<td data-at=\"", at, "\">");
    lh_put_in(s->out, at ? "<code>" : "<td><code>", value, "</code>");
    if (l->note) lh_put_in(s->out, " <span class=\"quiet\">", l->note, "</span>");
    lh_put(s->out, "</td></tr>\n");
}

/* H[1][0] = 0.0498232 row 1 (B) */
static void put_explained(scene *s, const lh_explanation *e, const char *address,
                          lh_addressed from) {
    char value[LH_NUMBER_MAX];
    if (e->address.has_step) from.step = e->address.step;
    lh_put_in(s->out, "<p><code>", address, " = <span class=\"n\"");
    if (from.plan)
        lh_put_in(s->out, " data-at=\"", lh_address_of_step(s->r->arena, &from, e->step, e->at),
                  "\"");
    lh_put_in(s->out, ">", lh_number_text(value, sizeof value, e->value, DIGITS), "</span></code>");
    lh_put_in(s->out, " <span class=\"quiet\">", e->where, "</span></p>\n");
}

static void show_explain(scene *s) {
    for (int i = 0; i < s->show->n_operands; i++) {
        const char *address = s->show->operand[i].text;
        const int moment = lh_reading_moment(s->r, s->show->program);
        if (moment && !strchr(address, '@'))
            address = lh_printf(s->r->arena, "%s@%d", address, moment);
        lh_explain_how how = {.digits = DIGITS};
        if (!strchr(address, '@')) how.plan = lh_live_moment(s->r->live, s->show->program, 0);
        lh_explanation *e = lh_explain(s->g, address, &how);
        if (!e) return;
        lh_addressed from = {lh_program_prefix(s->r, s->show->program), s->g,
                             lh_live_moment(s->r->live, s->show->program, e->moment), e->moment,
                             NULL};
        put_explained(s, e, address, from);
        lh_put_in(s->out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"",
                  address,
                  "\"><table class=\"work\">\n<thead><tr><th scope=\"col\">number</th>"
                  "<th scope=\"col\">formula</th><th scope=\"col\">with numbers</th>"
                  "<th scope=\"col\">value</th></tr></thead>\n<tbody>\n");
        for (int k = 0; k < e->n_lines; k++) put_line(s, &e->line[k], &from);
        lh_put(s->out, "</tbody></table></div>\n");
        lh_explanation_free(e);
    }
}

/* ---- pictures ---- */

static const char *picture_id(scene *s) {
    return lh_printf(s->r->arena, "%sfigure-%d-", s->w->prefix, s->number + 1);
}

static void put_drawing(scene *s, const char *svg, const char *label) {
    const char *style = NULL;
    lh_put_in(s->out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"", label,
              "\">\n");
    lh_put_svg(s->out, s->w->styles, svg, picture_id(s), "graph", &style);
    lh_put(s->out, "</div>\n");
    if (style) s->w->graph_style = style;
}

static void show_graph(scene *s) {
    lh_picture *p = lh_show_picture(s->r, s->number);
    lh_text svg = lh_text_new(s->r->arena);
    if (!p) return;
    lh_picture_svg(p, s->r->title, &svg);
    put_drawing(s, svg.s, "the model as a drawing");
    lh_picture_free(p);
}

static void show_diagram(scene *s) {
    const lh_diagram *d = lh_show_diagram(s->r, s->number);
    lh_text svg = lh_text_new(s->r->arena);
    if (!d) return;
    lh_diagram_svg(d, s->r->lesson->name, &svg);
    put_drawing(s, svg.s, "a diagram");
}

static void show_chart(scene *s) {
    lh_chart *c = lh_show_chart(s->r, s->number);
    lh_text svg = lh_text_new(s->r->arena);
    const char *style = NULL;
    if (!c) return;
    lh_chart_svg(c, &(lh_chart_page){.id = "chart"}, &svg);
    lh_put(s->out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"a chart\">\n");
    lh_put_svg(s->out, s->w->styles, svg.s, picture_id(s), "chart", &style);
    lh_put(s->out, "</div>\n");
    if (style) s->w->chart_style = style;
}

/* ---- patterns ---- */

static void show_table(scene *s) {
    const lh_plan *plan = lh_live_moment(s->r->live, s->show->program, s->show->updates);
    lh_prediction *row = NULL;
    int n = plan ? lh_run_predictions(s->r->arena, s->g, plan, &row) : 0;
    lh_put(s->out,
           "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"patterns and "
           "predictions\">"
           "<table>\n<thead><tr><th scope=\"col\">pattern</th><th scope=\"col\">prediction</th>"
           "<th scope=\"col\">target</th><th scope=\"col\">right?</th></tr></thead>\n<tbody>\n");
    for (int i = 0; i < n; i++) {
        lh_put_in(s->out, "<tr><th scope=\"row\">", row[i].pattern, "</th>");
        lh_put_in(s->out, "<td>", row[i].said, "</td>");
        lh_put_in(s->out, "<td>", row[i].target, "</td>");
        lh_text_add(s->out, "<td>%s</td></tr>\n",
                    row[i].is_right  ? "\u2713 right"
                    : row[i].is_tied ? "\u2717 a tie"
                                     : "\u2717 wrong");
    }
    lh_put(s->out, "</tbody></table></div>\n");
}

bool lh_lesson_shown(lh_writer *w, int show) {
    static void (*const by_verb[LH_N_SHOW])(scene *) = {
        [LH_SHOW_TRACE] = show_trace,     [LH_SHOW_EXPLAIN] = show_explain,
        [LH_SHOW_MATRIX] = show_matrix,   [LH_SHOW_GIVEN] = show_given,
        [LH_SHOW_GRAPH] = show_graph,     [LH_SHOW_TABLE] = show_table,
        [LH_SHOW_COMPARE] = show_compare, [LH_SHOW_MODEL] = show_graph,
        [LH_SHOW_DIAGRAM] = show_diagram,
    };
    scene s = {.w = w, .r = w->r, .out = w->out, .number = show, .show = &w->r->lesson->show[show]};
    if (s.show->verb != LH_SHOW_DIAGRAM && !(s.g = lh_live_graph(w->r->live, s.show->program)))
        return false;
    if (lh_show_is_chart(s.show->verb))
        show_chart(&s);
    else if (s.show->verb == LH_SHOW_JACOBIAN)
        lh_show_jacobian(w, s.show);
    else if (s.show->verb == LH_SHOW_MISTAKES)
        lh_show_mistakes(w, s.show);
    else if (s.show->verb == LH_SHOW_COST)
        lh_show_cost(w, s.show);
    else if (by_verb[s.show->verb])
        by_verb[s.show->verb](&s);
    else if (s.show->verb == LH_SHOW_CHECK && w->show_check)
        w->show_check(w, s.show);
    return !lh_failed(w->r->ctx);
}

/* A picture of values says which, so that the page can draw it elsewhere, too: data-draws="points X Y out". */
static void put_draws(lh_writer *w, const lh_show *s) {
    if (!lh_show_is_chart(s->verb) || s->verb == LH_SHOW_LOSS) return;
    lh_put_in(w->out, " data-draws=\"", lh_show_words[s->verb], "");
    for (int i = 0; i < s->n_operands; i++) lh_put_in(w->out, " ", s->operand[i].text, "");
    lh_put(w->out, "\"");
}

bool lh_lesson_show(lh_writer *w, int show) {
    const lh_show *s = &w->r->lesson->show[show];
    const char *program = w->r->lesson->program[s->program].name;
    lh_text_add(w->out, "<figure class=\"show-%s\" data-show=\"%d\"", lh_show_words[s->verb], show);
    if (*program) lh_put_in(w->out, " data-of=\"", program, "\"");
    put_draws(w, s);
    lh_put(w->out, ">\n");
    if (*s->caption) {
        lh_put(w->out, "<figcaption>");
        lh_lesson_words(w, s->caption);
        lh_put(w->out, "</figcaption>\n");
    }
    lh_put(w->out, "<div class=\"shown\">\n");
    bool ok = lh_lesson_shown(w, show);
    if (!ok && w->r->goes_on && w->r->ctx->error.kind != LH_ERROR_MEMORY) {
        lh_put_in(w->out, "<p class=\"problem\">", w->r->ctx->error.what, "</p>\n");
        lh_context_clear(w->r->ctx);
        ok = true;
    }
    lh_put(w->out, "</div>\n</figure>\n");
    return ok;
}
