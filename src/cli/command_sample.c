/* command_sample -- longhand sample FOLDER: a model writes, token by token. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/choice.h"
#include "cli/cli.h"
#include "cli/model.h"
#include "cli/precision.h"
#include "cli/character_stream.h"
#include "files/tokenizer_file.h"
#include "train/generate.h"

static struct {
    const char *prompt, *precision, *device;
    lh_choice_options choice;
    int n, seed, threads, context;
    bool marks, keeps;
} options = {.choice.top_k = -1};

static const lh_option sample_options[] = {
    {"prompt", 'i', LH_OPTION_TEXT, &options.prompt, "TEXT",
     "how the text begins; - reads it from stdin", 0, 0},
    {"input", 0, LH_OPTION_TEXT, &options.prompt, "TEXT", "another name for --prompt", 0, 0},
    LH_OPTION_ALLOW_UNUSED,
    {"marks", 0, LH_OPTION_FLAG, &options.marks, NULL,
     "read special tokens such as <|endoftext|> in the prompt as tokens, not text", 0, 0},
    {"number", 'n', LH_OPTION_INT, &options.n, "N",
     "tokens at most (200, or as generation_config.json says)", 1, INT_MAX},
    LH_CHOICE_OPTIONS(options.choice),
    {"seed", 's', LH_OPTION_INT, &options.seed, "SEED",
     "random seed; another one gives another text (0)", 0, INT_MAX},
    LH_OPTION_THREADS(options.threads),
    LH_OPTION_DEVICE(options.device),
    {"context", 0, LH_OPTION_INT, &options.context, "N",
     "use at most the last N tokens (as many as the model can)", 1, INT_MAX},
    LH_OPTION_PRECISION(&options.precision),
    LH_OPTION_KEEP_ROUNDED(&options.keeps),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

enum { WINDOW = 64, NUMBER = 200 };

typedef struct job {
    lh_cli *cli;
    lh_model model;
    lh_tokenizer *tokens;
    lh_graph *g;
    lh_generator *w;
    int end, begin; /* what a text ends and begins with; -1: nothing */
    lh_character_stream text;
} job;

/* The prompt's tokens, in the arena. */
static int *prompt_of(job *j, int *n) {
    lh_cli *cli = j->cli;
    size_t length = options.prompt ? strlen(options.prompt) : 0;
    const char *text = options.prompt;
    if (text && strcmp(text, "-") == 0) text = lh_cli_read_file(cli, "/dev/stdin", &length);
    const lh_trained_text t = {j->g, j->tokens, j->end, options.marks, NULL};
    lh_model_tell_cut(cli, &j->model, j->tokens, text, length, options.marks);
    return lh_trained_prompt(&t, cli->arena, text, length, true, &j->begin, n);
}

static void put(job *j, int token) {
    size_t n = 0;
    if (token >= lh_tokenizer_count(j->tokens)) return; /* a vocabulary that was rounded up */
    const char *piece = lh_tokenizer_piece(j->tokens, token, &n);
    if (piece) lh_character_stream_put(&j->text, piece, n);
}

/* The prompt as it was read, without what was put around it. */
static void put_prompt(job *j, const int *id, int n) {
    const lh_prompt_frame *f = &j->tokens->frame;
    lh_text text = lh_text_new(j->cli->arena);
    int first = f->n_before + (j->begin >= 0), last = n - f->n_after;
    if (!options.prompt || first >= last) return;
    if (j->tokens->pipeline)
        lh_tokenizer_decode(j->tokens, id + first, (size_t)(last - first), false, &text);
    if (text.n) lh_character_stream_put(&j->text, text.s, text.n);
    for (int i = first; !j->tokens->pipeline && i < last; i++) put(j, id[i]);
}

/* max_length counts the prompt, too. */
static int tokens_at_most(const job *j, int prompt) {
    const lh_generation *g = &j->model.folder->generation;
    if (options.n) return options.n;
    if (g->max_new_tokens) return g->max_new_tokens;
    const int left = g->max_length > prompt ? g->max_length - prompt : 0;
    return g->max_length && left < NUMBER ? left : NUMBER;
}

static bool write_text(job *j) {
    int n = 0, token, made = 0;
    int *id = prompt_of(j, &n);
    if (!id) return false;
    const int most = tokens_at_most(j, n);
    put_prompt(j, id, n);
    fflush(stdout);
    lh_generator_prompt(j->w, id, n);
    for (; made < most && (token = lh_generator_next(j->w)) >= 0; made++) {
        put(j, token);
        if (fflush(stdout)) break; /* whoever reads has gone: main says so */
    }
    lh_character_stream_end(&j->text);
    putchar('\n');
    fflush(stdout);
    if (j->w->n_slides)
        fprintf(stderr, "the context of %d was full %d time%s: its older half was dropped\n",
                j->w->how.context, j->w->n_slides, j->w->n_slides > 1 ? "s" : "");
    return !lh_failed(j->cli->ctx);
}

static int sample(job *j, const char *path) {
    lh_cli *cli = j->cli;
    lh_choice choice;
    lh_precision precision;
    const lh_evaluator *with;
    if (!lh_choice_read(cli, &options.choice, NULL, &choice) ||
        !lh_cli_precision(cli, options.precision, options.keeps, &precision) ||
        !(with = lh_cli_device(cli, options.device, precision)) || !lh_model_is_folder(cli, path))
        return LH_EXIT_FAILED;
    if (!lh_model_open(cli, path, &j->model) ||
        !lh_choice_read(cli, &options.choice, j->model.folder, &choice))
        return LH_EXIT_FAILED;
    j->tokens = lh_tokenizer_load(cli->ctx, path);
    if (!j->tokens) return lh_cli_report(cli);
    j->g = lh_model_graph(cli, &j->model, &j->model.set);
    if (!j->g || !lh_model_takes(cli, &j->model, j->g, j->tokens)) return LH_EXIT_FAILED;
    j->end = lh_trained_end(j->model.folder, j->g);
    int context = lh_generator_context(j->g, WINDOW);
    if (options.context && options.context < context) context = options.context;
    j->w = lh_generator_new(
        j->g, &(lh_generator_how){
                  .with = with,
                  .context = context,
                  .choice = choice,
                  .seed = (uint64_t)options.seed,
                  .end = j->end,
                  .ends = j->model.folder->generation.end,
                  .n_ends = j->model.folder->generation.n_ends,
                  .threads = options.threads,
                  .precision = precision,
                  .rounded = {.keeps = options.keeps, .tell = lh_cli_tell_rounded, .who = cli}});
    const lh_weights *weights = j->w ? lh_trained_weights(j->model.folder, cli->arena, j->g) : NULL;
    if (!weights || !lh_generator_weights(j->w, weights) || !write_text(j))
        return lh_cli_report(cli);
    return LH_EXIT_YES;
}

static int run(lh_cli *cli, int argc, char **argv) {
    job j = {.cli = cli, .end = -1, .text = {.out = stdout, .line_end = "\n"}};
    (void)argc;
    int status = sample(&j, argv[0]);
    lh_generator_free(j.w);
    lh_graph_free(j.g);
    lh_tokenizer_free(j.tokens);
    lh_model_close(&j.model);
    return status;
}

const lh_command lh_command_sample = {
    .name = "sample",
    .synopsis = "FOLDER [options]",
    .summary = "Generates text with a model, token by token.",
    .examples =
        "longhand sample out\twhat it writes on its own\n"
        "longhand sample out -i 'The cat'\thow it continues\n"
        "longhand sample gpt2 -i 'The cat' -n 50 -t 0\tthe likeliest token each time\n"
        "longhand sample out -t 1 -k 0 -s 7\tthe model's own probabilities, another seed\n"
        "longhand sample out -k 40 -p 0.9\tonly what is likely\n"
        "longhand sample gpt2 --precision bf16\tfaster: half the memory is read\n"
        "longhand sample gpt2 --precision int8 --keep-rounded\tfaster still: a quarter of it",
    .notes = "FOLDER is one that longhand train wrote, or a Hugging Face folder. Where its "
             "generation_config.json says how to choose (do_sample), that counts unless options "
             "say otherwise. The same "
             "seed gives the same text. It ends at the model's end token (a line's end where lines "
             "were learned, <|endoftext|>), or after N tokens. When the context is full, its older "
             "half is dropped, and the text continues.",
    .options = sample_options,
    .run = run,
    .min_args = 1,
    .max_args = 1,
};
