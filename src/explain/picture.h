/* picture -- a program as boxes and arrows: what is given, the steps forward, the gradients back, the updates.
 *
 *     lh_picture *p = lh_picture_new(g, LH_PICTURE_FOLDED);
 *     for (int i = 0; i < p->n_boxes; i++) ... p->box[i].name, .formula, .reads
 *     lh_text svg = lh_text_new(arena);
 *     lh_picture_svg(p, "Example 1", &svg);
 *     lh_picture_free(p);
 *
 * Boxes stand in an order in which they can be computed: a box reads boxes before it.
 */
#ifndef LH_EXPLAIN_PICTURE_H
#define LH_EXPLAIN_PICTURE_H

#include "explain/outline.h"

typedef enum lh_box_kind {
    LH_BOX_INPUT,
    LH_BOX_CONST,
    LH_BOX_PARAM,
    LH_BOX_STATE,
    LH_BOX_STEP,     /* name = formula */
    LH_BOX_GRADIENT, /* made by backward */
    LH_BOX_PART,     /* one of several parts of a gradient */
    LH_BOX_UPDATE,   /* name := formula */
} lh_box_kind;

enum { LH_MAX_TURNS_DEEP = 8 };

typedef struct lh_box {
    lh_box_kind kind;
    lh_phase phase;
    bool is_given;       /* input, const, param, state */
    const lh_step *step; /* of a fold: the first of its steps */
    int folds;           /* > 0: it stands for so many turns of a repeat */
    int n_folded;        /* ... and for so many steps */
    int number;          /* among the steps, from 1; 0: given */
    const char *name;    /* in its turn: Q, next X; of a fold: h[1] ... h[11] */
    const char *path;
    const char *formula;                 /* "" of what is given */
    const char *shape;                   /* tokens x 8; "" of a fold */
    const char *turn[LH_MAX_TURNS_DEEP]; /* the turns it stands in, from outside: h[0], h[0].k[1] */
    int n_turns;
    bool is_second; /* of a model with two texts: it depends on the second one, as a decoder does */
    int beside;     /* of a gradient: the box of its value; of a value: its gradient's; or -1 */
    int *reads;     /* boxes, in the order of the formula */
    int n_reads;
} lh_box;

typedef struct lh_picture {
    lh_graph *g;
    lh_arena *arena;
    lh_outline *outline;
    lh_box *box;
    int n_boxes;
    int *of_step; /* for each step: its box, or -1 */
    /* of a model with two texts: the inputs that its encoder and its decoder read; NULL: one column */
    const char *text[2];
} lh_picture;

/* What a picture shows of a program. */
typedef enum lh_picture_of {
    LH_PICTURE_FOLDED, /* turns of a repeat after the first are one box */
    LH_PICTURE_ALL,    /* every turn */
    LH_PICTURE_FORWARD /* folded, the steps forward alone, and what they read; of a model with two texts: in two columns */
} lh_picture_of;

/* NULL and the context failed on error; g must outlive it */
lh_picture *lh_picture_new(lh_graph *g, lh_picture_of what);
/* folded: what leads to one step, and no more */
lh_picture *lh_picture_to(lh_graph *g, const lh_step *goal);
void lh_picture_free(lh_picture *p);                                 /* NULL is allowed */
void lh_picture_svg(lh_picture *p, const char *title, lh_text *out); /* a whole SVG document */

#endif
