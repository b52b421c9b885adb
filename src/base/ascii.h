/* ascii -- what kind of character a byte is, whatever the locale says; how a text ends. */
#ifndef LH_BASE_ASCII_H
#define LH_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool lh_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool lh_is_letter(char c) {
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static inline bool lh_is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The first character of a name, and each of the others: letters, digits, _, and whatever is not ASCII. */
static inline bool lh_is_name_start(char c) {
    return lh_is_letter(c) || c == '_' || (unsigned char)c >= 0x80;
}

static inline bool lh_is_name_part(char c) {
    return lh_is_name_start(c) || lh_is_digit(c);
}

static inline bool lh_ends_in(const char *s, const char *end) {
    const size_t n = strlen(s), k = strlen(end);
    return n >= k && strcmp(s + n - k, end) == 0;
}

/* A no-break space, or one of the widths from an en quad to a hair, in UTF-8: how many bytes, or 0. */
static inline size_t lh_odd_space(const char *s, size_t n) {
    const unsigned char *u = (const unsigned char *)s;
    if (n >= 2 && u[0] == 0xC2 && u[1] == 0xA0) return 2;
    bool is_wide = n >= 3 && u[0] == 0xE2 && u[1] == 0x80;
    return is_wide && ((u[2] >= 0x80 && u[2] <= 0x8A) || u[2] == 0xAF) ? 3 : 0;
}

#endif
