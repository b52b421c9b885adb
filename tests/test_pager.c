/* longhand read at a terminal: a pseudo-terminal types the keys and looks at what comes; afterwards the terminal must be as it was. */
#define _XOPEN_SOURCE 700
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

typedef struct screen {
    int master;
    pid_t leader, program; /* a small shell, and what it runs */
    char seen[1 << 20];    /* since the last key */
    size_t n;
} screen;

static screen s;
static char data[256];

static void set_size(int rows, int columns) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    assert_int_equal(ioctl(s.master, TIOCSWINSZ, &size), 0);
}

/* What a shell does: the program in a group of its own in the foreground; when it stops, says so and goes on with it. */
static void lead(const char *terminal, const char *const *words) {
    setsid();
    int fd = open(terminal, O_RDWR);
    dup2(fd, 0), dup2(fd, 1), dup2(fd, 2);
    signal(SIGTTOU, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        tcsetpgrp(0, getpid());
        signal(SIGTTOU, SIG_DFL);
        execv(words[0], (char *const *)words);
        _exit(126);
    }
    setpgid(child, child);
    tcsetpgrp(0, child);
    dprintf(1, "[program %d]", (int)child);
    for (int status;;) {
        if (waitpid(child, &status, WUNTRACED) < 0 && errno != EINTR) _exit(125);
        if (WIFSTOPPED(status)) {
            struct termios t;
            tcgetattr(0, &t);
            dprintf(1, "[stopped %s]", t.c_lflag & ICANON ? "in order" : "raw");
            kill(-child, SIGCONT);
        } else {
            dprintf(1, "[ended %d]",
                    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
            _exit(0);
        }
    }
}

/* Waits up to ten seconds for a text. */
static void await(const char *text) {
    for (;;) {
        if (strstr(s.seen, text)) return;
        struct pollfd p = {.fd = s.master, .events = POLLIN};
        ssize_t n = -1;
        if (poll(&p, 1, 10000) > 0) n = read(s.master, s.seen + s.n, sizeof s.seen - s.n - 1);
        if (n <= 0) fail_msg("\"%s\" did not come; the last was: %s", text, s.seen);
        s.n += (size_t)n;
        s.seen[s.n] = 0;
    }
}

static void type(const char *keys) {
    s.n = 0;
    s.seen[0] = 0;
    assert_int_equal(write(s.master, keys, strlen(keys)), strlen(keys));
}

static void begin(int rows, int columns, const char *lesson) {
    char program[1024], path[1024];
    snprintf(program, sizeof program, "%s/longhand", getenv("LH_BUILD_ROOT"));
    snprintf(path, sizeof path, "%s/tests/lessons/everything.md", getenv("LH_SOURCE_ROOT"));
    const char *file = lesson && strcmp(lesson, "everything") == 0 ? path : lesson;
    const char *const words[] = {program, "read", file, NULL};
    s = (screen){.master = posix_openpt(O_RDWR | O_NOCTTY)};
    assert_true(s.master >= 0 && grantpt(s.master) == 0 && unlockpt(s.master) == 0);
    char *name = strdup(ptsname(s.master));
    set_size(rows, columns);
    setenv("LONGHAND_DATA", data, 1);
    setenv("TERM", "xterm", 1);
    unsetenv("COLUMNS");
    s.leader = fork();
    if (s.leader == 0) lead(name, words);
    free(name);
    await("[program ");
    s.program = (pid_t)atoi(strstr(s.seen, "[program ") + 9);
}

/* The screen is given back, and the terminal takes lines again. */
static void end(int status) {
    char text[32];
    snprintf(text, sizeof text, "[ended %d]", status);
    await(text);
    assert_non_null(strstr(s.seen, "\033[?1049l"));
    struct termios t;
    assert_int_equal(tcgetattr(s.master, &t), 0);
    assert_true(t.c_lflag & ICANON);
    assert_true(t.c_lflag & ECHO);
    waitpid(s.leader, NULL, 0);
    close(s.master);
}

static void keys_move(void **state) {
    (void)state;
    begin(24, 80, "everything");
    await("h help");
    assert_non_null(strstr(s.seen, "Everything a lesson can hold"));
    assert_null(strstr(s.seen, "Lists and tables"));
    type(" ");
    await("X = E[tokens]");
    type("G");
    await("100%");
    assert_non_null(strstr(s.seen, "Next: longhand read"));
    type("g");
    await("15 minutes");
    type("\033[B");
    await("h help");
    assert_null(strstr(s.seen, "Everything a lesson can hold\033["));
    type("h");
    await("any key goes back");
    type("x");
    await("h help");
    type("q");
    end(0);
}

/* The whole of it is on the screen, and no line is broken by its edge. */
static void help_fits(void **state) {
    (void)state;
    static const int widths[] = {60, 80};
    for (int i = 0; i < 2; i++) {
        begin(15, widths[i], "everything");
        await("h help");
        type("h");
        await("any key goes back");
        int rows = 0;
        char *line = strstr(s.seen, "Keys");
        assert_non_null(line);
        for (char *stop; (stop = strstr(line, "\033[K")); line = stop + 3, rows++) {
            line += strspn(line, "\r\n");
            if (stop - line > widths[i])
                fail_msg("%d columns: %.*s", widths[i], (int)(stop - line), line);
        }
        assert_int_equal(rows, 14);
        type("x");
        await("h help");
        type("q");
        end(0);
    }
}

static void search_finds(void **state) {
    (void)state;
    begin(24, 80, "everything");
    await("h help");
    type("/quotation\r");
    await("\033[7mquotation\033[27m");
    type("/nowhere at all\r");
    await("is not in this lesson");
    type("/softmax\r");
    await("\033[7msoftmax\033[27m");
    type("n");
    await("\033[7msoftmax");
    type("N");
    await("\033[7msoftmax");
    type("q");
    end(0);
}

static void size_may_change(void **state) {
    (void)state;
    begin(24, 100, "everything");
    await("h help");
    s.n = 0, s.seen[0] = 0;
    set_size(40, 60);
    await("h help");
    for (char *line = strtok(s.seen, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        int columns = 0;
        for (char *c = line; *c; c++) {
            if (*c == '\033') {
                while (*c && !(*c >= '@' && *c <= '~' && *c != '[')) c++;
                if (!*c) break;
                continue;
            }
            columns += ((unsigned char)*c & 0xC0) != 0x80;
        }
        if (columns > 60) fail_msg("%d columns: %s", columns, line);
    }
    type("q");
    end(0);
}

/* e leaves the page for the prompt of the exercises and comes back to it. */
static void e_begins_the_exercise(void **state) {
    (void)state;
    begin(12, 80, "start");
    await("e exercise");
    type("e");
    await("After \"sea\""); /* nothing is on the screen: the first */
    type("q\n");
    await("back in the lesson");
    type("/Exercise 3\r");
    await("\033[7mExercise 3");
    type("e");
    await("Your own three words"); /* the first on the screen */
    type("q\n");
    await("back in the lesson");
    type("q");
    end(0);
    begin(24, 80, "xor-relu");
    await("h help");
    type("e");
    await("has no exercises");
    type("q");
    end(0);
}

static void stopped_and_gone_on_with(void **state) {
    (void)state;
    begin(24, 80, "everything");
    await("h help");
    type("\032"); /* Ctrl-Z */
    await("[stopped in order]");
    await("h help"); /* and the screen again */
    type("\003");    /* Ctrl-C ends it */
    end(0);
}

static void signals_leave_order(void **state) {
    (void)state;
    begin(24, 80, "everything");
    await("h help");
    type("j");
    await("h help");
    kill(s.program, SIGTERM);
    end(128 + SIGTERM);
}

/* Other lessons, the contents, and going on the next day. */
static void place_is_kept(void **state) {
    (void)state;
    begin(24, 80, "ex1");
    await("Example 1");
    type("]");
    await("Example 2");
    type("[");
    await("Example 1");
    type("c");
    await("The six examples");
    type("j\r");
    await("ex2   Example 2");
    type("G");
    await("100%");
    type("q");
    end(0);
    begin(24, 80, NULL); /* ex2 was read to its end */
    await("ex3   Example 3");
    type(" ");
    await("h help");
    type(" ");
    await("h help");
    type("q");
    end(0);
    begin(24, 80, NULL);
    await("ex3   Example 3");
    assert_null(strstr(s.seen, "═══")); /* not at the title */
    type("q");
    end(0);
}

static int make_data(void **state) {
    (void)state;
    snprintf(data, sizeof data, "/tmp/longhand-pager-XXXXXX");
    return mkdtemp(data) ? 0 : -1;
}

static int remove_data(void **state) {
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", data);
    return system(command);
}

static bool has_terminals(void) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    bool has = master >= 0 && grantpt(master) == 0;
    if (master >= 0) close(master);
    return has;
}

int main(void) {
    if (!has_terminals()) {
        puts("1..0 # SKIP no pseudo-terminals here: /dev/pts is not mounted");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_move),           cmocka_unit_test(help_fits),
        cmocka_unit_test(search_finds),        cmocka_unit_test(e_begins_the_exercise),
        cmocka_unit_test(size_may_change),     cmocka_unit_test(stopped_and_gone_on_with),
        cmocka_unit_test(signals_leave_order), cmocka_unit_test(place_is_kept),
    };
    return cmocka_run_group_tests_name("pager", tests, make_data, remove_data);
}
