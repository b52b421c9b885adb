/* chart_plane -- curves, points and arrows as text: axes with ticks, dots for lines, signs for points.
 *
 * Nothing is told by colour alone: each curve carries its letter of the legend, each class of points has a sign.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "explain/chart_axis.h"
#include "explain/chart_canvas.h"

enum { APART = 8 }; /* two letters of one curve */

typedef struct plane {
    const lh_chart *c;
    lh_canvas *v;
    lh_arena *a;
    lh_scale x, y;
    int left, width, height; /* of the paper inside the axes; it begins at line 0 */
    int n_lost;              /* labels without room */
} plane;

static double columns_of(const char *text) {
    return lh_columns(text);
}

static double one_line(const char *text) {
    (void)text;
    return 1;
}

/* In dots of the paper, y downwards. */
static int dot_x(const plane *p, double x) {
    return 2 * p->left + (int)(lh_scale_at(&p->x, x) * (2 * p->width - 1) + 0.5);
}

static int dot_y(const plane *p, double y) {
    return (int)((1 - lh_scale_at(&p->y, y)) * (4 * p->height - 1) + 0.5);
}

static const char *sign_of(const plane *p, int series) {
    static const char *const signs[] = {"●", "○", "▲", "△", "■", "□", "◆", "◇"};
    return series < 8 ? signs[series] : lh_printf(p->a, "%c", 'a' + (series - 8) % 26);
}

static const char *letter_of(const plane *p, int series) {
    return lh_printf(p->a, "%c", 'a' + series % 26);
}

static const char *legend_sign(const plane *p, int k) {
    return lh_series_is_curve(&p->c->series[k]) ? letter_of(p, k) : sign_of(p, k);
}

/* ---- legend and scale ---- */

static void write_legend(const plane *p, const lh_chart_screen *how, lh_text *out) {
    lh_canvas *v = lh_canvas_new(p->a, how->width, p->c->n_series);
    int x = 0, y = 0;
    if (!v) return;
    for (int k = 0; k < p->c->n_series; k++) {
        const char *name = p->c->series[k].name ? p->c->series[k].name : "";
        int w = 2 + lh_columns(name);
        if (x && x + 3 + w > how->width) x = 0, y++;
        if (x) x += 3;
        lh_canvas_put(v, x, y, legend_sign(p, k), 1, k + 1);
        x += 2 + lh_canvas_put(v, x + 2, y, name, how->width - x - 2, LH_CANVAS_PLAIN);
    }
    v->height = y + 1;
    lh_canvas_write(v, how->colours, out);
}

void lh_scale_text(lh_arena *a, const lh_chart_screen *how, const lh_range *r, const char *name,
                   lh_text *out) {
    char low[LH_NUMBER_MAX], high[LH_NUMBER_MAX];
    lh_canvas *v = lh_canvas_new(a, how->width, 1);
    if (!v || r->n == 0) return;
    int x = 0, n = how->colours ? 8 : 5;
    lh_number_text(low, sizeof low, r->low < 0 ? r->low : 0, 3);
    lh_number_text(high, sizeof high, r->high, 3);
    if (name) x += lh_canvas_put(v, 0, 0, name, v->width / 2, LH_CANVAS_QUIET) + 2;
    x += lh_canvas_put(v, x, 0, low, v->width, LH_CANVAS_QUIET) + 1;
    for (int i = 0; i < n; i++) lh_canvas_shade(v, x + i, 0, 1, (double)i / (n - 1));
    lh_canvas_put(v, x + n + 1, 0, high, v->width, LH_CANVAS_QUIET);
    lh_canvas_write(v, how->colours, out);
}

static void draw_field(plane *p) {
    const lh_chart_field *f = &p->c->field;
    lh_range r = lh_field_range(f);
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            double u = p->x.low + (x + 0.5) / p->width * (p->x.high - p->x.low),
                   w = p->y.high - (y + 0.5) / p->height * (p->y.high - p->y.low);
            int col = (int)floor((u - f->x0) / (f->x1 - f->x0) * f->cols),
                row = (int)floor((w - f->y0) / (f->y1 - f->y0) * f->rows);
            if (col < 0 || row < 0 || col >= f->cols || row >= f->rows) continue;
            double value = f->cell[(size_t)row * (size_t)f->cols + (size_t)col];
            if (isfinite(value)) lh_canvas_shade(p->v, p->left + x, y, 1, lh_shade(&r, value));
        }
}

/* ---- axes ---- */

static void draw_y_axis(plane *p, const lh_ticks *t) {
    for (int y = 0; y < p->height; y++)
        lh_canvas_put(p->v, p->left - 1, y, "│", 1, LH_CANVAS_QUIET);
    for (int i = 0; i < t->n; i++) {
        int y = dot_y(p, t->at[i]) / 4, w = lh_columns(t->text[i]);
        int x = p->left - 2 - w;
        lh_canvas_put(p->v, x < 0 ? 0 : x, y, t->text[i], p->left - 2, LH_CANVAS_QUIET);
        lh_canvas_put(p->v, p->left - 1, y, "┤", 1, LH_CANVAS_QUIET);
    }
}

static void draw_x_axis(plane *p) {
    lh_ticks t;
    lh_chart_row row = {p->width, 2, 2, columns_of};
    int most = p->width / 8 < 10 ? p->width / 8 : 10;
    lh_ticks_fit(&t, &p->x, &row, most < 2 ? 2 : most);
    lh_canvas_put(p->v, p->left - 1, p->height, "└", 1, LH_CANVAS_QUIET);
    for (int x = 0; x < p->width; x++)
        lh_canvas_put(p->v, p->left + x, p->height, "─", 1, LH_CANVAS_QUIET);
    for (int i = 0; i < t.n; i++) {
        int w = lh_columns(t.text[i]), at = dot_x(p, t.at[i]) / 2;
        int start = (int)floor(lh_label_start(at - p->left + 0.5, w, p->width, 2) + 0.5);
        lh_canvas_put(p->v, at, p->height, "┬", 1, LH_CANVAS_QUIET);
        lh_canvas_put(p->v, p->left + start < 0 ? 0 : p->left + start, p->height + 1, t.text[i], w,
                      LH_CANVAS_QUIET);
    }
}

/* ---- lines and points ---- */

static void draw_curve(plane *p, int k) {
    const lh_series *s = &p->c->series[k];
    int n, before_x = 0, before_y = 0;
    bool is_joined = false;
    int *list = lh_series_reduce(p->a, p->c, s, &p->x, 2 * p->width, &n);
    for (int i = 0; i < n; i++) {
        double x, y;
        if (!lh_series_point(p->c, s, list ? list[i] : i, &x, &y)) {
            is_joined = false;
            continue;
        }
        int u = dot_x(p, x), w = dot_y(p, y);
        lh_canvas_line(p->v, is_joined ? before_x : u, is_joined ? before_y : w, u, w, k + 1);
        before_x = u, before_y = w, is_joined = true;
    }
}

/* The curve's letter, on a piece of it that no other curve has crossed, near a share of the way; not twice within a few columns.
 * Returns its column. */
static int letter_curve(plane *p, int k, double share, int not_near) {
    int want = (int)(share * p->width);
    for (int i = 0; i < 2 * p->width; i++) {
        int x = want + (i % 2 ? (i + 1) / 2 : -i / 2);
        if (x < 0 || x >= p->width || abs(x - not_near) < APART) continue;
        for (int y = 0; y < p->height; y++) {
            lh_spot *spot = &p->v->spot[(size_t)y * (size_t)p->v->width + (size_t)(p->left + x)];
            if (spot->dots && spot->ink == k + 1 && !spot->text[0]) {
                lh_canvas_put(p->v, p->left + x, y, letter_of(p, k), 1, k + 1);
                return x;
            }
        }
    }
    return -APART;
}

static void letter_curves(plane *p) {
    int n = p->c->n_series;
    for (int k = 0; k < n; k++) {
        if (!lh_series_is_curve(&p->c->series[k])) continue;
        int first = letter_curve(p, k, (k + 0.5) / n * 0.5, -APART);
        letter_curve(p, k, 0.5 + (k + 0.5) / n * 0.5, first);
    }
}

static void draw_label(plane *p, const char *label, int x, int y) {
    int w = lh_columns(label);
    const int at[][2] = {{x + 2, y}, {x - 1 - w, y}, {x - w / 2, y - 1}, {x - w / 2, y + 1}};
    for (int i = 0; i < 4; i++) {
        int start = at[i][0], line = at[i][1];
        if (start < p->left || start + w > p->left + p->width || line >= p->height) continue;
        if (!lh_canvas_is_free(p->v, start, line, w)) continue;
        lh_canvas_put(p->v, start, line, label, w, LH_CANVAS_PLAIN);
        return;
    }
    p->n_lost++;
}

static void draw_points(plane *p, int k, bool labels) {
    const lh_series *s = &p->c->series[k];
    const char *sign =
        lh_series_is_curve(s) && p->c->n_series > 1 ? letter_of(p, k) : sign_of(p, k);
    for (int i = 0; i < s->n; i++) {
        double x, y;
        if (!lh_series_point(p->c, s, i, &x, &y)) continue;
        int u = dot_x(p, x) / 2, w = dot_y(p, y) / 4;
        if (!labels)
            lh_canvas_put(p->v, u, w, sign, 1, k + 1);
        else if (s->label && s->label[i] && s->label[i][0])
            draw_label(p, s->label[i], u, w);
    }
}

static void draw_arrows(plane *p, int k) {
    const lh_series *s = &p->c->series[k];
    for (int i = 0; i < s->n; i++) {
        double x, y;
        if (!lh_series_point(p->c, s, i, &x, &y)) continue;
        double x0 = s->from_x ? s->from_x[i] : 0, y0 = s->from_y ? s->from_y[i] : 0;
        if (!isfinite(x0) || !isfinite(y0)) continue;
        lh_canvas_line(p->v, dot_x(p, x0), dot_y(p, y0), dot_x(p, x), dot_y(p, y), k + 1);
    }
    if (!s->from_x) lh_canvas_put(p->v, dot_x(p, 0) / 2, dot_y(p, 0) / 4, "+", 1, LH_CANVAS_PLAIN);
}

/* All that is drawn comes before the labels, so that no label covers a point. */
static void draw_series(plane *p) {
    int n_curves = 0;
    for (int k = 0; k < p->c->n_series; k++) {
        const lh_series *s = &p->c->series[k];
        if (lh_series_is_curve(s)) draw_curve(p, k), n_curves++;
        if (lh_series_is_arrows(p->c, s)) draw_arrows(p, k);
    }
    if (n_curves && p->c->n_series > 1) letter_curves(p);
    for (int k = 0; k < p->c->n_series; k++)
        if (p->c->series[k].mark != LH_MARK_LINE || p->c->series[k].n == 1)
            draw_points(p, k, false);
    for (int k = 0; k < p->c->n_series; k++) draw_points(p, k, true);
}

/* ---- */

static bool plane_layout(plane *p, const lh_chart_screen *how, lh_ticks *t) {
    int height = how->height ? how->height : how->width / 5;
    if (!how->height) height = height < 8 ? 8 : height > 20 ? 20 : height;
    int most = (height + 1) / 2 < 9 ? (height + 1) / 2 : 9;
    p->height = height;
    lh_plane_scales(p->c, &p->x, &p->y);
    lh_scale y = p->y;
    for (int round = 0; round < 2; round++) { /* the labels' width and an even y need each other */
        lh_chart_row row = {height, 1, 0.5, one_line};
        lh_ticks_fit(t, &y, &row, most);
        int label = 1;
        for (int i = 0; i < t->n; i++)
            if (lh_columns(t->text[i]) > label) label = lh_columns(t->text[i]);
        p->left = (label < how->width / 3 ? label : how->width / 3) + 2;
        p->width = how->width - p->left - 2;
        lh_scale x = p->x;
        y = p->y;
        if (p->c->is_even) lh_scale_even(&x, &y, 2 * p->width, 4 * p->height);
        if (round) p->x = x, p->y = y;
    }
    lh_ticks_fit(t, &p->y, &(lh_chart_row){height, 1, 0.5, one_line}, most);
    p->v = lh_canvas_new(p->a, how->width, height + 2);
    return p->v != NULL;
}

void lh_plane_text(const lh_chart *c, const lh_chart_screen *how, lh_text *out) {
    plane p = {.c = c, .a = out->arena};
    lh_ticks ticks;
    if (!plane_layout(&p, how, &ticks)) return;
    if (lh_chart_has_legend(c)) write_legend(&p, how, out);
    if (lh_chart_y_head(c))
        lh_canvas_words(p.a, how->width, how->colours, lh_chart_y_head(c), LH_CANVAS_QUIET, out);
    if (c->field.cell) draw_field(&p);
    draw_y_axis(&p, &ticks);
    draw_x_axis(&p);
    draw_series(&p);
    lh_canvas_write(p.v, how->colours, out);
    if (c->x_name && c->x_name[0]) {
        lh_canvas *v = lh_canvas_new(p.a, how->width, 1);
        int w = lh_columns(c->x_name), at = p.left + (p.width - w) / 2;
        if (v) {
            lh_canvas_put(v, at < 0 ? 0 : at, 0, c->x_name, how->width, LH_CANVAS_QUIET);
            lh_canvas_write(v, how->colours, out);
        }
    }
    lh_range r = c->field.cell ? lh_field_range(&c->field) : lh_range_none();
    if (r.n) lh_scale_text(p.a, how, &r, c->field.name, out);
    if (p.n_lost)
        lh_canvas_words(
            p.a, how->width, how->colours,
            lh_printf(p.a, "%d label%s left out: no room", p.n_lost, p.n_lost == 1 ? "" : "s"),
            LH_CANVAS_QUIET, out);
}
