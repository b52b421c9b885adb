/* chart_field -- a number over the plane: the program is run again and again, each time with other places in x. */
#include "explain/chart_field.h"

#include "eval/exact.h"

static void copy_givens(const lh_graph *g, const lh_plan *from, lh_plan *to) {
    for (int i = 0; i < g->n_givens; i++) {
        const lh_node *n = g->given[i]->node;
        if (!lh_exact.has(from, n) || !lh_exact.has(to, n)) continue;
        lh_sizes z = lh_exact.sizes(from, n, 0);
        for (int r = 0; r < z.rows; r++)
            for (int c = 0; c < z.cols; c++)
                lh_exact.set(to, n, (lh_cell){0, 0, r, c},
                             lh_exact.get(from, n, (lh_cell){0, 0, r, c}));
    }
}

/* A place is an example with one row, or a row of a matrix. */
static lh_cell place_at(const lh_node *n, int k, int col) {
    return n->shape.is_batched ? (lh_cell){k, 0, 0, col} : (lh_cell){0, 0, k, col};
}

static void put_place(lh_plan *p, const lh_node *x, int k, double u, double w) {
    lh_exact.set(p, x, place_at(x, k, 0), u);
    lh_exact.set(p, x, place_at(x, k, 1), w);
}

/* Rows that look at each other have no value of their own: the first one's must stay when the others move. */
static bool rows_are_apart(lh_plan *p, const lh_field_from *from, int rows) {
    double seen[2];
    for (int turn = 0; turn < 2; turn++) {
        for (int k = 0; k < rows; k++)
            put_place(p, from->x, k, k ? turn + 0.3 : 0.7, k ? 1.1 - turn : 0.2);
        lh_exact.run(p);
        seen[turn] = lh_exact.get(p, from->out, place_at(from->out, 0, 0));
    }
    return seen[0] == seen[1];
}

static bool is_possible(lh_graph *g, lh_plan *p, const lh_field_from *from) {
    lh_sizes a = lh_exact.sizes(p, from->x, 0), b = lh_exact.sizes(p, from->out, 0);
    const bool is_batched = from->x->shape.is_batched && from->out->shape.is_batched,
               is_plain = !from->x->shape.is_batched && !from->out->shape.is_batched;
    if (is_batched && a.rows == 1 && a.cols == 2 && b.rows == 1 && b.cols == 1) return true;
    if (is_plain && a.cols == 2 && b.rows == a.rows && b.cols == 1 &&
        rows_are_apart(p, from, a.rows))
        return true;
    lh_fail(
        g->ctx, LH_ERROR_SHAPE, (lh_place){0, 0, 0},
        "points: the background needs one number for each place: %s must be 1x2 and %s 1x1 for "
        "each example, or have a row for each place that looks at no other, but they are %dx%d and "
        "%dx%d",
        from->x_text, from->out_text, a.rows, a.cols, b.rows, b.cols);
    return false;
}

/* x is moved over the plane, as many places at a time as there are examples. */
static void fill(lh_plan *p, const lh_field_from *from, const lh_chart_field *f, double *cell) {
    const int at_once = from->x->shape.is_batched ? lh_exact.examples(p)
                                                  : lh_exact.sizes(p, from->x, 0).rows,
              total = f->rows * f->cols;
    for (int first = 0; first < total; first += at_once) {
        int n = total - first < at_once ? total - first : at_once;
        for (int e = 0; e < n; e++) {
            int row = (first + e) / f->cols, col = (first + e) % f->cols;
            put_place(p, from->x, e, f->x0 + (col + 0.5) / f->cols * (f->x1 - f->x0),
                      f->y0 + (row + 0.5) / f->rows * (f->y1 - f->y0));
        }
        lh_exact.run(p);
        for (int e = 0; e < n; e++)
            cell[first + e] = lh_exact.get(p, from->out, place_at(from->out, e, 0));
    }
}

bool lh_chart_field_fill(lh_graph *g, lh_arena *a, const lh_field_from *from, lh_chart_field *f) {
    double *cell = lh_alloc_array(a, (size_t)f->rows * (size_t)f->cols, sizeof *cell);
    lh_wish wish = {.node = (lh_node *const *)&from->out, .n_nodes = 1};
    if (from->x->kind != LH_OP_input) wish.known = (lh_node *const *)&from->x, wish.n_known = 1;
    lh_plan *p = cell ? lh_exact.plan(g, &wish) : NULL;
    if (p) {
        lh_exact.start(p);
        lh_exact.bind(p, NULL, 0);
        copy_givens(g, from->learned, p);
    }
    const bool is_good = p && !lh_failed(g->ctx) && is_possible(g, p, from);
    if (is_good) fill(p, from, f, cell), f->cell = cell;
    lh_exact.free(p);
    return is_good;
}
