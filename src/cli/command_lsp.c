/* command_lsp -- longhand lsp: a language server for editors, on stdin and stdout. */
#include "cli/cli.h"
#include "lsp/server.h"

static int lsp_run(lh_cli *cli, int argc, char **argv) {
    (void)cli, (void)argc, (void)argv;
    return lh_server_run(stdin, stdout) == 0 ? LH_EXIT_YES : LH_EXIT_NO;
}

const lh_command lh_command_lsp = {
    .name = "lsp",
    .synopsis = "",
    .summary = "Speaks the Language Server Protocol: editors show errors as you type, and the "
               "shape and value of a name.",
    .examples = "longhand lsp\tstarted by an editor: see editors/\n",
    .notes = "Programs (.lh) and lessons (.md): diagnostics with their cure, hover with the "
             "formula, the shape and the value of a step, "
             "completion, go to definition, rename, formatting, folding, symbols.",
    .options = NULL,
    .run = lsp_run,
    .min_args = 0,
    .max_args = 0,
};
