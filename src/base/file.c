#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

char *lh_file_read(lh_context *ctx, lh_arena *arena, const char *path, size_t *length) {
    lh_place nowhere = {0, 0, 0};
    struct stat st;
    *length = 0;
    if (lh_failed(ctx)) return NULL;
    FILE *f = fopen(path, "rb");
    if (!f) {
        lh_fail(ctx, LH_ERROR_FILE, nowhere, "%s cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
        lh_fail(ctx, LH_ERROR_FILE, nowhere, "%s is a folder", path);
        fclose(f);
        return NULL;
    }
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
    lh_fail(ctx, LH_ERROR_FILE, nowhere, "%s cannot be read%s", path,
            n >= LH_MAX_FILE ? ": it is too large" : "");
    return NULL;
}
