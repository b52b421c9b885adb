#include "cli/grid_text.h"

#include <string.h>

#include "base/columns.h"

static bool is_number(const char *s) {
    static const char *const words[] = {"inf", "-inf", "nan"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(s, words[i]) == 0) return true;
    return strspn(s, "-0123456789.e+") == strlen(s);
}

static lh_grid_column point_of(const char *s) {
    const int n = (int)strcspn(s, ".e");
    if (!is_number(s)) return (lh_grid_column){0, lh_columns(s)};
    return (lh_grid_column){n, (int)strlen(s) - n};
}

lh_grid_column lh_grid_measure(const lh_grid *g, int c) {
    lh_grid_column w = {0, 0};
    for (int r = 0; r < g->rows; r++) {
        const lh_grid_column cell = point_of(g->cell[r * g->cols + c]);
        if (cell.left > w.left) w.left = cell.left;
        if (cell.right > w.right) w.right = cell.right;
    }
    const int label = g->col ? lh_columns(g->col[c]) : 0;
    if (label > w.left + w.right) w.left = label - w.right;
    return w;
}

void lh_grid_add_label(lh_text *t, const lh_grid *g, int c, lh_grid_column w) {
    const int n = lh_columns(g->col[c]), before = w.left > n ? w.left - n : 0;
    lh_text_add(t, "%*s%s%*s", before, "", g->col[c], w.left + w.right - before - n, "");
}

void lh_grid_add_cell(lh_text *t, const lh_grid *g, int r, int c, lh_grid_column w) {
    const char *cell = g->cell[r * g->cols + c];
    const lh_grid_column own = point_of(cell);
    lh_text_add(t, "%*s%s%*s", w.left - own.left, "", cell, w.right - own.right, "");
}

int lh_grid_label_columns(const lh_grid *g) {
    int most = 0;
    for (int r = 0; g->row && r < g->rows; r++)
        if (lh_columns(g->row[r]) > most) most = lh_columns(g->row[r]);
    return most;
}

/* ---- in brackets ---- */

static const char *bracket(int r, int rows, bool is_left) {
    static const char *const sign[2][4] = {{"[", "\u23a1", "\u23a2", "\u23a3"},
                                           {"]", "\u23a4", "\u23a5", "\u23a6"}};
    return sign[!is_left][rows == 1 ? 0 : r == 0 ? 1 : r == rows - 1 ? 3 : 2];
}

typedef struct print {
    FILE *out;
    lh_arena *a;
    const lh_grid *g;
    lh_grid_column *w;
    int indent, label;
} print;

static void print_labels(const print *p, int first, int last) {
    lh_text t = lh_text_new(p->a);
    if (!p->g->col) return;
    lh_text_add(&t, "%*s", p->indent + p->label + 3, "");
    for (int c = first; c < last; c++) {
        if (c > first) lh_text_add(&t, "  ");
        lh_grid_add_label(&t, p->g, c, p->w[c]);
    }
    while (t.n && t.s[t.n - 1] == ' ') t.s[--t.n] = 0;
    fprintf(p->out, "%s\n", t.s);
}

static void print_row(const print *p, int r, int first, int last, const char *name) {
    const char *label = p->g->row ? p->g->row[r] : "";
    lh_text t = lh_text_new(p->a);
    lh_text_add(&t, "%*s%s%s%*s %s ", p->indent - lh_columns(name), "", name, label,
                p->label - lh_columns(label), "", bracket(r, p->g->rows, true));
    for (int c = first; c < last; c++) {
        if (c > first) lh_text_add(&t, "  ");
        lh_grid_add_cell(&t, p->g, r, c, p->w[c]);
    }
    fprintf(p->out, "%s %s\n", t.s, bracket(r, p->g->rows, false));
}

void lh_grid_print(FILE *out, lh_arena *a, const lh_grid *g, const char *name, int indent,
                   int width) {
    print p = {.out = out, .a = a, .g = g, .indent = indent + lh_columns(name)};
    p.w = lh_alloc_array(a, (size_t)g->cols + 1, sizeof *p.w);
    if (!p.w) return;
    for (int c = 0; c < g->cols; c++) p.w[c] = lh_grid_measure(g, c);
    p.label = lh_grid_label_columns(g);
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
