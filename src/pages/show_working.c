/* show_working -- items of a `show` block that work a program out in other ways: with a number moved a little, with a mistake made. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "explain/explain.h"
#include "explain/jacobian.h"
#include "pages/lesson_html.h"

enum { DIGITS = 6, MOST = 64 };

/* ---- derivatives ---- */

/* How a row of a result moves with a row of an operand; or one cell with all of it. */
typedef struct jacobian {
    lh_writer *w;
    lh_addressed from;
    const lh_step *step, *operand; /* operand: NULL where it has no name */
    lh_jacobian *j;
    lh_cell at;
    bool is_one_cell;
    lh_sizes of, to;
} jacobian;

static lh_cell result_of(const jacobian *x, int row) {
    lh_cell at = x->at;
    if (!x->is_one_cell) at.col = row;
    return at;
}

static lh_cell operand_of(const jacobian *x, int row, int col) {
    const int same_row = x->of.rows == x->to.rows ? x->at.row : 0;
    return (lh_cell){x->at.example, x->to.heads > 1 ? x->at.head : 0,
                     x->is_one_cell ? row : same_row, col};
}

/* d P[1][0] / d Z[1][1]: no address, but the two in it are. */
static const char *quotient(const jacobian *x, int row, int col) {
    lh_arena *a = x->w->r->arena;
    const char *to = x->operand
                         ? lh_address_of_step(a, &x->from, x->operand, operand_of(x, row, col))
                         : lh_printf(a, "x_%d", col);
    return lh_printf(a, "d %s / d %s", lh_address_of_step(a, &x->from, x->step, result_of(x, row)),
                     to);
}

/* Differences of doubles leave some dust where nothing moves. */
static double derivative(const jacobian *x, int row, int col) {
    const double d = lh_jacobian_at(x->j, result_of(x, row), operand_of(x, row, col));
    return fabs(d) < 1e-9 ? 0 : d;
}

static void put_jacobian_row(const jacobian *x, int row) {
    lh_text *out = x->w->out;
    lh_text_add(out, "<tr><th scope=\"row\">%d</th>", row);
    for (int k = 0; k < x->to.cols && k < MOST; k++) {
        char number[LH_NUMBER_MAX];
        lh_number_text(number, sizeof number, derivative(x, row, k), DIGITS);
        lh_put_in(out, "<td data-expr=\"", quotient(x, row, k), "\">");
        lh_text_add(out, "%s</td>", number);
    }
    lh_put(out, "</tr>\n");
}

static void put_jacobian(const jacobian *x) {
    lh_text *out = x->w->out;
    lh_arena *a = x->w->r->arena;
    const char *name = x->step->path, *operand = x->operand ? x->operand->path : "x";
    const int lines = x->is_one_cell ? x->to.rows : x->of.cols;
    const char *head = x->is_one_cell ? lh_printf(a, "d %s[%d][%d] / d %s[c][k]", name, x->at.row,
                                                  x->at.col, operand)
                                      : lh_printf(a, "d %s[%d][c] / d %s[%d][k]", name, x->at.row,
                                                  operand, operand_of(x, 0, 0).row);
    lh_put_in(out, "<p><code>", head, "</code> <span class=\"quiet\">");
    lh_put(out, "a row for each c, a column for each k</span></p>\n");
    lh_put_in(out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"", head,
              "\"><table class=\"matrix\">\n<thead><tr><td></td>");
    for (int k = 0; k < x->to.cols && k < MOST; k++)
        lh_text_add(out, "<th scope=\"col\">%d</th>", k);
    lh_put(out, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < lines && i < MOST; i++) put_jacobian_row(x, i);
    lh_put(out, "</tbody></table></div>\n");
}

static bool place_jacobian(jacobian *x, const lh_address *a, const lh_plan *plan) {
    const int example = a->has_example ? a->example : 0;
    lh_cell there;
    x->of = lh_jacobian_sizes(x->j, false, example);
    x->to = lh_jacobian_sizes(x->j, true, example);
    x->is_one_cell = a->n_indices == 2;
    if (!lh_address_cell((lh_graph *)x->from.g, plan, a, x->step->node, &there)) return false;
    x->at =
        (lh_cell){example, a->has_head ? a->head : 0, a->n_indices ? a->index[0] : x->of.rows - 1,
                  x->is_one_cell ? a->index[1] : 0};
    return true;
}

static void show_operand(lh_writer *w, int program, const lh_address *a, const lh_step *s, int i) {
    lh_reading *r = w->r;
    lh_graph *g = lh_live_graph(r->live, program);
    const int moment = a->has_step ? a->step : lh_reading_moment(r, program);
    const lh_plan *plan = lh_live_moment(r->live, program, moment);
    lh_node *n = s->node;
    jacobian x = {.w = w,
                  .from = {lh_program_prefix(r, program), g, plan, moment, NULL},
                  .step = s,
                  .operand = n->in[i]->step,
                  .j = plan ? lh_jacobian_new(g, &lh_exact, n, n->in[i]) : NULL};
    if (x.j) lh_jacobian_from(x.j, g, plan);
    if (x.j && place_jacobian(&x, a, plan)) put_jacobian(&x);
    lh_jacobian_free(x.j);
}

void lh_show_jacobian(lh_writer *w, const lh_show *show) {
    const lh_mention *m = &show->operand[0];
    lh_where where = {show->program, show->exercise, m->at};
    const lh_step *s = lh_live_step(w->r->live, m->text, where);
    lh_address a;
    if (!s || !lh_address_parse(w->r->ctx, m->text, &a)) return;
    if (s->node->kind != LH_OP_call) {
        lh_fail(w->r->ctx, LH_ERROR_NAME, m->at, "%s is not made by a call of a function", s->path);
        lh_cure(w->r->ctx, "a jacobian shows how f(x) moves with x: try it on a softmax");
        return;
    }
    for (int i = 0; i < s->node->n_in && !lh_failed(w->r->ctx); i++)
        if (!s->node->in[i]->is_discrete && s->node->in[i]->kind != LH_OP_number)
            show_operand(w, show->program, &a, s, i);
}

/* ---- mistakes ---- */

const char *lh_mistaken_prefix(lh_reading *r, int program, const lh_candidate *how) {
    const char *name = r->lesson->program[program].name;
    lh_text t = lh_text_new(r->arena);
    lh_text_add(&t, "%s%swith %s in %s", name, *name ? " " : "", how->mistake->name,
                how->rewrite[0].path);
    if (how->chosen >= 0) lh_text_add(&t, ", choice %d", how->chosen);
    lh_text_add(&t, ":");
    return t.s;
}

static void put_touched(lh_writer *w, const lh_addressed *from, const lh_way *way, double value) {
    char number[LH_NUMBER_MAX];
    lh_put_in(w->out, "<span class=\"n\" data-at=\"",
              lh_address_of_step(w->r->arena, from, way->step, way->at), "\">");
    lh_text_add(w->out, "%s</span>", lh_number_text(number, sizeof number, value, DIGITS));
}

static void put_way(lh_writer *w, const lh_addressed *right, int program, const lh_way *way) {
    lh_addressed wrong = *right;
    lh_put_in(w->out, "<li><code>", lh_way_text(w->r->arena, way), "</code><br />\n");
    if (!way->step) {
        lh_put(w->out, "no number differs here</li>\n");
        return;
    }
    wrong.program = lh_mistaken_prefix(w->r, program, way->how);
    lh_addressed bare = *right;
    bare.program = "";
    lh_put_in(w->out, "<code>",
              way->is_other_shape ? way->step->path
                                  : lh_address_of_step(w->r->arena, &bare, way->step, way->at),
              "</code>");
    if (way->is_other_shape) {
        lh_put(w->out, " gets another shape</li>\n");
        return;
    }
    lh_put(w->out, " is ");
    put_touched(w, &wrong, way, way->is);
    lh_put(w->out, ", should be ");
    put_touched(w, right, way, way->should_be);
    lh_put(w->out, "</li>\n");
}

static void put_mistake(lh_writer *w, const lh_addressed *right, int program, const lh_study *s,
                        const lh_mistake *m) {
    if (!lh_study_count(s, m)) return;
    lh_put_in(w->out, "<li><b><code>", m->name, "</code></b> ");
    lh_put_in(w->out, "", m->says, "\n<ul>\n");
    for (int i = 0; i < s->n; i++)
        if (s->way[i].how->mistake == m && !lh_way_is_repeated(s, i))
            put_way(w, right, program, &s->way[i]);
    lh_put(w->out, "</ul></li>\n");
}

void lh_show_mistakes(lh_writer *w, const lh_show *show) {
    lh_reading *r = w->r;
    lh_graph *g = lh_live_graph(r->live, show->program);
    const lh_plan *plan = lh_live_moment(r->live, show->program, 0);
    lh_mistakes *m = plan ? lh_mistakes_load(r->ctx, g->program) : NULL;
    lh_addressed right = {lh_program_prefix(r, show->program), g, plan, 0, NULL};
    if (!m) return;
    lh_study s = lh_study_of(r->arena, g, plan, m);
    lh_put(w->out, "<ul class=\"mistakes\">\n");
    for (int i = 0; i < m->n; i++) put_mistake(w, &right, show->program, &s, &m->mistake[i]);
    lh_put(w->out, "</ul>\n");
    lh_mistakes_free(m);
}
