/* matcher -- how many held-out answers come out exactly.
 *
 *     lh_matcher *m = lh_matcher_new(g, lh_pairs_feed(p), 64, p->pad, threads);
 *     lh_matched r = lh_matcher_count(m, trainer->plan, 1000);          r.right of r.all answers, every token of them
 *     lh_matcher_free(m);
 *
 * An answer is right when the likeliest token is the wanted one at every position, each asked with the right tokens before
 * it. That is the same as writing it token by token, the likeliest each time: as long as all are right, the tokens before are
 * the right ones; and one that is wrong is wrong either way. So a whole batch takes one run.
 */
#ifndef LH_MATCHER_H
#define LH_MATCHER_H

#include "eval/fast/wish.h"
#include "train/feed.h"

typedef struct lh_matcher {
    lh_graph *g;
    lh_arena *arena;
    lh_feed feed;
    lh_drawn_batch *batch;
    lh_plan *plan;
    int pad; /* wanted where nothing is */
} lh_matcher;

typedef struct lh_matched {
    int right, all;
} lh_matched;

double lh_matched_share(const lh_matched *m); /* nan: nothing was asked */

/* NULL and the context failed */
lh_matcher *lh_matcher_new(lh_graph *g, lh_feed feed, int batch, int pad, int threads);
void lh_matcher_free(lh_matcher *m); /* NULL is allowed */
/* at least so many held-out answers, if there are */
lh_matched lh_matcher_count(lh_matcher *m, const lh_plan *trained, int most);
/* of the last batch: the likeliest token behind a row */
int lh_matcher_says(const lh_matcher *m, int example, int row);

#endif
