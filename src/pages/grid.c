#include "pages/grid.h"

#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "explain/explain.h"

/* ---- from a value ---- */

static const char *label_of(lh_arena *a, const lh_grid_from *f, const char *word, int place) {
    char *end = NULL;
    if (!word) return lh_printf(a, f->is_addressed ? "[%d]" : "%d", place);
    if (!f->is_addressed) return lh_printf(a, "%.24s", word);
    (void)lh_number_read(word, &end);
    return lh_printf(a, *word && !*end ? "\"%.10s\"" : "%.12s", word);
}

/* Labels of one axis: words where it has some, else numbers; none where there is one place without a word. */
static const char **labels_of(lh_arena *a, const lh_grid_from *f, int axis, int n) {
    bool has_word = lh_axis_label(f->g, f->plan, axis, f->example, 0) != NULL;
    if (n == 1 && !has_word) return NULL;
    const char **label = lh_alloc_array(a, (size_t)n, sizeof *label);
    for (int i = 0; label && i < n; i++)
        label[i] = label_of(a, f, lh_axis_label(f->g, f->plan, axis, f->example, i), i);
    return label;
}

/* Its numbers stand in the program: none of them is what rounding left of a 0. */
static bool is_written(const lh_node *n) {
    const lh_given *given = n->given;
    if (!given) return lh_op_is_leaf(n);
    return lh_given_is_written(given) && lh_op_is_leaf(given->expr);
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

static const char *cell_text(lh_arena *a, const lh_grid_from *f, double x, double scale) {
    char number[LH_NUMBER_MAX];
    const lh_vocab *v = f->n->vocab;
    if (v && x >= 0 && x < v->n_words) return v->word[(int)x];
    x = lh_number_without_dust(x, scale);
    return lh_printf(a, "%s", lh_number_text(number, sizeof number, x, f->digits ? f->digits : 6));
}

lh_grid lh_grid_of(lh_arena *a, const lh_grid_from *f) {
    lh_sizes s = lh_exact.sizes(f->plan, f->n, f->example);
    const int most = f->rows ? f->rows : LH_GRID_ROWS;
    int rows = s.rows > most ? most : s.rows, cols = s.cols > LH_GRID_COLS ? LH_GRID_COLS : s.cols;
    lh_grid g = {.rows = rows, .cols = cols};
    double scale = is_written(f->n) ? 0 : largest(f, s);
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
