/* csv -- a table as spreadsheets write it, read and written.
 *
 *     lh_csv *t = lh_csv_read(ctx, arena, "names.csv", text, length);      NULL and the context failed, with the line
 *     for (int r = 0; r < t->n_rows; r++) ... t->row[r].cell[c], .n_cells, .line
 *
 * Cells end at a comma, a semicolon or a tab: whichever most of the first rows have, or as a first line `sep=;` says. Quotes,
 * doubled quotes and line ends inside them, every kind of line end, UTF-8 with and without its mark, UTF-16 and Windows-1252
 * are read. Rows without a word in them are left out. Blanks around a cell are not part of it.
 *
 *     lh_csv_put(&text, "=1+1");      '=1+1: a text that a spreadsheet would work out gets an apostrophe before it
 *
 * The apostrophe is taken away again when such a cell is read.
 */
#ifndef LH_LEARN_CSV_H
#define LH_LEARN_CSV_H

#include "base/context.h"

typedef struct lh_csv_row {
    int line; /* from 1, where it begins */
    const char **cell;
    int n_cells;
} lh_csv_row;

typedef struct lh_csv {
    char separator;
    lh_csv_row *row;
    int n_rows;
} lh_csv;

lh_csv *lh_csv_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                    size_t length);
const char *lh_csv_cell(const lh_csv_row *row, int column); /* "" where there is none */

void lh_csv_put(lh_text *out, const char *text);                   /* one cell that is text */
void lh_csv_row_put(lh_text *out, const char *const *cell, int n); /* a row of them */

#endif
