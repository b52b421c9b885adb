#include "cli/grid_text.h"

#include <string.h>

#include "base/columns.h"

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
