#include "explain/chart_axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TOUCHED = 120 };

/* ---- what the numbers span ---- */

lh_range lh_range_none(void) {
    return (lh_range){.low = INFINITY, .high = -INFINITY};
}

void lh_range_add(lh_range *r, double x) {
    if (isnan(x)) {
        r->n_nan++;
    } else if (isinf(x)) {
        r->n_inf++;
    } else {
        r->n++;
        if (x < r->low) r->low = x;
        if (x > r->high) r->high = x;
    }
}

lh_range lh_field_range(const lh_chart_field *f) {
    lh_range r = lh_range_none();
    for (size_t i = 0; i < (size_t)f->rows * (size_t)f->cols; i++) lh_range_add(&r, f->cell[i]);
    return r;
}

int lh_series_stride(int n) {
    return (n + MOST_TOUCHED - 1) / MOST_TOUCHED;
}

bool lh_series_is_curve(const lh_series *s) {
    return s->mark == LH_MARK_LINE || s->mark == LH_MARK_BOTH;
}

lh_range lh_chart_values(const lh_chart *c) {
    lh_range r = lh_range_none();
    for (int k = 0; k < c->n_panels; k++) {
        const lh_panel *p = &c->panel[k];
        size_t n = (size_t)p->rows * (size_t)p->cols;
        for (size_t i = 0; i < n; i++) lh_range_add(&r, p->cell[i]);
    }
    if (c->kind == LH_CHART_BARS && c->n_series)
        for (int i = 0; i < c->series[0].n; i++) lh_range_add(&r, c->series[0].y[i]);
    if (r.n && c->most > r.high) r.high = c->most;
    return r;
}

bool lh_series_point(const lh_chart *c, const lh_series *s, int i, double *x, double *y) {
    *x = s->x ? s->x[i] : i + 1;
    *y = s->y[i];
    return isfinite(*x) && isfinite(*y) && !(c->log_x && *x <= 0) && !(c->log_y && *y <= 0);
}

lh_range lh_chart_range(const lh_chart *c, bool of_y, size_t *n_left_out) {
    lh_range r = lh_range_none();
    *n_left_out = 0;
    for (int k = 0; k < c->n_series; k++) {
        const lh_series *s = &c->series[k];
        size_t before = r.n;
        for (int i = 0; i < s->n; i++) {
            double x, y;
            bool is_shown = lh_series_point(c, s, i, &x, &y);
            if (is_shown || !isfinite(of_y ? y : x)) lh_range_add(&r, of_y ? y : x);
            if (!is_shown && isfinite(x) && isfinite(y)) ++*n_left_out;
        }
        if (!lh_series_is_arrows(c, s) || r.n == before) continue;
        const double *from = of_y ? s->from_y : s->from_x;
        if (!from) lh_range_add(&r, 0);
        for (int i = 0; from && i < s->n; i++)
            if (isfinite(from[i])) lh_range_add(&r, from[i]);
    }
    if (c->field.cell && r.n) {
        lh_range_add(&r, of_y ? c->field.y0 : c->field.x0);
        lh_range_add(&r, of_y ? c->field.y1 : c->field.x1);
    }
    return r;
}

double lh_shade(const lh_range *r, double x) {
    double low = r->low < 0 ? r->low : 0;
    if (!(r->high > low)) return r->high < 0 ? 0.5 : 0;
    if (r->high < 1) return (x - low) / (r->high - low);
    return (x / 2 - low / 2) / (r->high / 2 - low / 2); /* halves: the span may be too large */
}

/* ---- the scale ---- */

/* 1, 2 or 5 times a power of ten, such that `most` steps cover the span. */
typedef struct step {
    double lead;
    int power; /* lead * 10^power */
} step;

static step nice_step(double low, double high, int most) {
    double raw = high / most - low / most;
    if (!(raw > DBL_MIN)) raw = DBL_MIN;
    if (raw > DBL_MAX / 2) raw = DBL_MAX / 2; /* a step that is still a number */
    int power = (int)floor(log10(raw));
    double lead = raw / pow(10, power);
    if (lead <= 1.0000001) return (step){1, power};
    if (lead <= 2.0000001) return (step){2, power};
    if (lead <= 5.0000001) return (step){5, power};
    return (step){1, power + 1};
}

/* k steps from 0. Dividing by 10, 100 ... gives the number that one would write: 3 * 0.1 is not 0.3. */
static double steps_from_0(step s, double k) {
    return s.power < 0 && s.power > -300 ? k * s.lead / pow(10, -s.power)
                                         : k * s.lead * pow(10, s.power);
}

static double size_of(step s) {
    return s.lead * pow(10, s.power);
}

static bool is_one_number(double low, double high) {
    double large = fmax(fabs(low), fabs(high));
    return !(high / 2 - low / 2 > large * 1e-13);
}

lh_scale lh_scale_new(lh_range r, bool is_log, bool reach_ticks) {
    lh_scale s = {r.low, r.high, is_log};
    if (r.n == 0) return (lh_scale){is_log ? 1 : 0, is_log ? 10 : 1, is_log};
    if (is_one_number(s.low, s.high)) {
        double half = s.low == 0 ? 1 : fabs(s.low) * 0.1;
        s.low = is_log ? r.low / 2 : r.low - half;
        s.high = is_log ? r.high * 2 : r.high + half;
        if (!isfinite(s.high)) s.high = DBL_MAX;
        if (!isfinite(s.low)) s.low = -DBL_MAX;
        if (is_log && s.low <= 0) s.low = DBL_TRUE_MIN;
        if (!(s.high > s.low)) s.high = s.low + DBL_MIN;
    }
    if (is_log || !reach_ticks) return s;
    step d = nice_step(s.low, s.high, 5);
    double low = steps_from_0(d, floor(s.low / size_of(d) + 1e-9)),
           high = steps_from_0(d, ceil(s.high / size_of(d) - 1e-9));
    if (isfinite(low) && low <= s.low) s.low = low;
    if (isfinite(high) && high >= s.high) s.high = high;
    return s;
}

double lh_scale_at(const lh_scale *s, double x) {
    if (s->is_log) return (log(x) - log(s->low)) / (log(s->high) - log(s->low));
    if (fabs(s->high) < 1 && fabs(s->low) < 1) return (x - s->low) / (s->high - s->low);
    return (x / 2 - s->low / 2) / (s->high / 2 - s->low / 2); /* as above */
}

/* On both sides; false: there is no number that far out. Of the smallest numbers there are, rounding may make `by` less than nothing. */
static bool widen(lh_scale *s, double by) {
    if (by < 0) return true;
    if (!isfinite(s->low - by) || !isfinite(s->high + by)) return false;
    s->low -= by, s->high += by;
    return true;
}

void lh_scale_even(lh_scale *x, lh_scale *y, double width, double height) {
    double dx = x->high - x->low, dy = y->high - y->low, unit = fmax(dx / width, dy / height);
    if (!x->is_log && !y->is_log && widen(x, (unit * width - dx) / 2))
        widen(y, (unit * height - dy) / 2);
}

/* Points get some paper around them; a curve fills its axis. */
void lh_plane_scales(const lh_chart *c, lh_scale *x, lh_scale *y) {
    size_t ignored;
    bool has_points = lh_chart_has_points(c);
    *x = lh_scale_new(lh_chart_range(c, false, &ignored), c->log_x, false);
    *y = lh_scale_new(lh_chart_range(c, true, &ignored), c->log_y, !has_points);
    for (int k = 0; k < 2 && has_points && !c->field.cell; k++) {
        lh_scale *s = k ? y : x;
        if (!s->is_log) widen(s, s->high * 0.08 - s->low * 0.08);
    }
}

/* ---- ticks ---- */

/* As many decimals as the step has, so that 0.5 and 1.0 end alike. */
static void write_tick(char *text, double x, step d, double large) {
    int digits = 1, decimals = d.power < 0 ? -d.power : 0;
    if (large > 0) digits = (int)ceil(log10(large) - log10(size_of(d))) + 2;
    lh_number_text(text, LH_NUMBER_MAX, x, digits < 1 ? 1 : digits > 17 ? 17 : digits);
    if (strchr(text, 'e') || decimals == 0 || decimals > 12) return;
    char *point = strchr(text, '.');
    size_t n = strlen(text);
    int have = point ? (int)(text + n - point) - 1 : 0;
    if (!point && n + 1 < LH_NUMBER_MAX) text[n++] = '.';
    while (have++ < decimals && n + 1 < LH_NUMBER_MAX) text[n++] = '0';
    text[n] = 0;
}

/* The smallest step with no more ticks than wanted. */
static step tick_step(const lh_scale *s, int most, double *first, double *last) {
    step d = {1, 0};
    for (int n = most + 1; n > 0; n--) {
        d = nice_step(s->low, s->high, n);
        *first = ceil(s->low / size_of(d) - 1e-9);
        *last = floor(s->high / size_of(d) + 1e-9);
        if (*last - *first + 1 <= most) break;
    }
    return d;
}

static void linear_ticks(lh_ticks *t, const lh_scale *s, int most) {
    double first, last, large = fmax(fabs(s->low), fabs(s->high));
    step d = tick_step(s, most, &first, &last);
    t->n = 0;
    if (!(size_of(d) > large * 1e-15)) return;
    for (double k = first; k <= last && t->n < most; k++) {
        double x = steps_from_0(d, k);
        if (x < s->low) x = s->low; /* by a rounding */
        if (x > s->high) x = s->high;
        write_tick(t->text[t->n], x, d, large);
        t->at[t->n++] = x;
    }
}

/* From a million on powers are written as such: nobody counts zeros on an axis. */
static void log_tick(lh_ticks *t, const lh_scale *s, double x, int most) {
    if (x < s->low || x > s->high || t->n >= most) return;
    lh_number_text(t->text[t->n], LH_NUMBER_MAX, x, 3);
    if (x >= 1e6) {
        int power = (int)floor(log10(x) + 1e-9);
        snprintf(t->text[t->n], LH_NUMBER_MAX, "%.0fe%d", x / pow(10, power), power);
    }
    t->at[t->n++] = x;
}

/* Powers of ten, every third of them where there are many; with 2 and 5 between them where there are few. */
static void log_ticks(lh_ticks *t, const lh_scale *s, int most) {
    int first = (int)floor(log10(s->low)), last = (int)ceil(log10(s->high)), stride = 1;
    t->n = 0;
    while ((last - first) / stride + 1 > most) stride++;
    bool is_fine = stride == 1 && 3 * (last - first) <= most;
    for (int k = (int)ceil((double)first / stride) * stride; k <= last; k += stride) {
        log_tick(t, s, pow(10, k), most);
        if (is_fine) log_tick(t, s, 2 * pow(10, k), most);
        if (is_fine) log_tick(t, s, 5 * pow(10, k), most);
    }
    if (t->n < 2) linear_ticks(t, s, most);
}

void lh_ticks_new(lh_ticks *t, const lh_scale *s, int most) {
    if (most > LH_MAX_TICKS) most = LH_MAX_TICKS;
    if (most < 1) most = 1;
    if (s->is_log)
        log_ticks(t, s, most);
    else
        linear_ticks(t, s, most);
}

double lh_label_start(double middle, double width, double room, double over) {
    double start = middle - width / 2;
    if (start + width > room + over) start = room + over - width;
    return start < -over ? -over : start;
}

static bool stand_apart(const lh_ticks *t, const lh_scale *s, const lh_chart_row *row) {
    double end = -INFINITY;
    for (int i = 0; i < t->n; i++) {
        double w = row->width(t->text[i]),
               start =
                   lh_label_start(lh_scale_at(s, t->at[i]) * row->room, w, row->room, row->over);
        if (start < end + row->gap || w > row->room + 2 * row->over) return false;
        end = start + w;
    }
    return true;
}

void lh_ticks_fit(lh_ticks *t, const lh_scale *s, const lh_chart_row *row, int most) {
    for (; most > 1; most--) {
        lh_ticks_new(t, s, most);
        if (stand_apart(t, s, row)) return;
    }
    lh_ticks_new(t, s, 1);
    if (!stand_apart(t, s, row)) t->n = 0;
}

/* ---- many points ---- */

typedef struct bundle {
    int column, first, low, high, last; /* points; first -1: none */
} bundle;

static void bundle_end(bundle *b, int *list, int *n) {
    if (b->first < 0) return;
    int order[] = {b->first, b->low < b->high ? b->low : b->high,
                   b->low < b->high ? b->high : b->low, b->last};
    for (int i = 0; i < 4; i++)
        if (i == 0 || order[i] > list[*n - 1]) list[(*n)++] = order[i];
    b->first = -1;
}

static bool is_in_order(const lh_series *s) {
    for (int i = 1; s->x && i < s->n; i++)
        if (!(s->x[i] >= s->x[i - 1])) return false;
    return true;
}

int *lh_series_reduce(lh_arena *a, const lh_chart *c, const lh_series *s, const lh_scale *scale,
                      int columns, int *n) {
    *n = s->n;
    if (s->n <= 4 * columns || !is_in_order(s)) return NULL;
    int *list = lh_alloc_array(a, (size_t)s->n, sizeof *list);
    if (!list) return NULL;
    bundle b = {.first = -1};
    bool is_gap = false;
    *n = 0;
    for (int i = 0; i < s->n; i++) {
        double x, y;
        if (!lh_series_point(c, s, i, &x, &y)) { /* a gap stays a gap */
            bundle_end(&b, list, n);
            if (!is_gap) list[(*n)++] = i;
            is_gap = true;
            continue;
        }
        is_gap = false;
        int column = (int)(lh_scale_at(scale, x) * columns);
        if (b.first >= 0 && b.column != column) bundle_end(&b, list, n);
        if (b.first < 0) b = (bundle){column, i, i, i, i};
        if (y < s->y[b.low]) b.low = i;
        if (y > s->y[b.high]) b.high = i;
        b.last = i;
    }
    bundle_end(&b, list, n);
    return list;
}
