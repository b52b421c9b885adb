#include "cli/prompt.h"
#include "cli/screen.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifdef HAVE_LIBEDIT
#include <histedit.h>
#endif

enum { REMEMBERED = 1000, MAX_PATH = 4096 };

struct lh_prompt {
    bool is_interactive, is_dropped;
    char *line; /* getline's */
    size_t cap;
#ifdef HAVE_LIBEDIT
    EditLine *edit;
    History *history;
    const char *sign;
    char path[MAX_PATH]; /* of the history; "" where there is none */
#endif
};

static void cut_end(char *s) {
    size_t n = strlen(s);
    while (n && (s[n - 1] == '\n' || s[n - 1] == '\r')) s[--n] = 0;
}

#ifndef HAVE_LIBEDIT

static void interrupted(int signal) {
    (void)signal; /* that the read ends is all that is wanted */
}

static void catch_interrupts(void) {
    struct sigaction action = {.sa_handler = interrupted};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

#endif

static const char *plain_line(lh_prompt *p, const char *sign) {
    p->is_dropped = false;
    if (p->is_interactive) fputs(sign, stdout), fflush(stdout);
    errno = 0;
    if (getline(&p->line, &p->cap, stdin) < 0) {
        if (errno != EINTR || !p->is_interactive) return NULL;
        clearerr(stdin);
        putchar('\n');
        p->is_dropped = true;
        return "";
    }
    cut_end(p->line);
    return p->line;
}

#ifdef HAVE_LIBEDIT

/* Makes the folders on the way to a file; what is there already is fine, and failing is too. */
static void make_folders(char *path) {
    for (char *s = strchr(path + 1, '/'); s; s = strchr(s + 1, '/')) {
        *s = 0;
        (void)mkdir(path, 0700);
        *s = '/';
    }
}

static void find_history(lh_prompt *p, const char *file) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool is_set = state && state[0] == '/';
    if (!is_set && !(home && home[0] == '/')) return;
    int n = snprintf(p->path, sizeof p->path, "%s%s/longhand/%s", is_set ? state : home,
                     is_set ? "" : "/.local/state", file);
    if (n < 0 || (size_t)n >= sizeof p->path)
        p->path[0] = 0;
    else
        make_folders(p->path);
}

static char *edit_sign(EditLine *e) {
    lh_prompt *p = NULL;
    el_get(e, EL_CLIENTDATA, &p);
    return (char *)p->sign;
}

/* Ctrl-C: the line ends here and does not count. */
static unsigned char edit_drop(EditLine *e, wint_t c) {
    lh_prompt *p = NULL;
    (void)c;
    el_get(e, EL_CLIENTDATA, &p);
    p->is_dropped = true;
    return CC_NEWLINE;
}

static bool edit_open(lh_prompt *p, const char *file) {
    HistEvent event;
    p->edit = el_init("longhand", stdin, lh_screen_plain(stdout), lh_screen_plain(stderr));
    p->history = history_init();
    if (!p->edit || !p->history) return false;
    find_history(p, file);
    history(p->history, &event, H_SETSIZE, REMEMBERED);
    history(p->history, &event, H_SETUNIQUE, 1);
    if (p->path[0]) history(p->history, &event, H_LOAD, p->path);
    el_set(p->edit, EL_CLIENTDATA, p);
    el_set(p->edit, EL_PROMPT, edit_sign);
    el_set(p->edit, EL_EDITOR, "emacs");
    el_set(p->edit, EL_HIST, history, p->history);
    el_set(p->edit, EL_SIGNAL, 1); /* so that a new width of the terminal is noticed */
    el_set(p->edit, EL_SETTY, "-d", "-isig", NULL);
    el_wset(p->edit, EL_ADDFN, L"drop-line", L"Drop the line", edit_drop); /* el_set leaks both */
    el_set(p->edit, EL_BIND, "^C", "drop-line", NULL);
    el_set(p->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    return true;
}

static const char *edit_line(lh_prompt *p, const char *sign) {
    int n = 0;
    p->sign = sign;
    p->is_dropped = false;
    const char *line = el_gets(p->edit, &n);
    if (p->is_dropped) putchar('\n');
    if (!line || n <= 0) return NULL;
    free(p->line);
    p->line = strdup(line);
    if (p->line) cut_end(p->line);
    return p->line;
}

#endif

lh_prompt *lh_prompt_open(bool is_interactive, const char *history_file) {
    lh_prompt *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->is_interactive = is_interactive;
#ifdef HAVE_LIBEDIT
    if (is_interactive && !edit_open(p, history_file)) {
        lh_prompt_close(p);
        return NULL;
    }
#else
    (void)history_file;
    if (is_interactive) catch_interrupts();
#endif
    return p;
}

const char *lh_prompt_line(lh_prompt *p, const char *sign) {
#ifdef HAVE_LIBEDIT
    if (p->edit) return edit_line(p, sign);
#endif
    return plain_line(p, sign);
}

bool lh_prompt_dropped(const lh_prompt *p) {
    return p->is_dropped;
}

void lh_prompt_remember(lh_prompt *p, const char *text) {
#ifdef HAVE_LIBEDIT
    HistEvent event;
    if (p->history && text[0]) history(p->history, &event, H_ENTER, text);
#else
    (void)p, (void)text;
#endif
}

void lh_prompt_close(lh_prompt *p) {
    if (!p) return;
#ifdef HAVE_LIBEDIT
    HistEvent event;
    if (p->history && p->path[0]) history(p->history, &event, H_SAVE, p->path);
    if (p->history) history_end(p->history);
    if (p->edit) el_end(p->edit);
#endif
    free(p->line);
    free(p);
}
