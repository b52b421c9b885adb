#include "cli/cli.h"

static int calc_run(lh_cli *cli, int argc, char **argv) {
    (void)argc, (void)argv;
    return lh_cli_fail(cli, "not there yet");
}

const lh_command lh_command_calc = {.name = "calc",
                                    .synopsis = "LESSON",
                                    .summary = "",
                                    .examples = "",
                                    .run = calc_run,
                                    .min_args = 1,
                                    .max_args = 1};
