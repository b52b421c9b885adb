#include "base/unicode.h"

#include "base/unicode_table.h"

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
