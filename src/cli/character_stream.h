/* character_stream -- text that comes in pieces, written in whole characters. A token of bytes may be a part of one.
 *
 *     lh_character_stream w = {.out = stdout, .line_end = "\n"};
 *     lh_character_stream_put(&w, piece, n);            what is not whole yet waits
 *     lh_character_stream_end(&w);                      what never became one is written as U+FFFD, as are bytes that cannot be any
 */
#ifndef LH_CLI_CHARACTER_STREAM_H
#define LH_CLI_CHARACTER_STREAM_H

#include <stddef.h>
#include <stdio.h>

typedef struct lh_character_stream {
    FILE *out;
    const char *line_end; /* what stands for the end of a line */
    char waiting[4];
    size_t n_waiting;
} lh_character_stream;

void lh_character_stream_put(lh_character_stream *w, const char *s, size_t n);
void lh_character_stream_end(lh_character_stream *w);

#endif
