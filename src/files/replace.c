#include "files/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

struct lh_replace {
    lh_context *ctx;
    const lh_disk *disk;
    const char *path, *temporary;
    char *piece; /* PIECE bytes that wait to be written */
    size_t n;
    int fd;
    bool is_bad; /* a write failed: the rest is left out, and lh_replace_end cleans up */
};

/* What a killed program left is removed and made anew: a link that somebody put there is not followed. */
static int system_create(const char *path) {
    if (unlink(path) && errno != ENOENT) return -1;
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

static int system_mkdir(const char *path) {
    return mkdir(path, 0777);
}

const lh_disk lh_disk_system = {system_create, write,  fsync,        close,
                                rename,        unlink, system_mkdir, truncate};

const lh_disk *lh_disk_of(const lh_context *ctx) {
    return ctx->disk ? ctx->disk : &lh_disk_system;
}

/* The first failure of a file is told; the context may hold an older one. */
static void fail(lh_replace *r, const char *what) {
    int why = errno;
    r->is_bad = true;
    lh_fail(r->ctx, LH_ERROR_FILE, (lh_place){0, 0, 0}, "%s cannot be %s: %s", r->path, what,
            strerror(why));
    if (why == ENOSPC || why == EDQUOT || why == EFBIG)
        lh_cure(r->ctx, "%smake room and save again",
                r->temporary && access(r->path, F_OK) == 0
                    ? "what was saved before is still there; "
                    : "");
    else if (why == EACCES || why == EROFS || why == EPERM)
        lh_cure(r->ctx, "its folder must allow writing, or choose another");
    else if (why == ENOENT)
        lh_cure(r->ctx, "make its folder first");
}

/* temporary NULL: the file is no plain one, and what is written goes straight into it. */
static lh_replace *begin(lh_context *ctx, lh_arena *arena, const char *path,
                         const char *temporary) {
    lh_replace *r = lh_alloc(arena, sizeof *r);
    *r = (lh_replace){ctx, lh_disk_of(ctx), path, temporary, lh_alloc(arena, PIECE), 0, -1, false};
    if (lh_failed(ctx)) return NULL;
    r->fd = temporary ? r->disk->create(temporary) : open(path, O_WRONLY | O_CLOEXEC);
    if (r->fd >= 0) return r;
    fail(r, "written");
    return NULL;
}

lh_replace *lh_replace_open(lh_context *ctx, lh_arena *arena, const char *path) {
    if (lh_failed(ctx)) return NULL;
    return begin(ctx, arena, path, lh_printf(arena, "%s" LH_TEMPORARY, path));
}

/* A write may take less than all, and be interrupted. */
static void write_out(lh_replace *r, const char *bytes, size_t n) {
    while (n > 0 && !r->is_bad) {
        ssize_t done = r->disk->write(r->fd, bytes, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            if (done == 0) errno = ENOSPC;
            fail(r, "written");
            return;
        }
        bytes += done;
        n -= (size_t)done;
    }
}

static void flush(lh_replace *r) {
    write_out(r, r->piece, r->n);
    r->n = 0;
}

void lh_replace_write(lh_replace *r, const void *bytes, size_t n) {
    if (!r || r->is_bad) return;
    if (n > PIECE - r->n) flush(r);
    if (n >= PIECE) {
        write_out(r, bytes, n);
        return;
    }
    memcpy(r->piece + r->n, bytes, n);
    r->n += n;
}

/* Some file systems cannot sync a folder: EINVAL. */
int lh_disk_sync_parent(const lh_disk *disk, const char *path) {
    const char *slash = strrchr(path, '/');
    char folder[4096];
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (n >= sizeof folder) return 0;
    snprintf(folder, sizeof folder, "%.*s", n ? (int)n : 1, n ? path : slash ? "/" : ".");
    int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    int status = disk->sync(fd), why = errno;
    close(fd);
    errno = why;
    return status && why != EINVAL ? -1 : 0;
}

bool lh_replace_end(lh_replace *r) {
    if (!r) return false;
    flush(r);
    if (lh_failed(r->ctx)) r->is_bad = true; /* whatever filled the file did not finish */
    if (!r->is_bad && r->disk->sync(r->fd) && errno != EINVAL && errno != EROFS) fail(r, "written");
    if (r->disk->close(r->fd) && !r->is_bad) fail(r, "written");
    if (!r->temporary) return !r->is_bad;
    if (!r->is_bad && r->disk->rename(r->temporary, r->path)) fail(r, "replaced");
    if (r->is_bad) {
        r->disk->unlink(r->temporary);
        return false;
    }
    if (lh_disk_sync_parent(r->disk, r->path)) fail(r, "synced to disk");
    return !r->is_bad;
}

bool lh_replace_file(lh_context *ctx, lh_arena *arena, const char *path, const void *bytes,
                     size_t n) {
    lh_replace *r = lh_replace_open(ctx, arena, path);
    lh_replace_write(r, bytes, n);
    return lh_replace_end(r);
}

/* Devices, pipes and what a shell calls /dev/fd/63. A folder is left to the renaming, which says so. */
static bool is_written_straight(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

bool lh_replace_output(lh_context *ctx, lh_arena *arena, const char *path, const void *bytes,
                       size_t n) {
    if (lh_failed(ctx)) return false;
    const char *temporary = lh_printf(arena, "%s.%ld" LH_TEMPORARY, path, (long)getpid());
    lh_replace *r = begin(ctx, arena, path, is_written_straight(path) ? NULL : temporary);
    lh_replace_write(r, bytes, n);
    return lh_replace_end(r);
}
