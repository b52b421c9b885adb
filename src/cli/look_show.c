/* look_show -- what `look` found, on the screen and as JSON. */
#include <string.h>

#include "base/number.h"
#include "cli/json_stream.h"
#include "cli/look.h"
#include "cli/tokens.h"

static void print_heading(const lh_cli *cli, const char *text) {
    fputc('\n', cli->out);
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%s\n", text);
}

static void print_quiet(const lh_cli *cli, const char *text) {
    lh_ink_on(cli, cli->out, LH_INK_QUIET);
    lh_wrap(cli->out, cli->width, 0, text);
    lh_ink_off(cli, cli->out);
}

static void print_chart(lh_look *l, const lh_chart *c) {
    lh_text t = lh_text_new(l->o.in->arena);
    const lh_chart_screen screen = lh_cli_screen(l->o.cli);
    if (!c) return;
    lh_chart_text(c, &screen, &t);
    fputs(t.s, l->o.cli->out);
}

/* The likeliest tokens of one layer on a line: ␣on 0.41   ␣in 0.12 */
static void print_layer(lh_look *l, int layer, int width, double *p) {
    const lh_cli *cli = l->o.cli;
    const char *path = l->lens.at[layer]->path;
    int top[LH_LOOK_LENS_TOP];
    lh_look_probabilities(l->lens.score + (size_t)layer * (size_t)l->lens.scores, l->lens.scores,
                          p);
    lh_look_top(p, l->lens.scores, top, LH_LOOK_LENS_TOP);
    fprintf(cli->out, "  ");
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%-*s", width, path);
    int at = 2 + width;
    for (int i = 0; i < LH_LOOK_LENS_TOP && top[i] >= 0; i++) {
        const char *word = lh_opened_word(&l->o, top[i]);
        const int columns = lh_columns(word ? word : "?");
        at += 2 + (columns < 12 ? 12 : columns) + 6;
        if (i && at > cli->width) break; /* what fits on the line */
        fprintf(cli->out, "  %s%*s %.3f", word ? word : "?", columns < 12 ? 12 - columns : 0, "",
                p[top[i]]);
    }
    fputc('\n', cli->out);
}

static void print_lens(lh_look *l) {
    const lh_cli *cli = l->o.cli;
    double *p = lh_alloc_array(l->o.in->arena, (size_t)l->lens.scores + 1, sizeof *p);
    int width = 0;
    print_heading(cli, "What each layer would say next");
    if (l->lens.trouble) print_quiet(cli, l->lens.trouble);
    for (int i = 0; i < l->lens.n; i++)
        if (lh_columns(l->lens.at[i]->path) > width) width = lh_columns(l->lens.at[i]->path);
    for (int i = 0; p && i < l->lens.n; i++) print_layer(l, i, width, p);
}

static void print_attention(lh_look *l) {
    const lh_cli *cli = l->o.cli;
    int hidden = 0;
    print_heading(cli, "Attention");
    if (l->n_attention == 0)
        print_quiet(cli, "the program has none: no softmax from positions to positions");
    for (int i = 0; i < l->n_attention; i++) {
        if (l->is_shown[i]) print_chart(l, lh_look_heat(l, i)), fputc('\n', cli->out);
        hidden += !l->is_shown[i];
    }
    if (hidden)
        print_quiet(cli, lh_printf(l->o.in->arena, "%d more layers: --layer 0 to %d", hidden,
                                   l->n_attention - 1));
}

void lh_look_print(lh_look *l) {
    lh_cli *cli = l->o.cli;
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%s", l->o.model.path);
    fprintf(cli->out, "   %d token%s\n\n", l->o.n, l->o.n > 1 ? "s" : "");
    lh_tokens_print(cli, l->o.tokens, l->o.id, (size_t)l->o.n);
    fputc('\n', cli->out);
    print_attention(l);
    print_lens(l);
    fputc('\n', cli->out);
    print_chart(l, lh_look_bars(l));
}

/* ---- for programs ---- */

static void json_top(lh_look *l, lh_json *j, const char *name, const double *p, int n) {
    int top[LH_LOOK_TOP];
    lh_look_top(p, n, top, LH_LOOK_TOP);
    lh_json_begin(j, name, '[');
    for (int i = 0; i < LH_LOOK_TOP && top[i] >= 0; i++) {
        lh_json_begin(j, NULL, '{');
        lh_opened_json(&l->o, j, top[i]);
        lh_json_number(j, "probability", p[top[i]]);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static void json_attention(lh_look *l, lh_json *j, int layer) {
    const lh_step *s = l->attention[layer];
    const lh_sizes z = lh_inside_sizes(l->o.in, s->node);
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "path", s->path);
    lh_json_begin(j, "heads", '[');
    for (int h = 0; h < z.heads; h++) {
        if (l->head >= 0 && h != l->head) continue;
        lh_json_begin(j, NULL, '[');
        for (int r = 0; r < z.rows; r++) {
            lh_json_begin(j, NULL, '[');
            for (int c = 0; c < z.cols; c++)
                lh_json_number(j, NULL, lh_inside_get(l->o.in, s->node, (lh_cell){0, h, r, c}));
            lh_json_end(j, ']');
        }
        lh_json_end(j, ']');
    }
    lh_json_end(j, ']');
    lh_json_end(j, '}');
}

static void json_lens(lh_look *l, lh_json *j) {
    double *p = lh_alloc_array(l->o.in->arena, (size_t)l->lens.scores + 1, sizeof *p);
    lh_json_begin(j, "layers", '[');
    for (int i = 0; p && i < l->lens.n; i++) {
        lh_look_probabilities(l->lens.score + (size_t)i * (size_t)l->lens.scores, l->lens.scores,
                              p);
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "path", l->lens.at[i]->path);
        json_top(l, j, "next", p, l->lens.scores);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

void lh_look_json(lh_look *l) {
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_json_text(&j, "model", l->o.model.path);
    lh_json_begin(&j, "tokens", '[');
    for (int i = 0; i < l->o.n; i++) {
        lh_json_begin(&j, NULL, '{');
        lh_opened_json(&l->o, &j, l->o.id[i]);
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    lh_json_begin(&j, "attention", '[');
    for (int i = 0; i < l->n_attention; i++)
        if (l->is_shown[i]) json_attention(l, &j, i);
    lh_json_end(&j, ']');
    json_lens(l, &j);
    json_top(l, &j, "next", l->next, l->scores);
    lh_json_end(&j, '}');
    lh_json_close(&j);
}
