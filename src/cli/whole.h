/* whole -- text that comes in pieces, written in whole characters. A token of bytes may be a part of one.
 *
 *     lh_whole w = {.out = stdout, .line_end = "\n"};
 *     lh_whole_put(&w, piece, n);            what is not whole yet waits
 *     lh_whole_end(&w);                      what never became one is written as U+FFFD, as are bytes that cannot be any
 */
#ifndef LH_CLI_WHOLE_H
#define LH_CLI_WHOLE_H

#include <stddef.h>
#include <stdio.h>

typedef struct lh_whole {
    FILE *out;
    const char *line_end; /* what stands for the end of a line */
    char waiting[4];
    size_t n_waiting;
} lh_whole;

void lh_whole_put(lh_whole *w, const char *s, size_t n);
void lh_whole_end(lh_whole *w);

#endif
