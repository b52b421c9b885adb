/* practice -- a worksheet filled in step by step, every entry marked at once. It prints nothing and asks nobody.
 *
 *     lh_practice *p = lh_practice_new(paper, mistakes);
 *     lh_entered e = lh_practice_enter(p, "0.1 0; 0 0.1");      a cell, a row or a matrix: learn/entry.h
 *     if (e.kind == LH_ENTERED_MARKED) ... p->marks, p->change
 *     lh_practice_advance(p);                                    on to what is still open
 *     lh_saved s = lh_practice_save(p, arena);                   to go on with another day: lh_practice_restore
 *
 * After each entry the whole sheet is marked anew: a step corrected may change what is said of later ones. What an entry
 * leaves in `change` and in lh_entered is valid until the next one.
 */
#ifndef LH_LEARN_PRACTICE_H
#define LH_LEARN_PRACTICE_H

#include "explain/explain.h"
#include "learn/paper.h"
#include "learn/progress.h"

typedef enum lh_step_state {
    LH_STATE_OPEN,    /* nothing written */
    LH_STATE_SKIPPED, /* nothing written, on purpose */
    LH_STATE_PARTLY,  /* right so far, some numbers missing */
    LH_STATE_WRONG,   /* some number has no credit */
    LH_STATE_DONE     /* every number has full credit */
} lh_step_state;

typedef struct lh_practice_step {
    int tries; /* entries that were marked */
    int hints; /* given so far; LH_HINTS: the answer was seen */
    bool is_skipped;
    lh_verdict verdict; /* of all its numbers together: see lh_practice_verdict */
} lh_practice_step;

/* A step whose verdict another entry has changed. */
typedef struct lh_change {
    int ask;
    lh_verdict before, after;
} lh_change;

typedef struct lh_practice {
    lh_arena *arena;
    lh_paper *paper;
    lh_sheet *sheet; /* the paper's */
    const lh_mistakes *mistakes;
    lh_answers *answers;
    const char **text;      /* n_cells: as typed, or "" */
    lh_marks *marks;        /* of the answers as they stand */
    lh_practice_step *step; /* n_asks */
    int only;               /* the one step that is asked for, or -1 */
    int at;                 /* the step that is asked for now */
    int block;              /* and which of its matrices: examples, heads */
    lh_change *change;
    int n_changes;
    lh_arena *marked, *entered;
    char *pending; /* rows of a matrix that is not complete yet, or NULL */
} lh_practice;

typedef enum lh_entered_kind {
    LH_ENTERED_MARKED,
    LH_ENTERED_MORE,   /* rows of a matrix; the next line goes on with row `row` */
    LH_ENTERED_UNREAD, /* something is no number; nothing has changed */
    LH_ENTERED_SHAPE,  /* too few or too many numbers; nothing has changed */
    LH_ENTERED_NAME    /* a step or a cell that is not there; nothing has changed */
} lh_entered_kind;

typedef struct lh_entered {
    lh_entered_kind kind;
    int ask, block;
    int first, n;        /* the cells of the step that were written */
    int row;             /* LH_ENTERED_MORE */
    const char *raw;     /* what was typed, several lines with ; between them */
    const char *problem; /* in words, where nothing has changed */
} lh_entered;

/* both must outlive it; NULL on error */
lh_practice *lh_practice_new(lh_paper *paper, const lh_mistakes *m);
void lh_practice_free(lh_practice *p);
/* the ask of a step: its name, path, a unique tail; -1 */
int lh_practice_find(const lh_practice *p, const char *name);

lh_entered lh_practice_enter(lh_practice *p, const char *text);
lh_entered lh_practice_stop(lh_practice *p); /* an unfinished matrix counts as far as it goes */
void lh_practice_drop(lh_practice *p);       /* an unfinished matrix is forgotten */

lh_step_state lh_practice_state(const lh_practice *p, int ask);
/* of some cells: the one that says most; LH_BLANK: none */
lh_verdict lh_practice_verdict(const lh_practice *p, int ask, int first, int n);
bool lh_practice_is_finished(const lh_practice *p); /* every asked step is done */
int lh_practice_done(const lh_practice *p);         /* steps */

/* Moving. False: it is there already. */
bool lh_practice_advance(lh_practice *p); /* past what is done, round to the first open step */
bool lh_practice_next(lh_practice *p);
bool lh_practice_back(lh_practice *p);
bool lh_practice_skip(lh_practice *p);
void lh_practice_go(lh_practice *p, int ask);
int lh_practice_hint(lh_practice *p); /* the next hint for this step is given: 1 to LH_HINTS */
void lh_practice_reset(lh_practice *p);

/* Numbers to go on with (practice_numbers.c). */
bool lh_practice_is_written(const lh_practice *p, int ask); /* is any number of it there? */
/* the learner's own numbers, and what they lead to in this step; lh_exact.free */
lh_plan *lh_practice_plan(lh_practice *p, int ask);
/* the right number; after a slip: what follows from it */
double lh_practice_answer(const lh_practice *p, int ask, int k);
/* the steps its formula reads, given ones too */
lh_step **lh_practice_operands(lh_practice *p, lh_arena *a, int ask, int *n);
/* what is worked out between those and the step: lines of its calls and of gradient rules */
lh_step **lh_practice_lines(lh_practice *p, lh_arena *a, int ask, int *n);
/* one cell, on own numbers; NULL on error */
lh_explanation *lh_practice_explain(lh_practice *p, int ask, int k, int digits);
int lh_practice_open_cell(const lh_practice *p); /* the first cell here without credit, or 0 */

/* For the store. */
lh_attempt lh_practice_attempt(const lh_practice *p, lh_arena *a, const lh_entered *e,
                               long long time);
lh_saved lh_practice_save(const lh_practice *p, lh_arena *a, long long time);
/* steps that are no longer asked are left out */
void lh_practice_restore(lh_practice *p, const lh_saved *s);

#endif
