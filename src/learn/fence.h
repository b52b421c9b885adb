/* fence -- a Markdown text as prose and fenced blocks, one after the other.
 *
 *     for (lh_segment s = {0}; lh_segment_next(text, length, &s);)
 *         if (s.is_block && lh_segment_is(&s, "longhand")) ... s.s, s.n, s.line
 *
 * A fence is three backticks or more, or tildes, at most three spaces before them; as many end the block. Nothing is copied.
 */
#ifndef LH_LEARN_FENCE_H
#define LH_LEARN_FENCE_H

#include "base/context.h"

typedef struct lh_segment {
    bool is_block, is_closed; /* closed: the end of the block was found */
    const char *s;            /* the prose, or what stands between the fences; whole lines */
    size_t n;
    int line;                /* of s */
    lh_place at;             /* block: its fence */
    const char *word, *rest; /* block: the first word behind the fence, and what follows it */
    size_t n_word, n_rest;
    size_t n_fence; /* block: how many signs its fence has */
    size_t next;    /* where the next segment begins */
    int next_line;
} lh_segment;

bool lh_segment_next(const char *text, size_t length, lh_segment *s); /* false: the end */
bool lh_segment_is(const lh_segment *s, const char *word);

/* A line of a text, without its end. */
typedef struct lh_text_row {
    const char *s;
    size_t n;
    int number;
} lh_text_row;

/* row zeroed before the first, whose number is `first` */
bool lh_text_row_next(const char *text, size_t length, int first, lh_text_row *row);
lh_text_row lh_row_trim(lh_text_row row); /* without white space at both ends */
/* without a comment, and trimmed: # at the start or after a space */
lh_text_row lh_row_code(lh_text_row row);
/* takes the next word off rest; false: none left */
bool lh_row_word(lh_text_row *rest, lh_text_row *word);

#endif
