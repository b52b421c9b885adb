/* command_look -- longhand look FOLDER --prompt TEXT: tokens, attention, what each layer would say, and which word comes next, or is hidden. */
#include "cli/look_view.h"
#include "cli/precision.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    const char *prompt, *out, *precision, *device;
    int layer, head, threads;
    bool json, marks;
} options = {.layer = -1, .head = -1};

static const lh_option look_options[] = {
    {"prompt", 'i', LH_OPTION_TEXT, &options.prompt, "TEXT",
     "what the model reads; - takes it from stdin", 0, 0},
    LH_OPTION_ALLOW_UNUSED,
    {"marks", 0, LH_OPTION_FLAG, &options.marks, NULL,
     "read special tokens such as <|endoftext|> in the prompt as tokens, not text", 0, 0},
    {"layer", 0, LH_OPTION_INT, &options.layer, "N",
     "only the attention of this layer, from 0 (all; if there are many, the last)", 0, INT_MAX},
    {"head", 0, LH_OPTION_INT, &options.head, "N", "only this head, from 0 (all)", 0, INT_MAX},
    {"output", 'o', LH_OPTION_TEXT, &options.out, "FILE.svg|FOLDER",
     "the attention as a picture; a folder gets one for each layer, and the words'", 0, 0},
    LH_OPTION_THREADS(options.threads),
    {"precision", 0, LH_OPTION_TEXT, &options.precision, "KIND",
     "float (as in the file), or weights in int8 or int4", 0, 0},
    LH_OPTION_DEVICE(options.device),
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- pictures ---- */

static bool write_svg(lh_look_view *v, const lh_chart *c, const char *id, const char *path) {
    lh_text svg = lh_text_new(v->o.in->arena);
    if (!c) return false;
    lh_chart_svg(c, &(lh_chart_page){.id = id}, &svg);
    lh_text_add(&svg, "\n");
    return !lh_failed(v->o.cli->ctx) && lh_cli_write_file(v->o.cli, path, svg.s, strlen(svg.s));
}

static bool write_folder(lh_look_view *v, const char *folder) {
    lh_arena *a = v->o.in->arena;
    if (mkdir(folder, 0777) && errno != EEXIST) {
        lh_cli_fail(v->o.cli, "%s: %s", folder, strerror(errno));
        return false;
    }
    for (int i = 0; i < v->look.n_attention; i++) {
        const char *id = lh_printf(a, "attention%d", i);
        if (v->look.is_shown[i] &&
            !write_svg(v, lh_look_heat(&v->look, i), id, lh_printf(a, "%s/%s.svg", folder, id)))
            return false;
    }
    for (int i = 0; i < v->look.n_places; i++) {
        const char *id = v->look.is_hidden ? lh_printf(a, "hidden%d", v->look.place[i]) : "next";
        if (!write_svg(v, lh_look_bars(&v->look, i), id, lh_printf(a, "%s/%s.svg", folder, id)))
            return false;
    }
    return true;
}

/* One file holds one layer: the asked one, or the last. */
static bool write_pictures(lh_look_view *v) {
    const size_t n = strlen(options.out);
    if (n < 4 || strcmp(options.out + n - 4, ".svg") != 0) return write_folder(v, options.out);
    if (v->look.n_attention == 0) {
        lh_cli_fail(v->o.cli, "the program has no attention to draw");
        return false;
    }
    const int layer = options.layer >= 0 ? options.layer : v->look.n_attention - 1;
    return write_svg(v, lh_look_heat(&v->look, layer), "attention", options.out);
}

static int look_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    lh_look_view v = {0};
    int status = LH_EXIT_YES;
    lh_precision precision;
    const lh_evaluator *with;
    if (!lh_cli_is_svg(cli, options.out) ||
        !lh_cli_pass_precision(cli, options.precision, &precision) ||
        !(with = lh_cli_device(cli, options.device, precision)) ||
        !lh_opened_open(cli, argv[0], options.prompt, options.marks, options.threads, &v.o))
        return LH_EXIT_FAILED;
    v.o.in->with = with;
    if (lh_precision_is_rounded(precision)) lh_inside_round(v.o.in, precision);
    v.look = (lh_look){.in = v.o.in, .tokens = v.o.tokens, .head = options.head};
    if (!lh_look_gather(&v.look, options.layer, options.json || options.out))
        status = lh_cli_report(cli);
    else if (options.out)
        status = write_pictures(&v) ? LH_EXIT_YES : LH_EXIT_FAILED;
    else if (options.json)
        lh_look_view_json(&v);
    else
        lh_look_print(&v);
    if (status == LH_EXIT_YES && lh_failed(cli->ctx)) status = lh_cli_report(cli);
    lh_opened_close(&v.o);
    return status;
}

const lh_command lh_command_look = {
    .name = "look",
    .synopsis = "FOLDER --prompt TEXT [options]",
    .summary = "Looks inside a trained model: attention, what each layer would predict, the next "
               "or hidden word.",
    .examples =
        "longhand look out --prompt 'The cat sat'\ttokens, attention, layers, the next token\n"
        "longhand look gpt2 --prompt 'The cat sat' --layer 5\tthe heads of one layer\n"
        "longhand look gpt2 --prompt 'The cat sat' --layer 5 --head 1\tone head\n"
        "longhand look bert --prompt 'The [MASK] sat on the mat.'\twhich word is hidden\n"
        "longhand look out --prompt 'The cat sat' -o pictures\tas SVG, a file for each layer\n"
        "longhand look out --prompt 'The cat sat' --json\tfor programs",
    .notes =
        "FOLDER is one that longhand train wrote, or a Hugging Face folder. A row of a map is a "
        "position, and says how much it looks at each position before it. What a layer "
        "would say is computed by the rest of the program from its result, without the layers in "
        "between. Every number can be explained: longhand explain FOLDER --prompt TEXT ADDRESS.",
    .options = look_options,
    .run = look_run,
    .min_args = 1,
    .max_args = 1,
};
