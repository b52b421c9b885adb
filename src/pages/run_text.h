/* run_text -- what a run shows beside its matrices: one cell worked out, and what a model predicts. */
#ifndef LH_PAGES_RUN_TEXT_H
#define LH_PAGES_RUN_TEXT_H

#include "eval/exact.h"

enum { LH_RUN_DIGITS = 5 }; /* of a cell that is worked out */

/* one cell worked out: what it is made of, and how that is written; term NULL: it is given */
typedef struct lh_run_worked {
    const struct lh_term *term;
    const char *label, *numbers;
} lh_run_worked;
lh_run_worked lh_run_work(lh_arena *a, lh_graph *g, const lh_plan *plan, const lh_step *s,
                          int head);
/* the same as text: Z[1][1] = 0.01 / 1.41421; NULL: it is given */
char *lh_run_cell(lh_arena *a, lh_graph *g, const lh_plan *plan, const lh_step *s, int head);

typedef struct lh_prediction {
    const char *pattern, *said, *target; /* pattern: "" where it is that of the row before */
    bool is_right, is_tied;
} lh_prediction;

/* how many; -1: it scores no words */
int lh_run_predictions(lh_arena *a, const lh_graph *g, const lh_plan *plan, lh_prediction **list);
/* whose rows are scores of words, and which input says the right ones; or NULL */
lh_node *lh_run_prediction(const lh_graph *g, int *target);
/* the winner of a row; *tied: another column is as large, or -1 */
int lh_winner(const lh_plan *p, const lh_node *n, int example, int row, int *tied);
bool lh_is_padding(const lh_vocab *v, double token);

#endif
