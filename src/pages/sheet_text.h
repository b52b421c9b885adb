/* sheet_text -- a worksheet as plain text, as Markdown, and as a row of a table. */
#ifndef LH_PAGES_SHEET_TEXT_H
#define LH_PAGES_SHEET_TEXT_H

#include <stdio.h>

#include "pages/sheet_json.h"

/* Its first line: sheet ex3, seed 7, digits 4, form A, code 1f2e3d. */
const char *lh_sheet_header(const lh_handout *h);
/* new: the step before is of another section */
const char *lh_section_title(const lh_paper *p, int step, bool *is_new);

void lh_sheet_text(FILE *out, int width, const lh_handout *h);
void lh_sheet_markdown(FILE *out, int width, const lh_handout *h);

/* Several as one table (sheet_csv.c): columns for the numbers of all of them, a row for each. Papers may be freed in between. */
typedef struct lh_sheet_table lh_sheet_table;
lh_sheet_table *lh_sheet_table_new(lh_arena *a);
void lh_sheet_table_add(lh_sheet_table *t, const lh_handout *h);
void lh_sheet_table_put(const lh_sheet_table *t, lh_text *out);
void lh_sheet_csv(lh_text *out, const lh_handout *h); /* of one sheet */

#endif
