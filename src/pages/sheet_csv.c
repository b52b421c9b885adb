/* sheet_csv -- worksheets as a table: a row for each student, a column for each number. See learn/answer_table.h.
 *
 * Not every form asks for the same numbers: those that are too small for a pen are left out. The columns are those of all forms
 * together; where a form does not ask for a number, its cell is empty.
 */
#include <string.h>

#include "learn/csv.h"
#include "pages/sheet_text.h"

enum { WHOSE = 3 };

typedef struct column {
    const char *address; /* P[0][1] */
    int next;            /* the one to the right of it; -1: it is the last */
} column;

typedef struct row {
    const char *whose[WHOSE];
    const char **cell; /* for the first n_cells columns that were met; NULL: not asked */
    int n_cells;
} row;

struct lh_sheet_table {
    lh_arena *arena;
    column *column; /* in the order in which they were met */
    int n_columns, first;
    row *row;
    int n_rows;
};

lh_sheet_table *lh_sheet_table_new(lh_arena *a) {
    lh_sheet_table *t = lh_alloc(a, sizeof *t);
    *t = (lh_sheet_table){.arena = a, .first = -1};
    return t;
}

/* Right of another one (-1: of none), but not always beside it. Every sheet has its steps in the order of the program, so a
 * column that is not there belongs right behind the one before. */
static int column_behind(lh_sheet_table *t, int before, const char *address) {
    int next = before < 0 ? t->first : t->column[before].next;
    for (int i = next; i >= 0; i = t->column[i].next)
        if (strcmp(t->column[i].address, address) == 0) return i;
    int new = t->n_columns;
    *lh_push(t->arena, t->column, t->n_columns) =
        (column){lh_printf(t->arena, "%s", address), next};
    if (t->n_columns == new) return -1;
    *(before < 0 ? &t->first : &t->column[before].next) = new;
    return new;
}

void lh_sheet_table_add(lh_sheet_table *t, const lh_handout *h) {
    const lh_paper *p = h->paper;
    const char *whose[WHOSE] = {h->learner, h->id, lh_sheet_header(h)};
    row *r = lh_push(t->arena, t->row, t->n_rows);
    *r = (row){.cell = NULL};
    for (int i = 0; i < WHOSE; i++) r->whose[i] = lh_printf(t->arena, "%s", whose[i]);
    int *at = lh_alloc_array(p->arena, (size_t)p->sheet->n_cells + 1, sizeof *at), last = -1, n = 0;
    for (int i = 0; at && i < p->n_steps; i++)
        for (int k = 0; k < p->sheet->ask[i].n_cells; k++)
            at[n++] = last = column_behind(t, last, lh_paper_cell(p, p->arena, i, k));
    r->cell = lh_alloc_array(t->arena, (size_t)t->n_columns + 1, sizeof *r->cell);
    if (!at || !r->cell || lh_failed(p->ctx)) return;
    r->n_cells = t->n_columns;
    n = 0;
    for (int i = 0; i < p->n_steps; i++)
        for (int k = 0; k < p->sheet->ask[i].n_cells; k++) {
            int cell;
            const lh_answer_block *b = lh_paper_block(p, i, k, &cell);
            r->cell[at[n++]] = lh_printf(t->arena, "%s", b->grid.cell[cell]);
        }
}

void lh_sheet_table_put(const lh_sheet_table *t, lh_text *out) {
    lh_text_add(out, "name,id,sheet");
    for (int i = t->first; i >= 0; i = t->column[i].next) {
        lh_text_add(out, ",");
        lh_csv_put(out, t->column[i].address);
    }
    lh_text_add(out, "\r\n");
    for (int r = 0; r < t->n_rows; r++) {
        const row *x = &t->row[r];
        for (int i = 0; i < WHOSE; i++) {
            if (i) lh_text_add(out, ",");
            lh_csv_put(out, x->whose[i]);
        }
        for (int i = t->first; i >= 0; i = t->column[i].next) /* a number stays one */
            lh_text_add(out, ",%s", i < x->n_cells && x->cell[i] ? x->cell[i] : "");
        lh_text_add(out, "\r\n");
    }
}

void lh_sheet_csv(lh_text *out, const lh_handout *h) {
    lh_sheet_table *t = lh_sheet_table_new(h->paper->arena);
    lh_sheet_table_add(t, h);
    lh_sheet_table_put(t, out);
}
