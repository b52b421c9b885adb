/* Writes src/base/unicode_table.h: which code points are letters, numbers and spaces, from utf8proc's data.
 *
 *     cc scripts/unicode.c -lutf8proc -o /tmp/unicode && /tmp/unicode >src/base/unicode_table.h
 *
 * Run by hand when a new Unicode is wanted (Debian: libutf8proc-dev); the table is kept in the tree, so that nothing needs
 * utf8proc to be built. Letters are the categories L*, numbers N*; spaces are the property White_Space, which is Z* and six
 * control characters.
 */
#include <stdio.h>
#include <utf8proc.h>

enum { OTHER, LETTER, NUMBER, SPACE }; /* as lh_unicode_class in src/base/unicode.h */

static int class_of(int c) {
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return LETTER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return NUMBER;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return SPACE;
    default: return (c >= 0x09 && c <= 0x0D) || c == 0x85 ? SPACE : OTHER;
    }
}

int main(void) {
    int before = -1, column = 0;
    printf("/* Written by scripts/unicode.c from Unicode %s; not to be edited.\n"
           " * Where the class of code points changes: (first code point << 2) | class, ascending. "
           "*/\n"
           "#define LH_UNICODE_VERSION \"%s\"\n\n"
           "/* clang-format off */\n"
           "static const uint32_t unicode_change[] = {",
           utf8proc_unicode_version(), utf8proc_unicode_version());
    for (int c = 0; c <= 0x10FFFF; c++) {
        int now = class_of(c);
        if (now == before) continue;
        printf("%s0x%X,", column++ % 14 ? "" : "\n", (unsigned)c << 2 | (unsigned)now);
        before = now;
    }
    printf("\n};\n/* clang-format on */\n");
    return 0;
}
