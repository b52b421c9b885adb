/* chart -- numbers as a picture: heat maps, bars, curves, points, arrows; on paper (SVG) and on a screen (text).
 *
 *     lh_series s = {.name = "loss", .y = loss, .n = 100, .mark = LH_MARK_LINE};
 *     lh_chart c = {.kind = LH_CHART_PLANE, .title = "Loss", .x_name = "step", .series = &s, .n_series = 1};
 *     lh_chart_svg(&c, &(lh_chart_page){0}, &text);                     a whole <svg> element, with title and description
 *     lh_chart_text(&c, &(lh_chart_screen){.width = 80}, &text);        lines of at most 80 columns
 *     lh_chart_describe(&c, &text);                                     the numbers that matter, in words
 *
 * A chart is data alone: it keeps what it points to and owns nothing. Zero is the default of every field. explain/chart_show.h
 * makes charts from the values of a program.
 *
 * Numbers that are nan or inf have no place in a picture: they are left out, shown as such where there is a cell or a bar for
 * them, and counted in the text. A chart without a number is a sentence that says so.
 *
 * Memory: all from the arena of `out`. When there is no more, the context has failed and the text is not whole.
 */
#ifndef LH_EXPLAIN_CHART_H
#define LH_EXPLAIN_CHART_H

#include "base/context.h"

typedef enum lh_chart_kind {
    LH_CHART_HEAT,    /* matrices: a shade for each cell, and the number where it fits */
    LH_CHART_STRIPES, /* matrices: shades alone */
    LH_CHART_BARS,    /* one series: a bar for each number */
    LH_CHART_PLANE,   /* series of x and y: curves, points, arrows */
} lh_chart_kind;

typedef enum lh_series_mark {
    LH_MARK_LINE,   /* joined, in the order given */
    LH_MARK_POINTS, /* each for itself */
    LH_MARK_BOTH,
    LH_MARK_ARROWS, /* each from the origin, or from where from_x and from_y say */
} lh_series_mark;

/* One matrix of a heat map; several stand side by side and share one scale. */
typedef struct lh_panel {
    const char *name;   /* "head 0", or NULL */
    const double *cell; /* rows * cols */
    int rows, cols;
    const char *const *row_label; /* rows, or NULL: numbers from 0 */
    const char *const *col_label; /* cols, likewise */
    const char *const *at;        /* rows * cols: what a page asks to explain each; or NULL */
} lh_panel;

/* A curve, a class of points, a bundle of arrows, or the bars. */
typedef struct lh_series {
    const char *name; /* for the legend, or NULL */
    const double *x;  /* n, or NULL: 1, 2, 3 ... */
    const double *y;  /* n */
    int n;
    const double *from_x, *from_y; /* arrows: n, where each begins; NULL: the origin */
    const char *const *label;      /* n, of each bar or point; or NULL */
    const char *const *at;         /* n, as of a panel, of its height; or NULL, as each may be */
    const char *const *across;     /* n, likewise of its place along the bottom; or NULL */
    lh_series_mark mark;
} lh_series;

/* What lies behind the points: a value for each place of a grid, row 0 at the lowest y. It spans the picture. */
typedef struct lh_chart_field {
    const char *name;   /* of the value */
    const double *cell; /* rows * cols; NULL: none */
    int rows, cols;
    double x0, x1, y0, y1; /* its edges */
} lh_chart_field;

typedef struct lh_chart {
    lh_chart_kind kind;
    const char *title; /* or NULL */
    /* plane: words beside it say what it is; the title is not drawn, and stays for those who listen */
    bool is_captioned;
    const char *x_name, *y_name; /* of the axes, or NULL */
    lh_panel *panel;             /* heat, stripes */
    int n_panels;
    lh_series *series; /* bars: the first; plane: all */
    int n_series;
    lh_chart_field field; /* plane */
    bool log_x, log_y; /* plane: equal factors take equal room; numbers not above 0 are left out */
    bool is_even;      /* plane: one unit is as long on x as on y */
    bool has_target;   /* bars: */
    int target;        /* ... this one is the right one */
    double most;       /* ... the longest bar stands for at least this; or 0 */
} lh_chart;

typedef struct lh_chart_page {
    const char *id; /* unique among the pictures of a page, letters and digits; NULL: "chart" */
    int width;      /* pixels; 0: 640. Letters are large enough for it to shrink to 360 */
} lh_chart_page;

typedef enum lh_chart_colours {
    LH_COLOURS_NONE, /* shades are characters, curves have letters */
    LH_COLOURS_256,
    LH_COLOURS_ALL, /* 24 bits */
} lh_chart_colours;

typedef struct lh_chart_screen {
    int width;  /* columns, at least 20; 0: 80 */
    int height; /* lines for the plane of curves and points; 0: from the width */
    lh_chart_colours colours;
} lh_chart_screen;

/* Of a curve with many numbers not each has a place to be touched: every so many have one, and the last. */
int lh_series_stride(int n);

void lh_chart_svg(const lh_chart *c, const lh_chart_page *how, lh_text *out);
void lh_chart_text(const lh_chart *c, const lh_chart_screen *how, lh_text *out);
void lh_chart_describe(const lh_chart *c, lh_text *out); /* sentences on one line */

#endif
