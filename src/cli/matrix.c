#include "cli/matrix.h"

#include <string.h>

#include "base/columns.h"
#include "base/number.h"
#include "cli/grid_text.h"

/* Lines that grow column by column: the labels, then the rows. */
typedef struct table {
    lh_grid grid;
    lh_text *line; /* 1 + rows */
    int used;      /* columns of the screen so far */
} table;

static bool begin(table *t, lh_arena *a) {
    const int labels = lh_grid_label_columns(&t->grid);
    t->line = lh_alloc_array(a, (size_t)t->grid.rows + 1, sizeof *t->line);
    for (int r = -1; t->line && r < t->grid.rows; r++) {
        const char *label = r >= 0 && t->grid.row ? t->grid.row[r] : "";
        t->line[r + 1] = lh_text_new(a);
        lh_text_add(&t->line[r + 1], "%s%*s", label, labels - lh_columns(label), "");
    }
    t->used = labels;
    return t->line != NULL;
}

/* False: there is no room for it. */
static bool add_column(table *t, int c, int room) {
    const lh_grid_column w = lh_grid_measure(&t->grid, c);
    if (c && t->used + 2 + w.left + w.right > room) return false;
    for (int r = -1; r < t->grid.rows; r++) {
        if (r < 0 && !t->grid.col) continue;
        lh_text_add(&t->line[r + 1], "  ");
        if (r < 0)
            lh_grid_add_label(&t->line[0], &t->grid, c, w);
        else
            lh_grid_add_cell(&t->line[r + 1], &t->grid, r, c, w);
    }
    t->used += 2 + w.left + w.right;
    return true;
}

char **lh_matrix_lines(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *n,
                       int example, int head, int digits, int room, int *n_lines) {
    const lh_sizes s = lh_exact.sizes(p, n, example);
    const int rows = s.rows > LH_MATRIX_ROWS ? LH_MATRIX_ROWS - 1 : s.rows;
    table t = {.grid = lh_grid_of(a, &(lh_grid_from){.g = g,
                                                     .plan = p,
                                                     .n = n,
                                                     .example = example,
                                                     .head = head,
                                                     .digits = digits,
                                                     .rows = rows,
                                                     .is_addressed = true})};
    const bool has_labels = t.grid.col != NULL;
    char **line = lh_alloc_array(a, (size_t)rows + 3, sizeof *line);
    int shown = 0, more = (int)strlen(lh_printf(a, "  +%d more", s.cols));
    *n_lines = 0;
    if (!line || !begin(&t, a)) return NULL;
    while (shown < t.grid.cols && add_column(&t, shown, room - (shown + 1 < s.cols ? more : 0)))
        shown++;
    if (shown < s.cols) lh_text_add(&t.line[!has_labels], "  +%d more", s.cols - shown);
    for (int r = has_labels ? -1 : 0; r < t.grid.rows; r++) line[(*n_lines)++] = t.line[r + 1].s;
    if (rows < s.rows)
        line[(*n_lines)++] =
            lh_printf(a, "+%d more row%s", s.rows - rows, LH_PLURAL(s.rows - rows));
    for (int i = 0; i < *n_lines; i++) /* no blanks at the end of a line */
        for (size_t k = strlen(line[i]); k > 0 && line[i][k - 1] == ' '; k--) line[i][k - 1] = 0;
    return line;
}

void lh_print_matrix(lh_cli *cli, FILE *out, const lh_graph *g, const lh_plan *p, const lh_node *n,
                     int example, int indent, int digits) {
    int heads = lh_exact.sizes(p, n, example).heads, k;
    for (int h = 0; h < heads; h++) {
        if (heads > 1) fprintf(out, "%*shead %d\n", indent, "", h);
        char **line =
            lh_matrix_lines(cli->arena, g, p, n, example, h, digits, cli->width - indent, &k);
        for (int i = 0; i < k; i++) fprintf(out, "%*s%s\n", indent, "", line[i]);
    }
}

char *lh_matrix_row(lh_arena *a, const lh_plan *p, const lh_node *n, int example, int digits,
                    int room) {
    lh_text t = lh_text_new(a);
    lh_sizes s = lh_exact.sizes(p, n, example);
    char number[64];
    for (int h = 0; h < s.heads; h++)
        for (int r = 0; r < s.rows; r++) {
            for (int c = 0; c < s.cols; c++) {
                double x = lh_exact.get(p, n, (lh_cell){example, h, r, c});
                if (n->vocab && x >= 0 && x < n->vocab->n_words)
                    snprintf(number, sizeof number, "%s", n->vocab->word[(int)x]);
                else
                    lh_number_text(number, sizeof number, x, digits);
                const char *between = c ? " " : r ? "; " : h ? " | " : "";
                size_t more = strlen(between) + strlen(number) + strlen(" | ...");
                if (*between && t.n + more > (size_t)(room > 0 ? room : 0)) {
                    lh_text_add(&t, "%s...", between);
                    return t.s;
                }
                lh_text_add(&t, "%s%s", between, number);
            }
        }
    return t.s;
}
