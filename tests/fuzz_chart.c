/* Any bytes as what shall be shown, and any numbers with any labels as a picture: what is refused has a message, what is drawn keeps to
 * its width and is the same again. */
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "explain/chart_show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_CELLS = 400 };

static const char program[] =
    "vocab A B C\nsize two = 2\nparam E : vocab x two = [1 0; 0 1; 1 1]\nexample A B -> C\nexample "
    "B -> A\n"
    "X = E[tokens]\nP = softmax(X @ X^T)\nlogits = X[last] @ E^T\nprobs = softmax(logits)\n"
    "L = nll(probs, target)\nbackward L\nE := E - 0.5 * average(dE)\n";

static void check_lines(const char *s, int width) {
    while (*s) {
        size_t n = strcspn(s, "\n");
        char *line = strndup(s, n);
        if (!line || lh_columns(line) > width) abort();
        free(line);
        s += n + (s[n] == '\n');
    }
}

static void draw(lh_arena *a, const lh_chart *c) {
    for (int width = 20; width <= 120; width += 50) {
        lh_text text = lh_text_new(a), again = lh_text_new(a);
        lh_chart_text(c, &(lh_chart_screen){.width = width}, &text);
        lh_chart_text(c, &(lh_chart_screen){.width = width}, &again);
        check_lines(text.s, width);
        if (strcmp(text.s, again.s) != 0) abort();
    }
    lh_text svg = lh_text_new(a);
    lh_chart_svg(c, &(lh_chart_page){0}, &svg);
    if (svg.n < 7 || strcmp(svg.s + svg.n - 7, "</svg>\n") != 0) abort();
}

/* A long number may ask for millions of updates, which is right and takes its time. */
static bool is_long(const char *s) {
    int digits = 0;
    for (; *s; s++)
        if ((digits = isdigit((unsigned char)*s) ? digits + 1 : 0) > 2) return true;
    return false;
}

static void show(lh_context *ctx, const char *what) {
    lh_program *p = lh_program_parse(ctx, "p.lh", program, sizeof program - 1);
    lh_graph *g = lh_graph_build(ctx, p, NULL);
    if (!g) abort();
    lh_arena *a = lh_arena_new(ctx);
    lh_chart *c = lh_chart_show(a, &(lh_show_program){"", g}, 1, what, &(lh_show_how){0});
    if (!c && (!lh_failed(ctx) || !lh_context_error(ctx)->what[0])) abort();
    if (c) draw(a, c);
    lh_arena_free(a);
    lh_graph_free(g);
    lh_program_free(p);
}

/* The bytes are numbers; read once more from their beginning they are labels. */
static void picture(lh_context *ctx, const uint8_t *data, size_t size, int how) {
    lh_arena *a = lh_arena_new(ctx);
    size_t n = size / sizeof(double) < MOST_CELLS ? size / sizeof(double) : MOST_CELLS;
    double *y = lh_alloc_array(a, n + 1, sizeof *y);
    const char **label = lh_alloc_array(a, n + 1, sizeof *label);
    memcpy(y, data, n * sizeof *y);
    for (size_t i = 0; i < n; i++) label[i] = lh_copy(a, (const char *)data + i, (size_t)how % 9);
    lh_panel panel = {.name = "head",
                      .cell = y,
                      .rows = (int)n,
                      .cols = n ? 1 : 0,
                      .row_label = how & 1 ? label : NULL};
    lh_series s = {.name = "series",
                   .x = how & 2 ? y : NULL,
                   .y = y,
                   .n = (int)n,
                   .from_x = how & 1 ? y : NULL,
                   .from_y = how & 1 ? y : NULL,
                   .label = how & 1 ? label : NULL,
                   .mark = (lh_series_mark)(how >> 2 & 3)};
    lh_chart c = {.kind = (lh_chart_kind)(how >> 4 & 3),
                  .title = n ? label[0] : NULL,
                  .panel = &panel,
                  .n_panels = 1,
                  .series = &s,
                  .n_series = 1,
                  .log_x = how & 64,
                  .log_y = how & 128,
                  .is_even = how & 8};
    draw(a, &c);
    lh_arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 1 << 14) return 0;
    lh_context *ctx = lh_context_new();
    char *text = strndup((const char *)data, size);
    if (data[0] < 0x80 && isalpha(data[0])) {
        if (!is_long(text)) show(ctx, text);
    } else {
        picture(ctx, data + 2, size - 2, data[1]);
    }
    free(text);
    lh_context_free(ctx);
    return 0;
}
