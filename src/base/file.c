#define _XOPEN_SOURCE 700 /* realpath */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The size of a pipe is not known before its end: room is doubled until the text fits. */
static char *read_all(FILE *f, size_t *length) {
    size_t cap = 65536, n = 0;
    char *text = malloc(cap);
    while (text) {
        n += fread(text + n, 1, cap - n, f);
        if (n < cap || cap >= LH_MAX_FILE) break;
        char *more = realloc(text, cap *= 2);
        if (!more) free(text);
        text = more;
    }
    *length = n;
    return text;
}

static char *refuse(lh_context *ctx, const char *path, const char *what) {
    lh_fail(ctx, LH_ERROR_FILE, (lh_place){0, 0, 0}, "%s %s", path, what);
    return NULL;
}

/* NULL and the context failed. O_NONBLOCK: a pipe that nobody writes into is opened all the same, to be refused. */
static FILE *open_file(lh_context *ctx, const char *path, bool is_plain) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | (is_plain ? O_NONBLOCK : 0));
    FILE *f = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (!f || fstat(fd, &st)) {
        lh_fail(ctx, LH_ERROR_FILE, (lh_place){0, 0, 0}, "%s cannot be opened: %s", path,
                strerror(errno));
        if (fd >= 0 && !f) close(fd);
    } else if (S_ISDIR(st.st_mode)) {
        refuse(ctx, path, "is a folder");
    } else if (is_plain && !S_ISREG(st.st_mode)) {
        refuse(ctx, path, "is a device or a pipe, not a regular file");
    } else if (S_ISREG(st.st_mode) && st.st_size >= LH_MAX_FILE) {
        refuse(ctx, path, "cannot be read: it is too large");
    }
    if (f && lh_failed(ctx)) fclose(f);
    return lh_failed(ctx) ? NULL : f;
}

static char *read_file(lh_context *ctx, lh_arena *arena, const char *path, bool is_plain,
                       size_t *length) {
    *length = 0;
    FILE *f = lh_failed(ctx) ? NULL : open_file(ctx, path, is_plain);
    if (!f) return NULL;
    size_t n;
    char *text = read_all(f, &n);
    bool is_good = text && !ferror(f) && n < LH_MAX_FILE;
    fclose(f);
    char *copy = is_good ? lh_copy(arena, text, n) : NULL;
    free(text);
    if (copy && !lh_failed(ctx)) {
        *length = n;
        return copy;
    }
    return refuse(ctx, path,
                  n >= LH_MAX_FILE ? "cannot be read: it is too large" : "cannot be read");
}

char *lh_file_read(lh_context *ctx, lh_arena *arena, const char *path, size_t *length) {
    return read_file(ctx, arena, path, false, length);
}

char *lh_file_read_plain(lh_context *ctx, lh_arena *arena, const char *path, size_t *length) {
    return read_file(ctx, arena, path, true, length);
}

/* ---- a file that a program names ---- */

#ifdef __wasi__ /* no links, no names that lead out of a folder: the host sees to it */
static char *real_path(const char *path) {
    return strdup(path);
}
#else
static char *real_path(const char *path) {
    return realpath(path, NULL);
}
#endif

static bool is_below(const char *real, const char *folder) {
    char *root = real_path(*folder ? folder : ".");
    size_t n = root ? strlen(root) : 0;
    while (n && root[n - 1] == '/') n--;
    const bool is = root && strncmp(real, root, n) == 0 && real[n] == '/';
    free(root);
    return is;
}

static bool is_within(const char *real, const lh_file_reach *reach) {
    if (is_below(real, reach->beside)) return true;
    for (int i = 0; i < reach->n_allowed; i++)
        if (is_below(real, reach->allowed[i])) return true;
    return false;
}

char *lh_file_read_within(lh_context *ctx, lh_arena *arena, const lh_file_reach *reach,
                          const char *path, size_t *length) {
    *length = 0;
    if (lh_failed(ctx)) return NULL;
    if (path[0] != '/') path = lh_printf(arena, "%s%s", reach->beside, path);
    char *real = real_path(path), *text = NULL;
    if (!real) {
        lh_fail(ctx, LH_ERROR_FILE, (lh_place){0, 0, 0}, "%s cannot be opened: %s", path,
                strerror(errno));
    } else if (is_within(real, reach)) {
        text = lh_file_read_plain(ctx, arena, path, length);
    } else {
        lh_fail(ctx, LH_ERROR_FILE, (lh_place){0, 0, 0},
                "%s is outside the folder of the program and is not read", path);
    }
    free(real);
    return text;
}
