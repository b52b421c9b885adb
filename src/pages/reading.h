/* reading -- a lesson opened to be read: its text as a tree, its numbers in place, its programs ready to be shown.
 *
 * The terminal and pages draw the same. Everything that is made for it lies in its arena. cli/read_place.h opens one by its name.
 */
#ifndef LH_PAGES_READING_H
#define LH_PAGES_READING_H

#include "explain/chart.h"
#include "explain/diagram.h"
#include "explain/picture.h"
#include "learn/live.h"
#include "learn/page.h"

typedef lh_page *(*lh_page_reader)(lh_context *ctx, lh_arena *a, const lh_page_how *how);

typedef struct lh_reading {
    struct lh_cli *cli; /* of the program; NULL in a page */
    lh_context *ctx;
    lh_arena *arena;
    const char *name; /* ex1; a file as it was named */
    const char *title;
    lh_lesson *lesson;
    lh_live *live;
    lh_page *page;
    lh_page_reader read; /* who reads Markdown: lh_page_read */
    bool is_code_whole;  /* no pager counts the lines: see cli/page_layout.h */
    int step;            /* updates before a step that is shown without @ */
    bool goes_on;        /* what cannot be worked out says so in its place, and the rest is read */
} lh_reading;

/* a caption or a question; NULL: the context failed */
lh_page *lh_reading_page(lh_reading *r, const char *markdown, const char *prefix);
const char *lh_reading_words(lh_reading *r, const char *text); /* on one line, inserts in place */

/* updates before what is shown of a program: `step`, or 0 where nothing learns */
int lh_reading_moment(const lh_reading *r, int program);

/* The chart of a show item that is one, or NULL: it is none, or the context failed. (show_chart.c) */
bool lh_show_is_chart(lh_show_verb verb);
lh_chart *lh_show_chart(lh_reading *r, int show);
/* of graph and model; NULL: the context failed */
lh_picture *lh_show_picture(lh_reading *r, int show);
const lh_diagram *lh_show_diagram(lh_reading *r, int show); /* likewise */

#endif
