/* practice_command -- what the prompt of `longhand practice` shows. The words are here; what they say is learn/practice.h's. */
#ifndef LH_PRACTICE_COMMAND_H
#define LH_PRACTICE_COMMAND_H

#include "cli/keep.h"
#include "learn/practice.h"

typedef struct lh_desk {
    lh_cli *cli;
    lh_practice *p;
    lh_keeper keep;
    lh_arena *a;         /* for one answer of the prompt */
    const char *instead; /* of "Step 3 of 9" before a step, or NULL */
    bool hides_open;     /* numbers of steps that are still questions are not shown */
} lh_desk;

enum { LH_DESK_INDENT = 4 };

void lh_desk_step(lh_desk *d);                         /* the question: formula, shape, operands */
void lh_desk_verdict(lh_desk *d, const lh_entered *e); /* marks as the matrix, and the words */
void lh_desk_changes(lh_desk *d); /* what the entry has changed in other steps */
void lh_desk_hint(lh_desk *d, int level);
void lh_desk_list(lh_desk *d);
void lh_desk_help(lh_desk *d);
void lh_desk_left(lh_desk *d);    /* what is still open, when all steps were seen */
void lh_desk_summary(lh_desk *d); /* steps, credit, mistakes, what to repeat, the next command */
const char *lh_desk_sign(lh_desk *d, int row); /* Z> or, in the middle of a matrix, Z[1]> */

/* Shared by the files of the view. */
const lh_paper_step *lh_desk_ask(const lh_desk *d, int ask);
void lh_desk_say(lh_desk *d, int indent, const char *text); /* folded under itself */
void lh_desk_quiet(lh_desk *d, int indent, const char *text);
const char *lh_desk_mark(lh_verdict v); /* ✓ ≈ ↪ ✗, _ for a blank */
lh_ink lh_desk_ink(lh_verdict v);
const char *lh_desk_number(lh_desk *d,
                           const char *typed); /* as it was read: 0.25 for 0,25 and 25% */

#endif
