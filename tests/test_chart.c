/* Charts: every kind with every sort of data at every width. Text keeps to its width, SVG is well-formed, both say the largest and
 * the smallest number, ticks rise and stay on their axis, and the same data give the same picture. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/random.h"
#include "explain/chart_axis.h"
#include "explain/chart_show.h"
#include "learn/lesson.h"
#include "xml.h"

/* ---- data ---- */

enum { MANY = 100000, MOST = 64 };

typedef struct data {
    const char *name;
    int n;
    double (*at)(int i);
    const char *const *labels; /* taken in turn; NULL: none */
} data;

static double normal(int i) {
    return sin(i * 0.7) + 0.3 * cos(i * 2.1);
}
static double positive(int i) {
    return 0.1 + 0.8 * fabs(sin(i * 0.7));
}
static double constant(int i) {
    (void)i;
    return 0.25;
}
static double zero(int i) {
    (void)i;
    return 0;
}
static double broken(int i) {
    return i % 4 == 1 ? NAN : i % 4 == 3 ? (i % 8 == 3 ? INFINITY : -INFINITY) : i - 2.5;
}
static double no_number(int i) {
    return i % 2 ? NAN : INFINITY;
}
static double huge(int i) {
    return (i % 2 ? -1 : 1) * pow(10, 300 - 25 * (i % 25));
}
static double whole_range(int i) {
    return i % 3 == 0 ? DBL_MAX : i % 3 == 1 ? -DBL_MAX : DBL_TRUE_MIN;
}
static double tiny(int i) {
    return (i + 1) * DBL_TRUE_MIN;
}
static double close(int i) {
    return 1.3840001 + i * 1e-9;
}
static double negative(int i) {
    return -1 - i % 7;
}
static double large(int i) {
    return 123456789.0 + i * 1e6;
}

static const char *const words[] = {"A", "the", "<pad>", "\"&\"", ""};
static const char *const wide[] = {
    "日本語のことば",
    "naïve",
    "e\u0301tude",
    "한국어",
    "🙂 smile",
    "\xff\xfe broken",
    "line\nfeed\ttab",
    "a label that is much longer than any picture is wide, said twice: a "
    "label that is much longer than any picture is wide"};

static const data sets[] = {
    {"normal", 12, normal, NULL},
    {"words", 5, positive, words},
    {"constant", 6, constant, words},
    {"zero", 4, zero, NULL},
    {"broken", 9, broken, words},
    {"no number", 4, no_number, NULL},
    {"empty", 0, normal, NULL},
    {"single", 1, positive, words},
    {"single negative", 1, negative, NULL},
    {"huge", 25, huge, NULL},
    {"whole range", 3, whole_range, wide},
    {"tiny", 3, tiny, NULL},
    {"close", 20, close, NULL},
    {"negative", 8, negative, wide},
    {"large", 10, large, NULL},
    {"wide labels", 8, positive, wide},
    {"forty", 40, normal, words},
    {"many", MANY, normal, NULL},
    {"many labels", 3000, positive, words},
};
enum { N_SETS = sizeof sets / sizeof *sets, N_KINDS = 11 };

static const int widths[] = {20, 40, 60, 80, 120};

typedef struct made {
    lh_chart chart;
    const char *kind;
    double low, high; /* of what it shows */
    bool is_empty;
} made;

static const char *const *repeat_labels(lh_arena *a, const data *d, int n) {
    if (!d->labels) return NULL;
    int count = d->labels == words ? 5 : 8;
    const char **list = lh_alloc_array(a, (size_t)n + 1, sizeof *list);
    for (int i = 0; i < n; i++) list[i] = d->labels[i % count];
    return list;
}

static void look(made *m, double x) {
    if (!isfinite(x)) return;
    if (m->is_empty || x < m->low) m->low = x;
    if (m->is_empty || x > m->high) m->high = x;
    m->is_empty = false;
}

/* A matrix as square as its numbers allow. */
static lh_panel panel_of(lh_arena *a, const data *d, const double *cell) {
    int cols = 1;
    while (d->n && cols * cols < d->n) cols++;
    while (d->n && d->n % cols) cols--;
    int rows = d->n ? d->n / cols : 0;
    return (lh_panel){.name = "head 0",
                      .cell = cell,
                      .rows = rows,
                      .cols = d->n ? cols : 0,
                      .row_label = repeat_labels(a, d, rows),
                      .col_label = repeat_labels(a, d, cols)};
}

static const double *make_field(lh_arena *a) {
    double *cell = lh_alloc_array(a, 400, sizeof *cell);
    for (int i = 0; i < 400; i++) cell[i] = i == 7 ? NAN : sin(i / 20 * 0.3) * cos(i % 20 * 0.3);
    return cell;
}

static void make_plane(lh_arena *a, const data *d, int kind, double *y, made *m) {
    lh_chart *c = &m->chart;
    lh_series *s = lh_alloc_array(a, 3, sizeof *s);
    double *x = lh_alloc_array(a, (size_t)d->n + 1, sizeof *x);
    for (int i = 0; i < d->n; i++) x[i] = kind == 9 ? i + 1 : normal(3 * i + 1);
    *s = (lh_series){.y = y, .n = d->n, .label = repeat_labels(a, d, d->n)};
    c->kind = LH_CHART_PLANE;
    c->series = s;
    c->n_series = 1;
    c->x_name = "step";
    if (kind == 5)
        s[1] = s[2] = s[0], s[1].name = "other", s[0].name = "日本", s[2].mark = LH_MARK_BOTH,
        c->n_series = 3;
    if (kind == 6) c->log_y = true, c->y_name = "loss";
    if (kind >= 7 && kind != 9) s->x = x, s->mark = LH_MARK_POINTS, s->name = "class <0>";
    if (kind == 8) s->mark = LH_MARK_ARROWS, c->is_even = true;
    if (kind == 9) s->x = x, c->log_x = c->log_y = true;
    if (kind == 10) c->field = (lh_chart_field){"out", make_field(a), 20, 20, -2, 2, -9, 3};
    for (int i = 0; i < d->n; i++)
        if (!c->log_y || y[i] > 0) look(m, y[i]);
}

static made make(lh_arena *a, int kind, const data *d) {
    static const char *const names[N_KINDS] = {"heat",   "heads",  "stripes", "bars",
                                               "curve",  "curves", "log",     "points",
                                               "arrows", "growth", "field"};
    made m = {.kind = names[kind], .is_empty = true};
    double *y = lh_alloc_array(a, (size_t)d->n + 1, sizeof *y);
    for (int i = 0; i < d->n; i++) y[i] = d->at(i);
    m.chart.title = "A < B & \"C\"";
    if (kind > 3) {
        make_plane(a, d, kind, y, &m);
        return m;
    }
    m.chart.kind = kind == 2 ? LH_CHART_STRIPES : kind == 3 ? LH_CHART_BARS : LH_CHART_HEAT;
    m.chart.panel = lh_alloc_array(a, 6, sizeof(lh_panel));
    m.chart.n_panels = kind == 1 ? 6 : kind < 3 ? 1 : 0;
    for (int k = 0; k < m.chart.n_panels; k++) m.chart.panel[k] = panel_of(a, d, y);
    if (kind == 3) {
        m.chart.series = lh_alloc(a, sizeof(lh_series));
        *m.chart.series = (lh_series){.y = y, .n = d->n, .label = repeat_labels(a, d, d->n)};
        m.chart.n_series = 1;
        m.chart.has_target = true;
        m.chart.target = 2;
    }
    for (int i = 0; i < d->n; i++) look(&m, y[i]);
    return m;
}

static void each_chart(void (*check)(lh_arena *a, const char *name, const made *m)) {
    lh_context *ctx = lh_context_new();
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int k = 0; k < N_SETS; k++) {
            lh_arena *a = lh_arena_new(ctx);
            made m = make(a, kind, &sets[k]);
            check(a, lh_printf(a, "%s of %s", m.kind, sets[k].name), &m);
            assert_false(lh_failed(ctx));
            lh_arena_free(a);
        }
    lh_context_free(ctx);
}

/* ---- text ---- */

/* Columns of a line, escape sequences not counted. */
static int line_columns(const char *s, size_t n) {
    char *copy = calloc(n + 1, 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\033')
            while (i < n && s[i] != 'm') i++;
        else
            copy[m++] = s[i];
    }
    int columns = lh_columns(copy);
    free(copy);
    return columns;
}

static void check_lines(const char *name, const char *text, int width, bool has_colours) {
    assert_true(*text);
    for (; *text; text += strcspn(text, "\n") + 1) {
        size_t n = strcspn(text, "\n");
        int columns = line_columns(text, n);
        if (columns > width)
            fail_msg("%s at %d: a line of %d columns: %.*s", name, width, columns, (int)n, text);
        if (!has_colours && n && text[n - 1] == ' ')
            fail_msg("%s at %d: blanks at the end: %.*s", name, width, (int)n, text);
        if (!has_colours && memchr(text, '\033', n))
            fail_msg("%s: an escape sequence without colours", name);
        for (size_t i = 0; i < n; i++)
            if ((unsigned char)text[i] < ' ' && text[i] != '\033')
                fail_msg("%s: a control character", name);
        assert_true(text[n] == '\n');
    }
}

static void check_text(lh_arena *a, const char *name, const made *m) {
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (int colours = 0; colours < 3; colours++) {
            lh_text text = lh_text_new(a), again = lh_text_new(a);
            lh_chart_screen how = {.width = widths[w], .colours = (lh_chart_colours)colours};
            lh_chart_text(&m->chart, &how, &text);
            lh_chart_text(&m->chart, &how, &again);
            check_lines(name, text.s, widths[w], colours > 0);
            assert_string_equal(text.s, again.s);
            if (m->is_empty && !strstr(text.s, "nothing"))
                fail_msg("%s does not say that it is empty", name);
            if (!m->is_empty && strstr(text.s, "nothing to draw"))
                fail_msg("%s says that it is empty", name);
        }
}

static void text_keeps_to_its_width(void **state) {
    (void)state;
    each_chart(check_text);
}

/* ---- paper ---- */

/* Places of text and lines lie on the paper. */
static void check_places(const char *name, const char *svg) {
    int width, height;
    assert_int_equal(sscanf(strstr(svg, "viewBox"), "viewBox=\"0 0 %d %d\"", &width, &height), 2);
    if (height > 4000) fail_msg("%s: a sheet %d high", name, height);
    for (const char *s = svg; (s = strpbrk(s, "xy")) != NULL; s++) {
        if (s[-1] != ' ' || (s[1] != '=' && s[2] != '=')) continue;
        double at = atof(strchr(s, '"') + 1);
        if (at < -0.5 || at > (*s == 'x' ? width : height))
            fail_msg("%s: %.16s leaves the paper (%d x %d)", name, s, width, height);
    }
    if (strstr(svg, "nan\"") || strstr(svg, "inf\"") || strstr(svg, "Mnan"))
        fail_msg("%s: a place that is no number", name);
}

static void check_svg(lh_arena *a, const char *name, const made *m) {
    lh_text svg = lh_text_new(a), again = lh_text_new(a);
    lh_chart_svg(&m->chart, &(lh_chart_page){.id = "p1\"<x"}, &svg);
    lh_chart_svg(&m->chart, &(lh_chart_page){.id = "p1\"<x"}, &again);
    assert_string_equal(svg.s, again.s);
    const char *problem = xml_problem(svg.s);
    if (problem) fail_msg("%s: %s", name, problem);
    assert_non_null(
        strstr(svg.s, "<title id=\"p1--x-title\">A &lt; B &amp; &quot;C&quot;</title>"));
    assert_non_null(strstr(svg.s, "<desc id=\"p1--x-desc\">"));
    assert_non_null(strstr(svg.s, "prefers-color-scheme: dark"));
    check_places(name, svg.s);
    if (svg.n > 600000) fail_msg("%s: %zu bytes", name, svg.n);
}

static void svg_is_well_formed(void **state) {
    (void)state;
    each_chart(check_svg);
}

static void check_words(lh_arena *a, const char *name, const made *m) {
    char low[LH_NUMBER_MAX], high[LH_NUMBER_MAX];
    lh_text t = lh_text_new(a);
    lh_chart_describe(&m->chart, &t);
    assert_null(strchr(t.s, '\033'));
    if (m->is_empty) {
        if (!strstr(t.s, "nothing to draw")) fail_msg("%s: %s", name, t.s);
        return;
    }
    lh_number_text(low, sizeof low, m->low, 4);
    lh_number_text(high, sizeof high, m->high, 4);
    if (!strstr(t.s, low) || !strstr(t.s, high))
        fail_msg("%s: neither %s nor %s in: %s", name, low, high, t.s);
}

static void words_name_the_extremes(void **state) {
    (void)state;
    each_chart(check_words);
}

/* What a person would expect to read, exactly. */
static void words_are_exact(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_text t = lh_text_new(a);
    const double p[] = {0.502, 0.498, NAN, 0.4};
    const char *const names[] = {"A", "B"};
    lh_panel panel = {.cell = p, .rows = 2, .cols = 2, .row_label = names, .col_label = names};
    lh_chart_describe(&(lh_chart){.title = "P", .panel = &panel, .n_panels = 1}, &t);
    assert_string_equal(t.s, "Heat map of P, 2 rows by 2 columns; largest 0.502 at row A, column "
                             "A; smallest 0.4 at row B, "
                             "column B; 1 nan.");
    t = lh_text_new(a);
    lh_series s = {.y = p, .n = 2, .label = names};
    lh_chart_describe(&(lh_chart){.kind = LH_CHART_BARS,
                                  .title = "probs",
                                  .series = &s,
                                  .n_series = 1,
                                  .has_target = true,
                                  .target = 1},
                      &t);
    assert_string_equal(
        t.s, "Bars of probs, 2 numbers; largest 0.502 at A; smallest 0.498 at B, the target.");
    t = lh_text_new(a);
    s = (lh_series){.y = p, .n = 4};
    lh_chart_describe(
        &(lh_chart){
            .kind = LH_CHART_PLANE, .title = "loss", .x_name = "step", .series = &s, .n_series = 1},
        &t);
    assert_string_equal(t.s, "Curves of loss over step.  from 0.502 at 1 to 0.4 at 4; smallest 0.4 "
                             "at 4; largest 0.502 at 1; 1 "
                             "nan left out.");
    lh_arena_free(a);
    lh_context_free(ctx);
}

/* ---- axes ---- */

static double columns_of(const char *text) {
    return lh_columns(text);
}

static double random_share(int seed, int i) {
    return lh_random_uniform((lh_random_place){.seed = (uint64_t)seed, .row = (uint32_t)i});
}

static void check_ticks(const lh_scale *s, const lh_ticks *t, int most) {
    assert_true(t->n <= most && t->n <= LH_MAX_TICKS);
    for (int i = 0; i < t->n; i++) {
        assert_true(t->at[i] >= s->low && t->at[i] <= s->high);
        assert_true(lh_scale_at(s, t->at[i]) >= -1e-9 && lh_scale_at(s, t->at[i]) <= 1 + 1e-9);
        if (i == 0) continue;
        assert_true(t->at[i] > t->at[i - 1]);
        if (strcmp(t->text[i], t->text[i - 1]) == 0)
            fail_msg("two ticks say %s, from %.17g to %.17g", t->text[i], s->low, s->high);
    }
}

static void check_apart(const lh_scale *s, int room) {
    lh_ticks t;
    double end = -1e9;
    lh_ticks_fit(&t, s, &(lh_chart_row){room, 2, 2, columns_of}, 10);
    check_ticks(s, &t, 10);
    for (int i = 0; i < t.n; i++) {
        double w = lh_columns(t.text[i]),
               start = lh_label_start(lh_scale_at(s, t.at[i]) * room, w, room, 2);
        assert_true(start >= end + 2 && start >= -2 && start + w <= room + 2);
        end = start + w;
    }
}

static void ticks_rise_and_stay_on_the_axis(void **state) {
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double size = pow(10, 600 * random_share(1, i) - 300), from = normal(i) * size;
        double span = fabs(from) * pow(10, 16 * random_share(2, i) - 12);
        bool is_log = i % 3 == 0;
        lh_range r = lh_range_none();
        lh_range_add(&r, is_log ? fabs(from) + DBL_MIN : from);
        lh_range_add(&r, (is_log ? fabs(from) + DBL_MIN : from) + span);
        if (r.n < 2) continue;
        lh_scale s = lh_scale_new(r, is_log, i % 2);
        assert_true(s.low <= r.low && s.high >= r.high && s.low < s.high);
        lh_ticks t;
        for (int most = 1; most < 12; most++) lh_ticks_new(&t, &s, most), check_ticks(&s, &t, most);
        check_apart(&s, 20 + i % 100);
    }
}

static void ticks_are_those_one_would_choose(void **state) {
    (void)state;
    static const struct {
        double low, high;
        bool is_log;
        int most;
        const char *expect;
    } cases[] = {
        {0, 1, false, 6, "0.0 0.2 0.4 0.6 0.8 1.0"},
        {0, 100, false, 6, "0 20 40 60 80 100"},
        {-10, 10, false, 5, "-10 -5 0 5 10"},
        {1.3840001, 1.3840006, false, 4, "1.3840002 1.3840004 1.3840006"},
        {0.001, 10, true, 6, "0.001 0.01 0.1 1 10"},
        {1, 10, true, 6, "1 2 5 10"},
        {0.3, 0.31, false, 3, "0.300 0.305 0.310"},
        {1, 1e12, true, 5, "1 1000 1e6 1e9 1e12"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lh_ticks t;
        char said[512] = "";
        lh_ticks_new(&t, &(lh_scale){cases[i].low, cases[i].high, cases[i].is_log}, cases[i].most);
        for (int k = 0; k < t.n; k++) strcat(strcat(said, k ? " " : ""), t.text[k]);
        assert_string_equal(said, cases[i].expect);
    }
}

/* ---- many points ---- */

/* Nothing that stands out is lost: one point in a hundred thousand is still the highest. */
static void reduction_keeps_extremes_and_gaps(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    double *y = lh_alloc_array(a, MANY, sizeof *y);
    for (int i = 0; i < MANY; i++) y[i] = sin(i * 0.001);
    y[54321] = 50, y[777] = -50, y[60000] = NAN;
    lh_series s = {.y = y, .n = MANY};
    lh_chart c = {.kind = LH_CHART_PLANE, .series = &s, .n_series = 1};
    lh_scale x, v;
    int n, found = 0;
    lh_plane_scales(&c, &x, &v);
    int *list = lh_series_reduce(a, &c, &s, &x, 100, &n);
    assert_non_null(list);
    assert_true(n <= 4 * 102 + 1);
    for (int i = 0; i < n; i++) {
        found += list[i] == 54321 || list[i] == 777 || list[i] == 60000;
        if (i) assert_true(list[i] > list[i - 1]);
    }
    assert_int_equal(found, 3);
    assert_int_equal(list[0], 0);
    assert_int_equal(list[n - 1], MANY - 1);
    lh_arena_free(a);
    lh_context_free(ctx);
}

/* ---- the pictures themselves ---- */

static char *text_of(lh_arena *a, const lh_chart *c, int width, int height) {
    lh_text t = lh_text_new(a);
    lh_chart_text(c, &(lh_chart_screen){.width = width, .height = height}, &t);
    return t.s;
}

static void small_pictures_are_exact(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    const double p[] = {0, 0.5, 1, 0.25}, b[] = {2, -1, 0.5};
    const char *const names[] = {"A", "日", "C"};
    lh_panel panel = {.cell = p, .rows = 2, .cols = 2, .row_label = names, .col_label = names};
    assert_string_equal(text_of(a, &(lh_chart){.panel = &panel, .n_panels = 1}, 40, 0),
                        "        A     日\n"
                        "A       0 ▒  0.5\n"
                        "日 █    1 ░ 0.25\n"
                        "0  ░▒▓█ 1\n");
    lh_series s = {.y = b, .n = 3, .label = names};
    assert_string_equal(
        text_of(a,
                &(lh_chart){.kind = LH_CHART_BARS, .series = &s, .n_series = 1, .has_target = true},
                33, 0),
        "A  2         ██████████ ◂ target\n"
        "日 -1   █████\n"
        "C  0.5       ██▌\n");
    const double y[] = {0, 1, 2, 3};
    lh_series line = {.y = y, .n = 4};
    assert_string_equal(
        text_of(a, &(lh_chart){.kind = LH_CHART_PLANE, .series = &line, .n_series = 1}, 20, 3),
        "  │          ⢀⡠⠤⠒⠉\n"
        "2 ┤    ⢀⣀⠤⠔⠒⠉⠁\n"
        "0 ┤⣀⠤⠒⠊⠁\n"
        "  └─────┬────────┬\n"
        "        2        4\n");
    lh_arena_free(a);
    lh_context_free(ctx);
}

/* ---- from a program ---- */

typedef struct opened {
    lh_context *ctx;
    lh_arena *arena;
    lh_program *program;
    lh_graph *g;
} opened;

static const char program_text[] =
    "vocab A B C\nsize two = 2\nparam E : vocab x two = [1 0; 0 1; 1 1]\nconst rate = 0.5\n"
    "example A B -> C\nexample B -> A\nX = E[tokens]\nP = softmax(X @ X^T)\nlogits = X[last] @ "
    "E^T\n"
    "probs = softmax(logits)\nL = nll(probs, target)\nbackward L\nE := E - rate * average(dE)\n";

static const char plane_text[] =
    "input x : 1 x 2\ninput y : 1 x 1\nexamples x = [0 0; 0 1; 1 0; 1 1], y = [0; 1; 1; 0]\n"
    "const w = [1; 2]\nout = x @ w\nfar = x[0]\n";

static opened open_program(const char *text) {
    opened o = {.ctx = lh_context_new()};
    o.arena = lh_arena_new(o.ctx);
    o.program = lh_lesson_parse(o.ctx, "t.lh", text, strlen(text));
    o.g = o.program ? lh_graph_build(o.ctx, o.program, NULL) : NULL;
    if (!o.g) fail_msg("%s", lh_context_error(o.ctx)->what);
    return o;
}

static void close_program(opened *o) {
    lh_graph_free(o->g);
    lh_program_free(o->program);
    lh_arena_free(o->arena);
    lh_context_free(o->ctx);
}

static lh_chart *show(opened *o, const char *what) {
    lh_show_program p[] = {{"", o->g}, {"fast", o->g}};
    lh_chart *c = lh_chart_show(o->arena, p, 2, what, &(lh_show_how){0});
    if (!c) fail_msg("%s: %s", what, lh_context_error(o->ctx)->what);
    return c;
}

static void values_are_taken_with_labels(void **state) {
    (void)state;
    opened o = open_program(program_text);
    lh_chart *c = show(&o, "heat P");
    assert_int_equal(c->panel[0].rows, 2);
    assert_string_equal(c->panel[0].row_label[1], "B");
    assert_true(fabs(c->panel[0].cell[0] - exp(1) / (exp(1) + 1)) < 1e-12);
    assert_int_equal(show(&o, "heat P{example 1}")->panel[0].rows, 1);
    c = show(&o, "bars probs");
    assert_int_equal(c->series[0].n, 3);
    assert_string_equal(c->series[0].label[2], "C");
    assert_true(c->has_target && c->target == 2);
    assert_int_equal(show(&o, "bars probs{example 1}")->target, 0);
    double first = show(&o, "bars probs@5")->series[0].y[2],
           second = show(&o, "bars probs{example 1}@5")->series[0].y[0];
    assert_true(fabs(show(&o, "loss 6")->series[0].y[5] + (log(first) + log(second)) / 2) < 1e-12);
    c = show(&o, "vectors E");
    assert_true(c->is_even && c->series[0].n == 3 && c->series[0].mark == LH_MARK_ARROWS);
    assert_string_equal(c->series[0].label[0], "A");
    assert_true(c->series[0].x[0] == 1 && c->series[0].y[1] == 1);
    c = show(&o, "moves E E"); /* three rows are corners of an outline, which is closed */
    assert_int_equal(c->n_series, 3);
    assert_true(c->series[0].n == 4 && c->series[0].x[3] == c->series[0].x[0]);
    assert_true(c->series[2].n == 1 && c->series[2].from_x[0] == c->series[2].x[0]);
    c = show(&o, "loss 30 this fast");
    assert_int_equal(c->n_series, 2);
    assert_int_equal(c->series[1].n, 31);
    assert_true(c->series[1].x[0] == 0 && c->series[1].x[30] == 30);
    assert_string_equal(c->series[1].name, "fast");
    assert_true(c->series[0].y[29] < c->series[0].y[0]);
    assert_true(fabs(c->series[0].y[0] - show(&o, "fast: loss 1")->series[0].y[0]) == 0);
    close_program(&o);
}

/* An arrow is drawn from where it begins, and its beginning is on the paper. */
static void moves_have_a_beginning(void **state) {
    (void)state;
    opened o = open_program("const F = [0 0; 0 3; 2 3]\nconst x = [2 1]\n"
                            "G = F @ [0 1; -1 0]\ny = x @ [0 1; -1 0]\n");
    lh_chart *c = show(&o, "moves F G");
    const lh_series *s = &c->series[2];
    assert_true(s->from_x[0] == 2 && s->from_y[0] == 3 && s->x[0] == -3 && s->y[0] == 2);
    assert_true(c->is_even);
    lh_range r =
        lh_chart_range(&(lh_chart){.kind = LH_CHART_PLANE, .series = &c->series[2], .n_series = 1},
                       false, &(size_t){0});
    assert_true(r.low == -3 &&
                r.high == 2); /* 0 is not asked for: the arrow does not begin there */
    c = show(&o, "moves x y");
    assert_int_equal(c->n_series, 2);
    assert_true(!c->series[1].from_x && c->series[1].x[0] == -1 && c->series[1].y[0] == 2);
    lh_show_program own = {"", o.g};
    assert_null(lh_chart_show(o.arena, &own, 1, "moves x G", &(lh_show_how){0}));
    assert_non_null(strstr(lh_context_error(o.ctx)->what, "1 row and G has 3"));
    close_program(&o);
}

static const char *address_of(void *who, const lh_plan *p, const lh_node *n, lh_cell at,
                              int updates) {
    (void)p;
    return lh_printf(who, "%s<%d[%d][%d]@%d", n->step->path, at.head, at.row, at.col, updates);
}

/* A number that is written in a picture has its address; without a page there are none. */
static void numbers_have_addresses(void **state) {
    (void)state;
    opened o = open_program("const A = [1 2; 3 4]\nB = A @ A\nc = [5; 6]\n");
    lh_show_program own = {"", o.g};
    lh_show_how how = {.address = address_of, .who = o.arena};
    lh_text t = lh_text_new(o.arena);
    lh_chart *c = lh_chart_show(o.arena, &own, 1, "heat B", &how);
    assert_string_equal(c->panel[0].at[3], "B<0[1][1]@0");
    lh_chart_svg(c, &(lh_chart_page){0}, &t);
    assert_non_null(strstr(t.s, "data-at=\"B&lt;0[1][0]@0\""));
    c = lh_chart_show(o.arena, &own, 1, "bars B[1]", &how);
    assert_string_equal(c->series[0].at[0], "B<0[1][0]@0");
    c = lh_chart_show(o.arena, &own, 1, "bars c", &how);
    assert_string_equal(c->series[0].at[1], "c<0[1][0]@0");
    assert_null(show(&o, "heat B")->panel[0].at);
    close_program(&o);
}

static void points_have_classes_and_a_field(void **state) {
    (void)state;
    opened o = open_program(plane_text);
    lh_chart *c = show(&o, "points x y out");
    assert_int_equal(c->n_series, 2);
    assert_string_equal(c->series[1].name, "y = 1");
    assert_true(c->series[1].n == 2 && c->series[1].x[0] == 0 && c->series[1].y[0] == 1);
    const lh_chart_field *f = &c->field;
    assert_true(f->x0 == -0.25 && f->y1 == 1.25);
    for (int r = 0; r < f->rows; r += 9) /* out = x0 + 2 x1 at the middle of each cell */
        for (int k = 0; k < f->cols; k += 7) {
            double u = f->x0 + (k + 0.5) / f->cols * 1.5, v = f->y0 + (r + 0.5) / f->rows * 1.5;
            assert_true(fabs(f->cell[r * f->cols + k] - (u + 2 * v)) < 1e-12);
        }
    c = show(&o, "line y out");
    assert_int_equal(c->series[0].n, 4);
    for (int i = 1; i < 4; i++) assert_true(c->series[0].x[i] >= c->series[0].x[i - 1]);
    assert_true(show(&o, "growth y out")->log_x);
    close_program(&o);
}

static void bad_requests_say_what_and_why(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"pie P", "there is no picture pie"},
        {"", "there is no picture "},
        {"heat", "heat: the expected form is heat NAME"},
        {"heat P Q", "heat P Q: the expected form is heat NAME"},
        {"heat Nobody", "Nobody"},
        {"heat P{example 7}", "there is no example 7"},
        {"bars E", "bars E: it has 3 rows"},
        {"loss many", "a number of updates"},
        {"loss 0", "a number of updates"},
        {"loss 5 slow", "there is no program slow"},
        {"slow: heat P", "there is no program slow"},
        {"points L", "two columns, but it has 1"},
        {"points E L", "E has 3 rows and L has 2"},
        {"points X tokens P", "the background needs"},
        {"line E L", "E has 6 numbers and L has 2"},
        {"line a b c d e f g h i j k l m n o p q r", "the expected form is line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opened o = open_program(program_text);
        lh_chart *c =
            lh_chart_show(o.arena, &(lh_show_program){"", o.g}, 1, cases[i][0], &(lh_show_how){0});
        assert_null(c);
        if (!strstr(lh_context_error(o.ctx)->what, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], lh_context_error(o.ctx)->what);
        close_program(&o);
    }
    assert_true(lh_chart_shows("fast: heat P") && lh_chart_shows("loss 3") &&
                !lh_chart_shows("trace Q"));
}

static void letters_have_their_width(void **state) {
    (void)state;
    assert_int_equal(lh_columns("naïve"), 5);
    assert_int_equal(lh_columns("e\u0301"), 1);
    assert_int_equal(lh_columns("日本"), 4);
    assert_int_equal(lh_columns("🙂"), 2);
    assert_int_equal(lh_columns("\xff\xe2\x82"), 3); /* broken: a column for each byte */
    assert_int_equal(lh_columns("●░⣿…"), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_keeps_to_its_width),
        cmocka_unit_test(svg_is_well_formed),
        cmocka_unit_test(words_name_the_extremes),
        cmocka_unit_test(words_are_exact),
        cmocka_unit_test(ticks_rise_and_stay_on_the_axis),
        cmocka_unit_test(ticks_are_those_one_would_choose),
        cmocka_unit_test(reduction_keeps_extremes_and_gaps),
        cmocka_unit_test(small_pictures_are_exact),
        cmocka_unit_test(values_are_taken_with_labels),
        cmocka_unit_test(moves_have_a_beginning),
        cmocka_unit_test(numbers_have_addresses),
        cmocka_unit_test(points_have_classes_and_a_field),
        cmocka_unit_test(bad_requests_say_what_and_why),
        cmocka_unit_test(letters_have_their_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
