/* mark -- what the files of `longhand mark` share: a sheet that was marked, as one row of a class. */
#ifndef LH_CLI_MARK_H
#define LH_CLI_MARK_H

#include "cli/json.h"
#include "cli/sheet.h"
#include "learn/advice.h"

/* A file with everything known of it. Valid while it is shown. */
typedef struct lh_marked {
    lh_stock *stock;
    lh_arena *arena;
    const char *file, *learner;
    lh_paper *paper;
    lh_answer_file *answers;
    lh_filled *filled;
    lh_marks *marks;
} lh_marked;

/* What is kept of it for the table. */
typedef struct lh_mark_cell {
    int credit, blank, total;  /* numbers of a step */
    const lh_mistake *mistake; /* the first that explains it, or NULL */
    bool is_other_shape;
} lh_mark_cell;

typedef struct lh_mark_row {
    const char *learner, *file, *form;
    unsigned long long seed;
    int digits, credit, total, notes;
    lh_mark_cell
        *cell; /* for the first n_cells steps of the class; total 0: not asked on this sheet */
    int n_cells;
} lh_mark_row;

typedef struct lh_mark_class {
    lh_stock *stock;
    const char **step; /* names, in the order of the first sheet that asks for them */
    int n_steps;
    lh_mark_row *row;
    int n_rows;
} lh_mark_class;

void lh_mark_show(const lh_marked *m, bool echo); /* mark_text.c */
void lh_mark_table(const lh_mark_class *c);       /* mark_table.c */
void lh_mark_csv(const lh_mark_class *c, FILE *out);
void lh_mark_json_file(lh_json *j, const lh_marked *m);         /* one object */
void lh_mark_json_mistakes(lh_json *j, const lh_mark_class *c); /* how often each */

#endif
