/* look_show -- what `look` found, on the screen and as JSON. */
#include <string.h>

#include "base/number.h"
#include "cli/json_stream.h"
#include "cli/look_view.h"
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

static void print_chart(lh_look_view *v, const lh_chart *c) {
    lh_text t = lh_text_new(v->o.in->arena);
    const lh_chart_screen screen = lh_cli_screen(v->o.cli);
    if (!c) return;
    lh_chart_text(c, &screen, &t);
    fputs(t.s, v->o.cli->out);
}

/* The likeliest tokens of one layer on a line: ␣on 0.41   ␣in 0.12 */
static void print_layer(lh_look_view *v, int layer, int width, double *p) {
    const lh_cli *cli = v->o.cli;
    const char *path = v->look.lens.at[layer]->path;
    int top[LH_LOOK_LENS_TOP];
    lh_look_probabilities(v->look.lens.score + (size_t)layer * (size_t)v->look.lens.scores,
                          v->look.lens.scores, p);
    lh_look_top(p, v->look.lens.scores, top, LH_LOOK_LENS_TOP);
    fprintf(cli->out, "  ");
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%-*s", width, path);
    int at = 2 + width;
    for (int i = 0; i < LH_LOOK_LENS_TOP && top[i] >= 0; i++) {
        const char *word = lh_look_word(&v->look, top[i]);
        const int columns = lh_columns(word ? word : "?");
        at += 2 + (columns < 12 ? 12 : columns) + 6;
        if (i && at > cli->width) break; /* what fits on the line */
        fprintf(cli->out, "  %s%*s %.3f", word ? word : "?", columns < 12 ? 12 - columns : 0, "",
                p[top[i]]);
    }
    fputc('\n', cli->out);
}

static void print_lens(lh_look_view *v, int place) {
    const lh_cli *cli = v->o.cli;
    const lh_look *l = &v->look;
    double *p = lh_alloc_array(v->o.in->arena, (size_t)v->look.lens.scores + 1, sizeof *p);
    int width = 0;
    print_heading(cli, l->is_hidden
                           ? lh_printf(v->o.in->arena, "What each layer would say for token %d",
                                       l->place[place])
                           : "What each layer would say next");
    if (v->look.lens.trouble) print_quiet(cli, v->look.lens.trouble);
    for (int i = 0; i < v->look.lens.n; i++)
        if (lh_columns(v->look.lens.at[i]->path) > width)
            width = lh_columns(v->look.lens.at[i]->path);
    for (int i = 0; p && i < v->look.lens.n; i++) print_layer(v, i, width, p);
}

static void print_attention(lh_look_view *v) {
    const lh_cli *cli = v->o.cli;
    int hidden = 0;
    print_heading(cli, "Attention");
    if (v->look.n_attention == 0)
        print_quiet(cli, "the program has none: no softmax from positions to positions");
    for (int i = 0; i < v->look.n_attention; i++) {
        if (v->look.is_shown[i]) print_chart(v, lh_look_heat(&v->look, i)), fputc('\n', cli->out);
        hidden += !v->look.is_shown[i];
    }
    if (hidden)
        print_quiet(cli, lh_printf(v->o.in->arena, "%d more layer%s: --layer 0 to %d", hidden,
                                   hidden > 1 ? "s" : "", v->look.n_attention - 1));
}

void lh_look_print(lh_look_view *v) {
    lh_cli *cli = v->o.cli;
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%s", v->o.model.path);
    fprintf(cli->out, "   %d token%s\n\n", v->o.n, v->o.n > 1 ? "s" : "");
    lh_tokens_print(cli, v->o.tokens, v->o.id, (size_t)v->o.n);
    fputc('\n', cli->out);
    print_attention(v);
    for (int i = 0; i < v->look.n_places && lh_look_layers(&v->look, i); i++) {
        print_lens(v, i);
        fputc('\n', cli->out);
        print_chart(v, lh_look_bars(&v->look, i));
    }
}

void lh_look_view_json(lh_look_view *v) {
    lh_json j = lh_json_open(stdout);
    lh_look_json(&v->look, &j, v->o.model.path);
}
