#include "pages/explain_json.h"

#include <string.h>

#include "base/columns.h"
#include "base/number.h"

static void write_line(lh_json *j, const lh_line *l) {
    lh_json_begin(j, NULL, '{');
    lh_json_int(j, "depth", l->depth);
    lh_json_text(j, "label", l->label);
    lh_json_text(j, "formula", l->formula);
    lh_json_text(j, "numbers", l->numbers);
    lh_json_number(j, "value", l->value);
    lh_json_text(j, "note", l->note);
    lh_json_end(j, '}');
}

void lh_explanation_fields(lh_json *j, const char *lesson, const char *address,
                           const lh_explanation *e) {
    lh_json_text(j, "lesson", lesson);
    lh_json_text(j, "address", address);
    lh_json_text(j, "step", e->step->path);
    lh_json_number(j, "value", e->value);
    lh_json_text(j, "where", e->where);
    lh_json_begin(j, "lines", '[');
    for (int i = 0; i < e->n_lines; i++) write_line(j, &e->line[i]);
    lh_json_end(j, ']');
}

void lh_explanation_json(lh_json *j, const char *lesson, const char *address,
                         const lh_explanation *e) {
    lh_json_begin(j, NULL, '{');
    lh_explanation_fields(j, lesson, address, e);
    lh_json_end(j, '}');
    lh_json_close(j);
}

/* ---- lines ---- */

enum { LABEL = 24 }; /* columns for labels; a longer one has its own */

static void add_line(lh_text *out, const lh_line *l, int label, int digits) {
    char value[LH_NUMBER_MAX];
    const int own = lh_columns(l->label) + 2 * l->depth;
    lh_number_text(value, sizeof value, l->value, digits);
    lh_text_add(out, "%*s%s%*s", 2 + 2 * l->depth, "", l->label, own < label ? label - own : 0, "");
    if (strcmp(l->formula, "given") == 0) {
        lh_text_add(out, " = %s   given\n", value);
        return;
    }
    const char *numbers = lh_line_between(l, value);
    if (strcmp(l->formula, value) != 0) lh_text_add(out, " = %s", l->formula);
    if (*numbers) lh_text_add(out, " = %s", numbers);
    lh_text_add(out, " = %s", value);
    if (l->note) lh_text_add(out, "   (%s)", l->note);
    lh_text_add(out, "\n");
}

void lh_explanation_text(lh_text *out, const char *address, const lh_explanation *e, int digits) {
    char value[LH_NUMBER_MAX];
    int label = 0;
    for (int i = 0; i < e->n_lines; i++) {
        const int n = lh_columns(e->line[i].label) + 2 * e->line[i].depth;
        if (n > label && n <= LABEL) label = n;
    }
    lh_text_add(out, "%s = %s", address, lh_number_text(value, sizeof value, e->value, digits));
    if (*e->where) lh_text_add(out, "   %s", e->where);
    if (e->step->comment && *e->step->comment) lh_text_add(out, "   %s", e->step->comment);
    lh_text_add(out, "\n");
    for (int i = 0; i < e->n_lines; i++) add_line(out, &e->line[i], label, digits);
}
