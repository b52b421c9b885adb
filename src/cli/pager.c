#include "base/utf8.h"
#include "cli/pager.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "cli/page_layout.h"
#include "cli/screen.h"

/* For a screen of 60 columns; 14 rows with the last one. */
static const char *const help[] = {
    "Keys",
    "",
    "  space, b   a screen forward, back",
    "  j, k       a line forward, back",
    "  d, u       half a screen forward, back",
    "  g, G       the beginning, the end",
    "  /          search; small letters also find capitals",
    "  n, N       the next find, the one before",
    "  ], [       the next lesson, the one before",
    "  c, e, q    the contents, an exercise, quit",
    "",
    "Arrows, page up and down, home, end and enter work, too.",
    "Without a search, n is the next lesson.",
};

/* ---- drawing ---- */

/* Without escape sequences: for searching, and for lines with a find. */
static char *plain(lh_arena *a, const char *s) {
    lh_text t = lh_text_new(a);
    while (*s) {
        if (s[0] == '\033' && s[1] == '[') {
            for (s += 2; *s && !(*s >= '@' && *s <= '~'); s++) {}
            if (*s) s++;
            continue;
        }
        size_t n = strcspn(s, "\033");
        if (n == 0) n = 1;
        lh_text_add_n(&t, s, n);
        s += n;
    }
    return t.s;
}

/* A search in small letters takes large ones for the same. */
static const char *find(const char *line, const char *what) {
    bool is_exact = false;
    size_t n = strlen(what);
    for (const char *s = what; *s; s++) is_exact |= isupper((unsigned char)*s) != 0;
    for (; *line; line++) {
        size_t i = 0;
        while (i < n && line[i] &&
               (line[i] == what[i] ||
                (!is_exact && tolower((unsigned char)line[i]) == (unsigned char)what[i])))
            i++;
        if (i == n) return line;
    }
    return NULL;
}

static void put_found(lh_pager *p, const char *line) {
    lh_text t = lh_text_new(p->arena);
    size_t n = strlen(p->search);
    for (const char *hit; (hit = find(line, p->search)); line = hit + n) {
        lh_text_add_n(&t, line, (size_t)(hit - line));
        lh_text_add(&t, "\033[7m%.*s\033[27m", (int)n, hit);
    }
    lh_text_add(&t, "%s", line);
    lh_terminal_put(p->terminal, t.s);
}

static void put_line(lh_pager *p, int i, bool is_chosen) {
    const char *line = p->line[i];
    if (is_chosen) lh_terminal_put(p->terminal, "\033[7m");
    if (p->search[0] && !is_chosen) {
        char *words = plain(p->arena, line);
        if (find(words, p->search)) {
            put_found(p, words);
            return;
        }
    }
    lh_terminal_put(p->terminal, is_chosen ? plain(p->arena, line) : line);
    lh_terminal_put(p->terminal, "\033[0m");
}

/* As much of a text as fits, with a sign where it was cut. */
static char *cut(lh_arena *a, const char *s, int columns) {
    char *copy = lh_screen_clean(a, s);
    size_t n = strlen(copy);
    if (lh_columns(copy) <= columns) return copy;
    while (n && lh_columns(copy) > columns - 1) {
        do n--;
        while (n && !lh_utf8_starts(copy[n]));
        copy[n] = 0;
    }
    return lh_printf(a, "%s\u2026", copy);
}

/* The last line: the title, how far, which keys; or a message. */
static void put_status(lh_pager *p, int rows, int columns, const char *message) {
    int last = p->top + rows - 1 < p->n_lines ? p->top + rows - 1 : p->n_lines;
    char *right = message
                      ? lh_printf(p->arena, "%s", "")
                      : lh_printf(p->arena, "%d%%   %s", p->n_lines ? 100 * last / p->n_lines : 100,
                                  p->choice      ? "enter opens   q quit"
                                  : columns < 72 ? "h help   q quit"
                                                 : "e exercise   h help   q quit");
    int room = columns - lh_columns(right) - 4;
    char *left = cut(p->arena, message ? message : p->title, room < 8 ? columns - 2 : room);
    int gap = columns - 2 - lh_columns(left) - lh_columns(right);
    lh_terminal_put(p->terminal, lh_printf(p->arena, "\033[7m %s%*s%s \033[0m", left,
                                           gap > 0 ? gap : 0, "", room < 8 ? "" : right));
}

static void draw(lh_pager *p, const char *message) {
    int rows, columns;
    lh_terminal_size(p->terminal, &rows, &columns);
    lh_terminal_put(p->terminal, "\033[H");
    for (int i = 0; i < rows - 1; i++) {
        int at = p->top + i;
        if (at < p->n_lines) put_line(p, at, p->choice && at == p->chosen);
        lh_terminal_put(p->terminal, "\033[K\r\n");
    }
    put_status(p, rows, columns, message);
    lh_terminal_show(p->terminal);
    if (p->top + rows - 1 >= p->n_lines) p->has_seen_end = true;
}

/* ---- moving ---- */

static int screen_rows(const lh_pager *p) {
    int rows, columns;
    lh_terminal_size(p->terminal, &rows, &columns);
    return rows > 1 ? rows - 1 : 1;
}

static void move_to(lh_pager *p, int top) {
    int last = p->n_lines - screen_rows(p);
    p->top = top > last ? last : top;
    if (p->top < 0) p->top = 0;
}

/* To the next line that can be chosen, in this direction. */
static void move_choice(lh_pager *p, int step) {
    int at = p->chosen + step;
    while (at >= 0 && at < p->n_lines && !p->choice[at]) at += step;
    if (at < 0 || at >= p->n_lines) return;
    p->chosen = at;
    int rows = screen_rows(p);
    if (at < p->top) move_to(p, at - 2);
    if (at >= p->top + rows) move_to(p, at - rows + 2);
}

/* ---- searching ---- */

/* A line typed below the text; false: given up. */
static bool ask(lh_pager *p, char *to, size_t size) {
    size_t n = 0;
    char typed[128] = "";
    for (;;) {
        draw(p, lh_printf(p->arena, "/%s_   enter searches, escape goes back", typed));
        int key = lh_terminal_key(p->terminal);
        if (key == LH_KEY_ESCAPE || key == LH_KEY_END) return false;
        if (key == '\r' || key == '\n') break;
        if (key == 127 || key == '\b') {
            while (n && !lh_utf8_starts(typed[n - 1])) n--;
            typed[n ? n - 1 : 0] = 0;
            n = strlen(typed);
        } else if (key >= ' ' && key < LH_KEY_AGAIN && n + 5 < sizeof typed) {
            n += lh_utf8_write(typed + n, (uint32_t)key);
            typed[n] = 0;
        }
    }
    snprintf(to, size, "%s", typed);
    return true;
}

/* The first find behind (or before) the top of the screen; from the other end when there is none. */
static const char *search(lh_pager *p, int from, int step) {
    for (int i = 0, at = from; i < p->n_lines; i++, at += step) {
        int line = (at % p->n_lines + p->n_lines) % p->n_lines;
        if (!find(plain(p->arena, p->line[line]), p->search)) continue;
        bool is_around = step > 0 ? line < from : line > from;
        p->top = line > 2 ? line - 2 : 0;
        if (p->top > p->n_lines - screen_rows(p)) move_to(p, p->top);
        p->chosen = p->choice ? p->chosen : line;
        return is_around ? (step > 0 ? "from the beginning again" : "from the end again") : NULL;
    }
    return lh_printf(p->arena, "\"%s\" is not in this lesson", p->search);
}

static void show_help(lh_pager *p) {
    int rows, columns, n = (int)(sizeof help / sizeof *help);
    lh_terminal_size(p->terminal, &rows, &columns);
    lh_terminal_put(p->terminal, "\033[H");
    for (int i = 0; i < rows - 1; i++) {
        if (i < n) lh_terminal_put(p->terminal, cut(p->arena, help[i], columns));
        lh_terminal_put(p->terminal, "\033[K\r\n");
    }
    put_status(p, rows, columns, "any key goes back");
    lh_terminal_show(p->terminal);
    lh_terminal_key(p->terminal);
}

/* ---- keys ---- */

static const char *search_key(lh_pager *p, int key) {
    if (!p->n_lines) return NULL;
    if (key == '/') {
        char typed[sizeof p->search];
        if (!ask(p, typed, sizeof typed)) return NULL;
        snprintf(p->search, sizeof p->search, "%s", typed);
        return p->search[0] ? search(p, p->top, 1) : NULL;
    }
    int from = p->choice ? p->top : p->chosen;
    return search(p, from + (key == 'N' ? -1 : 1), key == 'N' ? -1 : 1);
}

static void move_key(lh_pager *p, int key) {
    int rows = screen_rows(p), page = rows > 3 ? rows - 2 : 1;
    switch (key) {
    case ' ':
    case 'f':
    case LH_KEY_PAGE_DOWN:
    case LH_KEY_RIGHT: move_to(p, p->top + page); break;
    case 'b':
    case LH_KEY_PAGE_UP:
    case LH_KEY_LEFT: move_to(p, p->top - page); break;
    case 'd': move_to(p, p->top + rows / 2); break;
    case 'u': move_to(p, p->top - rows / 2); break;
    case 'j':
    case LH_KEY_DOWN:
    case '\r':
    case '\n':
        if (p->choice)
            move_choice(p, 1);
        else
            move_to(p, p->top + 1);
        break;
    case 'k':
    case LH_KEY_UP:
        if (p->choice)
            move_choice(p, -1);
        else
            move_to(p, p->top - 1);
        break;
    case 'g':
    case LH_KEY_HOME: move_to(p, 0); break;
    case 'G':
    case LH_KEY_LAST: move_to(p, p->n_lines); break;
    default: break;
    }
}

lh_pager_end lh_pager_read(lh_pager *p) {
    const char *message = p->message;
    p->message = NULL;
    move_to(p, p->top);
    for (;;) {
        draw(p, message);
        message = NULL;
        int key = lh_terminal_key(p->terminal);
        switch (key) {
        case LH_KEY_AGAIN: return LH_PAGER_AGAIN;
        case LH_KEY_END:
        case 'q':
        case 'Q': return LH_PAGER_QUIT;
        case ']': return LH_PAGER_NEXT;
        case '[':
        case 'p': return LH_PAGER_PREVIOUS;
        case 'c': return LH_PAGER_CONTENTS;
        case 'e':
            if (!p->choice) return LH_PAGER_EXERCISE;
            break;
        case 'h':
        case '?': show_help(p); break;
        case LH_KEY_ESCAPE: p->search[0] = 0; break;
        case '/':
        case 'N': message = key == '/' || p->search[0] ? search_key(p, key) : NULL; break;
        case 'n':
            if (!p->search[0]) return LH_PAGER_NEXT;
            message = search_key(p, key);
            break;
        case '\r':
        case '\n':
            if (p->choice) return LH_PAGER_CHOSEN;
            move_key(p, key);
            break;
        default: move_key(p, key);
        }
    }
}
