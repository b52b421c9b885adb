/* unicode -- which code points are letters, numbers and spaces.
 *
 *     lh_unicode_class k = lh_unicode_class_of(c);    LH_LETTER for e, é, ж, 字
 *
 * The classes are \p{L}, \p{N} and \s of regular expressions; LH_UNICODE_VERSION in unicode_table.h is whose.
 */
#ifndef LH_BASE_UNICODE_H
#define LH_BASE_UNICODE_H

#include "base/utf8.h"

typedef enum lh_unicode_class { LH_OTHER, LH_LETTER, LH_NUMBER, LH_SPACE } lh_unicode_class;

lh_unicode_class lh_unicode_class_of(uint32_t c);
const char *lh_unicode_version(void); /* "15.0.0" */

#endif
