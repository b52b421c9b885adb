/* task_internal -- what exercise.c and the files of the kinds share. Not for other files.
 *
 *     exercise.c           opening, texts, the check for lint
 *     task_NAME.c          a kind each: tasks.def
 *     task_choose.c        one of several is right: predict, find
 *     task_claim.c         a claim as a sentence: predict, experiment
 *     task_compare.c       do two programs mean the same? write
 */
#ifndef LH_TASK_INTERNAL_H
#define LH_TASK_INTERNAL_H

#include "learn/advice.h"
#include "learn/exercise.h"

typedef struct lh_task_choice {
    const lh_field *field;
    void *own; /* what the kind keeps of it */
} lh_task_choice;

struct lh_task {
    lh_live *v;
    lh_lesson *l;
    lh_context *ctx;
    lh_arena *arena;
    const lh_exercise *e;
    const lh_task_kind *kind;
    void *own; /* what the kind keeps */
    /* Where one of several is right (task_choose.c). */
    lh_task_choice *choice;
    int n_choices, right;
};

/* the block is wrong, there; always false */
bool lh_task_fail(lh_task *t, lh_place at, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
/* NULL or the one; false: two */
bool lh_task_only(lh_task *t, const char *name, const lh_field **out);
lh_where lh_task_where(const lh_task *t, lh_place at);
void lh_answered_say(lh_task *t, lh_answered *out, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
/* no answer, and why */
void lh_answered_refuse(lh_task *t, lh_answered *out, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
/* the context's error, if any, as why it is no answer or wrong */
bool lh_answered_take(lh_task *t, lh_answered *out);
/* false and the context failed: an answer asks for too much */
bool lh_task_bears(lh_task *t, const lh_graph *g, int updates);
const char *lh_answered_why(const lh_answered *a); /* the first that there is to say */
const char *lh_task_number(lh_arena *a, double x, int digits);

/* task_choose.c: a choice: field has a text and behind a | an expression. */
enum { LH_MOST_CHOICES = 20 };
/* 2 to LH_MOST_CHOICES of them, or it fails; what: is missing behind the |. */
bool lh_choices_gather(lh_task *t, const char *what);
/* Which one it is, when it is exactly one; none, two: what is wrong otherwise. */
bool lh_choices_settle(lh_task *t, const bool *is_right, const char *none, const char *two);
/* The choice that is typed (2, 2., (2), b), where it is wrong; -1: it is right or none, and that is said in out. */
int lh_choices_answer(lh_task *t, const char *text, lh_answered *out);
const char *lh_choices_key(lh_task *t);

/* task_claim.c: what a claim that fails would need, and its numbers: loss@1 would have to be less than loss, but ... */
const char *lh_task_claim_words(lh_arena *a, const lh_claim *c);

/* task_compare.c: do two programs that differ in one line mean the same? */
typedef struct lh_comparison {
    bool is_same;
    int n_draws;          /* random inputs that could be worked out */
    int draw;             /* the one that differs; 0: the lesson's own numbers */
    const char *cell;     /* Z[0][1] */
    const char *shape[2]; /* where the shapes differ: the right one, the learner's; else NULL */
    double right, own;
    const char *operands; /* S = 0.1 0.2; 0.3 0.4, K = ... of that input */
} lh_comparison;

lh_comparison lh_task_compare(lh_arena *a, lh_graph *right, lh_graph *own, const char *step);

#endif
