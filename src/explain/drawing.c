/* drawing -- the boxes of a picture on paper, in levels and columns.
 *
 *     given │ forward, down │ gradients, up │ gradients of params, updates
 *     ──────┼───────────────┼───────────────┼─────────────────────────────
 *     WQ  ──▶ Q             ┊ dQ          ──▶ dWQ, WQ :=
 *             │             ┊ ▲           │
 *             ▼             ┊ │           │
 *
 * Every step forward has a level of its own, in the order of the program; what belongs to it stands beside it on the same
 * level, so boxes cannot meet. An arrow to the next box of a column is a straight line. All others run through the gutter
 * beside the column: one lane for each box they come from, with a branch to each box that reads it.
 */
#include "base/utf8.h"
#include "explain/drawing.h"

#include <stdlib.h>
#include <string.h>

/* What a column needs at most. */
static const int widest[N_COLUMNS] = {200, WIDEST, WIDEST, WIDEST};

/* ---- text ---- */

int lh_letters(const char *s) {
    int n = 0;
    for (; *s; s++) n += lh_utf8_starts(*s);
    return n;
}

static int mono_width(int n) {
    return (n * 73 + 9) / 10;
}

static int name_width(const char *s) {
    return lh_letters(s) * 9;
}

/* The bytes of the first n letters. */
static size_t bytes_of(const char *s, int n) {
    size_t i = 0;
    while (s[i] && n > 0) {
        i++;
        while (!lh_utf8_starts(s[i])) i++;
        n--;
    }
    return i;
}

static void add_line(const lh_drawing *d, lh_drawn *s, const char *text, bool is_title,
                     bool is_quiet) {
    if (s->n_lines >= MAX_LINES) return;
    if (s->n_lines == MAX_LINES - 1) text = "…";
    *lh_push(d->a, s->line, s->n_lines) = (lh_drawn_line){text, is_title, is_quiet};
}

/* A formula in lines of at most `most` letters, broken behind a space where there is one; cut after some lines. */
static void add_formula(const lh_drawing *d, lh_drawn *s, const char *text, int most) {
    for (int k = 0; *text; k++) {
        if (lh_letters(text) <= most) {
            add_line(d, s, text, false, false);
            return;
        }
        size_t end = bytes_of(text, most), n = end;
        while (n > 0 && text[n] != ' ') n--;
        if (n < end / 3) n = end;
        bool is_last = k == FORMULA_LINES - 1;
        if (is_last) n = bytes_of(text, most - 1);
        add_line(d, s, lh_printf(d->a, "%.*s%s", (int)n, text, is_last ? "…" : ""), false, false);
        if (is_last) return;
        text += n;
        while (*text == ' ') text++;
    }
}

/* ---- which box goes where ---- */

/* Parts are lines in the box of their gradient, an update a line in that of its param's gradient. */
static void find_holders(const lh_drawing *d) {
    const lh_picture *p = d->p;
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        d->s[i].in = d->p->text[0] && b->is_given && b->kind != LH_BOX_INPUT ? -1 : i;
        int holder = -1;
        if (b->folds) continue;
        if (b->kind == LH_BOX_PART && b->step->of->gradient)
            holder = p->of_step[b->step->of->gradient->id];
        if (b->kind == LH_BOX_UPDATE && b->step->of->gradient)
            holder = p->of_step[b->step->of->gradient->id];
        if (holder >= 0 && !p->box[holder].folds) d->s[i].in = holder;
    }
}

static int new_level(lh_drawing *d) {
    *lh_push(d->a, d->level, d->n_levels) = (lh_level){0};
    return d->n_levels - 1;
}

/* The level of the first box that reads it; forward ones first. */
static int level_of_reader(const lh_drawing *d, int box, lh_phase phase) {
    const lh_picture *p = d->p;
    for (int i = 0; i < p->n_boxes; i++) {
        if (p->box[i].phase != phase || p->box[i].is_given || d->s[i].level < 0) continue;
        for (int k = 0; k < p->box[i].n_reads; k++)
            if (p->box[i].reads[k] == box) return d->s[i].level;
    }
    return -1;
}

static bool is_param_gradient(const lh_picture *p, int box) {
    const lh_box *b = &p->box[box];
    return b->beside >= 0 && p->box[b->beside].is_given;
}

/* Encoder and decoder begin at the same height. The weights stand in the formulas. */
static void place_sides(lh_drawing *d) {
    const lh_picture *p = d->p;
    int n[2] = {0, 0};
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        if (b->is_given) continue;
        d->s[i].column = b->is_second ? BACK : AHEAD;
        d->s[i].level = n[b->is_second]++;
        while (d->n_levels <= d->s[i].level) new_level(d);
    }
    for (int i = 0; i < p->n_boxes; i++) {
        if (!p->box[i].is_given) continue;
        int at = level_of_reader(d, i, LH_FORWARD);
        d->s[i].column = p->box[i].is_second ? LEARN : GIVEN;
        d->s[i].level = at < 0 ? 0 : at;
    }
}

static void place_columns(lh_drawing *d) {
    const lh_picture *p = d->p;
    for (int i = 0; i < p->n_boxes; i++) d->s[i].level = d->s[i].column = -1;
    if (p->text[0]) {
        place_sides(d);
        return;
    }
    for (int i = 0; i < p->n_boxes; i++)
        if (p->box[i].phase == LH_FORWARD && !p->box[i].is_given)
            d->s[i].column = AHEAD, d->s[i].level = new_level(d);
    if (d->n_levels == 0) new_level(d);
    for (int i = 0; i < p->n_boxes; i++) {
        if (!p->box[i].is_given) continue;
        int at = level_of_reader(d, i, LH_FORWARD);
        d->s[i].column = GIVEN;
        d->s[i].level = at;
    }
    for (int i = 0, last = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        if (b->phase != LH_BACKWARD) continue;
        int at = b->beside >= 0 ? d->s[b->beside].level : -1;
        if (b->folds && at < 0) at = last;
        d->s[i].column = is_param_gradient(p, i) && !b->folds ? LEARN : BACK;
        d->s[i].level = last = at >= 0 ? at : last;
    }
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        if (b->phase != LH_UPDATE) continue;
        int value = b->step->of && !b->folds ? p->of_step[b->step->of->id] : -1;
        d->s[i].column = LEARN;
        if (d->s[i].in != i)
            d->s[i].level = d->s[d->s[i].in].level;
        else if (b->folds) { /* beside the turns that it stands for */
            for (int k = 0; k < p->n_boxes; k++)
                if (p->box[k].folds && !p->box[k].is_given && p->box[k].phase == LH_FORWARD &&
                    strcmp(p->box[k].path, b->path) == 0)
                    d->s[i].level = d->s[k].level;
        } else if (value >= 0)
            d->s[i].level = d->s[value].level;
        if (d->s[i].level < 0) d->s[i].level = new_level(d);
    }
    for (int i = 0; i < p->n_boxes; i++) { /* read by nobody, or in the backward pass only */
        if (d->s[i].level >= 0) continue;
        int at = level_of_reader(d, i, LH_UPDATE);
        if (at < 0) at = level_of_reader(d, i, LH_BACKWARD);
        d->s[i].level = at < 0 ? d->n_levels - 1 : at;
    }
}

/* ---- how large ---- */

/* A box with round ends has less room. */
int lh_drawing_inset(const lh_box *b) {
    return b->kind == LH_BOX_INPUT && !b->folds ? PAD + 6 : PAD;
}

const char *lh_box_word(const lh_box *b) {
    static const char *const words[] = {
        [LH_BOX_INPUT] = "input", [LH_BOX_CONST] = "const", [LH_BOX_PARAM] = "param",
        [LH_BOX_STATE] = "state", [LH_BOX_STEP] = "",       [LH_BOX_GRADIENT] = "",
        [LH_BOX_PART] = "",       [LH_BOX_UPDATE] = ""};
    return words[b->kind];
}

static bool has_inside(const lh_drawing *d, int box) {
    for (int i = 0; i < d->p->n_boxes; i++)
        if (i != box && d->s[i].in == box) return true;
    return false;
}

/* dX.Q = dQ @ WQ^T, or the formula alone where the name stands above it. */
static const char *formula_line(const lh_drawing *d, int box, bool with_name) {
    const lh_box *b = &d->p->box[box];
    if (!with_name) return b->formula;
    return lh_printf(d->a, "%s %s%s", b->name, b->kind == LH_BOX_UPDATE ? "" : "= ", b->formula);
}

static void measure_columns(lh_drawing *d) {
    const lh_picture *p = d->p;
    for (int c = 0; c < N_COLUMNS; c++) d->column_w[c] = 0;
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        int c = d->s[i].column, w = name_width(b->name) + 2 * lh_drawing_inset(b);
        if (d->s[i].in < 0) continue;
        if (b->shape[0]) w += 14 + mono_width(lh_letters(b->shape));
        int f = mono_width(lh_letters(formula_line(d, i, d->s[i].in != i))) + 2 * PAD + 4;
        if (f > w) w = f;
        if (w < NARROWEST) w = NARROWEST;
        if (w > widest[c]) w = widest[c];
        if (w > d->column_w[c]) d->column_w[c] = w;
    }
}

static void fill_box(const lh_drawing *d, int box) {
    const lh_picture *p = d->p;
    const lh_box *b = &p->box[box];
    lh_drawn *s = &d->s[box];
    int most = (d->column_w[s->column] - 2 * PAD) * 10 / 73;
    int room =
        d->column_w[s->column] - 2 * lh_drawing_inset(b) - 14 - mono_width(lh_letters(b->shape));
    bool inside = has_inside(d, box);
    int longest = (d->column_w[s->column] - 2 * lh_drawing_inset(b)) / 9;
    bool is_long = lh_letters(b->name) > longest;
    add_line(d, s,
             is_long ? lh_printf(d->a, "%.*s…", (int)bytes_of(b->name, longest - 1), b->name)
                     : b->name,
             true, false);
    if (name_width(b->name) <= room)
        s->right = b->shape;
    else if (b->shape[0])
        add_line(d, s, b->shape, false, true);
    if (lh_box_word(b)[0] && !b->folds) add_line(d, s, lh_box_word(b), false, true);
    lh_text all = lh_text_new(d->a);
    lh_text_add(&all, "%s", b->path);
    for (int pass = 0; pass < 3; pass++) /* parts, the sum, the update */
        for (int i = 0; i < p->n_boxes; i++) {
            bool is_now = pass == 0   ? i != box && p->box[i].kind == LH_BOX_PART
                          : pass == 1 ? i == box
                                      : i != box && p->box[i].kind == LH_BOX_UPDATE;
            if (!is_now || d->s[i].in != box || !p->box[i].formula[0]) continue;
            add_formula(d, s, formula_line(d, i, inside), most);
            lh_text_add(&all, "%s%s %s%s", all.n > strlen(b->path) ? "; " : ": ", p->box[i].name,
                        p->box[i].kind == LH_BOX_UPDATE ? "" : "= ", p->box[i].formula);
        }
    if (b->shape[0]) lh_text_add(&all, " (%s)", b->shape);
    s->whole = all.s;
    s->w = d->column_w[s->column];
    s->h = 2 * PAD - 4;
    for (int i = 0; i < s->n_lines; i++) s->h += s->line[i].is_title ? TITLE : LINE;
}

bool lh_drawing_has(const lh_drawing *d, int box) {
    return d->s[box].in == box;
}

/* ---- frames around turns ---- */

static void find_frames(lh_drawing *d) {
    const lh_picture *p = d->p;
    for (int i = 0; i < p->n_boxes; i++) {
        const lh_box *b = &p->box[i];
        if (b->is_given || (d->s[i].column != AHEAD && !p->text[0])) continue;
        for (int k = 0; k < b->n_turns; k++) {
            int f = 0;
            while (f < d->n_frames && strcmp(d->frame[f].path, b->turn[k]) != 0) f++;
            if (f == d->n_frames)
                *lh_push(d->a, d->frame, d->n_frames) =
                    (lh_frame){b->turn[k], d->s[i].column, k, d->s[i].level, d->s[i].level};
            if (f < d->n_frames) d->frame[f].last = d->s[i].level;
        }
    }
    for (int f = 0; f < d->n_frames; f++) {
        d->level[d->frame[f].first].above += FRAME_TOP + FRAME;
        d->level[d->frame[f].last].below += FRAME;
    }
}

int lh_drawing_depth(const lh_drawing *d) {
    int deep = 0;
    for (int f = 0; f < d->n_frames; f++)
        if (d->frame[f].depth + 1 > deep) deep = d->frame[f].depth + 1;
    return deep;
}

/* ---- rows ---- */

/* In the backward pass later ones are higher up; the gradients of params are in the order of the params. */
static int compare_places(const void *x, const void *y) {
    const lh_drawn *a = *(lh_drawn *const *)x, *b = *(lh_drawn *const *)y;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

static int key_of(const lh_drawing *d, int box) {
    int n = d->p->n_boxes, beside = d->p->box[box].beside;
    if (d->s[box].column == BACK) return -box;
    return d->s[box].column == LEARN && beside >= 0 ? beside : n + box;
}

/* Boxes of one column and level stand one above the other, in the middle of the level. */
static void place_rows(lh_drawing *d) {
    int n = 0;
    lh_drawn **order = lh_alloc_array(d->a, (size_t)d->p->n_boxes + 1, sizeof *order);
    if (!order) return;
    for (int i = 0; i < d->p->n_boxes; i++)
        if (lh_drawing_has(d, i)) d->s[i].key = key_of(d, i), order[n++] = &d->s[i];
    qsort(order, (size_t)n, sizeof *order, compare_places);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0, end; i < n; i = end) {
            lh_level *l = &d->level[order[i]->level];
            int h = -STACK;
            for (end = i; end < n && order[end]->column == order[i]->column &&
                          order[end]->level == order[i]->level;
                 end++)
                h += STACK + order[end]->h;
            if (pass == 0 && h > l->h) l->h = h;
            int at = l->y + (l->h - h) / 2;
            for (int k = i; pass == 1 && k < end; at += order[k++]->h + STACK) order[k]->y = at;
        }
        d->h = d->top;
        for (int l = 0; l < d->n_levels; l++) {
            d->level[l].y = d->h + d->level[l].above;
            d->h = d->level[l].y + d->level[l].h + d->level[l].below + GAP;
        }
    }
}

/* ---- arrows ---- */

/* Is there no box between two of one column? */
static bool are_next(const lh_drawing *d, int a, int b) {
    const lh_drawn *s = d->s;
    int low = s[a].y < s[b].y ? a : b, high = low == a ? b : a;
    for (int i = 0; i < d->p->n_boxes; i++)
        if (lh_drawing_has(d, i) && s[i].column == s[a].column && i != a && i != b &&
            s[i].y > s[low].y && s[i].y < s[high].y)
            return false;
    return true;
}

static lh_trunk *find_trunk(const lh_drawing *d, lh_arrows *all, int from, int gutter) {
    for (int i = 0; i < all->n_trunks; i++)
        if (all->trunk[i].from == from && all->trunk[i].gutter == gutter) return &all->trunk[i];
    lh_trunk *t = lh_push(d->a, all->trunk, all->n_trunks);
    *t = (lh_trunk){.from = from, .gutter = gutter, .lane = -1};
    return t;
}

/* Between encoder and decoder, and down each of them. */
static int side_gutter(const lh_drawn *a, const lh_drawn *b) {
    if (b->column == AHEAD) return GIVEN;
    return a->column == AHEAD ? AHEAD : BACK;
}

static int gutter_of(const lh_drawing *d, int from, int to) {
    const lh_drawn *a = &d->s[from], *b = &d->s[to];
    if (d->p->text[0]) return side_gutter(a, b);
    if (b->column == AHEAD && a->column <= AHEAD) return GIVEN;
    if (b->column == BACK && a->column == AHEAD) return AHEAD;
    bool is_gradient = d->p->box[to].phase == LH_BACKWARD || d->p->box[to].folds;
    return a->column == BACK && b->column >= BACK && is_gradient ? BACK : -1;
}

/* Steps forward go down; gradients go up. */
static bool is_on_its_way(const lh_drawing *d, const lh_drawn *a, const lh_drawn *b) {
    if (a->column != b->column || (a->column != AHEAD && a->column != BACK)) return false;
    bool is_down = a->column == AHEAD || d->p->text[0];
    return is_down ? a->y < b->y : a->y > b->y;
}

/* What is drawn: given to forward, forward to forward, gradient to gradient, and dotted what a gradient takes from the way
 * forward. What gradients take from given values stands in their formulas. */
static void add_arrow(const lh_drawing *d, lh_arrows *all, int from, int to) {
    int gutter = from == to || from < 0 || to < 0 ? -1 : gutter_of(d, from, to);
    if (gutter < 0) return;
    if (is_on_its_way(d, &d->s[from], &d->s[to]) && are_next(d, from, to)) {
        for (int i = 0; i < all->n_straight; i++)
            if (all->straight[i][0] == from && all->straight[i][1] == to) return;
        int *pair = *lh_push(d->a, all->straight, all->n_straight);
        pair[0] = from;
        pair[1] = to;
        return;
    }
    lh_trunk *t = find_trunk(d, all, from, gutter);
    t->is_dotted = gutter == AHEAD && !d->p->text[0];
    for (int i = 0; i < t->n; i++)
        if (t->to[i] == to) return;
    *lh_push(d->a, t->to, t->n) = to;
}

static void find_arrows(const lh_drawing *d, lh_arrows *all) {
    for (int i = 0; i < d->p->n_boxes; i++)
        for (int k = 0; k < d->p->box[i].n_reads; k++)
            add_arrow(d, all, d->s[d->p->box[i].reads[k]].in, d->s[i].in);
}

/* Ends of arrows on one side of a box, spread over it. Side: the gutter they come from, and which side of it. */
typedef struct port {
    int other; /* where the other end is */
    int *y;
} port;

static void spread_ports(const lh_drawing *d, int box, port *list, int n) {
    const lh_drawn *s = &d->s[box];
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && list[k].other < list[k - 1].other; k--) {
            port swap = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swap;
        }
    for (int i = 0; i < n; i++) *list[i].y = s->y + (i + 1) * s->h / (n + 1);
}

/* Which side of the box does this gutter touch? The gutter right of column c is left of column c + 1. */
bool lh_drawing_on_right(const lh_drawing *d, int box, int gutter) {
    return d->s[box].column == gutter;
}

static void set_ports(const lh_drawing *d, lh_arrows *all) {
    int most = 1;
    for (int i = 0; i < all->n_trunks; i++) most += 1 + all->trunk[i].n;
    port *list = lh_alloc_array(d->a, (size_t)most, sizeof *list);
    for (int i = 0; list && i < all->n_trunks; i++) {
        lh_trunk *t = &all->trunk[i];
        t->to_y = lh_alloc_array(d->a, (size_t)t->n + 1, sizeof *t->to_y);
        if (!t->to_y) return;
    }
    for (int box = 0; list && box < d->p->n_boxes; box++)
        for (int side = 0; side < 2; side++) {
            int n = 0;
            for (int i = 0; i < all->n_trunks; i++) {
                lh_trunk *t = &all->trunk[i];
                if (t->from == box && lh_drawing_on_right(d, box, t->gutter) == side) {
                    int sum = 0;
                    for (int k = 0; k < t->n; k++) sum += d->s[t->to[k]].y + d->s[t->to[k]].h / 2;
                    list[n++] = (port){sum / t->n, &t->source_y};
                }
                for (int k = 0; k < t->n; k++)
                    if (t->to[k] == box && lh_drawing_on_right(d, box, t->gutter) == side)
                        list[n++] = (port){d->s[t->from].y + d->s[t->from].h / 2, &t->to_y[k]};
            }
            spread_ports(d, box, list, n);
        }
    /* Dotted lines begin above and end below the middle: no two of them look like one. */
    for (int i = 0; list && i < all->n_trunks; i++) {
        lh_trunk *t = &all->trunk[i];
        t->source_y -= t->is_dotted ? 7 : 0;
        for (int k = 0; k < t->n; k++) t->to_y[k] += t->is_dotted ? 7 : 0;
    }
}

/* Two lanes that overlap lie beside each other. Short ones first, so that they lie next to their boxes. */
static void set_lanes(lh_drawing *d, lh_arrows *all) {
    int lanes[N_COLUMNS] = {0};
    for (int i = 0; i < all->n_trunks; i++) {
        lh_trunk *t = &all->trunk[i];
        t->y0 = t->y1 = t->source_y;
        for (int k = 0; k < t->n; k++) {
            if (t->to_y[k] < t->y0) t->y0 = t->to_y[k];
            if (t->to_y[k] > t->y1) t->y1 = t->to_y[k];
        }
    }
    for (int done = 0; done < all->n_trunks; done++) {
        lh_trunk *t = NULL;
        for (int i = 0; i < all->n_trunks; i++) {
            lh_trunk *o = &all->trunk[i];
            if (o->lane < 0 && (!t || o->y1 - o->y0 < t->y1 - t->y0)) t = o;
        }
        if (!t) break;
        for (t->lane = 0;; t->lane++) {
            bool is_free = true;
            for (int i = 0; i < all->n_trunks; i++) {
                const lh_trunk *o = &all->trunk[i];
                if (o != t && o->lane == t->lane && o->gutter == t->gutter && o->y0 <= t->y1 + 6 &&
                    t->y0 <= o->y1 + 6)
                    is_free = false;
            }
            if (is_free) break;
        }
        if (t->lane + 1 > lanes[t->gutter]) lanes[t->gutter] = t->lane + 1;
    }
    for (int c = 0; c < N_COLUMNS; c++)
        d->gutter_w[c] = lanes[c] ? GUTTER + (lanes[c] - 1) * LANE : d->column_w[c] ? GUTTER : 0;
}

static void place_columns_across(lh_drawing *d) {
    int x = MARGIN + lh_drawing_depth(d) * FRAME;
    for (int c = 0; c < N_COLUMNS; c++) {
        d->column_x[c] = x;
        x += d->column_w[c];
        if (c + 1 < N_COLUMNS && d->column_w[c]) {
            bool more = false;
            for (int k = c + 1; k < N_COLUMNS; k++) more |= d->column_w[k] > 0;
            if (more || d->gutter_w[c] > GUTTER) x += d->gutter_w[c];
        }
    }
    d->w = x + MARGIN + lh_drawing_depth(d) * FRAME;
    if (d->w < 360) d->w = 360;
    for (int i = 0; i < d->p->n_boxes; i++) d->s[i].x = d->column_x[d->s[i].column];
}

/* Lanes that serve the column on their left begin there; those of given values and of the way forward lie next to it. */
int lh_drawing_lane(const lh_drawing *d, const lh_trunk *t) {
    int left = d->column_x[t->gutter] + d->column_w[t->gutter];
    int right = left + d->gutter_w[t->gutter];
    return t->gutter == GIVEN ? right - 18 - t->lane * LANE : left + 14 + t->lane * LANE;
}

bool lh_drawing_new(lh_drawing *d, lh_arrows *all, lh_picture *p) {
    *d = (lh_drawing){.p = p, .a = p->arena, .top = MARGIN + 58};
    *all = (lh_arrows){0};
    d->s = lh_alloc_array(d->a, (size_t)p->n_boxes + 1, sizeof *d->s);
    if (!d->s) return false;
    find_holders(d);
    place_columns(d);
    measure_columns(d);
    for (int i = 0; i < p->n_boxes; i++)
        if (lh_drawing_has(d, i)) fill_box(d, i);
    find_frames(d);
    if (lh_failed(p->g->ctx)) return false;
    place_rows(d);
    find_arrows(d, all);
    set_ports(d, all);
    if (lh_failed(p->g->ctx)) return false;
    set_lanes(d, all);
    place_columns_across(d);
    return true;
}
