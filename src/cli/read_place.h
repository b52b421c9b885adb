/* read_place -- a lesson opened to be read: its text as a tree, its numbers in place, its programs ready to be shown.
 *
 *     lh_reading r;
 *     if (!lh_reading_open(cli, "ex1", &r)) return LH_EXIT_FAILED;       (already reported)
 *     ... r.page->piece ... r.lesson->block[i] ...
 *     lh_reading_close(&r);
 *
 * The terminal (read.c) and the book (book.c) draw it. Errors of the lesson, and claims that are false, are reported with
 * the file and the line. Everything that is made for it lies in r.arena.
 */
#ifndef LH_READ_PLACE_H
#define LH_READ_PLACE_H

#include "cli/cli.h"
#include "cli/run.h"
#include "pages/reading.h"

bool lh_reading_open(lh_cli *cli, const char *lesson, lh_reading *r); /* false: already reported */
bool lh_reading_open_source(lh_cli *cli, const lh_source *s, lh_reading *r); /* likewise */
void lh_reading_close(lh_reading *r);
int lh_reading_report(lh_reading *r); /* the context's error, with the lesson's file and line */

/* The lessons of the course in order: contents.txt. */
typedef struct lh_course_entry {
    const char *part; /* the part it stands in */
    const char *name;
} lh_course_entry;

typedef struct lh_course {
    lh_course_entry *entry;
    int n;        /* of the course, with the variations, which come last */
    int n_listed; /* without the variations: what the reader's contents list */
} lh_course;

lh_course lh_course_read(lh_context *ctx, lh_arena *a);   /* those whose text there is */
int lh_course_find(const lh_course *c, const char *name); /* or -1 */

/* What a show item prints on a screen: into cli->out of the copy given. false: the context failed. */
bool lh_show_print(lh_reading *r, lh_cli *cli, int show);

#endif
