/* exercise -- an exercise of a lesson, opened to be answered: what is typed is judged by the engine.
 *
 *     lh_task *t = lh_task_open(live, 0);                     the lesson's first exercise; NULL: something is wrong with the block
 *     lh_answered a = lh_task_answer(t, "rate=0.5");          a.state, a.line[i].text
 *     const char *key = lh_task_key(t);                       what would have been right, as it is typed
 *     lh_task_close(t);
 *
 * A kind is a record (task.h). How each is judged:
 *
 *     compute      the numbers are marked as on a sheet; right when every asked cell has full credit
 *     predict      the choice whose condition holds
 *     write        the line takes its place in the program, which must give the same numbers: the lesson's and random ones
 *     experiment   the settings are made, and the claim must hold
 *     find         the one line whose printed number is more than a unit of its last digit off
 *
 * An answer is text from anybody. It names no file, settings are numbers, and what it makes large is refused (LH_TASK_SIZE,
 * LH_TASK_UPDATES, LH_TASK_CELLS) before it is run.
 *
 * Errors: those of the lesson's text are the context's. Those of an answer are in lh_answered, and the context is clear but for memory
 * that ran out. Memory: the task's until lh_task_close. The live lesson must outlive it; attempts at an experiment stay in that.
 */
#ifndef LH_LEARN_EXERCISE_H
#define LH_LEARN_EXERCISE_H

#include "learn/advice.h"
#include "learn/live.h"
#include "learn/practice.h"

enum {
    LH_TASK_TEXT = 4000,     /* bytes of one answer */
    LH_TASK_SIZE = 256,      /* the most that a learner may set a size to */
    LH_TASK_UPDATES = 10000, /* ... and `steps` */
    LH_TASK_CELLS = 4000000, /* numbers that a program may have with a learner's settings */
    LH_TASK_DRAWS = 6        /* random inputs that a line is tried on */
};

typedef struct lh_task lh_task;

typedef enum lh_answer_state {
    LH_ANSWER_RIGHT,
    LH_ANSWER_PARTLY, /* right so far; numbers are missing */
    LH_ANSWER_WRONG,
    LH_ANSWER_UNREAD, /* it is no answer: a word where a number belongs, a line that does not parse */
} lh_answer_state;

extern const char *const lh_answer_words[LH_ANSWER_UNREAD + 1]; /* "right", "partly" ... */

typedef struct lh_answered {
    lh_answer_state state;
    lh_advice *line; /* what there is to say, a sentence or two each; of compute with its sign */
    int n_lines;
    const lh_error *error; /* where in the answer: for a caret under it; or NULL */
} lh_answered;

lh_task *lh_task_open(lh_live *v, int exercise); /* from 0; NULL and the context failed */
void lh_task_close(lh_task *t);                  /* NULL is allowed */

const lh_exercise *lh_task_exercise(const lh_task *t);
int lh_task_options(const lh_task *t);         /* predict, find: how many to choose from; else 0 */
const char *lh_task_option(lh_task *t, int i); /* its text, with numbers */
const char *lh_task_form(lh_task *t);          /* what to type: "a number from 1 to 3", "Z = ..." */
/* experiment: the program; write: down to the line that is asked for, which is last: Z = ... */
const char **lh_task_lines(lh_task *t, int *n);
const char *lh_task_next(lh_task *t); /* compute: what is asked next, S[1]; else "" */
/* compute: the sheet behind it, at what is asked next; else NULL */
lh_practice *lh_task_practice(lh_task *t);
/* a question, hint or because with its numbers; NULL on error */
const char *lh_task_text(lh_task *t, const char *text);
const char *lh_task_hint(lh_task *t, int i); /* from 0; NULL: there is no more */
const char *lh_task_because(lh_task *t);     /* or "" */

lh_answered lh_task_answer(lh_task *t, const char *text); /* valid until the task is closed */
const char *lh_task_key(lh_task *t);                      /* NULL and the context failed on error */
const char **lh_task_working(lh_task *t, int *n);         /* lines that show why the key is right */

/* of a lesson's text, without reading it whole */
int lh_exercise_count(const char *text, size_t length);
/* key passes, empty fails, never fails ...: for lint */
void lh_exercise_check(lh_live *v, int exercise, lh_problems *problems);

#endif
