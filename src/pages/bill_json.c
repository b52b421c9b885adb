#include "pages/bill_json.h"

const char *const lh_phase_names[LH_N_PHASES] = {"forward", "backward", "update", "whole"};

void lh_keeps(const lh_bill *b, lh_keep list[LH_KEEPS]) {
    list[0] = (lh_keep){"parameters", "parameters", &b->parameters};
    list[1] = (lh_keep){"gradients", "gradients", &b->gradients};
    list[2] = (lh_keep){"optimiser", "states", &b->states};
    list[3] = (lh_keep){"one example", "values", &b->values[LH_EACH]};
    list[4] = (lh_keep){"one batch", "once", &b->values[LH_ONCE]};
}

static void json_amount(lh_json *j, const char *name, const lh_polynomial *p) {
    lh_json_begin(j, name, '{');
    lh_json_number(j, "number", lh_polynomial_value(p));
    lh_json_text(j, "formula", lh_polynomial_text(p));
    lh_json_end(j, '}');
}

static void json_cost(lh_json *j, const lh_cost cost[LH_N_WHEN]) {
    json_amount(j, "multiply_adds", &cost[LH_EACH].multiply_adds);
    json_amount(j, "operations", &cost[LH_EACH].operations);
    json_amount(j, "once_multiply_adds", &cost[LH_ONCE].multiply_adds);
    json_amount(j, "once_operations", &cost[LH_ONCE].operations);
}

static void json_sizes(lh_json *j, const lh_bill *b) {
    const lh_graph *g = b->g;
    lh_json_begin(j, "lengths", '{');
    for (int i = 0; i < g->n_inputs; i++)
        if (g->input[i]->is_many)
            lh_json_number(j, g->input[i]->name,
                           (double)b->names->size[b->names->as[g->input[i]->axis]]);
    lh_json_end(j, '}');
    lh_json_begin(j, "sizes", '{');
    for (int i = 0; i < g->n_axes; i++) {
        const lh_axis *a = &g->axis[i];
        if (a->n && a->name && a->n_factors == 1 && a->factor[0].axis == i)
            lh_json_number(j, a->name, (double)a->n);
    }
    lh_json_end(j, '}');
    lh_json_begin(j, "repeats", '[');
    for (int i = 0; i < b->outline->n_repeats; i++) {
        const lh_turns *t = &b->outline->repeat[i];
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "name", t->name);
        lh_json_int(j, "turns", t->n);
        lh_json_text(j, "size", t->axis >= 0 ? g->axis[t->axis].name : NULL);
        lh_json_text(j, "in", t->outer >= 0 ? b->outline->repeat[t->outer].name : NULL);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static void json_params(lh_json *j, const lh_bill *b) {
    lh_json_begin(j, "params", '[');
    for (int i = 0; i < b->n_params; i++) {
        const lh_given_row *row = &b->param[i];
        lh_shape s = row->given->node->shape;
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "path", row->given->node->step->path);
        lh_json_text(j, "name", row->name);
        lh_json_text(j, "repeat", row->repeat >= 0 ? b->outline->repeat[row->repeat].name : NULL);
        lh_json_int(j, "times", row->times);
        lh_json_number(j, "rows", (double)b->g->axis[s.rows].n);
        lh_json_number(j, "cols", (double)b->g->axis[s.cols].n);
        json_amount(j, "numbers", &row->cells);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static void json_steps(lh_json *j, const lh_bill *b) {
    lh_json_begin(j, "steps", '[');
    for (int i = 0; i < b->n_rows; i++) {
        const lh_cost_row *row = &b->row[i];
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "path", row->step->path);
        lh_json_text(j, "name", row->name);
        lh_json_text(j, "phase", lh_phase_names[row->phase]);
        lh_json_text(j, "repeat", row->repeat >= 0 ? b->outline->repeat[row->repeat].name : NULL);
        lh_json_int(j, "times", row->times);
        json_cost(j, row->cost);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
    lh_json_begin(j, "sums", '{');
    for (int i = 0; i < LH_N_PHASES; i++) {
        lh_json_begin(j, lh_phase_names[i], '{');
        json_cost(j, b->sum[i]);
        lh_json_end(j, '}');
    }
    lh_json_end(j, '}');
}

void lh_bill_members(lh_json *j, const char *lesson, const lh_bill *b) {
    lh_keep list[LH_KEEPS];
    lh_keeps(b, list);
    lh_json_text(j, "lesson", lesson);
    json_sizes(j, b);
    json_params(j, b);
    json_steps(j, b);
    lh_json_begin(j, "numbers", '{');
    for (int i = 0; i < LH_KEEPS; i++) json_amount(j, list[i].json, list[i].numbers);
    lh_json_end(j, '}');
    lh_json_begin(j, "bytes", '{');
    for (int i = 0; i < LH_KEEPS; i++) {
        double n = lh_polynomial_value(list[i].numbers);
        lh_json_begin(j, list[i].json, '{');
        lh_json_number(j, "float", 4 * n);
        lh_json_number(j, "double", 8 * n);
        lh_json_end(j, '}');
    }
    lh_json_end(j, '}');
}
