/* advice -- what a mark says to the learner: what to do first, then why. No printing.
 *
 *     lh_advice *line = lh_advise(&(lh_advisor){arena, paper, filled, marks, mistakes}, ask, &n);
 *     ... line[i].verdict, line[i].text       "take S / sqrt(cols(K)), not S: the scores were not divided by ..."
 */
#ifndef LH_LEARN_ADVICE_H
#define LH_LEARN_ADVICE_H

#include "learn/answers.h"

typedef struct lh_advisor {
    lh_arena *arena;
    const lh_paper *paper;
    const lh_filled *filled;
    const lh_marks *marks;
    const lh_mistakes *mistakes;
} lh_advisor;

typedef struct lh_advice {
    lh_verdict verdict; /* what it is about: the sign before it */
    const char *text;
} lh_advice;

/* of one step; none when all is right */
lh_advice *lh_advise(const lh_advisor *x, int ask, int *n);
/* what was done, which one was taken, the lesson that explains it */
const char *lh_diagnosis_text(lh_arena *a, const lh_diagnosis *d);
/* ✓ right, ≈ right but for rounding, ↪ follows, ✗, · blank, ? not read */
const char *lh_verdict_sign(lh_verdict v);

#endif
