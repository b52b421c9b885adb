/* chart_svg -- a chart as an SVG element: real text, a title and a description, light and dark, nothing told by colour alone. */
#include "explain/chart_svg.h"

#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/escape.h"
#include "base/number.h"

/* Rules hold inside .lh-chart alone: a page may have many pictures. A shade is one colour, more or less of it, so that it suits
 * light and dark paper. */
static const char style[] =
    "<style>\n"
    ".lh-chart { max-width: 100%; height: auto; font-family: system-ui, -apple-system, 'Segoe UI', "
    "'DejaVu Sans', sans-serif; font-size: 14px; }\n"
    ".lh-chart .paper { fill: #ffffff; } .lh-chart text { fill: #161b22; }\n"
    ".lh-chart .head { font-weight: 600; } .lh-chart .quiet { fill: #56606e; }\n"
    ".lh-chart .axis { fill: none; stroke: #7b8694; stroke-width: 1; }\n"
    ".lh-chart .grid { fill: none; stroke: #dfe3e9; stroke-width: 1; }\n"
    ".lh-chart .shade { fill: #2f7fc4; } .lh-chart .cross { stroke: #56606e; fill: none; }\n"
    ".lh-chart .bar { fill: #2f7fc4; } .lh-chart .target { fill: #c8501e; }\n"
    ".lh-chart .curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: "
    "round; }\n"
    ".lh-chart .point { stroke-width: 1.8; } .lh-chart .open { fill: #ffffff; }\n"
    ".lh-chart .halo { paint-order: stroke; stroke: #ffffff; stroke-width: 3; stroke-linejoin: "
    "round; }\n"
    ".lh-chart .spot { fill: transparent; }\n"
    ".lh-chart .s0 { stroke: #1f6fb2; } .lh-chart .s1 { stroke: #c8501e; }\n"
    ".lh-chart .s2 { stroke: #1c8554; } .lh-chart .s3 { stroke: #8a4fa8; }\n"
    ".lh-chart .s4 { stroke: #8d6b00; } .lh-chart .s5 { stroke: #0d7d8c; }\n"
    ".lh-chart .f0 { fill: #1f6fb2; } .lh-chart .f1 { fill: #c8501e; }\n"
    ".lh-chart .f2 { fill: #1c8554; } .lh-chart .f3 { fill: #8a4fa8; }\n"
    ".lh-chart .f4 { fill: #8d6b00; } .lh-chart .f5 { fill: #0d7d8c; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".lh-chart .paper { fill: #14171c; } .lh-chart text { fill: #e8ecf1; }\n"
    ".lh-chart .quiet { fill: #a3adba; } .lh-chart .axis { stroke: #8a95a3; }\n"
    ".lh-chart .grid { stroke: #2b323c; } .lh-chart .shade { fill: #3b82c4; }\n"
    ".lh-chart .cross { stroke: #a3adba; } .lh-chart .bar { fill: #4c93d4; }\n"
    ".lh-chart .target { fill: #e8834f; } .lh-chart .open { fill: #14171c; }\n"
    ".lh-chart .halo { stroke: #14171c; }\n"
    ".lh-chart .s0 { stroke: #6db0ee; } .lh-chart .s1 { stroke: #f09468; }\n"
    ".lh-chart .s2 { stroke: #5cc796; } .lh-chart .s3 { stroke: #c79ae0; }\n"
    ".lh-chart .s4 { stroke: #d9b441; } .lh-chart .s5 { stroke: #52c4d3; }\n"
    ".lh-chart .f0 { fill: #6db0ee; } .lh-chart .f1 { fill: #f09468; }\n"
    ".lh-chart .f2 { fill: #5cc796; } .lh-chart .f3 { fill: #c79ae0; }\n"
    ".lh-chart .f4 { fill: #d9b441; } .lh-chart .f5 { fill: #52c4d3; }\n"
    "}\n"
    "</style>\n";

/* ---- how one writes ---- */

double lh_svg_width(const char *text) {
    return 0.63 * LETTER * lh_columns(text);
}

void lh_svg_number(lh_text *t, double x) {
    long tenths = lround(fmin(fmax(x, -1e6), 1e6) * 10);
    const char *sign = tenths < 0 ? "-" : "";
    if (tenths < 0) tenths = -tenths;
    if (tenths % 10)
        lh_text_add(t, "%s%ld.%ld", sign, tenths / 10, tenths % 10);
    else
        lh_text_add(t, "%s%ld", sign, tenths / 10);
}

void lh_svg_attribute(lh_text *t, const char *name, double x) {
    lh_text_add(t, " %s=\"", name);
    lh_svg_number(t, x);
    lh_text_add(t, "\"");
}

static void add_address(lh_text *t, const char *name, const char *at) {
    lh_text_add(t, " %s=\"", name);
    lh_text_add_xml(t, at);
    lh_text_add(t, "\"");
}

void lh_svg_words(lh_svg_sheet *s, double x, double y, const char *class, const char *anchor,
                  const char *text) {
    lh_svg_at(s, x, y, class, anchor, text, NULL);
}

void lh_svg_at(lh_svg_sheet *s, double x, double y, const char *class, const char *anchor,
               const char *text, const char *at) {
    lh_text_add(&s->body, "<text class=\"%s\"", class);
    if (at) add_address(&s->body, "data-at", at);
    lh_svg_attribute(&s->body, "x", x);
    lh_svg_attribute(&s->body, "y", y);
    if (strcmp(anchor, "start") != 0) lh_text_add(&s->body, " text-anchor=\"%s\"", anchor);
    lh_text_add(&s->body, ">");
    lh_text_add_xml(&s->body, text);
    lh_text_add(&s->body, "</text>\n");
}

void lh_svg_line(lh_svg_sheet *s, const char *class, double x0, double y0, double x1, double y1) {
    lh_text_add(&s->body, "<line class=\"%s\"", class);
    lh_svg_attribute(&s->body, "x1", x0);
    lh_svg_attribute(&s->body, "y1", y0);
    lh_svg_attribute(&s->body, "x2", x1);
    lh_svg_attribute(&s->body, "y2", y1);
    lh_text_add(&s->body, "/>\n");
}

void lh_svg_box(lh_svg_sheet *s, const char *class, double x, double y, double w, double h) {
    lh_text_add(&s->body, "<rect class=\"%s\"", class);
    lh_svg_attribute(&s->body, "x", x);
    lh_svg_attribute(&s->body, "y", y);
    lh_svg_attribute(&s->body, "width", w);
    lh_svg_attribute(&s->body, "height", h);
    lh_text_add(&s->body, "/>\n");
}

static void add_value(lh_text *t, const char *at, double value) {
    char number[LH_NUMBER_MAX];
    lh_text_add_xml(t, at);
    lh_text_add(t, " = %s", lh_number_text(number, sizeof number, value, 6));
}

void lh_svg_touch(lh_svg_sheet *s, const lh_svg_spot *spot) {
    lh_text *t = &s->body;
    lh_text_add(t, "<rect class=\"spot\"");
    add_address(t, "data-at", spot->at);
    if (spot->across) add_address(t, "data-across", spot->across);
    lh_text_add(t, " aria-label=\"");
    if (spot->across) add_value(t, spot->across, spot->place), lh_text_add(t, ", ");
    add_value(t, spot->at, spot->value);
    lh_text_add(t, "\"");
    lh_svg_attribute(t, "x", spot->x);
    lh_svg_attribute(t, "y", spot->y);
    lh_svg_attribute(t, "width", spot->w);
    lh_svg_attribute(t, "height", spot->h);
    lh_text_add(t, "/>\n");
}

const char *lh_svg_cut(lh_svg_sheet *s, const char *text, double room) {
    if (lh_svg_width(text) <= room) return text;
    int used = 0, bytes, most = (int)(room / lh_svg_width("0")) - 1;
    const char *end = text;
    while (*end) {
        int w = lh_columns_next(end, &bytes);
        if (used + w > most) break;
        used += w, end += bytes;
    }
    return lh_printf(s->a, "%.*s…", (int)(end - text), text);
}

void lh_svg_paragraph(lh_svg_sheet *s, const char *class, const char *text) {
    while (*text) {
        size_t n = 0, end = 0;
        for (;;) { /* as many words as fit, at least one */
            end += strcspn(text + end, " ");
            if (n && lh_svg_width(lh_copy(s->a, text, end)) > SHEET - 2 * EDGE) break;
            n = end;
            if (!text[end]) break;
            end++;
        }
        s->y += LEADING;
        const char *line = lh_svg_cut(s, lh_copy(s->a, text, n), SHEET - 2 * EDGE);
        lh_svg_words(s, EDGE, s->y - 6, class, "start", line);
        text += n;
        while (*text == ' ') text++;
    }
}

/* ---- shades ---- */

enum { LEVELS = 24 };

static int level_of(const lh_shades *g, int row, int col) {
    double x = g->cell[(size_t)row * (size_t)g->cols + (size_t)col];
    return isfinite(x) ? (int)(lh_shade(&g->range, x) * LEVELS + 0.5) : -1;
}

/* Edges are rounded before lengths are taken, so that neighbours meet without a seam. */
static void add_cell(lh_text *t, const lh_shades *g, int row, int col, int n) {
    int line = g->is_upward ? g->rows - 1 - row : row;
    double x0 = round((g->x + g->w * col / g->cols) * 10) / 10,
           x1 = round((g->x + g->w * (col + n) / g->cols) * 10) / 10,
           y0 = round((g->y + g->h * line / g->rows) * 10) / 10,
           y1 = round((g->y + g->h * (line + 1) / g->rows) * 10) / 10;
    lh_text_add(t, "M");
    lh_svg_number(t, x0);
    lh_text_add(t, " ");
    lh_svg_number(t, y0);
    lh_text_add(t, "h");
    lh_svg_number(t, x1 - x0);
    lh_text_add(t, "v");
    lh_svg_number(t, y1 - y0);
    lh_text_add(t, "h");
    lh_svg_number(t, x0 - x1);
    lh_text_add(t, "z");
}

static void cross_cells(lh_svg_sheet *s, const lh_shades *g) {
    double w = g->w / g->cols, h = g->h / g->rows;
    for (int r = 0; r < g->rows; r++)
        for (int c = 0; c < g->cols; c++) {
            if (level_of(g, r, c) >= 0) continue;
            double x = g->x + c * w, y = g->y + (g->is_upward ? g->rows - 1 - r : r) * h;
            lh_svg_line(s, "cross", x + 2, y + 2, x + w - 2, y + h - 2);
            lh_svg_line(s, "cross", x + 2, y + h - 2, x + w - 2, y + 2);
        }
}

/* One path for each shade, neighbours in a row joined: a picture of a hundred thousand cells stays small. */
void lh_svg_shades(lh_svg_sheet *s, const lh_shades *g) {
    for (int level = 1; level <= LEVELS; level++) {
        lh_text path = lh_text_new(s->a);
        for (int r = 0; r < g->rows; r++)
            for (int c = 0, n; c < g->cols; c += n) {
                for (n = 1; c + n < g->cols && level_of(g, r, c + n) == level_of(g, r, c);) n++;
                if (level_of(g, r, c) == level) add_cell(&path, g, r, c, n);
            }
        if (!path.n) continue;
        int hundredths = 78 * level / LEVELS;
        lh_text_add(&s->body,
                    "<path class=\"shade\" shape-rendering=\"crispEdges\" fill-opacity=\"0.%02d\" "
                    "d=\"%s\"/>\n",
                    hundredths, path.s);
    }
    cross_cells(s, g);
}

void lh_svg_scale(lh_svg_sheet *s, const lh_range *r, const char *name) {
    char low[LH_NUMBER_MAX], high[LH_NUMBER_MAX];
    double cell[12], x = EDGE, y = s->y + 6;
    if (r->n == 0) return;
    for (int i = 0; i < 12; i++) cell[i] = i;
    lh_number_text(low, sizeof low, r->low < 0 ? r->low : 0, 3);
    lh_number_text(high, sizeof high, r->high, 3);
    if (name) {
        name = lh_svg_cut(s, name, 220);
        lh_svg_words(s, x, y + 12, "quiet", "start", name);
        x += lh_svg_width(name) + 8;
    }
    lh_svg_words(s, x, y + 12, "quiet", "start", low);
    x += lh_svg_width(low) + 6;
    lh_svg_shades(s, &(lh_shades){.cell = cell,
                                  .rows = 1,
                                  .cols = 12,
                                  .x = x,
                                  .y = y + 1,
                                  .w = 96,
                                  .h = 14,
                                  .range = {.low = 0, .high = 11, .n = 12}});
    lh_svg_box(s, "axis", x, y + 1, 96, 14);
    lh_svg_words(s, x + 104, y + 12, "quiet", "start", high);
    s->y += 26;
}

/* ---- the whole ---- */

static const char *clean_id(lh_arena *a, const char *id) {
    char *s = lh_printf(a, "%s", id && id[0] ? id : "chart");
    for (char *p = s; *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *p))
            *p = '-';
    return s;
}

static void write_all(const lh_svg_sheet *s, int width, lh_text *out) {
    int height = (int)ceil(s->y + EDGE);
    lh_text words = lh_text_new(s->a);
    lh_chart_describe(s->c, &words);
    lh_text_add(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lh-chart\" width=\"%d\" "
                "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
                "aria-labelledby=\"%s-title %s-desc\">\n<title id=\"%s-title\">",
                width, (height * width + SHEET - 1) / SHEET, SHEET, height, s->id, s->id, s->id);
    lh_text_add_xml(out, s->c->title && s->c->title[0] ? s->c->title : "Chart");
    lh_text_add(out, "</title>\n<desc id=\"%s-desc\">", s->id);
    lh_text_add_xml(out, words.s);
    lh_text_add(out, "</desc>\n%s<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", style,
                SHEET, height);
    lh_text_add_n(out, s->body.s, s->body.n);
    lh_text_add(out, "</svg>\n");
}

void lh_chart_svg(const lh_chart *c, const lh_chart_page *how, lh_text *out) {
    lh_svg_sheet s = {.c = c, .a = out->arena, .id = clean_id(out->arena, how->id), .y = EDGE};
    s.body = lh_text_new(s.a);
    if (lh_chart_head(c)) lh_svg_paragraph(&s, "head", lh_chart_head(c));
    s.y += 6;
    if (!lh_chart_empty(c)) {
        if (c->kind == LH_CHART_PLANE)
            lh_plane_svg(&s);
        else if (c->kind == LH_CHART_BARS)
            lh_bars_svg(&s);
        else
            lh_heat_svg(&s);
    }
    lh_text notes = lh_text_new(s.a);
    lh_chart_notes(c, &notes);
    if (notes.n) lh_svg_paragraph(&s, "quiet", notes.s);
    write_all(&s, how->width > 0 ? how->width : 640, out);
}
