/* utf8 -- code points as bytes, and back.
 *
 *     uint32_t c;
 *     size_t n = lh_utf8_read(text, length, &c);      bytes of the first code point, 0 where they are no UTF-8
 *
 * Strict: no longer form than needed, no surrogates, nothing above 0x10FFFF. So each code point has one spelling, and
 * writing what was read gives the same bytes.
 */
#ifndef LH_BASE_UTF8_H
#define LH_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t lh_utf8_read(const char *text, size_t length, uint32_t *c); /* 0: not UTF-8, or no bytes */
/* bytes at the end that begin a code point whose other bytes are missing: 0 to 3 */
size_t lh_utf8_cut(const char *text, size_t length);
size_t lh_utf8_write(char out[4], uint32_t c); /* how many bytes it took */

/* Two units of UTF-16 that are one code point; 0: they are no pair. */
static inline uint32_t lh_utf16_pair(uint32_t high, uint32_t low) {
    bool is_pair = high >= 0xD800 && high < 0xDC00 && low >= 0xDC00 && low < 0xE000;
    return is_pair ? 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00) : 0;
}

/* Half of such a pair, which is no code point by itself. */
static inline bool lh_utf16_is_half(uint32_t unit) {
    return unit >= 0xD800 && unit < 0xE000;
}

/* Does a byte begin a character? In UTF-8 all others of it look 10xxxxxx. So characters can be counted, and a text cut
 * between two of them, without reading them. */
static inline bool lh_utf8_starts(char byte) {
    return ((unsigned char)byte & 0xC0) != 0x80;
}

#endif
