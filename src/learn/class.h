/* class -- many sheets together: how the class did, where it was hard, what went wrong most often. No printing.
 *
 *     lh_class *c = lh_class_new(arena, mistakes);
 *     lh_class_row *row = lh_class_add(c, paper, filled, marks);     row->learner = ... is the caller's
 *     lh_class_sum s = lh_class_summary(c);                          s.mean, s.median, s.tenth[9]; s.absent
 *     lh_class_step *hard = lh_class_hardest(c, &n);                 the hardest step first
 *     lh_class_tally *t = lh_class_mistakes(c, &n);                  the commonest mistake first
 */
#ifndef LH_LEARN_CLASS_H
#define LH_LEARN_CLASS_H

#include "learn/answers.h"

/* One step on one sheet. */
typedef struct lh_class_cell {
    int credit, blank, total;  /* numbers; total 0: not asked on this sheet */
    const lh_mistake *mistake; /* the first that explains it, or NULL */
    bool is_other_shape;
} lh_class_cell;

typedef struct lh_class_row {
    const char *learner, *name, *id, *file, *form; /* name, id and form may be "" */
    int line;                                      /* of a table; 0: a file of its own */
    bool has_seed;                                 /* to be told: it is not of a secret */
    bool is_absent;                                /* wrote nothing: counted apart, not as 0 % */
    unsigned long long seed;
    int digits, credit, total, blank;
    double points;       /* credit, and half a point where fewer digits are worth that */
    lh_class_cell *cell; /* for the first n_cells steps of the class */
    int n_cells;
} lh_class_row;

typedef struct lh_class {
    lh_arena *arena;
    const lh_mistakes *mistakes;
    const char **step; /* names, in the order of the first sheet that asks for them */
    int n_steps;
    lh_class_row *row;
    int n_rows;
} lh_class;

lh_class *lh_class_new(lh_arena *a, const lh_mistakes *mistakes);
/* good until the next one is added */
lh_class_row *lh_class_add(lh_class *c, const lh_paper *p, const lh_filled *filled,
                           const lh_marks *marks);

typedef struct lh_class_sum {
    int sheets, absent; /* with something written; without, which the rest leaves out */
    double mean, median, lowest, highest; /* shares of all numbers of a sheet, from 0 to 1 */
    double points;                        /* the mean in numbers */
    int total;                            /* numbers of a sheet; 0: they differ */
    int all_right;                        /* sheets */
    int tenth[10];                        /* sheets below 10 %, 20 % ... */
} lh_class_sum;
lh_class_sum lh_class_summary(const lh_class *c);

typedef struct lh_class_step {
    int step;
    /* that ask for it, that lost credit in it, that left all of it blank */
    int sheets, lost, blank;
    double share; /* of its numbers that have credit */
} lh_class_step;
lh_class_step *lh_class_hardest(const lh_class *c, int *n); /* steps in which credit was lost */

typedef struct lh_class_tally {
    const lh_mistake *mistake;
    int sheets, steps;
    const char *where; /* the step where it was made most */
} lh_class_tally;
lh_class_tally *lh_class_mistakes(const lh_class *c, int *n); /* those that were made */

#endif
