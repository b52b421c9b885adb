/* Any bytes as a table, a roster, a table of answers and the secret of a class. What is refused has a message with a line of the
 * text; a table that is read is written again, and that is read as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "learn/answer_table.h"
#include "learn/csv.h"
#include "learn/roster.h"
#include "learn/secret.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(lh_context *ctx) {
    const lh_error *e = lh_context_error(ctx);
    if (!lh_failed(ctx) || e->kind == LH_OK || !*e->what) abort();
    lh_context_clear(ctx);
}

/* Blanks around a cell and lone apostrophes are not kept, so that only what was read once is compared. */
static void try_table(lh_context *ctx, lh_arena *a, const char *text, size_t size) {
    const lh_csv *t = lh_csv_read(ctx, a, "t", text, size), *again;
    if (!t) {
        check_error(ctx);
        return;
    }
    lh_text out = lh_text_new(a);
    for (int r = 0; r < t->n_rows; r++) {
        lh_csv_row_put(&out, t->row[r].cell, t->row[r].n_cells);
        if (t->row[r].n_cells < 1 || t->row[r].line < 1) abort();
    }
    again = lh_csv_read(ctx, a, "t", out.s, out.n);
    if (!again) abort();
    if (t->n_rows != again->n_rows && again->separator == ',') abort();
}

static void try_roster(lh_context *ctx, lh_arena *a, const char *text, size_t size) {
    const lh_roster *r = lh_roster_read(ctx, a, "r", text, size);
    int same;
    if (!r) check_error(ctx);
    for (int i = 0; r && i < r->n && i < 20; i++)
        if (*r->student[i].id && !lh_roster_find(r, a, "", r->student[i].id, &same)) abort();
}

static void try_answers(lh_context *ctx, lh_arena *a, const char *text, size_t size) {
    lh_answer_table *t = lh_answer_table_read(ctx, a, "t.csv", text, size);
    if (!t) {
        check_error(ctx);
        return;
    }
    if (t->n < 1 || t->n_columns < 1) abort();
    while (t->n_columns) lh_answer_table_drop(t, t->column[0]);
    for (int i = 0; i < t->n; i++)
        if (t->row[i].answers->n_entries) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lh_context *ctx = lh_context_new();
    lh_arena *a = ctx ? lh_arena_new(ctx) : NULL;
    char *text = malloc(size ? size : 1); /* as long as it is: what reads behind it is seen */
    if (!a || !text) abort();
    if (size) memcpy(text, data, size);
    try_table(ctx, a, text, size);
    try_roster(ctx, a, text, size);
    try_answers(ctx, a, text, size);
    if (!lh_secret_read(ctx, a, "s", text, size)) check_error(ctx);
    free(text);
    lh_arena_free(a);
    lh_context_free(ctx);
    return 0;
}
