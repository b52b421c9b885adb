#include "cli/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "explain/explain.h"

/* A cell as text, split at the decimal point so that a column can be aligned. */
typedef struct figure {
    char text[32];
    int left, right; /* columns before the point, and from the point on */
} figure;

static void measure(figure *f) {
    size_t point = strcspn(f->text, ".e");
    f->left = (int)point;
    f->right = (int)(strlen(f->text) - point);
}

/* How many decimals a column needs to show its smallest number to `digits` digits, within reason: 0.0070711 and 0.5 stand
 * under each other as 0.0070711 and 0.5. */
static void write_cell(figure *f, const lh_vocab *words, double x, int digits, double scale) {
    if (words && x >= 0 && x < words->n_words) { /* a token shows its word */
        snprintf(f->text, sizeof f->text, "%s", words->word[(int)x]);
        f->left = 0;
        f->right = lh_columns(f->text);
        return;
    }
    lh_number_text(f->text, sizeof f->text, lh_number_without_dust(x, scale), digits);
    measure(f);
}

static char *padded(lh_arena *a, const figure *f, int left, int right) {
    return lh_printf(a, "%*s%s%*s", left - f->left, "", f->text, right - f->right, "");
}

/* A place has the brackets of an address, so that it cannot be taken for a number; a word that is one, quotes. */
static char *label_text(lh_arena *a, const char *word, int place) {
    char *end = NULL;
    if (!word) return lh_printf(a, "[%d]", place);
    strtod(word, &end);
    return lh_printf(a, *word && !*end ? "\"%.10s\"" : "%.12s", word);
}

static char *column_label(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *n,
                          int example, int c) {
    const char *word = lh_axis_label(g, p, n->shape.cols, example, c);
    return label_text(a, word, c);
}

static char *row_label(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *n,
                       int example, int r, int rows) {
    const char *word = lh_axis_label(g, p, n->shape.rows, example, r);
    return word || rows > 1 ? label_text(a, word, r) : lh_printf(a, "%s", "");
}

static double scale_of(const lh_plan *p, const lh_node *n, int example, int head, lh_sizes s) {
    double m = 0;
    for (int r = 0; r < s.rows; r++)
        for (int c = 0; c < s.cols; c++) {
            double x = fabs(lh_exact.get(p, n, (lh_cell){example, head, r, c}));
            if (isfinite(x) && x > m) m = x;
        }
    return m;
}

char **lh_matrix_lines(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *n,
                       int example, int head, int digits, int room, int *n_lines) {
    lh_sizes s = lh_exact.sizes(p, n, example);
    int rows = s.rows > LH_MATRIX_ROWS ? LH_MATRIX_ROWS - 1 : s.rows, labels = 0;
    bool has_words = lh_axis_label(g, p, n->shape.cols, example, 0) != NULL;
    bool has_head_line = s.cols > 1 || has_words;
    char **line = lh_alloc_array(a, (size_t)rows + 3, sizeof *line);
    figure *cell = lh_alloc_array(a, (size_t)rows, sizeof *cell);
    *n_lines = 0;
    if (!line || !cell) return NULL;
    double scale = scale_of(p, n, example, head, s);
    for (int r = 0; r < rows; r++) {
        int w = lh_columns(row_label(a, g, p, n, example, r, s.rows));
        if (w > labels) labels = w;
    }
    lh_text *text = lh_alloc_array(a, (size_t)rows + 2, sizeof *text);
    if (!text) return NULL;
    for (int r = -1; r < rows; r++) {
        text[r + 1] = lh_text_new(a);
        const char *label = r < 0 ? "" : row_label(a, g, p, n, example, r, s.rows);
        lh_text_add(&text[r + 1], "%s%*s", label, labels - lh_columns(label), "");
    }
    int used = labels, shown = 0, last = (int)strlen(lh_printf(a, "  +%d more", s.cols));
    for (int c = 0; c < s.cols; c++) {
        int left = 0, right = 0;
        for (int r = 0; r < rows; r++) {
            write_cell(&cell[r], n->vocab, lh_exact.get(p, n, (lh_cell){example, head, r, c}),
                       digits, scale);
            if (cell[r].left > left) left = cell[r].left;
            if (cell[r].right > right) right = cell[r].right;
        }
        char *head_text = column_label(a, g, p, n, example, c);
        int width = left + right, label_width = has_head_line ? lh_columns(head_text) : 0;
        if (label_width > width) left += label_width - width, width = label_width;
        if (used + 2 + width > room - (c + 1 < s.cols ? last : 0) && shown > 0) break;
        /* the label stands over the digits before the point */
        int before = left > label_width ? left - label_width : 0;
        lh_text_add(&text[0], "  %*s%s%*s", before, "", head_text,
                    width - before - label_width > 0 ? width - before - label_width : 0, "");
        for (int r = 0; r < rows; r++)
            lh_text_add(&text[r + 1], "  %s", padded(a, &cell[r], left, right));
        used += 2 + width;
        shown++;
    }
    if (shown < s.cols) lh_text_add(&text[has_head_line ? 0 : 1], "  +%d more", s.cols - shown);
    if (has_head_line) line[(*n_lines)++] = text[0].s;
    for (int r = 0; r < rows; r++) line[(*n_lines)++] = text[r + 1].s;
    if (rows < s.rows) line[(*n_lines)++] = lh_printf(a, "+%d more rows", s.rows - rows);
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
