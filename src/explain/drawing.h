/* drawing -- where the boxes and arrows of a picture stand on paper. What drawing.c (places) and svg.c (text) share; not for
 * other files. Lengths in pixels.
 */
#ifndef LH_EXPLAIN_DRAWING_H
#define LH_EXPLAIN_DRAWING_H

#include "explain/picture.h"

enum {
    MARGIN = 24,
    PAD = 10,          /* inside a box */
    TITLE = 19,        /* height of a line with a name */
    LINE = 16,         /* ... with a formula */
    GAP = 26,          /* between levels */
    STACK = 16,        /* between boxes of one level */
    LANE = 9,          /* between two lines of a gutter */
    GUTTER = 34,       /* a gutter without lanes */
    FRAME = 14,        /* from a frame to what it holds */
    FRAME_TOP = 24,    /* ... with its label */
    MAX_LINES = 40,    /* in a box */
    FORMULA_LINES = 3, /* of one formula; the rest is cut */
    WIDEST = 330,
    NARROWEST = 128,
};

enum { GIVEN, AHEAD, BACK, LEARN, N_COLUMNS };

typedef struct lh_drawn_line {
    const char *text;
    bool is_title, is_quiet;
} lh_drawn_line;

typedef struct lh_drawn {
    int in;            /* the box it is drawn in: itself, or a larger one; -1: not drawn */
    int column, level; /* -1: not placed yet */
    int x, y, w, h;
    lh_drawn_line *line;
    int n_lines;
    const char *right; /* the shape, at the end of the first line, or "" */
    int key;           /* its place in the stack of its column and level */
    const char *whole; /* all formulas, for the title */
} lh_drawn;

typedef struct lh_level {
    int y, h;
    int above, below; /* room for frames that begin or end here */
} lh_level;

typedef struct lh_frame {
    const char *path;
    int column;
    int depth, first, last; /* levels */
} lh_frame;

/* A model with two texts (p->text) has its encoder in the column AHEAD and its decoder in BACK, each with its inputs outside. */
typedef struct lh_drawing {
    lh_picture *p;
    lh_arena *a;
    lh_drawn *s; /* one for each box */
    lh_level *level;
    int n_levels;
    lh_frame *frame;
    int n_frames;
    int column_x[N_COLUMNS], column_w[N_COLUMNS], gutter_w[N_COLUMNS]; /* gutter: right of it */
    int w, h, top;
} lh_drawing;

/* All arrows from one box that run through one gutter: a lane with branches. */
typedef struct lh_trunk {
    int from, gutter;
    bool is_dotted;
    int lane, y0, y1;
    int source_y;
    int *to, *to_y;
    int n;
} lh_trunk;

typedef struct lh_arrows {
    lh_trunk *trunk;
    int n_trunks;
    int (*straight)[2]; /* from, to: above each other */
    int n_straight;
} lh_arrows;

bool lh_drawing_new(lh_drawing *d, lh_arrows *all, lh_picture *p); /* false: the context failed */
bool lh_drawing_has(const lh_drawing *d, int box);                 /* has it a box of its own? */
/* which side of the box does the gutter touch? */
bool lh_drawing_on_right(const lh_drawing *d, int box, int gutter);
int lh_drawing_lane(const lh_drawing *d, const lh_trunk *t); /* its x */
int lh_drawing_depth(const lh_drawing *d);                   /* frames inside each other */
int lh_drawing_inset(const lh_box *b); /* from the side of a box to its text */
int lh_letters(const char *s);
const char *lh_box_word(const lh_box *b); /* "param"; "" of a step */

/* What every drawing is written with (svg.c): the head of the document, and a line of text. */
void lh_drawing_begin(lh_text *t, int w, int h, const char *title, const char *description);
void lh_drawing_text(lh_text *t, int x, int y, const char *class, bool at_end, const char *s);

#endif
