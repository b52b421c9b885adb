/* show_block -- the items of a `show` block on a screen: each as its command prints it. */
#include <string.h>

#include "cli/explain_command.h"
#include "cli/grid_text.h"
#include "cli/parts.h"
#include "cli/read_place.h"
#include "pages/lesson_html.h"

enum { DIGITS = 6 };

/* An item, and what it is shown from. */
typedef struct scene {
    lh_reading *r;
    lh_cli *cli; /* a copy: out and width are the page's */
    const lh_show *show;
    lh_source source;
    lh_graph *g;
} scene;

static bool failed(const scene *s) {
    return lh_failed(s->cli->ctx);
}

static lh_where where_of(const scene *s, lh_place at) {
    return (lh_where){s->show->program, s->show->exercise, at};
}

/* The step of an operand, and every value at the update that its address names. */
static const lh_step *step_of(scene *s, int program, const lh_mention *m, const lh_plan **plan) {
    lh_where where = where_of(s, m->at);
    lh_address a;
    where.program = program;
    const lh_step *step = lh_live_step(s->r->live, m->text, where);
    if (!step || !lh_address_parse(s->cli->ctx, m->text, &a)) return NULL;
    *plan = lh_live_moment(s->r->live, program, a.has_step ? a.step : 0);
    return *plan ? step : NULL;
}

/* ---- steps ---- */

static const lh_trace_item *item_of(const lh_trace *t, const lh_step *step) {
    for (int i = 0; i < t->n_items; i++)
        if (t->item[i].step == step) return &t->item[i];
    return NULL;
}

/* What stands before a matrix: P =, WO := of an update. */
static const char *name_of(scene *s, const char *program, const char *address) {
    size_t n = strlen(address);
    bool is_update = n > 2 && strcmp(address + n - 2, ":=") == 0;
    return lh_printf(s->r->arena, "%s%s%.*s %s ", program, *program ? ": " : "",
                     (int)(is_update ? n - 2 : n), address, is_update ? ":=" : "=");
}

/* The example and the head that an address names: the first example and every head where it names none. */
static void print_grids(scene *s, const lh_graph *g, const lh_plan *plan, const lh_step *step,
                        const char *address, const char *program) {
    lh_address at;
    if (!lh_address_parse(s->cli->ctx, address, &at)) return;
    int example = at.has_example ? at.example : 0;
    int heads = lh_exact.sizes(plan, step->node, example).heads;
    for (int h = 0; h < heads; h++) {
        if (at.has_head && at.head != h) continue;
        if (heads > 1 && !at.has_head) fprintf(s->cli->out, "head %d\n", h);
        lh_grid m = lh_grid_of(
            s->r->arena,
            &(lh_grid_from){.g = g, .plan = plan, .n = step->node, .example = example, .head = h});
        lh_grid_print(s->cli->out, s->r->arena, &m, name_of(s, program, address), 0, s->cli->width);
    }
}

static void show_trace(scene *s) {
    lh_trace *t = lh_trace_new(s->g, &(lh_trace_how){.all = true});
    for (int i = 0; t && i < s->show->n_operands; i++) {
        const lh_plan *plan;
        const lh_mention *m = &s->show->operand[i];
        const lh_step *step = step_of(s, s->show->program, m, &plan);
        if (!step) break;
        const lh_trace_item *item = item_of(t, step);
        lh_run run = {s->cli, &s->source, s->g, plan, DIGITS, false};
        if (item)
            lh_run_step(&run, item);
        else
            print_grids(s, s->g, plan, step, m->text, "");
    }
    lh_trace_free(t);
}

static void show_matrix(scene *s) {
    for (int i = 0; i < s->show->n_operands; i++) {
        const lh_plan *plan;
        const lh_mention *m = &s->show->operand[i];
        const lh_step *step = step_of(s, s->show->program, m, &plan);
        if (!step) return;
        if (i) fputc('\n', s->cli->out);
        print_grids(s, s->g, plan, step, m->text, "");
    }
}

/* The right numbers, then those of the other program; beside each other there is seldom room. */
static void show_compare(scene *s) {
    int other = s->show->other[0];
    lh_graph *g = lh_live_graph(s->r->live, other);
    for (int i = 0; g && i < s->show->n_operands; i++) {
        const lh_mention *m = &s->show->operand[i];
        const lh_plan *plan;
        const lh_step *step = step_of(s, s->show->program, m, &plan);
        if (!step) return;
        if (i) fputc('\n', s->cli->out);
        print_grids(s, s->g, plan, step, m->text, "");
        step = step_of(s, other, m, &plan);
        if (!step) return;
        print_grids(s, g, plan, step, m->text, s->r->lesson->program[other].name);
    }
}

static void show_given(scene *s) {
    const lh_plan *plan = lh_live_moment(s->r->live, s->show->program, 0);
    lh_trace *t = plan ? lh_trace_new(s->g, &(lh_trace_how){.all = true}) : NULL;
    lh_run run = {s->cli, &s->source, s->g, plan, DIGITS, false};
    if (t) lh_run_given(&run, t);
    lh_trace_free(t);
}

static void show_explain(scene *s) {
    for (int i = 0; i < s->show->n_operands; i++) {
        const char *address = s->show->operand[i].text;
        lh_explanation *e = lh_explain(s->g, address, &(lh_explain_how){.digits = DIGITS});
        if (i) fputc('\n', s->cli->out);
        if (e) lh_print_explanation(s->cli, address, e, DIGITS);
        lh_explanation_free(e);
    }
}

static void show_jacobian(scene *s) {
    for (int i = 0; i < s->show->n_operands; i++)
        if (!lh_print_jacobian(s->cli, s->g, s->show->operand[i].text, DIGITS, NULL)) return;
}

/* ---- the whole program ---- */

static void show_table(scene *s) {
    const lh_plan *plan = lh_live_moment(s->r->live, s->show->program, s->show->updates);
    lh_run run = {s->cli, &s->source, s->g, plan, DIGITS, false};
    if (plan) lh_run_table(&run, plan);
}

static void show_graph(scene *s) {
    lh_picture *p = lh_show_picture(s->r, (int)(s->show - s->r->lesson->show));
    if (p) lh_print_picture(s->cli, p);
    lh_picture_free(p);
}

static void show_diagram(scene *s) {
    const lh_diagram *d = lh_show_diagram(s->r, (int)(s->show - s->r->lesson->show));
    lh_text t = lh_text_new(s->r->arena);
    lh_chart_screen screen = lh_cli_screen(s->cli);
    if (d) lh_diagram_text(d, s->r->lesson->name, &screen, &t);
    fputs(t.s, s->cli->out);
}

/* With the settings that a use line gave the program. */
static lh_build build_of(const scene *s) {
    const lh_lesson_program *p = &s->r->lesson->program[s->show->program];
    return (lh_build){.set = p->set,
                      .n_set = p->n_set,
                      .train = p->train,
                      .n_train = p->n_train,
                      .freeze = p->freeze,
                      .n_freeze = p->n_freeze};
}

static void show_check(scene *s) {
    lh_check *c = lh_show_checked(s->r, s->show);
    if (c) lh_print_check(s->cli, c);
    lh_check_free(c);
}

static void show_cost(scene *s) {
    lh_bill *b = lh_bill_new(s->g, NULL, 0);
    if (b) lh_print_cost(s->cli, b);
    lh_bill_free(b);
}

static void show_mistakes(scene *s) {
    lh_build how = build_of(s);
    lh_print_mistakes(s->cli, s->source.program, &how);
}

static void show_chart(scene *s) {
    const lh_chart *c = lh_show_chart(s->r, (int)(s->show - s->r->lesson->show));
    lh_text t = lh_text_new(s->r->arena);
    lh_chart_screen screen = lh_cli_screen(s->cli);
    if (c) lh_chart_text(c, &screen, &t);
    fputs(t.s, s->cli->out);
}

bool lh_show_print(lh_reading *r, lh_cli *cli, int show) {
    static void (*const by_verb[LH_N_SHOW])(scene *) = {
        [LH_SHOW_TRACE] = show_trace,       [LH_SHOW_EXPLAIN] = show_explain,
        [LH_SHOW_MATRIX] = show_matrix,     [LH_SHOW_GIVEN] = show_given,
        [LH_SHOW_GRAPH] = show_graph,       [LH_SHOW_TABLE] = show_table,
        [LH_SHOW_COMPARE] = show_compare,   [LH_SHOW_CHECK] = show_check,
        [LH_SHOW_COST] = show_cost,         [LH_SHOW_JACOBIAN] = show_jacobian,
        [LH_SHOW_MISTAKES] = show_mistakes, [LH_SHOW_MODEL] = show_graph,
    };
    scene s = {.r = r, .cli = cli, .show = &r->lesson->show[show]};
    if (s.show->verb == LH_SHOW_DIAGRAM) {
        show_diagram(&s);
        return !failed(&s);
    }
    s.g = lh_live_graph(r->live, s.show->program);
    if (!s.g) return false;
    s.source = (lh_source){.name = r->name,
                           .title = r->title,
                           .program = (lh_program *)lh_live_program_of(r->live, s.show->program)};
    if (lh_show_is_chart(s.show->verb))
        show_chart(&s);
    else
        by_verb[s.show->verb](&s);
    return !failed(&s);
}
