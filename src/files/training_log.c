#include "files/training_log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/number.h"
#include "files/json_read.h"
#include "files/replace.h"

#define LEAD "{\"step\": "

struct lh_log {
    lh_context *ctx;
    lh_arena *arena;
    const char *path;
    int fd;
};

static const lh_place nowhere = {0, 0, 0};

/* How much of the text stays: whole lines, up to the first that tells of a later step. */
static size_t kept_length(const char *text, size_t length, long long step) {
    size_t at = 0, lead = strlen(LEAD);
    while (at < length) {
        const char *end = memchr(text + at, '\n', length - at);
        if (!end) break;
        bool is_ours = length - at > lead && memcmp(text + at, LEAD, lead) == 0;
        if (is_ours && strtoll(text + at + lead, NULL, 10) > step) break;
        at = (size_t)(end - text) + 1;
    }
    return at;
}

static void fail(const lh_log *log) {
    lh_fail(log->ctx, LH_ERROR_FILE, nowhere, "%s cannot be written: %s", log->path,
            strerror(errno));
}

/* Never through a link, and never into a device: the folder may come from elsewhere. */
static void cut(const lh_log *log, long long step) {
    struct stat st;
    size_t length;
    if (lstat(log->path, &st)) return;
    if (!S_ISREG(st.st_mode)) {
        lh_fail(log->ctx, LH_ERROR_FILE, nowhere, "%s is not a regular file", log->path);
        lh_cure(log->ctx, "remove it, or choose another folder");
        return;
    }
    const char *text = lh_file_read_plain(log->ctx, log->arena, log->path, &length);
    if (!text) return;
    size_t kept = kept_length(text, length, step);
    if (kept < length && lh_disk_of(log->ctx)->truncate(log->path, (off_t)kept)) fail(log);
}

lh_log *lh_log_open(lh_context *ctx, const char *path, long long step) {
    lh_arena *arena = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!arena) return NULL;
    lh_log *log = lh_alloc(arena, sizeof *log);
    *log = (lh_log){ctx, arena, lh_copy(arena, path, strlen(path)), -1};
    cut(log, step);
    if (!lh_failed(ctx)) {
        log->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (log->fd < 0) fail(log);
    }
    if (!lh_failed(ctx)) return log;
    lh_log_close(log);
    return NULL;
}

bool lh_log_add(lh_log *log, long long step, const lh_log_value *value, int n) {
    if (!log || lh_failed(log->ctx)) return false;
    lh_arena *a = lh_arena_new(log->ctx);
    if (!a) return false;
    lh_text line = lh_text_new(a);
    lh_text_add(&line, LEAD "%lld", step);
    for (int i = 0; i < n; i++) {
        char buffer[LH_NUMBER_MAX];
        const char *quote = isfinite(value[i].value) ? "" : "\"";
        lh_text_add(&line, ", ");
        lh_text_add_json(&line, value[i].name, strlen(value[i].name));
        lh_text_add(&line, ": %s%s%s", quote,
                    lh_number_exact(buffer, sizeof buffer, value[i].value), quote);
    }
    lh_text_add(&line, "}\n");
    ssize_t done = lh_disk_of(log->ctx)->write(log->fd, line.s, line.n);
    if (done >= 0 && (size_t)done < line.n) errno = ENOSPC;
    if (done < 0 || (size_t)done < line.n) fail(log);
    lh_arena_free(a);
    return !lh_failed(log->ctx);
}

void lh_log_close(lh_log *log) {
    if (!log) return;
    if (log->fd >= 0) close(log->fd);
    lh_arena_free(log->arena);
}
