/* replace -- a file that is replaced whole or not at all.
 *
 *     lh_replace *r = lh_replace_open(ctx, arena, "out/config.json");
 *     lh_replace_write(r, text, length);                       as often as needed
 *     if (!lh_replace_end(r)) ...                              the context failed; the old file is as it was
 *
 * What is written goes to PATH.tmp. lh_replace_end syncs it, renames it over PATH and syncs the folder, so that a program
 * killed at any moment and a machine without power leave the old file or the new one, never a part. When a write fails (the
 * disk is full, the folder is read-only) PATH.tmp is removed. A killed program may leave PATH.tmp: the next writer removes
 * it first, and so a link that stands there is never followed. There may be one writer of a path at a time.
 *
 * Every change goes through a table of calls, so that a test can let any of them fail, or be the last.
 */
#ifndef LH_FILES_REPLACE_H
#define LH_FILES_REPLACE_H

#include <sys/types.h>

#include "base/context.h"

#define LH_TEMPORARY ".tmp"

/* What changes a disk. Each as POSIX has it: -1 and errno on failure. */
typedef struct lh_disk {
    int (*create)(const char *path); /* for writing, anew; the file's number */
    ssize_t (*write)(int fd, const void *bytes, size_t n);
    int (*sync)(int fd);
    int (*close)(int fd);
    int (*rename)(const char *from, const char *to);
    int (*unlink)(const char *path);
    int (*mkdir)(const char *path);
    int (*truncate)(const char *path, off_t length);
} lh_disk;

typedef struct lh_replace lh_replace;

const lh_disk *lh_disk_of(const lh_context *ctx); /* ctx->disk, or the system's */
extern const lh_disk lh_disk_system;
/* a new name lasts when its folder was synced */
int lh_disk_sync_parent(const lh_disk *disk, const char *path);

/* NULL and the context failed */
lh_replace *lh_replace_open(lh_context *ctx, lh_arena *arena, const char *path);
void lh_replace_write(lh_replace *r, const void *bytes, size_t n); /* r may be NULL */
bool lh_replace_end(lh_replace *r); /* true: the new file is there; r may be NULL: false */
/* all of this at once */
bool lh_replace_file(lh_context *ctx, lh_arena *arena, const char *path, const void *bytes,
                     size_t n);
/* The same for a file that a person named: two programs may write it at once, and the last one counts. A device or a pipe
 * is not replaced but written into. */
bool lh_replace_output(lh_context *ctx, lh_arena *arena, const char *path, const void *bytes,
                       size_t n);

#endif
