/* run_json -- the trace as JSON: every step with its formula, shape and numbers, for each example and head. */
#include "pages/run_json.h"

#include <limits.h>
#include <string.h>

static void write_cells(lh_json *j, const lh_plan *p, const lh_node *n, int example) {
    lh_sizes s = lh_exact.sizes(p, n, example);
    for (int h = 0; h < s.heads; h++) {
        lh_json_begin(j, NULL, '[');
        for (int r = 0; r < s.rows; r++) {
            lh_json_begin(j, NULL, '[');
            for (int c = 0; c < s.cols; c++)
                lh_json_number(j, NULL, lh_exact.get(p, n, (lh_cell){example, h, r, c}));
            lh_json_end(j, ']');
        }
        lh_json_end(j, ']');
    }
}

static void write_step(lh_json *j, const lh_run_of *r, const lh_step *s, const char *section) {
    const lh_node *n = s->node;
    if (!lh_exact.has(r->plan, n)) return;
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "path", s->path);
    lh_json_text(j, "section", section);
    lh_json_text(j, "formula",
                 n->kind == LH_OP_given || n->kind == LH_OP_input || n->kind == LH_OP_size
                     ? NULL
                     : lh_step_formula(r->g, s));
    lh_json_text(j, "comment", s->comment);
    lh_json_int(j, "line", s->at.line);
    lh_json_bool(j, "per_example", n->shape.is_batched);
    lh_json_begin(j, "values", '['); /* [example][head][row][column] */
    for (int e = 0; e < (n->shape.is_batched ? lh_exact.examples(r->plan) : 1); e++) {
        lh_json_begin(j, NULL, '[');
        write_cells(j, r->plan, n, e);
        lh_json_end(j, ']');
    }
    lh_json_end(j, ']');
    lh_json_end(j, '}');
}

void lh_run_members(lh_json *j, const lh_run_of *r, const lh_trace *t) {
    static const char *const section[] = {"given", "forward", "backward", "update"};
    lh_json_text(j, "lesson", r->lesson);
    lh_json_text(j, "title", r->title);
    lh_json_begin(j, "examples", '[');
    for (int i = 0; i < r->g->n_examples; i++)
        lh_json_text(j, NULL, lh_example_text(r->arena, r->g, i));
    lh_json_end(j, ']');
    lh_json_begin(j, "steps", '[');
    for (int i = 0; i < t->n_items; i++) {
        for (int k = 0; k < t->item[i].n_inner; k++)
            write_step(j, r, t->item[i].inner[k], "inside");
        write_step(j, r, t->item[i].step, section[t->item[i].section]);
    }
    lh_json_end(j, ']');
}

/* ---- examples ---- */

static char *example_text(lh_arena *a, const lh_graph *g, int example, int most, int most_numbers) {
    lh_text t = lh_text_new(a);
    const lh_example *ex = g->example[example];
    bool arrow = g->n_inputs == 2 && strcmp(g->input[0]->name, "tokens") == 0 &&
                 strcmp(g->input[1]->name, "target") == 0;
    for (int k = 0; k < g->n_inputs; k++) {
        const lh_input *in = g->input[k];
        const lh_example_value *v = &ex->value[k];
        if (k) lh_text_add(&t, arrow ? " -> " : ", ");
        if (!arrow) lh_text_add(&t, "%s =", in->name);
        for (int i = 0; v->cells && i < v->rows && in->vocab && i < most; i++)
            lh_text_add(&t, "%s%s", arrow && i == 0 ? "" : " ", in->vocab->word[(int)v->cells[i]]);
        if (in->vocab && v->rows > most) lh_text_add(&t, " ...");
        if (!in->vocab && v->node) lh_text_add(&t, " row %d", v->row);
        for (int i = 0; v->cells && !in->vocab && i < most_numbers; i++) {
            if (i >= v->rows * (int)g->axis[in->node->shape.cols].n) break;
            lh_text_add(&t, " %g", v->cells[i]);
        }
    }
    return t.s;
}

char *lh_example_text(lh_arena *a, const lh_graph *g, int example) {
    return example_text(a, g, example, 12, 8);
}

char *lh_example_words(lh_arena *a, const lh_graph *g, int example) {
    return example_text(a, g, example, INT_MAX, INT_MAX);
}
