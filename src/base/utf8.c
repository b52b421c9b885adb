#include "base/utf8.h"

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
    if (*c < least[n] || *c > 0x10FFFF || lh_utf16_is_half(*c)) return 0;
    return n;
}

size_t lh_utf8_cut(const char *text, size_t length) {
    for (size_t n = 1; n <= 3 && n <= length; n++) {
        unsigned char c = (unsigned char)text[length - n];
        if ((c & 0xC0) == 0x80) continue;
        size_t wants = c < 0xC2 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 1;
        return wants > n ? n : 0;
    }
    return 0;
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
