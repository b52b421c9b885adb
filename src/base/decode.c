#include "base/decode.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* 0x80 to 0x9F of Windows-1252; the rest are their own code points. The five that it leaves free become U+FFFD. */
static const uint16_t windows[32] = {
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
};

static size_t first_odd(const char *s, size_t n) {
    size_t at = 0;
    while (at < n) {
        uint32_t c;
        size_t k = (unsigned char)s[at] < 0x80 ? 1 : lh_utf8_read(s + at, n - at, &c);
        if (k == 0) return at;
        at += k;
    }
    return n;
}

static const char *from_bytes(lh_arena *a, const char *s, size_t n, size_t *length) {
    char *out = lh_alloc_array(a, n + 1, 3);
    size_t to = 0;
    for (size_t at = 0; out && at < n;) {
        uint32_t c;
        size_t k = lh_utf8_read(s + at, n - at, &c);
        unsigned char byte = (unsigned char)s[at];
        if (k == 0) c = byte < 0xA0 ? windows[byte - 0x80] : byte;
        to += lh_utf8_write(out + to, c);
        at += k ? k : 1;
    }
    *length = to;
    return out ? out : "";
}

static uint32_t unit(const char *s, bool is_big) {
    unsigned first = (unsigned char)s[0], second = (unsigned char)s[1];
    return is_big ? first << 8 | second : second << 8 | first;
}

static const char *from_utf16(lh_arena *a, const char *s, size_t n, bool is_big, size_t *length) {
    char *out = lh_alloc_array(a, n + 4, 2);
    size_t to = 0;
    for (size_t at = 0; out && at + 2 <= n; at += 2) {
        uint32_t c = unit(s + at, is_big), low = at + 4 <= n ? unit(s + at + 2, is_big) : 0;
        const uint32_t both = lh_utf16_pair(c, low);
        if (both)
            c = both, at += 2;
        else if (lh_utf16_is_half(c))
            c = 0xFFFD;
        if (c == 0xFEFF && to == 0) continue; /* one mark more */
        to += lh_utf8_write(out + to, c);
    }
    *length = out ? to : 0;
    return out ? out : "";
}

const char *lh_decode(lh_arena *a, const char *bytes, size_t n, size_t *length) {
    if (n >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
        return from_utf16(a, bytes + 2, n - 2, bytes[0] == '\xfe', length);
    while (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) bytes += 3, n -= 3;
    *length = n;
    return first_odd(bytes, n) == n ? bytes : from_bytes(a, bytes, n, length);
}
