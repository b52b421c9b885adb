/* file -- a whole file as text.
 *
 *     size_t length;
 *     char *text = lh_file_read(ctx, arena, "mine.lh", &length);     (a final 0 follows the text)
 *
 * Up to LH_MAX_FILE bytes. A folder is refused.
 */
#ifndef LH_BASE_FILE_H
#define LH_BASE_FILE_H

#include "base/context.h"

enum { LH_MAX_FILE = 1 << 30 };

char *lh_file_read(lh_context *ctx, lh_arena *arena, const char *path,
                   size_t *length); /* in the arena; NULL and the context failed */

#endif
