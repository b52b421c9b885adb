#include "text/alphabet.h"

/* All bytes in GPT-2's order: the printable ones of Latin-1, which are themselves, then the others. */
static const struct {
    int first, last;
} range[] = {{'!', '~'}, {0xA1, 0xAC}, {0xAE, 0xFF}, {0x00, 0x20}, {0x7F, 0xA0}, {0xAD, 0xAD}};
enum { RANGES = 6, PRINTABLE = 94 + 12 + 82 };

static int position_of(int byte) {
    int before = 0;
    for (int i = 0; i < RANGES; i++) {
        if (byte >= range[i].first && byte <= range[i].last) return before + byte - range[i].first;
        before += range[i].last - range[i].first + 1;
    }
    return -1;
}

unsigned char lh_alphabet_nth(int position) {
    int i = 0;
    for (; i < RANGES - 1 && position > range[i].last - range[i].first; i++)
        position -= range[i].last - range[i].first + 1;
    return (unsigned char)(range[i].first + position);
}

uint32_t lh_alphabet_char(unsigned char byte) {
    int position = position_of(byte);
    return position < PRINTABLE ? byte : (uint32_t)(0x100 + position - PRINTABLE);
}

int lh_alphabet_byte(uint32_t c) {
    if (c < 0x100) return position_of((int)c) < PRINTABLE ? (int)c : -1;
    return c < 0x100 + 256 - PRINTABLE ? lh_alphabet_nth((int)c - 0x100 + PRINTABLE) : -1;
}
