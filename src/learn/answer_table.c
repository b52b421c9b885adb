#include "learn/answer_table.h"

#include <stdio.h>
#include <string.h>

#include "base/decode.h"
#include "learn/csv.h"
#include "learn/names.h"
#include "learn/scan.h"

static bool ends_in(const char *file, const char *ending) {
    size_t n = strlen(file), m = strlen(ending);
    if (n < m) return false;
    for (size_t i = 0; i < m; i++) {
        char c = file[n - m + i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != ending[i]) return false;
    }
    return true;
}

/* By the name of the file, or by UTF-16 with tabs: what spreadsheets call Unicode text. */
bool lh_answer_table_is(const char *file, const char *text, size_t length) {
    if (ends_in(file, ".csv") || ends_in(file, ".tsv") || ends_in(file, ".tab")) return true;
    if (ends_in(file, ".xlsx") || ends_in(file, ".ods") || ends_in(file, ".xls")) return true;
    bool is_utf16 = length > 4 && memcmp(text, "\xff\xfe", 2) == 0;
    for (size_t i = 2; is_utf16 && i + 1 < length && text[i] != '\n'; i += 2)
        if (text[i] == '\t') return true;
    return false;
}

static bool says_whose(lh_column c) {
    return c == LH_COLUMN_NAME || c == LH_COLUMN_FIRST || c == LH_COLUMN_LAST || c == LH_COLUMN_ID;
}

/* ---- one row ---- */

static void set_number(lh_answer_file *f, lh_column c, const char *text, int line) {
    unsigned long long n = 0;
    bool is_seed = c == LH_COLUMN_SEED;
    if (!lh_scan_seed(text, strlen(text), &n) || (!is_seed && (n < 1 || n > 15)))
        lh_scan_refuse(f, line,
                       is_seed ? "the seed of the sheet is not a number"
                               : "the digits of the sheet are not a number from 1 to 15");
    else if (is_seed)
        f->seed = n, f->has_seed = true;
    else
        f->digits = (int)n;
}

static void set_name(lh_arena *a, lh_answer_file *f, const lh_csv_row *head,
                     const lh_csv_row *row) {
    const char *first = "", *last = "", *whole = "";
    for (int i = 0; i < head->n_cells; i++) {
        const char *text = lh_csv_cell(row, i);
        switch (lh_column_of(head->cell[i])) {
        case LH_COLUMN_NAME:
            if (!*whole) whole = text;
            break;
        case LH_COLUMN_FIRST: first = text; break;
        case LH_COLUMN_LAST: last = text; break;
        default: break;
        }
    }
    if (!*whole) whole = lh_printf(a, "%s%s%s", first, *first && *last ? " " : "", last);
    if (*whole) f->learner = lh_clean(a, whole, strlen(whole), 100);
}

static lh_answer_file *row_answers(lh_arena *a, const lh_csv_row *head, const lh_csv_row *row) {
    lh_answer_file *f = lh_alloc(a, sizeof *f);
    f->drops_zeros = true;
    set_name(a, f, head, row);
    for (int i = 0; i < head->n_cells; i++) {
        const char *text = lh_csv_cell(row, i), *end = text + strlen(text);
        lh_column c = lh_column_of(head->cell[i]);
        if (!*text || !*head->cell[i]) continue;
        if (c == LH_COLUMN_SHEET && lh_scan_is_header(text, end))
            lh_scan_header(a, f, text, end, row->line);
        else if (c == LH_COLUMN_SHEET)
            lh_scan_refuse(f, row->line,
                           lh_printf(a,
                                     "\"%s\" in the column %s is not the line of a sheet: sheet "
                                     "ex3, seed 7",
                                     lh_clean(a, text, strlen(text), 40), head->cell[i]));
        else if (c == LH_COLUMN_SEED || c == LH_COLUMN_DIGITS)
            set_number(f, c, text, row->line);
        else if (c == LH_COLUMN_FORM)
            f->form = lh_clean(a, text, strlen(text), 20);
        else if (c == LH_COLUMN_ID && !f->id)
            f->id = lh_clean(a, text, strlen(text), 100);
        else if (c == LH_COLUMN_OTHER)
            lh_scan_entry(a, f, (lh_answer_entry){head->cell[i], row->line, text, end});
    }
    return f;
}

/* ---- the whole ---- */

static const char *names_of(lh_arena *a, const lh_csv_row *head) {
    lh_text t = lh_text_new(a);
    for (int i = 0; i < head->n_cells && i < 8; i++)
        lh_text_add(&t, "%s\"%.30s\"", i ? ", " : "", head->cell[i]);
    return t.s;
}

/* Which row names the columns: the first that says whose answers these are; above it there may be a title. */
static int head_of(const lh_csv *t) {
    enum { TOP = 6 };
    for (int r = 0; r < t->n_rows && r < TOP; r++)
        for (int i = 0; i < t->row[r].n_cells; i++)
            if (says_whose(lh_column_of(t->row[r].cell[i]))) return r;
    return 0;
}

static bool has_what_it_needs(lh_context *ctx, lh_arena *a, const lh_csv *t, int at) {
    const lh_csv_row *head = t->n_rows ? &t->row[at] : NULL;
    lh_place top = {head ? head->line : 0, 1, 0};
    bool whose = false, steps = false;
    for (int i = 0; head && i < head->n_cells; i++) {
        lh_column c = lh_column_of(head->cell[i]);
        whose |= says_whose(c);
        steps |= c == LH_COLUMN_OTHER && *head->cell[i];
    }
    if (whose && steps && t->n_rows > at + 1) return true;
    if (!head)
        lh_fail(ctx, LH_ERROR_TEXT, top, "the table is empty");
    else if (!whose)
        lh_fail(ctx, LH_ERROR_TEXT, top,
                "no column says whose answers these are: the first line has %.300s",
                names_of(a, head));
    else if (!steps)
        lh_fail(ctx, LH_ERROR_TEXT, top, "no column holds answers: the first line has %.300s",
                names_of(a, head));
    else
        lh_fail(ctx, LH_ERROR_TEXT, top, "the table has columns but no rows");
    lh_cure(ctx, "the first line names the columns: name, sheet or form, then a step or a cell "
                 "each (Z, P[0][1]); "
                 "longhand sheet LESSON --format csv writes such a table");
    return false;
}

/* Where merged cells stood above several columns, say: only the first has the name. */
static int count_unnamed(const lh_csv *t, int at) {
    const lh_csv_row *head = &t->row[at];
    int n = 0, most = 0;
    for (int r = at + 1; r < t->n_rows; r++)
        most = t->row[r].n_cells > most ? t->row[r].n_cells : most;
    for (int i = 0; i < most; i++) {
        bool is_used = false;
        for (int r = at + 1; r < t->n_rows && !is_used && !*lh_csv_cell(head, i); r++)
            is_used = *lh_csv_cell(&t->row[r], i) != 0;
        n += is_used;
    }
    return n;
}

lh_answer_table *lh_answer_table_read(lh_context *ctx, lh_arena *a, const char *file,
                                      const char *text, size_t length) {
    text = lh_decode(a, text, length, &length);
    const lh_csv *t = lh_csv_read(ctx, a, file, text, length);
    const int at = t ? head_of(t) : 0;
    if (!t || !has_what_it_needs(ctx, a, t, at)) {
        lh_fail_in(ctx, file, text, length);
        return NULL;
    }
    lh_answer_table *out = lh_alloc(a, sizeof *out);
    const lh_csv_row *head = &t->row[at];
    out->line = head->line;
    out->n_unnamed = count_unnamed(t, at);
    for (int i = 0; i < head->n_cells; i++)
        if (lh_column_of(head->cell[i]) == LH_COLUMN_OTHER && *head->cell[i])
            *lh_push(a, out->column, out->n_columns) = head->cell[i];
    for (int i = at + 1; i < t->n_rows && !lh_failed(ctx); i++)
        *lh_push(a, out->row, out->n) =
            (lh_answer_row){t->row[i].line, row_answers(a, head, &t->row[i])};
    return lh_failed(ctx) ? NULL : out;
}

void lh_answer_table_drop(lh_answer_table *t, const char *column) {
    int k = 0;
    for (int i = 0; i < t->n_columns; i++)
        if (strcmp(t->column[i], column) != 0) t->column[k++] = t->column[i];
    t->n_columns = k;
    for (int r = 0; r < t->n; r++) {
        lh_answer_file *f = t->row[r].answers;
        k = 0;
        for (int i = 0; i < f->n_entries; i++)
            if (strcmp(f->entry[i].name, column) != 0) f->entry[k++] = f->entry[i];
        f->n_entries = k;
    }
}
