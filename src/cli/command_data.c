/* command_data -- longhand data TASK: examples that the project makes itself, to look at or to keep in a file. */
#include <limits.h>

#include "cli/cli.h"
#include "train/made_tasks.h"

static struct {
    const char *out;
    int n, seed;
    bool is_held_out;
} options = {.n = 1000};

static const lh_option data_options[] = {
    {"number", 'n', LH_OPTION_INT, &options.n, "N", "how many examples (1000)", 1, 100000000},
    {"seed", 's', LH_OPTION_INT, &options.seed, "N", "other examples (0)", 0, INT_MAX},
    {"held-out", 0, LH_OPTION_FLAG, &options.is_held_out, NULL,
     "from the part that train --task never learns from", 0, 0},
    {"out", 'o', LH_OPTION_TEXT, &options.out, "FILE", "write to this file", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static int list_tasks(void) {
    for (const lh_train_task *t = lh_train_tasks; t->name; t++)
        printf("%-10s %s\n", t->name, t->summary);
    return LH_EXIT_YES;
}

static void add_lines(const lh_train_task *t, uint64_t from, uint64_t to, lh_text *out) {
    lh_case p;
    for (uint64_t i = from; i < to; i++) {
        lh_train_task_example(t, (uint64_t)options.seed, i, options.is_held_out, &p);
        lh_train_task_line(&p, out);
    }
}

enum { AT_ONCE = 1000 };

/* A thousand at a time: whoever reads may go, and nothing grows. */
static int print_lines(lh_cli *cli, const lh_train_task *t) {
    for (int i = 0; i < options.n && !ferror(stdout); i += AT_ONCE) {
        lh_arena *a = lh_arena_new(cli->ctx);
        if (!a) return lh_cli_report(cli);
        lh_text out = lh_text_new(a);
        add_lines(t, (uint64_t)i, (uint64_t)(i + AT_ONCE < options.n ? i + AT_ONCE : options.n),
                  &out);
        fwrite(out.s, 1, out.n, stdout);
        fflush(stdout);
        lh_arena_free(a);
    }
    return LH_EXIT_YES;
}

static int run(lh_cli *cli, int argc, char **argv) {
    if (argc == 0) return list_tasks();
    const lh_train_task *t = lh_train_task_find(argv[0]);
    if (!t) {
        lh_cli_fail(cli, "%s is not a task", argv[0]);
        fprintf(stderr, "longhand data lists them\n");
        return LH_EXIT_FAILED;
    }
    if (!options.out) return print_lines(cli, t);
    lh_text out = lh_text_new(cli->arena);
    add_lines(t, 0, (uint64_t)options.n, &out);
    if (lh_failed(cli->ctx)) return lh_cli_report(cli);
    return lh_cli_write_file(cli, options.out, out.s, out.n) ? LH_EXIT_YES : LH_EXIT_FAILED;
}

const lh_command lh_command_data = {
    .name = "data",
    .synopsis = "[TASK] [options]",
    .summary =
        "Generates examples to learn from: sums, sorted digits, names, sentences in two languages.",
    .examples = "longhand data\tthe tasks\n"
                "longhand data addition -n 5\tfive sums\n"
                "longhand data translate -n 3 -s 7\twith which word comes from which\n"
                "longhand data names -n 10000 -o names.txt\ta file for train --data\n"
                "longhand data translate --held-out\twhat train --task translate never sees",
    .notes = "A line is an example: the question, a tab, the answer; for names just the name. With "
             "translate, a second tab and pairs such as 0-0 2-1 follow: the answer's word 1 comes "
             "from the question's word 2. Example i of a seed is always the same. A tenth of all "
             "questions, decided by the question itself, is held out, whatever the seed.",
    .options = data_options,
    .run = run,
    .min_args = 0,
    .max_args = 1,
};
