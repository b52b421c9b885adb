#include "base/escape.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* What a character becomes in XML; NULL: it stays as it is. */
static const char *entity(const char *s, size_t bytes) {
    switch (*s) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\n':
    case '\t': return NULL;
    default: return bytes == 0 || (unsigned char)*s < ' ' || *s == 0x7F ? "?" : NULL;
    }
}

size_t lh_escape_xml(const char *s, const char **written, size_t *length) {
    uint32_t code;
    size_t bytes = lh_utf8_read(s, strnlen(s, 4), &code);
    const char *e = entity(s, bytes);
    *written = e ? e : s;
    *length = e ? strlen(e) : bytes;
    return bytes ? bytes : 1;
}

size_t lh_escape_json(char out[LH_ESCAPED_MAX], unsigned char c) {
    const char *format = c == '"' || c == '\\' ? "\\%c"
                         : c == '\n'           ? "\\n"
                         : c == '\t'           ? "\\t"
                         : c < ' '             ? "\\u%04x"
                                               : NULL;
    return format ? (size_t)snprintf(out, LH_ESCAPED_MAX, format, c) : 0;
}

void lh_text_add_xml(lh_text *t, const char *s) {
    const char *written;
    for (size_t n; *s;) {
        s += lh_escape_xml(s, &written, &n);
        lh_text_add_n(t, written, n);
    }
}

void lh_text_add_json(lh_text *t, const char *s, size_t n) {
    char escaped[LH_ESCAPED_MAX];
    lh_text_add_n(t, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        size_t length = lh_escape_json(escaped, (unsigned char)s[i]);
        lh_text_add_n(t, length ? escaped : s + i, length ? length : 1);
    }
    lh_text_add_n(t, "\"", 1);
}

size_t lh_escape_js(char out[LH_ESCAPED_MAX], unsigned char c) {
    if (c != '<') return lh_escape_json(out, c);
    memcpy(out, "\\u003c", 7);
    return 6;
}
