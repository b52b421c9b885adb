/* chart_value -- charts of values whose numbers are there already. */
#include <string.h>

#include "explain/chart_show.h"
#include "explain/explain.h"

lh_chart *lh_chart_new(lh_arena *a, lh_chart_kind kind, const char *title) {
    lh_chart *c = lh_alloc(a, sizeof *c);
    c->kind = kind;
    c->title = title;
    return c;
}

static const char **labels_of(lh_arena *a, const lh_graph *g, const lh_plan *p, int axis,
                              int example, int n) {
    if (n == 0 || !lh_axis_label(g, p, axis, example, 0)) return NULL;
    const char **label = lh_alloc_array(a, (size_t)n, sizeof *label);
    for (int i = 0; label && i < n; i++) {
        const char *word = lh_axis_label(g, p, axis, example, i);
        label[i] = word ? lh_copy(a, word, strlen(word)) : "";
    }
    return label;
}

/* P, or P{example 1} where there are several. */
static const char *title_of(lh_arena *a, const lh_plan *p, const lh_node *n, int example) {
    const char *name = n->step ? n->step->path : "value";
    bool is_many = n->shape.is_batched && lh_exact.examples(p) > 1;
    return is_many ? lh_printf(a, "%s{example %d}", name, example) : lh_printf(a, "%s", name);
}

static void panel_fill(lh_arena *a, lh_panel *panel, const lh_plan *p, const lh_node *n,
                       int example, int head) {
    lh_sizes z = lh_exact.sizes(p, n, example);
    double *cell = lh_alloc_array(a, (size_t)z.rows * (size_t)z.cols, sizeof *cell);
    panel->name = lh_printf(a, "head %d", head);
    panel->cell = cell;
    if (!cell) return;
    panel->rows = z.rows, panel->cols = z.cols;
    for (int r = 0; r < z.rows; r++)
        for (int c = 0; c < z.cols; c++)
            *cell++ = lh_exact.get(p, n, (lh_cell){example, head, r, c});
}

lh_chart *lh_chart_heat(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *n,
                        int example) {
    lh_chart *chart = lh_chart_new(a, LH_CHART_HEAT, title_of(a, p, n, example));
    lh_sizes z = lh_exact.sizes(p, n, example);
    const char **rows = labels_of(a, g, p, n->shape.rows, example, z.rows);
    const char **cols = labels_of(a, g, p, n->shape.cols, example, z.cols);
    chart->panel = lh_alloc_array(a, (size_t)z.heads, sizeof *chart->panel);
    if (!chart->panel) return chart;
    chart->n_panels = z.heads;
    for (int h = 0; h < z.heads; h++) {
        panel_fill(a, &chart->panel[h], p, n, example, h);
        chart->panel[h].row_label = rows;
        chart->panel[h].col_label = cols;
    }
    return chart;
}

/* The word that would be right: that of an input over the same vocabulary, which says one word. */
static void find_target(lh_chart *chart, const lh_graph *g, const lh_node *n, int example) {
    const lh_vocab *v = g->axis[n->shape.cols].vocab;
    for (int k = 0; v && k < g->n_inputs && example < g->n_examples; k++) {
        const lh_example_value *value = &g->example[example]->value[k];
        if (g->input[k]->vocab != v || g->input[k]->is_many || !value->cells) continue;
        chart->has_target = true;
        chart->target = (int)value->cells[0];
    }
}

lh_chart *lh_chart_bars(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *n,
                        int example, int row) {
    lh_chart *chart = lh_chart_new(a, LH_CHART_BARS, title_of(a, p, n, example));
    lh_sizes z = lh_exact.sizes(p, n, example);
    bool is_column = z.cols == 1;
    lh_series *s = lh_alloc(a, sizeof *s);
    int count = is_column ? z.rows : z.cols;
    double *y = lh_alloc_array(a, (size_t)count, sizeof *y);
    if (!y) return chart;
    for (int i = 0; i < count; i++)
        y[i] = lh_exact.get(
            p, n, is_column ? (lh_cell){example, 0, i, 0} : (lh_cell){example, 0, row, i});
    s->y = y, s->n = count;
    s->label = labels_of(a, g, p, is_column ? n->shape.rows : n->shape.cols, example, count);
    chart->series = s, chart->n_series = 1;
    if (!is_column) find_target(chart, g, n, example);
    return chart;
}

static const double *from_zero(lh_arena *a, int n) {
    double *x = lh_alloc_array(a, (size_t)n + 1, sizeof *x);
    for (int i = 0; x && i < n; i++) x[i] = i;
    return x;
}

lh_chart *lh_chart_losses(lh_arena *a, const char *const *name, const double *const *loss,
                          const int *n, int n_series) {
    lh_chart *c = lh_chart_new(a, LH_CHART_PLANE, NULL);
    c->series = lh_alloc_array(a, (size_t)n_series, sizeof *c->series);
    c->x_name = "step";
    c->y_name = "loss";
    c->n_series = c->series ? n_series : 0;
    for (int i = 0; i < c->n_series; i++)
        c->series[i] = (lh_series){
            .name = name ? name[i] : NULL, .x = from_zero(a, n[i]), .y = loss[i], .n = n[i]};
    return c;
}

/* ---- addresses, for pages ---- */

static const char **addresses(lh_arena *a, const lh_plan *p, const lh_node *n, lh_cell first,
                              int rows, int cols, int step, const lh_show_how *how) {
    const char **at =
        rows * cols > 0 ? lh_alloc_array(a, (size_t)rows * (size_t)cols, sizeof *at) : NULL;
    for (int i = 0; at && i < rows * cols; i++) {
        const lh_cell cell = {first.example, first.head, first.row + i / cols,
                              first.col + i % cols};
        at[i] = how->address(how->who, p, n, cell, step);
    }
    return at;
}

const lh_node *lh_loss_shown(const lh_graph *g, const lh_plan *p) {
    if (!g->loss->shape.is_batched || lh_exact.examples(p) == 1) return g->loss;
    for (int i = 0; i < g->n_steps; i++) {
        const lh_node *n = g->step[i]->node;
        if (n->kind == LH_OP_average && n->in[0] == g->loss) return n;
    }
    return NULL;
}

void lh_losses_address(lh_arena *a, lh_series *s, const lh_graph *g, const lh_plan *p,
                       const lh_show_how *how) {
    const lh_node *loss = lh_loss_shown(g, p);
    if (!loss || how->has_batches) return;
    const char **at = lh_alloc_array(a, (size_t)s->n + 1, sizeof *at);
    const int stride = lh_series_stride(s->n);
    for (int i = 0; at && i < s->n; i++)
        if (i % stride == 0 || i == s->n - 1)
            at[i] = how->address(how->who, p, loss, (lh_cell){0, 0, 0, 0}, i);
    s->at = at;
}

void lh_chart_address(lh_arena *a, lh_chart *c, const lh_plan *p, const lh_node *n, lh_cell at,
                      int step, const lh_show_how *how) {
    if (!how->address) return;
    for (int h = 0; h < c->n_panels; h++)
        c->panel[h].at = addresses(a, p, n, (lh_cell){at.example, h, 0, 0}, c->panel[h].rows,
                                   c->panel[h].cols, step, how);
    if (!c->n_series) return;
    lh_series *s = &c->series[0];
    const bool is_column = lh_exact.sizes(p, n, at.example).cols == 1;
    const lh_cell first = {at.example, 0, is_column ? 0 : at.row, 0};
    s->at = addresses(a, p, n, first, is_column ? s->n : 1, is_column ? 1 : s->n, step, how);
}
