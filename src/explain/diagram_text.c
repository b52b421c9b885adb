/* diagram_text -- a diagram in characters: blocks with edges, one line for an arrow between two rows. */
#include <string.h>

#include "base/columns.h"
#include "explain/chart_canvas.h"
#include "explain/diagram.h"

enum { WIDEST = 36, NARROWEST = 14, LANE = 2 };

typedef struct page {
    const lh_diagram *d;
    const char *here;
    lh_canvas *v;
    int x[LH_DIAGRAM_COLUMNS], w; /* where each column begins; all are equally wide */
    lh_diagram_place place[LH_DIAGRAM_BLOCKS];
    bool has_place; /* the reader's is in it */
} page;

static int left_of(const page *p, int block) {
    return p->x[p->d->block[block].column];
}

static void put(const page *p, int x, int y, const char *text, int ink) {
    lh_canvas_put(p->v, x, y, text, p->v->width, ink);
}

static void draw_edge(const page *p, int x, int y, const char *first, const char *last) {
    put(p, x, y, first, LH_CANVAS_PLAIN);
    for (int i = 1; i < p->w - 1; i++) put(p, x + i, y, "─", LH_CANVAS_PLAIN);
    put(p, x + p->w - 1, y, last, LH_CANVAS_PLAIN);
}

/* The words on the left, the lesson on the right where there is room for both. */
static void draw_line(page *p, const lh_diagram_line *l, int x, int y) {
    bool is_here = p->here && l->lesson && strcmp(l->lesson, p->here) == 0;
    int room = p->w - 4, text = lh_columns(l->text), lesson = l->lesson ? lh_columns(l->lesson) : 0;
    if (is_here) {
        put(p, x + 1, y, "▶", LH_CANVAS_STRONG);
        p->has_place = true;
    }
    lh_canvas_put(p->v, x + 2, y, l->text, room, is_here ? LH_CANVAS_STRONG : LH_CANVAS_PLAIN);
    if (lesson && text + 1 + lesson <= room)
        lh_canvas_put(p->v, x + 2 + room - lesson, y, l->lesson, lesson,
                      is_here ? LH_CANVAS_STRONG : LH_CANVAS_QUIET);
}

static void draw_block(page *p, int i) {
    const lh_diagram_block *b = &p->d->block[i];
    const lh_diagram_place *at = &p->place[i];
    int x = left_of(p, i), y = at->y;
    if (!b->is_words) {
        draw_edge(p, x, y, "┌", "┐");
        draw_edge(p, x, y + at->h - 1, "└", "┘");
        for (int k = 1; k < at->h - 1; k++) {
            put(p, x, y + k, "│", LH_CANVAS_PLAIN);
            put(p, x + p->w - 1, y + k, "│", LH_CANVAS_PLAIN);
        }
        if (b->title) {
            put(p, x + 1, y, " ", LH_CANVAS_PLAIN);
            int n = lh_canvas_put(p->v, x + 2, y, b->title, p->w - 5, LH_CANVAS_STRONG);
            put(p, x + 2 + n, y, " ", LH_CANVAS_PLAIN);
        }
    }
    for (int k = 0; k < b->n_lines; k++) {
        if (b->line[k].is_apart && !b->is_words) draw_edge(p, x, at->line_y[k] - 1, "├", "┤");
        draw_line(p, &b->line[k], x, at->line_y[k]);
    }
}

/* ---- arrows ---- */

static void draw_straight(const page *p, const lh_diagram_link *k) {
    bool is_down = p->place[k->from].y < p->place[k->to].y;
    int upper = is_down ? k->from : k->to, lower = is_down ? k->to : k->from;
    int x = left_of(p, upper) + p->w / 2, y = p->place[upper].y + p->place[upper].h,
        end = p->place[lower].y - 1;
    for (int i = y; i <= end; i++) put(p, x, i, "│", LH_CANVAS_PLAIN);
    put(p, x, is_down ? end : y, is_down ? "▼" : "▲", LH_CANVAS_PLAIN);
}

/* A corner that joins one direction along the line with one up or down. */
static const char *corner(bool is_left, bool is_up) {
    return is_left ? (is_up ? "┘" : "┐") : (is_up ? "└" : "┌");
}

static void draw_across(const page *p, const lh_diagram_link *k, int lane) {
    bool is_right = p->d->block[k->from].column < p->d->block[k->to].column;
    int from = is_right ? left_of(p, k->from) + p->w : left_of(p, k->from) - 1;
    int to = is_right ? left_of(p, k->to) - 1 : left_of(p, k->to) + p->w;
    int y0 = p->place[k->from].line_y[k->from_line], y1 = p->place[k->to].line_y[k->to_line];
    int x = p->x[0] + p->w + 1 + lane * LANE, step = is_right ? 1 : -1;
    for (int i = from; i != x; i += step) put(p, i, y0, "─", LH_CANVAS_PLAIN);
    for (int i = x; i != to; i += step) put(p, i, y1, "─", LH_CANVAS_PLAIN);
    put(p, to, y1, is_right ? "▶" : "◀", LH_CANVAS_PLAIN);
    if (y0 == y1) return;
    int low = y0 < y1 ? y0 : y1, high = y0 < y1 ? y1 : y0;
    for (int y = low + 1; y < high; y++) put(p, x, y, "│", LH_CANVAS_PLAIN);
    put(p, x, y0, corner(is_right, y1 < y0), LH_CANVAS_PLAIN);
    if (x != to) put(p, x, y1, corner(!is_right, y0 < y1), LH_CANVAS_PLAIN);
}

static void draw_links(const page *p) {
    int lane = 0;
    for (int i = 0; i < p->d->n_links; i++)
        if (lh_diagram_is_across(p->d, &p->d->link[i]))
            draw_across(p, &p->d->link[i], lane++);
        else
            draw_straight(p, &p->d->link[i]);
}

void lh_diagram_text(const lh_diagram *d, const char *here, const lh_chart_screen *how,
                     lh_text *out) {
    page p = {.d = d, .here = here};
    int width = how->width ? how->width : 80, columns = lh_diagram_columns(d);
    int gutter = columns > 1 ? 2 + LANE * lh_diagram_n_across(d) : 0;
    p.w = (width - gutter) / columns;
    p.w = p.w > WIDEST ? WIDEST : p.w < NARROWEST ? NARROWEST : p.w;
    for (int c = 0; c < columns; c++) p.x[c] = c * (p.w + gutter);
    int height = lh_diagram_layout(d, &(lh_diagram_size){1, 1, 1, 1}, p.place);
    p.v = lh_canvas_new(out->arena, columns * p.w + (columns - 1) * gutter, height);
    if (!p.v) return;
    for (int i = 0; i < d->n_blocks; i++) draw_block(&p, i);
    draw_links(&p);
    lh_canvas_write(p.v, how->colours, out);
    if (p.has_place)
        lh_canvas_words(out->arena, width, how->colours,
                        "▶ you are here. To the right of each line: the lesson that covers it.",
                        LH_CANVAS_QUIET, out);
}
