/* chart_canvas -- a sheet of characters to draw on: text, shades, and dots four to a line and two to a column.
 *
 *     lh_canvas *c = lh_canvas_new(arena, 80, 12);
 *     lh_canvas_put(c, 4, 0, "loss", 10, LH_CANVAS_STRONG);
 *     lh_canvas_line(c, 0, 0, 159, 47, 1);                   in dots: 160 x 48 here
 *     lh_canvas_write(c, LH_COLOURS_NONE, &text);
 *
 * What lies outside is cut off. Text stands before dots, dots before shades. Lines have no blanks at their end.
 */
#ifndef LH_EXPLAIN_CHART_CANVAS_H
#define LH_EXPLAIN_CHART_CANVAS_H

#include "explain/chart.h"

enum { LH_CANVAS_PLAIN = 0, LH_CANVAS_QUIET = 100, LH_CANVAS_STRONG }; /* inks; 1, 2 ... series */

typedef struct lh_spot {
    char text[16];      /* one character with its marks, or "" */
    bool is_covered;    /* by the right half of the character before it */
    unsigned char dots; /* of a braille letter */
    short ink;
    short shade; /* 1 to 256; 0: none */
} lh_spot;

typedef struct lh_canvas {
    lh_spot *spot; /* height * width */
    int width, height;
} lh_canvas;

lh_canvas *lh_canvas_new(lh_arena *a, int width, int height); /* NULL: no memory */
/* cut to `room` with an ellipsis; returns the columns it took */
int lh_canvas_put(lh_canvas *c, int x, int y, const char *text, int room, int ink);
bool lh_canvas_is_free(const lh_canvas *c, int x, int y, int n); /* no text, no dots, inside */
void lh_canvas_dot(lh_canvas *c, int x, int y, int ink);
void lh_canvas_line(lh_canvas *c, int x0, int y0, int x1, int y1, int ink);
void lh_canvas_shade(lh_canvas *c, int x, int y, int n, double share); /* n columns; 0 to 1 */
void lh_canvas_write(const lh_canvas *c, lh_chart_colours colours, lh_text *out);
/* folded at the width */
void lh_canvas_words(lh_arena *a, int width, lh_chart_colours colours, const char *text, int ink,
                     lh_text *out);

#endif
