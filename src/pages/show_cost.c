/* show_cost -- `cost` of a show block: parameters, operations and bytes as tables. A count is no value of the program and has no address,
 * but it has a formula, and the sizes in that are given: data-expr="multiply-adds of Q = 3*dim^2". */
#include <stdio.h>

#include "base/number.h"
#include "pages/bill_json.h"
#include "pages/bill_text.h"
#include "pages/lesson_html.h"

typedef struct bill_page {
    lh_text *out;
    const lh_bill *b;
    const char *program; /* "fast:", or "" */
} bill_page;

/* A number of the bill, and what it counts. */
static void put_number(const bill_page *p, const char *what, const char *formula,
                       const char *number) {
    lh_put_in(p->out, "<span class=\"n\" data-expr=\"", what, "");
    if (formula) lh_put_in(p->out, " = ", formula, "");
    lh_put_in(p->out, "\">", number, "</span>");
}

static const char *formula_of(const bill_page *p, const lh_polynomial *x) {
    return lh_polynomial_has_names(x) ? lh_bill_terms(p->b->arena, x, LH_BILL_TERMS) : NULL;
}

static void put_count(const bill_page *p, const char *what, const char *of,
                      const lh_polynomial *x) {
    char buf[LH_NUMBER_MAX];
    const double n = lh_polynomial_value(x);
    lh_put(p->out, "<td>");
    if (n == 0)
        lh_put(p->out, "-");
    else
        put_number(p, lh_printf(p->b->arena, "%s of %s", what, of), formula_of(p, x),
                   lh_bill_count(buf, sizeof buf, n));
    lh_put(p->out, "</td>");
}

static void put_formulas(const bill_page *p, const char *first, const char *second) {
    lh_put(p->out, "<td>");
    if (first) lh_put_in(p->out, "<code>", first, "</code>");
    if (first && second) lh_put(p->out, " and ");
    if (second) lh_put_in(p->out, "<code>", second, "</code>");
    lh_put(p->out, "</td></tr>\n");
}

static void begin_table(const bill_page *p, const char *name, const char *const head[3]) {
    lh_put_in(p->out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"", name,
              "\"><table class=\"cost\">\n<thead><tr>");
    lh_put_in(p->out, "<th scope=\"col\">", name, "</th>");
    for (int i = 0; i < 3; i++) lh_put_in(p->out, "<th scope=\"col\">", head[i], "</th>");
    lh_put(p->out, "</tr></thead>\n<tbody>\n");
}

static void end_table(const bill_page *p) {
    lh_put(p->out, "</tbody></table></div>\n");
}

static void begin_row(const bill_page *p, const char *name) {
    lh_put_in(p->out, "<tr><th scope=\"row\">", name, "</th>");
}

static void put_turns(const bill_page *p, int repeat, int before) {
    if (repeat >= 0 && repeat != before)
        lh_put_in(p->out, "<tr><td colspan=\"4\">", lh_bill_turns(p->b, repeat), "</td></tr>\n");
}

/* ---- the tables ---- */

/* dim = 4: a size of the program can be changed where it stands. */
static void put_size(const bill_page *p, const lh_axis *a) {
    const lh_step *s = lh_graph_step(p->b->g, a->name);
    const char *at = lh_printf(p->b->arena, "%s%s", p->program, a->name);
    char buf[LH_NUMBER_MAX];
    lh_bill_count(buf, sizeof buf, (double)a->n);
    lh_put_in(p->out, "", a->name, " = ");
    if (!s || !lh_given_name(s, 0)) {
        lh_put(p->out, buf);
        return;
    }
    lh_put_in(p->out, "<span class=\"n\" data-at=\"", at, "\"");
    lh_put_in(p->out, " data-given=\"", at, "\">");
    lh_put_in(p->out, "", buf, "</span>");
}

/* tokens = 3: the length of the longest example. */
static void put_length(const bill_page *p, const lh_input *x) {
    char buf[LH_NUMBER_MAX];
    lh_put_in(p->out, "", x->name, " = ");
    put_number(p, lh_printf(p->b->arena, "length of %s, longest example", x->name), NULL,
               lh_bill_count(buf, sizeof buf, (double)p->b->names->size[x->axis]));
}

/* What formulas name. */
static void put_sizes(const bill_page *p) {
    const lh_graph *g = p->b->g;
    const char *comma = "<p>";
    for (int i = 0; i < g->n_inputs; i++) {
        const lh_input *x = g->input[i];
        if (!x->is_many || p->b->names->as[x->axis] != x->axis) continue;
        lh_put(p->out, comma);
        put_length(p, x);
        comma = ", ";
    }
    for (int i = 0; i < g->n_axes; i++) {
        const lh_axis *a = &g->axis[i];
        if (!(a->n && a->name && a->n_factors == 1 && a->factor[0].axis == i)) continue;
        lh_put(p->out, comma);
        put_size(p, a);
        comma = ", ";
    }
    if (*comma == ',') lh_put(p->out, "</p>\n");
}

static void put_params(const bill_page *p) {
    const lh_bill *b = p->b;
    int before = -1;
    if (b->n_params == 0) {
        lh_put(p->out, "<p>Parameters: none</p>\n");
        return;
    }
    begin_table(p, "Parameters", (const char *const[3]){"shape", "numbers", "formula"});
    for (int i = 0; i < b->n_params; i++) {
        const lh_given_row *row = &b->param[i];
        lh_shape s = row->given->node->shape;
        const char *name = lh_bill_name(b, row->name, row->repeat, row->times);
        put_turns(p, row->repeat, before);
        before = row->repeat;
        begin_row(p, name);
        lh_text_add(p->out, "<td>%zux%zu</td>", b->g->axis[s.rows].n, b->g->axis[s.cols].n);
        put_count(p, "numbers", name, &row->cells);
        put_formulas(p, lh_polynomial_has_names(&row->cells) ? lh_bill_shape(b, s) : NULL, NULL);
    }
    begin_row(p, "all");
    lh_put(p->out, "<td></td>");
    put_count(p, "numbers", "all parameters", &b->parameters);
    put_formulas(p, lh_polynomial_text(&b->parameters), NULL);
    end_table(p);
}

static void put_cost(const bill_page *p, const char *name, const char *of,
                     const lh_cost cost[LH_N_WHEN]) {
    lh_cost c = lh_bill_both(p->b, cost);
    begin_row(p, name);
    put_count(p, "multiply-adds", of, &c.multiply_adds);
    put_count(p, "other operations", of, &c.operations);
    put_formulas(p, formula_of(p, &c.multiply_adds), formula_of(p, &c.operations));
}

static void put_phase(const bill_page *p, lh_phase phase) {
    static const char *const titles[] = {"Forward", "Backward", "Update"};
    const lh_bill *b = p->b;
    int before = -1, n = 0;
    for (int i = 0; i < b->n_rows; i++) {
        const lh_cost_row *row = &b->row[i];
        if (row->phase != phase) continue;
        if (n++ == 0)
            begin_table(p, titles[phase],
                        (const char *const[3]){"multiply-adds", "others", "formula"});
        put_turns(p, row->repeat, before);
        before = row->repeat;
        const char *name = lh_bill_name(b, row->name, row->repeat, row->times);
        put_cost(p, name, name, row->cost);
    }
    if (n == 0) return;
    put_cost(p, "sum", lh_printf(b->arena, "%s, all", lh_phase_names[phase]), b->sum[phase]);
    end_table(p);
}

static void put_whole(const bill_page *p) {
    const lh_bill *b = p->b;
    lh_cost c = lh_bill_both(b, b->sum[LH_WHOLE]), once = b->sum[LH_WHOLE][LH_ONCE];
    const double madds = lh_polynomial_value(&c.multiply_adds),
                 others = lh_polynomial_value(&c.operations),
                 steady = lh_polynomial_value(&once.multiply_adds) +
                          lh_polynomial_value(&once.operations);
    char buf[LH_NUMBER_MAX];
    begin_table(p, "Whole", (const char *const[3]){"multiply-adds", "others", "formula"});
    put_cost(p, "sum", "the whole", b->sum[LH_WHOLE]);
    end_table(p);
    lh_put(p->out, "<p>");
    put_number(p, "floating-point operations = 2 * multiply-adds + others", NULL,
               lh_bill_count(buf, sizeof buf, 2 * madds + others));
    lh_put(p->out, " floating-point operations, a multiply-add being two");
    if (steady > 0) {
        lh_put(p->out, "; ");
        put_number(p, "operations done once for a batch of any size", NULL,
                   lh_bill_count(buf, sizeof buf, steady));
        lh_put(p->out, " of these operations are done once for a batch of any size");
    }
    lh_put(p->out, "</p>\n");
}

static void put_growth_row(const bill_page *p, double x, double whole, const char *term) {
    char buf[LH_NUMBER_MAX];
    lh_put(p->out, "<tr><td></td><td>");
    put_number(p, "operations", term, lh_bill_count(buf, sizeof buf, x));
    lh_put(p->out, "</td><td>");
    lh_format(buf, sizeof buf, "%.1f %%", 100 * x / whole);
    put_number(p, "share of all operations", term, buf);
    lh_put_in(p->out, "</td><td><code>", term, "</code></td></tr>\n");
}

static void put_growth(const bill_page *p) {
    lh_polynomial all;
    const int n = lh_bill_growth(p->b, &all), left = all.n_terms - n;
    const double whole = lh_polynomial_value(&all);
    double rest = whole;
    if (n == 0) return;
    begin_table(p, "Growth", (const char *const[3]){"operations", "share", "term"});
    for (int i = 0; i < n; i++) {
        rest -= lh_monomial_value(&all, i);
        put_growth_row(p, lh_monomial_value(&all, i), whole, lh_monomial_text(&all, i));
    }
    if (left > 0)
        put_growth_row(p, rest, whole,
                       lh_printf(p->b->arena, "%d smaller term%s", left, left == 1 ? "" : "s"));
    end_table(p);
}

static void put_bytes_row(const bill_page *p, const char *name, double n, const char *formula) {
    static const char *const type[2] = {"float", "double"};
    char buf[LH_NUMBER_MAX];
    begin_row(p, name);
    for (int i = 0; i < 2; i++) {
        lh_put(p->out, "<td>");
        if (n > 0)
            put_number(p,
                       lh_printf(p->b->arena, "bytes of %s in %s = %d * numbers", name, type[i],
                                 4 + 4 * i),
                       NULL, lh_number_bytes(buf, sizeof buf, (4 + 4 * i) * n));
        else
            lh_put(p->out, "-");
        lh_put(p->out, "</td>");
    }
    put_formulas(p, formula, NULL);
}

static void put_bytes(const bill_page *p) {
    lh_keep list[LH_KEEPS];
    double sum = 0;
    lh_keeps(p->b, list);
    begin_table(p, "Bytes", (const char *const[3]){"float", "double", "numbers kept"});
    for (int i = 0; i < LH_KEEPS; i++) {
        const double n = lh_polynomial_value(list[i].numbers);
        put_bytes_row(p, list[i].name, n, formula_of(p, list[i].numbers));
        sum += n;
    }
    put_bytes_row(p, "sum", sum, NULL);
    end_table(p);
}

void lh_put_bill(lh_text *out, const lh_bill *b, const char *program) {
    bill_page p = {out, b, program};
    put_sizes(&p);
    put_params(&p);
    for (int i = 0; i < LH_WHOLE; i++) put_phase(&p, (lh_phase)i);
    put_whole(&p);
    put_growth(&p);
    put_bytes(&p);
}

void lh_show_cost(lh_writer *w, const lh_show *show) {
    lh_graph *g = lh_live_graph(w->r->live, show->program);
    lh_bill *b = g ? lh_bill_new(g, NULL, 0) : NULL;
    if (b) lh_put_bill(w->out, b, lh_program_prefix(w->r, show->program));
    lh_bill_free(b);
}
