#include "learn/page.h"

char *lh_page_anchor(lh_arena *a, const char *words) {
    lh_text t = lh_text_new(a);
    bool gap = false;
    for (const char *s = words; *s; s++) {
        unsigned char c = (unsigned char)*s;
        const bool is_capital = c >= 'A' && c <= 'Z', is_digit = c >= '0' && c <= '9';
        if (!is_capital && !is_digit && !(c >= 'a' && c <= 'z') && c < 0x80) {
            gap = true;
            continue;
        }
        if (gap && t.n) lh_text_add(&t, "-");
        gap = false;
        lh_text_add(&t, "%c", is_capital ? c + 32 : c);
    }
    return t.n ? t.s : lh_printf(a, "part");
}

static void add_words(lh_text *t, const lh_span *s) {
    for (; s; s = s->next) {
        if (s->child)
            add_words(t, s->child);
        else if (s->kind == LH_SPAN_BREAK)
            lh_text_add(t, " ");
        else if (s->text)
            lh_text_add(t, "%s", s->text);
    }
}

char *lh_span_words(lh_arena *a, const lh_span *s) {
    lh_text t = lh_text_new(a);
    add_words(&t, s);
    return t.s;
}
