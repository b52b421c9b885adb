/* web_value -- what a program has: its givens, its steps, their numbers. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "explain/trace.h"
#include "learn/chosen.h"
#include "pages/page_address.h"
#include "pages/grid.h"
#include "pages/run_json.h"
#include "web.h"

static void write_texts(lh_json *j, const char *name, const char *const *text, int n) {
    if (!text) {
        lh_json_text(j, name, NULL);
        return;
    }
    lh_json_begin(j, name, '[');
    for (int i = 0; i < n; i++) lh_json_text(j, NULL, text[i]);
    lh_json_end(j, ']');
}

static const lh_plan *moment_of(lh_web *w, int program, int step) {
    return lh_live_moment(w->live, program, step);
}

/* ---- givens ---- */

static const char *kind_of(const lh_node *n) {
    static const char *const word[] = {"const", "param", "state"};
    if (n->kind == LH_OP_input) return "input";
    return n->given ? word[n->given->kind] : "size";
}

/* Of the program itself and of the turns of its repeats: not what a function makes for itself. */
static bool is_of_reader(const lh_step *s) {
    return s->kind == LH_STEP_GIVEN &&
           (s->scope->kind == LH_SCOPE_TOP || s->scope->kind == LH_SCOPE_REPEAT);
}

static void write_given(lh_web *w, int program, const lh_graph *g, const lh_plan *plan,
                        const lh_step *s) {
    lh_json *j = &w->json;
    lh_sizes z = lh_exact.sizes(plan, s->node, 0);
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "name", s->path);
    lh_json_text(j, "what", lh_printf(w->arena, "%s%s", lh_web_prefix(w, program), s->path));
    lh_json_text(j, "kind", kind_of(s->node));
    lh_json_text(j, "comment", s->comment);
    lh_json_int(j, "rows", z.rows);
    lh_json_int(j, "columns", z.cols);
    lh_json_int(j, "line", s->at.line);
    lh_json_bool(j, "editable", (double)z.rows * z.cols <= LH_WEB_CELLS);
    lh_grid m = lh_grid_of(w->arena, &(lh_grid_from){.g = g, .plan = plan, .n = s->node});
    write_texts(j, "row_labels", m.row, m.rows);
    write_texts(j, "column_labels", m.col, m.cols);
    lh_json_end(j, '}');
}

void lh_web_write_givens(lh_web *w, int program) {
    const lh_plan *plan = moment_of(w, program, 0);
    lh_graph *g = plan ? lh_live_graph(w->live, program) : NULL;
    lh_json_begin(&w->json, "givens", '[');
    for (int i = 0; g && i < g->n_steps; i++)
        if (is_of_reader(g->step[i]) && lh_exact.has(plan, g->step[i]->node))
            write_given(w, program, g, plan, g->step[i]);
    lh_json_end(&w->json, ']');
    lh_json_begin(&w->json, "examples", '[');
    for (int i = 0; g && i < g->n_examples; i++)
        lh_json_text(&w->json, NULL, lh_example_words(w->arena, g, i));
    lh_json_end(&w->json, ']');
    lh_json_begin(&w->json, "vocabularies", '[');
    for (int i = 0; g && i < g->n_vocabs; i++) {
        lh_json_begin(&w->json, NULL, '{');
        lh_json_text(&w->json, "name", g->vocab[i]->name);
        write_texts(&w->json, "words", g->vocab[i]->word,
                    g->vocab[i]->n_words < 1000 ? g->vocab[i]->n_words : 1000);
        lh_json_end(&w->json, '}');
    }
    lh_json_end(&w->json, ']');
}

static bool program_named(lh_web *w, int n, const char *const *argument, int *program) {
    *program = 0;
    return n == 0 || lh_web_program(w, argument[0], program);
}

void lh_web_givens(lh_web *w, int n, const char *const *argument) {
    int program;
    if (program_named(w, n, argument, &program)) lh_web_write_givens(w, program);
}

/* ---- values ---- */

static void write_numbers(lh_json *j, const lh_plan *plan, const lh_node *n, const lh_grid *m,
                          int example, int head) {
    lh_json_begin(j, "numbers", '[');
    for (int r = 0; r < m->rows; r++) {
        lh_json_begin(j, NULL, '[');
        for (int c = 0; c < m->cols; c++)
            lh_json_number(j, NULL, lh_exact.get(plan, n, (lh_cell){example, head, r, c}));
        lh_json_end(j, ']');
    }
    lh_json_end(j, ']');
}

static void write_value(lh_web *w, const char *address, const lh_web_address *a,
                        const lh_plan *plan) {
    lh_json *j = &w->json;
    const lh_node *n = a->step->node;
    lh_cell at;
    lh_address whole = a->at;
    whole.n_indices = 0;
    if (!lh_address_cell(a->g, plan, &whole, n, &at)) return;
    lh_sizes z = lh_exact.sizes(plan, n, at.example);
    lh_addressed from = {lh_web_prefix(w, a->program), a->g, plan, a->moment, NULL};
    lh_grid m = lh_grid_of(
        w->arena,
        &(lh_grid_from){.g = a->g, .plan = plan, .n = n, .example = at.example, .head = at.head});
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "address", address);
    lh_json_text(j, "value", lh_address_of_matrix(w->arena, &from, a->step, at.example, at.head));
    lh_json_text(j, "path", a->step->path);
    lh_json_int(j, "examples", n->shape.is_batched ? lh_exact.examples(plan) : 1);
    lh_json_int(j, "heads", z.heads);
    lh_json_int(j, "rows", z.rows);
    lh_json_int(j, "columns", z.cols);
    write_texts(j, "row_labels", m.row, m.rows);
    write_texts(j, "column_labels", m.col, m.cols);
    lh_json_begin(j, "cells", '[');
    for (int r = 0; r < m.rows; r++) write_texts(j, NULL, m.cell + r * m.cols, m.cols);
    lh_json_end(j, ']');
    write_numbers(j, plan, n, &m, at.example, at.head);
    lh_json_end(j, '}');
}

void lh_web_values(lh_web *w, int n, const char *const *argument) {
    lh_json_begin(&w->json, "values", '[');
    for (int i = 0; i < n && !lh_failed(w->ctx); i++) {
        lh_web_address a;
        const lh_plan *plan =
            lh_web_find(w, argument[i], &a) ? moment_of(w, a.program, a.moment) : NULL;
        if (plan) write_value(w, argument[i], &a, plan);
    }
    lh_json_end(&w->json, ']');
}

/* ---- the whole program ---- */

static const char *const sections[] = {"given", "forward", "backward", "update"};

static void write_step(lh_web *w, lh_graph *g, const lh_trace_item *item) {
    lh_json *j = &w->json;
    const lh_step *s = item->step;
    const lh_node *n = s->node;
    bool is_given = n->kind == LH_OP_given || n->kind == LH_OP_input || n->kind == LH_OP_size;
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "path", s->path);
    lh_json_text(j, "section", sections[item->section]);
    lh_json_text(j, "formula", is_given ? NULL : lh_step_formula(g, s));
    lh_json_text(j, "comment", s->comment);
    lh_json_text(j, "shape", lh_shape_text(g, n->shape));
    lh_json_int(j, "line", s->at.line);
    lh_json_begin(j, "inner", '[');
    for (int k = 0; k < item->n_inner; k++) lh_json_text(j, NULL, item->inner[k]->path);
    lh_json_end(j, ']');
    lh_json_end(j, '}');
}

void lh_web_trace(lh_web *w, int n, const char *const *argument) {
    int program;
    lh_graph *g = program_named(w, n, argument, &program) ? lh_live_graph(w->live, program) : NULL;
    lh_trace *t = g ? lh_trace_new(g, &(lh_trace_how){.all = true}) : NULL;
    lh_json_begin(&w->json, "steps", '[');
    for (int i = 0; t && i < t->n_items; i++) write_step(w, g, &t->item[i]);
    lh_json_end(&w->json, ']');
    lh_trace_free(t);
}

void lh_web_run(lh_web *w, int n, const char *const *argument) {
    int program = 0;
    const bool is_known = program_named(w, n, argument, &program);
    const int step = is_known && n <= 1 ? lh_web_moment(w, program) : n > 1 ? atoi(argument[1]) : 0;
    const lh_plan *plan = is_known ? moment_of(w, program, step) : NULL;
    lh_graph *g = plan ? lh_live_graph(w->live, program) : NULL;
    lh_trace *t = g ? lh_trace_new(g, &(lh_trace_how){.all = true}) : NULL;
    if (t)
        lh_run_members(&w->json, &(lh_run_of){w->arena, w->lesson->name, w->lesson->title, g, plan},
                       t);
    lh_trace_free(t);
}

/* Each line that makes a name, with what it makes: an editor shows shapes beside the lines. */
static void write_lines(lh_web *w, lh_graph *g) {
    lh_json *j = &w->json;
    static const char *const kind[] = {"given",  "forward", "gradient", "part",
                                       "update", "aux",     "body",     "rule"};
    lh_json_begin(j, "lines", '[');
    for (int i = 0; i < g->n_steps; i++) {
        const lh_step *s = g->step[i];
        if (lh_step_is_inner(s) || s->is_dead || !s->at.line) continue;
        lh_json_begin(j, NULL, '{');
        lh_json_int(j, "line", s->at.line);
        lh_json_text(j, "name", s->path);
        lh_json_text(j, "kind", kind[s->kind]);
        lh_json_text(j, "shape", lh_shape_text(g, s->node->shape));
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static void write_name(lh_json *j, const char *name, const char *says) {
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "name", name);
    lh_json_text(j, "says", says);
    lh_json_end(j, '}');
}

static void write_functions(lh_json *j, const lh_program *p) {
    for (int i = 0; i < p->n_statements; i++)
        if (p->statement[i]->kind == LH_S_FN)
            write_name(j, p->statement[i]->name, p->statement[i]->comment);
}

/* What may be written in a formula: steps, functions of the program and of the prelude, operations. */
static void write_names(lh_web *w, const lh_graph *g) {
    lh_json *j = &w->json;
    lh_json_begin(j, "names", '[');
    for (int i = 0; i < g->n_steps; i++)
        if (!lh_step_is_inner(g->step[i]) && g->step[i]->scope->kind == LH_SCOPE_TOP)
            write_name(j, g->step[i]->name, g->step[i]->comment);
    write_functions(j, g->program);
    write_functions(j, g->prelude);
    for (int i = 0; i < LH_N_OPS; i++)
        if (lh_ops[i]->print_kind == LH_PRINT_CALL && lh_ops[i]->summary)
            write_name(j, lh_ops[i]->name, lh_ops[i]->summary);
    lh_json_end(j, ']');
}

void lh_web_show_program(lh_web *w, int n, const char *const *argument) {
    int program;
    if (!program_named(w, n, argument, &program)) return;
    const lh_program *p = lh_live_program_of(w->live, program);
    lh_graph *g = p ? lh_live_graph(w->live, program) : NULL;
    if (!g) return;
    lh_json_text(&w->json, "text", lh_chosen_text(w->arena, p->source));
    write_lines(w, g);
    write_names(w, g);
}
