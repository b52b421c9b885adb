/* page_layout_words -- what the files of layout share: spans as words, words as lines, tables, formulas. */
#ifndef LH_PAGE_LAYOUT_WORDS_H
#define LH_PAGE_LAYOUT_WORDS_H

#include "cli/page_layout.h"

/* What stays together on a line. */
typedef struct lh_layout_word {
    const char *text; /* without escape sequences */
    lh_ink ink;
    bool is_glued; /* no space before it: "P[1]" and "," */
    bool is_break; /* a line ends here */
} lh_layout_word;

typedef struct lh_words {
    lh_page_layout *l;
    lh_layout_word *word;
    int n;
    bool has_space; /* since the last word */
} lh_words;

lh_words lh_words_new(lh_page_layout *l);
void lh_words_add(lh_words *w, const lh_span *s, lh_ink ink);     /* s and all that follow it */
void lh_words_add_one(lh_words *w, const lh_span *s, lh_ink ink); /* s alone */
/* to l's lines; lead hangs before the first, inside indent */
void lh_words_fold(lh_words *w, int indent, int width, const char *lead);
int lh_words_widest(const lh_words *w);  /* on one line */
int lh_words_longest(const lh_words *w); /* the longest word */

void lh_layout_table(lh_page_layout *l, const lh_piece *table, int indent);
void lh_layout_formula(lh_page_layout *l, const lh_span *s, int indent); /* on lines of its own */
/* bytes of s that take up to so many columns; at least one character */
size_t lh_fitting(const char *s, int room);

#endif
