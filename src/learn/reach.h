/* reach -- what a step can come to from numbers that are known to within a small box.
 *
 *     lh_reach_begin(r);                                  a new sheet; units are taken in their order
 *     lh_reach_of(r, 0, i, NULL, box);                    what unit i can come to by the right program
 *     lh_reach_unit(r, i)->box[0] = ..., lh_reach_known(r, i);     it was written down
 *     lh_reach_open(r, 0, i, decimals);                   or it was not
 *
 * Every step that a person would write is a unit: its cells, and the boxes they lie in. A line inside a call (P.e) is a unit
 * where the sheet asks for it; other lines are worked out on the way and may have been rounded there. A unit is worked out
 * from the units it reads, by the step itself, whatever program (the right one, or one with a mistake made) the formula is
 * taken from. A sheet that asks for L@1 has the units of two moments: what := made at moment 0 is what moment 1 begins with.
 */
#ifndef LH_LEARN_REACH_H
#define LH_LEARN_REACH_H

#include "learn/mark.h"

/* A cell: the number to go on with, and how far it may lie from there. low <= at <= high. One that was written down or may have
 * been rounded is what it was before, or a rounding of that, and nothing in between. */
typedef struct lh_reach_box {
    double at, low, high;
    bool was_rounded;
    int decimals;    /* to as many, or a few more */
    double from, to; /* where it lay before */
} lh_reach_box;

static inline lh_reach_box lh_box_at(double x) {
    return (lh_reach_box){.at = x, .low = x, .high = x};
}

/* How somebody carries numbers on: what the sheet does not show. */
typedef struct lh_habit {
    bool cuts; /* digits off, instead of rounding */
    int fewer; /* digits than were asked for; 0: as many, or more */
} lh_habit;

/* One way to work everything out that is not written down. */
typedef struct lh_carry {
    bool rounds;   /* each step to the digits asked */
    bool inside;   /* and each line inside one */
    bool flat;     /* to that many decimals, however small the numbers are */
    bool cuts;     /* off, instead of rounding */
    bool shortens; /* what was written down: more digits stand there than were carried on */
    int fewer;     /* digits than asked, where something is rounded or shortened */
} lh_carry;

typedef struct lh_unit {
    lh_step *step; /* in the right program */
    int moment;    /* of training */
    int n_cells;
    lh_reach_box *box;   /* n_cells; examples, then heads, rows, columns */
    const double *right; /* n_cells: the right numbers */
    int decimals;        /* that are asked for, or to which it may have been rounded otherwise */
    bool is_asked;       /* the sheet asks for it */
    bool is_whole;       /* counted, not measured: never rounded */
    bool is_open;        /* nobody wrote it down: it is worked out again wherever it is read */
    bool is_spread;      /* and it was */
    int variant;         /* of an open one: the program it is worked out by */
    int rounded_to;      /* of an open one: decimals */
    int *deviation;      /* n_cells: of reach_spread.c */
    bool is_free;        /* and whether it has them yet */
} lh_unit;

typedef struct lh_reach lh_reach;

lh_reach_box lh_box_dusty(lh_reach_box b, double unit); /* 0 may be a little above or below */
/* where it can lie if it may have been rounded or cut off */
lh_reach_box lh_box_rounded(lh_reach_box b, int decimals, bool is_cut);

lh_reach_box lh_box_either(double x, int decimals); /* a number that is known, or its rounding */

int lh_count_cells(const lh_plan *p, const lh_node *n); /* of all examples and heads */
/* what it asks and what lies between; NULL and the context failed on error */
lh_reach *lh_reach_new(const lh_sheet *s);
void lh_reach_free(lh_reach *r);
int lh_reach_count(const lh_reach *r);
lh_unit *lh_reach_unit(lh_reach *r, int i);
int lh_reach_find(const lh_reach *r, const lh_step *step, int moment); /* its unit, or -1 */
void lh_reach_habit(lh_reach *r, lh_habit habit); /* of lines that nobody asked for */
void lh_reach_allow(lh_reach *r, double effort);  /* so much work from now on: then it gives up */
void lh_reach_pay(lh_reach *r, double effort);    /* for work that was done before */
double lh_reach_left(const lh_reach *r);
bool lh_reach_may(lh_reach *r);           /* is there any? Notes it where there is none: gave_up */
bool lh_reach_gave_up(const lh_reach *r); /* since it was begun: too much work was left */

/* A program to take formulas from: 0 is the right one. NULL rewrites are refused; -1 when it cannot be built. */
int lh_reach_variant(lh_reach *r, const lh_rewrite *rewrite, int n);
/* the right one, but this unit reads an operand as it was a moment before; -1: there is none */
int lh_reach_stale(lh_reach *r, int unit, int operand, const char **name);
/* the right one, but steps that no update changes are worked out again after it; -1: there is no update */
int lh_reach_anew(const lh_reach *r);
/* likewise, of a program with mistakes made */
int lh_reach_variant_anew(lh_reach *r, const lh_rewrite *rewrite, int n);
void lh_reach_drop(lh_reach *r, int variant); /* the newest variant alone */

/* A new sheet: every unit is known, and lies in the box that the caller gives it. */
void lh_reach_begin(lh_reach *r);
void lh_reach_known(lh_reach *r, int i); /* its box was set */

/* Where the cells of unit i can lie, from the units it reads: anywhere in the boxes of known ones, rounded or not at open
 * ones. out: n_cells. written: what stands there, n_cells, or NULL; where that decides, more is tried. False: the formula
 * leads nowhere (nan, inf) or is not there in this variant. */
bool lh_reach_of(lh_reach *r, int variant, int i, const lh_written *written, lh_reach_box *out);

/* Where unit i comes to by one way of carrying on. out: n_cells. False: nowhere. */
bool lh_reach_plain(lh_reach *r, int variant, int i, lh_carry how, double *out);

/* Nobody wrote unit i down: it stays open, to be worked out by this program, and perhaps rounded, when it is first read.
 * Where that leads nowhere there is no number; where it cannot be worked out at all it lies in the box that it has. */
void lh_reach_open(lh_reach *r, int variant, int i, int decimals);
/* open units by this program from now on; returns those they had, for: */
int *lh_reach_reopen(lh_reach *r, int variant);
void lh_reach_restore(lh_reach *r, const int *before);
/* now; its box says where it can lie. False: it leads nowhere */
bool lh_reach_settle(lh_reach *r, int i);
bool lh_reach_reads(lh_reach *r, int variant, int i, int other); /* does unit i read unit other? */

#endif
