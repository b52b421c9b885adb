#include "text/unicode.h"

#include "text/unicode_table.h"

/* Strict: no longer form than needed, no surrogates, nothing above 0x10FFFF. So each code point has one spelling, and writing
 * what was read gives the same bytes. */
size_t lh_utf8_read(const char *text, size_t length, uint32_t *c) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    if (length == 0) return 0;
    *c = s[0];
    if (s[0] < 0x80) return 1;
    size_t n = s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    if (n == 0 || n > length) return 0;
    *c = s[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        *c = *c << 6 | (s[i] & 0x3Fu);
    }
    if (*c < least[n] || *c > 0x10FFFF || (*c >= 0xD800 && *c < 0xE000)) return 0;
    return n;
}

size_t lh_utf8_write(char out[4], uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00u >> n & 0xFF) | c);
    return n;
}

/* The last change at or before c, by halving. */
lh_unicode_class lh_unicode_class_of(uint32_t c) {
    size_t low = 0, high = sizeof unicode_change / sizeof *unicode_change;
    if (c > 0x10FFFF) return LH_OTHER;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (unicode_change[middle] >> 2 <= c)
            low = middle;
        else
            high = middle;
    }
    return (lh_unicode_class)(unicode_change[low] & 3);
}

const char *lh_unicode_version(void) {
    return LH_UNICODE_VERSION;
}
