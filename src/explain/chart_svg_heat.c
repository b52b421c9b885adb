/* chart_svg_heat -- heat maps, stripes and bars on paper. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/escape.h"
#include "explain/chart_svg.h"

enum {
    MOST_CELLS = 160,
    MOST_BARS = 40,
    GAP = 18,
    TEXT_ROW = 16,
    LEAST_CELL = 12,
    LEAST_PANEL = 130,
    MOST_TOUCHED = 2500
};

typedef struct heat {
    const lh_chart *c;
    lh_range range;
    int rows, cols;               /* of the largest panel */
    int digits;                   /* of the numbers */
    int per_line;                 /* panels beside each other */
    double label, head;           /* room for row labels; for column labels */
    double panel;                 /* width of a panel, its labels included */
    double w, h;                  /* of a cell */
    bool has_numbers, is_upright; /* numbers in the cells; column labels written upwards */
} heat;

static const char *name_of(lh_arena *a, const char *const *label, int n, int i) {
    return label ? label[i] : n == 1 ? "" : lh_printf(a, "%d", i);
}

static double widest_of(lh_svg_sheet *s, bool of_rows) {
    double widest = 0;
    for (int k = 0; k < s->c->n_panels; k++) {
        const lh_panel *p = &s->c->panel[k];
        int n = of_rows ? p->rows : p->cols;
        for (int i = 0; i < n; i++)
            widest = fmax(widest,
                          lh_svg_width(name_of(s->a, of_rows ? p->row_label : p->col_label, n, i)));
    }
    return widest;
}

static double widest_number(const lh_chart *c, int digits) {
    double widest = 0;
    char number[LH_NUMBER_MAX];
    for (int k = 0; k < c->n_panels; k++)
        for (size_t i = 0; i < (size_t)c->panel[k].rows * (size_t)c->panel[k].cols; i++)
            widest = fmax(widest, lh_svg_width(lh_number_text(number, sizeof number,
                                                              c->panel[k].cell[i], digits)));
    return widest;
}

static heat heat_layout(lh_svg_sheet *s) {
    const lh_chart *c = s->c;
    heat h = {.c = c, .range = lh_chart_values(c)};
    for (int k = 0; k < c->n_panels; k++) {
        if (c->panel[k].rows > h.rows) h.rows = c->panel[k].rows;
        if (c->panel[k].cols > h.cols) h.cols = c->panel[k].cols;
    }
    h.label = fmin(widest_of(s, true), 130) + 6;
    for (h.per_line = c->n_panels < 4 ? c->n_panels : 4;; h.per_line--) {
        h.panel = (SHEET - 2 * EDGE - (h.per_line - 1) * (double)GAP) / h.per_line;
        h.w = (h.panel - h.label) / h.cols;
        if (h.per_line == 1 || h.w >= LEAST_CELL || h.w * h.cols >= LEAST_PANEL) break;
    }
    bool is_small = (size_t)h.rows * (size_t)h.cols <= 400;
    for (h.digits = 3; h.digits > 2 && widest_number(c, h.digits) + 6 > h.w;) h.digits--;
    h.has_numbers = c->kind == LH_CHART_HEAT && is_small && widest_number(c, h.digits) + 6 <= h.w;
    if (h.w > 88) h.w = 88;
    h.h = h.has_numbers ? fmin(h.w, 38) : fmin(fmin(h.w, 30), 600.0 / h.rows);
    if (c->kind == LH_CHART_STRIPES) h.h = fmax(fmin(24, 320.0 / h.rows), fmin(h.h, 2));
    h.is_upright = widest_of(s, false) + 4 > h.w && c->panel[0].col_label;
    h.head = h.is_upright ? fmin(widest_of(s, false), 110) + 6 : LEADING;
    return h;
}

/* Every first, second, fifth, tenth ... such that labels stand apart. */
static int stride_for(double cell, double room) {
    static const int strides[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        if (strides[i] * cell >= room) return strides[i];
    return 10000;
}

static void upright_words(lh_svg_sheet *s, double x, double y, const char *text) {
    lh_text_add(&s->body, "<text class=\"quiet\" transform=\"translate(");
    lh_svg_number(&s->body, x);
    lh_text_add(&s->body, " ");
    lh_svg_number(&s->body, y);
    lh_text_add(&s->body, ") rotate(-90)\">");
    lh_text_add_xml(&s->body, text);
    lh_text_add(&s->body, "</text>\n");
}

static void draw_labels(lh_svg_sheet *s, const heat *h, const lh_panel *p, double x, double y) {
    double last = lh_svg_width(name_of(s->a, p->col_label, p->cols, p->cols - 1));
    int stride = stride_for(h->w, h->is_upright ? TEXT_ROW : p->col_label ? 0 : last + 6);
    for (int i = 0; i < p->cols; i += stride) {
        const char *name = name_of(s->a, p->col_label, p->cols, i);
        double middle = x + (i + 0.5) * h->w;
        if (h->is_upright)
            upright_words(s, middle + 5, y - 6, lh_svg_cut(s, name, 110));
        else
            lh_svg_words(s, middle, y - 6, "quiet", "middle", name);
    }
    stride = stride_for(h->h, TEXT_ROW);
    for (int i = 0; i < p->rows; i += stride)
        lh_svg_words(s, x - 6, y + (i + 0.5) * h->h + 5, "quiet", "end",
                     lh_svg_cut(s, name_of(s->a, p->row_label, p->rows, i), h->label));
}

/* At most so many cells a side: of the cells that share a place the largest is shown. */
static lh_shades shades_of(lh_svg_sheet *s, const lh_panel *p, int most) {
    int by_row = (p->rows + most - 1) / most, by_col = (p->cols + most - 1) / most;
    lh_shades g = {.cell = p->cell, .rows = p->rows, .cols = p->cols};
    if (by_row <= 1 && by_col <= 1) return g;
    g.rows = (p->rows + by_row - 1) / by_row;
    g.cols = (p->cols + by_col - 1) / by_col;
    double *cell = lh_alloc_array(s->a, (size_t)g.rows * (size_t)g.cols, sizeof *cell);
    g.cell = cell;
    if (!cell) return (lh_shades){.rows = 0};
    for (int i = 0; i < g.rows * g.cols; i++) cell[i] = NAN;
    for (int r = 0; r < p->rows; r++)
        for (int k = 0; k < p->cols; k++) {
            double x = p->cell[(size_t)r * (size_t)p->cols + (size_t)k];
            double *best = &cell[(size_t)(r / by_row) * (size_t)g.cols + (size_t)(k / by_col)];
            if (isfinite(x) && !(x <= *best)) *best = x;
        }
    return g;
}

/* Shades alone have numbers, too; where a shade is of many cells, none is meant. */
static void touch_cells(lh_svg_sheet *s, const heat *h, const lh_panel *p, double x, double y) {
    if (p->rows > MOST_TOUCHED / p->cols) return;
    for (int r = 0; r < p->rows; r++)
        for (int k = 0; k < p->cols; k++) {
            size_t i = (size_t)r * (size_t)p->cols + (size_t)k;
            if (p->at[i])
                lh_svg_touch(s, &(lh_svg_spot){.at = p->at[i],
                                               .value = p->cell[i],
                                               .x = x + k * h->w,
                                               .y = y + r * h->h,
                                               .w = h->w,
                                               .h = h->h});
        }
}

static void draw_panel(lh_svg_sheet *s, const heat *h, const lh_panel *p, double left, double y) {
    double x = left + h->label;
    if (p->rows == 0 || p->cols == 0) return;
    if (h->c->n_panels > 1)
        lh_svg_words(s, x, y - h->head - 6, "", "start",
                     lh_svg_cut(s, p->name ? p->name : "", h->panel - h->label));
    draw_labels(s, h, p, x, y);
    lh_shades g = shades_of(s, p, MOST_CELLS / h->per_line);
    g.x = x, g.y = y, g.w = h->w * p->cols, g.h = h->h * p->rows, g.range = h->range;
    if (h->has_numbers) /* ... says nan itself */
        for (int r = 0; r < p->rows; r++)
            for (int k = 0; k < p->cols; k++) {
                char number[LH_NUMBER_MAX];
                double v = p->cell[(size_t)r * (size_t)p->cols + (size_t)k];
                lh_shades one = {&v, 1, 1, false, x + k * h->w, y + r * h->h, h->w, h->h, h->range};
                if (isfinite(v)) lh_svg_shades(s, &one);
                lh_svg_at(s, x + (k + 0.5) * h->w, y + (r + 0.5) * h->h + 5, "", "middle",
                          lh_number_text(number, sizeof number, v, h->digits),
                          p->at ? p->at[(size_t)r * (size_t)p->cols + (size_t)k] : NULL);
            }
    else
        lh_svg_shades(s, &g);
    lh_svg_box(s, "axis", x, y, g.w, g.h);
    if (!h->has_numbers && p->at) touch_cells(s, h, p, x, y);
}

void lh_heat_svg(lh_svg_sheet *s) {
    heat h = heat_layout(s);
    double above = h.head + (s->c->n_panels > 1 ? LEADING : 0);
    for (int k = 0; k < s->c->n_panels; k++) {
        if (k % h.per_line == 0) s->y += above + (k ? h.h * h.rows + GAP : 0);
        draw_panel(s, &h, &s->c->panel[k], EDGE + (k % h.per_line) * (h.panel + GAP), s->y);
    }
    s->y += h.h * h.rows + 8;
    lh_svg_scale(s, &h.range, NULL);
    int most = MOST_CELLS / h.per_line;
    if (h.rows > most || h.cols > most)
        lh_svg_paragraph(s, "quiet",
                         lh_printf(s->a, "a shade is the largest of %d x %d cells",
                                   (h.rows + most - 1) / most, (h.cols + most - 1) / most));
}

/* ---- bars ---- */

typedef struct bars {
    double label, number; /* room for them */
    double zero, unit;    /* where 0 stands; length of 1, both halved where sums would not fit */
} bars;

static bars bars_layout(lh_svg_sheet *s, const int *chosen, int n) {
    bars b = {0};
    char number[LH_NUMBER_MAX];
    const lh_series *series = &s->c->series[0];
    for (int i = 0; i < n; i++) {
        lh_number_text(number, sizeof number, series->y[chosen[i]], 4);
        b.number = fmax(b.number, lh_svg_width(number));
        b.label = fmax(b.label, lh_svg_width(name_of(s->a, series->label, 2, chosen[i])));
    }
    b.label = fmin(b.label, 170);
    lh_range r = lh_chart_values(s->c);
    double low = fmin(r.low, 0) / 2, high = fmax(r.high, 0) / 2, left = EDGE + b.label + 10;
    double room =
        SHEET - EDGE - left - b.number - 8 - (s->c->has_target ? lh_svg_width("target") + 8 : 0);
    b.unit = high > low ? fmin(room / (high - low), DBL_MAX) : 0;
    b.zero = left - low * b.unit;
    return b;
}

void lh_bars_svg(lh_svg_sheet *s) {
    const lh_series *series = &s->c->series[0];
    int n;
    int *chosen = lh_bars_chosen(s->a, s->c, MOST_BARS, &n);
    if (!chosen) return;
    bars b = bars_layout(s, chosen, n);
    double top = s->y;
    for (int i = 0; i < n; i++, s->y += 26) {
        char number[LH_NUMBER_MAX];
        double v = series->y[chosen[i]], length = isfinite(v) ? v / 2 * b.unit : 0;
        bool is_target = s->c->has_target && chosen[i] == s->c->target;
        lh_svg_words(s, EDGE + b.label, s->y + 17, is_target ? "head" : "", "end",
                     lh_svg_cut(s, name_of(s->a, series->label, 2, chosen[i]), b.label));
        lh_svg_box(s, is_target ? "target" : "bar", fmin(b.zero, b.zero + length), s->y + 3,
                   fabs(length), 20);
        double end = fmax(b.zero, b.zero + length) + 6;
        lh_number_text(number, sizeof number, v, 4);
        lh_svg_at(s, end, s->y + 17, isfinite(v) ? "" : "quiet", "start", number,
                  series->at ? series->at[chosen[i]] : NULL);
        if (is_target)
            lh_svg_words(s, end + lh_svg_width(number) + 8, s->y + 17, "quiet", "start", "target");
    }
    lh_svg_line(s, "axis", b.zero, top, b.zero, s->y);
    if (n < series->n)
        lh_svg_paragraph(s, "quiet", lh_printf(s->a, "%d of %d: the largest", n, series->n));
}
