/* chart_axis -- from numbers to places: what a scale spans, where its ticks stand. What the files of a chart share.
 *
 *     lh_range r = lh_range_none();
 *     for (...) lh_range_add(&r, x[i]);
 *     lh_scale s = lh_scale_new(r, false, true);         wide enough that the ticks reach its ends
 *     lh_ticks t;
 *     lh_ticks_new(&t, &s, 6);                           at most so many, at 1, 2 or 5 times a power of ten
 *     double share = lh_scale_at(&s, x);                      0 at the low end, 1 at the high end
 */
#ifndef LH_EXPLAIN_CHART_AXIS_H
#define LH_EXPLAIN_CHART_AXIS_H

#include "base/number.h"
#include "explain/chart.h"

/* The finite numbers seen, and how many were none. */
typedef struct lh_range {
    double low, high; /* low > high: no number yet */
    size_t n, n_nan, n_inf;
} lh_range;

typedef struct lh_scale {
    double low, high; /* low < high */
    bool is_log;      /* then both above 0 */
} lh_scale;

enum { LH_MAX_TICKS = 24 };

typedef struct lh_ticks {
    double at[LH_MAX_TICKS];
    char text[LH_MAX_TICKS][LH_NUMBER_MAX];
    int n;
} lh_ticks;

/* Labels along an axis, each in the middle of its place where it can be. All in one unit: columns, or pixels. */
typedef struct lh_chart_row {
    double room, gap; /* the length of the axis; what stays free between two labels */
    double over;      /* how far a label may stand over an end */
    double (*width)(const char *text);
} lh_chart_row;

lh_range lh_range_none(void);
void lh_range_add(lh_range *r, double x);
lh_range lh_field_range(const lh_chart_field *f); /* of all its cells */
bool lh_series_is_curve(const lh_series *s);
lh_range lh_chart_values(const lh_chart *c); /* heat, stripes: all cells; bars: the bars */
/* plane; left out: not above 0 on a log axis */
lh_range lh_chart_range(const lh_chart *c, bool of_y, size_t *n_left_out);
/* false: it has no place in the picture */
bool lh_series_point(const lh_chart *c, const lh_series *s, int i, double *x, double *y);

lh_scale lh_scale_new(lh_range r, bool is_log, bool reach_ticks);
double lh_scale_at(const lh_scale *s, double x);
/* one unit as long on x as on y */
void lh_scale_even(lh_scale *x, lh_scale *y, double width, double height);
void lh_ticks_new(lh_ticks *t, const lh_scale *s, int most);
/* as many as stand beside each other, at most `most` */
void lh_ticks_fit(lh_ticks *t, const lh_scale *s, const lh_chart_row *row, int most);
double lh_label_start(double middle, double width, double room, double over);

/* The points of a series that still show when the picture is `columns` wide: of each column the first, the lowest, the highest
 * and the last. *n of them, in order; NULL: all. */
int *lh_series_reduce(lh_arena *a, const lh_chart *c, const lh_series *s, const lh_scale *x,
                      int columns, int *n);

/* 0 to 1: from 0, or from the lowest where it is negative */
double lh_shade(const lh_range *r, double x);
void lh_chart_notes(const lh_chart *c, lh_text *out); /* what is left out; "" when nothing is */
const char *lh_chart_empty(const lh_chart *c);        /* why there is no picture, or NULL */
const char *lh_chart_head(const lh_chart *c);         /* the title, where it is drawn; or NULL */
/* what y is, unless the title begins with it; or NULL */
const char *lh_chart_y_head(const lh_chart *c);
bool lh_chart_has_legend(const lh_chart *c);
/* on an axis by factors there is no origin: points */
bool lh_series_is_arrows(const lh_chart *c, const lh_series *s);
bool lh_chart_has_points(const lh_chart *c); /* of any series: points or arrows */
void lh_plane_scales(const lh_chart *c, lh_scale *x, lh_scale *y);
/* the largest, the target and what is no number, in order */
int *lh_bars_chosen(lh_arena *a, const lh_chart *c, int most, int *n);

/* Pieces of the text (chart_plane.c). */
void lh_plane_text(const lh_chart *c, const lh_chart_screen *how, lh_text *out);
/* 0 ░▒▓█ 0.502 */
void lh_scale_text(lh_arena *a, const lh_chart_screen *how, const lh_range *r, const char *name,
                   lh_text *out);

#endif
