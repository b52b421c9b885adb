/* command_class -- longhand class FILE: the secret with which the sheets of a class are made and marked. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/sheet.h"

static struct { const char *name; } options;

static const lh_option class_options[] = {
    {"name", 0, LH_OPTION_TEXT, &options.name, "NAME", "name of the class", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static bool random_bytes(unsigned char *out, size_t n) {
    int fd = open("/dev/urandom", O_RDONLY);
    size_t got = 0;
    while (fd >= 0 && got < n) {
        ssize_t k = read(fd, out + got, n - got);
        if (k <= 0) break;
        got += (size_t)k;
    }
    if (fd >= 0) close(fd);
    return got == n;
}

/* For its owner alone, and never over a file that is there: a secret that is gone takes the marks of a class with it. */
static bool write_secret(lh_cli *cli, const char *file, const char *text) {
    size_t n = strlen(text);
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0600);
    bool ok = fd >= 0 && write(fd, text, n) == (ssize_t)n && fsync(fd) == 0;
    int why = errno;
    if (fd >= 0 && close(fd)) ok = false, why = errno;
    if (ok) return true;
    if (fd >= 0) unlink(file);
    lh_cli_fail(cli, "%s cannot be written: %s", file, strerror(why));
    return false;
}

static int make(lh_cli *cli, const char *file) {
    unsigned char bytes[LH_SECRET_BYTES];
    const char *name = options.name ? options.name : "";
    if (strpbrk(name, "\n\r")) return lh_cli_fail(cli, "a name is one line");
    if (!random_bytes(bytes, sizeof bytes))
        return lh_cli_fail(cli, "/dev/urandom gives no random numbers, and a secret needs them");
    if (!write_secret(cli, file, lh_secret_text(cli->arena, name, bytes))) return LH_EXIT_FAILED;
    return LH_EXIT_YES;
}

static int class_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    const char *file = argv[0];
    bool is_new = access(file, F_OK) != 0;
    if (is_new && make(cli, file) != LH_EXIT_YES) return LH_EXIT_FAILED;
    if (!is_new && options.name) {
        lh_cli_fail(cli, "%s already exists and is not changed", file);
        fprintf(stderr, "its line \"class\" has the name\n");
        return LH_EXIT_FAILED;
    }
    const lh_secret *s = lh_cli_secret(cli, file);
    if (!s) return LH_EXIT_FAILED;
    printf("%s: %s%s%ssheets carry the code %s\n", file, is_new ? "a new secret; " : "", s->name,
           *s->name ? "; " : "", s->code);
    if (is_new)
        printf("Keep a copy, and show it to no student: it makes the keys and is needed to mark.\n"
               "longhand sheet LESSON --class %s --roster names.csv -o sheets\n",
               file);
    return LH_EXIT_YES;
}

const lh_command lh_command_class = {
    .name = "class",
    .synopsis = "FILE [options]",
    .summary = "Makes or shows a class secret: without it, nobody can make the answer keys.",
    .examples = "longhand class physics.class --name 'Physics 2026'\ta new secret\n"
                "longhand class physics.class\twhich one it is\n",
    .notes = "An existing file is shown and never changed. Sheets are made with sheet --class and "
             "marked with mark --class. docs/teaching.md explains all of it.",
    .options = class_options,
    .run = class_run,
    .min_args = 1,
    .max_args = 1,
};
