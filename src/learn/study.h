/* study -- what each known mistake does to the numbers of a program.
 *
 *     lh_study s = lh_study_of(arena, g, plan, mistakes);
 *     for (int i = 0; i < s.n; i++)
 *         if (!lh_way_is_repeated(&s, i)) ... s.way[i].wrong, s.way[i].should_be
 *
 * Memory: of the arena; steps are those of g.
 */
#ifndef LH_LEARN_STUDY_H
#define LH_LEARN_STUDY_H

#include "learn/effect.h"

/* One way to make a mistake: which formula it changes and the first number that differs. */
typedef struct lh_way {
    const lh_candidate *how;
    const char *line, *right, *wrong;
    const lh_step *step; /* of the number; NULL: none differs */
    lh_cell at;
    double should_be, is;
    bool is_other_shape; /* the step gets one: there is no number to compare */
} lh_way;

typedef struct lh_study {
    lh_way *way;
    int n;
} lh_study;

/* plan: all numbers of g. The context of g may have failed after it. */
lh_study lh_study_of(lh_arena *a, lh_graph *g, const lh_plan *plan, const lh_mistakes *m);
int lh_study_count(const lh_study *s, const lh_mistake *m);
/* Of several choices at one place the first that shows stands for all. */
bool lh_way_is_repeated(const lh_study *s, int i);
/* Z = S, not S / sqrt(cols(K)) */
const char *lh_way_text(lh_arena *a, const lh_way *w);

#endif
