/* split -- text cut into pieces as GPT-2 cuts it, before anything is merged.
 *
 *     for (size_t i = 0; i < n; i += k) k = lh_split(text + i, n - i);
 *
 *     "It's 2 cats,\n  really"   ->   It  's  ␣2  ␣cats  ,  \n␣  ␣really
 *
 * A piece is the first of these that fits:
 *
 *     's 't 're 've 'm 'll 'd
 *     letters, numbers, or signs that are neither nor space; each with one space before it if there is one
 *     space, but for its last code point where something else follows it
 *     that last code point
 *
 * A byte that is no UTF-8 counts as a sign. The pieces together are the text.
 */
#ifndef LH_TEXT_SPLIT_H
#define LH_TEXT_SPLIT_H

#include <stddef.h>

/* bytes of the first piece; 0 when there are none */
size_t lh_split(const char *text, size_t length);

#endif
