#include "cli/rounded_show.h"

#include <math.h>

#include "base/number.h"
#include "cli/explain_command.h"
#include "cli/json_stream.h"
#include "pages/explain_json.h"
#include "train/rounded_number.h"

typedef struct view {
    lh_opened *o;
    const lh_rounding *r;
    int digits;
} view;

static const char *number(const view *v, double x) {
    char text[LH_NUMBER_MAX];
    return lh_printf(v->o->cli->arena, "%s", lh_number_text(text, sizeof text, x, v->digits));
}

/* With its sign. */
static const char *change(const view *v, double x) {
    char text[LH_NUMBER_MAX];
    lh_number_text(text, sizeof text, x, 3);
    return lh_printf(v->o->cli->arena, "%s%s", x > 0 ? "+" : "", text);
}

/* Of an operand without a name, what the prelude calls it. */
static const char *name_of(const lh_node *n) {
    return n->step ? n->step->name : "x";
}

/* WQ[5][17]: place k of the line. */
static const char *weight_text(const view *v, int k) {
    const lh_rounding *r = v->r;
    return lh_printf(v->o->cli->arena, "%s[%d][%d]", name_of(r->matrix),
                     r->is_by_rows ? r->line : k, r->is_by_rows ? k : r->line);
}

static void print_number(const view *v, const char *label, const lh_rounding_number *n) {
    fprintf(v->o->cli->out, "      %s = %s, rounded %d * %s = %s (%s)\n", label,
            number(v, n->value), n->code, number(v, n->scale), number(v, n->rounded),
            change(v, n->rounded - n->value));
}

static void print_terms(const view *v) {
    const lh_rounding *r = v->r;
    lh_arena *a = v->o->cli->arena;
    fprintf(v->o->cli->out, "  the terms that changed most, of %d:\n", r->n);
    for (int i = 0; i < r->n_terms; i++) {
        const lh_rounding_term *t = &r->term[i];
        const char *x = lh_printf(a, "%s[%d][%d]", name_of(r->row), r->row_at, t->at);
        const double was = t->x.value * t->w.value, is = t->x.rounded * t->w.rounded;
        fprintf(v->o->cli->out, "    %s * %s = %s, rounded %s (%s)\n", x, weight_text(v, t->at),
                number(v, was), number(v, is), change(v, is - was));
        print_number(v, x, &t->x);
        print_number(v, weight_text(v, t->at), &t->w);
    }
}

static void print_part(const view *v, const char *what, double from, double to) {
    fprintf(v->o->cli->out, "    %-32s %s to %s (%s)\n", what, number(v, from), number(v, to),
            change(v, to - from));
}

static void print_product(const view *v) {
    const lh_rounding *r = v->r;
    lh_arena *a = v->o->cli->arena;
    const char *matrix = name_of(r->matrix), *row = name_of(r->row);
    fputs("  in three parts:\n", v->o->cli->out);
    print_part(v, lh_printf(a, "%s comes from rounded weights", row), r->plain, r->exact);
    print_part(v, lh_printf(a, "%s in %d bits", matrix, r->bits), r->exact, r->by_matrix);
    print_part(v, lh_printf(a, "%s in 8 bits, the sum in float", row), r->by_matrix, r->few);
    print_terms(v);
}

static void print_inside(const view *v) {
    const lh_rounding *r = v->r;
    const char *matrix = name_of(r->inside);
    fputs("  in two parts:\n", v->o->cli->out);
    print_part(v, "operands from rounded weights", r->plain, r->exact);
    print_part(v, lh_printf(v->o->cli->arena, "products inside, as with %s", matrix), r->exact,
               r->few);
}

static void print_weight(const view *v) {
    const lh_rounding *r = v->r;
    if (!r->bits) {
        fprintf(v->o->cli->out, "this weight is not rounded: no product reads it\n");
        return;
    }
    fprintf(v->o->cli->out, "%d bits, in a block of %d from %s on\n", r->bits, r->n,
            weight_text(v, r->own_block));
    print_number(v, weight_text(v, r->own_at), &r->own);
}

static void print_rounding(const view *v) {
    const lh_rounding *r = v->r;
    FILE *out = v->o->cli->out;
    fprintf(out, "\nin %s: ", lh_precision_name(r->precision));
    if (r->is_weight) {
        print_weight(v);
        return;
    }
    fprintf(out, "%s, instead of %s with all weights as they are (%s)\n", number(v, r->few),
            number(v, r->plain), change(v, r->few - r->plain));
    if (r->is_product)
        print_product(v);
    else if (r->inside)
        print_inside(v);
    else
        fputs("  this step rounds nothing itself: the difference comes from the steps before it\n",
              out);
}

/* ---- for programs ---- */

static void write_number(lh_json *j, const char *name, const lh_rounding_number *n) {
    lh_json_begin(j, name, '{');
    lh_json_number(j, "value", n->value);
    lh_json_int(j, "code", n->code);
    lh_json_number(j, "scale", n->scale);
    lh_json_number(j, "rounded", n->rounded);
    lh_json_end(j, '}');
}

static void write_product(lh_json *j, const lh_rounding *r) {
    lh_json_text(j, "matrix", name_of(r->matrix));
    lh_json_int(j, "bits", r->bits);
    lh_json_number(j, "operands", r->exact);
    lh_json_number(j, "weights", r->by_matrix);
    lh_json_begin(j, "terms", '[');
    for (int i = 0; i < r->n_terms; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_int(j, "at", r->term[i].at);
        write_number(j, "x", &r->term[i].x);
        write_number(j, "w", &r->term[i].w);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static void write_all(const view *v, const char *path, const char *address,
                      const lh_explanation *e) {
    const lh_rounding *r = v->r;
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_explanation_fields(&j, path, address, e);
    lh_json_begin(&j, "rounding", '{');
    lh_json_text(&j, "precision", lh_precision_name(r->precision));
    lh_json_number(&j, "float", r->plain);
    lh_json_number(&j, "rounded", r->few);
    if (r->is_product)
        write_product(&j, r);
    else if (r->inside)
        lh_json_number(&j, "operands", r->exact);
    else if (r->bits)
        lh_json_int(&j, "bits", r->bits), write_number(&j, "weight", &r->own);
    lh_json_end(&j, '}');
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

int lh_show_rounding(lh_opened *o, const char *path, const char *address, const lh_explanation *e,
                     int digits, bool json) {
    lh_rounding r;
    lh_inside *plain = lh_inside_new(o->g, o->in->weights, o->id, o->n, 0);
    const bool ok = plain && lh_rounding_of(o->in, plain, e->step->node, e->at, &r);
    const view v = {o, &r, digits};
    if (ok && json) write_all(&v, path, address, e);
    if (ok && !json) {
        lh_print_explanation(o->cli, address, e, digits);
        print_rounding(&v);
    }
    lh_inside_free(plain);
    return ok ? LH_EXIT_YES : lh_cli_report(o->cli);
}
