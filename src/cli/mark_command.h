/* mark_command -- what the files of `longhand mark` share: who handed in what, and a sheet that was marked. */
#ifndef LH_MARK_COMMAND_H
#define LH_MARK_COMMAND_H

#include "cli/json_stream.h"
#include "cli/sheet.h"
#include "learn/advice.h"
#include "pages/mark_json.h"
#include "learn/answer_table.h"
#include "learn/class.h"

/* ---- who handed in what (mark_read.c) ---- */

/* What somebody handed in: a file, or a row of a table. */
typedef struct lh_learner {
    const char *file;
    int line; /* of a table; 0: the file is all his or hers */
    lh_answer_file *answers;
    const char *name, *id; /* or "" */
    const char *label;     /* told apart from all others */
    int depth;             /* how much of the path that took */
    const lh_student *student;
} lh_learner;

typedef struct lh_hall {
    lh_sheet_lesson *from;
    const lh_secret *secret; /* or NULL */
    const lh_roster *roster; /* or NULL */
    const char **form;       /* of each of its students */
    lh_arena *arena;
    lh_learner *learner; /* in the natural order of their labels */
    int n;
    bool failed; /* something could not be read: already reported */
} lh_hall;

void lh_hall_read(lh_hall *h, int n, char **files);
const char *lh_learner_where(const lh_hall *h, const lh_learner *x); /* answers.csv:5 */
/* of the roster, who handed in nothing */
int lh_hall_missing(const lh_hall *h, const lh_student ***missing);

/* ---- papers that are in use (mark_cache.c) ---- */

typedef struct lh_paper_cache lh_paper_cache;
lh_paper_cache *lh_paper_cache_new(lh_arena *a);
void lh_paper_cache_free(lh_paper_cache *s);

/* The same paper for the same wish. It is good until some other papers were asked for, so the cache does not grow. NULL and
 * the context failed. */
lh_paper *lh_paper_cache_paper(lh_paper_cache *s, lh_sheet_lesson *from, const lh_sheet_wish *w);

/* ---- a sheet that was marked ---- */

/* Everything known of it. Valid while it is shown. */
typedef struct lh_marked {
    lh_sheet_lesson *from;
    lh_arena *arena;
    const lh_learner *learner;
    bool has_seed;   /* to be told */
    bool is_assumed; /* nothing says which seed it has: that of the lesson was taken */
    lh_paper *paper;
    lh_answer_file *answers;
    lh_filled *filled;
    lh_marks *marks;
} lh_marked;

/* What cannot be marked says why; both in the arena of m. */
typedef struct lh_refusal {
    int line;
    const char *why, *cure;
} lh_refusal;

/* For files that do not say. */
typedef struct lh_mark_how {
    lh_paper_cache *cache;
    const lh_secret *secret;
    unsigned long long seed;
    bool has_seed; /* the caller named it */
    int digits;
    lh_worth few_digits; /* what right numbers with too few digits are worth */
} lh_mark_how;

/* m->answers is read; fills in the rest. False: refused, or the context failed (why is NULL then). */
bool lh_mark_answers(lh_marked *m, const lh_mark_how *how, lh_refusal *r);

void lh_mark_show(const lh_marked *m, bool echo); /* mark_text.c */
/* have n cells from `first` on all this verdict? */
bool lh_marked_has_only(const lh_marked *m, int first, int n, lh_verdict v);

/* ---- all of them ---- */

void lh_mark_list(const lh_cli *cli, const lh_class *c); /* mark_summary.c: a line each */
void lh_mark_summary(const lh_hall *h, const lh_class *c, int refused); /* one screen */
void lh_mark_table(const lh_cli *cli, const lh_class *c); /* mark_table.c: a column for each step */
void lh_mark_csv(const lh_sheet_lesson *s, const lh_class *c, FILE *out);
lh_mark_told lh_mark_tell(const lh_marked *m); /* for lh_mark_sheet */

/* Feedback (mark_page.c): a page for each learner in a folder. */
typedef struct lh_pages {
    const char *folder;
    const char **file; /* for each learner of the hall */
    bool answers;      /* with the right numbers */
} lh_pages;
/* nothing of others' is there; false: already reported */
bool lh_pages_open(lh_pages *p, const lh_hall *h);
bool lh_pages_write(const lh_pages *p, const lh_marked *m, int learner);

/* Names in a column: cut where they are too long (mark_summary.c). */
int lh_mark_name_width(const lh_cli *cli, const lh_class *c);
void lh_mark_name(const char *name, int width);

int lh_mark_lines(lh_cli *cli, const lh_mark_how *how, int n, char **lessons); /* mark_lines.c */

#endif
