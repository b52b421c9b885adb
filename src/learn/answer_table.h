/* answer_table -- the answers of a whole class as one table: a row for each learner, a column for each step or cell.
 *
 *     name,sheet,Z,"P[0][0]"
 *     Anna,"sheet ex3, form A, digits 4, code 1f2e3d","0.17 0.04; 0.11 0.22",0.52
 *
 *     lh_answer_table *t = lh_answer_table_read(ctx, arena, "answers.csv", text, length);      NULL and the context failed
 *     for (int i = 0; i < t->n; i++) ... t->row[i].answers, as of a file with one sheet
 *
 * Columns name, first name, last name, id, sheet, form, seed and digits say whose sheet it is; any other is the name of a step.
 * Which of those a sheet asks for is the caller's to find out: lh_answer_table_drop takes a column away.
 */
#ifndef LH_LEARN_ANSWER_TABLE_H
#define LH_LEARN_ANSWER_TABLE_H

#include "learn/answers.h"

typedef struct lh_answer_row {
    int line;
    lh_answer_file *answers;
} lh_answer_row;

typedef struct lh_answer_table {
    const char **column; /* the names of steps, as they stand in the first row */
    int n_columns;
    int line;      /* of that row */
    int n_unnamed; /* columns without a name in which something is written */
    lh_answer_row *row;
    int n;
} lh_answer_table;

/* and no file with one sheet */
bool lh_answer_table_is(const char *file, const char *text, size_t length);
lh_answer_table *lh_answer_table_read(lh_context *ctx, lh_arena *a, const char *file,
                                      const char *text, size_t length);
void lh_answer_table_drop(lh_answer_table *t, const char *column);

#endif
