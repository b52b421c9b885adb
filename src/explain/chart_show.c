/* chart_show -- reads what shall be shown, runs the program as far as that needs, and takes the numbers. */
#include "explain/chart_show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "explain/chart_field.h"
#include "explain/explain.h"

enum {
    MOST_WORDS = 16,
    MOST_CLASSES = 8,
    GRID = 64,
    MOST_NUMBERED = 40,
    MOST_UPDATES = 10000000,
    FEW_POINTS = 30,
    MOST_TOUCHED = 4000
};

static const lh_place nowhere = {0, 0, 0};

/* One value that was asked for, and its numbers at the step that was asked for. */
typedef struct asked {
    const char *text; /* as written */
    lh_address at;
    lh_node *node;
    int step;
    double *cell; /* rows * cols: all rows of all examples, one below the other */
    int rows, cols;
    const char **label;  /* rows, or NULL where the rows have no words */
    const char **called; /* rows * cols: what a page asks for each; or NULL */
} asked;

typedef struct item {
    lh_arena *a;
    lh_graph *g;
    const lh_show_program *program;
    int n_programs;
    const lh_show_how *how;
    const char *word[MOST_WORDS]; /* behind the first */
    int n_words;
    asked value[MOST_WORDS];
    int n_values;
} item;

/* ---- numbers at a step ---- */

static bool find_value(item *m, const char *text, asked *v) {
    *v = (asked){.text = text};
    if (!lh_address_parse(m->g->ctx, text, &v->at)) return false;
    lh_step *s = lh_address_find(m->g, &v->at);
    if (!s) return false;
    v->node = s->node;
    v->step = v->at.has_step ? v->at.step : m->how->updates;
    if (v->step <= MOST_UPDATES) return true;
    lh_fail(m->g->ctx, LH_ERROR_LIMIT, nowhere, "%s: %d updates are more than %d", text, v->step,
            MOST_UPDATES);
    return false;
}

static bool open_moments(const item *m, lh_moments *t, lh_node **node, int n, bool learns) {
    *t = (lh_moments){0};
    return m->how->moment || lh_moments_open(t, m->g, &m->how->training, node, n, learns);
}

/* NULL and the context failed. */
static const lh_plan *moment_at(const item *m, lh_moments *t, int step) {
    if (m->how->moment) return m->how->moment(m->how->who, step);
    return lh_moments_to(t, step) ? t->plan : NULL;
}

/* A picture of all numbers may not be called P[0], nor a picture of row 0 P[0][1]. */
static bool shows_all_of(const item *m, const asked *v, bool is_bars, bool has_rows) {
    if (v->at.n_indices <= (is_bars && has_rows)) return true;
    lh_fail(m->g->ctx, LH_ERROR_SHAPE, nowhere, "%s: %s", v->text,
            !is_bars   ? "this picture shows all rows and columns"
            : has_rows ? "bars show a whole row"
                       : "bars show all of it");
    lh_cure(m->g->ctx, is_bars && has_rows ? "leave out the second [ ]"
                       : is_bars           ? "leave out [ ]"
                                           : "leave out [ ]; bars show one row of a matrix");
    return false;
}

/* ---- heat and bars ---- */

static lh_chart *show_matrix(item *m, const char *kind) {
    asked v;
    if (!find_value(m, m->word[0], &v)) return NULL;
    lh_moments moment;
    lh_cell at;
    lh_chart *c = NULL;
    bool ok = open_moments(m, &moment, &v.node, 1, v.step > 0);
    const lh_plan *p = ok ? moment_at(m, &moment, v.step) : NULL;
    if (p && lh_address_cell(m->g, p, &v.at, v.node, &at)) {
        lh_sizes z = lh_exact.sizes(p, v.node, at.example);
        const bool is_bars = strcmp(kind, "bars") == 0;
        if (!shows_all_of(m, &v, is_bars, z.rows > 1 && z.cols > 1)) {
            c = NULL;
        } else if (!is_bars) {
            c = lh_chart_heat(m->a, m->g, p, v.node, at.example);
            if (strcmp(kind, "stripes") == 0) c->kind = LH_CHART_STRIPES;
            lh_chart_address(m->a, c, p, v.node, at, v.step, m->how);
            if (v.at.has_head && c->n_panels > at.head) c->panel += at.head, c->n_panels = 1;
        } else if (z.rows > 1 && z.cols > 1 && v.at.n_indices == 0) {
            lh_fail(m->g->ctx, LH_ERROR_SHAPE, nowhere,
                    "bars %s: it has %d rows, but bars show one", m->word[0], z.rows);
            lh_cure(m->g->ctx, "name the row, as in bars %.100s[0], or see heat %.100s", m->word[0],
                    m->word[0]);
        } else {
            c = lh_chart_bars(m->a, m->g, p, v.node, at.example, at.row);
            lh_chart_address(m->a, c, p, v.node, at, v.step, m->how);
        }
    }
    if (c) c->title = lh_copy(m->a, m->word[0], strlen(m->word[0]));
    if (c && v.step && !v.at.has_step) c->title = lh_printf(m->a, "%s@%d", m->word[0], v.step);
    lh_moments_close(&moment);
    return c;
}

/* ---- values of all examples ---- */

static void take(item *m, asked *v, const lh_plan *p) {
    int examples = v->node->shape.is_batched ? lh_exact.examples(p) : 1, rows = 0;
    int first = v->at.has_example && v->node->shape.is_batched ? v->at.example : 0;
    int end = v->at.has_example && v->node->shape.is_batched ? first + 1 : examples;
    lh_cell at;
    if (!lh_address_cell(m->g, p, &v->at, v->node, &at) || !shows_all_of(m, v, false, true)) return;
    for (int e = first; e < end; e++) rows += lh_exact.sizes(p, v->node, e).rows;
    v->cols = lh_exact.sizes(p, v->node, first).cols;
    v->cell = lh_alloc_array(m->a, (size_t)rows * (size_t)v->cols, sizeof(double));
    const char **label = lh_alloc_array(m->a, (size_t)rows + 1, sizeof *label);
    v->called = m->how->address && rows <= MOST_TOUCHED / v->cols
                    ? lh_alloc_array(m->a, (size_t)rows * (size_t)v->cols, sizeof *v->called)
                    : NULL;
    if (!v->cell || !label) return;
    bool is_numbered = rows <= MOST_NUMBERED && !v->node->shape.is_batched;
    for (int e = first; e < end; e++)
        for (int r = 0; r < lh_exact.sizes(p, v->node, e).rows; r++, v->rows++) {
            const char *word = lh_axis_label(m->g, p, v->node->shape.rows, e, r);
            if (word) label[v->rows] = lh_copy(m->a, word, strlen(word));
            if (!word && is_numbered) label[v->rows] = lh_printf(m->a, "%d", r);
            if (label[v->rows]) v->label = label;
            for (int c = 0; c < v->cols; c++) {
                const lh_cell cell = {e, at.head, r, c};
                const size_t i = (size_t)v->rows * (size_t)v->cols + (size_t)c;
                v->cell[i] = lh_exact.get(p, v->node, cell);
                if (v->called)
                    v->called[i] = m->how->address(m->how->who, p, v->node, cell, v->step);
            }
        }
}

/* One run through the training: each value is taken at its own step. */
static bool take_all(item *m) {
    lh_node *node[MOST_WORDS];
    int last = 0;
    for (int i = 0; i < m->n_words; i++, m->n_values++) {
        if (!find_value(m, m->word[i], &m->value[i])) return false;
        node[i] = m->value[i].node;
        if (m->value[i].step > last) last = m->value[i].step;
    }
    lh_moments moment;
    bool ok = open_moments(m, &moment, node, m->n_values, last > 0);
    for (int step = 0; ok && step <= last; step++) {
        bool is_asked = false;
        for (int i = 0; i < m->n_values; i++) is_asked |= m->value[i].step == step;
        const lh_plan *p = is_asked ? moment_at(m, &moment, step) : NULL;
        ok = p || !is_asked;
        for (int i = 0; p && i < m->n_values; i++)
            if (m->value[i].step == step) take(m, &m->value[i], p);
    }
    lh_moments_close(&moment);
    return ok && !lh_failed(m->g->ctx);
}

static const double *column(lh_arena *a, const asked *v, int c) {
    double *x = lh_alloc_array(a, (size_t)v->rows, sizeof *x);
    for (int r = 0; x && r < v->rows; r++) x[r] = v->cell[(size_t)r * (size_t)v->cols + (size_t)c];
    return x;
}

static const char **addresses_of(lh_arena *a, const asked *v, int c) {
    const char **at = v->called ? lh_alloc_array(a, (size_t)v->rows + 1, sizeof *at) : NULL;
    for (int r = 0; at && r < v->rows; r++)
        at[r] = v->called[(size_t)r * (size_t)v->cols + (size_t)c];
    return at;
}

/* Columns 0 and 1 as places in the plane. */
static lh_series places_of(lh_arena *a, const asked *v, lh_series_mark mark) {
    const double *x = column(a, v, 0), *y = column(a, v, 1);
    return (lh_series){.x = x,
                       .y = y,
                       .n = x && y ? v->rows : 0,
                       .at = addresses_of(a, v, 1),
                       .across = addresses_of(a, v, 0),
                       .mark = mark};
}

static bool has_two_columns(item *m, const asked *v, const char *kind) {
    if (v->cols >= 2) return true;
    lh_fail(m->g->ctx, LH_ERROR_SHAPE, nowhere,
            "%s %s: points in a plane need two columns, but it has %d", kind, v->text, v->cols);
    lh_cure(m->g->ctx, "for one number over another: line XS YS");
    return false;
}

/* ---- points and vectors ---- */

static const char *class_name(item *m, const asked *y, double value) {
    const lh_vocab *words = y->node->vocab;
    char number[LH_NUMBER_MAX];
    if (words && value >= 0 && value < words->n_words)
        return lh_copy(m->a, words->word[(int)value], strlen(words->word[(int)value]));
    return lh_printf(m->a, "%s = %s", y->text, lh_number_text(number, sizeof number, value, 4));
}

/* The distinct numbers of Y, from small to large. */
static int find_classes(const asked *y, double *class) {
    int n = 0;
    for (int r = 0; r < y->rows; r++) {
        double value = y->cell[(size_t)r * (size_t)y->cols];
        int i = 0;
        while (i < n && class[i] < value) i++;
        if (isnan(value) || (i < n && class[i] == value)) continue;
        if (n == MOST_CLASSES) return n + 1;
        memmove(class + i + 1, class + i, (size_t)(n - i) * sizeof *class);
        class[i] = value, n++;
    }
    return n;
}

static void add_class(item *m, lh_series *s, const asked *x, const asked *y, double value) {
    double *u = lh_alloc_array(m->a, (size_t)x->rows, sizeof *u),
           *w = lh_alloc_array(m->a, (size_t)x->rows, sizeof *w);
    const char **label = lh_alloc_array(m->a, (size_t)x->rows + 1, sizeof *label),
               **at = addresses_of(m->a, x, 1), **across = addresses_of(m->a, x, 0);
    if (!u || !w || !label) return;
    *s = (lh_series){.name = class_name(m, y, value), .x = u, .y = w, .mark = LH_MARK_POINTS};
    for (int r = 0; r < x->rows; r++) {
        if (y->cell[(size_t)r * (size_t)y->cols] != value) continue;
        u[s->n] = x->cell[(size_t)r * (size_t)x->cols];
        w[s->n] = x->cell[(size_t)r * (size_t)x->cols + 1];
        if (at && across) at[s->n] = at[r], across[s->n] = across[r];
        label[s->n++] = x->label ? x->label[r] : "";
    }
    s->at = at, s->across = across;
    if (x->label) s->label = label;
}

static bool classes_fit(item *m, const asked *x, const asked *y, int n_classes) {
    if (y->rows != x->rows) {
        lh_fail(m->g->ctx, LH_ERROR_SHAPE, nowhere, "points: %s has %d row%s and %s has %d",
                x->text, x->rows, LH_PLURAL(x->rows), y->text, y->rows);
    } else if (n_classes > MOST_CLASSES) {
        lh_fail(m->g->ctx, LH_ERROR_LIMIT, nowhere, "points: %s has more than %d different numbers",
                y->text, MOST_CLASSES);
        lh_cure(m->g->ctx, "a class is a number shared by several rows");
    } else {
        return true;
    }
    return false;
}

static lh_series *points_by_class(item *m, int *n) {
    const asked *x = &m->value[0], *y = &m->value[1];
    double class[MOST_CLASSES + 1];
    *n = find_classes(y, class);
    if (!classes_fit(m, x, y, *n)) return NULL;
    lh_series *s = lh_alloc_array(m->a, (size_t)*n + 1, sizeof *s);
    for (int i = 0; s && i < *n; i++) add_class(m, &s[i], x, y, class[i]);
    return s;
}

/* ---- what lies behind the points ---- */

static void pad(const double *x, int n, double *low, double *high) {
    *low = INFINITY, *high = -INFINITY;
    for (int i = 0; i < n; i++)
        if (isfinite(x[i])) *low = fmin(*low, x[i]), *high = fmax(*high, x[i]);
    if (!(*low <= *high)) *low = 0, *high = 1;
    double more = *high > *low ? (*high - *low) / 4 : 1;
    *low -= more, *high += more;
}

static void add_field(item *m, lh_chart *c, const asked *x, const asked *out) {
    lh_chart_field f = {.name = out->text, .rows = GRID, .cols = GRID};
    const double *u = column(m->a, x, 0), *w = column(m->a, x, 1);
    if (!u || !w) return;
    pad(u, x->rows, &f.x0, &f.x1);
    pad(w, x->rows, &f.y0, &f.y1);
    lh_moments trained;
    lh_node *wanted = out->node;
    const bool is_open = open_moments(m, &trained, &wanted, 1, out->step > 0);
    const lh_plan *learned = is_open ? moment_at(m, &trained, out->step) : NULL;
    const lh_field_from from = {learned, x->node, out->node, x->text, out->text};
    if (learned && lh_chart_field_fill(m->g, m->a, &from, &f)) c->field = f;
    lh_moments_close(&trained);
}

static lh_chart *show_points(item *m, const char *kind) {
    if (!take_all(m) || !has_two_columns(m, &m->value[0], kind)) return NULL;
    const asked *x = &m->value[0];
    lh_chart *c = lh_chart_new(m->a, LH_CHART_PLANE, lh_copy(m->a, x->text, strlen(x->text)));
    bool is_vectors = strcmp(kind, "vectors") == 0;
    c->x_name = lh_printf(m->a, "%s, column 0", x->at.path);
    c->y_name = lh_printf(m->a, "%s, column 1", x->at.path);
    c->is_even = is_vectors;
    if (m->n_values > 1) {
        c->series = points_by_class(m, &c->n_series);
        if (!c->series) return NULL;
        if (m->n_values > 2) add_field(m, c, x, &m->value[2]);
        return lh_failed(m->g->ctx) ? NULL : c;
    }
    c->series = lh_alloc(m->a, sizeof *c->series);
    c->series[0] = places_of(m->a, x, is_vectors ? LH_MARK_ARROWS : LH_MARK_POINTS);
    c->series[0].label = x->label;
    c->n_series = c->series[0].n == x->rows;
    return c;
}

/* ---- moves ---- */

enum { OUTLINE = 3 }; /* so many corners have an outline */

/* Rows of a value as a closed outline: the first corner comes again at the end. */
static lh_series outline_of(lh_arena *a, const asked *v) {
    int n = v->rows + 1;
    double *x = lh_alloc_array(a, (size_t)n, sizeof *x),
           *y = lh_alloc_array(a, (size_t)n, sizeof *y);
    lh_series s = places_of(a, v, LH_MARK_LINE); /* no address for the corner that comes again */
    for (int r = 0; x && y && r < n; r++) {
        const double *row = v->cell + (size_t)(r % v->rows) * (size_t)v->cols;
        x[r] = row[0], y[r] = row[1];
    }
    s.name = v->text, s.x = x, s.y = y, s.n = x && y ? n : 0;
    return s;
}

static lh_series arrows_of(lh_arena *a, const asked *v) {
    lh_series s = places_of(a, v, LH_MARK_ARROWS);
    s.name = v->text;
    return s;
}

/* One arrow tells which way: from the corner of x that lies farthest out to the same corner of y. */
static lh_series farthest_arrow(const asked *x, const asked *y) {
    const double *from = x->cell, *to = y->cell;
    for (int r = 0; r < x->rows; r++) {
        const double *row = x->cell + (size_t)r * (size_t)x->cols;
        if (hypot(row[0], row[1]) <= hypot(from[0], from[1])) continue;
        from = row, to = y->cell + (size_t)r * (size_t)y->cols;
    }
    lh_series s = {.name = "one corner", .x = &to[0], .y = &to[1], .n = 1, .mark = LH_MARK_ARROWS};
    s.from_x = &from[0], s.from_y = &from[1];
    return s;
}

static lh_chart *show_moves(item *m, const char *kind) {
    if (!take_all(m)) return NULL;
    const asked *x = &m->value[0], *y = &m->value[1];
    if (!has_two_columns(m, x, kind) || !has_two_columns(m, y, kind)) return NULL;
    if (x->rows != y->rows) {
        lh_fail(m->g->ctx, LH_ERROR_SHAPE, nowhere, "moves: %s has %d row%s and %s has %d", x->text,
                x->rows, LH_PLURAL(x->rows), y->text, y->rows);
        lh_cure(m->g->ctx, "each row of the first goes to the same row of the second");
        return NULL;
    }
    bool is_outline = x->rows >= OUTLINE;
    lh_chart *c = lh_chart_new(m->a, LH_CHART_PLANE, lh_printf(m->a, "%s to %s", x->text, y->text));
    c->is_even = true;
    c->series = lh_alloc_array(m->a, 3, sizeof *c->series);
    if (!c->series) return NULL;
    c->n_series = is_outline ? 3 : 2;
    for (int i = 0; i < 2; i++)
        c->series[i] = is_outline ? outline_of(m->a, &m->value[i]) : arrows_of(m->a, &m->value[i]);
    if (is_outline) c->series[2] = farthest_arrow(x, y);
    return c;
}

/* ---- lines ---- */

typedef struct pair {
    double x, y;
    int place; /* equal x stay in their order */
} pair;

static int by_x(const void *a, const void *b) {
    const pair *p = a, *q = b;
    if (isnan(p->x) || isnan(q->x)) return isnan(p->x) - isnan(q->x);
    return p->x < q->x ? -1 : p->x > q->x ? 1 : p->place - q->place;
}

/* xs may be NULL: the places are 0, 1, 2 ... */
static void sort_series(lh_arena *a, const asked *xs, const asked *ys, lh_series *s) {
    pair *list = lh_alloc_array(a, (size_t)s->n, sizeof *list);
    double *x = lh_alloc_array(a, (size_t)s->n, sizeof *x),
           *y = lh_alloc_array(a, (size_t)s->n, sizeof *y);
    const char **at = lh_alloc_array(a, (size_t)s->n, sizeof *at),
               **across = lh_alloc_array(a, (size_t)s->n, sizeof *across);
    if (!list || !x || !y || !at || !across) {
        s->n = 0;
        return;
    }
    for (int i = 0; i < s->n; i++) list[i] = (pair){xs ? xs->cell[i] : i, ys->cell[i], i};
    qsort(list, (size_t)s->n, sizeof *list, by_x);
    for (int i = 0; i < s->n; i++) {
        x[i] = list[i].x, y[i] = list[i].y;
        if (ys->called) at[i] = ys->called[list[i].place];
        if (xs && xs->called) across[i] = xs->called[list[i].place];
    }
    s->x = x, s->y = y, s->at = at, s->across = across;
}

static lh_chart *show_line(item *m, const char *kind) {
    if (!take_all(m)) return NULL;
    const asked *xs = m->n_values > 1 ? &m->value[0] : NULL;
    int first = xs ? 1 : 0, n = m->n_values - first;
    lh_chart *c = lh_chart_new(m->a, LH_CHART_PLANE, NULL);
    lh_text title = lh_text_new(m->a);
    c->series = lh_alloc_array(m->a, (size_t)n, sizeof *c->series);
    c->n_series = n;
    c->x_name = xs ? xs->text : "place";
    c->log_x = strcmp(kind, "growth") == 0;
    c->log_y = c->log_x || m->how->log_y;
    for (int i = 0; i < n; i++) {
        const asked *ys = &m->value[first + i];
        lh_series *s = &c->series[i];
        *s = (lh_series){.name = ys->text, .n = ys->rows * ys->cols};
        lh_text_add(&title, "%s%s", i ? ", " : "", ys->text);
        if (xs && s->n != xs->rows * xs->cols) {
            lh_fail(m->g->ctx, LH_ERROR_SHAPE, nowhere, "%s: %s has %d number%s and %s has %d",
                    kind, xs->text, xs->rows * xs->cols, LH_PLURAL(xs->rows * xs->cols), ys->text,
                    s->n);
            return NULL;
        }
        s->mark = s->n <= FEW_POINTS ? LH_MARK_BOTH : LH_MARK_LINE;
        sort_series(m->a, xs, ys, s);
    }
    if (n == 1) c->y_name = c->series[0].name, c->series[0].name = NULL;
    if (xs) lh_text_add(&title, " over %s", xs->text);
    c->title = title.s;
    return c;
}

/* ---- losses ---- */

/* The loss before the first update, after the first ...: updates + 1 numbers. */
static double *train(item *m, lh_graph *g, int updates) {
    if (!g->loss || !lh_loop_learns(g)) {
        lh_fail(g->ctx, LH_ERROR_NAME, nowhere, "loss: the program has no %s",
                g->loss ? "line with :=" : "backward, so no number is its loss");
        return NULL;
    }
    double *loss = lh_alloc_array(m->a, (size_t)updates + 1, sizeof *loss);
    lh_loop *t = loss ? lh_loop_new(g, &m->how->training) : NULL;
    /* a step knows the loss before its update */
    while (t && t->step <= updates && lh_loop_step(t)) loss[t->step - 1] = t->loss;
    lh_loop_free(t);
    return lh_failed(g->ctx) ? NULL : loss;
}

static lh_graph *find_program(item *m, const char *name, size_t length) {
    bool is_own = length == 4 && strncmp(name, "this", 4) == 0;
    for (int i = 0; i < m->n_programs; i++) {
        const char *known = m->program[i].name ? m->program[i].name : "";
        if (strlen(known) == length && strncmp(known, name, length) == 0) return m->program[i].g;
        if (is_own && !known[0]) return m->program[i].g;
    }
    lh_fail(m->g->ctx, LH_ERROR_NAME, nowhere, "there is no program %.*s", (int)length, name);
    lh_cure(m->g->ctx, "a `use` block gives names to programs");
    return NULL;
}

static lh_chart *show_loss(item *m, const char *kind) {
    (void)kind;
    int updates;
    if (!lh_number_whole(m->word[0], 1, MOST_UPDATES, &updates)) {
        lh_fail(m->g->ctx, LH_ERROR_TEXT, nowhere,
                "loss %s: a number of updates from 1 to %d is expected", m->word[0], MOST_UPDATES);
        return NULL;
    }
    const double *loss[MOST_WORDS];
    int n[MOST_WORDS], count = m->n_words > 1 ? m->n_words - 1 : 1;
    for (int i = 0; i < count; i++) {
        lh_graph *g =
            m->n_words > 1 ? find_program(m, m->word[i + 1], strlen(m->word[i + 1])) : m->g;
        const bool is_known = g == m->g && m->how->losses;
        loss[i] = !g         ? NULL
                  : is_known ? m->how->losses(m->how->who, (int)updates)
                             : train(m, g, (int)updates);
        if (!loss[i]) return NULL;
        n[i] = (int)updates + 1;
    }
    lh_chart *c = lh_chart_losses(m->a, m->n_words > 1 ? m->word + 1 : NULL, loss, n, count);
    c->title = "loss";
    c->y_name = NULL;
    c->log_y = m->how->log_y;
    if (count == 1 && m->how->losses && c->n_series) {
        const lh_plan *start = m->how->moment(m->how->who, 0);
        if (start) lh_losses_address(m->a, &c->series[0], m->g, start, m->how);
    }
    return c;
}

/* ---- the words ---- */

static const struct kind {
    const char *word;
    int least, most; /* words behind it */
    lh_chart *(*show)(item *m, const char *kind);
    const char *form;
} kinds[] = {
    {"heat", 1, 1, show_matrix, "heat NAME"},
    {"stripes", 1, 1, show_matrix, "stripes NAME"},
    {"bars", 1, 1, show_matrix, "bars NAME"},
    {"loss", 1, MOST_WORDS - 1, show_loss, "loss UPDATES [PROGRAM ...]"},
    {"points", 1, 3, show_points, "points X [CLASSES [BEHIND]]"},
    {"vectors", 1, 1, show_points, "vectors NAME"},
    {"moves", 2, 2, show_moves, "moves BEFORE AFTER"},
    {"line", 1, MOST_WORDS - 1, show_line, "line XS YS ..."},
    {"growth", 2, MOST_WORDS - 1, show_line, "growth XS YS ..."},
};

static const struct kind *find_kind(const char *word, size_t n) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].word) == n && strncmp(kinds[i].word, word, n) == 0) return &kinds[i];
    return NULL;
}

/* A word ends at a blank that is not inside braces: P{example 1, head 0} is one. */
static size_t word_end(const char *s) {
    size_t n = 0;
    for (bool is_inside = false; s[n] && (is_inside || s[n] != ' '); n++)
        is_inside = s[n] == '{' || (is_inside && s[n] != '}');
    return n;
}

static const char *skip_program(const char *what, size_t *n) {
    while (*what == ' ') what++;
    size_t end = strcspn(what, " :");
    *n = what[end] == ':' ? end : 0;
    if (*n) what += end + 1;
    while (*what == ' ') what++;
    return what;
}

bool lh_chart_shows(const char *what) {
    size_t n;
    what = skip_program(what, &n);
    return find_kind(what, word_end(what)) != NULL;
}

static bool read_words(item *m, const char *rest) {
    for (; *rest; rest += strspn(rest, " ")) {
        size_t n = word_end(rest);
        if (m->n_words == MOST_WORDS) return false;
        if (n) m->word[m->n_words++] = lh_copy(m->a, rest, n);
        rest += n;
    }
    return true;
}

lh_chart *lh_chart_show(lh_arena *a, const lh_show_program *program, int n, const char *what,
                        const lh_show_how *how) {
    item m = {.a = a, .g = program[0].g, .program = program, .n_programs = n, .how = how};
    lh_context *ctx = m.g->ctx;
    size_t prefix;
    const char *words = skip_program(what, &prefix), *name = what + strspn(what, " ");
    if (prefix && !(m.g = find_program(&m, name, prefix))) return NULL;
    size_t end = word_end(words);
    const struct kind *k = find_kind(words, end);
    if (!k) {
        lh_fail(ctx, LH_ERROR_NAME, nowhere, "there is no picture %.*s", (int)(end < 80 ? end : 80),
                words);
        lh_cure(ctx, "there are heat, stripes, bars, loss, points, vectors, moves, line, growth");
        return NULL;
    }
    bool fits = read_words(&m, words + end);
    if (!fits || m.n_words < k->least || m.n_words > k->most) {
        lh_fail(ctx, LH_ERROR_TEXT, nowhere, "%.120s: the expected form is %s", what, k->form);
        return NULL;
    }
    lh_chart *c = k->show(&m, k->word);
    return lh_failed(ctx) ? NULL : c;
}
