/* pager -- lines on a screen, to be read like less: forward and back, search, other lessons.
 *
 *     lh_pager p = {.terminal = t, .line = line, .n_lines = n, .title = "ex1  Example 1"};
 *     switch (lh_pager_read(&p)) ... p.top, p.has_seen_end
 *
 * The caller lays out the lines for the width of the screen and does so again after LH_PAGER_AGAIN.
 */
#ifndef LH_CLI_PAGER_H
#define LH_CLI_PAGER_H

#include <stdbool.h>

#include "base/context.h"
#include "cli/terminal.h"

typedef enum lh_pager_end {
    LH_PAGER_QUIT,
    LH_PAGER_NEXT,
    LH_PAGER_PREVIOUS,
    LH_PAGER_CONTENTS,
    LH_PAGER_CHOSEN, /* p->chosen */
    LH_PAGER_EXERCISE,
    LH_PAGER_AGAIN /* the screen has another size */
} lh_pager_end;

typedef struct lh_pager {
    lh_terminal *terminal;
    lh_arena *arena; /* for what is made while it runs */
    char **line;     /* with escape sequences */
    int n_lines;
    int top;             /* the first line on the screen; kept from call to call */
    const char *title;   /* in the last line */
    bool has_colour;     /* escape sequences are welcome */
    bool has_seen_end;   /* the last line was on the screen */
    const bool *choice;  /* NULL, or of a list: lines that can be chosen with enter */
    int chosen;          /* the line chosen, or where the choice begins */
    char search[128];    /* what was looked for last; "" nothing */
    const char *message; /* in the last line until the next key, or NULL */
} lh_pager;

lh_pager_end lh_pager_read(lh_pager *p);

#endif
