/* sheet_json -- a worksheet as data, and with its blanks the JSON twin of an answer file: longhand-json(5) has the fields. */
#ifndef LH_PAGES_SHEET_JSON_H
#define LH_PAGES_SHEET_JSON_H

#include "learn/paper.h"
#include "learn/practice.h"
#include "learn/variant.h"
#include "pages/json.h"

/* A sheet as it is handed out. */
typedef struct lh_handout {
    const lh_paper *paper;
    const char *file;       /* the lesson as a command is given it, or NULL: its name */
    const char *hidden;     /* what its numbers cannot show, or "" */
    const char *learner;    /* whose it is, or "" */
    const char *id;         /* ... */
    const char *class_code; /* of the secret it was made with: then its seed is not told; or "" */
    bool is_short;          /* two pages: no room for the working */
} lh_handout;

void lh_sheet_members(lh_json *j, const lh_handout *h); /* inside an object */

/* Which mistakes the numbers of a sheet show (sheet_note.c). */
typedef struct lh_sheet_shown {
    lh_shown *row;
    int n, ways, hidden; /* mistakes, each counted once for every step where it can be made */
    int untried;         /* a large program has a bound */
} lh_sheet_shown;

lh_sheet_shown lh_sheet_shown_by(const lh_mistakes *m, const lh_paper *p);
/* the line that a sheet in the lesson's own numbers carries, or one of a large program, or "" */
const char *lh_sheet_note(const lh_mistakes *m, const lh_paper *p);

/* A hint for the step that a practice is at, from 1 to LH_HINTS: its lines (sheet_hint.c). */
extern const char *const lh_hint_titles[LH_HINTS]; /* "the rule" ... */
typedef struct lh_hint_line {
    const char *text;
    bool is_quiet;
} lh_hint_line;
lh_hint_line *lh_hint_lines(lh_practice *p, lh_arena *a, int level, int *n);

#endif
