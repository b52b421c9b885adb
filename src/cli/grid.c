#include "cli/grid.h"

#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/number.h"
#include "explain/explain.h"

/* ---- from a value ---- */

/* Labels of one axis: words where it has some, else numbers; none where there is one place without a word. */
static const char **labels_of(lh_arena *a, const lh_grid_from *f, int axis, int n) {
    bool has_word = lh_axis_label(f->g, f->plan, axis, f->example, 0) != NULL;
    if (n == 1 && !has_word) return NULL;
    const char **label = lh_alloc_array(a, (size_t)n, sizeof *label);
    for (int i = 0; label && i < n; i++) {
        const char *word = lh_axis_label(f->g, f->plan, axis, f->example, i);
        label[i] = word ? lh_printf(a, "%.24s", word) : lh_printf(a, "%d", i);
    }
    return label;
}

static double largest(const lh_grid_from *f, lh_sizes s) {
    double most = 0;
    for (int r = 0; r < s.rows; r++)
        for (int c = 0; c < s.cols; c++) {
            double x = fabs(lh_exact.get(f->plan, f->n, (lh_cell){f->example, f->head, r, c}));
            if (isfinite(x) && x > most) most = x;
        }
    return most;
}

/* Beside large numbers the dust of rounding (1e-17) is 0, as in `longhand run`. */
static const char *cell_text(lh_arena *a, const lh_grid_from *f, double x, double scale) {
    char number[LH_NUMBER_MAX];
    const lh_vocab *v = f->n->vocab;
    if (v && x >= 0 && x < v->n_words) return v->word[(int)x];
    if (fabs(x) < scale * 1e-15) x = 0;
    return lh_printf(a, "%s", lh_number_text(number, sizeof number, x, f->digits ? f->digits : 6));
}

lh_grid lh_grid_of(lh_arena *a, const lh_grid_from *f) {
    lh_sizes s = lh_exact.sizes(f->plan, f->n, f->example);
    int rows = s.rows > LH_GRID_ROWS ? LH_GRID_ROWS : s.rows,
        cols = s.cols > LH_GRID_COLS ? LH_GRID_COLS : s.cols;
    lh_grid g = {.rows = rows, .cols = cols};
    double scale = largest(f, s);
    g.cell = lh_alloc_array(a, (size_t)rows * (size_t)cols + 1, sizeof *g.cell);
    if (!g.cell) return (lh_grid){0};
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            g.cell[r * cols + c] = cell_text(
                a, f, lh_exact.get(f->plan, f->n, (lh_cell){f->example, f->head, r, c}), scale);
    g.row = labels_of(a, f, f->n->shape.rows, rows);
    g.col = labels_of(a, f, f->n->shape.cols, cols);
    return g;
}

/* ---- on the screen ---- */

typedef struct column {
    int left, right; /* columns before the point, and from it on */
} column;

static void point_of(const char *s, int *left, int *right) {
    size_t n = strcspn(s, ".e");
    bool is_number = strspn(s, "-0123456789.e+") == strlen(s);
    *left = is_number ? (int)n : 0;
    *right = is_number ? (int)(strlen(s) - n) : lh_columns(s);
}

static column measure(const lh_grid *g, int c) {
    column w = {0, 0};
    for (int r = 0; r < g->rows; r++) {
        int left, right;
        point_of(g->cell[r * g->cols + c], &left, &right);
        if (left > w.left) w.left = left;
        if (right > w.right) w.right = right;
    }
    int label = g->col ? lh_columns(g->col[c]) : 0;
    if (label > w.left + w.right) w.left = label - w.right;
    return w;
}

static const char *bracket(int r, int rows, bool is_left) {
    static const char *const sign[2][4] = {{"[", "\u23a1", "\u23a2", "\u23a3"},
                                           {"]", "\u23a4", "\u23a5", "\u23a6"}};
    return sign[!is_left][rows == 1 ? 0 : r == 0 ? 1 : r == rows - 1 ? 3 : 2];
}

typedef struct print {
    FILE *out;
    const lh_grid *g;
    column *w;
    int indent, label;
} print;

static void print_labels(const print *p, int first, int last) {
    if (!p->g->col) return;
    fprintf(p->out, "%*s", p->indent + p->label + 3, "");
    for (int c = first; c < last; c++) {
        int n = lh_columns(p->g->col[c]), before = p->w[c].left - n > 0 ? p->w[c].left - n : 0;
        int after = p->w[c].left + p->w[c].right - before - n;
        fprintf(p->out, "%s%*s%s%*s", c > first ? "  " : "", before, "", p->g->col[c],
                c + 1 < last ? after : 0, "");
    }
    fputc('\n', p->out);
}

static void print_row(const print *p, int r, int first, int last, const char *name) {
    const lh_grid *g = p->g;
    const char *label = g->row ? g->row[r] : "";
    int n = lh_columns(name);
    fprintf(p->out, "%*s%s%s%*s %s ", p->indent - n, "", name, label, p->label - lh_columns(label),
            "", bracket(r, g->rows, true));
    for (int c = first; c < last; c++) {
        int left, right;
        const char *cell = g->cell[r * g->cols + c];
        point_of(cell, &left, &right);
        fprintf(p->out, "%s%*s%s%*s", c > first ? "  " : "", p->w[c].left - left, "", cell,
                p->w[c].right - right, "");
    }
    fprintf(p->out, " %s\n", bracket(r, g->rows, false));
}

void lh_grid_print(FILE *out, lh_arena *a, const lh_grid *g, const char *name, int indent,
                   int width) {
    print p = {.out = out, .g = g, .indent = indent + lh_columns(name)};
    p.w = lh_alloc_array(a, (size_t)g->cols + 1, sizeof *p.w);
    if (!p.w) return;
    for (int c = 0; c < g->cols; c++) p.w[c] = measure(g, c);
    for (int r = 0; g->row && r < g->rows; r++)
        if (lh_columns(g->row[r]) > p.label) p.label = lh_columns(g->row[r]);
    if (p.indent + p.label + 16 > width)
        p.indent = indent, fprintf(out, "%*s%s\n", indent, "", name), name = "";
    for (int first = 0, last; first < g->cols; first = last) {
        int used = p.indent + p.label + 4 + p.w[first].left + p.w[first].right;
        for (last = first + 1; last < g->cols; last++) {
            used += 2 + p.w[last].left + p.w[last].right;
            if (used > width) break;
        }
        if (first) fputc('\n', out);
        print_labels(&p, first, last);
        for (int r = 0; r < g->rows; r++)
            print_row(&p, r, first, last, r == (g->rows - 1) / 2 && first == 0 ? name : "");
    }
}
