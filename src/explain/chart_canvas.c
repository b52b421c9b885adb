#include "explain/chart_canvas.h"

#include <stdlib.h>
#include <string.h>

#include "base/columns.h"

lh_canvas *lh_canvas_new(lh_arena *a, int width, int height) {
    lh_canvas *c = lh_alloc(a, sizeof *c);
    c->width = width;
    c->height = height;
    c->spot = lh_alloc_array(a, (size_t)width * (size_t)height, sizeof *c->spot);
    return c->spot ? c : NULL;
}

static lh_spot *spot_at(const lh_canvas *c, int x, int y) {
    if (x < 0 || y < 0 || x >= c->width || y >= c->height) return NULL;
    return &c->spot[(size_t)y * (size_t)c->width + (size_t)x];
}

/* ---- text ---- */

static void put_one(lh_canvas *c, int x, int y, const char *s, int bytes, int width, int ink) {
    lh_spot *p = spot_at(c, x, y);
    size_t have = p ? strlen(p->text) : 0;
    if (!p) return;
    if (width == 0) { /* a mark joins the letter before it */
        if (have && have + (size_t)bytes < sizeof p->text) memcpy(p->text + have, s, (size_t)bytes);
        return;
    }
    memset(p->text, 0, sizeof p->text);
    memcpy(p->text, s, (size_t)bytes);
    if ((unsigned char)s[0] < ' ' || s[0] == 0x7F) p->text[0] = '?';
    p->ink = (short)ink;
    p->is_covered = false;
    if (width == 2) {
        lh_spot *next = spot_at(c, x + 1, y);
        next->text[0] = 0;
        next->is_covered = true;
    }
}

/* Bytes that are no UTF-8 would be shown differently on every screen. */
static bool is_broken(const char *s, int bytes) {
    return bytes == 1 && (unsigned char)*s >= 0x80;
}

int lh_canvas_put(lh_canvas *c, int x, int y, const char *text, int room, int ink) {
    if (x < 0 || y < 0 || y >= c->height) return 0;
    if (room > c->width - x) room = c->width - x;
    bool is_cut = lh_columns(text) > room;
    int used = 0;
    for (int bytes; *text; text += bytes) {
        int w = lh_columns_next(text, &bytes);
        if (is_cut && used + w > room - 1) break;
        if (used + w > room) break;
        put_one(c, w ? x + used : x + used - 1, y, is_broken(text, bytes) ? "?" : text, bytes, w,
                ink);
        used += w;
    }
    if (is_cut && room > 0) put_one(c, x + used, y, "…", 3, 1, ink), used++;
    return used;
}

bool lh_canvas_is_free(const lh_canvas *c, int x, int y, int n) {
    for (int i = 0; i < n; i++) {
        const lh_spot *p = spot_at(c, x + i, y);
        if (!p || p->text[0] || p->is_covered || p->dots) return false;
    }
    return true;
}

/* ---- dots and shades ---- */

void lh_canvas_dot(lh_canvas *c, int x, int y, int ink) {
    static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0) return;
    lh_spot *p = spot_at(c, x / 2, y / 4);
    if (!p) return;
    p->dots |= bit[y % 4][x % 2];
    if (!p->text[0]) p->ink = (short)ink;
}

void lh_canvas_line(lh_canvas *c, int x0, int y0, int x1, int y1, int ink) {
    int dx = abs(x1 - x0), dy = abs(y1 - y0), n = dx > dy ? dx : dy;
    for (int i = 0; i <= n; i++) {
        double t = n ? (double)i / n : 0;
        lh_canvas_dot(c, (int)(x0 + t * (x1 - x0) + 0.5), (int)(y0 + t * (y1 - y0) + 0.5), ink);
    }
}

void lh_canvas_shade(lh_canvas *c, int x, int y, int n, double share) {
    int level = (int)(share * 255 + 0.5);
    for (int i = 0; i < n; i++) {
        lh_spot *p = spot_at(c, x + i, y);
        if (p) p->shade = (short)(1 + (level < 0 ? 0 : level > 255 ? 255 : level));
    }
}

/* ---- writing ---- */

/* From dark to bright: more is brighter on any background, and in grey too. */
static const unsigned char stops[][3] = {
    {27, 31, 75}, {31, 99, 139}, {79, 180, 119}, {246, 226, 122}};
static const short stops_256[] = {17, 18, 24, 30, 36, 77, 149, 227};

static void begin_shade(int shade, lh_chart_colours colours, lh_text *out) {
    double t = (shade - 1) / 255.0;
    const char *letters = t > 0.55 ? "16" : "231";
    if (colours == LH_COLOURS_256) {
        lh_text_add(out, "\033[48;5;%d;38;5;%sm", stops_256[(int)(t * 7 + 0.5)], letters);
        return;
    }
    int i = t >= 1 ? 2 : (int)(t * 3);
    double f = t * 3 - i;
    int rgb[3];
    for (int k = 0; k < 3; k++) rgb[k] = (int)(stops[i][k] + f * (stops[i + 1][k] - stops[i][k]));
    lh_text_add(out, "\033[48;2;%d;%d;%d;38;5;%sm", rgb[0], rgb[1], rgb[2], letters);
}

static void begin_ink(int ink, lh_text *out) {
    static const short series[] = {33, 208, 35, 170, 178, 44};
    if (ink == LH_CANVAS_QUIET)
        lh_text_add(out, "\033[2m");
    else if (ink == LH_CANVAS_STRONG)
        lh_text_add(out, "\033[1m");
    else if (ink > 0)
        lh_text_add(out, "\033[38;5;%dm", series[(ink - 1) % 6]);
}

static void write_spot(const lh_spot *p, bool has_colours, lh_text *out) {
    static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
    if (p->text[0])
        lh_text_add(out, "%s", p->text);
    else if (p->dots) /* U+2800 and up */
        lh_text_add(out, "\xE2%c%c", 0xA0 + (p->dots >> 6), 0x80 + (p->dots & 0x3F));
    else if (p->shade && !has_colours)
        lh_text_add(out, "%s", shades[(int)((p->shade - 1) / 255.0 * 4 + 0.5)]);
    else
        lh_text_add(out, " ");
}

static bool is_blank(const lh_spot *p, bool has_colours) {
    if (p->text[0]) return strcmp(p->text, " ") == 0 && !(has_colours && p->shade);
    if (p->dots || p->is_covered) return false;
    return !p->shade || (!has_colours && (int)((p->shade - 1) / 255.0 * 4 + 0.5) == 0);
}

void lh_canvas_write(const lh_canvas *c, lh_chart_colours colours, lh_text *out) {
    bool has_colours = colours != LH_COLOURS_NONE;
    for (int y = 0; y < c->height; y++) {
        const lh_spot *row = &c->spot[(size_t)y * (size_t)c->width];
        int end = c->width, ink = 0, shade = 0;
        while (end > 0 && is_blank(&row[end - 1], has_colours)) end--;
        for (int x = 0; x < end; x++) {
            if (row[x].is_covered) continue;
            bool has_ink = row[x].text[0] || row[x].dots;
            int wants = has_ink ? row[x].ink : ink;
            if (has_colours && (wants != ink || row[x].shade != shade)) {
                if (ink || shade) lh_text_add(out, "\033[0m");
                ink = wants, shade = row[x].shade;
                if (shade) begin_shade(shade, colours, out);
                if (!shade || ink == LH_CANVAS_STRONG) begin_ink(ink, out);
            }
            write_spot(&row[x], has_colours, out);
        }
        if (ink || shade) lh_text_add(out, "\033[0m");
        lh_text_add(out, "\n");
    }
}

void lh_canvas_words(lh_arena *a, int width, lh_chart_colours colours, const char *text, int ink,
                     lh_text *out) {
    int height = 2 + 2 * lh_columns(text) / width, x = 0, y = 0;
    lh_canvas *v = lh_canvas_new(a, width, height);
    if (!v || !text[0]) return;
    while (*text) {
        size_t n = strcspn(text, " ");
        const char *word = lh_copy(a, text, n);
        if (x && x + 1 + lh_columns(word) > width) x = 0, y++;
        if (y >= v->height) break;
        if (x) x++;
        x += lh_canvas_put(v, x, y, word, width, ink);
        text += n + (text[n] == ' ');
    }
    if (y < v->height) v->height = y + 1;
    lh_canvas_write(v, colours, out);
}
