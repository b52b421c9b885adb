/* scan -- the letters of an answer file: lines, cells, JSON as it is written. Private to answers.
 *
 * A scanner hands out pieces of the text as they stand; what a piece means as a number is base/written's business.
 */
#ifndef LH_LEARN_SCAN_H
#define LH_LEARN_SCAN_H

#include "learn/answers.h"

/* A cell: n bytes at s, in which row of its entry and on which line of the file. */
typedef void (*lh_cell_visit)(void *who, int row, const char *s, size_t n, int line);

void lh_scan_cells(const char *from, const char *to, int line, lh_cell_visit visit, void *who);
void lh_scan_json_cells(const char *from, const char *to, int line, lh_cell_visit visit, void *who);

void lh_scan_text(lh_arena *a, lh_answer_file *f, const char *text, size_t length);
void lh_scan_json(lh_arena *a, lh_answer_file *f, const char *text, size_t length);
/* sheet ex4, seed 7, digits 4, form A, code 1f2e3d, steps Z P */
bool lh_scan_is_header(const char *s, const char *e); /* does it begin with the word sheet? */
void lh_scan_header(lh_arena *a, lh_answer_file *f, const char *s, const char *e, int line);

/* What both share. */
enum { LH_SCAN_NAME = 120 }; /* bytes of a name that are kept */

typedef struct lh_scan_rows {
    int at;
    bool any; /* the row has a cell */
} lh_scan_rows;

void lh_scan_row_end(lh_scan_rows *r);
/* a cell without what people leave around a number */
void lh_scan_bare(lh_cell_visit visit, void *who, int row, const char *s, size_t n, int line);
void lh_scan_refuse(lh_answer_file *f, int line, const char *why); /* the first reason is kept */
void lh_scan_entry(lh_arena *a, lh_answer_file *f, lh_answer_entry e);
bool lh_scan_is_space(char c);
void lh_note_add(lh_notes *n, int line, const char *what);
/* a copy for messages: at most so many bytes, nothing invisible */
char *lh_clean(lh_arena *a, const char *s, size_t n, size_t most);
bool lh_scan_seed(const char *s, size_t n, unsigned long long *seed); /* digits alone */

#endif
