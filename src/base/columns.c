#include "base/columns.h"

#include <string.h>

#include "base/utf8.h"

typedef struct span {
    unsigned first, last;
} span;

/* Marks that combine, joiners, and the selectors of variants. */
static const span no_width[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};

static const span two_wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
    {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

static int is_in(const span *list, size_t n, unsigned c) {
    for (size_t i = 0; i < n; i++)
        if (c >= list[i].first && c <= list[i].last) return 1;
    return 0;
}

/* A byte that begins no character counts as one column: it is shown as some sign. */
int lh_columns_next(const char *utf8, int *bytes) {
    uint32_t c;
    const size_t n = lh_utf8_read(utf8, strnlen(utf8, 4), &c);
    *bytes = n ? (int)n : 1;
    if (!n || c < 0x300) return 1;
    if (is_in(no_width, sizeof no_width / sizeof *no_width, c)) return 0;
    return is_in(two_wide, sizeof two_wide / sizeof *two_wide, c) ? 2 : 1;
}

int lh_columns(const char *utf8) {
    int n = 0;
    for (int bytes; *utf8; utf8 += bytes) n += lh_columns_next(utf8, &bytes);
    return n;
}
