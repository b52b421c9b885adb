/* main -- longhand COMMAND ...: finds the command, reads its options from its table, runs it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "graph/build.h"
#include "base/version.h"
#include "learn/mistakes.h"

#define COMMAND(name) extern const lh_command lh_command_##name;
#include "cli/commands.def"
#undef COMMAND

const lh_command *const lh_commands[] = {
#define COMMAND(name) &lh_command_##name,
#include "cli/commands.def"
#undef COMMAND
    NULL,
};

static const lh_command *find_command(const char *name) {
    for (int i = 0; lh_commands[i]; i++)
        if (strcmp(lh_commands[i]->name, name) == 0) return lh_commands[i];
    return NULL;
}

/* ---- help ---- */

static void print_examples(lh_cli *cli, const char *examples) {
    while (examples && *examples) {
        size_t n = strcspn(examples, "\n"), tab = strcspn(examples, "\t\n");
        fputs("  ", stdout);
        lh_ink_on(cli, stdout, LH_INK_NAME);
        fwrite(examples, 1, tab, stdout);
        lh_ink_off(cli, stdout);
        if (tab < n) {
            int room = cli->width - 2 - (int)tab, text = (int)(n - tab - 1);
            if (room < text + 2)
                printf("\n      ");
            else
                printf("%*s", tab < 46 ? 46 - (int)tab : 2, "");
            fwrite(examples + tab + 1, 1, n - tab - 1, stdout);
        }
        fputc('\n', stdout);
        examples += n + (examples[n] == '\n');
    }
}

static int help_for(lh_cli *cli, const lh_command *c) {
    printf("longhand %s %s\n    ", c->name, c->synopsis);
    lh_wrap(stdout, cli->width, 4, c->summary);
    printf("\nExamples\n");
    print_examples(cli, c->examples);
    if (c->options && c->options->name) printf("\nOptions\n");
    for (const lh_option *o = c->options; o && o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%c%s--%s%s%s", o->letter ? "-" : "",
                 o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
                 o->argument ? " " : "", o->argument ? o->argument : "");
        printf("  %-24s ", left);
        lh_wrap(stdout, cli->width, 27, o->help);
    }
    if (c->notes) {
        fputc('\n', stdout);
        lh_wrap(stdout, cli->width, 0, c->notes);
    }
    return LH_EXIT_YES;
}

static int help(lh_cli *cli) {
    printf("Longhand %s   transformers, worked out by hand and at full speed\n\n", lh_version());
    printf("Commands   (longhand COMMAND --help says more)\n");
    for (int i = 0; lh_commands[i]; i++) {
        fputs("  ", stdout);
        lh_ink_print(cli, stdout, LH_INK_NAME, "%-9s", lh_commands[i]->name);
        fputs("  ", stdout);
        lh_wrap(stdout, cli->width, 13, lh_commands[i]->summary);
    }
    putchar('\n');
    lh_wrap(stdout, cli->width, 0,
            "LESSON is a short name from the list that `longhand help lessons` prints, or a file "
            "(.lh or "
            ".md); LESSON:NAME is one of the programs inside it.");
    lh_wrap(stdout, cli->width, 0,
            "--files FOLDER, with any command: programs may read files below FOLDER, too.");
    lh_wrap(stdout, cli->width, 0,
            "Exit status: 0 yes or done, 1 the answer is no, 2 could not run. NO_COLOR is "
            "respected.");
    return LH_EXIT_YES;
}

/* longhand help lessons */
static int list_lessons(lh_cli *cli) {
    lh_cli_list(cli, stdout);
    return LH_EXIT_YES;
}

/* ---- options ---- */

static bool read_int(lh_cli *cli, const lh_option *o, const char *text) {
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno || *end || !*text || n < o->min || n > o->max) {
        lh_cli_fail(cli, "--%s wants a whole number from %d to %d, and \"%s\" is none", o->name,
                    o->min, o->max, text);
        return false;
    }
    *(int *)o->value = (int)n;
    return true;
}

static void read_names(lh_cli *cli, lh_names *names, const char *text) {
    while (*text) {
        size_t n = strcspn(text, ", ");
        if (n) *lh_push(cli->arena, names->name, names->n) = lh_copy(cli->arena, text, n);
        text += n + (text[n] != 0);
    }
}

static bool read_setting(lh_cli *cli, const lh_option *o, const char *text) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        lh_cli_fail(cli, "--%s wants NAME=VALUE, and \"%s\" is none", o->name, text);
        return false;
    }
    lh_settings *s = o->value;
    *lh_push(cli->arena, s->set, s->n) =
        (lh_setting){lh_copy(cli->arena, text, (size_t)(equals - text)), equals + 1};
    return true;
}

/* What every command takes. */
static lh_names files;
static const lh_option common_options[] = {
    {"files", 0, LH_OPTION_NAMES, &files, "FOLDER",
     "programs may read files below this folder, too", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static const lh_option *find_in(const lh_option *o, const char *arg, size_t n) {
    for (; o && o->name; o++) {
        if (arg[0] == '-' && arg[1] == '-' && strlen(o->name) == n - 2 &&
            memcmp(o->name, arg + 2, n - 2) == 0)
            return o;
        if (arg[0] == '-' && n == 2 && o->letter && arg[1] == o->letter) return o;
    }
    return NULL;
}

static const lh_option *find_option(const lh_command *c, const char *arg, size_t n) {
    const lh_option *o = find_in(c->options, arg, n);
    return o ? o : find_in(common_options, arg, n);
}

static int fail_option(lh_cli *cli, const lh_command *c, const char *arg, size_t n) {
    const char *known[64];
    int k = 0;
    for (const lh_option *o = c->options; o && o->name && k < 64; o++) known[k++] = o->name;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)n, arg);
    const char *near = lh_nearest(word + strspn(word, "-"), known, k);
    int status = lh_cli_fail(cli, "%s has no option %s", c->name, word);
    if (near)
        fprintf(stderr, "did you mean --%s?\n", near);
    else
        fprintf(stderr, "longhand %s --help lists them\n", c->name);
    return status;
}

static bool read_value(lh_cli *cli, const lh_option *o, const char *text) {
    switch (o->kind) {
    case LH_OPTION_INT: return read_int(cli, o, text);
    case LH_OPTION_TEXT: *(const char **)o->value = text; return true;
    case LH_OPTION_NAMES: read_names(cli, o->value, text); return true;
    case LH_OPTION_LIST: {
        lh_names *list = o->value;
        *lh_push(cli->arena, list->name, list->n) = text;
        return true;
    }
    case LH_OPTION_SETTINGS: return read_setting(cli, o, text);
    default: return true;
    }
}

/* Options may stand anywhere; -- ends them. What is left are the arguments. A negative number is no option. */
static int run_command(lh_cli *cli, const lh_command *c, int argc, char **argv) {
    char **rest = lh_alloc_array(cli->arena, (size_t)argc + 1, sizeof *rest);
    int n = 0;
    for (int i = 0; rest && i < argc; i++) {
        const char *a = argv[i];
        if (strcmp(a, "--") == 0) {
            while (++i < argc) rest[n++] = argv[i];
            break;
        }
        if (a[0] != '-' || !a[1] || (a[1] >= '0' && a[1] <= '9') || a[1] == '.') {
            rest[n++] = argv[i];
            continue;
        }
        if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) return help_for(cli, c);
        size_t len = strcspn(a, "=");
        const lh_option *o = find_option(c, a, len);
        if (!o && c->takes_formulas && a[1] != '-') {
            rest[n++] = argv[i];
            continue;
        }
        if (!o) return fail_option(cli, c, a, len);
        if (o->kind == LH_OPTION_FLAG) {
            if (a[len]) return lh_cli_fail(cli, "--%s takes no value", o->name);
            *(bool *)o->value = true;
            continue;
        }
        if (!a[len] && i + 1 >= argc)
            return lh_cli_fail(cli, "--%s wants a value: --%s %s", o->name, o->name, o->argument);
        if (!read_value(cli, o, a[len] ? a + len + 1 : argv[++i])) return LH_EXIT_FAILED;
        while (o->kind == LH_OPTION_SETTINGS && i + 1 < argc && argv[i + 1][0] != '-' &&
               strchr(argv[i + 1], '='))
            if (!read_value(cli, o, argv[++i])) return LH_EXIT_FAILED;
    }
    if (n < c->min_args || n > c->max_args) {
        lh_cli_fail(cli, n < c->min_args ? "%s: something is missing" : "%s: that is too much",
                    c->name);
        fprintf(stderr, "usage: longhand %s %s\n", c->name, c->synopsis);
        return LH_EXIT_FAILED;
    }
    cli->files = files;
    return c->run(cli, n, rest);
}

static int dispatch(lh_cli *cli, int argc, char **argv) {
    if (argc < 2) return lh_cli_welcome(cli);
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        (strcmp(word, "help") == 0 && argc == 2))
        return help(cli);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("longhand %s\n", lh_version());
        return LH_EXIT_YES;
    }
    if (strcmp(word, "help") == 0) {
        if (strcmp(argv[2], "operations") == 0) return lh_cli_operations(cli);
        if (strcmp(argv[2], "lessons") == 0) return list_lessons(cli);
        const lh_command *c = find_command(argv[2]);
        if (c) return help_for(cli, c);
        word = argv[2];
    }
    const lh_command *c = find_command(word);
    if (c) return run_command(cli, c, argc - 2, argv + 2);
    const char *known[sizeof lh_commands / sizeof *lh_commands];
    int n = 0;
    for (; lh_commands[n]; n++) known[n] = lh_commands[n]->name;
    const char *near = lh_nearest(word, known, n);
    int status = lh_cli_fail(cli, "there is no command %s", word);
    if (near)
        fprintf(stderr, "did you mean %s?\n", near);
    else
        fprintf(stderr, "longhand --help lists the commands\n");
    return status;
}

static int screen_width(void) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int n = columns ? atoi(columns) : 0;
    if (n <= 0 && isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        n = size.ws_col;
    if (n <= 0) n = 80;
    return n < 40 ? 40 : n > 200 ? 200 : n;
}

/* A file that is opened later must not become the screen: what is closed is taken, by something that cannot be read or
 * written, so that whoever reads from it or writes to it is told. */
static void take_closed(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
    take_closed();
    lh_screen_guard();
    setlocale(LC_CTYPE, "");
    lh_cli cli = {.ctx = lh_context_new(), .out = stdout};
    if (!cli.ctx || !(cli.arena = lh_arena_new(cli.ctx))) {
        fputs("longhand: out of memory\n", stderr);
        lh_context_free(cli.ctx);
        return LH_EXIT_FAILED;
    }
    cli.is_terminal = isatty(STDOUT_FILENO);
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    cli.colour =
        cli.is_terminal && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
    cli.width = screen_width();
    int status = dispatch(&cli, argc, argv);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "longhand: the output cannot be written: %s\n", strerror(errno));
        status = LH_EXIT_FAILED;
    }
    lh_mistakes_free(cli.rules);
    for (int i = 0; i < cli.n_kept; i++) lh_program_free(cli.kept[i]);
    lh_arena_free(cli.arena);
    lh_context_free(cli.ctx);
    return status;
}
