/* formula_display -- a formula in two dimensions, for a terminal.
 *
 *     box    a rectangle of columns and rows around a baseline: words, a rule, a tall bracket, or boxes placed in it
 *
 *                 ┌ up: rows above the baseline           n
 *       width ──  baseline                               ∑  xᵢ
 *                 └ down: rows below it                 i=1
 *
 * First the boxes are measured and placed, then painted once on a canvas of as many columns as the result has. What is too
 * wide for the room is broken before relations, then before + and −, then written in one dimension and broken at spaces.
 */
#include <string.h>

#include "learn/formula_internal.h"

typedef enum box_kind { BOX_WORDS, BOX_RULE, BOX_BRACKET, BOX_GROUP } box_kind;

typedef struct box box;

typedef struct part {
    box *box;
    int x, y; /* of its baseline's left end, from ours; y grows downwards */
} part;

struct box {
    box_kind kind;
    const char *text; /* the words; the sign a rule is made of; the bracket */
    int width, up, down;
    part *part;
    int n_parts;
};

/* Limits stand below and above in display, beside otherwise; scripts have no spaces. */
typedef enum style { STYLE_SCRIPT, STYLE_TEXT, STYLE_DISPLAY } style_kind;

static box *layout(lh_arena *a, const lh_formula *f, style_kind style);

/* ---- boxes ---- */

static box *box_new(lh_arena *a, box_kind kind, const char *text, int width) {
    box *b = lh_alloc(a, sizeof *b);
    *b = (box){.kind = kind, .text = text, .width = width};
    return b;
}

static box *words(lh_arena *a, const char *text) {
    return box_new(a, BOX_WORDS, text, lh_formula_columns(text));
}

static box *group(lh_arena *a) {
    return box_new(a, BOX_GROUP, "", 0);
}

/* As tall as it is told, one column wide; no column for a bracket that is not there. */
static box *bracket(lh_arena *a, const char *sign, int up, int down) {
    box *b = box_new(a, BOX_BRACKET, sign, *sign ? 1 : 0);
    b->up = up, b->down = down;
    return b;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

/* The group grows around what is put into it. */
static void put(lh_arena *a, box *g, box *b, int x, int y) {
    part *p = lh_push(a, g->part, g->n_parts);
    *p = (part){b, x, y};
    g->width = larger(g->width, x + b->width);
    g->up = larger(g->up, b->up - y);
    g->down = larger(g->down, b->down + y);
}

static int height(const box *b) {
    return b->up + 1 + b->down;
}

/* ---- layout ---- */

/* Items of the row become parts of the box, one each and in order. */
static box *layout_row(lh_arena *a, const lh_formula *row, style_kind style) {
    box *g = group(a);
    int x = 0;
    for (int i = 0; i < row->n_args; i++) {
        box *b = layout(a, row->arg[i], style);
        put(a, g, b, x, 0);
        x += b->width;
        if (i + 1 < row->n_args) x += lh_formula_gap(row, i, style == STYLE_SCRIPT);
    }
    for (int i = 0; i < row->n_args && i < g->n_parts; i++)
        if (row->arg[i]->is_stretched)
            g->part[i].box = bracket(a, row->arg[i]->text, g->up, g->down);
    return g;
}

/* One above the other around a line that lies on the baseline. */
static box *layout_fraction(lh_arena *a, const lh_formula *f) {
    box *top = layout(a, f->arg[0], STYLE_TEXT), *bottom = layout(a, f->arg[1], STYLE_TEXT),
        *g = group(a);
    int width = larger(larger(top->width, bottom->width), 1);
    put(a, g, top, (width - top->width) / 2, -1 - top->down);
    put(a, g, box_new(a, BOX_RULE, "─", width), 0, 0);
    put(a, g, bottom, (width - bottom->width) / 2, 1 + bottom->up);
    return g;
}

/* A line above the radicand. One row:  __     more:   ┌──
 *                                     √dₖ            √│         */
static box *layout_root(lh_arena *a, const lh_formula *f) {
    box *body = layout(a, f->arg[0], STYLE_TEXT), *g = group(a);
    bool is_low = height(body) == 1;
    int x = 0, width = larger(body->width, 1);
    if (f->arg[1]) {
        box *index = lh_formula_can_shift(f->arg[1], true)
                         ? words(a, lh_formula_shifted(a, f->arg[1], true))
                         : layout(a, f->arg[1], STYLE_SCRIPT);
        bool is_raised = index->kind == BOX_WORDS;
        put(a, g, index, 0, is_raised ? body->down : body->down - 1 - index->down);
        x = index->width;
    }
    put(a, g, words(a, "√"), x, body->down);
    if (!is_low) {
        put(a, g, bracket(a, "|", body->up, body->down), x + 1, 0);
        put(a, g, words(a, "┌"), x + 1, -body->up - 1);
    }
    x += is_low ? 1 : 2;
    put(a, g, box_new(a, BOX_RULE, is_low ? "_" : "─", width), x, -body->up - 1);
    put(a, g, body, x, 0);
    return g;
}

static box *script_box(lh_arena *a, const lh_formula *f, bool above, bool *is_shifted) {
    *is_shifted = lh_formula_can_shift(f, above);
    return *is_shifted ? words(a, lh_formula_shifted(a, f, above)) : layout(a, f, STYLE_SCRIPT);
}

/* Below and above the base, in the middle of it. */
static box *layout_limits(lh_arena *a, const lh_formula *f) {
    box *base = layout(a, f->arg[0], STYLE_DISPLAY), *g = group(a);
    box *sub = f->arg[1] ? layout(a, f->arg[1], STYLE_SCRIPT) : NULL;
    box *sup = f->arg[2] ? layout(a, f->arg[2], STYLE_SCRIPT) : NULL;
    int width = larger(base->width, larger(sub ? sub->width : 0, sup ? sup->width : 0));
    put(a, g, base, (width - base->width) / 2, 0);
    if (sup) put(a, g, sup, (width - sup->width) / 2, -base->up - 1 - sup->down);
    if (sub) put(a, g, sub, (width - sub->width) / 2, base->down + 1 + sub->up);
    return g;
}

/* Raised letters stand on the base's own row where it has one row; what has no raised letters goes into the rows above. Where
 * the base is tall, a script stands at its corner. */
static box *layout_script(lh_arena *a, const lh_formula *f, style_kind style) {
    const lh_formula *inner = lh_formula_bare(f->arg[0]);
    if (style == STYLE_DISPLAY && inner->has_limits) return layout_limits(a, f);
    box *base = layout(a, f->arg[0], style), *g = group(a);
    bool is_low = height(base) == 1, shifted[2] = {false, false};
    put(a, g, base, 0, 0);
    int x = base->width, next = x;
    for (int i = 1; i <= 2; i++) {
        if (!f->arg[i]) continue;
        bool above = i == 2;
        box *b = script_box(a, f->arg[i], above, &shifted[above]);
        bool on_row = is_low && shifted[above];
        int y = on_row  ? 0
                : above ? -base->up - b->down - (is_low ? 1 : 0)
                        : base->down + b->up + (is_low ? 1 : 0);
        bool is_beside = on_row && next > x && shifted[0];
        put(a, g, b, is_beside ? next : x, y);
        next = larger(next, (is_beside ? next : x) + b->width);
    }
    return g;
}

static box *layout_fence(lh_arena *a, const char *open, box *body, const char *close, int pad) {
    box *g = group(a), *left = bracket(a, open, body->up, body->down);
    int x = left->width + (*open ? pad : 0);
    put(a, g, left, 0, 0);
    put(a, g, body, x, 0);
    put(a, g, bracket(a, close, body->up, body->down), x + body->width + (*close ? pad : 0), 0);
    return g;
}

static box *layout_accent(lh_arena *a, const lh_formula *f) {
    box *body = layout(a, f->arg[0], STYLE_TEXT), *g = group(a);
    if (height(body) == 1 && body->width == 1)
        return words(a, lh_formula_inline(a, f)); /* a letter takes its mark on the spot */
    static const struct {
        const char *spoken, *sign;
        bool is_long;
    } marks[] = {{"bar", "_", true},     {"hat", "^", false},        {"tilde", "~", false},
                 {"vector", "→", false}, {"double dot", "¨", false}, {"dot", "·", false}};
    const char *spoken = f->command ? f->command->spoken : "bar";
    int i = 0;
    while (i < 5 && strcmp(marks[i].spoken, spoken) != 0) i++;
    box *mark = marks[i].is_long ? box_new(a, BOX_RULE, marks[i].sign, larger(body->width, 1))
                                 : words(a, marks[i].sign);
    put(a, g, body, 0, 0);
    put(a, g, mark, larger(body->width - mark->width, 0) / 2, -body->up - 1);
    return g;
}

/* ╰─┬─╯ below, or ╭─┴─╮ above, and the label behind it. */
static box *layout_brace(lh_arena *a, const lh_formula *f) {
    bool under = strcmp(f->text, "⏟") == 0;
    box *body = layout(a, f->arg[0], STYLE_TEXT), *g = group(a);
    box *label = f->arg[1] ? layout(a, f->arg[1], STYLE_SCRIPT) : group(a);
    int width = larger(larger(body->width, label->width), 3);
    int y = under ? body->down + 1 : -body->up - 1, middle = (width - 1) / 2;
    put(a, g, body, (width - body->width) / 2, 0);
    put(a, g, box_new(a, BOX_RULE, "─", width), 0, y);
    put(a, g, words(a, under ? "╰" : "╭"), 0, y);
    put(a, g, words(a, under ? "╯" : "╮"), width - 1, y);
    put(a, g, words(a, under ? "┬" : "┴"), middle, y);
    put(a, g, label, (width - label->width) / 2, under ? y + 1 + label->up : y - 1 - label->down);
    return g;
}

/* ---- tables ---- */

typedef struct grid {
    box **cell;
    int *width;       /* of each column */
    int *up, *down;   /* of each row */
    int between_rows; /* empty rows */
} grid;

static bool grid_measure(lh_arena *a, const lh_formula *f, grid *t) {
    t->cell = lh_alloc_array(a, (size_t)f->n_args, sizeof *t->cell);
    t->width = lh_alloc_array(a, (size_t)f->cols, sizeof *t->width);
    t->up = lh_alloc_array(a, (size_t)f->rows, sizeof *t->up);
    t->down = lh_alloc_array(a, (size_t)f->rows, sizeof *t->down);
    if (!t->cell || !t->width || !t->up || !t->down) return false;
    for (int i = 0; i < f->n_args; i++) {
        box *b = t->cell[i] =
            layout(a, f->arg[i], f->align == LH_ALIGN_PAIRS ? STYLE_DISPLAY : STYLE_TEXT);
        int r = i / f->cols, c = i % f->cols;
        t->width[c] = larger(t->width[c], b->width);
        t->up[r] = larger(t->up[r], b->up);
        t->down[r] = larger(t->down[r], b->down);
        if (height(b) > 1) t->between_rows = 1;
    }
    return true;
}

static int cell_shift(const lh_formula *f, int c, int room) {
    if (f->align == LH_ALIGN_LEFT) return 0;
    if (f->align == LH_ALIGN_CENTRE) return room / 2;
    return c % 2 == 0 ? room : 0;
}

static box *layout_table(lh_arena *a, const lh_formula *f) {
    grid t = {0};
    box *g = group(a);
    if (!f->n_args || !grid_measure(a, f, &t)) return g;
    int total = (f->rows - 1) * t.between_rows;
    for (int r = 0; r < f->rows; r++) total += t.up[r] + 1 + t.down[r];
    int y = f->rows == 1 ? 0 : -((total - 1) / 2) + t.up[0];
    for (int r = 0; r < f->rows; r++) {
        for (int c = 0, x = 0; c < f->cols; c++) {
            box *b = t.cell[r * f->cols + c];
            put(a, g, b, x + cell_shift(f, c, t.width[c] - b->width), y);
            bool is_pair = f->align == LH_ALIGN_PAIRS && c % 2 == 0;
            x += t.width[c] + (is_pair ? 1 : f->align == LH_ALIGN_PAIRS ? 3 : 2);
        }
        if (r + 1 < f->rows) y += t.down[r] + 1 + t.between_rows + t.up[r + 1];
    }
    return layout_fence(a, f->open, g, f->close, f->cols * f->rows > 1 ? 1 : 0);
}

static box *layout(lh_arena *a, const lh_formula *f, style_kind style) {
    switch (f->kind) {
    case LH_F_ROW: return layout_row(a, f, style);
    case LH_F_FRACTION: return layout_fraction(a, f);
    case LH_F_ROOT: return layout_root(a, f);
    case LH_F_SCRIPT: return layout_script(a, f, style);
    case LH_F_FENCE: return layout_fence(a, f->open, layout(a, f->arg[0], style), f->close, 0);
    case LH_F_ACCENT: return layout_accent(a, f);
    case LH_F_BRACE: return layout_brace(a, f);
    case LH_F_TABLE: return layout_table(a, f);
    case LH_F_SPACE: return words(a, lh_printf(a, "%*s", f->number, ""));
    case LH_F_TEXT: return words(a, f->text);
    default: return words(a, lh_formula_letters(a, f));
    }
}

/* ---- painting ---- */

/* One cell of the canvas is what stands in one column: a letter with its marks; "" is the second half of a wide letter. */
typedef struct canvas {
    lh_arena *arena;
    const char **cell;
    int width, height;
} canvas;

static const char **cell_at(canvas *v, int x, int y) {
    return x >= 0 && x < v->width && y >= 0 && y < v->height
               ? &v->cell[(size_t)y * (size_t)v->width + (size_t)x]
               : NULL;
}

static void paint_words(canvas *v, const char *s, int x, int y) {
    const char *end = s + strlen(s), **last = NULL;
    while (s < end) {
        size_t n = lh_utf8_length(s, end);
        if (!n) return;
        const char *letter = lh_copy(v->arena, s, n);
        int columns = lh_formula_columns(letter);
        s += n;
        if (!columns) {
            if (last) *last = lh_printf(v->arena, "%s%s", *last, letter);
            continue;
        }
        last = cell_at(v, x, y);
        if (last) *last = letter;
        const char **second = columns == 2 ? cell_at(v, x + 1, y) : NULL;
        if (second) *second = "";
        x += columns;
    }
}

static const char *const brackets[][5] = {
    /* sign, top, beside, middle, bottom; the middle "" where it is as beside */
    {"(", "⎛", "⎜", "", "⎝"},  {")", "⎞", "⎟", "", "⎠"},  {"[", "⎡", "⎢", "", "⎣"},
    {"]", "⎤", "⎥", "", "⎦"},  {"{", "⎧", "⎪", "⎨", "⎩"}, {"}", "⎫", "⎪", "⎬", "⎭"},
    {"|", "│", "│", "", "│"},  {"‖", "║", "║", "", "║"},  {"⌊", "⎢", "⎢", "", "⎣"},
    {"⌋", "⎥", "⎥", "", "⎦"},  {"⌈", "⎡", "⎢", "", "⎢"},  {"⌉", "⎤", "⎥", "", "⎥"},
    {"⟨", "╱", "│", "⟨", "╲"}, {"⟩", "╲", "│", "⟩", "╱"}, {"∫", "⌠", "⎮", "", "⌡"},
};

static void paint_bracket(canvas *v, const box *b, int x, int y) {
    size_t i = 0, n = sizeof brackets / sizeof *brackets;
    while (i < n && strcmp(brackets[i][0], b->text) != 0) i++;
    if (i == n || height(b) == 1) {
        paint_words(v, b->text, x, y);
        return;
    }
    const char *const *s = brackets[i];
    int top = y - b->up, bottom = y + b->down, middle = (top + bottom) / 2;
    bool is_brace = *s[0] == '{' || *s[0] == '}';
    if (is_brace && bottom == top + 1) { /* two rows have no middle */
        paint_words(v, *s[0] == '{' ? "⎰" : "⎱", x, top);
        paint_words(v, *s[0] == '{' ? "⎱" : "⎰", x, bottom);
        return;
    }
    for (int r = top; r <= bottom; r++)
        paint_words(v,
                    r == top               ? s[1]
                    : r == bottom          ? s[4]
                    : *s[3] && r == middle ? s[3]
                                           : s[2],
                    x, r);
}

static void paint(canvas *v, const box *b, int x, int y) {
    switch (b->kind) {
    case BOX_WORDS: paint_words(v, b->text, x, y); break;
    case BOX_RULE:
        for (int i = 0; i < b->width; i++) paint_words(v, b->text, x + i, y);
        break;
    case BOX_BRACKET: paint_bracket(v, b, x, y); break;
    case BOX_GROUP:
        for (int i = 0; i < b->n_parts; i++)
            paint(v, b->part[i].box, x + b->part[i].x, y + b->part[i].y);
        break;
    }
}

static lh_formula_lines lines_of(lh_arena *a, const box *b, int room) {
    lh_formula_lines out = {NULL, height(b), b->width, b->up, b->width <= room};
    canvas v = {a, NULL, b->width, height(b)};
    v.cell = lh_alloc_array(a, (size_t)v.width * (size_t)v.height + 1, sizeof *v.cell);
    out.line = lh_alloc_array(a, (size_t)v.height, sizeof *out.line);
    if (!v.cell || !out.line) return (lh_formula_lines){0};
    paint(&v, b, 0, b->up);
    for (int y = 0; y < v.height; y++) {
        lh_text line = lh_text_new(a);
        for (int x = 0; x < v.width; x++) {
            const char *cell = *cell_at(&v, x, y);
            lh_text_add(&line, "%s", cell ? cell : " ");
        }
        out.line[y] = line.s;
    }
    return out;
}

/* ---- what is too wide ---- */

enum { INDENT = 2 }; /* of lines that go on */

typedef struct stack {
    lh_arena *arena;
    box *group; /* its baseline is that of the first box */
    int room;
} stack;

static void stack_add(stack *s, box *b, int indent) {
    int y = s->group->n_parts ? s->group->down + 1 + b->up : 0;
    put(s->arena, s->group, b, indent, y);
}

/* In one dimension, broken at spaces. */
static void stack_words(stack *s, const char *text, int indent) {
    lh_text line = lh_text_new(s->arena);
    while (*text) {
        size_t n = strspn(text, " ") + strcspn(text + strspn(text, " "), " ");
        const char *word = lh_copy(s->arena, text, n);
        bool is_full =
            line.n && indent + lh_formula_columns(line.s) + lh_formula_columns(word) > s->room;
        if (is_full) {
            stack_add(s, words(s->arena, line.s), indent);
            line = lh_text_new(s->arena);
            indent = INDENT;
        }
        lh_text_add(&line, "%s", line.n ? word : word + strspn(word, " "));
        text += n;
    }
    if (line.n) stack_add(s, words(s->arena, line.s), indent);
}

/* May a line begin with item i? 2: before a relation, 1: before + and the like, 0: no. depth: brackets open before it. */
static int break_before(const lh_formula *row, int i, int depth) {
    lh_sign_class class = lh_formula_class(row, i);
    if (depth > 0 || i == 0) return 0;
    return class == LH_SIGN_RELATION ? 2 : class == LH_SIGN_BINARY ? 1 : 0;
}

/* The end of the line that begins at `from`: as far as it fits, breaking at relations if that will do. */
static int line_end(const lh_formula *row, const box *b, int from, int room, bool *fits) {
    int best[3] = {0, 0, 0}, first = 0, depth = 0;
    for (int i = from; i <= row->n_args; i++) {
        int kind = i == row->n_args ? 2 : i > from ? break_before(row, i, depth) : 0;
        int used = i > from ? b->part[i - 1].x + b->part[i - 1].box->width - b->part[from].x : 0;
        if (kind && !first) first = i;
        if (kind && used <= room) best[kind] = i;
        if (i < row->n_args && row->arg[i]->class == LH_SIGN_OPEN) depth++;
        if (i < row->n_args && row->arg[i]->class == LH_SIGN_CLOSE && depth) depth--;
    }
    *fits = best[2] || best[1];
    return best[2] ? best[2] : best[1] ? best[1] : first;
}

/* `first`: the indent of its first line. */
static void stack_row(stack *s, const lh_formula *row, int first) {
    box *b = layout_row(s->arena, row, STYLE_DISPLAY);
    if (b->n_parts != row->n_args) return; /* without memory */
    for (int from = 0, to; from < row->n_args; from = to) {
        int indent = from ? INDENT : first;
        bool fits;
        to = line_end(row, b, from, s->room - indent, &fits);
        if (!fits) {
            lh_formula slice = *row;
            slice.arg += from, slice.n_args = to - from;
            stack_words(s, lh_formula_inline(s->arena, &slice), indent);
            continue;
        }
        box *g = group(s->arena);
        for (int i = from; i < to; i++)
            put(s->arena, g, b->part[i].box, b->part[i].x - b->part[from].x, 0);
        stack_add(s, g, indent);
    }
}

/* The rows of aligned, each as a row of its own; one without a left side goes on. */
static void stack_table(stack *s, const lh_formula *f) {
    for (int r = 0; r < f->rows; r++) {
        lh_formula *row = lh_formula_new(s->arena, LH_F_ROW, LH_SIGN_LETTER, 0);
        for (int c = 0; c < f->cols; c++) {
            const lh_formula *cell = f->arg[r * f->cols + c];
            for (int i = 0; i < cell->n_args; i++) lh_formula_append(s->arena, row, cell->arg[i]);
        }
        stack_row(s, row, f->arg[r * f->cols]->n_args ? 0 : INDENT);
    }
}

lh_formula_lines lh_formula_display(lh_arena *a, const lh_formula *f, int room) {
    box *b = layout(a, f, STYLE_DISPLAY);
    if (b->width <= room) return lines_of(a, b, room);
    stack s = {a, group(a), room};
    const lh_formula *bare = lh_formula_bare(f);
    if (bare->kind == LH_F_TABLE && bare->align == LH_ALIGN_PAIRS && bare->n_args)
        stack_table(&s, bare);
    else if (bare->kind == LH_F_ROW)
        stack_row(&s, bare, 0);
    else
        stack_words(&s, lh_formula_inline(a, f), 0);
    return lines_of(a, s.group, room);
}
