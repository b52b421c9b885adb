/* practice_command -- what the prompt of `longhand practice` shows. The words are here; what they say is learn/practice.h's. */
#ifndef LH_PRACTICE_COMMAND_H
#define LH_PRACTICE_COMMAND_H

#include "cli/keep.h"
#include "learn/practice.h"

typedef struct lh_practice_view {
    lh_cli *cli;
    lh_practice *p;
    lh_keeper keep;
    lh_arena *a;         /* for one answer of the prompt */
    const char *instead; /* of "Step 3 of 9" before a step, or NULL */
    bool hides_open;     /* numbers of steps that are still questions are not shown */
} lh_practice_view;

enum { LH_PRACTICE_INDENT = 4 };

void lh_practice_view_step(lh_practice_view *d); /* the question: formula, shape, operands */
/* marks as the matrix, and the words */
void lh_practice_view_verdict(lh_practice_view *d, const lh_entered *e);
void lh_practice_view_changes(lh_practice_view *d); /* what the entry has changed in other steps */
void lh_practice_view_hint(lh_practice_view *d, int level);
void lh_practice_view_list(lh_practice_view *d);
void lh_practice_view_help(lh_practice_view *d);
void lh_practice_view_left(lh_practice_view *d); /* what is still open, when all steps were seen */
/* steps, credit, mistakes, what to repeat, the next command */
void lh_practice_view_summary(lh_practice_view *d);
/* Z> or, in the middle of a matrix, Z[1]> */
const char *lh_practice_view_sign(lh_practice_view *d, int row);

/* Shared by the files of the view. */
const lh_paper_step *lh_practice_view_ask(const lh_practice_view *d, int ask);
/* folded under itself */
void lh_practice_view_say(lh_practice_view *d, int indent, const char *text);
void lh_practice_view_quiet(lh_practice_view *d, int indent, const char *text);
const char *lh_practice_view_mark(lh_verdict v); /* ✓ ≈ ↪ ✗, _ for a blank */
lh_ink lh_practice_view_ink(lh_verdict v);
/* as it was read: 0.25 for 0,25 and 25% */
const char *lh_practice_view_number(lh_practice_view *d, const char *typed);

#endif
