/* mark_json -- marks as JSON: one sheet, and what a class has in common. longhand-json(5) has the fields. */
#ifndef LH_PAGES_MARK_JSON_H
#define LH_PAGES_MARK_JSON_H

#include "learn/advice.h"
#include "learn/answers.h"
#include "learn/class.h"
#include "pages/json.h"

/* A sheet that was marked, and whose it is. */
typedef struct lh_mark_told {
    lh_arena *arena;
    const char *lesson;
    const char *label, *file;
    int line;              /* of a table; 0: the file is all his or hers */
    const char *name, *id; /* or "" */
    bool has_seed;         /* to be told: a sheet of a secret has none that could be */
    const lh_mistakes *mistakes;
    lh_paper *paper;
    lh_filled *filled;
    lh_marks *marks;
} lh_mark_told;

void lh_mark_sheet(lh_json *j, const lh_mark_told *m); /* one object */
void lh_mark_class(lh_json *j, const lh_class *c);     /* its mean, how often each mistake */

#endif
