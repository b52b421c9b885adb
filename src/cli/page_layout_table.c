/* page_layout_table -- a table of the text: columns as wide as their words where there is room, else folded, the widest first. */
#include "cli/page_layout_words.h"

enum { GAP = 3, NARROWEST = 4 };

typedef struct grid {
    lh_page_layout *l;
    int rows, cols, indent;
    lh_words *cell; /* rows * cols */
    lh_cell_align *align;
    int *width;
} grid;

static bool read_cells(grid *g, const lh_piece *table) {
    for (const lh_piece *r = table->child; r; r = r->next) {
        int cols = 0;
        for (const lh_piece *c = r->child; c; c = c->next) cols++;
        if (cols > g->cols) g->cols = cols;
        g->rows++;
    }
    lh_arena *a = g->l->arena;
    g->cell = lh_alloc_array(a, (size_t)g->rows * (size_t)g->cols + 1, sizeof *g->cell);
    g->width = lh_alloc_array(a, (size_t)g->cols + 1, sizeof *g->width);
    g->align = lh_alloc_array(a, (size_t)g->cols + 1, sizeof *g->align);
    if (!g->cell || !g->width || !g->align) return false;
    for (int i = 0; i < g->rows * g->cols; i++) g->cell[i] = lh_words_new(g->l);
    int at = 0;
    for (const lh_piece *r = table->child; r; r = r->next, at++) {
        int c = 0;
        for (const lh_piece *x = r->child; x; x = x->next, c++) {
            lh_words_add(&g->cell[at * g->cols + c], x->span,
                         x->is_head ? LH_INK_BOLD : LH_INK_PLAIN);
            g->align[c] = x->align;
        }
    }
    return true;
}

static int sum_of(const grid *g) {
    int n = g->indent + GAP * (g->cols - 1);
    for (int c = 0; c < g->cols; c++) n += g->width[c];
    return n;
}

/* The widest column gives way, down to its longest word; when that is not enough, words are cut. */
static void find_widths(grid *g) {
    for (int c = 0; c < g->cols; c++) {
        g->width[c] = 1;
        for (int r = 0; r < g->rows; r++) {
            int n = lh_words_widest(&g->cell[r * g->cols + c]);
            if (n > g->width[c]) g->width[c] = n;
        }
    }
    for (int least_words = 1; least_words >= 0; least_words--)
        while (sum_of(g) > g->l->width) {
            int widest = -1;
            for (int c = 0; c < g->cols; c++) {
                int least = NARROWEST;
                for (int r = 0; least_words && r < g->rows; r++) {
                    int n = lh_words_longest(&g->cell[r * g->cols + c]);
                    if (n > least) least = n;
                }
                if (g->width[c] > least && (widest < 0 || g->width[c] > g->width[widest]))
                    widest = c;
            }
            if (widest < 0) break;
            g->width[widest]--;
        }
}

/* The lines of a cell: folded on a layout of their own. */
static lh_page_layout *cell_lines(grid *g, int r, int c) {
    lh_page_layout *l = lh_layout_new(g->l->cli, g->l->arena, g->width[c]);
    l->width = g->width[c] < NARROWEST ? NARROWEST : g->width[c];
    lh_words *w = &g->cell[r * g->cols + c];
    w->l = l;
    lh_words_fold(w, 0, l->width, "");
    return l;
}

static void put_row(grid *g, int r) {
    lh_arena *a = g->l->arena;
    lh_page_layout **cell = lh_alloc_array(a, (size_t)g->cols + 1, sizeof(lh_page_layout *));
    int lines = 1;
    for (int c = 0; cell && c < g->cols; c++) {
        cell[c] = cell_lines(g, r, c);
        if (cell[c]->n_lines > lines) lines = cell[c]->n_lines;
    }
    for (int i = 0; cell && i < lines; i++) {
        lh_text t = lh_text_new(a);
        for (int c = 0; c < g->cols; c++) {
            const char *s = i < cell[c]->n_lines ? cell[c]->line[i] : "";
            int gap = g->width[c] - lh_layout_columns(s);
            int before = g->align[c] == LH_CELL_RIGHT    ? gap
                         : g->align[c] == LH_CELL_CENTRE ? gap / 2
                                                         : 0;
            if (gap < 0) gap = before = 0;
            lh_text_add(&t, "%*s%*s%s%*s", c ? GAP : 0, "", before, "", s, gap - before, "");
        }
        lh_layout_add(g->l, g->indent, t.s);
    }
}

static void put_line(grid *g) {
    lh_text t = lh_text_new(g->l->arena);
    for (int c = 0; c < g->cols; c++) {
        lh_text_add(&t, "%*s", c ? GAP : 0, "");
        for (int i = 0; i < g->width[c]; i++) lh_text_add(&t, "\u2500");
    }
    lh_layout_add(g->l, g->indent, t.s);
}

void lh_layout_table(lh_page_layout *l, const lh_piece *table, int indent) {
    grid g = {.l = l, .indent = indent};
    if (!read_cells(&g, table)) return;
    find_widths(&g);
    for (int r = 0; r < g.rows; r++) {
        put_row(&g, r);
        if (r == 0) put_line(&g);
    }
}
