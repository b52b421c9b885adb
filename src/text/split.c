#include "text/split.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/unicode.h"

#define O LH_OTHER
#define L LH_LETTER
#define N LH_NUMBER
#define S LH_SPACE
/* ASCII, a row for sixteen: most of most texts. */
static const unsigned char ascii_class[128] = {
    O, O, O, O, O, O, O, O, O, S, S, S, S, S, O, O, /* tab to carriage return */
    O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, /* */
    S, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, /* space ! " # */
    N, N, N, N, N, N, N, N, N, N, O, O, O, O, O, O, /* 0 1 2 */
    O, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, /* @ A B C */
    L, L, L, L, L, L, L, L, L, L, L, O, O, O, O, O, /* P Q R */
    O, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, /* ` a b c */
    L, L, L, L, L, L, L, L, L, L, L, O, O, O, O, O, /* p q r */
};
#undef O
#undef L
#undef N
#undef S

/* The class of the code point at the beginning, and how many bytes it has. */
static lh_unicode_class class_at(const char *s, size_t n, size_t *bytes) {
    unsigned char first = (unsigned char)s[0];
    uint32_t c;
    *bytes = 1;
    if (first < 128) return (lh_unicode_class)ascii_class[first];
    size_t k = lh_utf8_read(s, n, &c);
    if (k == 0) return LH_OTHER;
    *bytes = k;
    return lh_unicode_class_of(c);
}

static size_t contraction(const char *s, size_t n) {
    if (n < 2 || s[0] != '\'') return 0;
    if (strchr("stmd", s[1]) && s[1]) return 2;
    if (n < 3) return 0;
    bool is_long =
        memcmp(s + 1, "re", 2) == 0 || memcmp(s + 1, "ve", 2) == 0 || memcmp(s + 1, "ll", 2) == 0;
    return is_long ? 3 : 0;
}

/* How far one class goes on from i. */
static size_t run_end(const char *s, size_t n, size_t i, lh_unicode_class class) {
    size_t k;
    while (i < n && class_at(s + i, n - i, &k) == class) i += k;
    return i;
}

/* Space: all of it at the end of the text, otherwise without its last code point, if any is left. */
static size_t space_end(const char *s, size_t n) {
    size_t i = 0, last = 0, k;
    while (i < n && class_at(s + i, n - i, &k) == LH_SPACE) last = i, i += k;
    return i < n && last > 0 ? last : i;
}

size_t lh_split(const char *s, size_t n) {
    size_t k, next, short_word = contraction(s, n);
    if (n == 0 || short_word) return short_word;
    lh_unicode_class class = class_at(s, n, &k);
    if (class != LH_SPACE) return run_end(s, n, k, class);
    if (s[0] == ' ' && n > 1) {
        class = class_at(s + 1, n - 1, &next);
        if (class != LH_SPACE) return run_end(s, n, 1 + next, class);
    }
    return space_end(s, n);
}
