/* file -- a whole file as text.
 *
 *     size_t length;
 *     char *text = lh_file_read(ctx, arena, "mine.lh", &length);     (a final 0 follows the text)
 *
 * Up to LH_MAX_FILE bytes. A folder is refused. A file that a person named may be a pipe or a device. One that is found in
 * a folder, or named by a text from elsewhere, is read as a plain file only: a pipe that nobody writes into would be waited
 * for without end.
 */
#ifndef LH_BASE_FILE_H
#define LH_BASE_FILE_H

#include "base/context.h"

enum { LH_MAX_FILE = 1 << 30 };

/* in the arena; NULL and the context failed */
char *lh_file_read(lh_context *ctx, lh_arena *arena, const char *path, size_t *length);
/* the same, of a plain file */
char *lh_file_read_plain(lh_context *ctx, lh_arena *arena, const char *path, size_t *length);

/* Of a program that names a file: beside the program or in a folder below, or in (or below) one of the n folders at
 * `allowed`. A link counts as what it leads to. */
typedef struct lh_file_reach {
    const char *beside; /* the program's folder: ends in /, or "" for the one we are in */
    const char *const *allowed;
    int n_allowed;
} lh_file_reach;
char *lh_file_read_within(lh_context *ctx, lh_arena *arena, const lh_file_reach *reach,
                          const char *path, size_t *length);

#endif
