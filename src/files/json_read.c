#include "files/json_read.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"

/* cJSON before 1.7.18 looks a byte behind a text that ends in a comma: it reads a copy with room behind it. */
enum { PAD = 8 };

/* The first byte that may not be there, or length; *why says what is wrong with it. */
static size_t find_bad_byte(const char *text, size_t length, const char **why) {
    const unsigned char *p = (const unsigned char *)text;
    uint32_t c;
    for (size_t i = 0, n; i < length; i += n) {
        n = lh_utf8_read(text + i, length - i, &c);
        *why = n == 0 ? "this is not UTF-8" : "a text cannot contain a NUL";
        if (n == 0 || p[i] == 0) return i;
        if (p[i] != '\\' || i + 1 >= length) continue;
        if (length - i >= 6 && memcmp(p + i, "\\u0000", 6) == 0) return i;
        n += p[i + 1] < 0x80; /* the sign behind a \ is no \ of its own */
    }
    return length;
}

static lh_place place_of(const char *text, size_t at) {
    lh_place place = {1, 1, 1};
    for (size_t i = 0; i < at; i++)
        if (text[i] == '\n')
            place.line++, place.col = 1;
        else
            place.col++;
    return place;
}

static void refuse(lh_context *ctx, const char *file, const char *text, size_t length, size_t at,
                   const char *why) {
    if (at > length) at = length;
    lh_fail(ctx, LH_ERROR_FILE, place_of(text, at), "%s", why);
    lh_fail_in(ctx, file, text, length);
}

cJSON *lh_json_parse(lh_context *ctx, const char *file, const char *text, size_t length) {
    const char *why = "", *end = NULL;
    if (lh_failed(ctx)) return NULL;
    size_t at = find_bad_byte(text, length, &why);
    if (at < length) {
        refuse(ctx, file, text, length, at, why);
        return NULL;
    }
    char *copy = ctx->alloc(length + PAD);
    if (!copy) {
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory: reading %s", file);
        return NULL;
    }
    memcpy(copy, text, length);
    memset(copy + length, 0, PAD);
    errno = 0;
    cJSON *root = cJSON_ParseWithLengthOpts(copy, length, &end, 0);
    at = end ? (size_t)(end - copy) : 0;
    ctx->release(copy);
    if (!root) {
        if (errno == ENOMEM)
            lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory: reading %s", file);
        refuse(ctx, file, text, length, at,
               length == 0 ? "the file is empty" : "this is not JSON, or too many brackets deep");
        return NULL;
    }
    while (at < length && strchr(" \t\r\n", text[at])) at++;
    if (at == length) return root;
    refuse(ctx, file, text, length, at, "there is something after the end");
    cJSON_Delete(root);
    return NULL;
}

bool lh_json_whole(const cJSON *item, long long *n) {
    if (!cJSON_IsNumber(item)) return false;
    double x = item->valuedouble;
    if (!(x >= 0 && x <= 0x1p53) || floor(x) != x) return false;
    *n = (long long)x;
    return true;
}
