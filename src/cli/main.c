/* main -- longhand COMMAND ...: finds the command, reads its options from its table, runs it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/help.h"
#include "cli/screen.h"
#include "graph/build.h"
#include "base/version.h"
#include "learn/mistakes.h"

/* ---- options ---- */

static bool read_int(lh_cli *cli, const lh_option *o, const char *text) {
    if (lh_number_whole(text, o->min, o->max, o->value)) return true;
    lh_cli_fail(cli, "--%s needs a whole number from %d to %d, not \"%s\"", o->name, o->min, o->max,
                text);
    return false;
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
        lh_cli_fail(cli, "--%s needs NAME=VALUE, not \"%s\"", o->name, text);
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
     "programs may also read files below this folder", 0, 0},
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
    if (!rest) return lh_cli_report(cli);
    for (int i = 0; i < argc; i++) {
        const char *a = argv[i];
        if (strcmp(a, "--") == 0) {
            while (++i < argc) rest[n++] = argv[i];
            break;
        }
        if (a[0] != '-' || !a[1] || (a[1] >= '0' && a[1] <= '9') || a[1] == '.') {
            rest[n++] = argv[i];
            continue;
        }
        if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0)
            return lh_help_command(cli, c), LH_EXIT_YES;
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
            return lh_cli_fail(cli, "--%s needs a value: --%s %s", o->name, o->name, o->argument);
        if (!read_value(cli, o, a[len] ? a + len + 1 : argv[++i])) return LH_EXIT_FAILED;
        while (o->kind == LH_OPTION_SETTINGS && i + 1 < argc && argv[i + 1][0] != '-' &&
               strchr(argv[i + 1], '='))
            if (!read_value(cli, o, argv[++i])) return LH_EXIT_FAILED;
    }
    if (n < c->min_args || n > c->max_args) {
        if (n < c->min_args)
            lh_cli_fail(cli, "%s: an argument is missing", c->name);
        else
            lh_cli_fail(cli, "%s: unexpected argument \"%s\"", c->name, rest[c->max_args]);
        fprintf(stderr, "usage: longhand %s %s\n", c->name, c->synopsis);
        return LH_EXIT_FAILED;
    }
    cli->files = files;
    return c->run(cli, n, rest);
}

/* longhand help [COMMAND|lessons|operations|manual|completion [SHELL]|steps LESSON]; -1: there is no such thing. */
static int help(lh_cli *cli, int argc, char **argv) {
    const char *word = argc ? argv[0] : NULL;
    bool is_manual = word && strcmp(word, "manual") == 0;
    const char *name = is_manual ? argv[1] : word;
    const lh_command *c = name ? lh_command_find(name) : NULL;
    if (!word)
        lh_help_all(cli);
    else if (strcmp(word, "operations") == 0)
        return lh_cli_operations(cli);
    else if (strcmp(word, "lessons") == 0)
        lh_cli_list(cli, stdout);
    else if (strcmp(word, "completion") == 0)
        return lh_help_completion(cli, argc > 1 ? argv[1] : NULL);
    else if (strcmp(word, "steps") == 0 && argc > 1)
        return lh_help_steps(cli, argv[1]);
    else if (is_manual && c)
        lh_help_manual(cli, c);
    else if (is_manual && !name)
        for (int i = 0; lh_commands[i]; i++) lh_help_manual(cli, lh_commands[i]);
    else if (c)
        lh_help_command(cli, c);
    else
        return -1;
    return LH_EXIT_YES;
}

static int fail_command(lh_cli *cli, const char *word) {
    const char **known = NULL;
    int n = 0;
    for (int i = 0; lh_commands[i]; i++) *lh_push(cli->arena, known, n) = lh_commands[i]->name;
    const char *near = lh_nearest(word, known, n);
    int status = lh_cli_fail(cli, "there is no command %s", word);
    if (lh_cli_is_lesson(cli, word))
        fprintf(stderr, "longhand run %s shows its steps, longhand read %s the lesson\n",
                lh_shell_word(cli->arena, word), lh_shell_word(cli->arena, word));
    else if (near)
        fprintf(stderr, "did you mean %s?\n", near);
    else
        fprintf(stderr, "longhand --help lists the commands\n");
    return status;
}

static int dispatch(lh_cli *cli, int argc, char **argv) {
    if (argc < 2) return lh_cli_welcome(cli);
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("longhand %s\nbuilt with %s\n", lh_version(), LH_BUILT_WITH);
        return LH_EXIT_YES;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help(cli, 0, argv);
    if (strcmp(word, "help") == 0) {
        int status = help(cli, argc - 2, argv + 2);
        return status < 0 ? fail_command(cli, strcmp(argv[2], "manual") == 0 ? argv[3] : argv[2])
                          : status;
    }
    const lh_command *c = lh_command_find(word);
    return c ? run_command(cli, c, argc - 2, argv + 2) : fail_command(cli, word);
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

/* A file beyond the limit of `ulimit -f` is an error like a full disk, with a message, and not the end of the program. */
static void outlive_file_limit(void) {
    signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv) {
    take_closed();
    outlive_file_limit();
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
