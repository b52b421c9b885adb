/* diagram_svg -- a diagram on paper, in the style of the drawings of programs. */
#include <string.h>

#include "explain/diagram.h"
#include "explain/drawing.h"

enum {
    EDGE_X = 20,
    ROW = 23,
    EDGE_Y = 8,
    RULE = 8,
    BETWEEN = 26,
    BLOCK_W = 270,
    GUTTER_W = 34,
    LANE_W = 14,
    HEAD = 60
};

typedef struct paper {
    const lh_diagram *d;
    const char *here;
    lh_text *out;
    int x[LH_DIAGRAM_COLUMNS];
    lh_diagram_place place[LH_DIAGRAM_BLOCKS];
    bool has_place;
} paper;

static int left_of(const paper *p, int block) {
    return p->x[p->d->block[block].column];
}

static bool is_here(const paper *p, const lh_diagram_line *l) {
    return p->here && l->lesson && strcmp(l->lesson, p->here) == 0;
}

static void draw_line(paper *p, const lh_diagram_line *l, int x, int y) {
    bool here = is_here(p, l);
    if (here) {
        p->has_place = true;
        lh_text_add(p->out,
                    "<rect class=\"here\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                    "rx=\"4\"/>\n",
                    x + 4, y + 1, BLOCK_W - 8, ROW - 2);
    }
    lh_drawing_text(p->out, x + 12, y + 16, here ? "name" : "part", false,
                    here ? lh_printf(p->out->arena, "▶ %s", l->text) : l->text);
    if (l->lesson) lh_drawing_text(p->out, x + BLOCK_W - 12, y + 16, "quiet", true, l->lesson);
}

static void draw_block(paper *p, int i) {
    const lh_diagram_block *b = &p->d->block[i];
    const lh_diagram_place *at = &p->place[i];
    int x = left_of(p, i);
    lh_text_add(p->out,
                "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>\n", x,
                at->y, BLOCK_W, at->h, b->is_words ? at->h / 2 : 6);
    if (b->title) lh_drawing_text(p->out, x + 2, at->y - 6, "name", false, b->title);
    for (int k = 0; k < b->n_lines; k++) {
        if (b->line[k].is_apart)
            lh_text_add(p->out, "<path class=\"frame\" d=\"M%d %d h%d\"/>\n", x,
                        at->line_y[k] - RULE / 2, BLOCK_W);
        draw_line(p, &b->line[k], x, at->line_y[k]);
    }
}

static void draw_straight(const paper *p, const lh_diagram_link *k) {
    bool is_down = p->place[k->from].y < p->place[k->to].y;
    const lh_diagram_place *a = &p->place[k->from], *b = &p->place[k->to];
    lh_text_add(p->out, "<path class=\"line\" marker-end=\"url(#tip)\" d=\"M%d %d V%d\"/>\n",
                left_of(p, k->from) + BLOCK_W / 2, is_down ? a->y + a->h : a->y,
                is_down ? b->y - 1 : b->y + b->h + 1);
}

static void draw_across(const paper *p, const lh_diagram_link *k, int lane) {
    bool is_right = p->d->block[k->from].column < p->d->block[k->to].column;
    int from = left_of(p, k->from) + (is_right ? BLOCK_W : 0),
        to = left_of(p, k->to) + (is_right ? -1 : BLOCK_W + 1);
    int y0 = p->place[k->from].line_y[k->from_line] + ROW / 2,
        y1 = p->place[k->to].line_y[k->to_line] + ROW / 2;
    int x = p->x[0] + BLOCK_W + GUTTER_W / 2 + lane * LANE_W;
    lh_text_add(p->out,
                "<path class=\"line\" marker-end=\"url(#tip)\" d=\"M%d %d H%d V%d H%d\"/>\n", from,
                y0, x, y1, to);
}

static void draw_all(paper *p) {
    int lane = 0;
    for (int i = 0; i < p->d->n_blocks; i++) draw_block(p, i);
    for (int i = 0; i < p->d->n_links; i++)
        if (lh_diagram_is_across(p->d, &p->d->link[i]))
            draw_across(p, &p->d->link[i], lane++);
        else
            draw_straight(p, &p->d->link[i]);
}

/* Room above a row whose blocks have titles. */
static int row_gap(const lh_diagram *d) {
    for (int i = 0; i < d->n_blocks; i++)
        if (d->block[i].title) return BETWEEN + 10;
    return BETWEEN;
}

void lh_diagram_svg(const lh_diagram *d, const char *here, lh_text *out) {
    paper p = {.d = d, .here = here, .out = out};
    int columns = lh_diagram_columns(d),
        gutter = columns > 1 ? GUTTER_W + LANE_W * (lh_diagram_n_across(d) - 1) : 0;
    int w = 2 * EDGE_X + columns * BLOCK_W + (columns - 1) * gutter;
    int h = HEAD + 16 +
            lh_diagram_layout(d, &(lh_diagram_size){ROW, EDGE_Y, RULE, row_gap(d)}, p.place);
    lh_text words = lh_text_new(out->arena);
    for (int c = 0; c < columns; c++) p.x[c] = EDGE_X + c * (BLOCK_W + gutter);
    for (int i = 0; i < d->n_blocks; i++) {
        p.place[i].y += HEAD;
        for (int k = 0; k < d->block[i].n_lines; k++) p.place[i].line_y[k] += HEAD;
    }
    lh_diagram_describe(d, here, &words);
    lh_drawing_begin(out, w, h + 26, d->title, words.s);
    lh_drawing_text(out, EDGE_X, 26, "head", false, d->title);
    draw_all(&p);
    if (p.has_place)
        lh_drawing_text(out, EDGE_X, h + 8, "quiet", false,
                        "▶ you are here. To the right of each line: the lesson that covers it.");
    lh_text_add(out, "</svg>\n");
}
