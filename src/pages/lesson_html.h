/* lesson_html -- a lesson as HTML, every number of it with its address: what a page of a book is made of.
 *
 *     lh_writer w = {.r = &reading, .out = &text, .prefix = "", .styles = arena};
 *     if (lh_lesson_body(&w)) ... text.s                      the whole article
 *     lh_lesson_shown(&w, 3)                                  what stands in figure 3, when its numbers are new
 *
 * docs/page.md has the attributes: data-at, data-given, data-insert, data-show ... What a lesson says stays text: nothing of it is HTML.
 */
#ifndef LH_PAGES_LESSON_HTML_H
#define LH_PAGES_LESSON_HTML_H

#include "pages/html.h"
#include "learn/study.h"
#include "pages/reading.h"

/* A lesson being written. */
typedef struct lh_writer {
    lh_reading *r;
    lh_text *out;
    const char *prefix; /* of ids: "", or "ex1--" where all lessons are one page */
    int deeper;         /* added to the level of headings */
    /* is it in the book, so that a link leads there? */
    bool (*has_lesson)(void *who, const char *name);
    void *who; /* handed to it */
    /* lh_show_check; NULL in a page, which has no wider numbers: what the book wrote stays */
    void (*show_check)(struct lh_writer *w, const lh_show *show);
    lh_arena *styles; /* where the rules of pictures go */
    const char *graph_style, *chart_style;

    int level;           /* of the last heading */
    const char **source; /* of facts */
    int n_sources;
} lh_writer;

/* lesson_text.c. false: the context failed. */
bool lh_lesson_body(lh_writer *w);
void lh_lesson_pieces(lh_writer *w, const lh_piece *first);
/* a caption: its first paragraph's spans */
void lh_lesson_words(lh_writer *w, const char *markdown);
void lh_lesson_index(lh_reading *r, lh_text *out);         /* lines for the index of a search */
const char *lh_program_prefix(lh_reading *r, int program); /* "fast:", or "" */

/* lesson_show.c. false: the context failed. */
bool lh_lesson_show(lh_writer *w, int show);  /* the figure */
bool lh_lesson_shown(lh_writer *w, int show); /* what stands in it, without its caption */

/* show_cost.c */
void lh_show_cost(lh_writer *w, const lh_show *show);
/* show_check.c: not part of a page's engine; the context failed where NULL is returned */
struct lh_check *lh_show_checked(lh_reading *r, const lh_show *show);
void lh_show_check(lh_writer *w, const lh_show *show);
/* show_working.c: derivatives, and what mistakes do to the numbers */
void lh_show_jacobian(lh_writer *w, const lh_show *show);
void lh_show_mistakes(lh_writer *w, const lh_show *show);
/* `with unscaled in Z:` behind the program's name: numbers as that mistake makes them */
const char *lh_mistaken_prefix(lh_reading *r, int program, const lh_candidate *how);

#endif
