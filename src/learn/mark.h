/* mark -- a learner's numbers, judged step by step on the learner's own numbers.
 *
 *     lh_sheet *s = lh_sheet_new(g, &(lh_sheet_how){.digits = 4});      which steps are asked, and to how many decimals
 *     lh_answers *a = lh_answers_new(s);                                all blank
 *     lh_answer_set(a, s, ask, cell, lh_written_read("0.498", 5));
 *     lh_marks *m = lh_mark(s, a, mistakes);                            a verdict for every cell, a diagnosis for every step
 *
 * Reach: what a step can come to when each operand lies anywhere between the number written and that number before rounding.
 * Steps that are not asked or left blank are worked out from the learner's own numbers, and may have been rounded too. It is
 * found by moving each operand through its small box and letting the step itself say what becomes of it.
 */
#ifndef LH_LEARN_MARK_H
#define LH_LEARN_MARK_H

#include "base/written.h"
#include "eval/exact.h"
#include "learn/mistakes.h"

typedef enum lh_verdict {
    LH_BLANK, /* nothing written: never zero */
    LH_RIGHT, /* the exact value, to the digits asked for or, where fewer stand there, to those written */
    LH_LAST_DIGIT, /* one unit beside its reach: cut off, say; full credit */
    LH_EARLY,      /* within reach: an operand was rounded on the way; full credit */
    LH_OTHER_WAY,  /* another way to the same result: exp without the shift; full credit */
    LH_FOLLOWS,    /* correctly worked out from an earlier slip; full credit */
    LH_FEW_DIGITS, /* a correct rounding, with fewer digits than asked: the teacher says what it is worth */
    LH_CARRIED, /* all zero, all equal or copied where the right one is not: carried on, not credited */
    LH_COARSE,  /* a correct rounding, but to so few digits that it says too little */
    LH_MISTAKE, /* one known mistake explains every cell of the step */
    LH_SLIP,    /* a slip of the pen: a sign, a factor of ten, two digits swapped */
    LH_WRONG,
    LH_UNREAD, /* not a number */
    LH_CANNOT, /* the learner's own numbers lead nowhere: the log of a negative */
    LH_N_VERDICTS
} lh_verdict;

extern const char *const lh_verdict_names[LH_N_VERDICTS]; /* "right", "last digit" ... */
bool lh_verdict_has_credit(lh_verdict v); /* all of it, or the share that fewer digits are worth */
bool lh_verdict_is_blame(lh_verdict v);   /* something went wrong here */

/* A step that the sheet asks for, or a line inside one: P.e. */
typedef struct lh_ask {
    lh_step *step;
    int moment;    /* of training: 1 for L@1, which := has gone before */
    int decimals;  /* digits behind the point that are asked for */
    int digits;    /* that a number needs at most: 1.5e-9 has two */
    bool is_whole; /* counted, not measured: one beside it is wrong */
    /* copied from what is given, with all its digits: nothing was rounded or cut off */
    bool is_taken;
    int first; /* its cells in answers and marks: from here on, n_cells of them, examples then heads then rows then columns */
    int n_cells;
} lh_ask;

typedef struct lh_sheet_how {
    int digits; /* significant digits of the largest number of a step; 0: 4 */
    /* which steps to ask: P, h[0].A.S, P.e, L@1; all or NULL: every named step that is shown in a trace */
    const char *const *steps;
    int n_steps;
    /* those too that are too small for a pen: other numbers may make them larger */
    bool with_tiny;
} lh_sheet_how;

/* What a right number is worth that has fewer digits than asked. */
typedef enum lh_worth { LH_WORTH_FULL, LH_WORTH_HALF, LH_WORTH_NONE } lh_worth;
extern const char *const lh_worth_names[]; /* "full", "half", "none" */

enum { LH_MAX_MOMENTS = 10 }; /* L@9 is the last */

typedef struct lh_sheet {
    lh_graph *g;
    lh_arena *arena;
    lh_plan *plan;               /* the right numbers */
    lh_plan *at[LH_MAX_MOMENTS]; /* and those of later moments; at[0] is plan */
    int n_moments;
    lh_ask *ask;
    int n_asks, n_cells, digits;
    /* what right numbers with fewer digits are worth; the caller may change it */
    lh_worth few_digits;
    struct lh_reach *reach; /* made when the first answers are marked */
    /* n_cells: where a step can lie whose operands are the right numbers, rounded */
    struct lh_reach_box *from_true;
    /* with these operands, which do not change: what was spread once stays */
    struct lh_reach *truth;
    double *true_effort; /* n_asks: what finding it took; 0: it was not needed yet */
} lh_sheet;

/* NULL and the context failed on error */
lh_sheet *lh_sheet_new(lh_graph *g, const lh_sheet_how *how);
/* P, h[0].P or P.e of it, WO for WO:=, L@1 */
bool lh_ask_is_named(const lh_ask *q, const char *name);
/* lh_exact.start, with the numbers that a sheet prints as given */
void lh_sheet_start(const lh_graph *g, lh_plan *p);
/* a given number as a sheet prints and uses it */
const char *lh_given_text(char *text, size_t n, double x);
/* of a later moment: are old numbers told from new ones at its digits? */
bool lh_ask_shows_update(const lh_sheet *s, const lh_ask *q);
void lh_sheet_free(lh_sheet *s);
lh_cell lh_sheet_cell(const lh_sheet *s, int ask, int k); /* which cell the k-th of a step is */
double lh_sheet_exact(const lh_sheet *s, int ask, int k); /* the right number */
int lh_decimals_below(double most, int digits);           /* of numbers up to that one */
/* so many that the largest number shows `digits` digits */
int lh_decimals_for(const lh_plan *p, const lh_node *n, int digits);

typedef struct lh_answers {
    lh_written *cell;         /* n_cells */
    const char **other_shape; /* for each ask: what was wrong with its shape, or NULL */
} lh_answers;
lh_answers *lh_answers_new(lh_arena *a, const lh_sheet *s);

/* One explanation of a step that went wrong. */
typedef struct lh_diagnosis {
    const lh_mistake *mistake;
    const char *where; /* the step or line that the rule changed: "Z", "P.y" */
    int choice;        /* which row or word, or -1 */
    const char *what;  /* it in words: "row 0 (A)", "WO as it was before the update"; or NULL */
    int again;         /* the ask where the same mistake was named first, or -1 */
} lh_diagnosis;

enum { LH_MAX_DIAGNOSES = 8 };

typedef struct lh_step_mark {
    lh_diagnosis diagnosis[LH_MAX_DIAGNOSES];
    int n_diagnoses;
    int origin; /* the ask in which a slip began that reaches it, or -1; of a blank step, too */
    const lh_mistake *other_way;   /* right by another way: the rule that says which, or NULL */
    bool few_digits;               /* right, but with fewer digits than asked */
    int n_right, n_wrong, n_blank; /* cells with credit, without, empty */
} lh_step_mark;

/* What is said of a step's numbers together: a row of probabilities that does not add up to 1. */
typedef struct lh_remark {
    int ask;
    const char *text;
} lh_remark;

typedef struct lh_marks {
    lh_verdict *cell;   /* n_cells */
    double *own;        /* what the learner's own numbers lead to, for each cell */
    const char **note;  /* a slip in words, or NULL */
    lh_step_mark *step; /* n_asks */
    lh_remark *remark;
    int n_remarks;
    int too_early; /* the ask with the first number that was carried on with too few digits, or -1 */
    int credit, total; /* cells with full credit, of all that were asked */
    double points;     /* credit, and half a point where fewer digits are worth that */
    lh_worth few_digits;
    /* it was too much work: what is left was judged by a first look, in favour of the learner */
    bool gave_up;
} lh_marks;

/* NULL and the context failed on error; mistakes may be NULL */
lh_marks *lh_mark(lh_arena *a, lh_sheet *s, const lh_answers *answers, const lh_mistakes *mistakes);

#endif
