/* command_look -- longhand look FOLDER --prompt TEXT: tokens, attention, what each layer would say, and what comes next. */
#include "cli/look.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    const char *prompt, *out;
    int layer, head, threads;
    bool json, marks;
} options = {.layer = -1, .head = -1};

static const lh_option look_options[] = {
    {"prompt", 'i', LH_OPTION_TEXT, &options.prompt, "TEXT",
     "what the model reads; - takes it from stdin", 0, 0},
    LH_OPTION_ALLOW_UNUSED,
    {"marks", 0, LH_OPTION_FLAG, &options.marks, NULL,
     "special tokens such as <|endoftext|> in the prompt count as such", 0, 0},
    {"layer", 0, LH_OPTION_INT, &options.layer, "N",
     "only the attention of this layer, from 0 (all; if there are many, the last)", 0, INT_MAX},
    {"head", 0, LH_OPTION_INT, &options.head, "N", "only this head, from 0 (all)", 0, INT_MAX},
    {"output", 'o', LH_OPTION_TEXT, &options.out, "FILE.svg|FOLDER",
     "the attention as a picture; a folder gets one for each layer, and the next token's", 0, 0},
    {"threads", 0, LH_OPTION_INT, &options.threads, "N", "threads (one per processor)", 1, 256},
    {"json", 0, LH_OPTION_FLAG, &options.json, NULL, "for programs: see longhand-json(5)", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

enum { MANY_MAPS = 16 };

/* ---- numbers ---- */

void lh_look_probabilities(const float *score, int n, double *p) {
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++) most = fmax(most, (double)score[i]);
    for (int i = 0; i < n; i++) sum += p[i] = exp((double)score[i] - most);
    for (int i = 0; i < n; i++) p[i] /= sum;
}

/* Of equal ones the first. */
void lh_look_top(const double *p, int n, int *top, int count) {
    int found = 0;
    for (int i = 0; i < n; i++) {
        int k = found;
        while (k > 0 && p[i] > p[top[k - 1]]) k--;
        if (k >= count) continue;
        if (found < count) found++;
        memmove(top + k + 1, top + k, (size_t)(found - k - 1) * sizeof *top);
        top[k] = i;
    }
    for (; found < count; found++) top[found] = -1;
}

/* ---- what is asked for ---- */

static int heads_of(const lh_look *l, int attention) {
    return (int)l->o.g->axis[l->attention[attention]->node->shape.heads].n;
}

static bool choose_layers(lh_look *l) {
    lh_cli *cli = l->o.cli;
    int maps = 0, heads = 0;
    for (int i = 0; i < l->n_attention; i++) {
        maps += heads_of(l, i);
        if (heads_of(l, i) > heads) heads = heads_of(l, i);
    }
    if (options.layer >= l->n_attention) {
        lh_cli_fail(cli, "there is no layer %d: %d layers have attention, counted from 0",
                    options.layer, l->n_attention);
        return false;
    }
    if (options.head >= heads) {
        lh_cli_fail(cli, "there is no head %d: a layer has %d, counted from 0", options.head,
                    heads);
        return false;
    }
    const bool all = options.json || options.out || maps <= MANY_MAPS || options.head >= 0;
    for (int i = 0; i < l->n_attention; i++)
        l->is_shown[i] = options.layer >= 0 ? i == options.layer : all || i == l->n_attention - 1;
    l->head = options.head;
    return true;
}

/* One forward pass keeps all that is looked at. */
static bool run_once(lh_look *l) {
    lh_inside *in = l->o.in;
    const int most = l->n_attention + l->lens.n + 1;
    lh_node **node = lh_alloc_array(in->arena, (size_t)most, sizeof *node),
            *from = l->o.g->generate->from;
    int n = 0;
    if (!node) return false;
    for (int i = 0; i < l->n_attention; i++)
        if (l->is_shown[i]) node[n++] = l->attention[i]->node;
    for (int i = 0; i < l->lens.n; i++) node[n++] = l->lens.at[i]->node;
    node[n++] = from;
    return lh_inside_run(in, node, n);
}

static bool find_next(lh_look *l) {
    lh_inside *in = l->o.in;
    const lh_node *from = l->o.g->generate->from;
    const lh_sizes z = lh_inside_sizes(in, from);
    float *score = lh_alloc_array(in->arena, (size_t)z.cols, sizeof *score);
    l->scores = z.cols;
    l->next = lh_alloc_array(in->arena, (size_t)z.cols, sizeof *l->next);
    if (!score || !l->next) return false;
    for (int c = 0; c < z.cols; c++)
        score[c] = (float)lh_inside_get(in, from, (lh_cell){0, 0, z.rows - 1, c});
    lh_look_probabilities(score, z.cols, l->next);
    return true;
}

static bool gather(lh_look *l) {
    lh_inside *in = l->o.in;
    if (!l->o.g->generate) {
        lh_fail(l->o.cli->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
                "the program does not say what is predicted");
        lh_cure(l->o.cli->ctx, "generate tokens from logits");
        return false;
    }
    l->attention = lh_inside_attention(in, &l->n_attention);
    l->is_shown = lh_alloc_array(in->arena, (size_t)l->n_attention + 1, sizeof *l->is_shown);
    if (!l->attention || !l->is_shown || !choose_layers(l)) return false;
    l->lens = lh_inside_lens(in);
    return run_once(l) && find_next(l) && (!l->lens.n || lh_inside_lens_read(in, &l->lens));
}

/* ---- charts ---- */

static const char **labels(lh_look *l) {
    const char **label = lh_alloc_array(l->o.in->arena, (size_t)l->o.n + 1, sizeof *label);
    for (int i = 0; label && i < l->o.n; i++) {
        const char *word = lh_opened_word(&l->o, l->o.id[i]);
        label[i] = word ? word : lh_printf(l->o.in->arena, "%d", l->o.id[i]);
    }
    return label;
}

static bool fill_panel(lh_look *l, const lh_node *P, int head, const char *const *label,
                       lh_panel *to) {
    lh_arena *a = l->o.in->arena;
    const lh_sizes z = lh_inside_sizes(l->o.in, P);
    double *cell = lh_alloc_array(a, (size_t)z.rows * (size_t)z.cols, sizeof *cell);
    if (!cell) return false;
    *to = (lh_panel){.name = z.heads > 1 ? lh_printf(a, "head %d", head) : NULL,
                     .cell = cell,
                     .rows = z.rows,
                     .cols = z.cols,
                     .row_label = z.rows == l->o.n ? label : NULL,
                     .col_label = z.cols == l->o.n ? label : NULL};
    for (int r = 0; r < z.rows; r++)
        for (int c = 0; c < z.cols; c++)
            *cell++ = lh_inside_get(l->o.in, P, (lh_cell){0, head, r, c});
    return true;
}

lh_chart *lh_look_heat(lh_look *l, int attention) {
    enum { WITH_NUMBERS = 12 };
    lh_arena *a = l->o.in->arena;
    const lh_step *s = l->attention[attention];
    const int heads = heads_of(l, attention), first = l->head >= 0 ? l->head : 0;
    const char **label = labels(l);
    lh_chart *c = lh_alloc(a, sizeof *c);
    *c = (lh_chart){.kind = l->o.n <= WITH_NUMBERS ? LH_CHART_HEAT : LH_CHART_STRIPES,
                    .title = lh_printf(a, "%s   rows look at columns", s->path)};
    c->panel = lh_alloc_array(a, (size_t)heads, sizeof *c->panel);
    if (!c->panel || !label) return NULL;
    for (int h = first; h < (l->head >= 0 ? first + 1 : heads); h++)
        if (!fill_panel(l, s->node, h, label, &c->panel[c->n_panels++])) return NULL;
    return c;
}

lh_chart *lh_look_bars(lh_look *l) {
    lh_arena *a = l->o.in->arena;
    int top[LH_LOOK_TOP];
    lh_chart *c = lh_alloc(a, sizeof *c);
    lh_series *s = lh_alloc(a, sizeof *s);
    double *y = lh_alloc(a, LH_LOOK_TOP * sizeof *y);
    const char **label = lh_alloc(a, LH_LOOK_TOP * sizeof *label);
    lh_look_top(l->next, l->scores, top, LH_LOOK_TOP);
    *s = (lh_series){.name = "probability", .y = y, .label = label};
    for (; s->n < LH_LOOK_TOP && top[s->n] >= 0; s->n++) {
        const char *word = lh_opened_word(&l->o, top[s->n]);
        label[s->n] = word ? word : lh_printf(a, "%d", top[s->n]);
        y[s->n] = l->next[top[s->n]];
    }
    *c = (lh_chart){.kind = LH_CHART_BARS, .title = "The next token", .series = s, .n_series = 1};
    return c;
}

/* ---- pictures ---- */

static bool write_svg(lh_look *l, const lh_chart *c, const char *id, const char *path) {
    lh_text svg = lh_text_new(l->o.in->arena);
    if (!c) return false;
    lh_chart_svg(c, &(lh_chart_page){.id = id}, &svg);
    lh_text_add(&svg, "\n");
    return !lh_failed(l->o.cli->ctx) && lh_cli_write_file(l->o.cli, path, svg.s, strlen(svg.s));
}

static bool write_folder(lh_look *l, const char *folder) {
    lh_arena *a = l->o.in->arena;
    if (mkdir(folder, 0777) && errno != EEXIST) {
        lh_cli_fail(l->o.cli, "%s: %s", folder, strerror(errno));
        return false;
    }
    for (int i = 0; i < l->n_attention; i++) {
        const char *id = lh_printf(a, "attention%d", i);
        if (l->is_shown[i] &&
            !write_svg(l, lh_look_heat(l, i), id, lh_printf(a, "%s/%s.svg", folder, id)))
            return false;
    }
    return write_svg(l, lh_look_bars(l), "next", lh_printf(a, "%s/next.svg", folder));
}

/* One file holds one layer: the asked one, or the last. */
static bool write_pictures(lh_look *l) {
    const size_t n = strlen(options.out);
    if (n < 4 || strcmp(options.out + n - 4, ".svg") != 0) return write_folder(l, options.out);
    if (l->n_attention == 0) {
        lh_cli_fail(l->o.cli, "the program has no attention to draw");
        return false;
    }
    const int layer = options.layer >= 0 ? options.layer : l->n_attention - 1;
    return write_svg(l, lh_look_heat(l, layer), "attention", options.out);
}

static int look_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    lh_look l = {.head = -1};
    int status = LH_EXIT_YES;
    if (!lh_opened_open(cli, argv[0], options.prompt, options.marks, options.threads, &l.o))
        return LH_EXIT_FAILED;
    if (!gather(&l))
        status = lh_failed(cli->ctx) ? lh_cli_report(cli) : LH_EXIT_FAILED;
    else if (options.out)
        status = write_pictures(&l) ? LH_EXIT_YES : LH_EXIT_FAILED;
    else if (options.json)
        lh_look_json(&l);
    else
        lh_look_print(&l);
    if (status == LH_EXIT_YES && lh_failed(cli->ctx)) status = lh_cli_report(cli);
    lh_opened_close(&l.o);
    return status;
}

const lh_command lh_command_look = {
    .name = "look",
    .synopsis = "FOLDER --prompt TEXT [options]",
    .summary = "Inside a trained model: attention, what each layer would say, what comes next.",
    .examples =
        "longhand look out --prompt 'The cat sat'\ttokens, attention, layers, the next token\n"
        "longhand look gpt2 --prompt 'The cat sat' --layer 5\tthe heads of one layer\n"
        "longhand look gpt2 --prompt 'The cat sat' --layer 5 --head 1\tone head\n"
        "longhand look out --prompt 'The cat sat' -o pictures\tas SVG, a file for each layer\n"
        "longhand look out --prompt 'The cat sat' --json\tfor programs",
    .notes =
        "FOLDER is one that longhand train wrote, or a Hugging Face folder of GPT-2. A row of a "
        "map is a position, and says how much it looks at each position before it. What a layer "
        "would say is computed by the rest of the program from its result, without the layers in "
        "between. Every number can be explained: longhand explain FOLDER --prompt TEXT ADDRESS.",
    .options = look_options,
    .run = look_run,
    .min_args = 1,
    .max_args = 1,
};
