/* task_internal -- what exercise.c and the files of the five kinds share. Not for other files.
 *
 *     exercise.c           opening, texts, the check for lint
 *     task_choose.c        predict and find: one of several
 *     task_compute.c       numbers, marked as on a sheet
 *     task_write.c         a line of notation; task_compare.c tries it
 *     task_experiment.c    settings
 */
#ifndef LH_TASK_INTERNAL_H
#define LH_TASK_INTERNAL_H

#include "learn/advice.h"
#include "learn/exercise.h"

typedef struct lh_task_kind {
    bool (*open)(lh_task *t); /* false and the context failed: the block is wrong */
    void (*answer)(lh_task *t, const char *text, lh_answered *out); /* text is not empty */
    const char *(*key)(lh_task *t);
    void (*work)(lh_task *t, lh_text *out); /* a line each */
    void (*close)(lh_task *t);              /* or NULL */
} lh_task_kind;

extern const lh_task_kind lh_task_predict, lh_task_find, lh_task_compute, lh_task_write,
    lh_task_experiment;

struct lh_task {
    lh_live *v;
    lh_lesson *l;
    lh_context *ctx;
    lh_arena *arena;
    const lh_exercise *e;
    const lh_task_kind *kind;
    struct lh_task_choice *choice; /* predict, find */
    int n_choices, right;          /* which one is right */
    struct lh_compute *compute;
    struct lh_writing *writing;
    struct lh_experiment *experiment;
};

bool lh_task_fail(lh_task *t, lh_place at, const char *what, ...)
    __attribute__((format(printf, 3, 4))); /* the block is wrong, there; always false */
bool lh_task_only(lh_task *t, const char *name,
                  const lh_field **out); /* NULL or the one; false: two */
lh_where lh_task_where(const lh_task *t, lh_place at);
void lh_answered_say(lh_task *t, lh_answered *out, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
void lh_answered_refuse(lh_task *t, lh_answered *out, const char *what, ...)
    __attribute__((format(printf, 3, 4))); /* no answer, and why */
bool lh_answered_take(
    lh_task *t,
    lh_answered *out); /* the context's error, if any, as why it is no answer or wrong */
bool lh_task_bears(lh_task *t, const lh_graph *g,
                   int updates); /* false and the context failed: an answer asks for too much */
const char *lh_task_number(lh_arena *a, double x, int digits);

const char *lh_compute_form(lh_task *t); /* what to type */
const char *lh_write_form(lh_task *t);
const char *lh_experiment_form(lh_task *t);
const lh_program *lh_write_program(const lh_task *t,
                                   int *last); /* and the last line before the one asked for */
const lh_program *lh_experiment_program(lh_task *t);

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
