#include "text/alphabet.h"

#include <stdbool.h>

enum { PRINTABLE = 94 + 12 + 82 }; /* ! to ~, ¡ to ¬, ® to ÿ */

static bool is_printable(uint32_t b) {
    return (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xFF && b != 0xAD);
}

/* The n-th byte, from 0, of those that are printable or of those that are not. */
static int nth_byte(int n, bool printable) {
    for (uint32_t b = 0; b < 256; b++)
        if (is_printable(b) == printable && n-- == 0) return (int)b;
    return -1;
}

uint32_t lh_alphabet_char(unsigned char byte) {
    uint32_t n = 0;
    if (is_printable(byte)) return byte;
    for (uint32_t b = 0; b < byte; b++) n += !is_printable(b);
    return 0x100 + n;
}

int lh_alphabet_byte(uint32_t c) {
    if (c < 0x100) return is_printable(c) ? (int)c : -1;
    return c - 0x100 < 256 - PRINTABLE ? nth_byte((int)(c - 0x100), false) : -1;
}

unsigned char lh_alphabet_nth(int position) {
    return (unsigned char)(position < PRINTABLE ? nth_byte(position, true)
                                                : nth_byte(position - PRINTABLE, false));
}
