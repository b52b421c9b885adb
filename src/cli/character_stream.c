#include "cli/character_stream.h"

#include <string.h>

#include "base/utf8.h"

static void put_character(const lh_character_stream *w, const char *s, size_t n) {
    if (n == 0)
        fputs("\xEF\xBF\xBD", w->out);
    else if (*s == '\n')
        fputs(w->line_end, w->out);
    else
        fwrite(s, 1, n, w->out);
}

/* One byte more: a character is whole, waits for others, or the bytes so far begin none. */
static void put_byte(lh_character_stream *w, char byte) {
    uint32_t c;
    w->waiting[w->n_waiting++] = byte;
    while (w->n_waiting) {
        size_t n = lh_utf8_read(w->waiting, w->n_waiting, &c);
        if (n == 0 && lh_utf8_cut(w->waiting, w->n_waiting) == w->n_waiting) return;
        put_character(w, w->waiting, n);
        n = n ? n : 1;
        w->n_waiting -= n;
        memmove(w->waiting, w->waiting + n, w->n_waiting);
    }
}

void lh_character_stream_put(lh_character_stream *w, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) put_byte(w, s[i]);
}

void lh_character_stream_end(lh_character_stream *w) {
    for (; w->n_waiting; w->n_waiting--) put_character(w, "", 0);
}
