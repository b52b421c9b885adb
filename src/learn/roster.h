/* roster -- the list of a class: who is in it, and which form each student has.
 *
 *     lh_roster *r = lh_roster_read(ctx, arena, "names.csv", text, length);      NULL and the context failed, with the line
 *     const lh_student *s = lh_roster_find(r, "Anna Müller", "");
 *
 * A table with a column `name`, or `first name` and `last name`, as schools export it, perhaps below a title; or a name a line.
 * Columns `id`, `form` and `seed` are used where they are there. Two students of one name must have an id each; with an id there
 * may be no name.
 */
#ifndef LH_LEARN_ROSTER_H
#define LH_LEARN_ROSTER_H

#include "learn/names.h"

typedef struct lh_student {
    const char *name;
    const char *id;          /* or "" */
    const char *key;         /* what tells students apart: the id, or the name; see lh_name_key */
    const char *form;        /* or "" */
    unsigned long long seed; /* 0: not said */
    int line;
} lh_student;

typedef struct lh_roster {
    const char *file;
    lh_student *student; /* as in the file */
    int n;
    int *by_key, *by_name; /* their numbers, in order */
} lh_roster;

lh_roster *lh_roster_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                          size_t length);

/* By id where one is given, else by name. NULL: nobody, or a name that several have; *same: how many have it. */
const lh_student *lh_roster_find(const lh_roster *r, lh_arena *a, const char *name, const char *id,
                                 int *same);

#endif
