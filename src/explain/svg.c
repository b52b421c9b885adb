/* svg -- a drawing as an SVG document: real text, light and dark, nothing told by colour alone. */
#include <string.h>

#include "base/escape.h"
#include "explain/drawing.h"

static const char style[] =
    "<style>\n"
    "svg { font-family: system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; }\n"
    ".paper { fill: #ffffff; } .box { fill: #ffffff; stroke: #3c4450; stroke-width: 1.4; }\n"
    ".const { stroke-dasharray: 6 3; } .param { stroke-width: 3; } .back { fill: #f3f5f9; }\n"
    ".fold { stroke-dasharray: 2 3; } .under { fill: #ffffff; stroke: #3c4450; }\n"
    ".frame { fill: none; stroke: #8a93a0; stroke-width: 1; }\n"
    "text { fill: #161b22; } .name { font-size: 14px; font-weight: 600; }\n"
    ".formula, .shape { font-size: 12px; font-family: 'DejaVu Sans Mono', Menlo, Consolas, "
    "monospace; }\n"
    ".shape, .quiet { fill: #56606e; } .quiet { font-size: 12px; } .head { font-size: 17px; "
    "font-weight: 600; }\n"
    ".line { fill: none; stroke: #3c4450; stroke-width: 1.3; } .tip { fill: #3c4450; }\n"
    ".taken { fill: none; stroke: #7b8694; stroke-width: 1; stroke-dasharray: 1.5 3; } .grey { "
    "fill: #7b8694; }\n"
    ".part { font-size: 14px; } .here { fill: #ffe9a8; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".paper { fill: #14171c; } .box { fill: #1b2027; stroke: #b6c0cc; } .back { fill: #232a34; }\n"
    ".under { fill: #1b2027; stroke: #b6c0cc; } .frame { stroke: #66707d; } text { fill: #e8ecf1; "
    "}\n"
    ".shape, .quiet { fill: #a3adba; } .line { stroke: #b6c0cc; } .tip { fill: #b6c0cc; }\n"
    ".taken { stroke: #8a95a3; } .grey { fill: #8a95a3; } .here { fill: #5a4a12; }\n"
    "}\n"
    "</style>\n"
    "<defs>\n"
    "<marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
    "markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
    "<path class=\"tip\" d=\"M0 0.5 L8 4 L0 7.5 z\"/></marker>\n"
    "<marker id=\"grey\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
    "markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
    "<path class=\"grey\" d=\"M0 0.5 L8 4 L0 7.5 z\"/></marker>\n"
    "</defs>\n";

void lh_drawing_text(lh_text *t, int x, int y, const char *class, bool at_end, const char *s) {
    lh_text_add(t, "<text class=\"%s\" x=\"%d\" y=\"%d\"%s>", class, x, y,
                at_end ? " text-anchor=\"end\"" : "");
    lh_text_add_xml(t, s);
    lh_text_add(t, "</text>\n");
}

static void write_box(const lh_drawing *d, lh_text *t, int box) {
    const lh_box *b = &d->p->box[box];
    const lh_drawn *s = &d->s[box];
    const char *class = b->folds                  ? " fold"
                        : b->kind == LH_BOX_PARAM ? " param"
                        : b->kind == LH_BOX_CONST ? " const"
                        : b->phase == LH_BACKWARD ? " back"
                                                  : "";
    int round = b->kind == LH_BOX_INPUT && !b->folds ? s->h / 2 : b->phase == LH_BACKWARD ? 0 : 6;
    lh_text_add(t, "<g><title>");
    lh_text_add_xml(t, s->whole);
    lh_text_add(t, "</title>\n");
    if (b->folds) /* more of them lie below */
        lh_text_add(
            t, "<rect class=\"under\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>\n",
            s->x + 4, s->y + 4, s->w, s->h, round);
    lh_text_add(t,
                "<rect class=\"box%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>\n",
                class, s->x, s->y, s->w, s->h, round);
    int y = s->y + PAD - 2, indent = lh_drawing_inset(b);
    for (int i = 0; i < s->n_lines; i++) {
        const lh_drawn_line *l = &s->line[i];
        y += l->is_title ? TITLE : LINE;
        lh_drawing_text(t, s->x + indent, y - 5,
                        l->is_title   ? "name"
                        : l->is_quiet ? "quiet"
                                      : "formula",
                        false, l->text);
        if (i == 0 && s->right && s->right[0])
            lh_drawing_text(t, s->x + s->w - indent, y - 5, "shape", true, s->right);
    }
    lh_text_add(t, "</g>\n");
}

/* h[0], or h[0], the first of 12 turns, where the others are folded away. */
static const char *frame_label(const lh_drawing *d, const lh_frame *f) {
    size_t n = strlen(f->path);
    const char *fold = lh_printf(d->a, "%.*s[1...]", (int)n - 3, f->path);
    for (int i = 0; i < d->p->n_boxes; i++)
        if (d->p->box[i].folds && strcmp(d->p->box[i].path, fold) == 0)
            return lh_printf(d->a, "%s, the first of %d turns", f->path, d->p->box[i].folds + 1);
    return f->path;
}

static void write_frames(const lh_drawing *d, lh_text *t) {
    for (int f = 0; f < d->n_frames; f++) {
        const lh_frame *r = &d->frame[f];
        int deep = 0; /* frames inside it that begin or end on the same level */
        for (int k = 0; k < d->n_frames; k++)
            if (d->frame[k].depth > r->depth && d->frame[k].first == r->first) deep++;
        int ends = 0;
        for (int k = 0; k < d->n_frames; k++)
            if (d->frame[k].depth > r->depth && d->frame[k].last == r->last) ends++;
        int inset = (lh_drawing_depth(d) - r->depth) * FRAME;
        int y = d->level[r->first].y - (deep + 1) * (FRAME_TOP + FRAME) + FRAME;
        int end = d->level[r->last].y + d->level[r->last].h + (ends + 1) * FRAME;
        int x = MARGIN + lh_drawing_depth(d) * FRAME - inset, w = d->w - 2 * x;
        if (d->p->text[0])
            x = d->column_x[r->column] - inset, w = d->column_w[r->column] + 2 * inset;
        lh_text_add(t,
                    "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                    "rx=\"8\"/>\n",
                    x, y, w, end - y);
        lh_drawing_text(t, x + 10, y + 17, "quiet", false, frame_label(d, r));
    }
}

static void write_arrows(const lh_drawing *d, const lh_arrows *all, lh_text *t) {
    for (int i = 0; i < all->n_straight; i++) {
        const lh_drawn *a = &d->s[all->straight[i][0]], *b = &d->s[all->straight[i][1]];
        bool is_down = a->y < b->y;
        int x = a->x + a->w / 2;
        lh_text_add(t, "<path class=\"line\" marker-end=\"url(#tip)\" d=\"M%d %d V%d\"/>\n", x,
                    is_down ? a->y + a->h : a->y, is_down ? b->y - 1 : b->y + b->h + 1);
    }
    for (int i = 0; i < all->n_trunks; i++) {
        const lh_trunk *r = &all->trunk[i];
        const lh_drawn *a = &d->s[r->from];
        int x = lh_drawing_lane(d, r),
            from = lh_drawing_on_right(d, r->from, r->gutter) ? a->x + a->w : a->x;
        const char *class = r->is_dotted ? "taken" : "line", *tip = r->is_dotted ? "grey" : "tip";
        lh_text_add(t, "<path class=\"%s\" d=\"M%d %d H%d M%d %d V%d\"/>\n", class, from,
                    r->source_y, x, x, r->y0, r->y1);
        for (int k = 0; k < r->n; k++) {
            const lh_drawn *b = &d->s[r->to[k]];
            int end = lh_drawing_on_right(d, r->to[k], r->gutter) ? b->x + b->w + 1 : b->x - 1;
            lh_text_add(t, "<path class=\"%s\" marker-end=\"url(#%s)\" d=\"M%d %d H%d\"/>\n", class,
                        tip, x, r->to_y[k], end);
        }
    }
}

/* A sample of each kind of box, and what the lines mean. Returns where the paper ends. */
static int write_legend(const lh_drawing *d, lh_text *t, bool has_back) {
    static const struct {
        const char *word, *class;
        int round;
    } kinds[] = {{"input", "box", 11},
                 {"const", "box const", 6},
                 {"param", "box param", 6},
                 {"step", "box", 6},
                 {"gradient", "box back", 0}};
    int x = MARGIN, y = d->h;
    for (int i = 0; i < (has_back ? 5 : 4); i++) {
        int w = 18 + lh_letters(kinds[i].word) * 7;
        if (d->p->text[0] && (i == 1 || i == 2)) continue; /* weights stand in the formulas */
        if (x + w > d->w - MARGIN) x = MARGIN, y += 30;
        lh_text_add(t,
                    "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"22\" "
                    "rx=\"%d\"/>\n",
                    kinds[i].class, x, y, w, kinds[i].round);
        lh_drawing_text(t, x + 9, y + 15, "quiet", false, kinds[i].word);
        x += w + 12;
    }
    const char *note = "dotted: forward values that a gradient uses";
    if (has_back) {
        if (x + lh_letters(note) * 7 > d->w - MARGIN) x = MARGIN, y += 30;
        lh_drawing_text(t, x, y + 15, "quiet", false, note);
    }
    return y + 22 + MARGIN;
}

static void describe(const lh_drawing *d, lh_text *t) {
    const lh_picture *p = d->p;
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        if (b->folds)
            lh_text_add(t, "%s: %s.\n", b->name, b->formula);
        else if (b->is_given)
            lh_text_add(t, "%s %s, %s.\n", lh_box_word(b), b->path, b->shape);
        else
            lh_text_add(t, "%d. %s%s%s, %s.\n", b->number, b->path,
                        b->kind == LH_BOX_UPDATE ? " " : " = ", b->formula, b->shape);
    }
}

static bool has_gradients(const lh_picture *p) {
    for (int i = 0; i < p->n_boxes; i++)
        if (p->box[i].phase == LH_BACKWARD) return true;
    return false;
}

void lh_drawing_begin(lh_text *t, int w, int h, const char *title, const char *description) {
    lh_text_add(t,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"longhand-title "
                "longhand-desc\">\n<title id=\"longhand-title\">",
                w, h, w, h);
    lh_text_add_xml(t, title);
    lh_text_add(t, "</title>\n<desc id=\"longhand-desc\">");
    lh_text_add_xml(t, description);
    lh_text_add(t, "</desc>\n%s<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", style, w, h);
}

static void write_all(const lh_drawing *d, const lh_arrows *all, const char *title, lh_text *t) {
    lh_text legend = lh_text_new(d->a), words = lh_text_new(d->a);
    int h = write_legend(d, &legend, has_gradients(d->p));
    describe(d, &words);
    lh_drawing_begin(t, d->w, h, title, words.s);
    lh_drawing_text(t, MARGIN, MARGIN + 14, "head", false, title);
    const char *heads[] = {"given", "forward, down", "backward, up", "params: gradient, update"};
    if (d->p->text[0]) {
        heads[AHEAD] = lh_printf(d->a, "encoder: reads %s", d->p->text[0]);
        heads[BACK] = lh_printf(d->a, "decoder: reads %s too", d->p->text[1]);
        heads[LEARN] = "given";
    }
    for (int c = 0; c < N_COLUMNS; c++)
        if (d->column_w[c])
            lh_drawing_text(t, d->column_x[c], MARGIN + 42, "quiet", false, heads[c]);
    write_frames(d, t);
    write_arrows(d, all, t);
    for (int i = 0; i < d->p->n_boxes; i++)
        if (lh_drawing_has(d, i)) write_box(d, t, i);
    lh_text_add_n(t, legend.s, legend.n);
    lh_text_add(t, "</svg>\n");
}

void lh_picture_svg(lh_picture *p, const char *title, lh_text *out) {
    lh_drawing d;
    lh_arrows all;
    if (lh_drawing_new(&d, &all, p)) write_all(&d, &all, title, out);
}
