#include "base/utf8.h"
#include "text/tokenizer.h"
#include "base/unicode.h"

static bool is_control(uint32_t c) {
    return c < ' ' || (c >= 0x7F && c < 0xA0) || lh_unicode_class_of(c) == LH_SPACE;
}

char *lh_token_text(lh_arena *arena, const char *bytes, size_t n) {
    lh_text t = lh_text_new(arena);
    for (size_t i = 0, k; i < n; i += k) {
        uint32_t c = 0;
        k = lh_utf8_read(bytes + i, n - i, &c);
        if (k == 0)
            lh_text_add(&t, "\\x%02X", (unsigned char)bytes[i]), k = 1;
        else if (c == ' ')
            lh_text_add(&t, "␣");
        else if (c == '\n' || c == '\t' || c == '\r' || c == '\\')
            lh_text_add(&t, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : '\\');
        else if (is_control(c))
            lh_text_add(&t, c < 256 ? "\\x%02X" : "\\u%04X", (unsigned)c);
        else
            lh_text_add_n(&t, bytes + i, k);
    }
    return t.s;
}
