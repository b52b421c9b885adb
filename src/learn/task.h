/* task -- what a kind of exercise has to say about itself. One file, task_NAME.c, and one line in tasks.def make a kind: lessons
 * read its fields, `longhand exercise` asks and judges, read and book show it, lint tries its key.
 *
 *     const lh_task_kind lh_task_find = {.name = "find", ..., .open = open_find, .answer = answer, .key = key, .work = work};
 *
 * task_internal.h has what such a file may use.
 */
#ifndef LH_LEARN_TASK_H
#define LH_LEARN_TASK_H

#include "base/context.h"
#include "learn/problem.h"

struct lh_task;
struct lh_answered;
struct lh_practice;
struct lh_program;

enum { LH_TASK_FIELDS = 8 };

typedef struct lh_task_kind {
    /* As a lesson names it: ```exercise find. */
    const char *name;
    /* One line, for --help. */
    const char *summary;
    /* Its own fields; title, hint, because, use and show belong to every kind. NULL ends them. */
    const char *fields[LH_TASK_FIELDS];
    /* Which of them is one of several to choose from, or NULL; is it prose; are the choices lettered. */
    const char *choices;
    bool has_prose, has_letters;
    /* The question ends with what to type; the lines of .program end with the one that is asked for. */
    bool says_form, has_gap;

    /* false and the context failed: the block is wrong. */
    bool (*open)(struct lh_task *t);
    void (*close)(struct lh_task *t); /* or NULL */
    /* text is not empty */
    void (*answer)(struct lh_task *t, const char *text, struct lh_answered *out);
    const char *(*key)(struct lh_task *t);
    /* Why the key is right, a line each. */
    void (*work)(struct lh_task *t, lh_text *out);
    /* What to type; NULL: a number of the choices. */
    const char *(*form)(struct lh_task *t);
    /* What is shown of a program, up to a line; or NULL. */
    const struct lh_program *(*program)(struct lh_task *t, int *last);
    /* The sheet behind it, and what is asked there next; or NULL. */
    struct lh_practice *(*practice)(struct lh_task *t);
    const char *(*next)(struct lh_task *t);
    /* What else lint should try, or NULL. */
    void (*check)(struct lh_task *t, lh_problems *problems);
} lh_task_kind;

extern const lh_task_kind *const lh_task_kinds[]; /* ends with NULL */

#endif
