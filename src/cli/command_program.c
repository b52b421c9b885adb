/* command_program -- longhand program LESSON[:NAME]: the text of a program, to be read, copied or changed. */
#include <string.h>
#include <unistd.h>

#include "cli/model.h"
#include "learn/chosen.h"

static struct { const char *out; } options;

static const lh_option program_options[] = {
    {"output", 'o', LH_OPTION_TEXT, &options.out, "FILE", "a new file instead of the screen", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* What a use line sets is no line of the program: it is said, to be typed. Other numbers are written out. */
static void write_head(lh_cli *cli, lh_text *t, const lh_source *s) {
    lh_text_add(t, "# %s%s%s\n", *s->title ? s->title : s->name, s->chosen ? ": " : "",
                s->chosen ? s->chosen : "");
    if (!s->use) return;
    lh_lesson_program typed = *s->use;
    typed.seed = 0;
    const char *with = lh_chosen_options(cli->arena, &typed);
    if (*with) lh_text_add(t, "# run it with %s\n", with);
}

static const char *text_of(lh_cli *cli, const lh_source *s) {
    lh_text t = lh_text_new(cli->arena);
    const char *dot = strrchr(s->file, '.');
    if (dot && strcmp(dot, ".lh") == 0) return lh_copy(cli->arena, s->text, s->length);
    write_head(cli, &t, s);
    const char *body = s->use && s->use->seed ? lh_program_print(s->program)
                                              : lh_chosen_text(cli->arena, s->program->source);
    lh_text_add(&t, "%s", body);
    return t.s;
}

/* A file that is there may hold somebody's changes. */
static int write_new(lh_cli *cli, const char *text) {
    if (access(options.out, F_OK) == 0) {
        lh_cli_fail(cli, "%s already exists and is not changed", options.out);
        fprintf(stderr, "choose another name, or delete the old file first\n");
        return LH_EXIT_FAILED;
    }
    if (!lh_cli_write_file(cli, options.out, text, strlen(text))) return LH_EXIT_FAILED;
    fprintf(stderr, "%s   try: longhand run %s\n", options.out,
            lh_shell_word(cli->arena, options.out));
    return LH_EXIT_YES;
}

/* Of a model folder the program that its config means, or its own. false: already reported */
static bool read_folder(lh_cli *cli, const char *path, const char **text) {
    lh_model m;
    if (!lh_model_open(cli, path, &m)) return false;
    *text = lh_copy(cli->arena, m.source.text, m.source.length);
    lh_model_close(&m);
    return true;
}

static int program_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    lh_source s = {0};
    const bool is_folder = lh_folder_is(argv[0]);
    const char *text = NULL;
    if (!(is_folder ? read_folder(cli, argv[0], &text) : lh_cli_load(cli, argv[0], &s)))
        return LH_EXIT_FAILED; /* already reported */
    if (!is_folder) text = text_of(cli, &s);
    int status = LH_EXIT_FAILED;
    if (lh_failed(cli->ctx))
        status = lh_cli_report(cli);
    else if (text && options.out)
        status = write_new(cli, text);
    else if (text)
        status = fputs(text, cli->out) < 0 ? LH_EXIT_FAILED : LH_EXIT_YES;
    lh_program_free(s.program);
    return status;
}

const lh_command lh_command_program = {
    .name = "program",
    .synopsis = "LESSON[:NAME]|FILE[:NAME]|FOLDER [-o FILE]",
    .summary = "The text of a program, to be read, copied or changed.",
    .examples = "longhand program ex1\tthe program of a lesson, without its prose\n"
                "longhand program attention:bag -o mine.lh\ta program with a name, into a file\n"
                "longhand program gpt -o mine.lh\ta model, to be changed\n"
                "longhand program smollm\twhat config.json of that folder means\n",
    .notes =
        "LESSON:NAME is the program whose block has that name; `longhand read` shows it above "
        "the code. A FOLDER with a model prints the program that its config.json means, with the "
        "sizes and "
        "names of its weights; what the config asks for and cannot be done is named. A file that "
        "is there already is left as it is.",
    .options = program_options,
    .run = program_run,
    .min_args = 1,
    .max_args = 1,
};
