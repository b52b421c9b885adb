#define _GNU_SOURCE /* fopencookie */
#include "cli/screen.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

enum { MOST_HELD = 32, ROOM = 4096 };

/* A stream to a terminal. What a write ends in the middle of waits for the next one. */
typedef struct guard {
    int fd;
    FILE *plain; /* as it was */
    char held[MOST_HELD];
    size_t n_held;
} guard;

static guard guards[2];

/* ---- what may pass ---- */

/* The length of ESC [ 3 6 m at s; 0: it is something else; more than n: it is not at its end yet. */
static size_t colour_length(const char *s, size_t n) {
    size_t k = 2;
    if (n > 1 && s[1] != '[') return 0;
    while (k < n && ((s[k] >= '0' && s[k] <= '9') || s[k] == ';')) k++;
    if (k >= n) return n < MOST_HELD ? n + 1 : 0;
    return s[k] == 'm' ? k + 1 : 0;
}

/* Controls of the second set, and those that turn the order of what is written. */
static bool is_hidden_control(uint32_t c) {
    return (c >= 0x80 && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/* What is shown for the text at s: out and its length; returns how many bytes of s that took, 0: too few to know. */
static size_t show_next(const char *s, size_t n, char out[MOST_HELD], size_t *length) {
    uint32_t c = 0;
    size_t k = lh_utf8_read(s, n, &c);
    if (c == '\033' && k == 1) {
        const size_t colour = colour_length(s, n);
        if (colour > n) return 0;
        if (colour && colour <= MOST_HELD) {
            memcpy(out, s, *length = colour);
            return colour;
        }
    }
    if (k == 0 && lh_utf8_cut(s, n) == n) return 0; /* its other bytes may come */
    if (k == 0 || is_hidden_control(c)) {
        c = 0xFFFD;
        if (k == 0) k = 1;
    } else if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7F) {
        c = c == 0x7F ? 0x2421 : 0x2400 + c; /* their pictures */
    }
    *length = lh_utf8_write(out, c);
    return k;
}

char *lh_screen_clean(lh_arena *a, const char *text) {
    lh_text t = lh_text_new(a);
    for (size_t n = strlen(text), k, length; n > 0; text += k, n -= k) {
        char out[MOST_HELD];
        k = show_next(text, n, out, &length);
        if (k == 0 || *out == '\033') out[0] = '?', length = 1, k = k ? k : 1;
        lh_text_add_n(&t, out, length);
    }
    return t.s;
}

/* ---- streams ---- */

static bool write_all(int fd, const char *s, size_t n) {
    while (n > 0) {
        ssize_t done = write(fd, s, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        s += done;
        n -= (size_t)done;
    }
    return true;
}

static bool pass(guard *g, const char *s, size_t n) {
    char room[ROOM];
    size_t used = 0, length, k;
    for (; n > 0; s += k, n -= k) {
        char out[MOST_HELD];
        k = show_next(s, n, out, &length);
        if (k == 0) break;
        if (used + length > ROOM) {
            if (!write_all(g->fd, room, used)) return false;
            used = 0;
        }
        memcpy(room + used, out, length);
        used += length;
    }
    memmove(g->held, s, g->n_held = n < MOST_HELD ? n : 0);
    return write_all(g->fd, room, used);
}

#ifdef __GLIBC__
/* What was held and the first bytes together, then the rest. */
static ssize_t write_guarded(void *who, const char *s, size_t n) {
    guard *g = who;
    size_t at = 0;
    while (g->n_held && at < n) {
        char both[MOST_HELD + 1];
        const size_t held = g->n_held;
        memcpy(both, g->held, held);
        both[held] = s[at++];
        if (!pass(g, both, held + 1)) return 0;
    }
    return pass(g, s + at, n - at) || at == n ? (ssize_t)n : 0;
}

static FILE *guarded(guard *g, FILE *plain, int fd) {
    *g = (guard){.fd = fd, .plain = plain};
    if (!isatty(fd)) return plain;
    FILE *f = fopencookie(g, "w", (cookie_io_functions_t){.write = write_guarded});
    if (!f) return plain;
    fflush(plain);
    setvbuf(f, NULL, _IOLBF, BUFSIZ);
    return f;
}

void lh_screen_guard(void) {
    stdout = guarded(&guards[0], stdout, STDOUT_FILENO);
    stderr = guarded(&guards[1], stderr, STDERR_FILENO);
}
#else
void lh_screen_guard(void) {
    guards[0] = (guard){.fd = STDOUT_FILENO, .plain = stdout};
    guards[1] = (guard){.fd = STDERR_FILENO, .plain = stderr};
}
#endif

FILE *lh_screen_plain(FILE *out) {
    return out == stderr ? guards[1].plain : guards[0].plain;
}

void lh_screen_begin_line(FILE *out) {
    FILE *plain = lh_screen_plain(out);
    fflush(out);
    fputs("\r\033[K", plain);
    fflush(plain);
}
