/* command_plot -- longhand plot LESSON WHAT: the numbers of a program as a picture, on the screen or as a file. */
#include <string.h>

#include "cli/cli.h"
#include "explain/chart_show.h"

enum { MOST_PROGRAMS = 12 };

static struct {
    const char *out, *vary;
    const char *mistake;
    lh_settings set;
    lh_names train, freeze, input;
    int steps, batch, shuffle;
    bool log, words;
} options = {.shuffle = -1};

static const lh_option plot_options[] = {
    {"output", 'o', LH_OPTION_TEXT, &options.out, "FILE.svg", "a file instead of the screen", 0, 0},
    LH_OPTION_SET(options.set),
    LH_OPTION_INPUT(&options.input),
    LH_OPTION_LEARNED(options.train),
    LH_OPTION_FROZEN(options.freeze),
    {"batch", 0, LH_OPTION_INT, &options.batch, "N", "examples in a batch (all)", 1, 1000000},
    {"shuffle", 0, LH_OPTION_INT, &options.shuffle, "SEED",
     "shuffle the examples in every epoch, with this seed", 0, 2147483647},
    {"mistake", 0, LH_OPTION_TEXT, &options.mistake, "NAME[@STEP]", "make a known mistake", 0, 0},
    {"steps", 0, LH_OPTION_INT, &options.steps, "N", "the numbers after N updates (0)", 0,
     10000000},
    {"vary", 0, LH_OPTION_TEXT, &options.vary, "NAME=A,B,C",
     "loss: one curve for each of these values", 0, 0},
    {"log", 0, LH_OPTION_FLAG, &options.log, NULL, "loss, line: logarithmic y axis", 0, 0},
    {"words", 0, LH_OPTION_FLAG, &options.words, NULL, "describe the picture in a sentence", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

typedef struct plot {
    lh_cli *cli;
    const lh_source *source;
    lh_show_program program[MOST_PROGRAMS];
    int n_programs;
    const char *what;
} plot;

static bool add_program(plot *p, const char *name, const lh_setting *more) {
    lh_cli *cli = p->cli;
    lh_build asked = lh_cli_build(&options.set, &options.train, &options.freeze), how;
    if (more) {
        lh_setting *set = lh_alloc_array(cli->arena, (size_t)options.set.n + 1, sizeof *set);
        if (!set) return lh_cli_report(cli), false;
        asked.set = set;
        asked.n_set = 0;
        for (int i = 0; i < options.set.n; i++) /* what varies is not set as well */
            if (strcmp(options.set.set[i].name, more->name) != 0)
                set[asked.n_set++] = options.set.set[i];
        set[asked.n_set++] = *more;
    }
    if (!lh_cli_how(cli, p->source, &asked, options.mistake, &how)) return false;
    lh_graph *g = lh_graph_build(cli->ctx, p->source->program, &how);
    if (!g) return lh_cli_report(cli), false;
    p->program[p->n_programs++] = (lh_show_program){name, g};
    return lh_cli_learning(cli, p->source, g, &options.train, &options.freeze, true);
}

/* rate=0.1,1,10 is three programs, called rate=0.1, rate=1 and rate=10; a comma inside brackets parts nothing. */
static bool add_varied(plot *p) {
    const char *value = strchr(options.vary, '=');
    lh_arena *a = p->cli->arena;
    const bool has_values = value && value > options.vary && value[1];
    if (!has_values || strncmp(p->what, "loss ", 5) != 0) {
        lh_cli_fail(p->cli,
                    has_values ? "--vary is for loss: longhand plot %s loss 100 --vary %s"
                               : "%s: --vary needs NAME=A,B,C, not %s",
                    p->source->name, options.vary);
        return false;
    }
    const char *name = lh_copy(a, options.vary, (size_t)(value - options.vary));
    lh_text what = lh_text_new(a);
    lh_text_add(&what, "%s", p->what);
    while (*value) {
        int depth = 0;
        size_t n = 0;
        for (value++; value[n] && (depth || value[n] != ','); n++)
            depth += (value[n] == '(' || value[n] == '[') - (value[n] == ')' || value[n] == ']');
        if (p->n_programs == MOST_PROGRAMS) {
            lh_cli_fail(p->cli, "--vary: more than %d values", MOST_PROGRAMS);
            return false;
        }
        char *one = lh_copy(a, value, n), *label = lh_printf(a, "%s=%s", name, one);
        if (!add_program(p, label, &(lh_setting){name, one})) return false;
        lh_text_add(&what, " %s", label);
        value += n;
    }
    p->what = what.s;
    return true;
}

static int draw(plot *p, const lh_chart *c) {
    lh_cli *cli = p->cli;
    lh_text text = lh_text_new(cli->arena);
    lh_chart_screen screen = lh_cli_screen(cli);
    if (options.words)
        lh_chart_describe(c, &text), lh_text_add(&text, "\n");
    else if (options.out)
        lh_chart_svg(c, &(lh_chart_page){0}, &text);
    else
        lh_chart_text(c, &screen, &text);
    if (lh_failed(cli->ctx)) return lh_cli_report(cli);
    if (!options.out) {
        fputs(text.s, stdout);
        return LH_EXIT_YES;
    }
    if (!lh_cli_write_file(cli, options.out, text.s, text.n)) return LH_EXIT_FAILED;
    fprintf(stderr, "%s\n", options.out);
    return LH_EXIT_YES;
}

/* Options that would do nothing: batches are for training, which loss, @10 and --steps ask for. */
static bool are_fitting(lh_cli *cli, const char *what) {
    bool is_loss = strncmp(what, "loss", 4) == 0 || strstr(what, ": loss"),
         is_curve = is_loss || strncmp(what, "line", 4) == 0 || strstr(what, ": line"),
         trains = is_loss || options.steps || strchr(what, '@');
    return !(lh_cli_refuse(cli, options.batch && !trains, "batch", "there is no training") ||
             lh_cli_refuse(cli, options.shuffle >= 0 && !options.batch, "shuffle",
                           "all examples are in one batch; --batch N makes several") ||
             lh_cli_refuse(cli, options.steps && is_loss, "steps",
                           "loss already says how many updates it shows") ||
             lh_cli_refuse(cli, options.log && !is_curve, "log", "it is for loss and line") ||
             lh_cli_refuse(cli, options.words && options.out, "words",
                           "a picture in a file has its words in it"));
}

static int plot_run(lh_cli *cli, int argc, char **argv) {
    lh_source s;
    lh_text what = lh_text_new(cli->arena);
    for (int i = 1; i < argc; i++) lh_text_add(&what, "%s%s", i > 1 ? " " : "", argv[i]);
    if (!are_fitting(cli, what.s) || !lh_cli_is_svg(cli, options.out) ||
        !lh_cli_load(cli, argv[0], &s))
        return LH_EXIT_FAILED;
    if (!lh_cli_input(cli, &s, &options.input)) {
        lh_program_free(s.program);
        return LH_EXIT_FAILED;
    }
    plot p = {.cli = cli, .source = &s, .what = what.s};
    int status = LH_EXIT_FAILED;
    if (options.vary ? add_varied(&p) : add_program(&p, "", NULL)) {
        lh_chart *c = lh_chart_show(
            cli->arena, p.program, p.n_programs, p.what,
            &(lh_show_how){.updates = options.steps,
                           .log_y = options.log,
                           .training = lh_cli_batches(&s, options.batch, options.shuffle)});
        if (!c) lh_fail_in(cli->ctx, s.program->file, s.program->source, s.program->length);
        status = c ? draw(&p, c) : lh_cli_report(cli);
    }
    for (int i = 0; i < p.n_programs; i++) lh_graph_free(p.program[i].g);
    lh_program_free(s.program);
    return status;
}

const lh_command lh_command_plot = {
    .name = "plot",
    .synopsis = "LESSON[:NAME]|FILE WHAT [-o FILE.svg] [options]",
    .summary = "The numbers of a program as a picture: heat maps, bars, curves, points.",
    .examples =
        "longhand plot ex4 heat P\tattention weights as shades\n"
        "longhand plot ex4 bars probs --steps 100\tprobabilities after 100 updates\n"
        "longhand plot ex4 loss 100 --vary rate=0.1,1,10\tthree runs in one picture\n"
        "longhand plot ex4 loss 30 --freeze WQ,WK,WV --batch 1\tanother way to train\n"
        "longhand plot matrices:fit points X\ta program inside a lesson, by its name\n"
        "longhand plot xor-sigmoid points x y out\tpoints, and what the network says between\n"
        "longhand plot sine line x y net@0 net@500 -o sine.svg\tbefore and after training\n"
        "longhand plot whitepaper stripes PE\tposition encoding, shades alone\n"
        "longhand plot word-vectors vectors E\trows as arrows\n",
    .notes = "WHAT is a line of a lesson's show block: heat NAME, stripes NAME, bars NAME, loss N, "
             "points X [CLASSES [BEHIND]], vectors NAME, moves BEFORE AFTER, line XS YS ..., "
             "growth XS YS ... Names "
             "are addresses as in explain: P{example 1, head 0}, net@500.",
    .options = plot_options,
    .run = plot_run,
    .min_args = 2,
    .max_args = 16,
};
