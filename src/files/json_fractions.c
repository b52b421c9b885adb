/* 3.0 stays 3.0: a tree of cJSON forgets how a number was written, so the text is walked beside it. */
#include <math.h>
#include <string.h>

#include "files/json_read.h"

/* The next number of the text, and *n, how long it is; NULL: there is none. */
static const char *next_number(const char *s, size_t *n) {
    for (bool quoted = false; *s; s++) {
        if (*s == '\\' && quoted && s[1]) {
            s++;
        } else if (*s == '"') {
            quoted = !quoted;
        } else if (!quoted && (*s == '-' || (*s >= '0' && *s <= '9'))) {
            *n = strspn(s, "+-.0123456789eE");
            return s;
        }
    }
    return NULL;
}

static void keep_fraction(cJSON *item, const char *s, size_t n) {
    const bool is_fraction = memchr(s, '.', n) != NULL;
    char *text =
        is_fraction && item->valuedouble == floor(item->valuedouble) ? cJSON_malloc(n + 1) : NULL;
    if (!text) return;
    memcpy(text, s, n);
    text[n] = 0;
    item->type = (item->type & ~0xff) | cJSON_Raw;
    item->valuestring = text;
}

static const char *walk(cJSON *item, const char *s) {
    size_t n = 0;
    for (; item && s; item = item->next) {
        if (cJSON_IsNumber(item)) {
            s = next_number(s, &n);
            if (s) keep_fraction(item, s, n), s += n;
        }
        /* a name may hold digits, in quotes: it is passed over with what comes before the next number */
        s = walk(item->child, s);
    }
    return s;
}

void lh_json_keep_fractions(cJSON *root, const char *text) {
    walk(root, text);
}
