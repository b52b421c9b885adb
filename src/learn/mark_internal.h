/* mark_internal -- what mark.c (the walk through a sheet), mark_number.c (one number), mark_step.c (the numbers of a step together),
 * mark_ways.c (the usual ways of working it out), mark_name.c (known mistakes and other ways) and mark_whole.c (the sheet as a
 * whole) share. */
#ifndef LH_MARK_INTERNAL_H
#define LH_MARK_INTERNAL_H

#include "learn/limits.h"
#include "learn/reach.h"

/* The mistakes that made an active program of the right one. */
typedef struct made {
    lh_rewrite rewrite[2 * LH_MAX_REWRITES];
    int n;
} made;

/* What the passes over one filled-in sheet share. */
typedef struct marking {
    lh_candidate *candidate; /* every mistake in every step */
    int n_candidates;
    lh_step **owner; /* of each node (lh_owners); NULL: not looked for yet */
    double left;     /* of the work that it may take */
} marking;

typedef struct marker {
    marking *all;
    lh_arena *a;
    lh_sheet *s;
    lh_reach *r;
    const lh_written *cell; /* n_cells: what stands there, at no more digits than were asked for */
    const lh_mistakes *mistakes;
    lh_marks *m;
    lh_reach_box *box;   /* room for one unit: its reach */
    lh_reach_box *other; /* and for a second opinion */
    lh_reach_box *truth; /* and for its reach from the right numbers */
    double *plain;       /* and for its numbers */
    int truth_ask;       /* the step that is in truth, or -1 */
    lh_habit habit;      /* how numbers were carried on that nobody wrote down */
    double effort, left; /* that it may take, and what was left of it in the end */
    bool is_trial;       /* an idea is tried: known mistakes are not looked for */
    bool is_quick;       /* only the usual ways are looked at, not all that rounding can do */
    bool shows_cuts;     /* the numbers look cut off, and are taken so */
    int cuts;            /* how many more numbers look cut off than rounded */
    int *origin;         /* for each unit: the ask where a slip that reaches it began, or -1 */
    bool *is_empty;      /* for each unit: its numbers say nothing, and they do not follow */
    bool *is_vague;      /* for each unit: some number of it has too few digits to tell anything */
    int anew; /* the right program, for somebody who works unchanged steps out again after an update; -1: no update */
    /* programs that later steps may follow: the right one, and those with the mistakes made so far */
    int active[LH_MOST_ACTIVE], n_active;
    made made[LH_MOST_ACTIVE];
} marker;

static inline const lh_written *marking_written(const marker *k, int ask, int cell) {
    return &k->cell[k->s->ask[ask].first + cell];
}

/* No rounding or cutting off can lead one beside its numbers. */
static inline bool marking_is_sharp(const lh_ask *q) {
    return q->is_whole || q->is_taken;
}

double marking_unit(const lh_ask *q);                 /* one in the last digit asked for */
double marking_last_digit(double x, int digits);      /* one in the last of so many digits of it */
bool marking_is_short(lh_written w, const lh_ask *q); /* has it fewer digits than were asked for? */
bool marking_is_telling(lh_written w, const lh_ask *q); /* or so few that they say nothing? */
int marking_ask(const lh_sheet *s, const lh_step *step, int moment); /* or -1 */

/* ---- one number ---- */

/* digits beyond those that were asked for do not count */
lh_written marking_asked(lh_written w, const lh_ask *q);
/* a value of the box rounds to it, or to one so far beside it */
bool marking_fits(lh_written w, lh_reach_box b, double beside);
/* own, from_true: NULL where there is none */
lh_verdict marking_judge(lh_written w, double exact, const lh_reach_box *own,
                         const lh_reach_box *from_true, bool is_tainted, const lh_ask *q);
/* with the zeros that were dropped */
lh_written marking_meant(lh_written w, lh_verdict v, const lh_ask *q);
const char *marking_slip(lh_written w, lh_reach_box own); /* of the pen, in words, or NULL */
/* 1: cut, -1: rounded, 0: both may write it */
int marking_looks_cut(lh_written w, lh_reach_box own);
/* the number to go on with */
lh_reach_box marking_box(lh_written w, lh_verdict v, const lh_reach_box *own, lh_habit habit,
                         const lh_ask *q);

/* ---- a step ---- */

/* every unit at its right numbers, which may have been rounded */
void marking_put_truth(lh_reach *r);
const lh_reach_box *marking_from_true(marker *k, int ask); /* where its step can lie then */
int marking_taint(marker *k, int variant, int unit); /* where a slip began that it reads, or -1 */
/* own, truth: or NULL */
lh_verdict marking_judge_cell(const marker *k, int ask, int cell, const lh_reach_box *own,
                              const lh_reach_box *truth, bool is_tainted);
/* how many have no credit */
int marking_judge_step(marker *k, int ask, const lh_reach_box *own, bool is_tainted,
                       lh_verdict *out);
bool marking_reads_vague(marker *k, int unit); /* a number with too few digits? */
/* numbers with too few digits that come of such numbers */
void marking_withhold_vague(marker *k, int ask, int unit, lh_verdict *v);
/* numbers that say nothing */
void marking_withhold(marker *k, int ask, int unit, bool is_tainted, const lh_reach_box *own,
                      lh_verdict *v);

/* ---- the usual ways ---- */

/* credit for numbers that one of them leads to; how many have none */
int marking_usual(marker *k, int ask, int unit, int variant, bool is_tainted, lh_verdict *v);
bool marking_comes_to(marker *k, int ask, int unit, lh_carry how); /* every number of the step? */

/* ---- names for what went wrong ---- */

bool marking_explains(marker *k, int variant, int ask, int unit); /* every number of the step? */
bool marking_is_later(const lh_mistake *m); /* an old number after an update */
/* is it right by another way? Notes which */
bool marking_other_way(marker *k, int ask, int unit, bool is_own);
void marking_diagnose(marker *k, int ask, int unit); /* known mistakes, into the step's mark */
void marking_doubt_old(const marker *k, int ask, lh_verdict *v); /* new or old? No credit then */
/* where the mistake of this program was named in the same step, before an update; or -1 */
int marking_made_before(const marker *k, int ask, int variant);
/* copied from before an update? Notes it. own: where its numbers rest, or NULL */
bool marking_is_stale(marker *k, int ask, int unit, int variant, const lh_reach_box *own);

/* ---- the sheet as a whole ---- */

void marking_remark(marker *k); /* what cannot be of its numbers together */

#endif
