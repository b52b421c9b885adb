/* chart_svg_plane -- curves, points and arrows on paper. Curves differ by their dashes, classes of points by their signs. */
#include <math.h>
#include <string.h>

#include "explain/chart_svg.h"

enum { HEIGHT = 290, TALL = 380, MOST_LABELS = 400, SIGN = 5, CLOSE = 4 };

typedef struct box {
    double x, y, w, h;
} box;

typedef struct plane {
    lh_svg_sheet *s;
    const lh_chart *c;
    lh_scale x, y;
    double left, top, w, h; /* the paper inside the axes */
    box *taken;             /* by points and labels */
    int n_taken, n_lost;
} plane;

static double at_x(const plane *p, double x) {
    return p->left + lh_scale_at(&p->x, x) * p->w;
}

static double at_y(const plane *p, double y) {
    return p->top + (1 - lh_scale_at(&p->y, y)) * p->h;
}

/* ---- signs ---- */

static void add_pair(lh_text *t, char letter, double x, double y) {
    lh_text_add(t, "%c", letter);
    lh_svg_number(t, x);
    lh_text_add(t, " ");
    lh_svg_number(t, y);
}

static void begin_signs(lh_svg_sheet *s, int k) {
    lh_text_add(&s->body, "<path class=\"point s%d %s\" d=\"", k % 6,
                k % 2 ? "open" : lh_printf(s->a, "f%d", k % 6));
}

static void end_signs(lh_svg_sheet *s) {
    lh_text_add(&s->body, "\"/>\n");
}

/* Circle, triangle, square, diamond; the second of each is open. */
static void add_sign(lh_svg_sheet *s, int k, double x, double y) {
    lh_text *t = &s->body;
    int form = k / 2 % 4;
    if (form == 0) {
        add_pair(t, 'M', x - SIGN, y);
        lh_text_add(t, "a%d %d 0 1 0 %d 0a%d %d 0 1 0 %d 0z", SIGN, SIGN, 2 * SIGN, SIGN, SIGN,
                    -2 * SIGN);
    } else if (form == 1) {
        add_pair(t, 'M', x, y - SIGN - 1);
        add_pair(t, 'L', x + SIGN + 1, y + SIGN);
        add_pair(t, 'L', x - SIGN - 1, y + SIGN);
        lh_text_add(t, "z");
    } else {
        double d = form == 2 ? SIGN - 0.5 : SIGN + 1.5;
        add_pair(t, 'M', x - (form == 2 ? d : 0), y - d);
        add_pair(t, 'L', x + d, y - (form == 2 ? d : 0));
        add_pair(t, 'L', x + (form == 2 ? d : 0), y + d);
        add_pair(t, 'L', x - d, y + (form == 2 ? d : 0));
        lh_text_add(t, "z");
    }
}

static const char *dashes(int k) {
    static const char *const pattern[] = {"", "7 5", "2 5", "10 4 2 4", "14 4", "4 3"};
    return pattern[k % 6];
}

static void begin_curve(lh_svg_sheet *s, int k) {
    lh_text_add(&s->body, "<path class=\"curve s%d\"", k % 6);
    if (dashes(k)[0]) lh_text_add(&s->body, " stroke-dasharray=\"%s\"", dashes(k));
    lh_text_add(&s->body, " d=\"");
}

/* ---- legend ---- */

static void draw_legend(lh_svg_sheet *s) {
    const lh_chart *c = s->c;
    double x = EDGE;
    if (!lh_chart_has_legend(c)) return;
    s->y += LEADING;
    for (int k = 0; k < c->n_series; k++) {
        const char *name = c->series[k].name ? c->series[k].name : "";
        bool is_line = lh_series_is_curve(&c->series[k]);
        name = lh_svg_cut(s, name, SHEET - 2 * EDGE - 40);
        double w = (is_line ? 36 : 18) + lh_svg_width(name);
        if (x > EDGE && x + w > SHEET - EDGE) x = EDGE, s->y += LEADING;
        if (is_line) {
            begin_curve(s, k);
            add_pair(&s->body, 'M', x, s->y - 10);
            lh_text_add(&s->body, "h28\"/>\n");
        } else {
            begin_signs(s, k);
            add_sign(s, k, x + 6, s->y - 10);
            end_signs(s);
        }
        lh_svg_words(s, x + (is_line ? 36 : 18), s->y - 5, "", "start", name);
        x += w + 18;
    }
    s->y += 4;
}

/* ---- axes ---- */

static double one_row(const char *text) {
    (void)text;
    return LEADING;
}

static void draw_axes(plane *p, const lh_ticks *ys) {
    lh_ticks xs;
    lh_chart_row row = {p->w, 14, 10, lh_svg_width};
    lh_ticks_fit(&xs, &p->x, &row, 9);
    const char *grid = p->c->field.cell ? "axis" : "grid";
    for (int i = 0; i < ys->n; i++) {
        double y = at_y(p, ys->at[i]);
        lh_svg_line(p->s, grid, p->left - (p->c->field.cell ? 4 : 0), y,
                    p->c->field.cell ? p->left : p->left + p->w, y);
        lh_svg_words(p->s, p->left - 7, y + 5, "quiet", "end", ys->text[i]);
    }
    for (int i = 0; i < xs.n; i++) {
        double x = at_x(p, xs.at[i]), w = lh_svg_width(xs.text[i]);
        double start = lh_label_start(x - p->left, w, p->w, 10);
        if (p->c->is_even && !p->c->field.cell)
            lh_svg_line(p->s, "grid", x, p->top, x, p->top + p->h);
        lh_svg_line(p->s, "axis", x, p->top + p->h, x, p->top + p->h + 4);
        lh_svg_words(p->s, p->left + start + w / 2, p->top + p->h + 20, "quiet", "middle",
                     xs.text[i]);
    }
    lh_svg_line(p->s, "axis", p->left, p->top, p->left, p->top + p->h);
    lh_svg_line(p->s, "axis", p->left, p->top + p->h, p->left + p->w, p->top + p->h);
    if (p->c->x_name && p->c->x_name[0])
        lh_svg_words(p->s, p->left + p->w / 2, p->top + p->h + 40, "quiet", "middle",
                     lh_svg_cut(p->s, p->c->x_name, p->w));
}

static void draw_field(plane *p) {
    const lh_chart_field *f = &p->c->field;
    lh_shades g = {.cell = f->cell, .rows = f->rows, .cols = f->cols, .is_upward = true};
    g.range = lh_field_range(f);
    g.x = at_x(p, f->x0), g.y = at_y(p, f->y1);
    g.w = at_x(p, f->x1) - g.x, g.h = at_y(p, f->y0) - g.y;
    if (g.range.n) lh_svg_shades(p->s, &g);
}

/* ---- series ---- */

static void draw_curve(plane *p, int k) {
    const lh_series *s = &p->c->series[k];
    int n;
    bool is_joined = false;
    lh_text path = lh_text_new(p->s->a);
    int *list = lh_series_reduce(p->s->a, p->c, s, &p->x, (int)p->w, &n);
    long before_u = 0, before_w = 0;
    for (int i = 0; i < n; i++) {
        double x, y;
        if (!lh_series_point(p->c, s, list ? list[i] : i, &x, &y)) {
            is_joined = false;
            continue;
        }
        double u = at_x(p, x), w = at_y(p, y);
        long tenth_u = lround(u * 10), tenth_w = lround(w * 10);
        if (is_joined && tenth_u == before_u && tenth_w == before_w) continue;
        add_pair(&path, is_joined ? 'L' : 'M', u, w);
        before_u = tenth_u, before_w = tenth_w, is_joined = true;
    }
    if (!path.n) return;
    begin_curve(p->s, k);
    lh_text_add_n(&p->s->body, path.s, path.n);
    lh_text_add(&p->s->body, "\"/>\n");
}

static bool is_taken(const plane *p, const box *b) {
    for (int i = 0; i < p->n_taken; i++) {
        const box *o = &p->taken[i];
        if (b->x < o->x + o->w && o->x < b->x + b->w && b->y < o->y + o->h && o->y < b->y + b->h)
            return true;
    }
    return b->x < p->left || b->x + b->w > SHEET || b->y < p->top || b->y + b->h > p->top + p->h;
}

static void take(plane *p, box b) {
    *lh_push(p->s->a, p->taken, p->n_taken) = b;
}

/* Right of the point, left, above, below: the first place where nothing stands. */
static void draw_label(plane *p, const char *label, double x, double y) {
    label = lh_svg_cut(p->s, label, 200);
    double w = lh_svg_width(label), h = LETTER + 2;
    const box at[] = {{x + 9, y - h / 2, w, h},
                      {x - 9 - w, y - h / 2, w, h},
                      {x - w / 2, y - 8 - h, w, h},
                      {x - w / 2, y + 8, w, h}};
    for (int i = 0; i < 4 && p->n_taken < MOST_LABELS * 4; i++) {
        if (is_taken(p, &at[i])) continue;
        lh_svg_words(p->s, at[i].x, at[i].y + 12, "halo", "start", label);
        take(p, at[i]);
        return;
    }
    p->n_lost++;
}

/* A hundred thousand points fall on far fewer places: one sign for each, where they are many for each spot of CLOSE units. */
static void draw_points(plane *p, int k) {
    const lh_series *s = &p->c->series[k];
    int close = s->n > MOST_LABELS ? CLOSE : 1;
    int w = (int)p->w / close + 1, h = (int)p->h / close + 1;
    unsigned char *seen = lh_alloc_array(p->s->a, (size_t)w * (size_t)h, 1);
    bool has_signs = !lh_series_is_curve(s) || s->n <= MOST_LABELS;
    if (!seen || lh_series_is_arrows(p->c, s)) has_signs = false;
    if (has_signs) begin_signs(p->s, k);
    for (int i = 0; seen && i < s->n; i++) {
        double x, y;
        if (!lh_series_point(p->c, s, i, &x, &y)) continue;
        double u = at_x(p, x), v = at_y(p, y);
        if (!(u > p->left - 1 && u < p->left + p->w + 1 && v > p->top - 1 && v < p->top + p->h + 1))
            continue; /* or no number at all, where the axis is longer than a double can say */
        int col = (int)(u - p->left) / close, row = (int)(v - p->top) / close;
        if (col >= w || row >= h) continue;
        unsigned char *place = &seen[(size_t)row * (size_t)w + (size_t)col];
        if (*place && s->n > MOST_LABELS) continue;
        *place = 1;
        if (has_signs) add_sign(p->s, k, u, v);
        if (p->n_taken < MOST_LABELS * 2)
            take(p, (box){u - SIGN - 1, v - SIGN - 1, 2 * SIGN + 2, 2 * SIGN + 2});
    }
    if (has_signs) end_signs(p->s);
}

static void draw_labels(plane *p, int k) {
    const lh_series *s = &p->c->series[k];
    for (int i = 0; s->label && i < s->n; i++) {
        double x, y;
        if (s->label[i] && s->label[i][0] && lh_series_point(p->c, s, i, &x, &y))
            draw_label(p, s->label[i], at_x(p, x), at_y(p, y));
    }
}

/* The tip is drawn, not a marker: markers take no colour from their line in every reader. */
static void draw_arrows(plane *p, int k) {
    const lh_series *s = &p->c->series[k];
    for (int i = 0; i < s->n && i < MOST_LABELS; i++) {
        double x, y, x0 = s->from_x ? s->from_x[i] : 0, y0 = s->from_y ? s->from_y[i] : 0;
        if (!lh_series_point(p->c, s, i, &x, &y) || !isfinite(x0) || !isfinite(y0)) continue;
        x0 = at_x(p, x0), y0 = at_y(p, y0);
        double u = at_x(p, x), w = at_y(p, y), length = hypot(u - x0, w - y0);
        lh_text_add(&p->s->body, "<path class=\"curve s%d\" d=\"", k % 6);
        add_pair(&p->s->body, 'M', x0, y0);
        add_pair(&p->s->body, 'L', u, w);
        if (length > 1) {
            double dx = (u - x0) / length * 9, dy = (w - y0) / length * 9;
            add_pair(&p->s->body, 'M', u - dx + dy / 2, w - dy - dx / 2);
            add_pair(&p->s->body, 'L', u, w);
            add_pair(&p->s->body, 'L', u - dx - dy / 2, w - dy + dx / 2);
        }
        lh_text_add(&p->s->body, "\"/>\n");
    }
}

/* Points are touched each, as far as they are drawn; of a curve every so many. */
static void touch_series(plane *p, int k) {
    const lh_series *s = &p->c->series[k];
    int stride = lh_series_is_curve(s) ? lh_series_stride(s->n) : 1, n_left = MOST_LABELS;
    for (int i = 0; s->at && i < s->n && n_left; i++) {
        double x, y;
        if ((i % stride && i < s->n - 1) || !s->at[i] || !lh_series_point(p->c, s, i, &x, &y))
            continue;
        lh_svg_touch(p->s, &(lh_svg_spot){.at = s->at[i],
                                          .value = y,
                                          .across = s->across ? s->across[i] : NULL,
                                          .place = x,
                                          .x = at_x(p, x) - SIGN,
                                          .y = at_y(p, y) - SIGN,
                                          .w = 2 * SIGN,
                                          .h = 2 * SIGN});
        n_left--;
    }
}

static void draw_series(plane *p) {
    for (int k = 0; k < p->c->n_series; k++) {
        const lh_series *s = &p->c->series[k];
        if (lh_series_is_curve(s)) draw_curve(p, k);
        if (lh_series_is_arrows(p->c, s)) draw_arrows(p, k);
    }
    for (int k = 0; k < p->c->n_series; k++)
        if (p->c->series[k].mark != LH_MARK_LINE || p->c->series[k].n == 1) draw_points(p, k);
    for (int k = 0; k < p->c->n_series; k++) draw_labels(p, k);
    for (int k = 0; k < p->c->n_series; k++) touch_series(p, k);
}

static void note_arrows(plane *p) {
    for (int k = 0; k < p->c->n_series; k++)
        if (lh_series_is_arrows(p->c, &p->c->series[k]) && p->c->series[k].n > MOST_LABELS)
            lh_svg_paragraph(
                p->s, "quiet",
                lh_printf(p->s->a, "the first %d of %d arrows", MOST_LABELS, p->c->series[k].n));
}

static void plane_layout(plane *p, lh_ticks *ys) {
    lh_plane_scales(p->c, &p->x, &p->y);
    p->h = p->c->is_even || p->c->field.cell ? TALL : HEIGHT;
    lh_scale y = p->y;
    for (int round = 0; round < 2; round++) { /* the labels' width and an even y need each other */
        lh_chart_row row = {p->h, 14, 10, one_row};
        lh_ticks_fit(ys, &y, &row, 8);
        double label = 0;
        for (int i = 0; i < ys->n; i++) label = fmax(label, lh_svg_width(ys->text[i]));
        p->left = EDGE + fmin(label, 180) + 8;
        p->w = SHEET - EDGE - 8 - p->left;
        lh_scale x = p->x;
        y = p->y;
        if (p->c->is_even) lh_scale_even(&x, &y, p->w, p->h);
        if (round) p->x = x, p->y = y;
    }
    lh_ticks_fit(ys, &p->y, &(lh_chart_row){p->h, 14, 10, one_row}, 8);
}

void lh_plane_svg(lh_svg_sheet *s) {
    plane p = {.s = s, .c = s->c};
    lh_ticks ys;
    plane_layout(&p, &ys);
    draw_legend(s);
    if (lh_chart_y_head(s->c)) lh_svg_paragraph(s, "quiet", lh_chart_y_head(s->c));
    p.top = s->y + 6;
    if (s->c->field.cell) draw_field(&p);
    draw_axes(&p, &ys);
    draw_series(&p);
    s->y = p.top + p.h + (s->c->x_name && s->c->x_name[0] ? 44 : 24);
    lh_range r = s->c->field.cell ? lh_field_range(&s->c->field) : lh_range_none();
    if (r.n) lh_svg_scale(s, &r, s->c->field.name);
    note_arrows(&p);
    if (p.n_lost)
        lh_svg_paragraph(
            s, "quiet",
            lh_printf(s->a, "%d label%s left out: no room", p.n_lost, p.n_lost == 1 ? "" : "s"));
}
