/* sheet_csv -- worksheets as a table: a row for each student, a column for each number. See learn/answer_table.h. */
#include "pages/sheet_text.h"
#include "learn/csv.h"

void lh_sheet_csv_head(lh_text *out, const lh_paper *p) {
    lh_text_add(out, "name,id,sheet");
    for (int i = 0; i < p->n_steps; i++)
        for (int k = 0; k < p->sheet->ask[i].n_cells; k++) {
            lh_text_add(out, ",");
            lh_csv_put(out, lh_paper_cell(p, p->arena, i, k));
        }
    lh_text_add(out, "\r\n");
}

void lh_sheet_csv_row(lh_text *out, const lh_handout *h) {
    const lh_paper *p = h->paper;
    const char *whose[] = {h->learner, h->id, lh_sheet_header(h)};
    for (int i = 0; i < 3; i++) {
        if (i) lh_text_add(out, ",");
        lh_csv_put(out, whose[i]);
    }
    for (int i = 0; i < p->n_steps; i++)
        for (int k = 0; k < p->sheet->ask[i].n_cells; k++) {
            int cell;
            const lh_answer_block *b = lh_paper_block(p, i, k, &cell);
            lh_text_add(out, ",%s", b->grid.cell[cell]); /* a number stays one */
        }
    lh_text_add(out, "\r\n");
}
