/* reach_internal -- what reach.c (units and programs), reach_work.c (how a unit is worked out), reach_spread.c (how far it may lie
 * from where it rests), reach_corner.c (and where not) and reach_plain.c (where it comes to in one way) share. */
#ifndef LH_REACH_INTERNAL_H
#define LH_REACH_INTERNAL_H

#include "learn/limits.h"
#include "learn/reach.h"

/* Where a value that a formula reads comes from: a unit, an earlier line of the same work, or (both -1) its start. */
typedef struct source {
    lh_node *node;
    int unit, line;
    const lh_cell *at; /* its cells */
    int n_cells;
} source;

/* A number that need not lie where it rests: one that was written down, or one that may have been rounded on the way. */
typedef struct deviation {
    double low, high; /* low <= 0 <= high */
    bool was_rounded; /* then it is no number in between, but one of some: */
    int decimals;     /* to as many, or a few more */
    double from, to;  /* where it lay before, */
    double at;        /* and where it rests; nan: there */
} deviation;

/* What a deviation does to one cell, alone. */
typedef struct effect {
    int deviation;
    double down, up; /* what its low end does, what its high end does; not both 0 */
} effect;

typedef struct effects {
    int n;
    effect *effect;
} effects;

/* What deviations do to the cells of a value. Most do nothing to most cells. */
typedef struct lh_sensitivity {
    int n;
    int *deviation;   /* n: those that do something to any of them */
    effects *of_cell; /* for each cell */
} lh_sensitivity;

/* A formula between values that are known: the unit itself, or a line inside it (e of a softmax) that nobody asked for. */
typedef struct line {
    lh_node *node;
    lh_plan *plan; /* the variant's, or in common with other lines */
    int moment;
    source *from;
    int n_from;
    const lh_cell *at; /* its own cells */
    int n_cells;
    int effort;        /* cells that it reads and works out */
    int decimals;      /* to which it may have been rounded; -1: it is not */
    double *rest;      /* n_cells: where they rest */
    double *now;       /* n_cells: where they are while deviations are tried */
    lh_reach_box *box; /* n_cells: where they may lie, rounded */
    int *rounding;     /* n_cells: the deviation of having been rounded, or -1 */
    lh_sensitivity sensitivity;
} line;

/* How one unit is worked out in one variant. Made when it is first asked for. */
typedef struct work {
    bool is_made, is_possible;
    line *line; /* the last is the unit itself */
    int n_lines;
} work;

/* A plan of a formula that is cut at these values. Every moment has it in common: who runs it sets all of them before. */
typedef struct common_plan {
    lh_plan *plan;
    lh_node **from;
    int n_from;
    struct common_plan *next; /* of the same formula, cut elsewhere */
} common_plan;

/* What all lines of a node have in common. */
typedef struct common_node {
    common_plan *plan; /* the first of a list */
    lh_cell *at;       /* its cells; NULL: nobody asked yet */
    int n_cells;
} common_node;

/* Of one graph. */
typedef struct common_nodes {
    lh_arena *arena;
    common_node *of; /* for each node, or NULL: nobody asked yet */
} common_nodes;

typedef struct variant {
    lh_arena *arena;
    lh_graph *g;
    common_nodes *nodes; /* of this graph */
    common_nodes own;    /* those, unless it is the right program's */
    work *work;          /* one for each unit */
    bool *changes;   /* for each node: does an update change it? Made when it is first asked for */
    bool lasts;      /* as long as the sheet: nobody pays for its plans */
    bool is_anew;    /* steps that no update changes are worked out again all the same */
    int stale;       /* the unit that reads old numbers, or -1 */
    int stale_which; /* the unit it reads too early, or -1: all of them */
} variant;

struct lh_reach {
    lh_context *ctx; /* of the right program */
    lh_context *own; /* for variants: one that cannot be built is no error */
    lh_arena *arena;
    /* of the sheet that is being marked: deviations, and what they do to open units */
    lh_arena *sheet;
    /* while a unit is worked out: what deviations do to lines inside it, and room for one line */
    lh_arena *inside, *scratch;
    const lh_sheet *s;
    lh_graph *g;
    lh_unit *unit;
    int n_units;
    lh_habit habit;
    double left; /* of the work that a sheet may take, in cells that are read or worked out */
    bool gave_up;
    deviation *deviation;
    int n_deviations;
    common_nodes nodes; /* of the right program, unless they are those of the sheet's first reach */
    variant variant[LH_MOST_VARIANTS];
    int n_variants;
};

/* of all examples and heads, in order */
lh_cell *reach_cells(lh_arena *a, const lh_plan *p, const lh_node *n, int *n_cells);
work *reach_work(lh_reach *r, int variant, int unit);
void reach_free_plans(variant *v, int n_units); /* its own */
void reach_free_nodes(common_nodes *all, const lh_graph *g);
void reach_run(lh_reach *r, const line *l); /* from what was set; it counts as effort */

/* May roundings of lines that nobody wrote down still be followed? LH_PATIENCE. Notes it where not. */
bool reach_is_patient(lh_reach *r);

/* What must be worked out for a unit: open units that lead to it, in order, and it. */
typedef struct reach_link {
    work *work;
    const lh_unit *unit; /* of an open one; NULL: the last */
} reach_link;

reach_link *reach_chain(lh_reach *r, lh_arena *a, work *w, int *n); /* NULL: no memory */

/* A line, from the numbers of others: operands to where they are while deviations have these places (NULL: at rest), then the
 * formula. False: something is no number. */
void reach_put(lh_reach *r, const work *w, const line *l, const double *place);
bool reach_take(lh_reach *r, const line *l, const double *right, double *to);

/* out: where the last line of the work can lie by the sum of what deviations do; it comes back as it can really. */
void reach_corners(lh_reach *r, lh_arena *a, work *w, const double *right,
                   const lh_written *written, lh_reach_box *out);

#endif
