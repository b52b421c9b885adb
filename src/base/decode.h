/* decode -- text as editors and spreadsheets save it, as UTF-8.
 *
 *     text = lh_decode(arena, bytes, length, &length);
 *
 * UTF-8 stays as it is, without the mark at its beginning. UTF-16 is told by that mark. Bytes that are no UTF-8 are letters of
 * Windows-1252, of which Latin-1 is a part: each by itself, so that one odd byte does not spoil the letters around it.
 */
#ifndef LH_BASE_DECODE_H
#define LH_BASE_DECODE_H

#include "base/context.h"

/* the bytes themselves where nothing is to be done; else a copy in a, with a final 0 */
const char *lh_decode(lh_arena *a, const char *bytes, size_t n, size_t *length);

#endif
