/* command_open -- longhand open: the course in the browser, with nothing to choose. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/book.h"

static struct { bool quiet; } options;

static const lh_option open_options[] = {
    {"no-browser", 0, LH_OPTION_FLAG, &options.quiet, NULL,
     "write the pages and say where they are", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* XDG_CACHE_HOME/longhand/course, or ~/.cache/longhand/course; NULL: there is no home. */
static const char *cache_folder(lh_cli *cli) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/') return lh_printf(cli->arena, "%s/longhand/course", cache);
    return home && *home ? lh_printf(cli->arena, "%s/.cache/longhand/course", home) : NULL;
}

/* Every folder on the way to it. */
static bool make_folders(lh_cli *cli, const char *path) {
    char *s = lh_copy(cli->arena, path, strlen(path));
    for (char *slash = s + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        if (mkdir(s, 0777) && errno != EEXIST) {
            lh_cli_fail(cli, "%s cannot be made: %s", s, strerror(errno));
            return false;
        }
    }
    return true;
}

/* Whoever opens pages here; false: nobody does. Its own words are not ours. */
static bool show_page(const char *page) {
    const char *asked = getenv("LONGHAND_BROWSER"), *with = asked ? asked : "xdg-open";
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        execlp(with, with, page, (char *)NULL);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static int open_run(lh_cli *cli, int argc, char **argv) {
    (void)argc, (void)argv;
    const char *folder = cache_folder(cli);
    if (!folder)
        return lh_cli_fail(cli, "there is no HOME to write the pages to: longhand book -o DIR");
    if (!make_folders(cli, folder)) return LH_EXIT_FAILED;
    const int status = lh_book_write(cli, folder);
    const char *page = lh_printf(cli->arena, "%s/index.html", folder);
    if (status != LH_EXIT_YES || options.quiet) return status;
    fflush(NULL);
    if (!show_page(page)) fprintf(stderr, "no browser could be started: open %s in one\n", page);
    return LH_EXIT_YES;
}

const lh_command lh_command_open = {
    .name = "open",
    .synopsis = "[--no-browser]",
    .summary = "Opens the course in a browser, with numbers you can open, change and work out.",
    .examples = "longhand open\twrites the pages and opens them\n"
                "longhand open --no-browser\tsays where they are\n",
    .notes = "The pages are those of longhand book, in XDG_CACHE_HOME/longhand/course or "
             "~/.cache/longhand/course. xdg-open shows them, or the program that LONGHAND_BROWSER "
             "names.",
    .options = open_options,
    .run = open_run,
    .min_args = 0,
    .max_args = 0,
};
