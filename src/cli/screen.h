/* screen -- the one place where text goes to a terminal: what would steer it is made visible instead.
 *
 *     lh_screen_guard();                        at the start: stdout and stderr, where they are terminals
 *     lh_screen_begin_line(stdout);             back to the beginning of the line, which is emptied
 *
 * Names of files, texts of lessons, words of vocabularies and what is kept of a learner may come from elsewhere, and with
 * escape sequences a terminal can be told to do many things. So through stdout and stderr only line ends, tabs, printable
 * characters and changes of colour come; an escape is shown as its picture, and bytes that are no UTF-8 as the sign for them.
 * What is piped into a file or another program is not touched. Needs fopencookie (glibc, musl has it without the guard).
 */
#ifndef LH_CLI_SCREEN_H
#define LH_CLI_SCREEN_H

#include <stdio.h>

#include "base/context.h"

void lh_screen_guard(void);
void lh_screen_begin_line(FILE *out);
FILE *lh_screen_plain(FILE *out); /* stdout or stderr as it was, for a library that edits lines */
char *lh_screen_clean(lh_arena *a, const char *text); /* as it would be shown, colours aside */

#endif
