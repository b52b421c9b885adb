/* chart_text -- a chart as lines of text. Curves are made of dots, eight to a character; a shade is one of ░▒▓█ or a colour. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "explain/chart_axis.h"
#include "explain/chart_canvas.h"

enum { MOST_ROWS = 40, MOST_BARS = 24, LEAST_WIDTH = 20 };

typedef struct page {
    const lh_chart *c;
    lh_chart_screen how;
    lh_arena *a;
    lh_text *out;
} page;

static int larger(int a, int b) {
    return a > b ? a : b;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static void write_words(const page *p, const char *text, int ink) {
    lh_canvas_words(p->a, p->how.width, p->how.colours, text, ink, p->out);
}

static void write_title(const page *p) {
    if (lh_chart_head(p->c)) write_words(p, lh_chart_head(p->c), LH_CANVAS_STRONG);
}

static void write_notes(const page *p) {
    lh_text notes = lh_text_new(p->a);
    lh_chart_notes(p->c, &notes);
    if (notes.n) write_words(p, notes.s, LH_CANVAS_QUIET);
}

/* ---- heat maps and stripes ---- */

typedef struct heat {
    const lh_chart *c;
    lh_range range;
    bool has_numbers, has_colours;
    int digits;             /* of the numbers */
    int label;              /* columns of the row labels */
    int cell;               /* columns of a cell, the gap included */
    int row_step, col_step; /* so many rows and columns share one shade */
    int rows, cols;         /* shades of the largest panel */
    int width, height;      /* of a panel, its name and labels included */
} heat;

static const char *row_name(lh_arena *a, const lh_panel *p, int i) {
    return p->row_label ? p->row_label[i] : p->rows == 1 ? "" : lh_printf(a, "%d", i);
}

static const char *col_name(lh_arena *a, const lh_panel *p, int i) {
    return p->col_label ? p->col_label[i] : lh_printf(a, "%d", i);
}

static int widest_number(const lh_chart *c, int digits) {
    int widest = 0;
    char number[LH_NUMBER_MAX];
    for (int k = 0; k < c->n_panels; k++)
        for (size_t i = 0; i < (size_t)c->panel[k].rows * (size_t)c->panel[k].cols; i++) {
            lh_number_text(number, sizeof number, c->panel[k].cell[i], digits);
            widest = larger(widest, (int)strlen(number));
        }
    return widest;
}

static int widest_label(lh_arena *a, const lh_chart *c, bool of_rows, int most) {
    int widest = 0;
    for (int k = 0; k < c->n_panels; k++) {
        const lh_panel *p = &c->panel[k];
        for (int i = 0; i < (of_rows ? p->rows : p->cols); i++)
            widest = larger(widest, lh_columns(of_rows ? row_name(a, p, i) : col_name(a, p, i)));
    }
    return smaller(widest, most);
}

/* Numbers in the cells where all panels fit beside each other so, or there are no more than two. Otherwise shades of two columns, of
 * one, or of one for several cells. */
static heat heat_layout(const page *p) {
    const lh_chart *c = p->c;
    heat h = {.c = c, .range = lh_chart_values(c), .has_colours = p->how.colours != 0};
    for (int k = 0; k < c->n_panels; k++) {
        h.rows = larger(h.rows, c->panel[k].rows);
        h.cols = larger(h.cols, c->panel[k].cols);
    }
    h.label = widest_label(p->a, c, true, p->how.width / 4);
    int room = p->how.width - h.label - 1;
    if (c->kind == LH_CHART_HEAT && h.cols <= 40 && h.rows <= MOST_ROWS) {
        for (h.digits = 3; h.digits > 2 && (widest_number(c, h.digits) + 3) * h.cols > room;)
            h.digits--;
        int number = widest_number(c, h.digits) + 3;
        int cell = larger(number, smaller(1 + widest_label(p->a, c, false, 12), number + 4));
        if (cell * h.cols > room) cell = number;
        int panels = c->n_panels * (h.label + 1 + cell * h.cols + 3) - 3;
        h.has_numbers = cell * h.cols <= room && (c->n_panels <= 2 || panels <= p->how.width);
        h.cell = cell;
    }
    h.row_step = (h.rows + MOST_ROWS - 1) / MOST_ROWS;
    h.col_step = h.has_numbers ? 1 : (h.cols + room - 1) / larger(room, 1);
    h.rows = (h.rows + h.row_step - 1) / larger(h.row_step, 1);
    h.cols = (h.cols + h.col_step - 1) / larger(h.col_step, 1);
    if (!h.has_numbers) h.cell = 2 * h.cols <= room ? 2 : 1;
    h.width = h.label + 1 + h.cell * h.cols;
    h.height = h.rows + 1 + (c->n_panels > 1);
    return h;
}

/* The largest of the cells that share a shade; nan where none is a number. */
static double heat_value(const heat *h, const lh_panel *p, int row, int col) {
    double best = NAN;
    for (int r = row * h->row_step; r < (row + 1) * h->row_step && r < p->rows; r++)
        for (int k = col * h->col_step; k < (col + 1) * h->col_step && k < p->cols; k++) {
            double x = p->cell[(size_t)r * (size_t)p->cols + (size_t)k];
            if (h->row_step * h->col_step == 1) return x;
            if (isfinite(x) && !(x <= best)) best = x;
        }
    return best;
}

static void draw_cell(const heat *h, lh_canvas *v, int x, int y, double value) {
    char number[LH_NUMBER_MAX];
    int room = h->has_numbers ? h->cell - 1 : h->cell;
    if (!h->has_numbers) {
        if (isfinite(value))
            lh_canvas_shade(v, x, y, room, lh_shade(&h->range, value));
        else
            lh_canvas_put(v, x, y, "×", 1, LH_CANVAS_PLAIN);
        return;
    }
    lh_number_text(number, sizeof number, value, h->digits);
    if (isfinite(value))
        lh_canvas_shade(v, x, y, h->has_colours ? room : 1, lh_shade(&h->range, value));
    lh_canvas_put(v, x + room - (int)strlen(number), y, number, room, LH_CANVAS_PLAIN);
}

/* Each label over its cell where it does not touch the one before. */
static void draw_column_labels(const heat *h, lh_canvas *v, lh_arena *a, const lh_panel *p, int x,
                               int y) {
    int end = -1, n = (p->cols + h->col_step - 1) / larger(h->col_step, 1), stride = 1;
    static const int strides[] = {1, 2, 5, 10, 20, 50, 100, 200, 500};
    for (int i = 0; i < 9 && !p->col_label; i++) { /* numbers: every second, fifth, tenth */
        stride = strides[i];
        if (stride * h->cell > lh_columns(col_name(a, p, p->cols - 1))) break;
    }
    for (int k = 0; k < n; k += stride) {
        const char *name = col_name(a, p, k * h->col_step);
        int w = lh_columns(name), at = x + k * h->cell;
        if (h->has_numbers) {
            w = smaller(w, h->cell - 1);
            at += h->cell - 1 - w;
        } else {
            w = smaller(w, x + h->cell * h->cols - at);
            if (w < smaller(lh_columns(name), 3)) continue;
        }
        if (at <= end && end >= 0) continue;
        end = at + lh_canvas_put(v, at, y, name, w, LH_CANVAS_QUIET);
    }
}

static void draw_panel(const heat *h, lh_canvas *v, lh_arena *a, const lh_panel *p, int x, int y) {
    if (h->c->n_panels > 1)
        lh_canvas_put(v, x + h->label + 1, y++, p->name ? p->name : "", h->width - h->label - 1,
                      LH_CANVAS_PLAIN);
    draw_column_labels(h, v, a, p, x + h->label + 1, y++);
    for (int r = 0; r * h->row_step < p->rows; r++) {
        const char *name = row_name(a, p, r * h->row_step);
        int w = smaller(lh_columns(name), h->label);
        bool is_number = !p->row_label;
        lh_canvas_put(v, is_number ? x + h->label - w : x, y + r, name, h->label, LH_CANVAS_QUIET);
        for (int k = 0; k * h->col_step < p->cols; k++)
            draw_cell(h, v, x + h->label + 1 + k * h->cell, y + r, heat_value(h, p, r, k));
    }
}

static void write_heat(const page *p) {
    heat h = heat_layout(p);
    int per_line = larger(1, (p->how.width + 3) / (h.width + 3)), n = p->c->n_panels;
    for (int first = 0; first < n; first += per_line) {
        lh_canvas *v = lh_canvas_new(p->a, p->how.width, h.height);
        if (!v) return;
        if (first) lh_text_add(p->out, "\n");
        for (int k = first; k < n && k < first + per_line; k++)
            draw_panel(&h, v, p->a, &p->c->panel[k], (k - first) * (h.width + 3), 0);
        lh_canvas_write(v, p->how.colours, p->out);
    }
    lh_scale_text(p->a, &p->how, &h.range, NULL, p->out);
    if (h.row_step * h.col_step > 1)
        write_words(
            p, lh_printf(p->a, "a shade is the largest of %d x %d cells", h.row_step, h.col_step),
            LH_CANVAS_QUIET);
}

/* ---- bars ---- */

typedef struct bars {
    const lh_series *s;
    int label, number; /* columns */
    int x, room, zero; /* where the bars begin, their columns, and those left of zero */
    double unit;       /* of one column */
} bars;

static const char *bar_name(lh_arena *a, const lh_series *s, int i) {
    return s->label ? s->label[i] : lh_printf(a, "%d", i);
}

static bars bars_layout(const page *p, const int *chosen, int n) {
    bars b = {.s = &p->c->series[0]};
    char number[LH_NUMBER_MAX];
    for (int i = 0; i < n; i++) {
        b.label = larger(b.label, lh_columns(bar_name(p->a, b.s, chosen[i])));
        lh_number_text(number, sizeof number, b.s->y[chosen[i]], 4);
        b.number = larger(b.number, (int)strlen(number));
    }
    b.label = smaller(b.label, p->how.width / 3);
    b.x = b.label + 1 + b.number + 2;
    b.room = smaller(p->how.width - b.x - (p->c->has_target ? 9 : 0), 60);
    if (b.room < 4) b.room = smaller(4, p->how.width - b.x);
    lh_range r = lh_chart_values(p->c);
    double low = fmin(r.low, 0), high = fmax(r.high, 0);
    /* zero stands between columns */
    int room = low < 0 && high > 0 ? larger(b.room - 1, 1) : b.room;
    b.unit = fmax((high / 2 - low / 2) / room * 2, DBL_MIN);
    b.zero = smaller((int)ceil(-low / b.unit - 1e-9), b.room);
    return b;
}

/* To the right in eighths of a column, to the left of zero in halves. */
static int draw_bar(const bars *b, lh_canvas *v, int y, double value, int ink) {
    static const char *const eighth[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int x = b->x + b->zero;
    if (value < 0) {
        int halves = (int)(-value / b->unit * 2 + 0.5);
        if (halves == 0) halves = 1;
        for (int i = 0; i < halves / 2; i++) lh_canvas_put(v, x - 1 - i, y, "█", 1, ink);
        if (halves % 2) lh_canvas_put(v, x - 1 - halves / 2, y, "▐", 1, ink);
        return x;
    }
    int eighths = (int)(value / b->unit * 8 + 0.5), end = b->x + b->room;
    if (eighths == 0 && value > 0) eighths = 1;
    for (; eighths >= 8 && x < end; eighths -= 8) lh_canvas_put(v, x++, y, "█", 1, ink);
    if (eighths > 0 && x < end) lh_canvas_put(v, x++, y, eighth[smaller(eighths, 7)], 1, ink);
    return x;
}

static void write_bars(const page *p) {
    const lh_series *s = &p->c->series[0];
    int n;
    int *chosen = lh_bars_chosen(p->a, p->c, MOST_BARS, &n);
    lh_canvas *v = chosen ? lh_canvas_new(p->a, p->how.width, n) : NULL;
    if (!v) return;
    bars b = bars_layout(p, chosen, n);
    for (int i = 0; i < n; i++) {
        char number[LH_NUMBER_MAX];
        double value = s->y[chosen[i]];
        bool is_target = p->c->has_target && chosen[i] == p->c->target;
        int ink = is_target ? 3 : 1, end = b.x + b.zero;
        lh_canvas_put(v, 0, i, bar_name(p->a, s, chosen[i]), b.label,
                      is_target ? LH_CANVAS_STRONG : LH_CANVAS_PLAIN);
        lh_number_text(number, sizeof number, value, 4);
        lh_canvas_put(v, b.label + 1, i, number, b.number, LH_CANVAS_PLAIN);
        if (isfinite(value)) end = draw_bar(&b, v, i, value, ink);
        if (is_target) lh_canvas_put(v, end + 1, i, "◂ target", 8, LH_CANVAS_PLAIN);
    }
    lh_canvas_write(v, p->how.colours, p->out);
    if (n < s->n)
        write_words(p, lh_printf(p->a, "%d of %d: the largest", n, s->n), LH_CANVAS_QUIET);
}

/* ---- */

void lh_chart_text(const lh_chart *c, const lh_chart_screen *how, lh_text *out) {
    page p = {c, *how, out->arena, out};
    if (p.how.width == 0) p.how.width = 80;
    if (p.how.width < LEAST_WIDTH) p.how.width = LEAST_WIDTH;
    write_title(&p);
    if (!lh_chart_empty(c)) {
        if (c->kind == LH_CHART_PLANE)
            lh_plane_text(c, &p.how, out);
        else if (c->kind == LH_CHART_BARS)
            write_bars(&p);
        else
            write_heat(&p);
    }
    write_notes(&p);
}
