#include "cli/cli.h"
static int run(lh_cli *cli, int argc, char **argv) { (void)cli; (void)argc; (void)argv; return 2; }
const lh_command lh_command_translate = {.name = "translate", .synopsis = "FOLDER TEXT", .summary = "-", .examples = "-", .run = run, .min_args = 1, .max_args = 2};
