/* chart_svg -- what the files that draw a chart as SVG share: the sheet, and how one writes on it. Not for other files.
 *
 * Lengths in units of the sheet, which is SHEET of them wide; a page shows it 640 pixels wide or less. Letters of LETTER units are
 * still ten pixels high when the picture is only 360 wide. Numbers are written with one decimal and a point, whatever the locale.
 */
#ifndef LH_EXPLAIN_CHART_SVG_H
#define LH_EXPLAIN_CHART_SVG_H

#include "explain/chart_axis.h"

enum { SHEET = 520, EDGE = 12, LETTER = 14, LEADING = 20 };

typedef struct lh_svg_sheet {
    const lh_chart *c;
    const char *id;
    lh_arena *a;
    lh_text body;
    double y; /* where the next piece begins */
} lh_svg_sheet;

double lh_svg_width(const char *text); /* a guess on the safe side */
void lh_svg_number(lh_text *t, double x);
void lh_svg_attribute(lh_text *t, const char *name, double x); /* ` x="3.5"` */
/* anchor: start, middle, end */
void lh_svg_words(lh_svg_sheet *s, double x, double y, const char *class, const char *anchor,
                  const char *text);
/* the same; a number with its address, or NULL */
void lh_svg_at(lh_svg_sheet *s, double x, double y, const char *class, const char *anchor,
               const char *text, const char *at);
void lh_svg_line(lh_svg_sheet *s, const char *class, double x0, double y0, double x1, double y1);
void lh_svg_box(lh_svg_sheet *s, const char *class, double x, double y, double w, double h);
const char *lh_svg_cut(lh_svg_sheet *s, const char *text, double room); /* with an ellipsis */
/* folded, moves s->y */
void lh_svg_paragraph(lh_svg_sheet *s, const char *class, const char *text);

/* Where a page lets the reader touch a number that the picture shows and does not write: nothing is seen of it. */
typedef struct lh_svg_spot {
    const char *at;     /* its address */
    double value;       /* ... and itself */
    const char *across; /* of its place along the bottom, or NULL */
    double place;       /* ... */
    double x, y, w, h;
} lh_svg_spot;
void lh_svg_touch(lh_svg_sheet *s, const lh_svg_spot *spot);

/* A grid of shades, cell by cell or, where it is fine, gathered by shade. Not numbers: crossed. */
typedef struct lh_shades {
    const double *cell; /* rows * cols, the first row on top unless is_upward */
    int rows, cols;
    bool is_upward;
    double x, y, w, h; /* of the whole */
    lh_range range;
} lh_shades;
void lh_svg_shades(lh_svg_sheet *s, const lh_shades *g);
void lh_svg_scale(lh_svg_sheet *s, const lh_range *r, const char *name); /* 0 [shades] 0.5 */

void lh_heat_svg(lh_svg_sheet *s);  /* chart_svg_heat.c */
void lh_bars_svg(lh_svg_sheet *s);  /* likewise */
void lh_plane_svg(lh_svg_sheet *s); /* chart_svg_plane.c */

#endif
