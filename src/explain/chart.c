/* chart -- what a picture says, in words: for those who cannot see it, and where nothing can be drawn. */
#include "explain/chart.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "explain/chart_axis.h"

enum { DIGITS = 4, MANY_POINTS = 12 };

static void add_number(lh_text *t, double x) {
    char number[LH_NUMBER_MAX];
    lh_text_add(t, "%s", lh_number_text(number, sizeof number, x, DIGITS));
}

const char *lh_chart_head(const lh_chart *c) {
    bool is_said = c->is_captioned && c->kind == LH_CHART_PLANE;
    return c->title && c->title[0] && !is_said ? c->title : NULL;
}

const char *lh_chart_y_head(const lh_chart *c) {
    const char *head = lh_chart_head(c), *y = c->y_name;
    return y && y[0] && !(head && strncmp(head, y, strlen(y)) == 0) ? y : NULL;
}

static const char *title_of(const lh_chart *c) {
    return c->title && c->title[0] ? c->title : "the numbers";
}

static bool has_curves(const lh_chart *c) {
    for (int k = 0; k < c->n_series; k++)
        if (c->series[k].mark == LH_MARK_LINE || c->series[k].mark == LH_MARK_BOTH) return true;
    return false;
}

bool lh_chart_has_legend(const lh_chart *c) {
    return c->kind == LH_CHART_PLANE && c->n_series > 0 &&
           (c->n_series > 1 || (c->series[0].name && c->series[0].name[0]));
}

bool lh_series_is_arrows(const lh_chart *c, const lh_series *s) {
    return s->mark == LH_MARK_ARROWS && !c->log_x && !c->log_y;
}

bool lh_chart_has_points(const lh_chart *c) {
    for (int k = 0; k < c->n_series; k++)
        if (c->series[k].mark == LH_MARK_POINTS || c->series[k].mark == LH_MARK_ARROWS) return true;
    return false;
}

const char *lh_chart_empty(const lh_chart *c) {
    size_t ignored;
    lh_range r = c->kind == LH_CHART_PLANE ? lh_chart_range(c, true, &ignored) : lh_chart_values(c);
    if (r.n) return NULL;
    if (r.n_nan + r.n_inf == 0 && c->kind == LH_CHART_PLANE && ignored)
        return "nothing to draw: no number is above 0, and the axis is logarithmic";
    return r.n_nan + r.n_inf ? "nothing to draw: every number is nan or inf"
                             : "nothing to draw: there are no numbers";
}

static void count_problems(const lh_chart *c, size_t *n_nan, size_t *n_inf, size_t *n_out) {
    *n_nan = *n_inf = *n_out = 0;
    if (c->kind != LH_CHART_PLANE) {
        lh_range r = lh_chart_values(c);
        *n_nan = r.n_nan, *n_inf = r.n_inf;
        return;
    }
    for (int k = 0; k < c->n_series; k++)
        for (int i = 0; i < c->series[k].n; i++) {
            double x, y;
            if (lh_series_point(c, &c->series[k], i, &x, &y)) continue;
            if (isnan(x) || isnan(y))
                ++*n_nan;
            else if (isinf(x) || isinf(y))
                ++*n_inf;
            else
                ++*n_out;
        }
}

void lh_chart_notes(const lh_chart *c, lh_text *out) {
    size_t n_nan, n_inf, n_out;
    count_problems(c, &n_nan, &n_inf, &n_out);
    const char *empty = lh_chart_empty(c), *apart = "";
    if (empty) lh_text_add(out, "%s", empty), apart = "; ";
    if (n_nan) lh_text_add(out, "%s%zu nan", apart, n_nan), apart = ", ";
    if (n_inf) lh_text_add(out, "%s%zu inf", apart, n_inf);
    if (n_nan + n_inf && c->kind == LH_CHART_PLANE && !empty) lh_text_add(out, " left out");
    if (n_out && !empty)
        lh_text_add(out, "%s%zu not above 0 left out", n_nan + n_inf ? ", " : "", n_out);
}

/* ---- heat maps ---- */

static void add_place(const lh_panel *p, const lh_chart *c, size_t i, lh_text *t) {
    size_t row = i / (size_t)p->cols, col = i % (size_t)p->cols;
    add_number(t, p->cell[i]);
    lh_text_add(t, " at");
    if (c->n_panels > 1 && p->name) lh_text_add(t, " %s,", p->name);
    if (p->row_label)
        lh_text_add(t, " row %s", p->row_label[row]);
    else
        lh_text_add(t, " row %zu", row);
    if (p->col_label)
        lh_text_add(t, ", column %s", p->col_label[col]);
    else
        lh_text_add(t, ", column %zu", col);
}

static void describe_matrices(const lh_chart *c, lh_text *t) {
    const lh_panel *high = NULL, *low = NULL;
    size_t at_high = 0, at_low = 0;
    for (int k = 0; k < c->n_panels; k++) {
        const lh_panel *p = &c->panel[k];
        for (size_t i = 0; i < (size_t)p->rows * (size_t)p->cols; i++) {
            if (!isfinite(p->cell[i])) continue;
            if (!high || p->cell[i] > high->cell[at_high]) high = p, at_high = i;
            if (!low || p->cell[i] < low->cell[at_low]) low = p, at_low = i;
        }
    }
    lh_text_add(t, "%s of %s", c->kind == LH_CHART_HEAT ? "Heat map" : "Stripes", title_of(c));
    if (c->n_panels > 1) lh_text_add(t, ", %d panels", c->n_panels);
    if (c->n_panels)
        lh_text_add(t, ", %d row%s by %d column%s", c->panel[0].rows,
                    c->panel[0].rows == 1 ? "" : "s", c->panel[0].cols,
                    c->panel[0].cols == 1 ? "" : "s");
    if (!high) return;
    if (high->cell[at_high] == low->cell[at_low]) {
        lh_text_add(t, "; all are ");
        add_number(t, high->cell[at_high]);
        return;
    }
    lh_text_add(t, "; largest ");
    add_place(high, c, at_high, t);
    lh_text_add(t, "; smallest ");
    add_place(low, c, at_low, t);
}

/* ---- bars ---- */

static void add_bar(const lh_chart *c, int i, lh_text *t) {
    const lh_series *s = &c->series[0];
    add_number(t, s->y[i]);
    if (s->label)
        lh_text_add(t, " at %s", s->label[i]);
    else
        lh_text_add(t, " at %d", i);
    if (c->has_target && c->target == i) lh_text_add(t, ", the target");
}

/* How much a bar is wanted: what is no number, and the target, before all others. */
static double rank_of(const lh_chart *c, int i) {
    double x = c->series[0].y[i];
    return !isfinite(x) || (c->has_target && i == c->target) ? INFINITY : fabs(x);
}

int *lh_bars_chosen(lh_arena *a, const lh_chart *c, int most, int *n) {
    int total = c->series[0].n, m = 0;
    int *list = lh_alloc_array(a, (size_t)(total < most ? total : most) + 1, sizeof *list);
    *n = 0;
    if (!list) return NULL;
    for (int i = 0; i < total; i++) {
        if (m < most) {
            list[m++] = i;
            continue;
        }
        int least = 0;
        for (int k = 1; k < m; k++)
            if (rank_of(c, list[k]) < rank_of(c, list[least])) least = k;
        if (rank_of(c, i) <= rank_of(c, list[least])) continue;
        memmove(list + least, list + least + 1, (size_t)(m - least - 1) * sizeof *list);
        list[m - 1] = i;
    }
    *n = m;
    return list;
}

static void describe_bars(const lh_chart *c, lh_text *t) {
    const lh_series *s = c->n_series ? &c->series[0] : NULL;
    int high = -1, low = -1, n = s ? s->n : 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(s->y[i])) continue;
        if (high < 0 || s->y[i] > s->y[high]) high = i;
        if (low < 0 || s->y[i] < s->y[low]) low = i;
    }
    lh_text_add(t, "Bars of %s, %d number%s", title_of(c), n, n == 1 ? "" : "s");
    if (high < 0) return;
    lh_text_add(t, "; largest ");
    add_bar(c, high, t);
    lh_text_add(t, "; smallest ");
    add_bar(c, low, t);
    if (!c->has_target || c->target == high || c->target == low || c->target >= n) return;
    lh_text_add(t, "; ");
    add_bar(c, c->target, t);
}

/* ---- the plane ---- */

static void add_point(const lh_series *s, int i, double x, double y, lh_text *t) {
    if (s->label && s->label[i]) lh_text_add(t, "%s ", s->label[i]);
    lh_text_add(t, "(");
    add_number(t, x);
    lh_text_add(t, ", ");
    add_number(t, y);
    lh_text_add(t, ")");
}

static void describe_points(const lh_chart *c, const lh_series *s, lh_text *t) {
    int shown = 0;
    lh_range ys = lh_range_none(), xs = lh_range_none();
    for (int i = 0; i < s->n; i++) {
        double x, y;
        if (!lh_series_point(c, s, i, &x, &y)) continue;
        lh_range_add(&xs, x), lh_range_add(&ys, y);
        if (s->n > MANY_POINTS) continue;
        lh_text_add(t, shown++ ? ", " : " ");
        add_point(s, i, x, y, t);
    }
    if (s->n <= MANY_POINTS || !xs.n) return;
    lh_text_add(t, " %zu point%s, x from ", xs.n, LH_PLURAL(xs.n));
    add_number(t, xs.low);
    lh_text_add(t, " to ");
    add_number(t, xs.high);
    lh_text_add(t, ", y from ");
    add_number(t, ys.low);
    lh_text_add(t, " to ");
    add_number(t, ys.high);
}

static void describe_curve(const lh_chart *c, const lh_series *s, lh_text *t) {
    int first = -1, last = -1, low = -1, high = -1;
    for (int i = 0; i < s->n; i++) {
        double x, y;
        if (!lh_series_point(c, s, i, &x, &y)) continue;
        if (first < 0) first = low = high = i;
        if (y < s->y[low]) low = i;
        if (y > s->y[high]) high = i;
        last = i;
    }
    if (first < 0) return;
    const int at[] = {first, last, low, high};
    static const char *const word[] = {" from ", " to ", "; smallest ", "; largest "};
    for (int k = 0; k < 4; k++) {
        lh_text_add(t, "%s", word[k]);
        add_number(t, s->y[at[k]]);
        lh_text_add(t, " at ");
        add_number(t, s->x ? s->x[at[k]] : at[k] + 1);
    }
}

static void describe_plane(const lh_chart *c, lh_text *t) {
    bool is_arrows = c->n_series && lh_series_is_arrows(c, &c->series[0]);
    lh_text_add(t, "%s of %s",
                has_curves(c) && !c->field.cell ? "Curves"
                : is_arrows                     ? "Arrows"
                                                : "Points",
                title_of(c));
    if (c->x_name && c->x_name[0]) lh_text_add(t, " over %s", c->x_name);
    if (c->field.cell) {
        lh_range r = lh_range_none();
        for (size_t i = 0; i < (size_t)c->field.rows * (size_t)c->field.cols; i++)
            lh_range_add(&r, c->field.cell[i]);
        lh_text_add(t, "; behind them %s", c->field.name ? c->field.name : "a value");
        if (r.n) {
            lh_text_add(t, " from ");
            add_number(t, r.low);
            lh_text_add(t, " to ");
            add_number(t, r.high);
        }
    }
    for (int k = 0; k < c->n_series; k++) {
        const lh_series *s = &c->series[k];
        lh_text_add(t, ". %s%s", s->name ? s->name : "", s->name ? ":" : "");
        if (s->mark == LH_MARK_LINE || s->mark == LH_MARK_BOTH)
            describe_curve(c, s, t);
        else
            describe_points(c, s, t);
    }
}

void lh_chart_describe(const lh_chart *c, lh_text *out) {
    if (c->kind == LH_CHART_PLANE)
        describe_plane(c, out);
    else if (c->kind == LH_CHART_BARS)
        describe_bars(c, out);
    else
        describe_matrices(c, out);
    lh_text notes = lh_text_new(out->arena);
    lh_chart_notes(c, &notes);
    if (notes.n) lh_text_add(out, "; %s", notes.s);
    lh_text_add(out, ".");
}
