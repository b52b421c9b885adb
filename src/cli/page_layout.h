/* page_layout -- a lesson's text as lines for a screen: words folded, tables in columns, formulas in two dimensions.
 *
 *     lh_page_layout *l = lh_layout_new(cli, arena, width);
 *     l->block = ...;                                     what to do with a block of the lesson
 *     lh_layout_pieces(l, page->piece, 0);
 *     for (int i = 0; i < l->n_lines; i++) puts(l->line[i]);
 *
 * No line is wider than the width, whatever stands in the text: what cannot be folded is cut into pieces. Prose stays within
 * LH_PROSE columns on a wide screen, because long lines are hard to read; tables and matrices use all of it. Lines carry
 * escape sequences where cli->colour says so.
 */
#ifndef LH_PAGE_LAYOUT_H
#define LH_PAGE_LAYOUT_H

#include "cli/cli.h"
#include "learn/page.h"

enum { LH_PROSE = 78, LH_LAYOUT_LEAST = 40 };

typedef struct lh_page_layout lh_page_layout;

/* Where a heading stands. */
typedef struct lh_layout_mark {
    const char *anchor;
    int line;
} lh_layout_mark;

struct lh_page_layout {
    lh_cli *cli;
    lh_arena *arena;
    int width;
    char **line;
    int n_lines;
    lh_layout_mark *mark;
    int n_marks;
    const char **source; /* where facts are from: [1], [2] ... */
    int n_sources;
    void (*block)(lh_page_layout *l, void *who, int number, int indent); /* NULL: left out */
    void *who;
    /* a line of the notation that cannot be parted may be wider: it can be copied */
    bool is_code_whole;
    const char *lesson; /* whose programs have names that can be run, or NULL */
};

lh_page_layout *lh_layout_new(lh_cli *cli, lh_arena *a, int width);
void lh_layout_pieces(lh_page_layout *l, const lh_piece *first, int indent);
/* folded; lead stands before the first line */
void lh_layout_words(lh_page_layout *l, const lh_span *s, int indent, const char *lead);
/* one line, cut where too wide */
void lh_layout_add(lh_page_layout *l, int indent, const char *line);
void lh_layout_whole(lh_page_layout *l, int indent, const char *line); /* one line, however wide */
void lh_layout_text(lh_page_layout *l, int indent, const char *text);  /* lines as they are */
/* folded, in one ink */
void lh_layout_say(lh_page_layout *l, int indent, lh_ink ink, const char *text);
void lh_layout_code(lh_page_layout *l, int indent, const char *text, bool is_notation);
void lh_layout_gap(lh_page_layout *l);     /* one empty line, unless there is one */
void lh_layout_sources(lh_page_layout *l); /* at the end: where the facts are from */
int lh_layout_columns(const char *line);   /* as lh_columns; escape sequences take none */

#endif
