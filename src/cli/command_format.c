/* command_format -- longhand format FILE...: programs with their lines in order. */
#include <string.h>

#include "base/ascii.h"
#include "cli/cli.h"
#include "notation/format.h"

static struct { bool check; } options;

static const lh_option format_options[] = {
    {"check", 0, LH_OPTION_FLAG, &options.check, NULL,
     "write nothing: exit status 1 where a file would change", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static char *set(lh_cli *cli, const char *path, const char *text, size_t length) {
    lh_fail_in(cli->ctx, path, text, length);
    char *out = lh_ends_in(path, ".md")
                    ? lh_format_lesson(cli->ctx, cli->arena, path, text, length)
                    : lh_format_program(cli->ctx, cli->arena, path, text, length);
    lh_fail_in(cli->ctx, path, text, length);
    return out;
}

static int format_one(lh_cli *cli, const char *path) {
    size_t length;
    const bool is_pipe = strcmp(path, "-") == 0;
    const char *text = lh_cli_read_file(cli, is_pipe ? "/dev/stdin" : path, &length);
    const char *out = text ? set(cli, path, text, length) : NULL;
    if (!out) {
        lh_cli_report(cli);
        lh_context_clear(cli->ctx);
        return LH_EXIT_FAILED;
    }
    const bool is_same = strlen(out) == length && memcmp(out, text, length) == 0;
    if (options.check) {
        if (!is_same) printf("%s\n", path);
        return is_same ? LH_EXIT_YES : LH_EXIT_NO;
    }
    if (is_pipe) return fputs(out, stdout) < 0 ? LH_EXIT_FAILED : LH_EXIT_YES;
    if (is_same) return LH_EXIT_YES;
    return lh_cli_write_file(cli, path, out, strlen(out)) ? LH_EXIT_YES : LH_EXIT_FAILED;
}

static int format_run(lh_cli *cli, int argc, char **argv) {
    int status = LH_EXIT_YES;
    for (int i = 0; i < argc; i++) {
        const int one = format_one(cli, argv[i]);
        if (one > status) status = one;
    }
    return status;
}

const lh_command lh_command_format = {
    .name = "format",
    .synopsis = "FILE... [--check]",
    .summary = "Lays out a program neatly: indents, spaces, comments.",
    .examples = "longhand format mine.lh\tin place\n"
                "longhand format lesson.md\tthe programs inside a lesson\n"
                "longhand format --check *.lh\twhich would change? exit status 1 if any\n"
                "longhand format - <mine.lh\tfrom stdin to stdout\n",
    .notes =
        "Blocks are indented by two spaces, = + - @ have a space on both sides and commas one "
        "after them; which line holds what, the columns of comments and numbers inside [ ] stay as "
        "they are. The program means the same as before, and a second run changes nothing.",
    .options = format_options,
    .run = format_run,
    .min_args = 1,
    .max_args = 1000,
};
