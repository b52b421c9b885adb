/* paper_lines -- the lines of a sheet that are not asked: what a step is worked out from, and what opens its calls. */
#ifndef LH_LEARN_PAPER_LINES_H
#define LH_LEARN_PAPER_LINES_H

#include "learn/paper.h"

/* is_seen: for each node, whether a line of this moment has it already. */
void lh_paper_lines(lh_paper *p, lh_paper_step *s, const lh_step *step, bool *is_seen);
/* in names that stand on the sheet */
const char *lh_paper_formula(const lh_paper *p, const lh_step *step);

#endif
