/* The signals are blocked but for the moment in which we wait for a key (pselect), so that none gets lost between looking
 * and waiting. Handlers only note what came. */
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

enum { N_SIGNALS = 6, SEQUENCE_MS = 50 };
static const int signals[N_SIGNALS] = {SIGWINCH, SIGTSTP, SIGINT, SIGTERM, SIGHUP, SIGQUIT};

struct lh_terminal {
    int fd;
    struct termios before;
    struct sigaction was[N_SIGNALS];
    sigset_t mask; /* before us: with it we wait */
    char *text;    /* to be written */
    size_t n, cap;
};

static volatile sig_atomic_t came[N_SIGNALS];

static void note(int number) {
    for (int i = 0; i < N_SIGNALS; i++)
        if (signals[i] == number) came[i] = 1;
}

static void write_all(int fd, const char *s, size_t n) {
    while (n) {
        ssize_t k = write(fd, s, n);
        if (k < 0 && errno != EINTR) return;
        if (k > 0) s += k, n -= (size_t)k;
    }
}

/* ---- taking the screen, and giving it back ---- */

static void enter(lh_terminal *t) {
    static const char take[] = "\033[?1049h\033[?25l";
    struct termios raw = t->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(t->fd, TCSADRAIN, &raw);
    write_all(t->fd, take, sizeof take - 1);
}

static void leave(lh_terminal *t) {
    static const char give[] = "\033[0m\033[?25h\033[?1049l";
    write_all(t->fd, give, sizeof give - 1);
    tcsetattr(t->fd, TCSADRAIN, &t->before);
}

static void catch_signals(lh_terminal *t) {
    struct sigaction action = {.sa_handler = note};
    sigset_t block;
    sigemptyset(&action.sa_mask);
    sigemptyset(&block);
    for (int i = 0; i < N_SIGNALS; i++) sigaddset(&block, signals[i]);
    sigprocmask(SIG_BLOCK, &block, &t->mask);
    for (int i = 0; i < N_SIGNALS; i++) {
        came[i] = 0;
        sigaction(signals[i], &action, &t->was[i]);
        sigdelset(&t->mask, signals[i]);
    }
}

static void release_signals(const lh_terminal *t) {
    for (int i = 0; i < N_SIGNALS; i++) sigaction(signals[i], &t->was[i], NULL);
    sigprocmask(SIG_SETMASK, &t->mask, NULL);
}

lh_terminal *lh_terminal_open(void) {
    lh_terminal *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (t->fd < 0 || tcgetattr(t->fd, &t->before)) {
        if (t->fd >= 0) close(t->fd);
        free(t);
        return NULL;
    }
    catch_signals(t);
    enter(t);
    return t;
}

void lh_terminal_close(lh_terminal *t) {
    if (!t) return;
    leave(t);
    release_signals(t);
    close(t->fd);
    free(t->text);
    free(t);
}

/* As if we had not caught it: stopped here and gone on with later, or ended here. */
static void give_way(lh_terminal *t, int number) {
    leave(t);
    release_signals(t);
    raise(number);
    catch_signals(t);
    enter(t);
}

/* ---- the screen ---- */

void lh_terminal_size(const lh_terminal *t, int *rows, int *columns) {
    struct winsize size;
    bool is_known = ioctl(t->fd, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col;
    *rows = is_known ? size.ws_row : 24;
    *columns = is_known ? size.ws_col : 80;
}

void lh_terminal_put(lh_terminal *t, const char *text) {
    size_t n = strlen(text);
    if (t->n + n > t->cap) {
        size_t cap = 2 * (t->n + n) + 4096;
        char *more = realloc(t->text, cap);
        if (!more) return; /* a line is missing on the screen; the next drawing brings it */
        t->text = more;
        t->cap = cap;
    }
    memcpy(t->text + t->n, text, n);
    t->n += n;
}

void lh_terminal_show(lh_terminal *t) {
    write_all(t->fd, t->text, t->n);
    t->n = 0;
}

/* ---- keys ---- */

/* A byte; -1: none came in time, the input ended, or a signal. ms < 0 waits for ever. */
static int byte_within(lh_terminal *t, int ms) {
    fd_set set;
    struct timespec limit = {ms / 1000, (long)(ms % 1000) * 1000000};
    unsigned char c;
    FD_ZERO(&set);
    FD_SET(t->fd, &set);
    errno = 0;
    if (pselect(t->fd + 1, &set, NULL, NULL, ms < 0 ? NULL : &limit, &t->mask) <= 0) return -1;
    ssize_t n = read(t->fd, &c, 1);
    if (n == 1) return c;
    if (n == 0) errno = EIO;
    return -1;
}

static const struct {
    const char *bytes;
    int key;
} sequences[] = {
    {"[A", LH_KEY_UP},    {"[B", LH_KEY_DOWN}, {"OA", LH_KEY_UP},       {"OB", LH_KEY_DOWN},
    {"[C", LH_KEY_RIGHT}, {"[D", LH_KEY_LEFT}, {"[5~", LH_KEY_PAGE_UP}, {"[6~", LH_KEY_PAGE_DOWN},
    {"[H", LH_KEY_HOME},  {"[F", LH_KEY_LAST}, {"[1~", LH_KEY_HOME},    {"[4~", LH_KEY_LAST},
    {"OH", LH_KEY_HOME},  {"OF", LH_KEY_LAST},
};

static int escape_key(lh_terminal *t) {
    char bytes[16] = "";
    size_t n = 0;
    for (int c; n + 1 < sizeof bytes && (c = byte_within(t, SEQUENCE_MS)) >= 0;) {
        bytes[n++] = (char)c;
        bytes[n] = 0;
        bool is_last = n > 1 && ((c >= '@' && c <= '~') || c == '~');
        if (is_last || (n == 1 && c != '[' && c != 'O')) break;
    }
    if (n == 0) return LH_KEY_ESCAPE;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (strcmp(sequences[i].bytes, bytes) == 0) return sequences[i].key;
    return LH_KEY_OTHER;
}

static int rest_of_character(lh_terminal *t, int first) {
    int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1, c = first & (0x3F >> more);
    for (; more; more--) {
        int next = byte_within(t, SEQUENCE_MS);
        if (next < 0) return LH_KEY_OTHER;
        c = (c << 6) | (next & 0x3F);
    }
    return c;
}

static int signal_key(lh_terminal *t) {
    for (int i = 0; i < N_SIGNALS; i++) {
        if (!came[i]) continue;
        came[i] = 0;
        if (signals[i] == SIGINT) return LH_KEY_END;
        if (signals[i] != SIGWINCH) give_way(t, signals[i]);
        return LH_KEY_AGAIN;
    }
    return 0;
}

int lh_terminal_key(lh_terminal *t) {
    for (;;) {
        int key = signal_key(t);
        if (key) return key;
        int c = byte_within(t, -1);
        if (c < 0 && errno == EINTR) continue;
        if (c < 0) return LH_KEY_END;
        if (c == '\033') return escape_key(t);
        return c < 0xC0 ? c : rest_of_character(t, c);
    }
}
