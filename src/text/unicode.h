/* unicode -- the code points of a text, and which are letters, numbers and spaces.
 *
 *     uint32_t c;
 *     size_t n = lh_utf8_read(text, length, &c);      bytes of the first code point, 0 where they are no UTF-8
 *     lh_unicode_class k = lh_unicode_class_of(c);    LH_LETTER for e, é, ж, 字
 *
 * The classes are \p{L}, \p{N} and \s of regular expressions; LH_UNICODE_VERSION in unicode_table.h is whose.
 */
#ifndef LH_TEXT_UNICODE_H
#define LH_TEXT_UNICODE_H

#include <stddef.h>
#include <stdint.h>

typedef enum lh_unicode_class { LH_OTHER, LH_LETTER, LH_NUMBER, LH_SPACE } lh_unicode_class;

size_t lh_utf8_read(const char *text, size_t length, uint32_t *c); /* 0: not UTF-8, or no bytes */
size_t lh_utf8_write(char out[4], uint32_t c);                     /* how many bytes it took */
lh_unicode_class lh_unicode_class_of(uint32_t c);
const char *lh_unicode_version(void); /* "15.0.0" */

#endif
