/* mark_table -- a class: a row for each learner, a column for each step; and the same for a spreadsheet. */
#include <string.h>

#include "cli/mark_command.h"
#include "learn/csv.h"

/* ---- the table ---- */

static const char *cell_text(lh_arena *a, const lh_class_row *row, int step) {
    if (step >= row->n_cells || row->cell[step].total == 0) return "";
    const lh_class_cell *c = &row->cell[step];
    if (c->credit == c->total) return lh_verdict_sign(LH_RIGHT);
    if (c->blank == c->total && !c->is_other_shape) return lh_verdict_sign(LH_BLANK);
    return lh_printf(a, "%d/%d", c->credit, c->total);
}

static int *column_widths(const lh_class *c) {
    int *width = lh_alloc_array(c->arena, (size_t)c->n_steps + 1, sizeof *width);
    for (int i = 0; width && i < c->n_steps; i++) {
        width[i] = lh_columns(c->step[i]);
        for (int r = 0; r < c->n_rows; r++) {
            int n = lh_columns(cell_text(c->arena, &c->row[r], i));
            if (n > width[i]) width[i] = n;
        }
    }
    return width;
}

static void put(const char *text, int width) {
    int n = lh_columns(text);
    printf("%*s%s", n < width ? width - n : 0, "", text);
}

/* So many columns from one step on; the total stands behind the last. */
static int last_column(const lh_cli *cli, const lh_class *c, const int *width, int names,
                       int from) {
    int used = names, to = from;
    while (to < c->n_steps) {
        int total = to + 1 == c->n_steps ? 9 : 0;
        if (used + width[to] + 2 + total > cli->width && to > from) break;
        used += width[to++] + 2;
    }
    return to;
}

void lh_mark_table(const lh_cli *cli, const lh_class *c) {
    int names = lh_mark_name_width(cli, c), *width = column_widths(c);
    for (int from = 0, to; width && from < c->n_steps; from = to) {
        to = last_column(cli, c, width, names, from);
        printf("\n%-*s", names, "");
        for (int i = from; i < to; i++) fputs("  ", stdout), put(c->step[i], width[i]);
        puts(to == c->n_steps ? "    total" : "");
        for (int r = 0; r < c->n_rows; r++) {
            lh_mark_name(c->row[r].learner, names);
            for (int i = from; i < to; i++) {
                fputs("  ", stdout);
                put(cell_text(c->arena, &c->row[r], i), width[i]);
            }
            if (to == c->n_steps && c->row[r].is_absent)
                fputs("   absent", stdout);
            else if (to == c->n_steps)
                printf("  %3d/%-3d", c->row[r].credit, c->row[r].total);
            putchar('\n');
        }
    }
    puts("\n\342\234\223 every number has full credit, \302\267 blank");
}

/* ---- CSV ---- */

static int largest(const lh_class *c, int step) {
    int n = 0;
    for (int r = 0; r < c->n_rows; r++)
        if (step < c->row[r].n_cells && c->row[r].cell[step].total > n)
            n = c->row[r].cell[step].total;
    return n;
}

static const char *mistakes_of(const lh_class *c, const lh_class_row *row) {
    lh_text made = lh_text_new(c->arena);
    for (int i = 0; i < row->n_cells; i++)
        if (row->cell[i].mistake)
            lh_text_add(&made, "%s%s@%s", made.n ? " " : "", row->cell[i].mistake->name,
                        c->step[i]);
    return made.s;
}

/* Who was absent has no points: a spreadsheet leaves empty cells out of a mean. */
static void csv_row(lh_text *t, const lh_sheet_lesson *s, const lh_class *c,
                    const lh_class_row *row) {
    const char *words[] = {
        row->learner, row->name,
        row->id,      row->line ? lh_printf(c->arena, "%s:%d", row->file, row->line) : row->file,
        s->name,      row->form};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        lh_csv_put(t, words[i]), lh_text_add(t, ",");
    if (row->has_seed) lh_text_add(t, "%llu", row->seed);
    lh_text_add(t, ",%d,", row->digits);
    if (row->is_absent)
        lh_text_add(t, ",,%d,yes,", row->total);
    else
        lh_text_add(t, "%d,%g,%d,,", row->credit, row->points, row->total);
    lh_csv_put(t, mistakes_of(c, row));
    for (int i = 0; i < c->n_steps; i++)
        if (!row->is_absent && i < row->n_cells && row->cell[i].total)
            lh_text_add(t, ",%d", row->cell[i].credit);
        else
            lh_text_add(t, ",");
    lh_text_add(t, "\r\n");
}

void lh_mark_csv(const lh_sheet_lesson *s, const lh_class *c, FILE *out) {
    lh_text t = lh_text_new(c->arena);
    lh_text_add(&t,
                "learner,name,id,file,lesson,form,seed,digits,credit,points,total,absent,mistakes");
    for (int i = 0; i < c->n_steps; i++) {
        lh_text_add(&t, ",");
        lh_csv_put(&t, lh_printf(c->arena, "%s of %d", c->step[i], largest(c, i)));
    }
    lh_text_add(&t, "\r\n");
    for (int r = 0; r < c->n_rows; r++) csv_row(&t, s, c, &c->row[r]);
    fwrite(t.s, 1, t.n, out);
}
