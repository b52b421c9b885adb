/* command_merge -- longhand merge ADAPTER -o FOLDER: what LoRA learned, added to the weights that it changes. */
#include <string.h>

#include "cli/model.h"
#include "train/lora.h"

static struct { const char *out; } options;

static const lh_option merge_options[] = {
    {"out", 'o', LH_OPTION_TEXT, &options.out, "FOLDER", "the new folder", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static int merge(lh_cli *cli, const lh_model *m) {
    const lh_folder *f = m->folder;
    if (!f->adapter)
        return lh_cli_fail(cli, "%s is not an adapter: it has no LoRA matrices to add", f->path);
    lh_graph *g = lh_model_graph(cli, m, &m->set);
    if (!g) return LH_EXIT_FAILED;
    const lh_weights *w = lh_trained_weights(f, cli->arena, g);
    const bool is_done = w && lh_lora_merge(f, g, w, options.out);
    const lh_adapter x = lh_lora_adapter(cli->arena, g, "");
    lh_graph_free(g);
    if (!is_done) return lh_cli_report(cli);
    printf("%s: %s with what %s learned, of rank %d\n", options.out, f->base->path, f->path,
           x.rank);
    return LH_EXIT_YES;
}

static int run(lh_cli *cli, int argc, char **argv) {
    lh_model m;
    (void)argc;
    if (!options.out) return lh_cli_fail(cli, "-o FOLDER says where the merged model goes");
    if (!lh_model_is_folder(cli, argv[0]) || !lh_model_open(cli, argv[0], &m))
        return LH_EXIT_FAILED;
    const int status = merge(cli, &m);
    lh_model_close(&m);
    return status;
}

const lh_command lh_command_merge = {
    .name = "merge",
    .synopsis = "ADAPTER -o FOLDER",
    .summary = "Merges a LoRA adapter into the weights of its model, and saves a plain folder.",
    .examples = "longhand train smollm --lora 8 --data notes.txt -o notes\tan adapter: only the "
                "low-rank matrices\n"
                "longhand merge notes -o merged\tthe same model without them\n",
    .notes =
        "ADAPTER is a folder with adapter_config.json and adapter_model.safetensors, of `longhand "
        "train --lora` or of PEFT; the folder of the model that it changes is named there. Each "
        "matrix W becomes W + alpha / rank * B @ A, rounded once to the type that it has in that "
        "folder. config.json, program and tokeniser are copied.",
    .options = merge_options,
    .run = run,
    .min_args = 1,
    .max_args = 1,
};
