/* book -- what the files of `longhand book` share: a page being written, and the files of a book.
 *
 *     book.c        the command: every lesson, then the files
 *     book_page.c   the frame of a page, the contents, the index for the search
 *     book_life.c   what makes the pages answer: the engine, the script, the texts of the lessons, pages of other kinds
 *     book_pdf.c    all lessons on one page, printed by Chromium
 *
 * What a lesson says is written by pages/lesson_html.h. Pages are made in memory and written at the end: a lesson that fails leaves the folder as it was.
 */
#ifndef LH_CLI_BOOK_H
#define LH_CLI_BOOK_H

#include "cli/html_stream.h"
#include "cli/read_place.h"
#include "pages/lesson_html.h"

typedef struct lh_book_file {
    const char *name;
    const char *text; /* in the book's arena */
    size_t length;
} lh_book_file;

/* A lesson of the book. Its body is the same on its own page and in the PDF but for ids and links. */
typedef struct lh_book_lesson {
    const char *name, *title, *part;
    int minutes;
    const char *body, *whole; /* HTML: for its own page; for the page of all lessons */
    const char *index;        /* its lines in the index of the search */
    const char *texts;        /* LESSON.text.js: what the engine needs to open it */
    bool has_sheet;
    int n_exercises;
} lh_book_lesson;

typedef struct lh_book {
    lh_cli *cli;
    lh_arena *arena;
    lh_course course; /* those that are in it */
    lh_book_lesson *lesson;
    int n_lessons;
    lh_book_lesson front;                  /* what the first page begins with; no body: nothing */
    bool is_alive;                         /* the engine is in it: its numbers can be asked */
    const char *graph_style, *chart_style; /* rules of its pictures */
    lh_book_file *file;
    int n_files;
} lh_book;

/* command_book.c: the whole course; exit status. */
int lh_book_write(lh_cli *cli, const char *folder);

/* book_page.c */
void lh_book_add(lh_book *b, const char *name, const char *text, size_t length);
/* every page, the contents, the index, the rules; false: no memory */
bool lh_book_pages(lh_book *b);
/* page numbers, or NULL */
void lh_book_contents(lh_book *b, FILE *out, bool is_single, const int *page);
typedef void (*lh_book_put)(lh_book *b, FILE *out, int i);
/* what put writes; false: no memory */
bool lh_book_add_page(lh_book *b, const char *name, lh_book_put put, int i);
void lh_book_head(lh_book *b, FILE *out, const char *title, const char *now); /* now: its file */
void lh_book_foot(FILE *out);
void lh_book_add_embedded(lh_book *b, const char *name); /* under its last name; nothing: none */

/* book_life.c */
const char *lh_book_texts(lh_reading *r, lh_arena *a); /* a lesson's text and those it uses */
void lh_book_inline(FILE *out, const char *name);      /* a file of web/page as it is */
bool lh_book_life(lh_book *b);                         /* pages and scripts; false: no memory */

/* book_pdf.c. Exit status. */
int lh_book_pdf(lh_book *b, const char *path);

#endif
